"""Errors that a person can act on, and the exit codes that are an API."""

from __future__ import annotations

from collections.abc import Iterable
from enum import IntEnum
from typing import Literal, NamedTuple

_LISTED = 12


class ExitCode(IntEnum):
    """What the process answers with, the same for every command."""

    PASS = 0
    """Everything that was asked for holds."""
    BLOCKED = 1
    """The gate failed: the change must not ship."""
    INTERRUPTED = 2
    """Stopped by a signal; a rerun resumes."""
    INTERNAL = 3
    """A bug in foldproof."""
    USAGE = 4
    """A wrong call, or a file that cannot be used."""
    NOTHING = 5
    """Nothing was selected, so nothing was shown."""
    INCONCLUSIVE = 7
    """The run does not allow a verdict."""


class FoldproofError(Exception):
    """The family of every error raised on purpose; its text is written for the person at the terminal."""

    exit_code: ExitCode = ExitCode.INTERNAL


class UsageError(FoldproofError):
    """The call cannot be carried out as it stands."""

    exit_code = ExitCode.USAGE


class MissingExtraError(UsageError):
    """An optional part is asked for whose package is not installed."""

    def __init__(self, what: str, package: str, extra: str) -> None:
        super().__init__(
            f'{what} needs the package `{package}`, which is not installed\n  run: pip install "foldproof[{extra}]"'
        )


class NothingSelectedError(FoldproofError):
    """A selection left no case: an empty run would look like a pass."""

    exit_code = ExitCode.NOTHING


class Problem(NamedTuple):
    """One thing that is wrong with a file, at its place.

    `line` counts from 1; 0 means the file as a whole. `hint` says what is allowed and what to do now.
    """

    file: str
    line: int
    message: str
    hint: str = ""
    severity: Literal["error", "warning"] = "error"
    rule: str = ""

    @property
    def place(self) -> str:
        """Where: `file:line`, or the file alone."""
        return f"{self.file}:{self.line}" if self.line else self.file

    def __str__(self) -> str:
        hint = "".join(f"\n  {part}" for part in self.hint.splitlines())
        return f"{self.place}: {self.message}{hint}"


class FileError(UsageError):
    """A file that cannot be used, with all its problems at once, sorted by place."""

    def __init__(self, problems: Iterable[Problem]) -> None:
        self.problems: tuple[Problem, ...] = tuple(sorted(problems))
        super().__init__("\n".join(str(problem) for problem in self.problems))


def first_of(failures: BaseException) -> BaseException:
    """The one exception that a person should see: a task group wraps even a single one."""
    while isinstance(failures, BaseExceptionGroup):
        failures = failures.exceptions[0]
    return failures


def nearest_of(value: str, allowed: Iterable[str]) -> str:
    """A sentence that helps a person who mistyped: the nearest allowed name, else all of them."""
    import difflib  # only needed once something was mistyped

    names = sorted(allowed)
    close = difflib.get_close_matches(value, names, n=1, cutoff=0.6)
    if close:
        return f"did you mean `{close[0]}`?"
    listed = [f"`{name}`" for name in names[:_LISTED]]
    more = [f"{len(names) - _LISTED} more"] if len(names) > _LISTED else []
    return f"allowed: {', '.join([*listed, *more])}" if names else "none is known"
