"""The memory `head`: the beginning of what was said."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from foldproof import compaction
from foldproof.agents.memories.compacting import Compacting
from foldproof.agents.memories.text import passages_in
from foldproof.compaction import Selection, first_words
from foldproof.logs import MemoryItem


class Head(Compacting):
    """Keeps the oldest turns that fit."""

    kind: ClassVar[str] = "head"

    def select(self, items: Sequence[MemoryItem], room: int) -> Selection:
        """From the oldest on, until the room is used."""
        return compaction.Head(cut=first_words).select(passages_in(items), room)
