"""How long to wait before a call that failed is made again, and a call that waits so."""

from __future__ import annotations

import random
from collections.abc import Awaitable, Callable
from typing import TypeVar

from foldproof.agents.errors import AgentError, TransientError

T = TypeVar("T")
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


async def patiently(call: Callable[[], Awaitable[T]], *, timeout_s: float, retries: int) -> T:
    """What a call gives, made again up to `retries` times where its failure may pass, each within `timeout_s`.

    Raises:
        AgentError: where it fails for good.
        TimeoutError: where it takes too long; that is not tried again.
    """
    import anyio

    attempts = 0
    while True:
        attempts += 1
        try:
            with anyio.fail_after(timeout_s):
                return await call()
        except TransientError as error:
            if attempts > retries or not worth_waiting(error.retry_after_s, timeout_s):
                times = f"{attempts} attempts" if attempts > 1 else "one attempt"
                raise AgentError(f"{error} (given up after {times})") from error
            wait_s = delay_s(attempts, error.retry_after_s)
        await anyio.sleep(wait_s)
