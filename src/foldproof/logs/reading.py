"""Log files as records with their place, one at a time: JSON lines, a JSON list, one JSON document, or a table.

An archive and a database hold records too; `archives` and `checkpoints` read them.
"""

from __future__ import annotations

import codecs
import csv
import json
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from io import BufferedReader, RawIOBase, StringIO
from pathlib import Path
from typing import Any, Literal

from foldproof.core import UsageError
from foldproof.logs.archives import EvalArchive
from foldproof.logs.checkpoints import CheckpointFile
from foldproof.logs.tally import Tally

Shape = Literal["lines", "list", "document", "table", "zip", "sqlite"]
LARGEST = 128 * 2**20
"""Bytes of the largest record that is read: one line, one item of a list, one document."""
_HEAD = 256 * 1024
_CHUNK = 2**20
_BLANK = re.compile(r"[\s,]*")
_SEPARATORS = ",;\t"
_MAGIC = ((b"PK\x03\x04", "zip"), (b"SQLite format 3\x00", "sqlite"))


@dataclass(frozen=True, slots=True)
class Record:
    """One value of a file. `offset` and `length` are bytes, by which it is found again.

    `line` counts from 1, and so does `item`, which is 0 where the file is no list.
    """

    value: Any
    file: int
    line: int
    offset: int
    length: int
    item: int = 0


class LogFile:
    """One file of a log. `chains` is a format's own note of which talk a later record goes on with.

    `stem` names the file in ids; read_logs makes it differ from that of the other files. `takes` says of a line of JSON
    whether it is wanted; the others are not decoded.

    Raises:
        UsageError: where it cannot be opened, is empty, compressed, or no text.
    """

    def __init__(self, path: Path, number: int = 0) -> None:
        self.path, self.number = path, number
        self.stem = path.stem
        self.chains: dict[str, str] = {}
        self.takes: Callable[[bytes], bool] | None = None
        self._held: tuple[int, Any] = (-1, None)
        self._reader: RawIOBase | None = None
        if path.exists() and not path.is_file() and not path.is_dir():
            raise UsageError(f"{path}: this is no file, but a log is read twice\n  save it to a file first")
        with self._open() as file:
            head = file.read(_HEAD)
        self.start = len(codecs.BOM_UTF8) if head.startswith(codecs.BOM_UTF8) else 0
        self.separator = ","
        self.columns: tuple[str, ...] = ()
        self.shape: Shape = self._shape(head, head[self.start :])
        self._container: EvalArchive | CheckpointFile | None = None
        if self.shape in {"zip", "sqlite"}:
            self._container = (EvalArchive if self.shape == "zip" else CheckpointFile)(path, LARGEST)

    @property
    def name(self) -> str:
        """The file as messages name it."""
        return str(self.path)

    def label(self, record: Record) -> str:
        """An id for a record that has none: the file, and the line or the item of the list."""
        return f"{self.stem}:{record.item or record.line}"

    def _open(self) -> BufferedReader:
        try:
            return self.path.open("rb")
        except (OSError, ValueError) as error:
            reason = getattr(error, "strerror", None) or str(error)
            raise UsageError(f"{self.path}: the file cannot be read: {reason}\n  name a log file") from None

    def _shape(self, raw: bytes, head: bytes) -> Shape:
        for magic, shape in _MAGIC:
            if raw.startswith(magic):
                return "zip" if shape == "zip" else "sqlite"
        if raw.startswith((b"\x1f\x8b", b"\x28\xb5\x2f\xfd", b"BZh")):
            raise UsageError(f"{self.path}: the file is compressed\n  unpack it first")
        if raw.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
            raise UsageError(f"{self.path}: the file is UTF-16\n  save it as UTF-8")
        text = head.decode("utf-8", "replace").lstrip()
        if not text:
            raise UsageError(f"{self.path}: the file is empty\n  name a log file")
        if text[0] == "[":
            return "lines" if _whole_lines(text, at_once=2) else "list"
        if text[0] in '{"':
            return "document" if not _whole_lines(text) and ("\n" in text.rstrip() or len(head) < _HEAD) else "lines"
        if _whole_lines(text):
            return "lines"
        return self._table(text)

    def _table(self, text: str) -> Shape:
        first = text.split("\n", 1)[0].rstrip("\r")
        self.separator = max(_SEPARATORS, key=first.count)
        try:
            row = next(csv.reader([first], delimiter=self.separator), [])
        except csv.Error:
            row = []
        self.columns = tuple(cell.strip().lower() for cell in row)
        return "table"

    def records(self, tally: Tally) -> Iterator[Record]:
        """Every record in file order. What cannot be read is counted and named, and never ends the reading."""
        if self._container is not None:
            for number, held in enumerate(self._container.records(tally), start=1):
                yield Record(held.value, self.number, number, held.place, held.length, number)
            return
        readers = {"lines": self._lines, "list": self._items, "document": self._document, "table": self._rows}
        yield from readers[self.shape](tally)

    def _lines(self, tally: Tally) -> Iterator[Record]:
        with self._open() as file:
            offset, number = file.seek(self.start), 0
            while raw := file.readline(LARGEST + 1):
                number += 1
                place, offset = offset, offset + len(raw)
                if len(raw) > LARGEST:
                    tally.wrong(self.name, number, f"the line is longer than {LARGEST >> 20} MiB")
                    offset += _skip_line(file)
                elif raw.strip() and (self.takes is None or self.takes(raw)):
                    try:
                        value = _twice(json.loads(raw.decode()))
                    except (ValueError, RecursionError) as error:
                        tally.wrong(self.name, number, f"the line is no JSON: {_reason(error)}")
                    else:
                        yield Record(value, self.number, number, place, len(raw))

    def _items(self, tally: Tally) -> Iterator[Record]:
        decoder = json.JSONDecoder()
        with self._open() as file:
            file.seek(self.start)
            feed = _Feed(file, self.start)
            feed.skip()
            feed.drop(1)
            number = 0
            while True:
                feed.skip()
                if feed.text[:1] in {"]", ""}:
                    if not feed.text:
                        tally.wrong(self.name, feed.line, "the list is cut off")
                    elif feed.rest():
                        tally.wrong(self.name, feed.line, "something follows the list; it is not read")
                    return
                try:
                    value, end = feed.decode(decoder)
                except (ValueError, RecursionError) as error:
                    told = f"the JSON is broken here, the rest cannot be read: {_reason(error)}"
                    tally.wrong(self.name, feed.line, told)
                    return
                line, place = feed.line, feed.offset
                length = feed.drop(end)
                number += 1
                yield Record(value, self.number, line, place, length, number)

    def _document(self, tally: Tally) -> Iterator[Record]:
        size = self.path.stat().st_size
        if size > LARGEST:
            raise UsageError(
                f"{self.path}: one JSON document of {size >> 20} MiB; up to {LARGEST >> 20} MiB are read at once\n"
                "  write it as JSON lines, or split it"
            )
        with self._open() as file:
            file.seek(self.start)
            raw = file.read()
        try:
            value = json.loads(raw.decode())
        except (ValueError, RecursionError) as error:
            tally.wrong(self.name, getattr(error, "lineno", 1), f"the document is no JSON: {_reason(error)}")
            return
        value = _twice(value)
        self._held = (self.start, value)
        yield Record(value, self.number, 1, self.start, len(raw))

    def _rows(self, tally: Tally) -> Iterator[Record]:
        with self._open() as file:
            file.seek(self.start)
            feed = _Counted(file)
            rows = csv.reader(feed, delimiter=self.separator, strict=True)
            while True:
                place, line = self.start + feed.taken, feed.lines + 1
                try:
                    row = next(rows)
                except StopIteration:
                    return
                except (csv.Error, ValueError) as error:
                    tally.wrong(self.name, line, f"the row cannot be read: {_reason(error)}")
                    continue
                length = self.start + feed.taken - place
                if length > LARGEST:
                    tally.wrong(self.name, line, f"the row is longer than {LARGEST >> 20} MiB")
                elif line > 1 and row:
                    if len(row) == len(self.columns):
                        yield Record(self._row(row), self.number, line, place, length)
                    else:
                        tally.wrong(self.name, line, f"the row has {len(row)} cells, the head has {len(self.columns)}")

    def _row(self, row: list[str]) -> dict[str, str]:
        return dict(zip(self.columns, row, strict=False))

    def again(self, offset: int, length: int) -> Any:  # noqa: ANN401  # any JSON value
        """The value of a record that was given before. The last one is kept, since a document is one record.

        Raises:
            UsageError: where the file is not the same any more.
        """
        if self._held[0] != offset:
            try:
                self._held = (offset, self._read_again(offset, length))
            except (ValueError, StopIteration, csv.Error):
                raise UsageError(f"{self.path}: the file changed while it was read\n  import a copy of it") from None
        return self._held[1]

    def _read_again(self, offset: int, length: int) -> Any:  # noqa: ANN401  # any JSON value
        if self._container is not None:
            return self._container.again(offset)
        if self._reader is None:
            self._reader = self._open().detach()  # without a buffer, which would hide that the file changed
        self._reader.seek(offset)
        return self._value((self._reader.read(length) or b"").decode())

    def close(self) -> None:
        """Let go of the file that `again` keeps open."""
        if self._reader is not None:
            self._reader.close()
            self._reader = None

    def _value(self, text: str) -> Any:  # noqa: ANN401  # any JSON value
        if self.shape != "table":
            return _twice(json.loads(text))
        rows = csv.reader(StringIO(text.replace("\0", ""), newline=""), delimiter=self.separator)
        return self._row(next(rows))


class _Counted:
    """The lines of a table, with how many bytes and lines were taken."""

    def __init__(self, file: BufferedReader) -> None:
        self.file, self.taken, self.lines = file, 0, 0

    def __iter__(self) -> _Counted:
        return self

    def __next__(self) -> str:
        raw = self.file.readline(LARGEST)
        if not raw:
            raise StopIteration
        self.taken += len(raw)
        self.lines += 1
        return raw.decode().replace("\0", "")


class _Feed:
    """The text of a list, as much of it as one item needs, with its place in the file."""

    def __init__(self, file: BufferedReader, offset: int) -> None:
        self._file, self._decoder = file, codecs.getincrementaldecoder("utf-8")("surrogateescape")
        self.text, self.offset, self.line = "", offset, 1

    def more(self) -> bool:
        raw = self._file.read(max(_CHUNK, len(self.text)))
        self.text += self._decoder.decode(raw, final=not raw)
        return bool(raw)

    def skip(self) -> None:
        """Drop what stands between two items."""
        while True:
            blank = _BLANK.match(self.text)
            self.drop(blank.end() if blank else 0)
            if self.text or not self.more():
                return

    def drop(self, length: int) -> int:
        """Leave the beginning behind; the bytes that it took."""
        gone, self.text = self.text[:length], self.text[length:]
        self.line += gone.count("\n")
        taken = len(gone.encode("utf-8", "surrogateescape"))
        self.offset += taken
        return taken

    def rest(self) -> bool:
        """Whether anything but blanks follows the end of the list."""
        return bool(self.text[1:].strip()) or bool(self._file.read(_CHUNK).strip())

    def decode(self, decoder: json.JSONDecoder) -> tuple[Any, int]:
        while True:
            try:
                value, end = decoder.raw_decode(self.text)
            except ValueError:
                if len(self.text) > LARGEST or not self.more():
                    raise
                continue
            if end == len(self.text) and not isinstance(value, dict | list | str) and self.more():
                continue  # a number that goes on
            # A text with bytes that are no UTF-8 is no item to trust.
            self.text[:end].encode("utf-8")
            return value, end


def _skip_line(file: BufferedReader) -> int:
    skipped = 0
    while raw := file.readline(_CHUNK):
        skipped += len(raw)
        if raw.endswith(b"\n"):
            break
    return skipped


def _whole_lines(text: str, at_once: int = 1) -> bool:
    """Whether lines are JSON values of their own: `at_once` of them, and one is an object that starts its line."""
    whole, objects = 0, 0
    for line in text.split("\n")[:200]:
        if line[:1] not in "{[" or not line.strip():
            continue
        try:
            value = json.loads(line)
        except (ValueError, RecursionError):
            continue
        whole += 1
        objects += isinstance(value, dict) and bool(value)
    return whole >= at_once and objects >= 1


def _twice(value: Any) -> Any:  # noqa: ANN401  # any JSON value
    """A document that is the JSON text of a document, as some exporters write it, is decoded again."""
    if isinstance(value, str) and value.lstrip()[:1] in {"{", "["}:
        try:
            return json.loads(value)
        except (ValueError, RecursionError):
            return value
    return value


def _reason(error: Exception) -> str:
    """What is wrong, without a word of the line itself, which may hold a secret."""
    if isinstance(error, json.JSONDecodeError):
        return f"{error.msg} at column {error.colno}"
    if isinstance(error, UnicodeError):
        return "it is not UTF-8"
    if isinstance(error, csv.Error):
        return str(error)
    return type(error).__name__
