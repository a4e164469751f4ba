"""Curves: the share of labelled lines that survive, by class, with intervals over documents. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from foldproof.cases import CLASSES
from foldproof.cliff.label_wire import EVERY
from foldproof.cliff.labels import LINE_CLASSES, LabelledLine
from foldproof.cliff.records import SCHEDULES, RoundState, Schedule
from foldproof.cliff.scoring import ScoredRound
from foldproof.cliff.survival import SURVIVALS, Survival
from foldproof.compare.statistics import Interval, clustered

_ORDER = tuple(dict.fromkeys((*LINE_CLASSES, *CLASSES)))


class CurveKey(NamedTuple):
    """Which curve: whose, how, and at which ratio."""

    subject: str
    schedule: Schedule
    ratio: float


@dataclass(frozen=True, slots=True)
class Point:
    """What survived of one class in one round, over all documents.

    `counts` has the lines of each outcome; `unjudged` are those of documents whose round failed, or was not asked.
    `interval` has the share that survived of the judged ones, None where there is none.
    """

    line_class: str
    number: int
    counts: Mapping[Survival, int]
    unjudged: int
    interval: Interval | None

    @property
    def survived(self) -> int:
        """Lines that still say what they said."""
        return self.counts["verbatim"] + self.counts["kept"]

    @property
    def judged(self) -> int:
        """Lines of rounds that did not fail."""
        return sum(self.counts.values())

    @property
    def of(self) -> int:
        """All lines of the class."""
        return self.judged + self.unjudged

    @property
    def share(self) -> float | None:
        """The share that survived, or None where nothing was judged."""
        return self.interval.share if self.interval else None


@dataclass(frozen=True, slots=True)
class Level:
    """One round of a curve, whatever the class: tokens over all documents whose round did not fail.

    `kept` of `size` tokens of the documents stayed, `granted` is the budget. `states` counts the rounds by what came of
    them. `over` says that more was kept than granted in some document, so that the round is no comparison.
    """

    number: int
    size: int
    granted: int
    kept: int
    states: Mapping[RoundState, int]
    unsafe: int
    stale: int
    invented: int

    @property
    def over(self) -> bool:
        """Whether a document's output had more tokens than it was granted."""
        return bool(self.states.get("over budget") or self.states.get("copy"))

    @property
    def retained(self) -> float | None:
        """The share of the documents' tokens that was kept."""
        return self.kept / self.size if self.size else None


@dataclass(frozen=True, slots=True)
class Curve:
    """All that is known of one subject under one schedule at one ratio. `points` has each class's, round by round."""

    key: CurveKey
    levels: tuple[Level, ...]
    points: Mapping[str, tuple[Point, ...]] = field(default_factory=dict)

    def cliff(self, line_class: str) -> int | None:
        """The first round in which fewer than half of a class's lines survive; None where there is none."""
        shares = ((point.number, point.share) for point in self.points[line_class])
        return next((number for number, share in shares if share is not None and share < 0.5), None)

    @property
    def over(self) -> bool:
        """Whether any of its rounds went over the budget."""
        return any(level.over for level in self.levels)


def class_order(classes: Iterable[str]) -> tuple[str, ...]:
    """Classes in the order of tables: those of foldproof first, then others by name."""
    names = set(classes)
    return (*(name for name in _ORDER if name in names), *sorted(names - set(_ORDER)))


def current(lines: Iterable[LabelledLine]) -> tuple[LabelledLine, ...]:
    """The labelled lines that count: all but those whose value a newer one replaces."""
    return tuple(line for line in lines if line.replaced_by is None)


def totals_of(lines: Iterable[LabelledLine]) -> dict[str, int]:
    """How many lines count in each class, and in all of them together first, in the order of tables."""
    counts = Counter(line.cls for line in current(lines))
    return {EVERY: counts.total(), **{name: counts[name] for name in class_order(counts)}}


def curves_of(
    scored: Iterable[ScoredRound], lines: Sequence[LabelledLine], sizes: Mapping[str, int]
) -> tuple[Curve, ...]:
    """The curves of scored rounds, subject by subject in the order given, then by schedule and ratio.

    `sizes` are the tokens of each document.
    """
    grouped: dict[CurveKey, dict[int, list[ScoredRound]]] = {}
    subjects: dict[str, int] = {}
    for one in scored:
        key = CurveKey(one.round.subject, one.round.schedule, one.round.ratio)
        subjects.setdefault(key.subject, len(subjects))
        grouped.setdefault(key, {}).setdefault(one.round.number, []).append(one)
    totals = totals_of(lines)
    ordered = sorted(grouped, key=lambda key: (subjects[key.subject], SCHEDULES.index(key.schedule), -key.ratio))
    return tuple(_curve(key, grouped[key], totals, sizes) for key in ordered)


def _curve(
    key: CurveKey,
    rounds: Mapping[int, Sequence[ScoredRound]],
    totals: Mapping[str, int],
    sizes: Mapping[str, int],
) -> Curve:
    numbers = sorted(rounds)
    points = {
        name: tuple(_point(name, number, rounds[number], of) for number in numbers) for name, of in totals.items()
    }
    return Curve(key, tuple(_level(number, rounds[number], sizes) for number in numbers), points)


def _point(name: str, number: int, rounds: Sequence[ScoredRound], of: int) -> Point:
    counts: dict[Survival, int] = dict.fromkeys(SURVIVALS, 0)
    clusters = []
    for one in rounds:
        lines = [line for line in one.lines if name in (EVERY, line.line.cls)]
        for line in lines:
            counts[line.outcome] += 1
        clusters.append((sum(line.survived for line in lines), len(lines)))
    return Point(name, number, counts, of - sum(counts.values()), clustered(clusters))


def _level(number: int, rounds: Sequence[ScoredRound], sizes: Mapping[str, int]) -> Level:
    states: dict[RoundState, int] = {}
    for one in rounds:
        states[one.round.state] = states.get(one.round.state, 0) + 1
    judged = [one for one in rounds if not one.round.failed]
    return Level(
        number,
        size=sum(sizes[one.round.document] for one in judged),
        granted=sum(one.round.budget for one in judged),
        kept=sum(one.round.kept_tokens for one in judged),
        states=states,
        unsafe=sum(bool(one.round.unsafe) for one in judged),
        stale=sum(len(one.stale) for one in judged),
        invented=sum(len(one.invented) for one in judged),
    )
