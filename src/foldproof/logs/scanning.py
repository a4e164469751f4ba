"""What was asked in a log, as columns of numbers: where it stands, who asked it when, and a hash of the words.

Formats with a flat shape are read in ranges of bytes, one process a core. Of the others the sessions are read, and what
was asked is put on disk line by line. So a log of millions of lines needs about 40 bytes a question.
"""

from __future__ import annotations

import gc
import json
import os
import re
from codecs import BOM_UTF8
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache
from io import BytesIO
from itertools import compress
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, NamedTuple

from foldproof.core import MissingExtraError
from foldproof.logs.formats import FORMATS, Asked, FlatShape
from foldproof.logs.moments import moment_of
from foldproof.logs.reading import LARGEST
from foldproof.logs.small_talk import whys_dropped

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_BLOCK = 2**20
_RANGE = 16 * 2**20
"""Bytes that a process takes at once."""
_SHARE = 96 * 2**20
"""Bytes that another process is worth: it costs a quarter of a second to have it."""
_NAMED = 20
_SECONDS = 10**8, 10**11
"""Between them a whole number is taken to count seconds, which nearly every log does."""
_DAYS_KEPT, _DAY_1970 = 20_000, 719_163
_WRITTEN = re.compile(
    r"\d{4}-\d\d-\d\d(?:[T ](?:[01]\d|2[0-3])(?::[0-5]\d){1,2}(?:[.,]\d{1,9})?(?:Z|[+-]\d\d:?\d\d)?)?"
)
_MARKS = "?!.… ？"
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
    for package in ("msgspec", "numpy", "rensa", "snowballstemmer"):
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
    return text.strip(_MARKS)


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
    size = sum(taken.end - taken.start for taken in ranges)
    parts = _shared(ranges, min(jobs or os.cpu_count() or 1, size // _SHARE))
    before: Counter[int] = Counter()
    for part, taken in zip(parts, ranges, strict=True):
        part.problems = [(file, before[taken.file] + line, told) for file, line, told in part.problems]
        before[taken.file] += part.lines
    return joined(parts)


def _shared(ranges: Sequence[Range], jobs: int) -> list[Columns]:
    """The columns of all ranges. This process is one of the jobs: it begins before the others have started.

    It takes from the end what none of them has taken from the front.
    """
    if jobs <= 1:
        return list(map(scan, ranges))
    import multiprocessing
    from concurrent.futures import ProcessPoolExecutor

    with ProcessPoolExecutor(jobs - 1, multiprocessing.get_context("spawn")) as pool:
        others = [pool.submit(scan, taken) for taken in ranges]
        own = {number: scan(ranges[number]) for number in reversed(range(len(ranges))) if others[number].cancel()}
        return [own[number] if number in own else other.result() for number, other in enumerate(others)]


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
    """What was asked at these places, read again."""
    lines = lines_of(name)
    for place in places:
        files[place.file].seek(place.offset)
        yield lines.asked(files[place.file].readline(LARGEST))[place.item]


class Lines:
    """The lines of a format as mining reads them: the quick way where it knows a line, the sure one where not."""

    def __init__(self, flat: FlatShape) -> None:
        self.quick, self._odd = flat.reader(), flat.odd

    def usual(self, raw: bytes) -> Asked | None:
        """What is asked in a line of the common shape; None for every other line."""
        return self.quick(raw) if _is_text(raw) else None

    def asked(self, raw: bytes) -> Sequence[Asked]:
        """What is asked in one line.

        Raises:
            ValueError, RecursionError: for a line that is no JSON.
        """
        told = self.usual(raw)
        return [told] if told is not None else self.surely(raw)

    def surely(self, raw: bytes) -> Sequence[Asked]:
        """The same, without the quick way."""
        if not raw.strip():
            return ()
        told = self._odd(json.loads(raw))
        return [(_whole(text), _whole(user), _whole(session), at) for text, user, session, at in told]


@cache
def lines_of(name: str) -> Lines:
    """The lines of a format that has a flat shape. To make the quick way takes as long as to read a thousand lines."""
    flat = FORMATS.get(name).flat
    assert flat is not None  # noqa: S101  # only formats with a flat shape get here
    return Lines(flat)


def _is_text(raw: bytes) -> bool:
    """Whether it is UTF-8. The quick way does not look at the letters of what it leaves out."""
    try:
        return raw.isascii() or bool(raw.decode())
    except UnicodeDecodeError:
        return False


def _whole(text: str) -> str:
    """The text without halves of surrogate pairs, which JSON can write and UTF-8 cannot."""
    return text if text.isascii() else text.encode("utf-8", "replace").decode()


class _Scan:
    """One range being read, block by block."""

    def __init__(self, taken: Range) -> None:
        self.taken = taken
        self.way = lines_of(taken.format)
        self.parts: list[Columns] = []
        self.lines = self.broken = 0
        self.dropped: Counter[str] = Counter()
        self.problems: list[tuple[str, int, str]] = []
        self.days: dict[str, int] = {}

    def columns(self) -> Columns:
        """Read the range. A line belongs to the range in which it begins."""
        with Path(self.taken.path).open("rb") as file:
            at = self.taken.start
            if not at:
                at = len(BOM_UTF8) if file.read(len(BOM_UTF8)) == BOM_UTF8 else 0
                file.seek(at)
            else:
                file.seek(at - 1)
                at += _rest_of_line(file) - 1
            while at < self.taken.end and (block := file.read(min(_BLOCK, self.taken.end - at))):
                lines = BytesIO(block).readlines()
                if not block.endswith(b"\n"):
                    lines[-1] += file.readline(LARGEST)
                at = self._take(at, block, lines)
                if len(lines[-1]) > LARGEST and not lines[-1].endswith(b"\n"):
                    at += _rest_of_line(file)
        found = joined(self.parts)
        found.lines, found.broken = self.lines, self.broken
        found.dropped, found.problems = self.dropped, self.problems
        return found

    def _take(self, offset: int, block: bytes, lines: Sequence[bytes]) -> int:
        """Read the lines of a block, and say where the next begins.

        This is nearly the whole cost of mining, so each step is done for all lines at once.
        """
        import numpy as np

        quick, count = self.way.quick, len(lines)
        rows: list[Any] = [quick(raw) for raw in lines]
        ends = np.fromiter(map(len, lines), np.uint64, count).cumsum() + np.uint64(offset)
        starts, items = np.append(np.uint64(offset), ends[:-1]), np.zeros(count, np.uint16)
        if not all(rows) or not ((block.isascii() and lines[-1].isascii()) or all(map(_is_text, lines))):
            rows, numbers, within = self._each(lines, rows)
            starts, items = starts[numbers], np.array(within, np.uint16)
        self.lines += count
        whys = whys_dropped([row[0] for row in rows])
        if self.taken.everything:
            whys = [None if why == "statement" else why for why in whys]
        if any(whys):
            self.dropped.update(filter(None, whys))
            kept = [why is None for why in whys]
            rows, mask = list(compress(rows, kept)), np.frombuffer(bytes(kept), np.bool_)
            starts, items = starts[mask], items[mask]
        if rows:
            self.parts.append(as_columns(rows, (self.taken.file, starts, items), self.days))
        return int(ends[-1])

    def _each(self, lines: Sequence[bytes], told: Sequence[Asked | None]) -> tuple[list[Asked], list[int], list[int]]:
        """What is asked in lines of which not all are usual: rows, for each its line and its place there."""
        found = [
            (row, number, item)
            for number, (raw, one) in enumerate(zip(lines, told, strict=True))
            for item, row in enumerate([one] if one is not None and _is_text(raw) else self._surely(raw, number))
        ]
        return [row for row, *_ in found], [number for _, number, _ in found], [item for *_, item in found]

    def _surely(self, raw: bytes, number: int) -> Sequence[Asked]:
        """A line that is not of the common shape; nothing for one that cannot be read."""
        try:
            if len(raw) <= LARGEST:
                return self.way.surely(raw)
            told = f"the line is longer than {LARGEST >> 20} MiB"
        except (ValueError, RecursionError) as error:
            told = f"the line is no JSON: {type(error).__name__}"
        self.broken += 1
        if len(self.problems) < _NAMED:
            self.problems.append((self.taken.path, self.lines + number + 1, told))
        return ()


def _rest_of_line(file: IO[bytes]) -> int:
    """Go on to where the next line begins; the bytes that were left behind."""
    skipped = 0
    while part := file.readline(_BLOCK):
        skipped += len(part)
        if part.endswith(b"\n"):
            break
    return skipped


def as_columns(
    found: Sequence[Asked],
    places: tuple[int, Sequence[int] | NDArray[Any], Sequence[int] | NDArray[Any]],
    days: dict[str, int],
) -> Columns:
    """Columns of what was asked. `places` are the file, the offsets and which question of the line.

    `days` remembers what the texts of times come to.
    """
    import numpy as np

    texts, users, sessions, times = zip(*found, strict=True)
    return Columns(
        np.full(len(found), places[0], np.uint16),
        np.asarray(places[1], np.uint64),
        np.asarray(places[2], np.uint16),
        np.array(hashes(users), np.uint64),
        np.array(hashes(sessions), np.uint64),
        _days(times, days),
        np.array(hashes(_same_words_each(texts)), np.uint64),
    )


def _same_words_each(texts: Sequence[str]) -> list[str]:
    """`same_words` of each text, in one go where no text holds a blank that counts for none."""
    joined = "\0".join(texts).lower()
    if "  " in joined or "\n" in joined or "\t" in joined or joined.count("\0") >= len(texts):
        return [same_words(text) for text in texts]
    return [text.strip(_MARKS) for text in joined.split("\0")]


def _days(times: Sequence[Any], days: dict[str, int]) -> NDArray[np.int32]:
    """The day of each time, counted from 1970."""
    import numpy as np

    try:
        numbers = np.array(times)
    except ValueError:  # a list among them, of a line that is read surely
        numbers = np.empty(0)
    if numbers.dtype.kind == "i" and numbers.min(initial=_SECONDS[1]) > _SECONDS[0] and numbers.max() < _SECONDS[1]:
        return (numbers // 86_400).astype(np.int32)
    return np.array([_day(at, days) for at in times], np.int32)


def _day(at: Any, days: dict[str, int]) -> int:  # noqa: ANN401  # any JSON value
    """The day of a time as the log writes it, counted from 1970: a zone that it tells does not move the day."""
    if isinstance(at, int) and _SECONDS[0] < at < _SECONDS[1]:
        return at // 86_400
    # Texts of one day differ behind the day; where that is a time of day, the first ten letters tell all that counts.
    text = at[:10] if isinstance(at, str) and _WRITTEN.fullmatch(at) else str(at)
    day = days.get(text)
    if day is None:
        moment = moment_of(text)
        day = NO_DAY if moment is None else moment.at.replace(tzinfo=None).toordinal() - _DAY_1970
        if len(days) >= _DAYS_KEPT:
            days.clear()
        days[text] = day
    return day
