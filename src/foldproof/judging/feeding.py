"""Many questions to a model at once, off one feed."""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Iterator, Sequence
from typing import Any, TypeVar

import anyio

from foldproof.core import first_of

T = TypeVar("T")


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
