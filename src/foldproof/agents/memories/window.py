"""The memory `window`: the last turns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar

from foldproof.agents.memories.compacting import Compacting
from foldproof.agents.memories.text import fit
from foldproof.compaction import room_of
from foldproof.logs import MemoryItem


class Window(Compacting):
    """Keeps the newest `turns` turns, and of these the newest that fit the budget."""

    kind: ClassVar[str] = "window"
    defaults: ClassVar[Mapping[str, int]] = {"budget": 2000, "turns": 40}

    def select(self, items: Sequence[MemoryItem], budget: int) -> tuple[list[MemoryItem], tuple[str, ...]]:
        """From the newest back, until the turns or the budget are used."""
        newest = list(reversed(items))[: self.settings["turns"]]
        return list(reversed(fit(newest, room_of(budget)))), ()

    def _fits(self, budget: int) -> bool:
        return len(self._items) <= self.settings["turns"] and super()._fits(budget)
