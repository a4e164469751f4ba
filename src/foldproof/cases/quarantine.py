"""Lists of wrong keys: which questions of a benchmark are disputed, and what somebody says is right instead."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from foldproof.cases.nodes import shown
from foldproof.core import FileError, Problem
from foldproof.logs.benchmarks import answer_text

_HINT = (
    'write a list of {"question_id": …, "error_type": …} with, by choice, `question`, `correct_answer`, '
    "`correct_evidence`"
)
_CITATION = "wrong-citation"
_OPEN = "ambiguous"


@dataclass(frozen=True, slots=True)
class Dispute:
    """What is said of one question's key: in which way it is wrong, and what is right.

    `question` is the question that the list means, empty where it does not tell. `answer` and `evidence` are what is
    right instead, empty where nothing is proposed; `evidence` is as the data cites turns.
    """

    why: str
    question: str = ""
    answer: str = ""
    evidence: tuple[str, ...] = ()

    @property
    def source_only(self) -> bool:
        """Whether the answer is right and only the turns are wrong that are named for it."""
        return self.why == _CITATION

    @property
    def settled(self) -> bool:
        """Whether what is proposed can take the key's place; what can be read in two ways stays open."""
        return self.why != _OPEN and bool(self.evidence if self.source_only else self.answer)


@dataclass(frozen=True, slots=True)
class Quarantine:
    """The disputes by question id, and the SHA-256 of the list, since lists differ as data does."""

    disputes: Mapping[str, Dispute]
    sha256: str = ""


def read_quarantine(path: Path) -> Quarantine:
    """The list of a JSON file: a list of mappings, each with the `question_id` (or `id`) that it is about.

    `error_type` (or `why`) says what is wrong: `WRONG_CITATION` means that the answer is right. `correct_answer` and
    `correct_evidence` are corrections; `question` guards against a list that numbers its questions otherwise. Other
    fields are left alone.

    Raises:
        FileError: with all that is wrong with the list.
    """
    try:
        raw = path.read_bytes()
        value = json.loads(raw.decode("utf-8-sig"))
    except OSError as error:
        raise _failed(path, f"the file cannot be read: {error.strerror}") from None
    except (ValueError, RecursionError) as error:
        raise _failed(path, f"the list cannot be read as JSON: {error}", getattr(error, "lineno", 0)) from None
    if not isinstance(value, list):
        raise _failed(path, "the file is no list")
    disputes: dict[str, Dispute] = {}
    problems: list[Problem] = []
    for number, item in enumerate(value, 1):
        try:
            name, dispute = _entry(item)
        except (TypeError, ValueError) as error:
            problems.append(_problem(path, f"entry {number}: {error}"))
            continue
        if disputes.setdefault(name, dispute) is not dispute:
            problems.append(_problem(path, f"entry {number}: the question '{name}' stands twice"))
    if problems:
        raise FileError(problems)
    return Quarantine(disputes, hashlib.sha256(raw).hexdigest())


def _entry(item: Any) -> tuple[str, Dispute]:  # noqa: ANN401  # any JSON value
    if not isinstance(item, dict):
        raise TypeError("it is no mapping")
    name = item.get("question_id", item.get("id"))
    if not isinstance(name, str) or not name:
        raise ValueError("it has no `question_id`")
    told = item.get("error_type") or item.get("why") or ""
    if not isinstance(told, str):
        raise TypeError("its `error_type` is no text")
    why = re.sub(r"[^a-z0-9]+", "-", told.lower()).strip("-")
    evidence = item.get("correct_evidence") or []
    if not isinstance(evidence, list) or not all(isinstance(part, str) for part in evidence):
        raise ValueError("its `correct_evidence` is no list of texts")
    question = item.get("question") or ""
    if not isinstance(question, str):
        raise TypeError("its `question` is no text")
    return name, Dispute(why or "wrong", question, _answer(item.get("correct_answer")), tuple(evidence))


def _answer(value: object) -> str:
    if value is None or (isinstance(value, str) and not value.strip()):
        return ""
    return answer_text(value)


def _problem(path: Path, message: str, line: int = 0) -> Problem:
    return Problem(shown(path), line, message, _HINT, rule="quarantine")


def _failed(path: Path, message: str, line: int = 0) -> FileError:
    return FileError([_problem(path, message, line)])
