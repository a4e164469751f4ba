"""A corpus: documents by name, and the lines by which labels know them. No text of it is stored anywhere else."""

from __future__ import annotations

import hashlib
import json
import os
import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from pathlib import Path

from foldproof.cases.nodes import read_text, shown
from foldproof.core import FileError, NothingSelectedError, Problem, nearest_of
from foldproof.matching import fold_blanks

_BREAK = re.compile(r"\r\n|\r|\n")
_SHAPE = '{"document": "…", "text": "…"}'
_LINES = frozenset({".jsonl", ".ndjson"})
TEXTS = frozenset({"", ".adoc", ".markdown", ".md", ".mdc", ".mdx", ".org", ".rst", ".text", ".txt"})
"""How the name of a text may end: of a folder nothing else is read, unless it is asked for by name."""


@dataclass(frozen=True, slots=True)
class Document:
    """One text of a corpus. `name` is its path below the corpus's folder, with `/`, or its name in the JSONL file."""

    name: str
    text: str


@dataclass(frozen=True, slots=True)
class Line:
    """One line of a document that is not blank: its place from 1, the hash that labels know it by, and its number.

    `number` counts the lines of the document with the same hash, from 1: a second equal line has 2.
    """

    document: str
    place: int
    text: str
    sha256: str
    number: int


def line_hash(text: str) -> str:
    """SHA-256 of a line, 64 hex digits: NFC, each run of white space one blank, none at the ends, as UTF-8.

    A line that was indented or wrapped in blanks keeps its hash; any other change gives another.
    """
    return hashlib.sha256(fold_blanks(text).strip().encode("utf-8", "surrogatepass")).hexdigest()


def lines_of(document: Document) -> tuple[Line, ...]:
    """The lines of a document that are not blank, in order. Only CR, LF and both together break a line."""
    seen: dict[str, int] = {}
    found = []
    for place, text in enumerate(_BREAK.split(document.text), 1):
        if text.strip():
            sha256 = line_hash(text)
            seen[sha256] = seen.get(sha256, 0) + 1
            found.append(Line(document.name, place, text, sha256, seen[sha256]))
    return tuple(found)


def read_corpus(place: Path, *, only: Collection[str] | None = None) -> tuple[Document, ...]:
    """The documents of a folder of text files, of a JSONL file, or the one of any other file; sorted by name.

    `only` names the documents that are wanted: the rest of a folder is not read. What is hidden (its name or a folder
    of it starts with a dot) and what has no name of a text (`TEXTS`) is read only where `only` names it. A name in
    `only` that the corpus does not have is left out: it is for the caller to say what it needed it for.

    Raises:
        FileError: with every file that cannot be read or is no UTF-8, and every line that is no document.
        NothingSelectedError: where no document is left.
    """
    if place.is_dir():
        found = _of_folder(place, only)
    elif place.suffix.lower() in _LINES:
        found = [one for one in _of_lines(place) if only is None or one.name in only]
    else:
        found = [Document(place.name, read_text(place))]
    if not found and only:
        named = ", ".join(f"'{name}'" for name in sorted(only)[:3])
        raise NothingSelectedError(
            f"{shown(place)}: none of the documents that are wanted is there: {named}\n"
            "  name the corpus that they are of"
        )
    if not found:
        raise NothingSelectedError(
            f"{shown(place)}: the corpus holds no document\n"
            f"  name a text, a folder with texts ({' '.join(sorted(filter(None, TEXTS)))}), or JSON lines"
        )
    return tuple(sorted(found, key=lambda one: one.name))


def _of_folder(folder: Path, only: Collection[str] | None) -> list[Document]:
    names = list(_names_in(folder)) if only is None else [name for name in only if _is_below(folder, name)]
    found: list[Document] = []
    problems: list[Problem] = []
    for name in names:
        try:
            found.append(Document(name, read_text(folder / name)))
        except FileError as error:
            problems += error.problems
    if problems:
        raise FileError(problems)
    return found


def _names_in(folder: Path) -> Iterator[str]:
    for root, folders, files in os.walk(folder):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        for name in sorted(files):
            if not name.startswith(".") and Path(name).suffix.lower() in TEXTS:
                yield (Path(root) / name).relative_to(folder).as_posix()


def _is_below(folder: Path, name: str) -> bool:
    """Whether a name stands for a file in the folder: a labels file must not make a file elsewhere readable."""
    place = folder / name
    return place.is_file() and place.resolve().is_relative_to(folder.resolve())


def _of_lines(path: Path) -> list[Document]:
    found: dict[str, Document] = {}
    problems = []
    for number, line in enumerate(read_text(path).split("\n"), 1):
        if not line.strip():
            continue
        try:
            row = json.loads(line)
        except (ValueError, RecursionError):
            row = None
        if not isinstance(row, dict) or not all(isinstance(row.get(key), str) for key in ("document", "text")):
            problems.append(Problem(shown(path), number, "the line is no document", f"one a line: {_SHAPE}"))
        elif not row["document"].strip():
            problems.append(Problem(shown(path), number, "the document has no name", f"write one: {_SHAPE}"))
        elif row["document"] in found:
            told = f"document '{row['document']}' stands here a second time"
            problems.append(Problem(shown(path), number, told, "give each document a name of its own"))
        else:
            found[row["document"]] = Document(row["document"], row["text"])
    if problems:
        raise FileError(problems)
    return list(found.values())


def nearest_document(name: str, documents: Collection[Document]) -> str:
    """A sentence that helps where a document is not in the corpus."""
    return nearest_of(name, [one.name for one in documents])
