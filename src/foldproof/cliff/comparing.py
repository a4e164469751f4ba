"""What stands beside the curves: the ceiling that no budget can be above, and who changes places between schedules."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import fsum

from foldproof.cliff.curves import Curve, CurveKey, Level, Point, class_order, current
from foldproof.cliff.label_wire import EVERY
from foldproof.cliff.labels import LabelledLine
from foldproof.cliff.records import Schedule
from foldproof.cliff.scoring import ScoredRound
from foldproof.cliff.survival import SURVIVALS, Survival
from foldproof.compaction import cost_of, room_of
from foldproof.compare.statistics import clustered

CEILING = "ceiling"
"""The name of the row that is no method: what labels and budget alone would allow."""
_APART = 0.02
"""The difference of shares from which on one subject is said to keep more than another."""


@dataclass(frozen=True, slots=True)
class Flip:
    """Two subjects that change places: `first` keeps more under one schedule, `second` under another.

    The shares are means over the rounds at `ratio`, that of `first` before that of `second`.
    """

    first: str
    second: str
    ratio: float
    under: Schedule
    shares: tuple[float, float]
    but_under: Schedule
    but_shares: tuple[float, float]


def ceiling_curves(
    scored: Iterable[ScoredRound], lines: Sequence[LabelledLine], sizes: Mapping[str, int]
) -> tuple[Curve, ...]:
    """The most lines of each class that the budgets could hold whole: those of the class first, the short ones first.

    A ceiling of keeping lines, which no method knows which to keep; one that rewrites can be shorter. Each class has
    its own: no budget holds all of them at once.
    """
    budgets: dict[CurveKey, dict[int, dict[str, int]]] = {}
    for one in scored:
        key = CurveKey(CEILING, one.round.schedule, one.round.ratio)
        budgets.setdefault(key, {}).setdefault(one.round.number, {})[one.round.document] = one.round.budget
    costs: dict[str, dict[str, list[int]]] = {}
    for line in current(lines):
        for name in (EVERY, line.cls):
            costs.setdefault(name, {}).setdefault(line.document, []).append(cost_of(line.text))
    return tuple(
        Curve(
            key,
            tuple(_level(number, rounds[number], sizes) for number in sorted(rounds)),
            {
                name: tuple(_point(name, number, rounds[number], costs[name]) for number in sorted(rounds))
                for name in (EVERY, *class_order(name for name in costs if name != EVERY))
            },
        )
        for key, rounds in budgets.items()
    )


def _level(number: int, budgets: Mapping[str, int], sizes: Mapping[str, int]) -> Level:
    granted = sum(budgets.values())
    size = sum(sizes[name] for name in budgets)
    return Level(number, size, granted, kept=granted, states={}, unsafe=0, stale=0, invented=0)


def _point(name: str, number: int, budgets: Mapping[str, int], costs: Mapping[str, Sequence[int]]) -> Point:
    clusters = [
        (_fitting(costs.get(document, ()), room_of(budget)), len(costs.get(document, ())))
        for document, budget in budgets.items()
    ]
    kept, of = sum(fit for fit, _ in clusters), sum(map(len, costs.values()))
    judged = sum(size for _, size in clusters)
    counts: dict[Survival, int] = {**dict.fromkeys(SURVIVALS, 0), "verbatim": kept, "lost": judged - kept}
    return Point(name, number, counts, of - judged, clustered(clusters))


def _fitting(costs: Iterable[int], room: int) -> int:
    """How many of the lines fit, the shortest first."""
    count = 0
    for cost in sorted(costs):
        room -= cost
        count += room >= 0
    return count


def flips_of(curves: Sequence[Curve], line_class: str) -> tuple[Flip, ...]:
    """The pairs of subjects whose order in a class turns round between two schedules at the same ratio.

    Shares are means over the rounds, and a difference of less than .02 is none. A subject that went over its budget is
    left out: it is no comparison.
    """
    means: dict[float, dict[str, dict[Schedule, float]]] = {}
    for curve in curves:
        shares = [point.share for point in curve.points[line_class]]
        known = [share for share in shares if share is not None]
        if not curve.over and known and len(known) == len(shares):
            of_ratio = means.setdefault(curve.key.ratio, {})
            of_ratio.setdefault(curve.key.subject, {})[curve.key.schedule] = fsum(known) / len(known)
    return tuple(
        flip
        for ratio, subjects in means.items()
        for one, other in combinations(subjects, 2)
        for flip in _turned(one, other, ratio, subjects)
    )


def _turned(one: str, other: str, ratio: float, means: Mapping[str, Mapping[Schedule, float]]) -> list[Flip]:
    shared = [schedule for schedule in means[one] if schedule in means[other]]
    both = [(schedule, (means[one][schedule], means[other][schedule])) for schedule in shared]
    ahead = next(((schedule, pair) for schedule, pair in both if pair[0] - pair[1] >= _APART), None)
    behind = next(((schedule, pair) for schedule, pair in both if pair[1] - pair[0] >= _APART), None)
    return [Flip(one, other, ratio, *ahead, *behind)] if ahead and behind else []
