"""Holding the sessions of a case one after the other: each with a fresh conversation, over one memory."""

from __future__ import annotations

from collections.abc import Awaitable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TypeVar

import anyio

from foldproof.agents import Agent, Conversation, Reply, SessionInfo, UnsupportedError
from foldproof.agents.protocols import Folds
from foldproof.agents.watch import Watch
from foldproof.cases.sessions import CaseSession, CaseTurn
from foldproof.logs import MemoryItem, Seen, Usage
from foldproof.logs.seeing import joined_seen
from foldproof.record import StoreListing, TrialError, TurnRecord, UserListing
from foldproof.run.answers import answer_fault
from foldproof.run.border import recordable_reply
from foldproof.run.built import listing_of
from foldproof.run.counterpart import Counterparts, Exchange, Said
from foldproof.run.freshness import seen_before
from foldproof.run.plan import PlannedTrial

T = TypeVar("T")


@dataclass(slots=True)
class Held:
    """What the sessions of a trial left so far. `where` says which session and turn is under way, for messages.

    `stores` are the listings before each session of the user who speaks in it, `listed` the last ones of every user, by
    label. `on_memory` says that the memory is at work, not the agent,
    `awaits_seen` that what was seen of the last turn is taken when the trial has ended, since spans come late.
    """

    turns: list[TurnRecord] = field(default_factory=list)
    stores: list[StoreListing | None] = field(default_factory=list)
    listed: dict[str, StoreListing | None] = field(default_factory=dict)
    listings: list[StoreListing] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    usages: list[Usage | None] = field(default_factory=list)
    where: str = ""
    on_memory: bool = False
    awaits_seen: bool = False

    def told(self, message: str) -> str:
        """A message with the place at which it came up."""
        return f"{self.where}: {message}" if self.where else message


@dataclass(frozen=True, slots=True)
class Hall:
    """What all sessions of a trial share: whose it is, over which wire, and how long one reply is waited for.

    `counterparts` is what a live counterpart needs; None where no turn has one.
    """

    user: str
    wire_url: str
    timeout_s: float
    watch: Watch
    counterparts: Counterparts | None = None

    def user_id(self, label: str) -> str:
        """The user id of a user of the trial: its own for who has no label."""
        return f"{self.user}-{label}" if label else self.user


async def hold_sessions(
    agent: Agent, planned: PlannedTrial, held: Held, *, hall: Hall, store: StoreListing | None
) -> Reply | TrialError:
    """Hold every session in turn and give the last reply, or the error that ended them.

    `store` is what the memory lists before the first one. What an agent raises goes through, with `held.where` at
    its place.
    """
    last = Reply("")
    case = planned.case
    held.where, held.on_memory = "before session 1", True
    others = await _listings(agent, [label for label in case.users if label], hall)
    if others is None:
        return _unlisted(held, hall)
    held.listed = {"": store, **others}
    held.listings += [listing for listing in others.values() if listing is not None]
    held.on_memory = False
    for number, session in enumerate(case.sessions, 1):
        held.where = f"session {number}"
        held.stores.append(held.listed[session.user])
        ending = number == len(case.sessions)
        found = await _hold(agent, session, held, hall=hall, planned=planned)
        if isinstance(found, TrialError):
            return found
        last = found
        if not ending or session.maintain or session.looks_at_store or case.lists_all:
            error = await _settle(agent, planned, held, hall=hall)
            if error is not None:
                return error
    held.where = ""
    return last


async def _hold(
    agent: Agent, session: CaseSession, held: Held, *, hall: Hall, planned: PlannedTrial
) -> Reply | TrialError:
    """One session: its turns in order."""
    number = len(held.stores)
    user = hall.user_id(session.user)
    info = SessionInfo(user, f"{hall.user}-s{number}", session.at, hall.wire_url, session.user)
    began = await _timed(agent.start_session(info), hall)
    if began is None:
        return TrialError("timeout", held.told(f"it did not start within {hall.timeout_s:g} s"))
    (conversation,) = began
    reply = Reply("")
    for at, turn in enumerate(session.turns, 1):
        held.where = f"session {number}, turn {at}"
        ending = number == len(planned.case.sessions) and at == len(session.turns)
        late = ending and not session.maintain
        place = TurnRecord(number, at, turn.user, session.at, user_id=user if session.user else "")
        unplugged = planned.unplugged
        found = await _answered(conversation, turn, held, hall=hall, place=place, unplugged=unplugged, late=late)
        if isinstance(found, TrialError):
            return found
        reply = found
    return reply


async def _answered(
    conversation: Conversation,
    turn: CaseTurn,
    held: Held,
    *,
    hall: Hall,
    place: TurnRecord,
    unplugged: bool,
    late: bool,
) -> Reply | TrialError:
    """One turn: the reply to it, and to what a live counterpart goes on with; the last of them.

    With `late` what was seen of it may be taken when the trial has ended.
    """
    exchange = None if turn.counterpart is None else Exchange(turn.counterpart, hall.counterparts, held.usages)
    said = Said(turn.user)
    while True:
        answered = await _timed(conversation.reply(said.text), hall)
        if answered is None:
            return TrialError("timeout", held.told(f"no answer within {hall.timeout_s:g} s"))
        reply = recordable_reply(answered[0])
        # With somebody to go on, what was seen is needed at once, however late the rest of it comes.
        seen = () if late and exchange is None else await hall.watch.take(hall.user)
        held.turns.append(_recorded(place, said, reply, seen))
        held.awaits_seen = late  # not before: what is seen of a turn without a reply belongs to none
        held.usages.append(reply.usage)
        held.notes += [note for note in reply.notes if note not in held.notes]
        fault = answer_fault(reply.text)
        # With its memory cut off an agent may well have nothing to say: that is its answer.
        if fault is not None and not (fault.kind == "empty" and unplugged):
            return replace(fault, message=held.told(fault.message))
        if exchange is None:
            return reply
        next_said = await _timed(exchange.go_on([one for one in held.turns if one.session == place.session]), hall)
        if next_said is None:
            return TrialError("timeout", held.told(f"the user said nothing within {hall.timeout_s:g} s"))
        (said_now,) = next_said
        if isinstance(said_now, TrialError):
            return replace(said_now, message=held.told(said_now.message))
        if said_now.close:
            held.turns[-1] = replace(held.turns[-1], close=said_now.close, goal_met=said_now.goal_met)
            return reply
        said, place = said_now, replace(place, attempt=place.attempt + 1)


def _recorded(place: TurnRecord, said: Said, reply: Reply, seen: tuple[Seen, ...]) -> TurnRecord:
    return replace(
        place,
        user=said.text,
        speaker=said.speaker,
        answer=reply.text,
        tool_calls=reply.tool_calls,
        memory_reads=reply.memory_reads,
        memory_writes=reply.memory_writes,
        prompt=reply.prompt,
        seen=seen,
        state=reply.state,
    )


async def _settle(agent: Agent, planned: PlannedTrial, held: Held, *, hall: Hall) -> TrialError | None:
    """List every user's memory after a session, fold it where the case says so, and list it again."""
    number = len(held.stores)
    session = planned.case.sessions[number - 1]
    held.where, held.on_memory = f"after session {number}", True
    written = kept = await _listings(agent, planned.case.users, hall)
    if written is None:
        return _unlisted(held, hall)
    if session.maintain:
        folded = await _timed(_folded(agent), hall)
        if folded is None:
            return TrialError("timeout", held.told(f"the maintenance did not end within {hall.timeout_s:g} s"))
        if not folded[0]:
            held.notes.append(f"the agent does not fold on request: no maintenance after session {number}")
        else:
            kept = await _listings(agent, planned.case.users, hall)
    if kept is None:
        return _unlisted(held, hall)
    held.on_memory = False
    held.listings += [listing for listing in (*written.values(), *kept.values()) if listing is not None]
    held.listed |= kept
    _note_store(held, session, written, kept)
    if planned.case.lists_all:
        around = tuple(UserListing(user, _items(written[user]), _items(kept[user])) for user in planned.case.users)
        held.turns[-1] = replace(held.turns[-1], listings=around)
    return None


async def _listings(agent: Agent, users: Sequence[str], hall: Hall) -> dict[str, StoreListing | None] | None:
    """What the memory lists of each user, by label; None where that takes too long."""
    found: dict[str, StoreListing | None] = {}
    for user in users:
        listed = await _timed(listing_of(agent, hall.user_id(user)), hall)
        if listed is None:
            return None
        (found[user],) = listed
    return found


def _unlisted(held: Held, hall: Hall) -> TrialError:
    return TrialError("timeout", held.told(f"the memory was not listed within {hall.timeout_s:g} s"))


def _note_store(
    held: Held,
    session: CaseSession,
    written: Mapping[str, StoreListing | None],
    kept: Mapping[str, StoreListing | None],
) -> None:
    """Put what the memory listed around a session, of the user who spoke in it, into the records of its turns."""
    number, before = len(held.stores), held.stores[-1]
    ended, after = written[session.user], kept[session.user]
    if session.looks_at_store:
        held.turns = [
            replace(turn, before=_items(before), ended=_items(ended), after=_items(after))
            if turn.session == number
            else turn
            for turn in held.turns
        ]
    hashes = [None if listing is None else listing.sha256 for listing in (ended, after)]
    held.turns[-1] = replace(held.turns[-1], store_written=hashes[0], store_kept=hashes[1])


def _items(listing: StoreListing | None) -> tuple[MemoryItem, ...] | None:
    return None if listing is None else listing.items


async def _folded(agent: Agent) -> bool:
    if not isinstance(agent, Folds):
        return False
    try:
        await agent.fold()
    except UnsupportedError:
        return False
    return True


async def _timed(work: Awaitable[T], hall: Hall) -> list[T] | None:
    """What comes of it, or None where that takes too long."""
    found = None
    with anyio.move_on_after(hall.timeout_s) as scope:
        found = [await work]
    return None if scope.cancelled_caught else found


def settled(held: Held, seen: tuple[Seen, ...]) -> tuple[tuple[TurnRecord, ...], tuple[str, ...]]:
    """The turns with what was seen last and with their freshness, and what a reader should know of the sessions."""
    turns = list(held.turns)
    if held.awaits_seen:
        turns[-1] = replace(turns[-1], seen=joined_seen([turns[-1].seen, seen]))
    stores = [None if store is None else tuple(item.text for item in store.items) for store in held.stores]
    notes: list[str] = []
    for number in range(2, len(stores) + 1):
        places = [at for at, turn in enumerate(turns) if turn.session == number]
        users = {turn.user_id for turn in turns if turn.session < number}
        if places and turns[places[0]].user_id not in users:
            continue  # a user's first session has nothing of its own to be free of; what others said is judged
        saw = {at: seen_before(turns, at, stores[number - 1]) for at in places}
        for at in places:
            turns[at] = replace(turns[at], fresh=None if saw[at] is None else not saw[at])
        notes += _freshness_notes(number, list(saw.values()))
    return tuple(turns), tuple(notes)


def _freshness_notes(number: int, saw: list[int | None]) -> Iterator[str]:
    if leaked := sorted({earlier for earlier in saw if earlier}):
        yield f"session {number} saw session {leaked[0]}'s conversation"
    elif saw and all(earlier is None for earlier in saw):
        yield f"it was not shown that session {number} began with a fresh context"
