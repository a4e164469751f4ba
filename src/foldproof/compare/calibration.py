"""How a judge does against answers that a person labelled. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from foldproof.compare.statistics import (
    Agreement,
    Corrected,
    Rates,
    cohens_kappa,
    gwets_ac1,
    rogan_gladen,
    true_rates,
)
from foldproof.compare.statistics.screening import LEAST_YOUDEN

FEWEST = 30
"""Labels of each kind with a verdict; with fewer the intervals are too wide to say anything."""
Heard = Literal["met", "not met", "cannot tell", "disagrees", "failed"]
"""What came of asking: a verdict, one that differs from repeat to repeat, or none."""
LABELS = ("met", "not met")


@dataclass(frozen=True, slots=True)
class Measured:
    """A judge measured: `counts` by (label, what was heard), and all that follows from those with a verdict.

    `prevalence` is the share of answers of the set's own that the judge says met, corrected for its errors. `reasons`
    say why nothing can be concluded; `worthless` that there were labels enough and the judge hardly tells them apart.
    """

    counts: Counter[tuple[str, Heard]]
    rates: Rates
    kappa: Agreement | None
    ac1: Agreement | None
    prevalence: Corrected
    passed: int
    of: int
    reasons: tuple[str, ...]
    worthless: bool


def measure_judge(heard: Iterable[tuple[str, Heard]], own: Sequence[bool], *, stopped: str = "") -> Measured:
    """Measure a judge by (label, heard) pairs; `own` are its verdicts on the set's own answers, True for met.

    Rates and agreement are those of the answers on which the judge decided, as a gate would take them: what it cannot
    tell is no judgement there either. Such answers are counted beside them, and are not labels for the minimum.
    """
    counts = Counter(heard)
    decided = [
        (label == "met", word == "met")
        for (label, word), count in counts.items()
        if word in LABELS
        for _ in range(count)
    ]
    rates = true_rates(decided)
    few = rates.positives < FEWEST or rates.negatives < FEWEST
    youden = rates.youden
    weak = youden is not None and youden < LEAST_YOUDEN
    reasons = [stopped] if stopped else []
    if few:
        told = f"{rates.positives} labelled `met` and {rates.negatives} labelled `not met` have a verdict"
        reasons.append(f"there are too few labels: {told}, and {FEWEST} of each are needed")
    if weak:
        reasons.append(f"the judge hardly tells right from wrong: Youden's J is {youden:.2f}, below {LEAST_YOUDEN}")
    passed = sum(own)
    return Measured(
        counts,
        rates,
        cohens_kappa(decided),
        gwets_ac1(decided, labels=(True, False)),
        rogan_gladen(passed, len(own), rates=rates),
        passed,
        len(own),
        tuple(reasons),
        weak and not few,
    )
