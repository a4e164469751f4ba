"""Labelled answers: what a person said of answers, to measure a judge by. JSON lines, or CSV with a header."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from io import StringIO
from pathlib import Path
from typing import Any, Literal

from foldproof.cases.nodes import read_text, shown
from foldproof.core import FileError, Problem, nearest_of

Label = Literal["met", "not met"]
_KEYS = ("question", "fact", "answer", "label")
_NEEDED = ("fact", "answer", "label")
_SHAPE = '{"question": "…", "fact": "…", "answer": "…", "label": "met"}'
_LABELS: Mapping[str, Label] = {"met": "met", "not met": "not met"}


@dataclass(frozen=True, slots=True)
class Labelled:
    """An answer, and whether it states a fact, as a person sees it."""

    question: str
    fact: str
    answer: str
    label: Label


def read_labels(path: Path) -> tuple[Labelled, ...]:
    """The labelled answers of a file, in its order; `.csv` has a header, any other file one JSON object a line.

    Raises:
        FileError: with everything that is wrong with the file, contradicting labels among it.
    """
    text = read_text(path)
    reader = _Reader(shown(path))
    for line, row in _rows_of_csv(text, reader) if path.suffix.lower() == ".csv" else _rows_of_lines(text, reader):
        reader.take(line, row)
    if not reader.found and not reader.problems:
        reader.wrong(0, "the file holds no labelled answer", f"write at least one a line: {_SHAPE}")
    if reader.problems:
        raise FileError(reader.problems)
    return tuple(reader.found)


class _Reader:
    def __init__(self, file: str) -> None:
        self.file = file
        self.found: list[Labelled] = []
        self.problems: list[Problem] = []
        self._lines: dict[tuple[str, str, str], tuple[int, Label]] = {}

    def wrong(self, line: int, message: str, hint: str) -> None:
        self.problems.append(Problem(self.file, line, message, hint, rule="labels"))

    def take(self, line: int, row: Any) -> None:  # noqa: ANN401  # any JSON value
        """One row; each thing that is wrong with it is told."""
        if not isinstance(row, dict):
            self.wrong(line, "a labelled answer must be an object", f"one a line: {_SHAPE}")
            return
        problems = len(self.problems)
        for key in row:
            if key not in _KEYS:
                self.wrong(line, f"unknown field `{key}`", nearest_of(str(key), _KEYS))
        for key in _NEEDED:
            if key not in row or row[key] is None or (isinstance(row[key], str) and not row[key].strip()):
                self.wrong(line, f"there is no `{key}`", f"write it: {_SHAPE}")
        for key in _KEYS:
            if row.get(key) is not None and not isinstance(row[key], str):
                self.wrong(line, f"`{key}` is {json.dumps(row[key])}, where a text is expected", "put it in quotes")
        if len(self.problems) == problems:
            self._keep(line, {key: row.get(key) or "" for key in _KEYS})

    def _keep(self, line: int, row: Mapping[str, str]) -> None:
        label = _LABELS.get(" ".join(row["label"].replace("_", " ").split()).lower())
        if label is None:
            self.wrong(line, f"the label is '{row['label']}'", nearest_of(row["label"], _LABELS))
            return
        same = (row["question"], row["fact"], row["answer"])
        first = self._lines.setdefault(same, (line, label))
        if first[1] != label:
            told = f"the answer is labelled '{label}' here and '{first[1]}' in line {first[0]}"
            self.wrong(line, told, "decide on one of the two")
        elif first[0] != line:
            self.wrong(line, f"the answer stands in line {first[0]} already", "take one out: it would count twice")
        else:
            self.found.append(Labelled(*same, label))


def _rows_of_lines(text: str, reader: _Reader) -> Iterator[tuple[int, Any]]:
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip():
            continue
        try:
            yield number, json.loads(line)
        except json.JSONDecodeError as error:
            reader.wrong(number, f"the line is no JSON: {error.msg} at column {error.colno}", f"one a line: {_SHAPE}")
        except (ValueError, RecursionError) as error:  # a number of thousands of digits, brackets without end
            reader.wrong(number, f"the line is no JSON: {type(error).__name__}", f"one a line: {_SHAPE}")


def _rows_of_csv(text: str, reader: _Reader) -> Iterator[tuple[int, Any]]:
    rows = csv.reader(StringIO(text.removeprefix("\ufeff"), newline=""), strict=True)
    try:
        header = [name.strip() for name in next(rows, [])]
        if missing := [key for key in _NEEDED if key not in header]:
            reader.wrong(1, f"the header has no `{missing[0]}`", "write: question,fact,answer,label")
            return
        if twice := [name for place, name in enumerate(header) if name in header[:place]]:
            reader.wrong(1, f"the header has `{twice[0]}` twice", "take one out: one of the two would be left unread")
            return
        for row in rows:
            if len(row) > len(header):
                reader.wrong(
                    rows.line_num, f"the row has {len(row)} cells, and the header {len(header)}", "quote texts"
                )
            elif row:
                yield rows.line_num, dict(zip(header, row, strict=False))
    except csv.Error as error:
        reader.wrong(rows.line_num, f"the row cannot be read: {error}", "close the quotes; double one within a text")
