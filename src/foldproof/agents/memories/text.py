"""How a memory writes a turn down and fits lines into a budget: one rule for all memories."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace

from foldproof import compaction
from foldproof.agents.errors import AgentError
from foldproof.compaction import Passage, first_words, said_in
from foldproof.logs import History, MemoryItem, Session, Turn

_ISO_TIME = re.compile(r"\d{4}-\d\d-\d\d[T ]\d\d:")


def line_head(session: Session) -> str:
    """`[s12 2026-03-01] `: the day of an ISO time, any other time as it was written, nothing where there is none."""
    day = session.at[:10] if _ISO_TIME.match(session.at) else session.at
    return f"[{session.id} {day}] " if day else f"[{session.id}] "


def turn_items(history: History) -> tuple[MemoryItem, ...]:
    """Each turn as an item `[s12 2026-03-01] user: text`, with the id `s12.t3`."""
    return tuple(
        MemoryItem(f"{line_head(session)}{turn.role}: {turn.text}", id=f"{session.id}.t{number}")
        for session, number, turn in turns_of(history)
    )


def turns_of(history: History) -> Iterable[tuple[Session, int, Turn]]:
    """Every turn with its session and its number in it, from 1."""
    for session in history.sessions:
        for number, turn in enumerate(session.turns, 1):
            yield session, number, turn


def passages_in(items: Iterable[MemoryItem]) -> list[Passage]:
    """The texts of the items; the place of each is that of its item."""
    return [Passage(item.text, place) for place, item in enumerate(items)]


def kept_of(items: Sequence[MemoryItem], passages: Iterable[Passage]) -> tuple[MemoryItem, ...]:
    """The items whose passages were kept, in the order of these, each with what is left of its text."""
    return tuple(replace(items[passage.place], text=passage.text) for passage in passages)


def fit(items: Sequence[MemoryItem], room: int) -> tuple[MemoryItem, ...]:
    """The items in their order, each whole, until one does not fit: that one is cut and ends the list.

    A cut falls between words and is marked ` …`; an item of which no word fits is left out.
    """
    return kept_of(items, compaction.fit(passages_in(items), room, cut=first_words))


def ranked(items: Sequence[MemoryItem]) -> tuple[MemoryItem, ...]:
    """The items with their ranks, from 1 in this order."""
    return tuple(replace(item, rank=rank) for rank, item in enumerate(items, 1))


def without(items: Sequence[MemoryItem], item_id: str) -> tuple[MemoryItem, ...]:
    """The items that stay when one is forgotten.

    Raises:
        AgentError: as `places_without`.
    """
    return tuple(items[at] for at in places_without(items, item_id))


def places_without(items: Sequence[MemoryItem], item_id: str) -> list[int]:
    """The places of all items but the one with this id and those that say the same words: no twin is left behind.

    Raises:
        AgentError: where there is no such item.
    """
    gone = {said_in(item.text) for item in items if item.id == item_id}
    if not gone:
        raise AgentError(f"there is no item '{item_id}' to forget")
    return [at for at, item in enumerate(items) if said_in(item.text) not in gone]
