"""What stands beside the curves: the ceiling that no budget can be above, and who changes places between schedules."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

from foldproof.cliff.curves import EVERY, Curve, CurveKey, Level, Point, class_order, current
from foldproof.cliff.labels import LabelledLine
from foldproof.cliff.records import Schedule
from foldproof.cliff.scoring import ScoredRound
from foldproof.cliff.survival import SURVIVALS, Survival
from foldproof.compaction import cost_of, room_of
from foldproof.compare.statistics import clustered

CEILING = "ceiling"
"""The name of the row that is no method: what labels and budget alone would allow."""


@dataclass(frozen=True, slots=True)
class Flip:
    """Two subjects that change places: `first` keeps more under one schedule, `second` under another.

    The shares are those of all classes in the last round at `ratio`, those of `first` before those of `second`.
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


def flips_of(curves: Sequence[Curve]) -> tuple[Flip, ...]:
    """The pairs of subjects whose order turns round between two schedules at the same ratio, in the last round.

    A subject that went over its budget is left out: it is no comparison.
    """
    found = []
    for ratio in sorted({curve.key.ratio for curve in curves}, reverse=True):
        shares: dict[str, dict[Schedule, float]] = {}
        for curve in curves:
            share = curve.points[EVERY][-1].share
            if curve.key.ratio == ratio and not curve.over and share is not None:
                shares.setdefault(curve.key.subject, {})[curve.key.schedule] = share
        for one, other in combinations(shares, 2):
            found += _turned(one, other, ratio, shares)
    return tuple(found)


def _turned(one: str, other: str, ratio: float, shares: Mapping[str, Mapping[Schedule, float]]) -> list[Flip]:
    shared = (schedule for schedule in shares[one] if schedule in shares[other])
    both = [(schedule, (shares[one][schedule], shares[other][schedule])) for schedule in shared]
    ahead = next(((schedule, pair) for schedule, pair in both if pair[0] > pair[1]), None)
    behind = next(((schedule, pair) for schedule, pair in both if pair[0] < pair[1]), None)
    return [Flip(one, other, ratio, *ahead, *behind)] if ahead and behind else []
