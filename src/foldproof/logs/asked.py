"""What was asked in logs of any format and size: columns of numbers, and the way back from them to the texts."""

from __future__ import annotations

import json
import re
from array import array
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from datetime import date, timedelta
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO

from foldproof.core import Redactor, UsageError
from foldproof.logs.formats import Asked, LogFormat
from foldproof.logs.importing import Reading, read_logs
from foldproof.logs.reading import LogFile
from foldproof.logs.scanning import NO_DAY, Columns, Place, as_columns, joined, needed, read_again, scan_files
from foldproof.logs.small_talk import why_dropped

_SINCE = re.compile(r"(\d{1,4})\s*([dw])")
_EPOCH = date(1970, 1, 1)
_BLOCK = 4_096


@dataclass(slots=True)
class AskedLog:
    """Logs of one format that were read for what users asked in them.

    `quick` says that lines were read flat. `files` and `flat` are where questions are read again, and the format of the
    lines there: the logs themselves, or lines that were put on disk.
    """

    format: LogFormat
    why: str
    quick: bool
    columns: Columns
    notes: list[str]
    files: Sequence[IO[bytes]]
    flat: str

    def again(self, rows: Sequence[int]) -> list[Asked]:
        """What was asked in these rows, the texts first. Secrets still stand in them."""
        column = self.columns
        places = [Place(int(column.file[row]), int(column.offset[row]), int(column.item[row])) for row in rows]
        return list(read_again(self.files, self.flat, places))


@contextmanager
def open_asked(
    paths: Sequence[Path],
    *,
    format_name: str = "",
    redactor: Redactor | None = None,
    statements: bool = False,
    jobs: int = 0,
) -> Iterator[AskedLog]:
    """Read logs of one format for what was asked; texts can be read again as long as it is open.

    `statements` keeps messages that ask nothing. `jobs` is the number of processes, by default one a core.

    Raises:
        UsageError: as `read_logs`.
        MissingExtraError: where the extra `mine` is not installed.
    """
    needed()
    reading = read_logs(paths, format_name, redactor=redactor)
    with ExitStack() as stack:
        if reading.format.flat is not None and all(LogFile(path).shape == "lines" for path in paths):
            columns = scan_files(paths, reading.format.name, everything=statements, jobs=jobs)
            files = [stack.enter_context(path.open("rb")) for path in paths]
            notes = list(reading.tally.notes)
            yield AskedLog(reading.format, reading.why, True, columns, notes, files, reading.format.name)
            return
        spool = stack.enter_context(TemporaryFile())  # closed with the stack
        columns = _spooled(spool, reading, statements=statements)
        yield AskedLog(reading.format, reading.why, False, columns, list(reading.tally.notes), [spool], "questions")


def _spooled(spool: IO[bytes], reading: Reading, *, statements: bool) -> Columns:
    """Read the sessions of a log whose lines are no exchanges; what was asked goes to disk, a line a question."""
    parts: list[Columns] = []
    places, dropped = array("Q"), Counter[str]()
    found: list[tuple[str, str, str, str | None]] = []
    days: dict[str, int] = {}
    for session in reading.sessions:
        for entry in session.said("user"):
            why = why_dropped(entry.text)
            if why is not None and not (statements and why == "statement"):
                dropped[why] += 1
                continue
            at = entry.at or session.started
            row = (entry.text, session.user, session.id, at.text if at else None)
            places.append(spool.tell())
            found.append(row)
            keys = dict(zip(("question", "user", "session", "at"), row, strict=True))
            spool.write(json.dumps(keys, ensure_ascii=False).encode() + b"\n")
            if len(found) >= _BLOCK:
                parts.append(as_columns(found, (0, places, array("H", bytes(2 * len(places)))), days))
                places, found = array("Q"), []
    if found:
        parts.append(as_columns(found, (0, places, array("H", bytes(2 * len(places)))), days))
    columns = joined(parts)
    tally = reading.tally
    columns.lines, columns.dropped, columns.broken = tally.records, dropped, tally.broken
    columns.problems = [(problem.file, problem.line, problem.message) for problem in tally.problems]
    return columns


def first_day(columns: Columns, since: str) -> int | None:
    """The first day that counts; None where all do.

    `since` is a number of days or weeks (`21d`, `3w`), counted back from the newest question of the log so that the
    same log gives the same answer on every day, or a date.

    Raises:
        UsageError: for one that is neither, and where the log tells no time to count from.
    """
    if not since:
        return None
    hint = "write a number of days or weeks (21d, 3w), or a day (2026-03-04)"
    if match := _SINCE.fullmatch(since.strip()):
        newest = int(columns.day.max()) if len(columns) else NO_DAY
        if newest == NO_DAY:
            raise UsageError(f"--since {since}: the log tells no time of any question\n  leave --since out")
        return newest + 1 - int(match[1]) * (7 if match[2] == "w" else 1)
    try:
        return (date.fromisoformat(since.strip()) - _EPOCH).days
    except ValueError:
        raise UsageError(f"--since: '{since}' is no time to count from\n  {hint}") from None


def day_text(day: int) -> str:
    """A day of the columns as it is written; empty where the log tells none."""
    return "" if day == NO_DAY else (_EPOCH + timedelta(days=day)).isoformat()
