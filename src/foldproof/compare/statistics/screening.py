"""A judge as a screening test: how often it is right, and what its pass rate would be if it always were. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from math import sqrt

from foldproof.compare.statistics.proportions import Z95, Interval, clopper_pearson

LEAST_YOUDEN = 0.1
"""Below this the correction divides by next to nothing: the judge hardly tells right from wrong."""


@dataclass(frozen=True, slots=True)
class Rates:
    """How a judge did on answers whose label is known.

    Of `positives`, the answers that are right, it passed `hits`; of `negatives` it refused `refusals`.
    """

    hits: int
    positives: int
    refusals: int
    negatives: int

    @property
    def sensitivity(self) -> Interval | None:
        """The true positive rate, with its exact interval; None without a positive label."""
        return clopper_pearson(self.hits, self.positives)

    @property
    def specificity(self) -> Interval | None:
        """The true negative rate, with its exact interval; None without a negative label."""
        return clopper_pearson(self.refusals, self.negatives)

    @property
    def false_passes(self) -> Interval | None:
        """The share of wrong answers that it lets pass, with its exact interval; None without a negative label."""
        return clopper_pearson(self.negatives - self.refusals, self.negatives)

    @property
    def youden(self) -> float | None:
        """Youden's J, sensitivity + specificity - 1: 1 is a perfect judge, 0 a coin (Youden 1950, Cancer 3:32-35)."""
        if not self.positives or not self.negatives:
            return None
        return self.hits / self.positives + self.refusals / self.negatives - 1


@dataclass(frozen=True, slots=True)
class Corrected:
    """A pass rate corrected for the errors of its judge.

    `share` is from 0 to 1, None where the judge is too weak to correct by, or was not measured: `reason` says so.
    `plain` is what the formula gives; with `clamped` it fell outside of 0 and 1 and `share` is the nearer end, a sign
    that the judge does not work here as it did on the labelled answers. `error` is the standard error of `plain`, `low`
    and `high` the interval (95 %) of Lang and Reiczigel.
    """

    share: float | None
    plain: float | None = None
    error: float | None = None
    low: float = 0.0
    high: float = 1.0
    reason: str = ""

    @property
    def clamped(self) -> bool:
        """Whether the formula left 0 to 1."""
        return self.share != self.plain


def true_rates(pairs: Iterable[tuple[bool, bool]]) -> Rates:
    """Count (label, judged) pairs, where True is a pass."""
    counts = Counter((bool(label), bool(judged)) for label, judged in pairs)
    return Rates(
        counts[True, True],
        counts[True, True] + counts[True, False],
        counts[False, False],
        counts[False, False] + counts[False, True],
    )


def rogan_gladen(passes: int, of: int, *, rates: Rates) -> Corrected:
    """Correct a pass rate, `passes` of `of` answers, for the `rates` of the judge that gave it.

    share = (p + specificity - 1) / J with J = sensitivity + specificity - 1, and with the doubt of all three samples
    variance = (p(1-p)/n + share^2 se(1-se)/n_se + (1-share)^2 sp(1-sp)/n_sp) / J^2: Rogan and Gladen (1978), Am. J.
    Epidemiol. 107:71-76. The interval is that of Lang and Reiczigel (2014), Prev. Vet. Med. 113:13-22, made for
    small samples and for shares near 0 and 1, where the standard error tells little.

    There is no share without answers, without labels of both kinds, or with J below 0.1. The judge must err on these
    answers as it did on the labelled ones, which no formula can check.
    """
    youden = rates.youden
    if youden is None:
        return Corrected(None, reason="the judge has no labels of both kinds to be measured by")
    if of == 0:
        return Corrected(None, reason="there are no answers")
    if youden < LEAST_YOUDEN:
        reason = f"the judge hardly tells right from wrong: Youden's J is {youden:.2f}, below {LEAST_YOUDEN}"
        return Corrected(None, reason=reason)
    samples = (passes, of), (rates.hits, rates.positives), (rates.refusals, rates.negatives)
    plain, error = _estimate(*samples)
    share = min(1.0, max(0.0, plain))
    low, high = _lang_reiczigel(*samples)
    return Corrected(share, plain, error, min(share, low), max(share, high))


_Sample = tuple[float, float]


def _estimate(passed: _Sample, sensitivity: _Sample, specificity: _Sample) -> tuple[float, float]:
    """The corrected share and its standard error, of (count, of) each."""
    p, se, sp = (count / of for count, of in (passed, sensitivity, specificity))
    youden = se + sp - 1
    share = (p + sp - 1) / youden
    variance = (
        p * (1 - p) / passed[1]
        + share**2 * se * (1 - se) / sensitivity[1]
        + (1 - share) ** 2 * sp * (1 - sp) / specificity[1]
    )
    return share, sqrt(variance) / youden


def _lang_reiczigel(passed: _Sample, sensitivity: _Sample, specificity: _Sample) -> tuple[float, float]:
    """The bounds by their method: pseudo-counts are added to each sample, then the middle is shifted."""
    (passes, of), (hits, positives), (refusals, negatives) = passed, sensitivity, specificity
    se, sp = (hits + 1) / (positives + 2), (refusals + 1) / (negatives + 2)
    if se + sp - 1 < LEAST_YOUDEN:
        return 0.0, 1.0  # So few labels that the judge may be no better than a coin: nothing is known.
    middle, error = _estimate(
        (passes + Z95**2 / 2, of + Z95**2), (hits + 1, positives + 2), (refusals + 1, negatives + 2)
    )
    shift = 2 * Z95**2 * (middle * se * (1 - se) / (positives + 2) - (1 - middle) * sp * (1 - sp) / (negatives + 2))
    low, high = (min(1.0, max(0.0, middle + shift + side * Z95 * error)) for side in (-1, 1))
    return low, high
