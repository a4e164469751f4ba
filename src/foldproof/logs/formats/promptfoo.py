"""Output of promptfoo: one result a question, several of one `conversationId` a talk."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from foldproof.logs.draft import Draft, Message
from foldproof.logs.formats import Group, LogFormat, Place
from foldproof.logs.imported import ImportedSession, Outcome
from foldproof.logs.keys import value_key
from foldproof.logs.messages import json_in, messages_in, text_of
from foldproof.logs.moments import moment_of
from foldproof.logs.reading import LogFile, Record

_CONVERSATION = ("conversationId", "sessionId")
Fields = dict[str, Any]


def _fields(value: Any, *path: str) -> Fields:  # noqa: ANN401  # any JSON value
    for name in path:
        value = value.get(name) if isinstance(value, dict) else None
    return value if isinstance(value, dict) else {}


def _results(value: Any) -> list[Fields]:  # noqa: ANN401  # any JSON value
    """The results of an output file: in `results.results`, in the older layout in `results`."""
    outer = value.get("results") if isinstance(value, dict) else None
    listed = outer.get("results") if isinstance(outer, dict) else outer
    rows = listed if isinstance(listed, list) else []
    return [row for row in rows if isinstance(row, dict) and isinstance(row.get("vars"), dict) and "prompt" in row]


def _knows(value: Any) -> bool:  # noqa: ANN401  # any JSON value
    whole = isinstance(value, dict) and "evalId" in value and isinstance(value.get("results"), dict)
    return whole or bool(_results(value))


def _talk(row: Fields, number: int) -> str:
    """Which results are one talk: those of one conversation, prompt and provider."""
    if not (conversation := _conversation(row)):
        return str(number)
    provider = row.get("provider")
    name = provider.get("id") if isinstance(provider, dict) else provider
    return value_key([conversation, row.get("promptIdx"), name])


def _conversation(row: Fields) -> str:
    places = (_fields(row, "metadata"), _fields(row, "vars"), _fields(row, "testCase", "metadata"))
    found = (place.get(name) for place in places for name in _CONVERSATION)
    return next((str(name) for name in found if isinstance(name, str | int) and str(name)), "")


def _places(record: Record, file: LogFile) -> Iterator[Place]:
    if _knows(record.value):
        yield Place(file.label(record))


def _build(group: Group) -> Iterator[ImportedSession]:
    drafts: dict[str, Draft] = {}
    for found in group.read():
        at = moment_of(_fields(found.value, "results").get("timestamp"))
        for number, row in enumerate(_results(found.value)):
            name = f"{row.get('testIdx', number)}-{row.get('promptIdx', 0)}"
            session = _conversation(row) or str(row.get("id") or name)
            draft = drafts.setdefault(_talk(row, number), Draft(session, group.tally))
            asked = [message if message.at else replace(message, at=at) for message in _asked(row)]
            if isinstance(row.get("success"), bool):
                draft.outcomes.append(Outcome("success", row["success"]))
            draft.talk([*asked, *(replace(message, at=at) for message in _answered(row, draft))])
    yield from (draft.done() for draft in drafts.values())


def _asked(row: Fields) -> list[Message]:
    """What was sent: a list of messages, or one text of the user."""
    raw = _fields(row, "prompt").get("raw") if isinstance(row.get("prompt"), dict) else row.get("prompt")
    parsed = json_in(raw)
    found = messages_in(parsed) if isinstance(parsed, list) else []
    return found if found and not found[0].unknown else [Message("user", text_of(raw))]


def _answered(row: Fields, draft: Draft) -> list[Message]:
    output = _fields(row, "response").get("output")
    if output is None or row.get("failureReason") == 2:
        draft.tally.aside["failed answers"] += 1
        return []
    usage = _fields(row, "response", "tokenUsage")
    draft.used(usage.get("prompt"), usage.get("completion"))
    return [Message("agent", text_of(output))]


FORMAT = LogFormat(
    name="promptfoo",
    title="promptfoo output (output.json)",
    told_by="`evalId` and `results.results`",
    knows=_knows,
    places=_places,
    build=_build,
    limits=(
        "the output names no user, and a conversation only where `conversationId` is set",
        "it holds no tool calls and no memory operations of its own",
    ),
)
