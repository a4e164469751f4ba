"""The figures that stand beside a verdict and decide nothing: of one run, and of one run against another. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from foldproof.compare.diff import CaseChange
from foldproof.compare.statistics import Interval, SignFlip, mcnemar, pass_hat_k, sign_flip, smallest_drop, wilson
from foldproof.score import CaseScore

_COMPARED = {"kept": 0, "failing": 0, "lost": -1, "recovered": 1}
"""The changes that are pairs: judged on both sides, each side with one mind. The others are in no count."""


@dataclass(frozen=True, slots=True)
class RunFigures:
    """`passed` of `judged` cases, the Wilson interval of that rate, and pass^1 to pass^k; `unjudged` are in neither.

    k is the number of judged trials that every judged case has: repeats that only some cases were given would make it
    a figure of those in doubt.
    """

    passed: int
    judged: int
    unjudged: int
    rate: Interval | None
    pass_hat: tuple[float, ...] = ()


@dataclass(frozen=True, slots=True)
class ChangeFigures:
    """The pairs that changed, against chance.

    `p_value` is McNemar's and takes every case as its own. `by_history` takes the cases of a history as one; it is None
    where nothing changed, where all are of one history, and where no two share one, since then it says the same.
    """

    p_value: float
    smallest_drop: int | None
    by_history: SignFlip | None = None


def run_figures(scores: Mapping[str, CaseScore]) -> RunFigures:
    """The figures of one run. A case without a judged trial is counted apart, and in none of the others."""
    outcomes = [(score.passes, score.judged) for score in scores.values() if score.judged]
    passed = sum(score.outcome == "pass" for score in scores.values())
    most = min((judged for _, judged in outcomes), default=0)
    chances = (pass_hat_k(outcomes, k) for k in range(1, most + 1))
    return RunFigures(
        passed,
        len(outcomes),
        len(scores) - len(outcomes),
        wilson(passed, len(outcomes)),
        tuple(chance for chance in chances if chance is not None),
    )


def change_figures(changes: Iterable[CaseChange], histories: Mapping[str, str]) -> ChangeFigures:
    """The figures of one run against another; `histories` names that of a case, empty for a case without one."""
    pairs = [(change.id, _COMPARED[change.change]) for change in changes if change.change in _COMPARED]
    signs = Counter(sign for _, sign in pairs)
    # A name that a file can hold never begins with a null character, so a case of its own meets no history.
    clustered = sign_flip((histories.get(case_id) or f"\0{case_id}", sign) for case_id, sign in pairs)
    tells = 1 < clustered.clusters < len(pairs) and signs[0] < len(pairs)
    return ChangeFigures(
        mcnemar(signs[-1], signs[1]), smallest_drop(len(pairs)), by_history=clustered if tells else None
    )
