"""The memory `paging`: a small core that is always in the prompt, and a storage that is searched; after MemGPT."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from foldproof.agents.memories.full_text import Index
from foldproof.agents.memories.memory import Recall, Resources
from foldproof.agents.memories.paging_rules import is_pinned
from foldproof.agents.memories.searching import BEYOND, best_of
from foldproof.agents.memories.text import line_head, ranked, turns_of, without
from foldproof.compaction import cost_of, room_of, said_in, sentences_of
from foldproof.core import UsageError
from foldproof.core.settings import Setting, read_settings, whole
from foldproof.logs import History, MemoryItem, Session

_SETTINGS: Mapping[str, Setting | int] = {"core": whole(None), "budget": 1500, "k": 6}


@dataclass(frozen=True, slots=True)
class Held:
    """What was built: all sentences, those of the storage and their index, and how many overflowed; never changed."""

    items: tuple[MemoryItem, ...] = ()
    stored: tuple[MemoryItem, ...] = ()
    index: Index | None = None
    overflow: int = 0


class Paging:
    """Pins sentences that bind or say who the user is into a core of `core` tokens; the rest is searched, `k` at most.

    Unless it is said, the core is a quarter of the budget.

    A sentence goes into the core whole or not at all: one that does not fit any more is written to the storage as it
    is, and what the core holds stays. The recall is the core, in the order in which it was said, then the best
    matches of the storage (BM25), within `budget`. An item's kind says where it is: `core` or `storage`.

    The two tiers are those of MemGPT (Packer et al., arXiv 2310.08560); what is pinned is decided by rules here and
    not by the model, so the same history always gives the same core.
    """

    compacts: bool = False

    def __init__(self, settings: Mapping[str, Any], resources: Resources) -> None:  # noqa: ARG002  # it needs none
        self.settings = read_settings("paging", _SETTINGS, settings)
        budget: int = self.settings["budget"]
        self._core: int = self.settings["core"] or -(-budget // 4)
        if self._core > budget:
            raise UsageError(
                f"memory 'paging': `core` is {self._core}, more than the `budget` of {budget}\n"
                "  the budget holds the core and what is found in the storage"
            )
        self._held = Held()

    async def build(self, history: History) -> None:
        """Write each sentence to its tier, in the order in which they were said."""
        self._held = Held()
        self._write(history)

    async def add(self, session: Session) -> None:
        """Write its sentences too; what is in the core stays there."""
        self._write(History("", (session,)))

    def _write(self, history: History) -> None:
        items, overflow = list(self._held.items), self._held.overflow
        room = room_of(self._core) - sum(cost_of(item.text) for item in items if item.kind == "core")
        for session, number, turn in turns_of(history):
            for part, sentence in enumerate(sentences_of(turn.text), 1):
                text = f"{line_head(session)}{turn.role}: {sentence}"
                kind = "storage"
                if is_pinned(turn.role, sentence):
                    if cost_of(text) <= room:
                        kind, room = "core", room - cost_of(text)
                    else:
                        overflow += 1
                items.append(MemoryItem(text, id=f"{session.id}.t{number}#{part}", kind=kind))
        self._held = _held(items, overflow)

    async def fold(self) -> None:
        """Nothing is compacted: what overflows the core moves to the storage as it is written."""

    async def recall(self, question: str) -> Recall:
        """The core, then the best matches of the storage."""
        held = self._held
        core = [item for item in held.items if item.kind == "core"]
        k = self.settings["k"]
        found = [] if held.index is None else held.index.search(question, k + BEYOND)
        candidates = [replace(held.stored[at], score=score) for at, score in found]
        room = room_of(self.settings["budget"]) - sum(cost_of(item.text) for item in core)
        search = best_of("paging", candidates, k=k, room=room, told="what the core leaves of the budget")
        items = ranked([*core, *search.items, *search.passed_over])
        given = len(core) + len(search.items)
        notes = search.notes
        if held.overflow:
            notes += (f"paging: pinned lines that overflowed into the storage: {held.overflow}",)
        return Recall(items[:given], notes, search.usage, items[given:])

    async def items(self) -> Sequence[MemoryItem]:
        """Every sentence with its tier, oldest first."""
        return self._held.items

    async def forget(self, item_id: str) -> None:
        """Let go of a sentence in either tier, and of any other that says the same."""
        self._held = _held(without(self._held.items, item_id), self._held.overflow)

    async def snapshot(self) -> Held:
        """Both tiers with the index."""
        return self._held

    async def restore(self, snapshot: Held) -> None:
        """Take over both tiers; nothing is indexed again."""
        self._held = snapshot


def _held(items: Sequence[MemoryItem], overflow: int) -> Held:
    stored = tuple(item for item in items if item.kind == "storage")
    return Held(tuple(items), stored, Index([_terms(item.text) for item in stored]), overflow)


def _terms(line: str) -> str:
    """What was said in a line, and when; not by whom, which would match a question about the user."""
    head, said = line.partition("] ")[0], said_in(line)
    return f"{head.partition(' ')[2]} {said}"
