"""What the memories that search share: the best `k` within a budget, and what was passed over on the way."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from foldproof.agents.memories.memory import Recall
from foldproof.agents.memories.text import fit, ranked
from foldproof.agents.usage import FREE
from foldproof.compaction import room_of
from foldproof.logs import MemoryItem, Usage

BEYOND = 24
"""How many candidates after the `k` best a recall still names, so that a record shows by how much one was missed."""


def best_of(
    kind: str, candidates: Sequence[MemoryItem], *, k: int, room: int, told: str, usage: Usage | None = FREE
) -> Recall:
    """The recall of a search: of the candidates, best first, the first `k` that fit into `room` bytes.

    One that does not fit is cut and ends the list. `told` says in the note what they should have fitted into.
    """
    best = candidates[:k]
    kept = fit(best, room)
    notes: tuple[str, ...] = ()
    if len(kept) < len(best) or any(a.text != b.text for a, b in zip(kept, best, strict=False)):
        notes = (f"{kind}: {len(best)} turns found, not all of them fit in {told}",)
    over = [replace(item, dropped="over the budget") for item in best[len(kept) :]]
    beyond = [replace(item, dropped="beyond k") for item in candidates[k : k + BEYOND]]
    ranks = ranked([*kept, *over, *beyond])
    return Recall(ranks[: len(kept)], notes, usage, ranks[len(kept) :])


def budget_room(budget: int) -> tuple[int, str]:
    """The bytes of a budget of tokens, and how a note names it."""
    return room_of(budget), f"{budget} tokens"
