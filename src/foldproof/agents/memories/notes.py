"""The memory `notes`: what the model itself writes down through tools, and nothing else."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from foldproof.agents.errors import UnsupportedError
from foldproof.agents.memories.full_text import Index
from foldproof.agents.memories.memory import Recall, Resources
from foldproof.agents.memories.searching import BEYOND, best_of, budget_room
from foldproof.agents.memories.text import line_head, without
from foldproof.core.settings import read_settings
from foldproof.logs import History, MemoryItem, Session


@dataclass(frozen=True, slots=True)
class Notebook:
    """What was written so far, oldest first, and how many notes there ever were; never changed in place."""

    items: tuple[MemoryItem, ...] = ()
    written: int = 0


class Notes:
    """Keeps what `remember` is told, each note a line `[n1 day 1] preference: text` with an id that never comes again.

    A recall gives the `k` notes that match the question best by their words (BM25), then the newest of the others: a
    short list is given whole, so that a preference is found by a question which shares no word with it. Sessions leave
    nothing but what the model wrote in them.
    """

    compacts: bool = False
    defaults: ClassVar[Mapping[str, int]] = {"budget": 1500, "k": 8}

    def __init__(self, settings: Mapping[str, Any], resources: Resources) -> None:  # noqa: ARG002  # it needs none
        self.settings = read_settings("notes", self.defaults, settings)
        self._held = Notebook()

    async def build(self, history: History) -> None:
        """Begin anew; nobody wrote notes of a history.

        Raises:
            UnsupportedError: where there is a history to take in.
        """
        self._held = Notebook()
        if history.sessions:
            raise UnsupportedError("the model writes `notes` in its sessions: a history leaves none")

    async def add(self, session: Session) -> None:
        """Nothing: what is to be kept of a session the model has written in it."""

    async def fold(self) -> None:
        """Nothing is ever compacted."""

    async def remember(self, text: str, *, kind: str, at: str) -> MemoryItem:
        """Write a note down."""
        number = self._held.written + 1
        note_id = f"n{number}"
        item = MemoryItem(f"{line_head(Session(note_id, (), at))}{kind}: {text}", id=note_id, kind=kind)
        self._held = Notebook((*self._held.items, item), number)
        return item

    async def forget(self, item_id: str) -> None:
        """Let go of a note, and of any other that says the same.

        Raises:
            AgentError: where there is no such note.
        """
        self._held = Notebook(without(self._held.items, item_id), self._held.written)

    async def recall(self, question: str) -> Recall:
        """The notes that match best, then the newest others, within the budget."""
        k: int = self.settings["k"]
        items = self._held.items
        found = dict(Index([item.text for item in items]).search(question, k + BEYOND)) if items else {}
        others = [at for at in reversed(range(len(items))) if at not in found]
        room, told = budget_room(self.settings["budget"])
        ordered = [*found, *others][: k + BEYOND]
        candidates = [_scored(items[at], found.get(at, 0.0)) for at in ordered]
        return best_of("notes", candidates, k=k, room=room, told=told)

    async def items(self) -> Sequence[MemoryItem]:
        """Every note, oldest first."""
        return self._held.items

    async def snapshot(self) -> Notebook:
        """The notes."""
        return self._held

    async def restore(self, snapshot: Notebook) -> None:
        """Take over the notes of another trial, which are not shared with it."""
        self._held = snapshot


def _scored(item: MemoryItem, score: float) -> MemoryItem:
    return MemoryItem(item.text, id=item.id, kind=item.kind, score=score)
