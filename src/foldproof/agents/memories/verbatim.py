"""The memory `verbatim`: every turn as it was said, found again by full-text search."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

from foldproof.agents.memories.full_text import Index
from foldproof.agents.memories.memory import Recall, Resources
from foldproof.agents.memories.searching import BEYOND, best_of, budget_room
from foldproof.agents.memories.text import places_without, turn_items, turns_of
from foldproof.core.settings import read_settings
from foldproof.logs import History, MemoryItem, Session


@dataclass(frozen=True, slots=True)
class Held:
    """What was built: the turns, what was said in each, and their index; never changed in place."""

    items: tuple[MemoryItem, ...] = ()
    said: tuple[str, ...] = ()
    index: Index | None = None


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
        self._held = Held()

    async def build(self, history: History) -> None:
        """Index every turn: what was said, and when; not by whom, which would match a question's `user`."""
        said = _said(history)
        self._held = Held(turn_items(history), said, Index(said))

    async def add(self, session: Session) -> None:
        """Index its turns too."""
        later = History("", (session,))
        said = (*self._held.said, *_said(later))
        self._held = Held((*self._held.items, *turn_items(later)), said, Index(said))

    async def fold(self) -> None:
        """Nothing is ever compacted."""

    async def recall(self, question: str) -> Recall:
        """The best matches, best first, within the budget."""
        k: int = self.settings["k"]
        held = self._held
        found = [] if held.index is None else held.index.search(question, k + BEYOND)
        candidates = [replace(held.items[at], score=score) for at, score in found]
        room, told = budget_room(self.settings["budget"])
        return best_of("verbatim", candidates, k=k, room=room, told=told)

    async def items(self) -> Sequence[MemoryItem]:
        """Every turn, oldest first."""
        return self._held.items

    async def forget(self, item_id: str) -> None:
        """Let go of a turn, and of any other that says the same."""
        held = self._held
        kept = places_without(held.items, item_id)
        said = tuple(held.said[at] for at in kept)
        self._held = Held(tuple(held.items[at] for at in kept), said, Index(said))

    async def snapshot(self) -> Held:
        """The turns with their index."""
        return self._held

    async def restore(self, snapshot: Held) -> None:
        """Take over turns and index; nothing is indexed again."""
        self._held = snapshot


def _said(history: History) -> tuple[str, ...]:
    return tuple(f"{session.at} {turn.text}" for session, _, turn in turns_of(history))
