"""The memory `full`: everything that was said, for the full-context control."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from foldproof.agents.memories.memory import Recall, Resources
from foldproof.agents.memories.text import ranked, turn_items, without
from foldproof.agents.usage import FREE
from foldproof.core.settings import read_settings
from foldproof.logs import History, MemoryItem, Session


class Full:
    """Keeps every turn and recalls them all, whatever that costs: it has no budget and finds nothing by searching."""

    compacts: bool = False

    def __init__(self, settings: Mapping[str, Any], resources: Resources) -> None:  # noqa: ARG002  # it needs none
        read_settings("full", {}, settings)
        self._items: tuple[MemoryItem, ...] = ()

    async def build(self, history: History) -> None:
        """Take in every turn."""
        self._items = turn_items(history)

    async def add(self, session: Session) -> None:
        """Take in its turns."""
        self._items += turn_items(History("", (session,)))

    async def fold(self) -> None:
        """Nothing is ever compacted."""

    async def recall(self, question: str) -> Recall:  # noqa: ARG002  # it does not search
        """Every turn, oldest first."""
        return Recall(ranked(self._items), usage=FREE)

    async def items(self) -> Sequence[MemoryItem]:
        """Every turn, oldest first."""
        return self._items

    async def forget(self, item_id: str) -> None:
        """Let go of a turn, and of any other that says the same."""
        self._items = without(self._items, item_id)

    async def snapshot(self) -> tuple[MemoryItem, ...]:
        """The turns."""
        return self._items

    async def restore(self, snapshot: tuple[MemoryItem, ...]) -> None:
        """Take over the turns."""
        self._items = snapshot
