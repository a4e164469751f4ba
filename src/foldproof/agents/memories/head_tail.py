"""The memory `head_tail`: hierarchical truncation, the beginning and the end of what was said."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from foldproof.agents.memories.compacting import Compacting
from foldproof.agents.memories.text import fit
from foldproof.compaction import cost_of, room_of
from foldproof.logs import MemoryItem


class HeadTail(Compacting):
    """Keeps the oldest turns in half the budget and the newest in the other half; the middle goes.

    What the first half leaves unused goes to the second.
    """

    kind: ClassVar[str] = "head_tail"

    def select(self, items: Sequence[MemoryItem], budget: int) -> tuple[list[MemoryItem], tuple[str, ...]]:
        """Half from the oldest on, the rest from the newest back."""
        room = room_of(budget)
        head = fit(items, room // 2)
        rest = room - sum(cost_of(item.text) for item in head)
        tail = fit(reversed(items[len(head) :]), rest)
        return [*head, *reversed(tail)], ()
