"""Labelling a corpus: the sitting is opened, each label is saved at once, and what others answered is taken in."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal

from foldproof.cases import shown
from foldproof.cases.faults import Fault, quoted
from foldproof.cases.nodes import read_bytes, read_text
from foldproof.cases.writing import write_atomically
from foldproof.cliff import (
    Document,
    LabelAgreement,
    Labels,
    Question,
    Sitting,
    agreements,
    join_labels,
    lines_of,
    load_labels,
    open_questions,
    read_corpus,
    save_labels,
    second_questions,
    unsettled_questions,
)
from foldproof.cliff.label_wire import line_class_of
from foldproof.core import FileError, NothingSelectedError, Problem, UsageError

Purpose = Literal["first", "second", "settle"]
"""What a sitting is for: lines that nobody labelled, a second opinion, or to decide where labellers differ."""
_ANSWER = '{"document": "…", "sha256": "…", "class": "safety"}'


@dataclass(frozen=True, slots=True)
class LabelWork:
    """What is to be labelled: which corpus, into which file, by whom, and how many lines (0: all of them)."""

    corpus: Path
    file: Path
    labeller: str
    purpose: Purpose = "first"
    most: int = 0
    documents: tuple[str, ...] = ()


class LabelFile:
    """A labels file that is written after each label, and never over what somebody else wrote meanwhile."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._seen = self._now()

    def load(self) -> Labels:
        """Its labels; none where there is no file yet.

        Raises:
            FileError: as `load_labels`.
        """
        return load_labels(self.path) if self._seen is not None else Labels((), file=shown(self.path))

    def save(self, labels: Labels) -> None:
        """Write the labels; a file without any is taken away.

        Raises:
            UsageError: where it was changed meanwhile, or cannot be written.
        """
        if self._now() != self._seen:
            raise UsageError(
                f"{shown(self.path)} was changed by somebody else meanwhile; the last label is not in it\n"
                "  run the same command again: it goes on from what the file holds now"
            )
        if labels.labels:
            save_labels(self.path, labels)
        else:
            self.path.unlink(missing_ok=True)
        self._seen = self._now()

    def _now(self) -> bytes | None:
        return read_bytes(self.path) if self.path.exists() else None


def open_sitting(work: LabelWork, file: LabelFile) -> Sitting:
    """The lines that are to be labelled now. Every label of the file must still have its line.

    Raises:
        FileError: for a corpus that cannot be read, and for labels whose lines are gone.
        NothingSelectedError: where nothing is left to be labelled.
    """
    labels = file.load()
    documents = _documents(work, labels)
    join_labels(labels, documents)
    asked = [one for one in documents if not work.documents or one.name in work.documents]
    if work.purpose == "second":
        questions = second_questions(labels, asked, labeller=work.labeller, most=work.most)
    elif work.purpose == "settle":
        questions = unsettled_questions(labels, asked)
    else:
        questions = open_questions(labels, asked, most=work.most)
    if not questions:
        raise NothingSelectedError(f"{shown(work.file)}: {_NOTHING[work.purpose].format(work.labeller)}")
    return Sitting(labels, questions, work.labeller, settling=work.purpose == "settle")


_NOTHING: Mapping[Purpose, str] = {
    "first": "every line of the corpus that may state something is labelled\n  a second opinion: --second",
    "second": "no line is left that others have labelled and '{}' has not\n  see how far you agree: --agreement",
    "settle": "labellers differ on no line that is not settled\n  see how far they agree: --agreement",
}


def _documents(work: LabelWork, labels: Labels) -> tuple[Document, ...]:
    """The documents that are asked about and those that are labelled."""
    wanted = {*labels.documents, *work.documents}
    if work.purpose != "first" or work.documents:
        found = read_corpus(work.corpus, only=wanted)
    else:
        found = read_corpus(work.corpus)
        if hidden := wanted - {one.name for one in found}:
            found = tuple(sorted((*found, *_if_there(work.corpus, hidden)), key=lambda one: one.name))
    if gone := set(work.documents) - {one.name for one in found}:
        raise UsageError(
            f"{shown(work.corpus)}: there is no document '{min(gone)}'\n  name it as its path in the folder"
        )
    return found


def _if_there(corpus: Path, names: set[str]) -> tuple[Document, ...]:
    try:
        return read_corpus(corpus, only=names)
    except NothingSelectedError:
        return ()


def questions_text(sitting: Sitting) -> str:
    """What is asked, one JSON object a line, to be labelled elsewhere. It holds text of the corpus, and no label."""
    rows = (
        {
            "document": question.line.document,
            "sha256": question.line.sha256,
            "number": question.line.number,
            "place": question.line.place,
            "heading": question.heading,
            "before": [line.text for line in question.before],
            "text": question.line.text,
            "after": [line.text for line in question.after],
        }
        for question in sitting.questions
    )
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)


def write_questions(path: Path, sitting: Sitting) -> None:
    """Write what is asked into a file.

    Raises:
        UsageError: where it cannot be written.
    """
    write_atomically(path, questions_text(sitting).encode("utf-8", "backslashreplace"))


def take_answers(path: Path, sitting: Sitting) -> None:
    """Label the lines of a sitting from a file of answers, one JSON object a line; what is not answered is skipped.

    Raises:
        FileError: with every answer that is none, names no line that is asked, or contradicts another.
    """
    reader = _Answers(shown(path), {question.at: question for question in sitting.questions})
    for number, line in enumerate(read_text(path).split("\n"), 1):
        if line.strip():
            reader.take(number, line)
    if not reader.found and not reader.problems:
        reader.wrong(0, "the file holds no answer", f"one a line: {_ANSWER}")
    if reader.problems:
        raise FileError(reader.problems)
    sitting.answer(reader.found)


class _Answers:
    def __init__(self, file: str, asked: Mapping[tuple[str, str, int], Question]) -> None:
        self.file = file
        self.asked = asked
        self.found: dict[tuple[str, str, int], str] = {}
        self.problems: list[Problem] = []

    def wrong(self, line: int, message: str, hint: str) -> None:
        self.problems.append(Problem(self.file, line, message, hint, rule="labels"))

    def take(self, number: int, line: str) -> None:
        """One answer; the first thing that is wrong with it is told."""
        try:
            row: Any = json.loads(line)
        except (ValueError, RecursionError):
            row = None
        texts = isinstance(row, dict) and all(isinstance(row.get(key), str) for key in ("document", "sha256", "class"))
        if not texts or not isinstance(row.get("number", 1), int):
            self.wrong(number, "the line is no answer", f"one a line: {_ANSWER}")
            return
        at = row["document"], row["sha256"], row.get("number", 1)
        try:
            cls = line_class_of(row["class"])
        except Fault as fault:
            self.wrong(number, f"the class {fault}", fault.hint)
            return
        if at not in self.asked:
            told = f"nobody asked for {quoted(row['sha256'][:12])} of {quoted(row['document'])}"
            self.wrong(number, told, "answer the lines that --questions wrote, each once, for the same labeller")
        elif self.found.setdefault(at, cls) != cls:
            self.wrong(number, f"the line is '{cls}' here and '{self.found[at]}' above", "decide on one of the two")


@dataclass(frozen=True, slots=True)
class AgreementReport:
    """How far labellers agree, with place and text of the lines that both labelled."""

    labels: Labels
    found: tuple[LabelAgreement, ...]
    lines: Mapping[tuple[str, str, int], tuple[int, str]]


def measure_agreement(corpus: Path, file: Path) -> AgreementReport:
    """How far those who labelled the same lines of a corpus agree.

    Raises:
        FileError: for files that cannot be read, and for labels whose lines are gone.
        NothingSelectedError: where no line was labelled twice.
    """
    labels = load_labels(file)
    found = agreements(labels)
    if not found:
        raise NothingSelectedError(
            f"{shown(file)}: no line was labelled by two\n  a second opinion: foldproof label … --second"
        )
    documents = read_corpus(corpus, only=labels.documents)
    join_labels(labels, documents)
    lines = {
        (line.document, line.sha256, line.number): (line.place, line.text)
        for one in documents
        for line in lines_of(one)
    }
    return AgreementReport(replace(labels, file=shown(file)), found, lines)
