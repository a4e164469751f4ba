"""Questions that users really asked, out of logs: read, told from small talk, merged, and a fair few chosen."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from foldproof.core import Redactor
from foldproof.logs.asked import AskedLog, day_text, first_day, open_asked
from foldproof.logs.choosing import fair_order, mixed
from foldproof.logs.formats import LogFormat
from foldproof.logs.near import merged
from foldproof.logs.scanning import NO_DAY, Columns, hashes
from foldproof.logs.topics import topics_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

_LEAST_POOL, _POOL = 5_000, 20
"""Questions that are compared with each other: so many, or so many times those that are wanted."""


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


@dataclass(frozen=True, slots=True)
class MineOptions:
    """How many questions are wanted, of which days and users, and how the lots are drawn.

    `since` is what `first_day` takes. `statements` keeps messages that ask nothing. `jobs` is the number of processes,
    by default one a core.
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
        UsageError: as `read_logs`, and for a `since` that is none.
        MissingExtraError: where the extra `mine` is not installed.
    """
    statements, jobs = options.statements, options.jobs
    with open_asked(paths, format_name=format_name, redactor=redactor, statements=statements, jobs=jobs) as asked:
        return _chosen(asked, options, redactor or Redactor())


def _chosen(asked: AskedLog, options: MineOptions, redactor: Redactor) -> Mined:
    import numpy as np

    columns, dropped = asked.columns, Counter(asked.columns.dropped)
    rows = np.arange(len(columns))
    first = first_day(columns, options.since)
    if first is not None:
        rows = rows[columns.day[rows] >= first]
        dropped["no time"] = int((columns.day == NO_DAY).sum())
        dropped["before"] = len(columns) - len(rows) - dropped["no time"]
    firsts, counts = _distinct(columns, rows)
    pool = _pool(columns, firsts, options)
    texts = asked.again([int(firsts[at]) for at in pool])
    stands = merged([text for text, *_ in texts])
    kept = [number for number, first in enumerate(stands) if first == number]
    topics = topics_of([redactor(texts[number][0]) for number in kept])  # no topic is a piece of a secret
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
        text, user, session, _ = texts[number]
        named, day, often = (
            map(redactor, (text, user, session, topics[at])),
            int(columns.day[own[at]]),
            int(weights[number]),
        )
        text, user, session, topic = named
        questions.append(Question(text, user, session, day_text(day), topic, often, groups[number] - often))
    return Mined(
        format=asked.format,
        why=asked.why,
        quick=asked.quick,
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
        notes=asked.notes,
        since="" if first is None else day_text(first),
        seed=options.seed,
    )


def _distinct(columns: Columns, rows: NDArray[Any]) -> tuple[NDArray[Any], NDArray[Any]]:
    """Of each question in the same words the newest row, in the order of the log, and how often it stands there."""
    import numpy as np

    order = rows[np.argsort(columns.words[rows])]
    words = columns.words[order]
    starts = np.flatnonzero(np.append(True, words[1:] != words[:-1])[: len(order)])
    age = columns.day[order].astype(np.int64) << 32 | order  # the newest day, then the last row of it
    newest = np.maximum.reduceat(age, starts) & 0xFFFFFFFF if len(order) else order
    by = np.argsort(newest)
    return newest[by], np.diff(np.append(starts, len(order)))[by]


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
