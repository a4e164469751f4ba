"""The commands that ask an agent: run, check, compare."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import anyio
import click

from foldproof.cli.shared import (
    EXIT_CODES,
    ask_agents,
    asking_options,
    check_places,
    progress,
    project_options,
    set_flag,
    show,
    step_summary,
    workspace,
    write_file,
)
from foldproof.core import ExitCode
from foldproof.report import (
    ControlsPart,
    PlanDocument,
    check_document,
    compare_document,
    compared_run,
    controls_part,
    json_text,
    judge_part,
    junit_check,
    junit_run,
    markdown_check,
    markdown_compare,
    markdown_run,
    render_check,
    render_compare,
    render_run,
    run_document,
    run_info,
)
from foldproof.report.benchmarks import recall_part
from foldproof.report.documents import CheckDocument, CompareDocument, RunDocument
from foldproof.report.judges import JudgePart
from foldproof.workflow import (
    CheckReport,
    CompareReport,
    Controls,
    Options,
    RunReport,
    Workspace,
    check_candidate,
    compare_runs,
    plan_size,
    run_config,
)


def report_options(command: Any) -> Any:  # noqa: ANN401  # a decorator of click commands
    """Where else the report goes."""
    for option in (
        click.option("--junit", type=click.Path(path_type=Path), help="Also write JUnit XML."),
        click.option("--markdown", type=click.Path(path_type=Path), help="Also write Markdown."),
    ):
        command = option(command)
    return command


def cassette_option(command: Any) -> Any:  # noqa: ANN401  # a decorator of click commands
    """`--cassette`, a field of Options."""
    return click.option(
        "--cassette",
        type=click.Choice(["record", "replay", "auto"]),
        callback=lambda _context, _option, value: value or "",
        help="Answers of models: keep them, use only what is kept, or use that and ask the rest.",
    )(command)


@click.command(short_help="Ask every question on one configuration.")
@click.argument("config")
@project_options
@asking_options
@report_options
@click.option("--filter-failing", "failing", is_flag=True, help="Ask only what did not pass in the newest run.")
@click.option("--resume", default="", metavar="RUN", help="Go on with this run, for instance with more trials.")
@click.option(
    "--control",
    type=click.Choice(["unplugged", "oracle", "full", "live"]),
    help="Cut the memory off, and put nothing, the expected facts or the whole history in its place; "
    "or say the messages of frozen turns anew.",
)
@cassette_option
@click.option("--unplugged", "control", flag_value="unplugged", help="The same as `--control unplugged`.")
@click.option("--dry-run", is_flag=True, help="Say what would be asked, and ask nothing.")
def run(
    config: str,
    project_path: Path | None,
    set_path: Path | None,
    *,
    as_json: bool,
    dry_run: bool,
    junit: Path | None,
    markdown: Path | None,
    **asked_for: Any,  # noqa: ANN401  # the fields of Options, checked there
) -> ExitCode:
    """Ask every question of the set on CONFIG and hold the answers against the gate.

    CONFIG is a configuration of foldproof.yaml, or an agent named directly: python:module:function. An
    interrupted run goes on where it stopped; the baseline configuration is asked twice a case.
    """
    options = Options(**asked_for | {"control": asked_for["control"] or ""})
    check_places(junit, markdown)
    with workspace(project_path, set_path) as opened:
        if dry_run:
            return _dry_run(opened, config, options, as_json=as_json)
        with progress(quiet=as_json) as listener:
            report = ask_agents(run_config, opened, config, replace(options, listener=listener))
        document = run_report_document(opened, report)
    document.set.flag = set_flag(set_path)
    show(document, render_run, as_json=as_json)
    _write(document, junit=junit, markdown=markdown)
    return EXIT_CODES[document.verdict]


def _dry_run(opened: Workspace, config: str, options: Options, *, as_json: bool) -> ExitCode:
    cases, trials, stored = anyio.run(plan_size, opened, config, options)
    document = PlanDocument(config=config, cases=cases, trials=trials, stored=stored)
    if as_json:
        click.echo(json_text(document), nl=False)
    else:
        left = f" ({stored} more stand in the store)" if stored else ""
        click.echo(f"would ask {trials} trials for {cases} cases on '{config}'{left}; nothing was asked")
    return ExitCode.PASS


def run_report_document(opened: Workspace, report: RunReport, notes: tuple[str, ...] = ()) -> RunDocument:
    """The document of a run."""
    document = run_document(
        run_info(report.run, asked=report.asked, reused=report.reused, cost_usd=report.cost_usd),
        report.scores,
        replay_set=opened.replay_set,
        verdict=report.verdict,
        trials=report.trials,
        notes=(*report.run.notes, *report.notes, *notes),
    )
    document.judge = judge_of(report)
    return document


def judge_of(*reports: RunReport) -> JudgePart | None:
    """The judge that runs rest on, as their document holds it."""
    known = next((report.judge for report in reports if report.judge), None)
    if known is None:
        return None
    measured = known.calibration is not None and known.calibration.conclusive
    return judge_part(known.identity, known.controls, calibrated=measured)


def _write(document: RunDocument, *, junit: Path | None, markdown: Path | None) -> None:
    text = markdown_run(document)
    step_summary(text)
    if junit is not None:
        write_file(junit, junit_run(document))
    if markdown is not None:
        write_file(markdown, text)


@click.command(short_help="Prove or refuse that a candidate still knows what it must.")
@click.argument("candidate")
@project_options
@asking_options
@report_options
@cassette_option
@click.option("--controls", is_flag=True, help="Also ask CANDIDATE under each control; they inform.")
@click.option("--details", is_flag=True, help="Show every case, not only what changed.")
def check(
    candidate: str,
    project_path: Path | None,
    set_path: Path | None,
    *,
    as_json: bool,
    details: bool,
    junit: Path | None,
    markdown: Path | None,
    **asked_for: Any,  # noqa: ANN401  # the fields of Options, checked there
) -> ExitCode:
    """Ask production again, then CANDIDATE; repeat what is in doubt; diff, gate, verdict.

    Exits 0 where the change passes, 1 where it is blocked, 7 where the runs allow no verdict.
    """
    options = Options(**asked_for)
    check_places(junit, markdown)
    with workspace(project_path, set_path) as opened:
        with progress(quiet=as_json) as listener:
            report = ask_agents(check_candidate, opened, candidate, replace(options, listener=listener))
        document = check_report_document(opened, report)
    show(document, render_check, as_json=as_json, details=details)
    text = markdown_check(document)
    step_summary(text)
    if junit is not None:
        write_file(junit, junit_check(document))
    if markdown is not None:
        write_file(markdown, text)
    return EXIT_CODES[document.verdict]


def check_report_document(opened: Workspace, report: CheckReport) -> CheckDocument:
    """The document of a check."""
    before, after = (
        run_info(side.run, asked=side.asked, reused=side.reused, cost_usd=side.cost_usd)
        for side in (report.before, report.after)
    )
    document = check_document(
        report.check,
        opened.replay_set,
        before=before,
        after=after,
        differs=report.differs,
        beside_memory=report.beside_memory,
        controls=controls_of(report.controls, report.after.run.config),
    )
    document.judge = judge_of(report.after, report.before)
    document.recall_before, document.recall_after = (
        recall_part(opened.replay_set, side.trials) for side in (report.before, report.after)
    )
    return document


def controls_of(controls: Controls | None, config: str) -> ControlsPart | None:
    """The controls beside a configuration, as its document holds them."""
    if controls is None:
        return None
    runs = [
        run_info(report.run, asked=report.asked, reused=report.reused, cost_usd=report.cost_usd)
        for report in controls.reports
    ]
    return controls_part(config, runs, retention=controls.retention, findings=controls.findings, notes=controls.notes)


@click.command(short_help="Put configurations side by side.")
@click.argument("runs", nargs=-1, required=True)
@project_options
@asking_options
@click.option("--markdown", type=click.Path(path_type=Path), help="Also write Markdown.")
def compare(
    runs: tuple[str, ...],
    project_path: Path | None,
    set_path: Path | None,
    *,
    as_json: bool,
    markdown: Path | None,
    **asked_for: Any,  # noqa: ANN401  # the fields of Options, checked there
) -> ExitCode:
    """Put two or more RUNS side by side, the first being what the others are compared with.

    Each is the number of a run or a configuration, whose newest finished run on the present set is taken; a
    configuration that has none is run first.
    """
    if len(runs) < 2:
        raise click.UsageError("a comparison needs two runs or configurations at least")
    options = Options(**asked_for)
    check_places(markdown)
    with workspace(project_path, set_path) as opened:
        with progress(quiet=as_json) as listener:
            report = ask_agents(compare_runs, opened, runs, replace(options, listener=listener))
        document = compare_report_document(opened, report)
    show(document, render_compare, as_json=as_json)
    text = markdown_compare(document)
    step_summary(text)
    if markdown is not None:
        write_file(markdown, text)
    return ExitCode.PASS


def compare_report_document(opened: Workspace, report: CompareReport) -> CompareDocument:
    """The document of a comparison."""
    columns = [
        compared_run(
            run_info(column.report.run, asked=column.report.asked, reused=column.report.reused),
            column.report.scores,
            figures=column.figures,
            changes=column.changes,
            against=column.against,
        )
        for column in report.columns
    ]
    scores = [column.report.scores for column in report.columns]
    return compare_document(opened.replay_set, list(zip(columns, scores, strict=True)))
