"""What several commands share: their options, opening the workspace, progress, and where a report goes."""

from __future__ import annotations

import contextlib
import gc
import os
import shlex
import shutil
import sys
import time
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, TypeVar

import click
from pydantic import BaseModel

from foldproof.core import ExitCode, UsageError
from foldproof.report import json_text
from foldproof.workflow import ConfirmationNeededError, Options, Progress, Workspace, open_workspace

F = TypeVar("F", bound=Callable[..., Any])
T = TypeVar("T")
EXIT_CODES = {"pass": ExitCode.PASS, "blocked": ExitCode.BLOCKED, "inconclusive": ExitCode.INCONCLUSIVE}
_PLAIN_PROGRESS_EVERY_S = 10.0


def project_options(command: F) -> F:
    """`--project`, `--set` and `--json`, handed over under these names."""
    for option in (
        click.option("--json", "as_json", is_flag=True, help="Print one machine-readable document."),
        click.option(
            "--set", "set_path", type=click.Path(path_type=Path), help="Use this replay set instead of the project's."
        ),
        click.option(
            "--project",
            "project_path",
            type=click.Path(path_type=Path),
            help="The project's foldproof.yaml or its folder; by default it is looked for upwards from here.",
        ),
    ):
        command = option(command)
    return command


def asking_options(command: F) -> F:
    """The options of every command that calls an agent; they arrive as keyword arguments of `asked_for`."""
    for option in (
        click.option("--only", multiple=True, metavar="CLASS|ID", help="Ask only these; may be repeated."),
        click.option("--repeat", "repeats", type=click.IntRange(1, 1000), help="Trials a case."),
        click.option("-j", "--jobs", "concurrency", type=click.IntRange(1, 1000), help="Questions in flight."),
        click.option("--max-cost", "max_cost_usd", type=click.FloatRange(0), help="Stop at this cost (US dollars)."),
        click.option("--fresh", is_flag=True, help="Start anew, also where an interrupted run could go on."),
        click.option("--yes", is_flag=True, help="Agree to what would be asked."),
    ):
        command = option(command)
    return command


@contextmanager
def workspace(project_path: Path | None, set_path: Path | None) -> Iterator[Workspace]:
    """The project that a command works on."""
    start = project_path or Path.cwd()
    if project_path is not None and not project_path.exists():
        raise UsageError(
            f"{project_path}: no such file or folder\n  name a foldproof.yaml, or the folder that holds one"
        )
    with open_workspace(start, replay_set=set_path) as opened:
        yield opened


def ask_agents(work: Callable[..., Awaitable[T]], opened: Any, what: Any, options: Options) -> T:  # noqa: ANN401
    """Do work that calls agents; where it needs a person's yes and one is there, ask once.

    What a Python agent prints goes to the error stream, so that it cannot end up inside a report.
    """
    import anyio

    gc.freeze()
    gc.enable()
    with contextlib.redirect_stdout(sys.stderr):
        try:
            return anyio.run(work, opened, what, options)
        except ConfirmationNeededError as question:
            if not sys.stdin.isatty():
                raise
            click.echo(str(question), err=True)
            click.confirm("Go on?", abort=True, err=True)
            return anyio.run(work, opened, what, replace(options, yes=True))


@dataclass(frozen=True, slots=True)
class Screen:
    """The terminal as it is: its width, and whether colour is wanted."""

    width: int
    colour: bool

    @classmethod
    def current(cls) -> Screen:
        """Measured now; `NO_COLOR` and `FORCE_COLOR` are respected, 100 columns where there is no terminal."""
        colour = sys.stdout.isatty() and os.environ.get("TERM") != "dumb"
        if os.environ.get("FORCE_COLOR"):
            colour = True
        if os.environ.get("NO_COLOR"):
            colour = False
        return cls(shutil.get_terminal_size((100, 24)).columns, colour)


def show(document: BaseModel, render: Callable[..., str], *, as_json: bool, **options: Any) -> None:  # noqa: ANN401
    """Print a document: as JSON, or rendered for the screen."""
    if as_json:
        click.echo(json_text(document))
    else:
        screen = Screen.current()
        click.echo(render(document, width=screen.width, colour=screen.colour, **options).rstrip("\n"))


def set_flag(set_path: Path | None) -> str:
    """The option that a suggested command needs where the set was named on the command line."""
    return f"--set {shlex.quote(str(set_path))}" if set_path else ""


def check_places(*places: Path | None) -> None:
    """Refuse places for reports that cannot be written, before anything is asked.

    Raises:
        UsageError: for a folder, or a place under a file.
    """
    for place in filter(None, places):
        parents = [parent for parent in place.absolute().parents if parent.exists()]
        if place.is_dir() or (parents and not parents[0].is_dir()):
            raise UsageError(f"{place}: a report cannot be written there\n  name a file in a folder")


def write_file(path: Path, text: str) -> None:
    """Write a report that was asked for.

    Raises:
        UsageError: where the place cannot be written.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8", errors="backslashreplace")
    except OSError as error:
        raise UsageError(f"{path}: cannot be written: {error.strerror}") from error


def step_summary(markdown: str) -> None:
    """Append to the summary of a GitHub job, where one is running; a summary that fails costs nobody the verdict."""
    if place := os.environ.get("GITHUB_STEP_SUMMARY"):
        try:
            with Path(place).open("a", encoding="utf-8", errors="backslashreplace") as file:
                file.write(markdown + "\n")
        except OSError as error:
            click.echo(f"the job summary cannot be written: {error}", err=True)


@contextmanager
def progress(*, quiet: bool) -> Iterator[Callable[[Progress], None]]:
    """A listener that shows how far a run is, on the error stream: a bar on a terminal, else a line now and then."""
    if quiet:
        yield lambda _: None
    elif sys.stderr.isatty():
        yield from _bar()
    else:
        yield _Lines()


def _bar() -> Iterator[Callable[[Progress], None]]:
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeRemainingColumn
    from rich.progress import Progress as Bars

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Bars(*columns, console=Console(stderr=True), transient=True) as bars:
        tasks: dict[str, Any] = {}

        def listen(step: Progress) -> None:
            if step.done == 0 or step.label not in tasks:
                tasks[step.label] = bars.add_task(step.label, total=step.total)
            errors = f" ({step.errors} errors)" if step.errors else ""
            bars.update(tasks[step.label], completed=step.done, total=step.total, description=step.label + errors)

        yield listen


class _Lines:
    """Progress for a log file: a line every ten seconds, none for a run that is over sooner."""

    def __init__(self) -> None:
        self._last = time.monotonic()

    def __call__(self, step: Progress) -> None:
        if time.monotonic() - self._last >= _PLAIN_PROGRESS_EVERY_S:
            self._last = time.monotonic()
            done = f"{step.done}" if step.total is None else f"{step.done} of {step.total}"
            click.echo(f"{step.label}: {done} done, {step.errors} errors", err=True)
