"""A proportion over clusters: lines of one document share their fate, so they count for less than so many. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from math import fsum, sqrt

from foldproof.compare.statistics.proportions import Z95, Interval


def clustered(counts: Sequence[tuple[int, int]]) -> Interval | None:
    """The share of passes over clusters of (passes, of), with a Wilson interval (95 %) of the effective size.

    None of nothing; from 0 to 1 where there is one cluster, of which nothing can be said beyond it. The variance of the
    share is that of a ratio of two sums over clusters, p = sum k / sum n, by linearization: m / (m - 1) * sum (k - p
    n)^2 / (sum n)^2 with m clusters. The size at which a simple sample would have it, p (1 - p) / variance, goes into
    Wilson's interval with the quantile of t for m - 1, after Korn and Graubard (1998), Survey Methodology 24:193-201;
    for Wilson's form of it, Dean and Pagano (2015), J. Surv. Stat. Methodol. 3:484-503. It is never taken to be above
    the number of passes and fails together, and where all clusters agree, which shows no variance, it is the number of
    clusters, sizes weighed: (sum n)^2 / sum n^2. Nothing is drawn at random.
    """
    seen = [(passes, of) for passes, of in counts if of]
    of = sum(size for _, size in seen)
    if not of:
        return None
    share = sum(passes for passes, _ in seen) / of
    if len(seen) == 1:
        return Interval(share, 0.0, 1.0)
    m = len(seen)
    squares = fsum((passes - share * size) ** 2 for passes, size in seen)
    variance = m / (m - 1) * squares / of**2
    alone = of**2 / sum(size**2 for _, size in seen)
    size = min(float(of), share * (1 - share) / variance) if variance > 0 else alone
    return _wilson(share, size, _t95(m - 1))


def _wilson(share: float, size: float, quantile: float) -> Interval:
    spread = quantile**2 / size
    centre = (share + spread / 2) / (1 + spread)
    half = quantile * sqrt(share * (1 - share) / size + spread / (4 * size)) / (1 + spread)
    return Interval(share, max(0.0, min(share, centre - half)), min(1.0, max(share, centre + half)))


def _t95(freedom: int) -> float:
    """The 97.5 % quantile of Student's t; of 1 and 2 exact, else by its expansion around the normal one.

    Abramowitz and Stegun (1964), 26.7.5: within .3 % from 3 on.
    """
    if freedom < len(_EXACT):
        return _EXACT[freedom]
    z = Z95
    terms = (
        z,
        (z**3 + z) / 4,
        (5 * z**5 + 16 * z**3 + 3 * z) / 96,
        (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / 384,
        (79 * z**9 + 776 * z**7 + 1482 * z**5 - 1920 * z**3 - 945 * z) / 92160,
    )
    return fsum(term / freedom**power for power, term in enumerate(terms))


_EXACT = (float("inf"), 12.706204736174698, 4.302652729749462)
