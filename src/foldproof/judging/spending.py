"""What asking a model comes to: many at once, and held against the limits of cost and time."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Coroutine, Iterator, Sequence
from typing import Any, TypeVar

import anyio

from foldproof.cases import Limits
from foldproof.core import first_of
from foldproof.logs import Usage

T = TypeVar("T")


class Spending:
    """The cost and the time of asking; the limits count from here, not from the run before.

    `doing` says what the model is asked for, `unpriced` what is wrong where it does not tell its cost.
    """

    def __init__(self, limits: Limits, *, doing: str, unpriced: str) -> None:
        self._limits = limits
        self._doing = doing
        self._unpriced = unpriced
        self._cost = 0.0
        self._cost_unknown = False
        self._deadline = math.inf if limits.max_time_s is None else time.monotonic() + limits.max_time_s

    def count(self, usage: Usage | None, *, answered: bool) -> None:
        """Take in what one call used; one that was answered has its cost, whether it is told or not."""
        cost = usage.cost_usd if usage else None
        if cost is not None:
            self._cost += cost
        elif answered or usage is not None:
            self._cost_unknown = True

    def limit_reached(self) -> str:
        """The limit that ends the asking, or empty."""
        most = self._limits.max_cost_usd
        if most is not None and self._cost_unknown:
            return f"the cost limit of {most} US dollars cannot be held: {self._unpriced}"
        if most is not None and self._cost >= most:
            return f"the cost limit is reached while {self._doing}: {self._cost:.4f} of {most} US dollars"
        if time.monotonic() >= self._deadline:
            return f"the time limit is reached while {self._doing}: {self._limits.max_time_s} s"
        return ""


async def work_off(
    asked: Sequence[T], work: Callable[[Iterator[T]], Coroutine[Any, Any, None]], *, concurrency: int
) -> None:
    """Run `work` on one feed of all that is asked, so many at once as there may be calls in flight."""
    feed = iter(asked)
    try:
        async with anyio.create_task_group() as group:
            for _ in range(min(concurrency, len(asked))):
                group.start_soon(work, feed)
    except BaseExceptionGroup as failures:
        raise first_of(failures) from None
