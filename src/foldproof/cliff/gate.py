"""The gate of a cliff: how many lines of a class must survive which round, in counts fixed in advance. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from foldproof.cases import Requirement
from foldproof.cases.gates import requirement_of
from foldproof.cliff.curves import Curve, CurveKey
from foldproof.core import UsageError, nearest_of

_FORM = re.compile(r"\s*([^=@]+?)\s*=\s*([^=@]+?)\s*@\s*(\d{1,4})\s*")
_EXAMPLES = "write CLASS=all@ROUND or CLASS=COUNT/OF@ROUND: `safety=all@1`, `safety=18/20@3`"


@dataclass(frozen=True, slots=True)
class Demand:
    """What is asked of one class in one round; `written` is how a person wrote it."""

    line_class: str
    number: int
    requirement: Requirement
    written: str


@dataclass(frozen=True, slots=True)
class DemandRow:
    """What a demand came to on one curve.

    `got` of `of` lines survived, `unjudged` could not be judged. With `ok` None it is undecided: unjudged lines could
    still turn it, or the round kept more than it was granted, so that it shows nothing. `reason` says which.
    """

    demand: Demand
    key: CurveKey
    need: int
    got: int
    of: int
    unjudged: int
    ok: bool | None
    reason: str = ""


def demands_of(written: Iterable[str], counts: Mapping[str, int], *, rounds: int) -> tuple[Demand, ...]:
    """The demands of a command line; `counts` are the lines of each class, and of all (`totals_of`).

    Raises:
        UsageError: with all that is wrong with them.
    """
    wrong = []
    demands = []
    for text in written:
        found = _demand(text, counts, rounds)
        if isinstance(found, Demand):
            demands.append(found)
        else:
            wrong.append("\n".join((f"--require {text}: {found[0]}", *(f"  {part}" for part in found[1].splitlines()))))
    if wrong:
        raise UsageError("\n".join(wrong))
    return tuple(demands)


def _demand(text: str, counts: Mapping[str, int], rounds: int) -> Demand | tuple[str, str]:
    form = _FORM.fullmatch(text)
    if not form:
        return "this is no demand", _EXAMPLES
    line_class, amount, number = form[1], form[2], int(form[3])
    if not counts.get(line_class):
        return f"no line is labelled '{line_class}'", nearest_of(line_class, counts)
    if not 1 <= number <= rounds:
        return f"there is no round {number}", f"allowed: 1 to {rounds}; --rounds asks for more"
    asked = requirement_of(amount, "it", count=counts[line_class], of=line_class, noun="lines", whole="the corpus")
    return Demand(line_class, number, asked, text) if isinstance(asked, Requirement) else asked


def hold_demands(demands: Sequence[Demand], curves: Iterable[Curve]) -> tuple[DemandRow, ...]:
    """Hold each demand against each curve: of every subject, under every schedule, at every ratio.

    An error never helps: lines that were judged alone decide what is lost for good. Nor does a round that went over its
    budget, which a compactor that forgets nothing would win.
    """
    return tuple(_row(demand, curve) for curve in curves for demand in demands)


def _row(demand: Demand, curve: Curve) -> DemandRow:
    point = next((one for one in curve.points[demand.line_class] if one.number == demand.number), None)
    level = next((one for one in curve.levels if one.number == demand.number), None)
    if point is None or level is None:
        of = curve.points[demand.line_class][0].of
        need = of if demand.requirement.need is None else demand.requirement.need
        return DemandRow(demand, curve.key, need, 0, of, of, None, "the round was not asked")
    need = point.of if demand.requirement.need is None else demand.requirement.need
    ok: bool | None = point.survived >= need
    reason = ""
    if point.survived + point.unjudged < need:
        ok = False
    elif point.unjudged:
        ok, reason = None, f"{point.unjudged} of {point.of} lines could not be judged"
    elif level.over:
        ok, reason = None, "more was kept than was granted, which shows nothing"
    return DemandRow(demand, curve.key, need, point.survived, point.of, point.unjudged, ok, reason)


def verdict_of(rows: Sequence[DemandRow]) -> Literal["pass", "blocked", "inconclusive"]:
    """Blocked where one demand fails; else inconclusive where one is undecided."""
    outcomes = {row.ok for row in rows}
    return "blocked" if False in outcomes else "inconclusive" if None in outcomes else "pass"
