"""What several model calls used together."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TypeVar

from foldproof.logs import Usage

N = TypeVar("N", int, float)
FREE = Usage(cost_usd=0.0)
"""The usage of what asked no model."""


def summed(usages: Iterable[Usage | None]) -> Usage | None:
    """The sum, field by field; a field that is unknown in one of them is unknown in the sum."""
    known = [usage or Usage() for usage in usages if usage != FREE]
    if not known:
        return FREE
    total = Usage(
        _sum(known, lambda usage: usage.input_tokens),
        _sum(known, lambda usage: usage.output_tokens),
        _sum(known, lambda usage: usage.cost_usd),
    )
    return None if total == Usage() else total


def _sum(usages: list[Usage], part: Callable[[Usage], N | None]) -> N | None:
    total: N | None = None
    for usage in usages:
        value = part(usage)
        if value is None:
            return None
        total = value if total is None else total + value
    return total
