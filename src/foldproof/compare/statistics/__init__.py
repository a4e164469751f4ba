"""Statistics that inform and never decide, each with its source. Pure; nothing beyond the standard library.

Proportions are shares from 0 to 1; intervals are of 95 %. `docs/statistics.md` says of each what it is for and when to
distrust it.
"""

from foldproof.compare.statistics.agreement import Agreement, cohens_kappa, gwets_ac1
from foldproof.compare.statistics.clusters import clustered
from foldproof.compare.statistics.pairs import SignFlip, mcnemar, sign_flip, smallest_drop
from foldproof.compare.statistics.proportions import Interval, clopper_pearson, wilson
from foldproof.compare.statistics.repeats import pass_hat_k
from foldproof.compare.statistics.screening import Corrected, Rates, rogan_gladen, true_rates

__all__ = [
    "Agreement",
    "Corrected",
    "Interval",
    "Rates",
    "SignFlip",
    "clopper_pearson",
    "clustered",
    "cohens_kappa",
    "gwets_ac1",
    "mcnemar",
    "pass_hat_k",
    "rogan_gladen",
    "sign_flip",
    "smallest_drop",
    "true_rates",
    "wilson",
]
