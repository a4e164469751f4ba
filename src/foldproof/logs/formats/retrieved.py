"""What a retrieval returned, as memory items, under the names that the formats give its parts."""

from __future__ import annotations

from typing import Any

from foldproof.logs.messages import json_in, text_of
from foldproof.logs.talk import MemoryItem

_LISTS = ("documents", "output", "results", "memories", "items", "matches")
_TEXTS = ("page_content", "text", "content", "memory", "document", "value", "pageContent")
_IDS = ("id", "memory_id", "document_id", "key")
_SCORES = ("score", "relevance", "similarity")


def items_of(value: Any) -> tuple[MemoryItem, ...]:  # noqa: ANN401  # any JSON value
    """The items of a list, or of an object that holds one, in their order; rank counts from 1."""
    value = json_in(value)
    if isinstance(value, dict):
        inner = next((value[name] for name in _LISTS if isinstance(value.get(name), list)), None)
        value = inner if inner is not None else [value]
    if isinstance(value, str):
        value = [value] if value else []
    if not isinstance(value, list):
        return ()
    return tuple(_item(item, rank) for rank, item in enumerate(value, 1))


def _item(value: Any, rank: int) -> MemoryItem:  # noqa: ANN401  # any JSON value
    if not isinstance(value, dict):
        return MemoryItem(text_of(value), rank=rank)
    if isinstance(value.get("document"), dict):
        value = value["document"]
    about = json_in(value.get("metadata"))
    parts = {**(about if isinstance(about, dict) else {}), **value}
    text = next((parts[name] for name in _TEXTS if parts.get(name) is not None), None)
    score = next((parts[name] for name in _SCORES if isinstance(parts.get(name), int | float)), None)
    id_ = next((str(parts[name]) for name in _IDS if isinstance(parts.get(name), str | int)), "")
    return MemoryItem(text_of(value if text is None else text), id_, rank=rank, score=_number(score))


def _number(value: Any) -> float | None:  # noqa: ANN401  # any JSON value
    try:
        return float(value) if value is not None and not isinstance(value, bool) else None
    except OverflowError:
        return None
