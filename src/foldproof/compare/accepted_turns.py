"""The turns of a case with sessions as a baseline keeps them, so that they can be scored again."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from pydantic import BaseModel, ConfigDict, Field

from foldproof.cases import Case, Expectation
from foldproof.logs import MemoryItem, ToolCall
from foldproof.record import Trial, TurnRecord, UserListing
from foldproof.record.records import Close, Speaker
from foldproof.score.channels import Channel, prompts_of, reads_of_turn
from foldproof.score.conditions import turn_calls
from foldproof.score.forgetting import forget_channels
from foldproof.score.memory_steps import writes_of
from foldproof.score.turns import JudgedTurn, judged_turns, looks_at_calls

UNNAMED = "/"
"""The user id that a baseline gives the user without a label: no label can be it."""


class Entry(BaseModel):
    """What every part of the file has in common: no unknown fields, nothing converted unseen."""

    model_config = ConfigDict(extra="forbid", strict=True, defer_build=True)


class CallEntry(Entry):
    """One call of a tool."""

    name: str
    args: dict[str, Any]


class ItemEntry(Entry):
    """One item of a memory: what the matching needs of it."""

    text: str
    kind: str = ""
    dropped: str = ""
    whose: str = Field(default="", description="the label of the other user it belongs to, `/` for the one without")


class ListingEntry(Entry):
    """What the memory listed of one user after a session, and after its maintenance."""

    user: str = ""
    ended: list[ItemEntry] | None = None
    after: list[ItemEntry] | None = None


class TurnEntry(Entry):
    """One turn: null, or left out, where it was not seen or nothing is expected of it."""

    session: int
    turn: int
    user: str
    whose: str = Field(default="", description="the label of the user whose session it is")
    at: str = ""
    answer: list[str] = Field(description="the answer in full, line by line")
    calls: list[CallEntry] | None = None
    reads: list[ItemEntry] | None = None
    writes: list[ItemEntry] | None = None
    before: list[ItemEntry] | None = None
    ended: list[ItemEntry] | None = None
    after: list[ItemEntry] | None = None
    fresh: bool | None = None
    state: dict[str, Any] | None = None
    attempt: int = Field(default=1, description="counts what the user says in one turn of the case")
    speaker: Speaker = "case"
    close: Close = ""
    goal_met: bool | None = None
    prompt: list[str] | None = Field(default=None, description="the prompts in full, line by line")
    listings: list[ListingEntry] = Field(default=[], description="what the memory listed of every user")


def accepted_turns(case: Case, trial: Trial) -> tuple[TurnRecord, ...]:
    """What is kept of the turns of a trial: the answers, and of the rest what the expectations of a turn look at."""
    turns = [(turn, _accepted(judged, turn)) for judged in judged_turns(case, trial) for turn in judged.attempts]
    return tuple(_with_whole(case, trial, turn, kept) if case.lists_all else kept for turn, kept in turns)


def _with_whole(case: Case, trial: Trial, turn: TurnRecord, kept: TurnRecord) -> TurnRecord:
    """The turn with what is looked at where users must be kept apart, or something must be forgotten."""
    channels = _looked_at(case, kept.session)
    others = {
        one.user_id or trial.user: case.sessions[one.session - 1].user or UNNAMED
        for one in trial.turns
        if one.user_id != turn.user_id
    }
    reads = reads_of_turn(turn) if "retrieved" in channels else None
    prompts = prompts_of(turn) if "prompt" in channels else []
    return replace(
        kept,
        user_id=case.sessions[kept.session - 1].user,
        tool_calls=turn_calls(turn) if "calls" in channels else kept.tool_calls,
        memory_reads=kept.memory_reads if reads is None else tuple(_as_kept(item, others) for item in reads),
        prompt="\n\n".join(prompts) if prompts else None,
        listings=tuple(UserListing(one.user, _bare(one.ended), _bare(one.after)) for one in turn.listings),
    )


def _looked_at(case: Case, session: int) -> frozenset[Channel]:
    """The channels of a session that are looked through: all of them where another user spoke before."""
    user = case.sessions[session - 1].user
    if any(one.user != user for one in case.sessions[: session - 1]):
        return frozenset({"reply", "calls", "retrieved", "prompt"})
    return _needed(case, session)


def _needed(case: Case, session: int) -> frozenset[Channel]:
    """The channels of a session that must be seen."""
    forget, user = case.forget, case.sessions[session - 1].user
    if forget is None or session <= forget.after or case.sessions[forget.after - 1].user != user:
        return frozenset()
    return frozenset({*forget_channels(forget), "retrieved"} if forget.retain else forget_channels(forget))


def _accepted(judged: JudgedTurn, turn: TurnRecord) -> TurnRecord:
    kinds = {item.kind for item in judged.case.expect}
    calling = looks_at_calls(judged)
    written, stored = "memory_write" in kinds, bool(kinds & {"store_has", "store_lacks"})
    reads = [turn.memory_reads, *(seen.memory_reads for seen in turn.seen)]
    return TurnRecord(
        turn.session,
        turn.turn,
        turn.user,
        turn.at,
        turn.answer,
        turn_calls(turn) if calling else None,
        _first(reads) if "memory_read" in kinds else None,
        _bare(writes_of(turn, turn_calls(turn))) if written else None,
        fresh=turn.fresh,
        before=_bare(turn.before) if written else None,
        ended=_bare(turn.ended) if written else None,
        after=_bare(turn.after) if stored else None,
        state=turn.state if "state" in kinds else None,
        attempt=turn.attempt,
        speaker=turn.speaker,
        close=turn.close,
        goal_met=turn.goal_met,
    )


def lacks_turns(case: Case, trial: Trial) -> bool:
    """Whether what was kept of the turns of a trial lacks something that the expectations of the case look at."""
    judged = judged_turns(case, trial)
    return (
        not judged
        or any(_lacks(item, one) for turn in judged for one in turn.graded for item in turn.case.expect)
        or any(one.tool_calls is None for turn in judged if looks_at_calls(turn) for one in turn.attempts)
        or (case.lists_all and any(_lacks_whole(case, turn) for turn in judged))
    )


def _lacks_whole(case: Case, judged: JudgedTurn) -> bool:
    turn = judged.attempts[-1]
    needed = _needed(case, turn.session)
    reads = case.forget is not None and case.forget.reaches("not in store")
    missing = any(
        ("calls" in needed and one.tool_calls is None)
        or ("prompt" in needed and one.prompt is None)
        or ("retrieved" in needed and reads and one.memory_reads is None)
        for one in judged.attempts
    )
    return missing or (turn.turn == len(case.sessions[turn.session - 1].turns) and not turn.listings)


def _lacks(item: Expectation, turn: TurnRecord) -> bool:
    if item.about_calls:
        return turn.tool_calls is None
    if item.kind == "state":
        return turn.state is None
    if item.kind == "memory_read":
        return turn.memory_reads is None
    if item.kind == "memory_write":
        return turn.memory_writes is None and (turn.before is None or turn.ended is None)
    return item.about_memory and turn.after is None


def _first(told: Iterable[tuple[MemoryItem, ...] | None]) -> tuple[MemoryItem, ...] | None:
    return _bare(next((items for items in told if items is not None), None))


def _bare(items: tuple[MemoryItem, ...] | None) -> tuple[MemoryItem, ...] | None:
    """The items as the file keeps them: their text and kind, without those that were not given."""
    return None if items is None else tuple(MemoryItem(item.text, kind=item.kind) for item in items if not item.dropped)


def _as_kept(item: MemoryItem, others: Mapping[str, str]) -> MemoryItem:
    """The item with the label of the other user whom it belongs to, where it does: user ids are new in every trial."""
    whose = others.get(item.user, "") if item.user else ""
    return MemoryItem(item.text, kind=item.kind, user=whose, dropped=item.dropped)


def turn_entries(turns: Iterable[TurnRecord]) -> list[dict[str, Any]]:
    """The turns as the file writes them."""
    found = []
    for turn in turns:
        value: dict[str, Any] = {"session": turn.session, "turn": turn.turn, "user": turn.user}
        if turn.user_id:
            value["whose"] = turn.user_id
        if turn.at:
            value["at"] = turn.at
        value["answer"] = turn.answer.split("\n")
        if turn.tool_calls is not None:
            value["calls"] = [{"name": call.name, "args": dict(call.args)} for call in turn.tool_calls]
        shown = {"reads": turn.memory_reads, "writes": turn.memory_writes}
        shown |= {"before": turn.before, "ended": turn.ended, "after": turn.after}
        value |= {name: [_item(item) for item in items] for name, items in shown.items() if items is not None}
        later: dict[str, Any] = {"fresh": turn.fresh, "state": turn.state}
        later |= {"prompt": None if turn.prompt is None else turn.prompt.split("\n")}
        later |= {"listings": [_listing(one) for one in turn.listings] or None}
        found.append(value | {name: item for name, item in later.items() if item is not None} | _exchange(turn))
    return found


def _exchange(turn: TurnRecord) -> dict[str, Any]:
    """What a turn has of its own that a live counterpart went on with."""
    usual = TurnRecord(turn.session, turn.turn, turn.user)
    return {
        name: getattr(turn, name)
        for name in ("attempt", "speaker", "close", "goal_met")
        if getattr(turn, name) != getattr(usual, name)
    }


def _item(item: MemoryItem) -> Mapping[str, str]:
    shown = {"kind": item.kind, "dropped": item.dropped, "whose": item.user}
    return {"text": item.text, **{name: text for name, text in shown.items() if text}}


def _listing(listing: UserListing) -> dict[str, Any]:
    shown = {"ended": listing.ended, "after": listing.after}
    items = {name: [_item(item) for item in found] for name, found in shown.items() if found is not None}
    return {**({"user": listing.user} if listing.user else {}), **items}


def read_turns(entries: Iterable[TurnEntry]) -> tuple[TurnRecord, ...]:
    """The turns that the file holds."""
    return tuple(
        TurnRecord(
            entry.session,
            entry.turn,
            entry.user,
            entry.at,
            "\n".join(entry.answer),
            None if entry.calls is None else tuple(ToolCall(call.name, call.args) for call in entry.calls),
            _items(entry.reads),
            _items(entry.writes),
            fresh=entry.fresh,
            before=_items(entry.before),
            ended=_items(entry.ended),
            after=_items(entry.after),
            state=entry.state,
            attempt=entry.attempt,
            speaker=entry.speaker,
            close=entry.close,
            goal_met=entry.goal_met,
            prompt=None if entry.prompt is None else "\n".join(entry.prompt),
            user_id=entry.whose,
            listings=tuple(UserListing(one.user, _items(one.ended), _items(one.after)) for one in entry.listings),
        )
        for entry in entries
    )


def _items(entries: list[ItemEntry] | None) -> tuple[MemoryItem, ...] | None:
    if entries is None:
        return None
    return tuple(MemoryItem(one.text, kind=one.kind, user=one.whose, dropped=one.dropped) for one in entries)
