"""What repeats of the same case tell. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from math import comb, fsum


def pass_hat_k(outcomes: Sequence[tuple[int, int]], k: int) -> float | None:
    """The chance that `k` trials of a case all pass, averaged over cases of (passes, trials).

    C(c, k) / C(n, k) of a case with c passes in n trials, which is unbiased, after tau-bench (Yao et al. 2024, arXiv
    2406.12045, section 3.2). A case with fewer than `k` trials is left out; None where no case has as many.
    """
    shares = [comb(passes, k) / comb(trials, k) for passes, trials in outcomes if trials >= k]
    # Exact sums, so that the order of the cases does not show in the last digit.
    return fsum(shares) / len(shares) if shares else None
