"""Paired outcomes, each case before and after: did more change than chance would change? Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from math import comb

SIGNIFICANT = 0.05


@dataclass(frozen=True, slots=True)
class SignFlip:
    """A sign-flip test over clusters.

    `p_value` is two-sided and exact. `clusters` is how many clusters the pairs lie in, `moved` in how many of them
    losses and recoveries do not balance: only these say something. `least` is the smallest p-value that so many
    could give, so where it is above 0.05 the test could not have shown anything.
    """

    p_value: float
    clusters: int
    moved: int

    @property
    def least(self) -> float:
        """The p-value if every cluster that moved had moved the same way: 2 / 2^moved."""
        return min(1.0, 2.0 ** (1 - self.moved))


def mcnemar(lost: int, recovered: int) -> float:
    """The exact two-sided McNemar p-value of paired outcomes, from the pairs that changed.

    A binomial test of the changed pairs with chance 1/2: 2 * sum of C(n, k) / 2^n over k up to the smaller count, n
    being both together. McNemar (1947), Psychometrika 12:153-157; the exact conditional test of Fagerland, Lydersen
    and Laake (2013), BMC Med. Res. Methodol. 13:91. It takes the pairs as independent: see `sign_flip` where cases
    share a history.
    """
    changed = lost + recovered
    tail: float = sum(comb(changed, k) for k in range(min(lost, recovered) + 1)) / 2**changed
    return min(1.0, 2 * tail)


def smallest_drop(pairs: int) -> int | None:
    """The fewest losses, with nothing recovered, that McNemar's test would call significant; None if none would."""
    return next((lost for lost in range(1, pairs + 1) if mcnemar(lost, 0) < SIGNIFICANT), None)


def sign_flip(changes: Iterable[tuple[str, int]]) -> SignFlip:
    """Test paired changes where cases of one cluster (a user, a history) may change together.

    `changes` has a (cluster, change) for each pair: 1 recovered, -1 lost, 0 as before. If nothing but chance moves a
    cluster, its change as a whole is as likely to have the other sign; the p-value is the share of all sign
    patterns whose total is at least as far from 0 as the one that was seen (Fisher 1935, The Design of Experiments,
    section 21; with clusters as the units, Gail et al. 1996, Statistics in Medicine 15:1069-1092). Clusters of one
    pair each make it McNemar's exact test.

    Totals are whole numbers, so all 2^n patterns are counted, total by total; nothing is drawn at random.
    """
    totals: Counter[str] = Counter()
    for cluster, change in changes:
        totals[cluster] += change
    moved = [abs(total) for total in totals.values() if total]
    patterns = Counter({0: 1})
    for total in moved:
        flipped: Counter[int] = Counter()
        for reached, count in patterns.items():
            flipped[reached + total] += count
            flipped[reached - total] += count
        patterns = flipped
    seen = abs(sum(totals.values()))
    as_far = sum(count for reached, count in patterns.items() if abs(reached) >= seen)
    return SignFlip(as_far / 2 ** len(moved), len(totals), len(moved))
