"""Statistics that inform and never decide. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from math import comb, sqrt

_Z95 = 1.959963984540054
"""The 97.5 % quantile of the normal distribution, for intervals of 95 %."""
SIGNIFICANT = 0.05


@dataclass(frozen=True, slots=True)
class Interval:
    """A proportion with its interval, each from 0 to 1."""

    share: float
    low: float
    high: float


def wilson(passes: int, of: int) -> Interval | None:
    """The Wilson score interval (95 %) of a proportion, or None of nothing (Wilson 1927)."""
    if of == 0:
        return None
    share = passes / of
    spread = _Z95**2 / of
    centre = (share + spread / 2) / (1 + spread)
    half = _Z95 * sqrt(share * (1 - share) / of + spread / (4 * of)) / (1 + spread)
    # Rounding may not put the share outside of its own interval, as it would at 0 and 1.
    return Interval(share, max(0.0, min(share, centre - half)), min(1.0, max(share, centre + half)))


def mcnemar(lost: int, recovered: int) -> float:
    """The exact two-sided McNemar p-value of paired outcomes, from the pairs that changed (Edwards 1948)."""
    changed = lost + recovered
    tail: float = sum(comb(changed, k) for k in range(min(lost, recovered) + 1)) / 2**changed
    return min(1.0, 2 * tail)


def pass_hat_k(outcomes: list[tuple[int, int]], k: int) -> float | None:
    """The chance that `k` trials of a case all pass, averaged over cases of (passes, trials).

    C(c, k) / C(n, k), after tau-bench (arXiv 2406.12045, section 3.2). None where no case has `k` trials.
    """
    shares = [comb(passes, k) / comb(trials, k) for passes, trials in outcomes if trials >= k]
    return sum(shares) / len(shares) if shares else None


def smallest_drop(pairs: int) -> int | None:
    """The fewest losses, with nothing recovered, that McNemar's test would call significant; None if none would."""
    return next((lost for lost in range(1, pairs + 1) if mcnemar(lost, 0) < SIGNIFICANT), None)
