"""The memories: the reference strategies, one a file; those of vendors and plugins come through the same door."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from foldproof.agents.memories.memory import Forgets, Grows, Keeps, Memory, Recall, Resources, Serves
from foldproof.agents.memories.scratch import Scratch
from foldproof.agents.memories.spent import Spent
from foldproof.agents.usage import FREE
from foldproof.compaction import count_tokens
from foldproof.core import Registry, UsageError

__all__ = [
    "FREE",
    "MEMORIES",
    "Forgets",
    "Grows",
    "Keeps",
    "Memory",
    "Recall",
    "Resources",
    "Scratch",
    "Serves",
    "Spent",
    "count_tokens",
    "kind_of",
    "make_memory",
]

_HERE = "foldproof.agents.memories"
MemoryKind = Callable[[Mapping[str, Any], Resources], Memory]
"""Makes an empty memory of its settings, the `memory_config` without `kind`, and its resources."""
MEMORIES: Registry[MemoryKind] = Registry(
    "foldproof.memories",
    "memory kind",
    {
        "full": f"{_HERE}.full:Full",
        "head": f"{_HERE}.head:Head",
        "head_tail": f"{_HERE}.head_tail:HeadTail",
        "hybrid": f"{_HERE}.hybrid:Hybrid",
        "langgraph": f"{_HERE}.vendor_kinds:langgraph",
        "mcp": f"{_HERE}.vendor_kinds:mcp",
        "mem0": f"{_HERE}.vendor_kinds:mem0",
        "none": f"{_HERE}.none:Nothing",
        "notes": f"{_HERE}.notes:Notes",
        "openai_agents": f"{_HERE}.vendor_kinds:openai_agents",
        "paging": f"{_HERE}.paging:Paging",
        "process": f"{_HERE}.vendor_kinds:process",
        "summary": f"{_HERE}.summary:Summary",
        "triage": f"{_HERE}.triage:Triage",
        "verbatim": f"{_HERE}.verbatim:Verbatim",
        "window": f"{_HERE}.window:Window",
    },
)
DEFAULT_KIND = "verbatim"


def kind_of(memory_config: Mapping[str, Any]) -> str:
    """The kind of memory that a memory_config asks for.

    Raises:
        UsageError: where it is no text.
    """
    kind = memory_config.get("kind", DEFAULT_KIND)
    if not isinstance(kind, str):
        names = ", ".join(f"`{name}`" for name in MEMORIES.names())
        raise UsageError(f"memory: `kind` is {kind!r}, where a name is expected\n  one of: {names}")
    return kind


def make_memory(memory_config: Mapping[str, Any], resources: Resources) -> Memory:
    """An empty memory of the kind and with the settings of a memory_config.

    Raises:
        UsageError: for an unknown kind or setting, a value of the wrong type, or a resource that the kind needs.
    """
    settings = {name: value for name, value in memory_config.items() if name != "kind"}
    return MEMORIES.get(kind_of(memory_config))(settings, resources)
