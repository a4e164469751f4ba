"""Questions that users really asked, out of logs: read, told from small talk, merged, and a fair few chosen."""

from __future__ import annotations

import json
import re
from array import array
from collections import Counter
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from datetime import date, timedelta
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO, TYPE_CHECKING, Any

from foldproof.core import Redactor, UsageError
from foldproof.logs.choosing import fair_order, mixed
from foldproof.logs.formats import Asked, LogFormat
from foldproof.logs.importing import Reading, read_logs
from foldproof.logs.near import merged
from foldproof.logs.reading import LogFile
from foldproof.logs.scanning import (
    NO_DAY,
    Columns,
    Place,
    as_columns,
    hashes,
    joined,
    needed,
    read_again,
    scan_files,
)
from foldproof.logs.small_talk import why_dropped
from foldproof.logs.tally import Tally
from foldproof.logs.topics import topics_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

_SINCE = re.compile(r"(\d{1,4})\s*([dw])")
_LEAST_POOL, _POOL = 5_000, 20
"""Questions that are compared with each other: so many, or so many times those that are wanted."""
_EPOCH = date(1970, 1, 1)
_BLOCK = 4_096


@dataclass(frozen=True, slots=True)
class Question:
    """A question of a log. `asked` counts how often it stands there in these words, `alike` how often nearly so.

    `day` is empty where the log tells no time; `user` and `session` where it tells none. Secrets are taken out.
    """

    text: str
    user: str = ""
    session: str = ""
    day: str = ""
    topic: str = ""
    asked: int = 1
    alike: int = 0


@dataclass(frozen=True, slots=True)
class Mined:
    """What mining read, what each step left, and the questions in the order in which they were chosen.

    `compared` are the distinct questions among which near-duplicates were merged: all of them, or of a large log a fair
    draw. `users` and `topics` count what is in the choice. `quick` says that lines were read flat.
    """

    format: LogFormat
    why: str
    quick: bool
    lines: int
    said: int
    dropped: dict[str, int]
    found: int
    exact: int
    distinct: int
    compared: int
    near: int
    questions: tuple[Question, ...]
    users: int
    topics: dict[str, int]
    broken: int
    problems: list[tuple[str, int, str]]
    notes: list[str]
    since: str = ""
    seed: int = 0


@dataclass(slots=True)
class _Source:
    """Where questions are read again: the lines of the logs, or lines that were put on disk."""

    files: Sequence[IO[bytes]]
    format: str
    columns: Columns
    tally: Tally

    def again(self, rows: Sequence[int]) -> list[tuple[str, Asked]]:
        """The texts of these rows, each with what its line tells."""
        column = self.columns
        places = [Place(int(column.file[row]), int(column.offset[row]), int(column.item[row])) for row in rows]
        lines = read_again(self.files, self.format, places)
        return [(told[0][place.item], told) for place, told in zip(places, lines, strict=True)]


@dataclass(frozen=True, slots=True)
class MineOptions:
    """How many questions are wanted, of which days and users, and how the lots are drawn.

    `since` is a number of days or weeks (`21d`, `3w`), counted back from the newest question of the log so that the
    same log gives the same answer on every day, or a date. `statements` keeps messages that ask nothing. `jobs` is the
    number of processes, by default one a core.
    """

    wanted: int = 200
    since: str = ""
    seed: int = 0
    statements: bool = False
    jobs: int = 0


def mine_logs(
    paths: Sequence[Path], options: MineOptions, *, format_name: str = "", redactor: Redactor | None = None
) -> Mined:
    """Choose questions that users asked in these logs, all of one format.

    Raises:
        UsageError: as `read_logs`, and for a `since` that is none, or after which nothing was asked.
        MissingExtraError: where the extra `mine` is not installed.
    """
    needed()
    reading = read_logs(paths, format_name, redactor=redactor)
    quick = reading.format.flat is not None and all(LogFile(path).shape == "lines" for path in paths)
    with ExitStack() as stack:
        source = _flat(stack, paths, reading, options) if quick else _spooled(stack, reading, options)
        return _chosen(source, reading, options, redactor=redactor or Redactor(), quick=quick)


def _flat(stack: ExitStack, paths: Sequence[Path], reading: Reading, options: MineOptions) -> _Source:
    columns = scan_files(paths, reading.format.name, everything=options.statements, jobs=options.jobs)
    files = [stack.enter_context(path.open("rb")) for path in paths]
    return _Source(files, reading.format.name, columns, reading.tally)


def _spooled(stack: ExitStack, reading: Reading, options: MineOptions) -> _Source:
    """Read the sessions of a log whose lines are no exchanges; what was asked goes to disk, a line a question."""
    spool = stack.enter_context(TemporaryFile())  # noqa: SIM115  # the stack closes it
    parts: list[Columns] = []
    places, dropped = array("Q"), Counter[str]()
    found: list[tuple[str, str, str, str | None]] = []
    days: dict[str, int] = {}
    for session in reading.sessions:
        for entry in session.said("user"):
            why = why_dropped(entry.text)
            if why is not None and not (options.statements and why == "statement"):
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
    return _Source([spool], "questions", columns, tally)


def _chosen(source: _Source, reading: Reading, options: MineOptions, *, redactor: Redactor, quick: bool) -> Mined:
    import numpy as np

    columns, dropped = source.columns, Counter(source.columns.dropped)
    rows = np.arange(len(columns))
    first = _first_day(columns, options.since)
    if first is not None:
        rows = rows[columns.day[rows] >= first]
        dropped["no time"] = int((columns.day == NO_DAY).sum())
        dropped["before"] = len(columns) - len(rows) - dropped["no time"]
    firsts, counts = _distinct(columns, rows)
    pool = _pool(columns, firsts, options)
    texts = source.again([int(firsts[at]) for at in pool])
    stands = merged([text for text, _ in texts])
    kept = [number for number, first in enumerate(stands) if first == number]
    topics = topics_of([texts[number][0] for number in kept])
    own = firsts[pool[kept]]
    order = fair_order(
        mixed(columns.words[own], options.seed),
        user=columns.user[own],
        topic=np.array(hashes(topics), np.uint64),
        week=columns.day[own] // 7,
    )
    weights = counts[pool]
    groups = Counter[int]()
    for number, first_alike in enumerate(stands):
        groups[first_alike] += int(weights[number])
    questions = []
    for at in order[: options.wanted]:
        number = kept[at]
        text, (_, user, session, _) = texts[number]
        named, day, often = (
            map(redactor, (text, user, session, topics[at])),
            int(columns.day[own[at]]),
            int(weights[number]),
        )
        text, user, session, topic = named
        questions.append(Question(text, user, session, _day_text(day), topic, often, groups[number] - often))
    return Mined(
        format=reading.format,
        why=reading.why,
        quick=quick,
        lines=columns.lines,
        said=len(columns) + sum(columns.dropped.values()),
        dropped={why: count for why, count in dropped.items() if count},
        found=len(rows),
        exact=len(rows) - len(firsts),
        distinct=len(firsts),
        compared=len(pool),
        near=len(stands) - len(kept),
        questions=tuple(questions),
        users=len({question.user for question in questions}),
        topics=dict(Counter(question.topic for question in questions).most_common()),
        broken=columns.broken,
        problems=columns.problems,
        notes=list(source.tally.notes),
        since="" if first is None else _day_text(first),
        seed=options.seed,
    )


def _first_day(columns: Columns, since: str) -> int | None:
    """The first day that counts; None where all do."""
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


def _distinct(columns: Columns, rows: NDArray[Any]) -> tuple[NDArray[Any], NDArray[Any]]:
    """Of each question in the same words the newest row, in the order of the log, and how often it stands there."""
    import numpy as np

    newest = rows[np.lexsort((rows, columns.day[rows]))][::-1]
    _, at, counts = np.unique(columns.words[newest], return_index=True, return_counts=True)
    found = newest[at]
    order = np.argsort(found)
    return found[order], counts[order]


def _pool(columns: Columns, firsts: NDArray[Any], options: MineOptions) -> NDArray[Any]:
    """Which of the distinct questions are compared with each other: all, or a fair draw over users and weeks."""
    import numpy as np

    most = max(_LEAST_POOL, _POOL * options.wanted)
    if len(firsts) <= most:
        return np.arange(len(firsts))
    lots = mixed(columns.words[firsts], options.seed)
    same = np.zeros(len(firsts), np.uint8)
    order = fair_order(lots, user=columns.user[firsts], topic=same, week=columns.day[firsts] // 7)
    return np.sort(order[:most])


def _day_text(day: int) -> str:
    return "" if day == NO_DAY else (_EPOCH + timedelta(days=day)).isoformat()
