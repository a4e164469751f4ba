"""What a run has used of its cost and its time, held against their limits."""

from __future__ import annotations

import math
import time

from foldproof.cases import Limits
from foldproof.logs import Usage


class Spending:
    """The cost and the time of whatever asks a model; the time counts from here.

    `unpriced` says what is wrong where a cost is not told, `doing` what the model is asked for. `spent`, in US dollars,
    was used before.
    """

    def __init__(self, limits: Limits, *, unpriced: str, doing: str = "", spent: float = 0.0) -> None:
        self._limits = limits
        self._unpriced = unpriced
        self._while = f" while {doing}" if doing else ""
        self._cost = spent
        self._cost_unknown = False
        self._deadline = math.inf if limits.max_time_s is None else time.monotonic() + limits.max_time_s

    def count(self, usage: Usage | None, *, answered: bool) -> None:
        """Take in what one call used; one that was answered has its cost, whether it is told or not."""
        cost = usage.cost_usd if usage else None
        if cost is not None:
            self._cost += cost
        elif answered:
            self._cost_unknown = True

    def limit_reached(self) -> str:
        """The limit that ends the asking, or empty."""
        most = self._limits.max_cost_usd
        if most is not None and self._cost_unknown:
            return f"the cost limit of {most} US dollars cannot be held: {self._unpriced}"
        if most is not None and self._cost >= most:
            return f"the cost limit is reached{self._while}: {self._cost:.4f} of {most} US dollars"
        if time.monotonic() >= self._deadline:
            return f"the time limit is reached{self._while}: {self._limits.max_time_s} s"
        return ""
