"""The memory `head_tail`: hierarchical truncation, the beginning and the end of what was said."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from foldproof import compaction
from foldproof.agents.memories.compacting import Compacting
from foldproof.agents.memories.text import passages_in
from foldproof.compaction import Selection, first_words
from foldproof.logs import MemoryItem


class HeadTail(Compacting):
    """Keeps the oldest turns in half the budget and the newest in the other half; the middle goes.

    What the first half leaves unused goes to the second.
    """

    kind: ClassVar[str] = "head_tail"

    def select(self, items: Sequence[MemoryItem], room: int) -> Selection:
        """Half from the oldest on, the rest from the newest back."""
        return compaction.HeadTail(head_cut=first_words, tail_cut=first_words).select(passages_in(items), room)
