"""The commands that one starts with: demo, init, doctor."""

from __future__ import annotations

import os
from dataclasses import asdict, replace
from pathlib import Path

import anyio
import click

from foldproof.cli.commands.asking import check_report_document
from foldproof.cli.shared import progress, show
from foldproof.core import ExitCode
from foldproof.demo import write_showcase, write_starter
from foldproof.report import (
    DemoDocument,
    DoctorDocument,
    FilesDocument,
    Finding,
    render_demo,
    render_doctor,
    render_files,
)
from foldproof.report.documents import CheckDocument
from foldproof.workflow import (
    Options,
    apply_acceptance,
    check_candidate,
    examine,
    open_workspace,
    propose_baseline,
    run_config,
)

CANDIDATES = ("window", "head_tail", "triage")


@click.command(short_help="A whole check on shipped data; no key, no network.")
@click.option(
    "--into",
    "folder",
    type=click.Path(path_type=Path),
    default=Path("foldproof-demo"),
    show_default=True,
    help="Where the demo project is written.",
)
@click.option("--json", "as_json", is_flag=True, help="Print one machine-readable document.")
def demo(folder: Path, *, as_json: bool) -> ExitCode:
    """Write a demo project and really run it: three users, twenty questions, three candidate memories.

    Always exits 0 when it ran: that some candidates are blocked is what it shows.
    """
    write_showcase(folder)
    with open_workspace(folder) as opened, progress(quiet=as_json) as listener:
        options = Options(listener=listener, yes=True)

        async def everything() -> list[CheckDocument]:
            await run_config(opened, opened.project.baseline, replace(options, fresh=True))
            proposal = await propose_baseline(opened, "", options)
            apply_acceptance(opened, proposal, environ={})
            return [
                check_report_document(opened, await check_candidate(opened, name, replace(options, fresh=True)))
                for name in CANDIDATES
            ]

        checks = anyio.run(everything)
    lost = next(
        (
            f"foldproof explain {check.after.run} {case.id}"
            for check in checks
            for case in check.cases
            if case.change == "lost"
        ),
        "foldproof check window",
    )
    document = DemoDocument(folder=str(folder), checks=checks, next=[f"cd {folder}", lost, "foldproof check triage"])
    show(document, render_demo, as_json=as_json)
    return ExitCode.PASS


@click.command(short_help="Write a project that works at once.")
@click.argument("folder", type=click.Path(path_type=Path), default=Path())
@click.option("--json", "as_json", is_flag=True, help="Print one machine-readable document.")
def init(folder: Path, *, as_json: bool) -> ExitCode:
    """Write foldproof.yaml, replay.yaml, a history and a CI job into FOLDER; what is there is left alone."""
    written, left = write_starter(folder)
    document = FilesDocument(
        command="init",
        written=[str(path) for path in written],
        notes=[f"left as it is: {path}" for path in left],
        next=["foldproof run production", "foldproof baseline accept", "foldproof check candidate"],
    )
    show(document, render_files, as_json=as_json)
    return ExitCode.PASS


@click.command(short_help="What is installed, reachable and missing.")
@click.option("--json", "as_json", is_flag=True, help="Print one machine-readable document.")
def doctor(*, as_json: bool) -> ExitCode:
    """Look at the installation and at the project from here upwards; nothing is changed, no agent is called.

    Exits 0 where all that is needed is there, 4 where something is missing.
    """
    findings = [Finding(**asdict(finding)) for finding in anyio.run(examine, Path.cwd(), os.environ)]
    document = DoctorDocument(ok=all(finding.ok is not False for finding in findings), findings=findings)
    show(document, render_doctor, as_json=as_json)
    return ExitCode.PASS if document.ok else ExitCode.USAGE
