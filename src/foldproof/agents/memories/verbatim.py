"""The memory `verbatim`: every turn as it was said, found again by full-text search."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, ClassVar

from foldproof.agents.memories.full_text import Index
from foldproof.agents.memories.memory import Recall, Resources
from foldproof.agents.memories.searching import BEYOND, best_of, budget_room
from foldproof.agents.memories.settings import read_settings
from foldproof.agents.memories.text import turn_items, turns_of, without
from foldproof.logs import History, MemoryItem, Session


class Verbatim:
    """Keeps each turn and recalls the `k` that match the question best (BM25), ties in the order they were said.

    The score of an item is BM25 as SQLite counts it, turned so that more is better; it has no fixed scale.
    Question and turns are normalized alike, so accents, case, Markdown and scripts without spaces match.
    It finds words, not meanings: a question in other words than the turn finds nothing.
    """

    compacts: bool = False
    defaults: ClassVar[Mapping[str, int]] = {"budget": 1500, "k": 8}

    def __init__(self, settings: Mapping[str, Any], resources: Resources) -> None:  # noqa: ARG002  # it needs none
        self.settings = read_settings("verbatim", self.defaults, settings)
        self._items: tuple[MemoryItem, ...] = ()
        self._said: tuple[str, ...] = ()
        self._index: Index | None = None

    async def build(self, history: History) -> None:
        """Index every turn: what was said, and when; not by whom, which would match a question's `user`."""
        self._hold(turn_items(history), _said(history))

    async def add(self, session: Session) -> None:
        """Index its turns too."""
        later = History("", (session,))
        self._hold((*self._items, *turn_items(later)), [*self._said, *_said(later)])

    async def fold(self) -> None:
        """Nothing is ever compacted."""

    async def recall(self, question: str) -> Recall:
        """The best matches, best first, within the budget."""
        k: int = self.settings["k"]
        found = [] if self._index is None else self._index.search(question, k + BEYOND)
        candidates = [replace(self._items[at], score=score) for at, score in found]
        room, told = budget_room(self.settings["budget"])
        return best_of("verbatim", candidates, k=k, room=room, told=told)

    async def items(self) -> Sequence[MemoryItem]:
        """Every turn, oldest first."""
        return self._items

    async def forget(self, item_id: str) -> None:
        """Let go of a turn, and of any other that says the same."""
        kept = without(self._items, item_id)
        ids = {item.id for item in kept}
        said = [self._said[at] for at, item in enumerate(self._items) if item.id in ids]
        self._hold(kept, said)

    def _hold(self, items: tuple[MemoryItem, ...], said: Sequence[str]) -> None:
        self._items, self._said, self._index = items, tuple(said), Index(said)


def _said(history: History) -> list[str]:
    return [f"{session.at} {turn.text}" for session, _, turn in turns_of(history)]
