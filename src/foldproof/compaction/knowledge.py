"""The types of knowledge that a text holds, and the class of cases that each belongs to."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Literal

from foldproof.core import UsageError, nearest_of

KnowledgeType = Literal["constraint", "procedure", "belief", "preference", "episode"]
"""What a line is, by how it must be treated: the types of "The Compaction Cliff" (arXiv 2608.22752)."""

CLASS_OF: Mapping[KnowledgeType, str] = MappingProxyType(
    {
        "constraint": "safety",
        "procedure": "procedure",
        "belief": "semantic",
        "preference": "preference",
        "episode": "episodic",
    }
)
"""The class under which each type stands in tables and in `--require`; the order is that of what weighs most."""


def checked_types(given: Iterable[KnowledgeType], lines: int) -> list[KnowledgeType]:
    """The types that a classifier gave to so many lines.

    Raises:
        UsageError: where one is no type, or there is not one for each line.
    """
    types = list(given)
    for found in types:
        if found not in CLASS_OF:
            raise UsageError(f"the classifier gave the type {found!r}\n  {nearest_of(str(found), CLASS_OF)}")
    if len(types) != lines:
        raise UsageError(f"the classifier gave {len(types)} types for {lines} lines\n  give one for each line")
    return types
