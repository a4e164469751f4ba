"""The types of knowledge that a text holds, and the class of cases that each belongs to."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Literal

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
