"""The commands on the judge of a set: pin it, measure it, hold a new one against it."""

from __future__ import annotations

import os
import shlex
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import anyio
import click

from foldproof.cases import shown
from foldproof.cli.shared import progress, project_options, show, workspace
from foldproof.core import ExitCode
from foldproof.report import (
    DisagreementRow,
    calibration_document,
    disagreement_row,
    pin_document,
    reconciliation_document,
    render_calibration,
    render_pin,
    render_reconciliation,
)
from foldproof.workflow import (
    Disagreement,
    Options,
    Proposed,
    Reconciliation,
    Workspace,
    calibrate_judge,
    keep_calibration,
    locate_project,
    pin_judge,
    reconcile_judge,
)

_CODES = {"accepted": ExitCode.PASS, "blocked": ExitCode.BLOCKED, "inconclusive": ExitCode.INCONCLUSIVE}


@click.group(short_help="Pin the judge, measure it, hold a new one against it.")
def judge() -> None:
    """The model that reads what no matcher can: pin it, measure it, change it with open eyes."""


@judge.command(short_help="Write the hash of the judge's prompt into the set.")
@project_options
@click.option("--model", "name", default="", metavar="NAME", help="The judge's model, a dated name.")
@click.option("--prompt", default="", metavar="FILE", help="Its prompt, as the set names it: beside the set's file.")
def pin(project_path: Path | None, set_path: Path | None, *, as_json: bool, name: str, prompt: str) -> ExitCode:
    """Write the hash of the judge's prompt into the replay set, and show what is pinned.

    A set that names no judge yet is given one with --model. Where the prompt does not exist, the one that comes with
    foldproof is written there. Comments and order of the set stay. A judge whose verdicts stand in the baseline is
    changed with `foldproof judge reconcile` alone.
    """
    project = None if set_path and not project_path else locate_project(project_path or Path.cwd())
    path = set_path or (project.replay_set if project else Path())
    report = pin_judge(path, name=name, prompt=prompt, project=project)
    document = pin_document(
        report.pin, report.identity, set_file=shown(report.path), written=[shown(path) for path in report.written]
    )
    show(document, render_pin, as_json=as_json)
    return ExitCode.PASS


@judge.command(short_help="Measure the judge against labelled answers.")
@click.argument("labels", type=click.Path(path_type=Path))
@project_options
@click.option("-j", "--jobs", "concurrency", type=click.IntRange(1, 1000), help="Questions in flight.")
@click.option("--max-cost", "max_cost_usd", type=click.FloatRange(0), help="Stop at this cost (US dollars).")
def calibrate(
    labels: Path,
    project_path: Path | None,
    set_path: Path | None,
    *,
    as_json: bool,
    concurrency: int | None,
    max_cost_usd: float | None,
) -> ExitCode:
    """Measure the set's judge against LABELS: answers of which a person said whether they state a fact.

    LABELS is a file of JSON lines, or a CSV with a header: question (may be left out), fact, answer, label (`met` or
    `not met`). The judge is also asked about wrong answers made from the set's own facts. Exits 0 where it was
    measured, 7 where nothing can be concluded. The result is kept, and reports tell of it.
    """
    with workspace(project_path, set_path) as opened:
        with progress(quiet=as_json) as listener:
            options = Options(concurrency=concurrency, max_cost_usd=max_cost_usd, listener=listener)
            report = anyio.run(partial(calibrate_judge, opened, labels, options=options))
        document = calibration_document(
            report.identity,
            report.measured,
            controls=report.standing.controls if report.standing else None,
            asked=report.judging.asked,
            first_error=report.first_error,
        )
        keep_calibration(opened, report, document=document.model_dump(mode="json", by_alias=True))
    show(document, render_calibration, as_json=as_json)
    return ExitCode.PASS if document.conclusive else ExitCode.INCONCLUSIVE


@judge.command(short_help="Hold a new judge against the accepted verdicts.")
@click.argument("new")
@project_options
@click.option("--prompt", default="", metavar="FILE", help="Its prompt, beside the set's file; by default the same.")
@click.option("--base-url", default="", metavar="URL", help="Where it is served, if not where the old one is.")
@click.option("--api-key-env", default="", metavar="NAME", help="The environment variable that holds its key.")
@click.option(
    "--settle",
    multiple=True,
    metavar="ID=SIDE",
    help="Decide a disagreement: `old`, `new`, `met` or `not-met`; may be repeated.",
)
@click.option("--details", is_flag=True, help="Show answers in full.")
@click.option("-j", "--jobs", "concurrency", type=click.IntRange(1, 1000), help="Questions in flight.")
@click.option("--max-cost", "max_cost_usd", type=click.FloatRange(0), help="Stop at this cost (US dollars).")
def reconcile(
    new: str,
    project_path: Path | None,
    set_path: Path | None,
    *,
    as_json: bool,
    details: bool,
    settle: tuple[str, ...],
    **named: Any,  # noqa: ANN401  # the fields of _Named, checked there
) -> ExitCode:
    """Hold the judge NEW against the verdicts that were accepted, and pin it once every disagreement is settled.

    A change of judge is a fold: the same answers, other verdicts. Claims on which both say the same are not listed.
    What is settled stands in judges/settled.json beside the set, and counts before any judge's verdict. Exits 1 while
    a disagreement is open, 7 where the new judge gave no verdict, 0 once it is pinned.
    """
    decided = dict(_decision(text) for text in settle)
    known = _Named(**named)
    with workspace(project_path, set_path) as opened, progress(quiet=as_json) as listener:
        options = Options(concurrency=known.concurrency, max_cost_usd=known.max_cost_usd, listener=listener)
        proposed = Proposed(new, known.prompt, decided)
        work = partial(reconcile_judge, known.moved(opened), proposed, options=options, environ=os.environ)
        report = anyio.run(work)
    document = reconciliation_document(
        report.old,
        report.new,
        rows=[_row(item) for item in report.disagreements],
        agreed=report.agreed,
        undecided=report.undecided,
        accepted=report.accepted,
        controls=report.standing.controls if report.standing else None,
    )
    document.written = [shown(path) for path in report.written]
    document.asked, document.next = report.judging.asked, _next(report, new, known)
    show(document, render_reconciliation, as_json=as_json, details=details)
    return _CODES[document.verdict]


@dataclass(frozen=True, slots=True)
class _Named:
    """How the new judge is reached, where it is not where the old one is, and how far the asking may go."""

    prompt: str
    base_url: str
    api_key_env: str
    concurrency: int | None
    max_cost_usd: float | None

    def moved(self, opened: Workspace) -> Workspace:
        """The workspace with the judge where the new one is."""
        known = opened.project.judge
        key = f"${{{self.api_key_env}}}" if self.api_key_env else known.api_key
        judge = replace(known, base_url=self.base_url or known.base_url, api_key=key)
        return replace(opened, project=replace(opened.project, judge=judge))


def _decision(text: str) -> tuple[str, str]:
    name, equals, side = text.partition("=")
    if not (name and equals and side):
        raise click.UsageError(f"--settle {text}: write the id of a disagreement and the side: 3f2a91bc=old")
    return name, side


def _row(item: Disagreement) -> DisagreementRow:
    settled = item.settled.verdict if item.settled else None
    return disagreement_row(item.case, item.claim, old=item.old, new=item.new, settled=settled)


def _next(report: Reconciliation, new: str, named: _Named) -> list[str]:
    """What to type next; where the new judge is served elsewhere, what to write before."""
    if report.accepted:
        moved = [f"write `base_url: {named.base_url}` under `judge` in foldproof.yaml"] if named.base_url else []
        return [*moved, "commit the set, the baseline and the settled claims, so that the next reviewer sees them"]
    if not report.open:
        return []
    given = (("--prompt", named.prompt), ("--base-url", named.base_url), ("--api-key-env", named.api_key_env))
    options = "".join(f" {option} {shlex.quote(value)}" for option, value in given if value)
    sides = " ".join(f"--settle {item.claim.id}=SIDE" for item in report.open)
    command = f"foldproof judge reconcile {shlex.quote(new)}{options} {sides}"
    return [command, "SIDE is what a person decides: old, new, met or not-met"]
