"""`sessions grade`: did each session meet its user's goal, and where did the others turn?"""

from __future__ import annotations

import shlex
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import click

from foldproof.cli.shared import (
    EXIT_CODES,
    check_places,
    progress,
    project_options,
    set_flag,
    show,
    step_summary,
    workspace,
    write_file,
)
from foldproof.core import ExitCode, UsageError
from foldproof.report import grade_document, markdown_grades, render_grades
from foldproof.workflow import GradeOptions, GradeReport, grade_logs, grade_sessions, sessions_of_run

_MOST_NAMED = 3
Cut = Callable[[str, int], str]
"""The command that cuts a session, by its id, at a message of its user."""


@click.command(short_help="Which sessions met their user's goal, and where the others turned.")
@click.argument("logs", nargs=-1, type=click.Path(path_type=Path))
@click.option("--format", "format_name", default="", metavar="NAME", help="The format; by default it is found out.")
@click.option(
    "--run", "run_name", default="", metavar="RUN", help="The sessions of a run of this project, not of logs."
)
@click.option("--judge", default="", metavar="MODEL", help="The model that judges; its address as the project says.")
@click.option("--judge-url", default="", metavar="URL", help="Where the judge is, in place of the project's.")
@click.option(
    "--outcome", default="", metavar="NAME", help="Take this label of the log as the verdict; of a run: `verdict`."
)
@click.option("--need", type=click.IntRange(1), metavar="N", help="Pass where so many sessions met their goal.")
@project_options
@click.option("--details", is_flag=True, help="Show every session.")
@click.option("--markdown", type=click.Path(path_type=Path), help="Also write Markdown.")
def grade(
    logs: tuple[Path, ...],
    *,
    need: int | None,
    details: bool,
    markdown: Path | None,
    as_json: bool,
    **named: Any,  # noqa: ANN401  # the fields of _Named, checked there
) -> ExitCode:
    """Grade the sessions of LOGS: first whether the user's goal was met, then where the failed ones diverged.

    The verdict is a judge's, or a label of the log's own; without either there is none, and what is found is first
    aid: the step that the signs in the log blame. Exits 0 where every session has a verdict (with --need: where so
    many met their goal), 1 where --need cannot be reached, 7 where sessions without a verdict leave it open.
    """
    check_places(markdown)
    report, cut = _Named(**named).graded(logs, quiet=as_json)
    document = grade_document(
        report.grades,
        format_name=report.format,
        cut=cut,
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


@dataclass(frozen=True, slots=True)
class _Named:
    """Which sessions were named, and who judges them."""

    format_name: str
    run_name: str
    judge: str
    judge_url: str
    outcome: str
    project_path: Path | None
    set_path: Path | None

    def graded(self, logs: tuple[Path, ...], *, quiet: bool) -> tuple[GradeReport, Cut]:
        """The grades, and how a session of them is cut."""
        import anyio

        if bool(logs) == bool(self.run_name):
            raise UsageError("sessions are those of logs, or those of a run\n  name LOGS, or --run RUN")
        start = self.project_path or Path.cwd()
        with progress(quiet=quiet) as listener:
            options = GradeOptions(self.judge, self.judge_url, self.outcome, listener)
            if logs:
                work = partial(grade_logs, logs, options, start=start, format_name=self.format_name)
                return anyio.run(work), self.cut_of_log(logs)
            with workspace(self.project_path, self.set_path) as opened:
                places: dict[str, tuple[str, int]] = {}
                found = []
                for one in sessions_of_run(opened, self.run_name):
                    places[one.session.id] = one.case, one.number
                    found.append(one.session)
                return anyio.run(partial(grade_sessions, found, options, start=start)), self.cut_of_run(places)

    def cut_of_log(self, logs: tuple[Path, ...]) -> Cut:
        """How a session of logs is cut. With many files the reader puts in the one that holds it."""
        named = [shlex.quote(str(path)) for path in logs] if len(logs) <= _MOST_NAMED else ["LOG"]
        chosen = [f"--format {shlex.quote(self.format_name)}"] if self.format_name else []
        begun = " ".join(["foldproof sessions cut", *named, *chosen])
        return lambda session, message: f"{begun} --session {shlex.quote(session)} --turn {message}"

    def cut_of_run(self, places: dict[str, tuple[str, int]]) -> Cut:
        """How a session of a run is cut."""
        flags = " ".join(filter(None, [f"--run {shlex.quote(self.run_name)}", set_flag(self.set_path)]))

        def command(session: str, message: int) -> str:
            case, number = places[session]
            chosen = f" --session {number}" if number else ""
            return f"foldproof sessions cut {flags} --case {shlex.quote(case)}{chosen} --turn {message}"

        return command
