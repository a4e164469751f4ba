"""Foreign JSON at the edge: tool calls, memory items and error texts as agents and endpoints write them."""

from __future__ import annotations

import json
import math
import re
from typing import Any

from foldproof.agents.errors import AgentError
from foldproof.logs import MemoryItem, ToolCall, Usage, arguments_of

MOST = 2**53
"""The largest count that is believed: beyond it a float is no longer exact, and no model counts so far."""
_PASSING_STATUS = frozenset({408, 409, 425, 429})
_PASSING = re.compile(r"\b429\b|rate.?limit|too many requests|overloaded|temporarily unavailable", re.IGNORECASE)


def may_pass(text: str) -> bool:
    """Whether an error text speaks of a failure that may pass, whatever status it came with."""
    return _PASSING.search(text) is not None


def status_may_pass(status: int) -> bool:
    """Whether an HTTP status speaks of a failure that may pass: 408, 409, 425, 429, 5xx."""
    return status in _PASSING_STATUS or 500 <= status < 600


def number_of(value: Any) -> float | None:  # noqa: ANN401  # any JSON value
    """A foreign number; None for what is none, and for one that no machine holds: JSON sets no bound."""
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return None
    try:
        number = float(value)
    except OverflowError:
        return None
    return number if math.isfinite(number) else None


def tool_calls_of(value: Any, place: str) -> tuple[ToolCall, ...] | None:  # noqa: ANN401  # any JSON value
    """Tool calls `{"name", "args"}`; None where the field is absent or null.

    Raises:
        AgentError: where it is no list of such objects.
    """
    if value is None:
        return None
    calls = []
    for part in _list(value, place):
        if not isinstance(part, dict) or not isinstance(part.get("name"), str):
            raise AgentError(f'{place} holds {_short(part)}, where {{"name": "…", "args": {{…}}}} is expected')
        calls.append(ToolCall(part["name"], arguments_of(part.get("args"))))
    return tuple(calls)


def items_of(value: Any, place: str, *, ranks: bool = False) -> tuple[MemoryItem, ...] | None:  # noqa: ANN401  # any JSON value
    """Memory items, `{"text", "id", "kind", "score", "user"}` or bare texts.

    With `ranks` they are ranked from 1 in their order, and `dropped` says why a candidate was not given.


    Raises:
        AgentError: where it is no list of such items.
    """
    if value is None:
        return None
    items = []
    for rank, part in enumerate(_list(value, place), 1):
        fields = {"text": part} if isinstance(part, str) else part
        if not isinstance(fields, dict) or not isinstance(fields.get("text"), str):
            raise AgentError(f'{place} holds {_short(part)}, where {{"text": "…"}} is expected')
        items.append(
            MemoryItem(
                fields["text"],
                id=str(fields.get("id") or ""),
                kind=str(fields.get("kind") or ""),
                rank=rank if ranks else 0,
                score=number_of(fields.get("score")),
                user=str(fields.get("user") or ""),
                dropped=str(fields.get("dropped") or "") if ranks else "",
            )
        )
    return tuple(items)


def state_of(value: Any, place: str) -> dict[str, Any] | None:  # noqa: ANN401  # any JSON value
    """The state of an agent's world, an object; None where the field is absent or null.

    Raises:
        AgentError: where it is anything else.
    """
    if value is not None and not isinstance(value, dict):
        raise AgentError(f"{place} is {_short(value)}, where an object is expected")
    return value


def usage_of(value: Any, input_name: str, output_name: str) -> Usage | None:  # noqa: ANN401  # any JSON value
    """Usage by the names that the source gives its counts; None where it gives none."""
    if not isinstance(value, dict):
        return None
    usage = Usage(_count(value.get(input_name)), _count(value.get(output_name)), number_of(value.get("cost_usd")))
    return None if usage == Usage() else usage


def _count(value: Any) -> int | None:  # noqa: ANN401  # any JSON value
    number = number_of(value)
    return int(number) if number is not None and 0 <= value <= MOST else None


def _list(value: Any, place: str) -> list[Any]:  # noqa: ANN401  # any JSON value
    if not isinstance(value, list):
        raise AgentError(f"{place} is {_short(value)}, where a list is expected")
    return value


def _short(value: Any) -> str:  # noqa: ANN401  # any JSON value
    try:
        return json.dumps(value, ensure_ascii=False)[:200]
    except (TypeError, ValueError):  # what a Python agent gave need not be JSON
        return type(value).__name__
