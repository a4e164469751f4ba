"""What the memories that compact share: they keep a selection of their items that fits the budget."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from foldproof.agents.memories.memory import Recall, Resources
from foldproof.agents.memories.text import kept_of, ranked, turn_items, without
from foldproof.agents.usage import FREE
from foldproof.compaction import Selection, count_tokens, room_of
from foldproof.core.settings import Setting, read_settings
from foldproof.logs import History, MemoryItem, Session


class Compacting(ABC):
    """Holds every item until it is folded, then those that `select` keeps.

    The recall is the whole memory, in its original order, whatever the question; before a fold it is what a
    fold would keep, so the budget holds either way.
    """

    kind: ClassVar[str]
    compacts: bool = True
    defaults: ClassVar[Mapping[str, Setting | int]] = {"budget": 2000}

    def __init__(self, settings: Mapping[str, Any], resources: Resources) -> None:  # noqa: ARG002  # it needs none
        self.settings = read_settings(self.kind, self.defaults, settings)
        self._items: tuple[MemoryItem, ...] = ()
        self._notes: tuple[str, ...] = ()

    async def build(self, history: History) -> None:
        """Take in a history."""
        self._items = self.read(history)
        self._notes = ()

    async def add(self, session: Session) -> None:
        """Take in one more session."""
        self._items += self.read(History("", (session,)))

    async def fold(self) -> None:
        """Keep what fits the budget."""
        kept, notes = self._selected()
        self._items = kept
        self._notes = notes

    async def recall(self, question: str) -> Recall:  # noqa: ARG002  # these memories do not retrieve
        """Everything that fits, in its order."""
        kept, notes = self._selected()
        return Recall(ranked(kept), notes, FREE)

    async def items(self) -> Sequence[MemoryItem]:
        """Everything held."""
        return self._items

    async def forget(self, item_id: str) -> None:
        """Let go of an item, and of any other that says the same."""
        self._items = without(self._items, item_id)

    async def snapshot(self) -> tuple[tuple[MemoryItem, ...], tuple[str, ...]]:
        """The items, and what the fold said of them."""
        return self._items, self._notes

    async def restore(self, snapshot: tuple[tuple[MemoryItem, ...], tuple[str, ...]]) -> None:
        """Take over items and remarks."""
        self._items, self._notes = snapshot

    def read(self, history: History) -> tuple[MemoryItem, ...]:
        """The items of a history: its turns."""
        return turn_items(history)

    @abstractmethod
    def select(self, items: Sequence[MemoryItem], room: int) -> Selection:
        """What to keep of the texts of the items, in `room` bytes; the place of a passage is that of its item."""

    def _selected(self) -> tuple[tuple[MemoryItem, ...], tuple[str, ...]]:
        budget = self.settings["budget"]
        if self._fits(budget):
            return self._items, self._notes
        found = self.select(self._items, room_of(budget))
        share = f"{self.kind}: {len(found.kept)} of {len(self._items)} items kept in {budget} tokens"
        unsafe = (f"unsafe: {found.shortage.told}",) if found.shortage else ()
        return kept_of(self._items, found.kept), (share, *unsafe, *found.notes)

    def _fits(self, budget: int) -> bool:
        return count_tokens("\n".join(item.text for item in self._items)) <= budget
