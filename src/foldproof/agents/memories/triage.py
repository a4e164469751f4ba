"""The memory `triage`: each sentence typed by rules, the constraints kept word for word."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import ClassVar

from foldproof.agents.memories.compacting import Compacting
from foldproof.agents.memories.text import line_head, turns_of
from foldproof.agents.memories.triage_rules import LineType, sentences_of, type_of
from foldproof.compaction import cost_of, count_tokens, room_of
from foldproof.logs import History, MemoryItem

SHARES: tuple[tuple[LineType, float], ...] = (("belief", 0.5), ("preference", 0.2), ("episode", 0.3))
"""The rest of the budget, after constraints and procedures, by type; the shares of arXiv 2608.22752."""


class Triage(Compacting):
    """Keeps constraints first, then procedures, then the other types by their `SHARES`, the newest first in each.

    What a share leaves unused goes on to the next one, and what is left at the end to whatever still fits.
    A sentence is kept whole or not at all; the output is in the original order. Where the constraints alone
    exceed the budget, the newest of them are kept and a note begins with `unsafe:`.
    The ids are those of the turns with the number of the sentence: `s12.t3#2`.
    """

    kind: ClassVar[str] = "triage"

    def read(self, history: History) -> tuple[MemoryItem, ...]:
        """The sentences of the turns, each with its type as the item's kind."""
        return tuple(
            MemoryItem(
                f"{line_head(session)}{turn.role}: {sentence}",
                id=f"{session.id}.t{number}#{part}",
                kind=type_of(sentence),
            )
            for session, number, turn in turns_of(history)
            for part, sentence in enumerate(sentences_of(turn.text), 1)
        )

    def select(self, items: Sequence[MemoryItem], budget: int) -> tuple[list[MemoryItem], tuple[str, ...]]:
        """Lane by lane, until the budget is used."""
        room = room_of(budget)
        notes: list[str] = []
        lanes = {kind: [at for at, item in enumerate(items) if item.kind == kind] for kind in _KINDS}
        constraints = [items[at].text for at in lanes["constraint"]]
        if sum(map(cost_of, constraints)) > room:
            need = count_tokens("\n".join(constraints))
            notes.append(f"unsafe: the constraints alone need {need} tokens, the budget is {budget}")
        kept, room = _fill(items, lanes["constraint"], room)
        steps, room = _fill(items, lanes["procedure"], room)
        if len(steps) < len(lanes["procedure"]):
            notes.append(f"triage: {len(lanes['procedure']) - len(steps)} lines of procedures did not fit")
        kept |= steps
        rest, over = room, 0
        for kind, share in SHARES:
            granted = int(rest * share) + over
            taken, over = _fill(items, lanes[kind], granted)
            kept |= taken
            room -= granted - over
        last, _ = _fill(items, [at for at in range(len(items)) if at not in kept and items[at].kind in _SHARED], room)
        return [items[at] for at in sorted(kept | last)], tuple(notes)


_KINDS: tuple[LineType, ...] = ("constraint", "procedure", "belief", "preference", "episode")
_SHARED = frozenset(kind for kind, _ in SHARES)


def _fill(items: Sequence[MemoryItem], places: Iterable[int], room: int) -> tuple[set[int], int]:
    """The places whose items fit, the newest first, and the bytes that stay free."""
    kept: set[int] = set()
    for at in sorted(places, reverse=True):
        cost = cost_of(items[at].text)
        if cost <= room:
            kept.add(at)
            room -= cost
    return kept, room
