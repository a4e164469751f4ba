"""How far two that label the same answers agree beyond chance: Cohen's kappa and Gwet's AC1. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Hashable, Iterable
from dataclasses import dataclass
from math import fsum, sqrt

from foldproof.compare.statistics.proportions import Z95, Interval, clopper_pearson

Pairs = Iterable[tuple[Hashable, Hashable]]
_Counts = Counter[tuple[Hashable, Hashable]]


@dataclass(frozen=True, slots=True)
class Agreement:
    """A coefficient of agreement over `of` answers: (agreed - chance) / (1 - chance), from -1 to 1.

    `agreed` is the plain share of equal labels with its Clopper-Pearson interval, `chance` the share that is expected
    of labels given blindly, `error` the asymptotic standard error of `value`.
    """

    value: float
    of: int
    agreed: Interval
    chance: float
    error: float

    @property
    def asymptotic(self) -> Interval:
        """The value with 1.96 standard errors to each side, kept within -1 and 1. Nothing wide where all agree."""
        half = Z95 * self.error
        return Interval(self.value, max(-1.0, self.value - half), min(1.0, self.value + half))

    @property
    def exact(self) -> Interval:
        """The value at the exact bounds of the share that agreed, taking the expected share as it was found."""
        low, high = ((bound - self.chance) / (1 - self.chance) for bound in (self.agreed.low, self.agreed.high))
        return Interval(self.value, max(-1.0, low), high)

    @property
    def interval(self) -> Interval:
        """The wider of both at each end, which is what to show.

        The asymptotic interval shrinks to nothing as the labels come to agree, though a few dozen labels prove no
        perfect agreement; the exact one knows nothing of the doubt in the expected share.
        """
        sides = self.asymptotic, self.exact
        return Interval(self.value, min(side.low for side in sides), max(side.high for side in sides))


def cohens_kappa(pairs: Pairs) -> Agreement | None:
    """Cohen's kappa of (label, label) pairs; None of no pairs, and where both gave one and the same label only.

    There chance alone explains all, and kappa is 0/0. It is low wherever nearly all labels are the same, however
    well they agree: look at `gwets_ac1` beside it. The expected share is the sum over labels of the product of both
    sides' shares: Cohen (1960), Educ. Psychol. Meas. 20:37-46. The standard error is the one for intervals, not that
    under independence, of Fleiss, Cohen and Everitt (1969), Psychol. Bulletin 72:323-327.
    """
    counts = Counter(pairs)
    of = counts.total()
    first: Counter[Hashable] = Counter()
    second: Counter[Hashable] = Counter()
    for (one, other), count in counts.items():
        first[one] += count
        second[other] += count
    chance = sum(first[label] * second[label] for label in first) / of**2 if of else 1.0
    return _agreement(counts, chance, lambda one, other: (second[one] + first[other]) / of)


def gwets_ac1(pairs: Pairs, *, labels: Collection[Hashable] = ()) -> Agreement | None:
    """Gwet's AC1 of (label, label) pairs, which stays meaningful where nearly all labels are the same.

    `labels` are those that could have been given: one that nobody gave still counts. None of no pairs, and where
    there is one label only. The expected share is the sum of s * (1 - s) over the q labels, divided by q - 1, s being
    the mean of both sides' shares of a label; with the variance for two raters: Gwet (2008), Br. J. Math. Stat.
    Psychol. 61:29-48.
    """
    counts = Counter(pairs)
    of = counts.total()
    shares: Counter[Hashable] = Counter(dict.fromkeys(labels, 0))
    for (one, other), count in counts.items():
        shares[one] += count
        shares[other] += count
    others = len(shares) - 1
    if others < 1 or not of:
        return None
    mean = {label: count / (2 * of) for label, count in shares.items()}
    chance = fsum(share * (1 - share) for share in mean.values()) / others
    return _agreement(counts, chance, lambda one, other: (2 - mean[one] - mean[other]) / others)


def _agreement(counts: _Counts, chance: float, influence: Callable[[Hashable, Hashable], float]) -> Agreement | None:
    """The coefficient with its standard error by the delta method.

    `influence` is how much a pair of labels moves the expected share, twice it on average.
    """
    of = counts.total()
    equal = sum(count for (one, other), count in counts.items() if one == other)
    agreed = clopper_pearson(equal, of)
    if agreed is None or chance == 1.0:
        return None
    value = (agreed.share - chance) / (1 - chance)
    squares = fsum(
        count / of * ((one == other) - (1 - value) * influence(one, other)) ** 2
        for (one, other), count in counts.items()
    )
    variance = (squares - (agreed.share - 2 * (1 - value) * chance) ** 2) / (of * (1 - chance) ** 2)
    # Where every pair agrees it is 0, which rounding may turn negative.
    return Agreement(value, of, agreed, chance, sqrt(max(0.0, variance)))
