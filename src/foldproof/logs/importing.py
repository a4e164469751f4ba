"""Reading logs: the format found out, records grouped into sessions, sessions given one at a time.

Two readings. The first keeps only where each record stands; the second reads the records of one
session at a time. So no more than the largest session is held, however the sessions are mixed in the files.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import islice
from pathlib import Path
from typing import Any

from foldproof.core import Redactor, UsageError
from foldproof.logs.formats import FORMATS, Found, Group, LogFormat
from foldproof.logs.imported import ImportedSession, redacted
from foldproof.logs.reading import LogFile
from foldproof.logs.tally import Tally

_LOOKED_AT, _NAMES_KEPT = 60, 50_000
_CHOICE = "name one with --format; `foldproof import formats` lists them"


@dataclass(slots=True)
class Reading:
    """One reading of log files. `sessions` is read once; `tally` is whole when it is at its end."""

    format: LogFormat
    why: str
    tally: Tally
    sessions: Iterator[ImportedSession]


@dataclass(frozen=True, slots=True)
class Whose:
    """Whose talk is wanted of a log: that of users, and sessions in which no user is told, by their ids.

    Both are named as they are when secrets and personal data were taken out.
    """

    users: frozenset[str]
    sessions: frozenset[str] = frozenset()

    def wants(self, user: str, session: str) -> bool:
        """Whether it is one of them."""
        return user in self.users if user else session in self.sessions


@dataclass(slots=True)
class _Unit:
    """Where the records of one unit stand: file, line, offset and length, four numbers a record."""

    session: str = ""
    places: array[int] = field(default_factory=lambda: array("Q"))


def read_logs(
    paths: Sequence[Path], format_name: str = "", *, redactor: Redactor | None = None, whose: Whose | None = None
) -> Reading:
    """The sessions of log files that are all of one format, in the order in which they begin in the files.

    Secrets are taken out of every text on the way (`redactor`; the process's own by default). Bad lines and unknown
    kinds are counted in the tally and end nothing. Times, roles and ids are never guessed: what the log does not tell
    stays empty.

    With `whose`, only sessions of these are given, and the tally counts no more than was read for them. Of a format
    that mining reads quickly (which needs its extra) the lines of others are not decoded: a session that names one user
    first and another later, in calls that go on by `previous_response_id` alone, is then two.

    Raises:
        UsageError: for a file that cannot be read as a log, and for a format that is not known or not recognized.
    """
    if not paths:
        raise UsageError("no log file was named\n  name one or more files")
    files = [LogFile(path, number) for number, path in enumerate(paths)]
    _distinct(files)
    if format_name:
        chosen, why = FORMATS.get(format_name), "named"
    else:
        chosen, why = _detected(files)
    tally = Tally()
    for limit in chosen.limits:
        tally.note(limit)
    redactor = redactor or Redactor()
    if whose is not None and chosen.flat is not None:
        takes = _taker(chosen.name, whose, redactor)
        for file in files:
            file.takes = takes
    sessions = _sessions(chosen, files, tally, redactor)
    if whose is not None:
        sessions = (session for session in sessions if whose.wants(session.user, session.id))
    return Reading(chosen, why, tally, sessions)


def _taker(name: str, whose: Whose, redactor: Redactor) -> Callable[[bytes], bool]:
    """Whether a line may belong to these. One of an unusual shape may, whoever it tells."""
    from foldproof.logs.scanning import lines_of

    usual, clean = lines_of(name).usual, lru_cache(_NAMES_KEPT)(redactor)

    def takes(raw: bytes) -> bool:
        told = usual(raw)
        return told is None or whose.wants(clean(told[1]), clean(told[2]))

    return takes


def _distinct(files: Sequence[LogFile]) -> None:
    """Give files of one name in two folders two names: ids are made of them."""
    seen: set[str] = set()
    for file in files:
        number = 1
        while file.stem in seen:
            number += 1
            file.stem = f"{file.path.stem}-{number}"
        seen.add(file.stem)


def _detected(files: Sequence[LogFile]) -> tuple[LogFormat, str]:
    """The one format of all files, and what it was known by."""
    found = [_format_of(file) for file in files]
    names = sorted({chosen.name for chosen, _ in found})
    if len(names) > 1:
        told = ", ".join(f"{file.name}: {chosen.name}" for file, (chosen, _) in zip(files, found, strict=True))
        raise UsageError(f"the files are of {len(names)} formats ({told})\n  import each format on its own")
    return found[0]


def _format_of(file: LogFile) -> tuple[LogFormat, str]:
    values = [record.value for record in islice(file.records(Tally()), _LOOKED_AT)]
    formats = [FORMATS.get(name) for name in FORMATS.names()]
    counted = [(sum(_knows(known, value) for value in values), known) for known in formats]
    best = max(counted, key=lambda pair: (pair[0], not pair[1].general))
    if best[0]:
        return best[1], f"{best[1].told_by} ({best[0]} of the first {len(values)} records)"
    if any(isinstance(value, dict) and "haystack_sessions" in value for value in values):
        raise UsageError(f"{file.path}: this is LongMemEval\n  run: foldproof import longmemeval FILE --into FOLDER")
    known_names = ", ".join(FORMATS.names())
    raise UsageError(
        f"{file.path}: no known log format\n  {_looked_at(file, values)}\n  known: {known_names}\n  {_CHOICE}"
    )


def _knows(known: LogFormat, value: Any) -> bool:  # noqa: ANN401  # any JSON value
    return isinstance(value, dict | list) and known.knows(value)


def _looked_at(file: LogFile, values: Sequence[Any]) -> str:
    if file.shape == "table":
        columns = ", ".join(f"`{column[:40]}`" for column in file.columns[:8])
        return f"looked at as a table with the columns {columns}; a table needs the column `question`"
    if not values:
        return f"looked at as JSON ({file.shape}): no record could be read"
    keys = next((list(value)[:8] for value in values if isinstance(value, dict)), None)
    if keys is None:
        return f"looked at {len(values)} records: none is an object"
    told = ", ".join(f"`{str(key)[:40]}`" for key in keys)
    return f"looked at {len(values)} records; the first has the keys {told}"


def _sessions(
    chosen: LogFormat, files: Sequence[LogFile], tally: Tally, redactor: Redactor
) -> Iterator[ImportedSession]:
    units, loose = _index(chosen, files, tally)
    members: dict[str, list[str]] = {}
    apart: dict[tuple[int, int], dict[str, list[Any]]] = {}
    for name, unit in units.items():
        members.setdefault(unit.session or name, []).append(name)
    try:
        for session, names in members.items():
            read, read_loose = _readers(names, units=units, loose=loose, files=files)
            group = Group(session, tuple(names), tally, read, read_loose, apart)
            for built in chosen.build(group):
                if built.entries or built.sidechains:
                    clean = redacted(built, redactor)
                    tally.take(clean)
                    yield clean
    finally:
        for file in files:
            file.close()


def _index(chosen: LogFormat, files: Sequence[LogFile], tally: Tally) -> tuple[dict[str, _Unit], dict[int, array[int]]]:
    """The first reading: where the records of each unit stand, and those that belong to a whole file."""
    units: dict[str, _Unit] = {}
    loose: dict[int, array[int]] = {}
    for file in files:
        for record in file.records(tally):
            tally.records += 1
            at = (record.file, record.line, record.offset, record.length)
            placed = False
            if not isinstance(record.value, dict | list):
                tally.wrong(file.name, record.line, f"the record is no object but {_kind(record.value)}")
                continue
            for place in chosen.places(record, file):
                placed = True
                if place.loose:
                    loose.setdefault(record.file, array("Q")).extend(at)
                    continue
                unit = units.setdefault(place.unit, _Unit())
                unit.session = unit.session or place.session
                unit.places.extend(at)
            if not placed and isinstance(record.value, dict):
                tally.strange(record.value.get("type", "(no kind)"))
            elif not placed:
                tally.wrong(file.name, record.line, "the record is no object but a list")
    return units, loose


def _kind(value: Any) -> str:  # noqa: ANN401  # any JSON value
    kinds = {str: "a text", bool: "true or false", type(None): "null"}
    return kinds.get(type(value), "a number")


def _readers(
    names: Sequence[str], *, units: dict[str, _Unit], loose: dict[int, array[int]], files: Sequence[LogFile]
) -> tuple[Callable[[], Iterator[Found]], Callable[[], Iterator[Found]]]:
    """How the records of these units are read, and the loose ones of their files."""
    own = {places for name in names for places in _fours(units[name].places)}
    numbers = sorted({number for number, *_ in own})

    def found(place: tuple[int, int, int, int]) -> Found:
        number, line, offset, length = place
        return Found(files[number].again(offset, length), files[number].name, line, (number, offset))

    def read() -> Iterator[Found]:
        yield from map(found, sorted(own))

    def read_loose() -> Iterator[Found]:
        for number in numbers:
            yield from map(found, _fours(loose.get(number, array("Q"))))

    return read, read_loose


def _fours(places: array[int]) -> Iterator[tuple[int, int, int, int]]:
    numbers = iter(places)
    return zip(numbers, numbers, numbers, numbers, strict=True)
