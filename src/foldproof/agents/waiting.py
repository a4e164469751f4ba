"""How long to wait before a call that failed is made again."""

from __future__ import annotations

import random

FIRST_S = 0.5
LONGEST_S = 30.0


def delay_s(attempts: int, wish_s: float | None) -> float:
    """Seconds to wait after so many attempts: the server's wish, else doubling with jitter, up to half a minute."""
    if wish_s is not None:
        return max(wish_s, 0.0)
    backoff: float = FIRST_S * 2 ** (attempts - 1)
    return min(backoff, LONGEST_S) * random.uniform(0.5, 1.0)  # noqa: S311  # jitter, no secret


def worth_waiting(wish_s: float | None, timeout_s: float) -> bool:
    """Whether what the server wishes is short enough to be waited for."""
    return wish_s is None or wish_s <= max(timeout_s, LONGEST_S)
