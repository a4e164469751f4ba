"""A proportion and how far it may be off: the Wilson and the Clopper-Pearson interval. Pure."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import comb, exp, fsum, lgamma, log, log1p, sqrt

Z95 = 1.959963984540054
"""The 97.5 % quantile of the normal distribution, for intervals of 95 %."""
_TAIL = 0.025
_HALVINGS = 60
"""Enough to bring a bound in [0, 1] below the spacing of floats."""


@dataclass(frozen=True, slots=True)
class Interval:
    """A share with its interval. Each is from 0 to 1, but for coefficients of agreement, which go from -1 to 1."""

    share: float
    low: float
    high: float


def wilson(passes: int, of: int) -> Interval | None:
    """The Wilson score interval (95 %) of a proportion, or None of nothing.

    Its mean coverage is close to 95 %; for single proportions it may be a little lower. Wilson, E. B. (1927), JASA
    22:209-212; compared with others by Brown, Cai and DasGupta (2001), Statistical Science 16:101-133.
    """
    if of == 0:
        return None
    share = passes / of
    spread = Z95**2 / of
    centre = (share + spread / 2) / (1 + spread)
    half = Z95 * sqrt(share * (1 - share) / of + spread / (4 * of)) / (1 + spread)
    # Rounding may not put the share outside of its own interval, as it would at 0 and 1.
    return Interval(share, max(0.0, min(share, centre - half)), min(1.0, max(share, centre + half)))


def clopper_pearson(passes: int, of: int) -> Interval | None:
    """The exact interval (95 %) of a proportion, or None of nothing.

    It covers the true share in at least 95 % of cases, whatever that share is, so it is wider than Wilson's. The
    bounds are the shares at which as many passes, or as few, would be seen in 2.5 % of cases: Clopper and Pearson
    (1934), Biometrika 26:404-413. They are found by halving, to the precision of floats.
    """
    if of == 0:
        return None
    share = passes / of
    # The bounds at nothing and at all have a closed form: (1 - p)^n = 2.5 %.
    edge: float = _TAIL ** (1 / of)
    if passes == 0:
        return Interval(share, 0.0, 1 - edge)
    if passes == of:
        return Interval(share, edge, 1.0)
    low = _crossing(lambda p: _tail(passes, of, p) >= _TAIL, 0.0, share)
    high = _crossing(lambda p: 1 - _tail(passes + 1, of, p) <= _TAIL, share, 1.0)
    return Interval(share, low, high)


def _crossing(holds: Callable[[float], bool], low: float, high: float) -> float:
    """Where a condition that fails at `low` and holds at `high` begins to hold."""
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        low, high = (low, middle) if holds(middle) else (middle, high)
    return high


def _tail(least: int, of: int, p: float) -> float:
    """The chance of `least` or more passes of `of`, where each passes with `p`, which is neither 0 nor 1."""
    odds, miss = log(p), log1p(-p)
    return fsum(exp(_log_comb(of, k) + k * odds + (of - k) * miss) for k in range(least, of + 1))


def _log_comb(n: int, k: int) -> float:
    # Exact where a float holds the number; the difference of three large logarithms loses digits.
    return log(comb(n, k)) if n < 200 else lgamma(n + 1) - lgamma(k + 1) - lgamma(n - k + 1)
