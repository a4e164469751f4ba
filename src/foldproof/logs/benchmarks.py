"""What published benchmarks of memory have in common: questions over past sessions, from a file that may be broken."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from math import isfinite
from pathlib import Path

from foldproof.core import FileError, Problem
from foldproof.logs.talk import Session


@dataclass(frozen=True, slots=True)
class Question:
    """One question of a benchmark.

    `sessions` are its past, oldest first, named `s1`, `s2`, … so that no id says where the answer is; empty
    where all questions share one. `history` is the name of a past that several questions share, empty where it is its
    own. `evidence` names the turns that hold the answer, as (session, turn from 1).
    `answer` is empty where the right answer is to know nothing; `wrong` is what such a question is made to bait.
    `places` maps the names that the data has for turns to theirs, where it has such names.
    """

    id: str
    kind: str
    text: str
    at: str
    answer: str
    abstain: bool
    sessions: tuple[Session, ...] = ()
    evidence: tuple[tuple[str, int], ...] = ()
    notes: tuple[str, ...] = ()
    history: str = ""
    wrong: str = ""
    places: Mapping[str, tuple[str, int]] = field(default_factory=dict, repr=False)


@dataclass(slots=True)
class Benchmark:
    """One reading of the files. `questions` is read once; problems grow while it is read.

    A question that cannot be read is a problem, never the end of the reading.
    """

    questions: Iterator[Question]
    sha256: str
    shared: tuple[Session, ...] = ()
    problems: list[Problem] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Layout:
    """How the data of a benchmark should look, for the messages about a file that does not: `rule` and `hint`."""

    rule: str
    hint: str

    def problem(self, path: Path, line: int, message: str) -> Problem:
        """What is wrong at a place of a file."""
        return Problem(str(path), line, message, self.hint, rule=self.rule)

    def raw(self, path: Path) -> bytes:
        """The bytes of a file.

        Raises:
            FileError: where it cannot be read.
        """
        try:
            return path.read_bytes()
        except (OSError, ValueError) as error:
            reason = getattr(error, "strerror", None) or str(error)
            raise FileError([self.problem(path, 0, f"the file cannot be read: {reason}")]) from None

    def text(self, raw: bytes, path: Path) -> str:
        """The text of a file's bytes, without a byte order mark.

        Raises:
            FileError: where they are not UTF-8.
        """
        try:
            return raw.decode("utf-8-sig")
        except UnicodeDecodeError as error:
            line = raw.count(b"\n", 0, error.start) + 1
            raise FileError([self.problem(path, line, f"the file is not UTF-8 at offset {error.start}")]) from None


def data_hash(*parts: bytes) -> str:
    """The SHA-256 of the data: of its files, one after the other."""
    return hashlib.sha256(b"".join(parts)).hexdigest()


def said(value: object, *, empty: bool = False) -> str:
    """A text of the data, with half characters replaced.

    Raises:
        ValueError: where it is no text, or blank without being allowed to be.
    """
    if not isinstance(value, str) or not (value.strip() or empty):
        told = "nothing but blanks" if isinstance(value, str) else type(value).__name__
        raise ValueError(f"it has {told} where a text is expected")
    return value.encode("utf-8", "replace").decode()


def answer_text(value: object) -> str:
    """An answer as text; the published data has numbers too.

    Raises:
        TypeError: for anything else.
        ValueError: where it is blank, or no finite number.
    """
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        raise TypeError(f"its answer is of type {type(value).__name__}")
    if isinstance(value, float) and not isfinite(value):
        raise ValueError(f"its answer is {value}, which is no number")
    return said(str(value))
