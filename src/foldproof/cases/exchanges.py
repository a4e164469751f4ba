"""A question of a log as it was asked last: its answer, what its user said before, and what a memory held."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TypeGuard

from foldproof.cases.drafting import Exchange
from foldproof.cases.naming import free_name
from foldproof.logs import Fold, ImportedSession, MemoryOperation, Moment, Said, Session, Turn
from foldproof.logs.formats.retrieved import items_of
from foldproof.logs.imported import Entry
from foldproof.logs.scanning import same_words

HELD = "memory"
"""What the sessions of memory items are called, with a number."""
_GOES = re.compile(r"(?:^|[^a-z])(?:delete|forget|remove|clear)", re.IGNORECASE)


def exchange_of(question: str, sessions: Sequence[ImportedSession], *, user: str = "") -> Exchange:
    """The exchange of a question, out of the sessions of its user, oldest first.

    Without an answer where the question does not stand in them. Memory items are those that were read or written, or
    to which a context was folded, before the agent answered, but for items of another user.
    """
    asked = _asked_last(question, sessions)
    if asked is None:
        return Exchange(question, "")
    last, place = asked
    entries = sessions[last].entries
    until = next((at for at in range(place + 1, len(entries)) if _talk(entries[at], "user")), len(entries))
    past = _named(
        [
            Session(one.id, tuple(_turns(one.entries[:place] if one is sessions[last] else one.entries)), _start(one))
            for one in sessions[: last + 1]
        ]
    )
    before = [entry for one in sessions[:last] for entry in one.entries] + list(entries[:place])
    looked_up = (entry for entry in entries[place:until] if isinstance(entry, MemoryOperation) and entry.kind == "read")
    answer = "\n".join(turn.text for turn in _turns(entries[place + 1 : until]))
    return Exchange(question, answer, past, _held([*before, *looked_up], user, {session.id for session in past}))


def _asked_last(question: str, sessions: Sequence[ImportedSession]) -> tuple[int, int] | None:
    """Session and entry of the message with these words."""
    wanted = same_words(question)
    for at in range(len(sessions) - 1, -1, -1):
        entries = sessions[at].entries
        for number in range(len(entries) - 1, -1, -1):
            entry = entries[number]
            if _talk(entry, "user") and same_words(entry.text) == wanted:
                return at, number
    return None


def _talk(entry: Entry, *roles: str) -> TypeGuard[Said]:
    return isinstance(entry, Said) and entry.kind == "said" and entry.role in roles


def _turns(entries: Sequence[Entry]) -> Iterator[Turn]:
    return (
        Turn(entry.role, entry.text) for entry in entries if isinstance(entry, Said) and _talk(entry, "user", "agent")
    )


def _start(session: ImportedSession) -> str:
    return session.started.text if session.started else ""


def _named(past: Sequence[Session]) -> tuple[Session, ...]:
    """The sessions with something said, each with an id of its own."""
    found: list[Session] = []
    taken: set[str] = set()
    for session in past:
        name = free_name(session.id or "session", taken)
        taken.add(name)
        if session.turns:
            found.append(replace(session, id=name))
    return tuple(found)


def _held(entries: Sequence[Entry], user: str, taken: set[str]) -> tuple[Session, ...]:
    """Each different text that a memory held, as a session of what the agent noted, in the order of the log.

    Of the same text the last place counts.
    """
    texts: dict[str, Moment | None] = {}
    for entry in entries:
        if isinstance(entry, MemoryOperation | Fold):
            for text in _texts(entry, user):
                texts.pop(text, None)
                texts[text] = entry.at
    found = []
    for number, (text, at) in enumerate(texts.items(), 1):
        found.append(Session(free_name(f"{HELD}-{number}", taken), (Turn("agent", text),), at.text if at else ""))
    return tuple(found)


def _texts(entry: MemoryOperation | Fold, user: str) -> Iterator[str]:
    if isinstance(entry, Fold):
        texts: list[str] = [entry.text]
    elif entry.items:
        own = (item for item in entry.items if item.user in {"", user} and not item.dropped)
        texts = [part.text for item in own for part in items_of(item.text)]
    else:
        written = entry.kind == "write" and not _GOES.search(entry.via)
        texts = [entry.text] if written else []
    return (text for text in texts if text.strip())
