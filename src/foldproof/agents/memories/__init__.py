"""The reference memories: small, sync, deterministic; one a file."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from foldproof.agents.memories.memory import Memory, Recall
from foldproof.agents.memories.text import count_tokens
from foldproof.core import Registry, UsageError

__all__ = ["MEMORIES", "Memory", "Recall", "count_tokens", "kind_of", "make_memory"]

_HERE = "foldproof.agents.memories"
MEMORIES: Registry[Callable[[Mapping[str, Any]], Memory]] = Registry(
    "foldproof.memories",
    "memory kind",
    {
        "head": f"{_HERE}.head:Head",
        "head_tail": f"{_HERE}.head_tail:HeadTail",
        "none": f"{_HERE}.none:Nothing",
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


def make_memory(memory_config: Mapping[str, Any]) -> Memory:
    """An empty memory of the kind and with the settings of a memory_config.

    Raises:
        UsageError: for an unknown kind or setting, or a value of the wrong type.
    """
    settings = {name: value for name, value in memory_config.items() if name != "kind"}
    return MEMORIES.get(kind_of(memory_config))(settings)
