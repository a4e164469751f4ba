"""The memory `head`: the beginning of what was said."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from foldproof.agents.memories.compacting import Compacting
from foldproof.agents.memories.text import fit
from foldproof.compaction import room_of
from foldproof.logs import MemoryItem


class Head(Compacting):
    """Keeps the oldest turns that fit."""

    kind: ClassVar[str] = "head"

    def select(self, items: Sequence[MemoryItem], budget: int) -> tuple[list[MemoryItem], tuple[str, ...]]:
        """From the oldest on, until the budget is used."""
        return fit(items, room_of(budget)), ()
