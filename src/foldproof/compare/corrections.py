"""How often an agent is right at the first try, and how often once it was corrected: the two rates differ. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from foldproof.cases import Case
from foldproof.score import CaseScore, TrialScore

ALL = "all"
"""The row over all classes."""


@dataclass(frozen=True, slots=True)
class CorrectionRate:
    """The trials of a class whose cases have a correction.

    `first_try` of `trials` judged ones passed without it; `corrected` were corrected, of which `after` passed. The rest
    failed without having done what the correction takes back. `errors` have no judgement and are in no other count.
    """

    case_class: str
    trials: int
    first_try: int
    corrected: int
    after: int
    errors: int = 0


def correction_rates(cases: Iterable[Case], scores: Mapping[str, CaseScore]) -> tuple[CorrectionRate, ...]:
    """One entry a class, in the order of the set, then one over all; none where no case has a correction."""
    by_class: dict[str, list[TrialScore]] = {}
    for case in cases:
        if case.corrects and case.id in scores:
            by_class.setdefault(case.case_class, []).extend(scores[case.id].trials)
    rates = [_rate(name, trials) for name, trials in by_class.items()]
    every = [trial for trials in by_class.values() for trial in trials]
    return (*rates, _rate(ALL, every)) if len(rates) > 1 else tuple(rates)


def _rate(name: str, trials: Iterable[TrialScore]) -> CorrectionRate:
    found = list(trials)
    judged = [trial for trial in found if trial.outcome != "error"]
    corrected = [trial for trial in judged if trial.corrected]
    return CorrectionRate(
        name,
        len(judged),
        sum(trial.passed and not trial.corrected for trial in judged),
        len(corrected),
        sum(trial.passed for trial in corrected),
        len(found) - len(judged),
    )
