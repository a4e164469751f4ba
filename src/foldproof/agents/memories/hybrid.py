"""The memory `hybrid`: every turn as it was said, found again by words and by meaning, both lists fused."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from foldproof.agents.errors import AgentError
from foldproof.agents.memories.embeddings import Embeddings, Vector, embeddings_of, likeness
from foldproof.agents.memories.full_text import Index
from foldproof.agents.memories.memory import Recall, Resources
from foldproof.agents.memories.searching import best_of, budget_room
from foldproof.agents.memories.text import places_without, turn_items, turns_of
from foldproof.agents.usage import FREE
from foldproof.core import UsageError
from foldproof.core.settings import mapping, read_settings
from foldproof.logs import History, MemoryItem, Session, Usage

RANK_CONSTANT = 60
"""k of reciprocal rank fusion (Cormack, Clarke, Büttcher: SIGIR 2009)."""
DEPTH = 100
"""How far down each of the two lists counts."""
_SETTINGS = {"budget": 1500, "k": 8}


@dataclass(frozen=True, slots=True)
class Held:
    """What was built: the turns, what was said in each, their index and their vectors; never changed in place."""

    items: tuple[MemoryItem, ...] = ()
    said: tuple[str, ...] = ()
    index: Index | None = None
    vectors: tuple[Vector, ...] = ()


class Hybrid:
    """Keeps each turn and recalls the `k` that two searches agree on most: BM25, and the likeness of embeddings.

    The score of an item is the sum of 1 / (60 + its rank) over the lists in which it stands among the first 100: at
    most 2/61 = 0.0328. Equal scores stay in the order in which they were said. Every turn has a likeness, so a
    question about what was never said still returns `k` turns.

    Where the embeddings cannot be had, building or recalling fails: it never goes on with BM25 alone.
    """

    compacts: bool = False

    def __init__(self, settings: Mapping[str, Any], resources: Resources) -> None:
        self.settings = read_settings("hybrid", {**_SETTINGS, "embed": mapping()}, settings)
        if not self.settings["embed"]:
            raise UsageError(
                "memory 'hybrid' needs embeddings, and has no `embed`\n"
                "  write `embed: {base_url: http://localhost:11434/v1, name: nomic-embed-text}`"
            )
        self._embeddings: Embeddings = embeddings_of(self.settings["embed"], resources, kind="hybrid")
        self._spent = resources.spent
        self._held = Held()

    async def build(self, history: History) -> None:
        """Index and embed every turn.

        Raises:
            AgentError: where a turn cannot be embedded; nothing is kept then.
        """
        self._held = Held()
        await self._take_in(history)

    async def add(self, session: Session) -> None:
        """Index and embed its turns too.

        Raises:
            AgentError: where a turn cannot be embedded; nothing of the session is kept then.
        """
        await self._take_in(History("", (session,)))

    async def _take_in(self, history: History) -> None:
        held = self._held
        later = tuple(f"{session.at} {turn.text}".strip() for session, _, turn in turns_of(history))
        vectors, usage = await self._asked(later) if later else ([], FREE)
        self._spent.add(usage)
        said = (*held.said, *later)
        self._held = Held((*held.items, *turn_items(history)), said, Index(said), (*held.vectors, *vectors))

    async def fold(self) -> None:
        """Nothing is ever compacted."""

    async def recall(self, question: str) -> Recall:
        """The best matches, best first, within the budget.

        Raises:
            AgentError: where the question cannot be embedded.
        """
        held = self._held
        if held.index is None or not held.items:
            return Recall((), usage=FREE)
        vectors, usage = await self._asked([question])
        words = [at for at, _ in held.index.search(question, DEPTH)]
        near = likeness(vectors[0], held.vectors)
        meaning = sorted(range(len(near)), key=lambda at: (-near[at], at))[:DEPTH]
        scores: dict[int, float] = {}
        for ranking in (words, meaning):
            for rank, at in enumerate(ranking, 1):
                scores[at] = scores.get(at, 0.0) + 1 / (RANK_CONSTANT + rank)
        order = sorted(scores, key=lambda at: (-scores[at], at))
        candidates = [replace(held.items[at], score=round(scores[at], 6)) for at in order]
        room, told = budget_room(self.settings["budget"])
        k: int = self.settings["k"]
        return best_of("hybrid", candidates, k=k, room=room, told=told, usage=usage)

    async def items(self) -> Sequence[MemoryItem]:
        """Every turn, oldest first."""
        return self._held.items

    async def forget(self, item_id: str) -> None:
        """Let go of a turn in both indexes, and of any other that says the same."""
        held = self._held
        kept = places_without(held.items, item_id)
        items = tuple(held.items[at] for at in kept)
        said = tuple(held.said[at] for at in kept)
        self._held = Held(items, said, Index(said), tuple(held.vectors[at] for at in kept))

    async def snapshot(self) -> Held:
        """The turns with their index and vectors."""
        return self._held

    async def restore(self, snapshot: Held) -> None:
        """Take over turns, index and vectors; nothing is embedded again."""
        self._held = snapshot

    async def _asked(self, texts: Sequence[str]) -> tuple[list[Vector], Usage | None]:
        try:
            return await self._embeddings.embed(texts)
        except AgentError as error:
            error.args = (f"memory 'hybrid': the embeddings failed: {error}",)
            raise
