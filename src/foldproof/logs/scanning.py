"""What was asked in a log, as columns of numbers: where it stands, who asked it when, and a hash of the words.

Formats with a flat shape are read in ranges of bytes, one process a core. Of the others the sessions are read, and what
was asked is put on disk line by line. So a log of millions of lines needs about 40 bytes a question.
"""

from __future__ import annotations

import gc
import json
import os
from array import array
from codecs import BOM_UTF8
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, NamedTuple

from foldproof.core import MissingExtraError
from foldproof.logs.formats import FORMATS, Asked
from foldproof.logs.moments import moment_of
from foldproof.logs.reading import LARGEST
from foldproof.logs.small_talk import why_dropped

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_BLOCK, _BUFFER = 2**19, 2**18
_RANGE = 48 * 2**20
"""Bytes that a worker takes at once. A smaller log is read in this process: workers cost a quarter of a second."""
_NAMED = 20
_DAYS_KEPT = 20_000
NO_DAY = -(2**31)
"""The day of a question whose time the log does not tell."""


class Place(NamedTuple):
    """Where a question stands: its file, the line's first byte, and which of the line's questions it is."""

    file: int
    offset: int
    item: int


class Range(NamedTuple):
    """The lines that begin in a range of bytes of a file."""

    path: str
    file: int
    start: int
    end: int
    format: str
    everything: bool


@dataclass(slots=True)
class Columns:
    """What was asked, one number a question in each column. `day` counts from 1970; hashes are of 64 bits.

    `dropped` counts messages that ask nothing, by why, and `broken` lines that cannot be read, of which the first are
    named with their line in `problems`. `lines` are those that were read.
    """

    file: NDArray[np.uint16]
    offset: NDArray[np.uint64]
    item: NDArray[np.uint16]
    user: NDArray[np.uint64]
    session: NDArray[np.uint64]
    day: NDArray[np.int32]
    words: NDArray[np.uint64]
    lines: int = 0
    dropped: Counter[str] = field(default_factory=Counter)
    broken: int = 0
    problems: list[tuple[str, int, str]] = field(default_factory=list)

    def __len__(self) -> int:
        return len(self.words)


_NAMES = ("file", "offset", "item", "user", "session", "day", "words")
_TYPES = ("uint16", "uint64", "uint16", "uint64", "uint64", "int32", "uint64")


def needed() -> None:
    """See that the packages of the extra are there.

    Raises:
        MissingExtraError: where one is not.
    """
    for package in ("msgspec", "numpy", "rensa"):
        try:
            __import__(package)
        except ImportError:
            raise MissingExtraError("mining", package, "mine") from None


def hashes(texts: Sequence[str]) -> list[int]:
    """A hash of 64 bits a text, the same in every process."""
    from rensa import RMinHash

    return RMinHash.hash_token_sets([texts])[0] if texts else []


def same_words(text: str) -> str:
    """The text as it is compared: upper and lower case, blanks and the marks at the end play no part."""
    text = text.lower()
    if "  " in text or "\n" in text or "\t" in text:
        text = " ".join(text.split())
    return text.strip("?!.… ？")


def joined(parts: Sequence[Columns]) -> Columns:
    """The columns of all parts, in their order. Lines of problems count through the parts of one file."""
    import numpy as np

    def column(name: str, kind: str) -> NDArray[Any]:
        return np.concatenate([np.empty(0, kind), *(getattr(part, name) for part in parts)])

    file, offset, item, user, session, day, words = map(column, _NAMES, _TYPES)
    found = Columns(file, offset, item, user, session, day, words)
    for part in parts:
        found.lines += part.lines
        found.dropped += part.dropped
        found.broken += part.broken
        found.problems += part.problems
    del found.problems[_NAMED:]
    return found


def scan_files(paths: Sequence[Path], name: str, *, everything: bool = False, jobs: int = 0) -> Columns:
    """The columns of JSON lines of a format that has a flat shape. `everything` keeps messages that ask nothing.

    `jobs` is the number of processes, by default one a core; a small log needs no more than this one.
    """
    ranges = [
        Range(str(path), number, start, min(start + _RANGE, size), name, everything)
        for number, path in enumerate(paths)
        for size in [path.stat().st_size]
        for start in range(0, size, _RANGE)
    ]
    jobs = min(jobs or os.cpu_count() or 1, len(ranges))
    if jobs <= 1:
        parts = list(map(scan, ranges))
    else:
        import multiprocessing
        from concurrent.futures import ProcessPoolExecutor

        with ProcessPoolExecutor(jobs, multiprocessing.get_context("spawn")) as pool:
            parts = list(pool.map(scan, ranges))
    before: Counter[int] = Counter()
    for part, taken in zip(parts, ranges, strict=True):
        part.problems = [(file, before[taken.file] + line, told) for file, line, told in part.problems]
        before[taken.file] += part.lines
    return joined(parts)


def scan(taken: Range) -> Columns:
    """The columns of one range. The collector of cycles rests meanwhile: it would look at every decoded line."""
    collecting = gc.isenabled()
    gc.disable()
    try:
        return _Scan(taken).columns()
    finally:
        if collecting:
            gc.enable()


def read_again(files: Sequence[IO[bytes]], name: str, places: Sequence[Place]) -> Iterator[Asked]:
    """The lines of these places again, read as before."""
    decode, asked, odd = _reader(name)
    for place in places:
        files[place.file].seek(place.offset)
        raw = files[place.file].readline(LARGEST)
        try:
            found = asked(decode(raw))
        except ValueError:
            found = None
        yield found if found is not None else odd(raw)


def _reader(name: str) -> tuple[Callable[[bytes], Any], Callable[[Any], Asked | None], Callable[[bytes], Asked]]:
    """How a line of a format is decoded, how what is decoded is read, and how a line is read that does not fit.

    They raise ValueError for a line that is no JSON.
    """
    import msgspec

    flat = FORMATS.get(name).flat
    assert flat is not None  # noqa: S101  # only formats with a flat shape get here
    shape, asked = flat.reader()
    return msgspec.json.Decoder(shape).decode, asked, lambda raw: flat.odd(json.loads(raw))


class _Scan:
    """One range being read, block by block."""

    def __init__(self, taken: Range) -> None:
        self.taken = taken
        self.decode, self.asked, self.odd = _reader(taken.format)
        self.parts: list[Columns] = []
        self.lines = self.broken = 0
        self.dropped: Counter[str] = Counter()
        self.problems: list[tuple[str, int, str]] = []
        self.days: dict[str, int] = {}

    def columns(self) -> Columns:
        """Read the range. A line belongs to the range in which it begins."""
        with Path(self.taken.path).open("rb", buffering=_BUFFER) as file:
            at = self.taken.start
            if not at and file.read(len(BOM_UTF8)) == BOM_UTF8:
                at = len(BOM_UTF8)
            elif at:
                file.seek(at - 1)
                at += len(file.readline()) - 1
            file.seek(at)
            while at < self.taken.end and (lines := file.readlines(min(_BLOCK, self.taken.end - at))):
                self._take(at, lines)
                at += sum(map(len, lines))
        found = joined(self.parts)
        found.lines, found.broken = self.lines, self.broken
        found.dropped, found.problems = self.dropped, self.problems
        return found

    def _take(self, offset: int, lines: Sequence[bytes]) -> None:
        decode, asked, everything = self.decode, self.asked, self.taken.everything
        places, items = array("Q"), array("H")
        found: list[tuple[str, str, str, Any]] = []
        for raw in lines:
            try:
                told = asked(decode(raw))
            except ValueError:
                told = None
            if told is not None or (told := self._odd(raw)) is not None:
                texts, user, session, at = told
                item = 0
                for text in texts:
                    why = why_dropped(text)
                    if why is None or (everything and why == "statement"):
                        places.append(offset)
                        items.append(item)
                        found.append((text, user, session, at))
                    else:
                        self.dropped[why] += 1
                    item += 1  # noqa: SIM113  # this loop is the whole cost of mining, and mostly of one turn
            offset += len(raw)
            self.lines += 1
        if found:
            self.parts.append(as_columns(found, (self.taken.file, places, items), self.days))

    def _odd(self, raw: bytes) -> Asked | None:
        """A line that is not of the common shape; None for one that cannot be read."""
        try:
            return self.odd(raw) if raw.strip() else None
        except (ValueError, RecursionError) as error:
            self.broken += 1
            if len(self.problems) < _NAMED:
                self.problems.append((self.taken.path, self.lines + 1, f"the line is no JSON: {type(error).__name__}"))
            return None


def as_columns(
    found: Sequence[tuple[str, str, str, Any]], places: tuple[int, array[int], array[int]], days: dict[str, int]
) -> Columns:
    """Columns of texts with user, session and time. `places` are the file, the offsets and which question of the line.

    `days` remembers what the texts of times come to.
    """
    import numpy as np

    texts, users, sessions, times = zip(*found, strict=True)
    count = len(found)

    def numbers(column: Iterable[int], kind: type[np.generic]) -> NDArray[Any]:
        return np.fromiter(column, kind, count)

    return Columns(
        np.full(count, places[0], np.uint16),
        np.array(places[1], np.uint64),
        np.array(places[2], np.uint16),
        numbers(hashes(users), np.uint64),
        numbers(hashes(sessions), np.uint64),
        numbers([_day(at, days) for at in times], np.int32),
        numbers(hashes([same_words(text) for text in texts]), np.uint64),
    )


def _day(at: Any, days: dict[str, int]) -> int:  # noqa: ANN401  # any JSON value
    """The day of a time, counted from 1970. A zone that the log tells does not move it."""
    if isinstance(at, int) and 10**8 < at < 10**11:
        return at // 86_400
    text = at[:10] if isinstance(at, str) and at[4:5] == "-" else str(at)
    day = days.get(text)
    if day is None:
        moment = moment_of(at if text != at else text)
        day = NO_DAY if moment is None else moment.at.replace(tzinfo=None).toordinal() - 719_163
        if len(days) < _DAYS_KEPT:
            days[text] = day
    return day
