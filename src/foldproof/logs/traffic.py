"""What was asked of late in logs of any size, and before: every question, or of many a draw."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from foldproof.core import NothingSelectedError, Redactor
from foldproof.logs.asked import AskedLog, day_text, first_day, open_asked
from foldproof.logs.choosing import mixed
from foldproof.logs.formats import LogFormat
from foldproof.logs.scanning import NO_DAY, hashes, needed
from foldproof.logs.topics import by_root

if TYPE_CHECKING:
    from numpy.typing import NDArray

DRAWN = 20_000
"""Questions that are looked at, of the window and of the time before it; of more a draw."""


@dataclass(frozen=True, slots=True)
class AskedQuestion:
    """A question in the words in which it was asked last, without secrets; `asked` counts how often.

    `words` are those that say what it is about, by their root. `users` tells those who asked apart; it is empty where
    the log tells none.
    """

    text: str
    words: Mapping[str, str]
    asked: int
    users: frozenset[int]


@dataclass(frozen=True, slots=True)
class Traffic:
    """The questions of a log since a day, and those before it.

    `found` counts what was asked in that time, `drawn` how many of these were looked at: all, or of more than `DRAWN` a
    draw in which each had the same chance. Of the time before, `earlier_found` and `earlier_drawn` count the same;
    both are 0 where every day counts, or the log begins later.
    """

    format: LogFormat
    why: str
    lines: int
    said: int
    found: int
    drawn: int
    questions: tuple[AskedQuestion, ...]
    earlier_found: int
    earlier_drawn: int
    earlier: tuple[AskedQuestion, ...]
    timeless: int
    broken: int
    problems: list[tuple[str, int, str]]
    notes: list[str]
    since: str = ""


def read_traffic(
    paths: Sequence[Path],
    *,
    since: str = "",
    format_name: str = "",
    redactor: Redactor | None = None,
    jobs: int = 0,
) -> Traffic:
    """What users asked in these logs, all of one format, since a day or a number of days or weeks (`first_day`).

    Raises:
        UsageError: as `read_logs`, and for a `since` that is none.
        NothingSelectedError: where nothing was asked in that time.
        MissingExtraError: where the extra `mine` is not installed.
    """
    needed()
    import numpy as np

    with open_asked(paths, format_name=format_name, redactor=redactor, jobs=jobs) as log:
        columns, days = log.columns, log.columns.day
        first = first_day(columns, since)
        rows = np.arange(len(columns)) if first is None else np.flatnonzero(days >= first)
        before = rows[:0] if first is None else np.flatnonzero((days < first) & (days != NO_DAY))
        if not len(rows):
            when = f" since {day_text(first)}" if first is not None else ""
            raise NothingSelectedError(f"nothing was asked in the log{when}: no share of nothing can be told")
        clean = redactor or Redactor()
        drawn, earlier = _draw(log, rows), _draw(log, before)
        return Traffic(
            format=log.format,
            why=log.why,
            lines=columns.lines,
            said=len(columns) + sum(columns.dropped.values()),
            found=len(rows),
            drawn=len(drawn),
            questions=_questions(log, drawn, clean),
            earlier_found=len(before),
            earlier_drawn=len(earlier),
            earlier=_questions(log, earlier, clean),
            timeless=0 if first is None else int((days == NO_DAY).sum()),
            broken=columns.broken,
            problems=columns.problems,
            notes=log.notes,
            since="" if first is None else day_text(first),
        )


def _draw(log: AskedLog, rows: NDArray[Any]) -> NDArray[Any]:
    """The rows that are looked at, in the order of the log. A row's lot hangs on its place in the log alone."""
    import numpy as np

    if len(rows) <= DRAWN:
        return rows
    columns = log.columns
    places = (columns.file[rows].astype(np.uint64) << np.uint64(48)) ^ (columns.offset[rows] << np.uint64(8))
    lots = mixed(places ^ columns.item[rows].astype(np.uint64), 0)
    return np.sort(rows[np.argsort(lots, kind="stable")[:DRAWN]])


def _questions(log: AskedLog, rows: NDArray[Any], redactor: Redactor) -> tuple[AskedQuestion, ...]:
    """The distinct questions of these rows, the newest of the same words standing for them, as the log has them."""
    import numpy as np

    columns, nobody = log.columns, hashes([""])[0]
    newest = rows[np.lexsort((rows, columns.day[rows]))][::-1]
    same: dict[int, list[int]] = {}
    for row, words in zip(newest.tolist(), columns.words[newest].tolist(), strict=True):
        same.setdefault(words, []).append(row)
    groups = sorted(same.values(), key=lambda group: group[0])
    found = []
    for group, (text, *_) in zip(groups, log.again([group[0] for group in groups]), strict=True):
        clean = redactor(text)
        users = frozenset(columns.user[group].tolist()) - {nobody}
        found.append(AskedQuestion(clean, by_root(clean), len(group), users))
    return tuple(found)
