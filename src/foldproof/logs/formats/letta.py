"""Letta agent files (`.af`): one document of agents with their messages and memory blocks."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from foldproof.logs.draft import Draft, Message, Result
from foldproof.logs.formats import Group, LogFormat, Place
from foldproof.logs.imported import ImportedSession, MemoryOperation
from foldproof.logs.keys import value_key
from foldproof.logs.messages import json_in, message_of, text_of
from foldproof.logs.moments import moment_of
from foldproof.logs.reading import LogFile, Record
from foldproof.logs.talk import MemoryItem

_SPEAKS = "send_message"
_EVENTS = frozenset({"heartbeat", "login", "system_alert", "bootup", "continue"})
Fields = dict[str, Any]


def _dicts(value: Any) -> list[Fields]:  # noqa: ANN401  # any JSON value
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []


def _knows(value: Any) -> bool:  # noqa: ANN401  # any JSON value
    if not isinstance(value, dict):
        return False
    return any(isinstance(agent.get("messages"), list) for agent in _dicts(value.get("agents")))


def _places(record: Record, file: LogFile) -> Iterator[Place]:
    if _knows(record.value):
        yield Place(file.label(record))


def _build(group: Group) -> Iterator[ImportedSession]:
    for found in group.read():
        blocks = {str(block.get("id")): block for block in _dicts(found.value.get("blocks"))}
        for agent in _dicts(found.value.get("agents")):
            name = str(agent.get("name") or agent.get("id") or group.session)
            draft = Draft(name, group.tally)
            _blocks(draft, agent, blocks)
            _tell(draft, agent)
            yield draft.done()


def _blocks(draft: Draft, agent: Fields, blocks: dict[str, Fields]) -> None:
    """The blocks that stand in the agent's context: what it reads of its memory at every step."""
    ids = agent.get("block_ids")
    named = [blocks[str(name)] for name in (ids if isinstance(ids, list) else ()) if str(name) in blocks]
    for block in (*named, *_dicts(agent.get("memory_blocks"))):
        label, text = str(block.get("label") or ""), text_of(block.get("value"))
        if text.strip():
            item = MemoryItem(text, str(block.get("id") or ""), kind=label)
            draft.remember(MemoryOperation("read", label, (item,), via="block"))


def _tell(draft: Draft, agent: Fields) -> None:
    messages = _dicts(agent.get("messages"))
    shown = agent.get("in_context_message_ids")
    known = {str(name) for name in shown} if isinstance(shown, list) else None
    seen: set[str] = set()
    spoken: set[str] = set()
    gone = 0
    for item in messages:
        key = str(item.get("id") or "") or value_key(item)
        if key in seen:
            draft.tally.repeats += 1
            continue
        seen.add(key)
        gone += known is not None and str(item.get("id")) not in known
        draft.spoke(item.get("model") if item.get("role") == "assistant" else None)
        _take(draft, item, spoken)
    if gone:
        draft.fold("trimmed", text=f"{gone} messages are no longer in the context")


def _take(draft: Draft, item: Fields, spoken: set[str]) -> None:
    found = message_of(item)
    if found is None:
        draft.unknown(f"message of role {item.get('role')}", item)
        return
    if found.role == "tool":
        for result in _results(item, found):
            if result.call in spoken:
                draft.tally.aside[f"results of {_SPEAKS}"] += 1
            else:
                draft.answer(result, at=found.at)
        return
    if found.role == "user":
        _user(draft, found)
        return
    draft.take(replace(found, calls=()))
    for call in found.calls:
        if call.name == _SPEAKS:
            # What the user saw: an agent of this kind speaks by a tool.
            spoken.add(call.id)
            draft.say("agent", text_of(call.args.get("message")), at=found.at, id=found.id)
        else:
            draft.call(call, at=found.at)


def _results(item: Fields, found: Message) -> list[Result]:
    returns = _dicts(item.get("tool_returns"))
    if not returns:
        return list(found.results)
    return [
        Result(
            str(told.get("tool_call_id") or item.get("tool_call_id") or ""),
            text_of(told.get("func_response") or told.get("stdout") or item.get("content")),
            failed=told.get("status") == "error",
            name=str(item.get("name") or ""),
        )
        for told in returns
    ]


def _user(draft: Draft, found: Message) -> None:
    """What a user said; older agents wrap it into JSON, and put events of the program into the same role."""
    wrapped = json_in(found.text)
    if isinstance(wrapped, dict) and isinstance(wrapped.get("type"), str):
        text = text_of(wrapped.get("message") or wrapped.get("reason"))
        at = moment_of(wrapped.get("time")) or found.at
        kind = wrapped["type"]
        if kind == "user_message":
            draft.say("user", text, at=at, id=found.id)
        elif kind in _EVENTS:
            draft.say("user", text or kind, at=at, kind="context", id=found.id)
        else:
            draft.unknown(f"user event {kind}", wrapped)
        return
    draft.take(found)


FORMAT = LogFormat(
    name="letta",
    title="Letta agent files (.af)",
    told_by="`agents` with `messages`",
    knows=_knows,
    places=_places,
    build=_build,
    limits=(
        "an agent file names no user: each agent is taken as one person's",
        "it holds the messages that the agent still has, often none, and of archival memory only the calls",
    ),
)
