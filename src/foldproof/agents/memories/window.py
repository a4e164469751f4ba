"""The memory `window`: the last turns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar

from foldproof import compaction
from foldproof.agents.memories.compacting import Compacting
from foldproof.agents.memories.text import passages_in
from foldproof.compaction import Selection, first_words
from foldproof.core.settings import Setting
from foldproof.logs import MemoryItem


class Window(Compacting):
    """Keeps the newest `turns` turns, and of these the newest that fit the budget."""

    kind: ClassVar[str] = "window"
    defaults: ClassVar[Mapping[str, Setting | int]] = {"budget": 2000, "turns": 40}

    def select(self, items: Sequence[MemoryItem], room: int) -> Selection:
        """From the newest back, until the turns or the room are used."""
        return compaction.Tail(cut=first_words).select(passages_in(items)[-self.settings["turns"] :], room)

    def _fits(self, budget: int) -> bool:
        return len(self._items) <= self.settings["turns"] and super()._fits(budget)
