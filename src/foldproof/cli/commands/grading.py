"""`sessions grade`: did each session meet its user's goal, and where did the others turn?"""

from __future__ import annotations

import shlex
from collections.abc import Callable
from functools import partial
from pathlib import Path

import click

from foldproof.cli.shared import EXIT_CODES, check_places, progress, show, step_summary, write_file
from foldproof.core import ExitCode
from foldproof.report import grade_document, markdown_grades, render_grades
from foldproof.workflow import GradeOptions, grade_logs

_MOST_NAMED = 3


@click.command(short_help="Which sessions met their user's goal, and where the others turned.")
@click.argument("logs", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option("--format", "format_name", default="", metavar="NAME", help="The format; by default it is found out.")
@click.option("--judge", default="", metavar="MODEL", help="The model that judges; its address as the project says.")
@click.option("--judge-url", default="", metavar="URL", help="Where the judge is, in place of the project's.")
@click.option("--outcome", default="", metavar="NAME", help="Take this label of the log as the verdict of a session.")
@click.option("--need", type=click.IntRange(1), metavar="N", help="Pass where so many sessions met their goal.")
@click.option(
    "--project",
    "project_path",
    type=click.Path(path_type=Path),
    help="The project's foldproof.yaml or its folder; by default it is looked for upwards from here.",
)
@click.option("--details", is_flag=True, help="Show every session.")
@click.option("--markdown", type=click.Path(path_type=Path), help="Also write Markdown.")
@click.option("--json", "as_json", is_flag=True, help="Print one machine-readable document.")
def grade(
    logs: tuple[Path, ...],
    project_path: Path | None,
    *,
    format_name: str,
    need: int | None,
    details: bool,
    markdown: Path | None,
    as_json: bool,
    **judging: str,
) -> ExitCode:
    """Grade the sessions of LOGS: first whether the user's goal was met, then where the failed ones diverged.

    The verdict is a judge's, or a label of the log's own; without either there is none, and what is found is first
    aid: the step that the signs in the log blame. Exits 0 where every session has a verdict (with --need: where so
    many met their goal), 1 where --need cannot be reached, 7 where sessions without a verdict leave it open.
    """
    import anyio

    check_places(markdown)
    with progress(quiet=as_json) as listener:
        options = GradeOptions(**judging, listener=listener)
        start = project_path or Path.cwd()
        report = anyio.run(partial(grade_logs, logs, options, start=start, format_name=format_name))
    document = grade_document(
        report.grades,
        format_name=report.format,
        cut=_cut_command(logs, format_name),
        judge=report.judge,
        outcome=report.outcome,
        asked=report.asked,
        need=need,
        notes=report.notes,
    )
    show(document, render_grades, as_json=as_json, details=details)
    told = markdown_grades(document)
    step_summary(told)
    if markdown is not None:
        write_file(markdown, told)
    return EXIT_CODES[document.verdict]


def _cut_command(logs: tuple[Path, ...], format_name: str) -> Callable[[str, int], str]:
    """How a session of these logs is cut. With many files the reader puts in the one that holds it."""
    named = [shlex.quote(str(path)) for path in logs] if len(logs) <= _MOST_NAMED else ["LOG"]
    chosen = [f"--format {shlex.quote(format_name)}"] if format_name else []

    def command(session: str, message: int) -> str:
        words = ["foldproof sessions cut", *named, *chosen, f"--session {shlex.quote(session)}", f"--turn {message}"]
        return " ".join(words)

    return command
