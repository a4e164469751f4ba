"""OpenAI's shapes: chat logs, Responses, batch files, fine-tuning files, and message lists like them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from foldproof.logs.draft import Draft, Message
from foldproof.logs.formats import Group, LogFormat, Place
from foldproof.logs.formats.openai_flat import flat_of
from foldproof.logs.imported import ImportedSession
from foldproof.logs.keys import text_in, value_key
from foldproof.logs.messages import messages_in
from foldproof.logs.moments import Moment, moment_of
from foldproof.logs.reading import LogFile, Record

_SESSIONS = ("session_id", "conversation_id", "thread_id")
_FAILED = "failed answers"
Fields = dict[str, Any]


def _object(value: Any, key: str) -> Fields:  # noqa: ANN401  # any JSON value
    found = value.get(key) if isinstance(value, dict) else None
    return found if isinstance(found, dict) else {}


def _knows(value: Any) -> bool:  # noqa: ANN401  # any JSON value
    if not isinstance(value, dict):
        return False
    if text_in(value.get("object")) in {"response", "chat.completion"}:
        return True
    if "custom_id" in value:
        return "response" in value or "body" in value
    if isinstance(value.get("request"), dict) and "response" in value:
        return "messages" in value["request"] or "input" in value["request"]
    messages = value.get("messages")
    return isinstance(messages, list) and any(isinstance(item, dict) and "role" in item for item in messages)


def _request(value: Fields) -> Fields:
    """What was sent: of a pair, of a batch line, of a stored response, or the list itself."""
    return _object(value, "request") or _object(value, "body") or value


def _response(value: Fields) -> Fields:
    found = _object(value, "response")
    return _object(found, "body") or found or (value if value.get("object") else {})


def _told(value: Fields, *names: str) -> str:
    """An id that the request tells, at its top or in its metadata."""
    request = _request(value)
    places = (request, _object(request, "metadata"), value, _object(value, "metadata"))
    found = (place.get(name) for place in places for name in names)
    return next((str(name) for name in found if isinstance(name, str | int) and str(name)), "")


def _session(value: Fields) -> str:
    conversation = _response(value).get("conversation") or _request(value).get("conversation")
    if isinstance(conversation, dict):
        conversation = conversation.get("id")
    return str(conversation) if isinstance(conversation, str) and conversation else _told(value, *_SESSIONS)


def _unit_name(value: Fields) -> str:
    return str(value.get("custom_id") or "") or _session(value)


def _places(record: Record, file: LogFile) -> Iterator[Place]:
    value = record.value
    if not _knows(value):
        return
    own = file.label(record)
    if session := _unit_name(value):
        yield Place(value_key([session, _told(value, "user", "user_id")]))
    elif "request" in value or value.get("object"):
        yield Place(_chained(value, file, own))
    else:
        yield Place(own)


def _chained(value: Fields, file: LogFile, own: str) -> str:
    """The unit that a call goes on with: the one of its `previous_response_id`, or of the talk that it sends again.

    Where nothing tells the conversation, a call whose messages begin with an earlier call and its answer goes on
    with it.
    """
    previous = _response(value).get("previous_response_id") or _request(value).get("previous_response_id")
    unit = file.chains.get(f"id {previous}", "")
    keys = [message.key for message in _sent(value) if message.role != "system"]
    answer = [message.key for message in _answered(value)]
    marks, mark = [], value_key(_told(value, "user", "user_id"))
    for key in (*keys, *answer):
        mark = value_key([mark, key])
        marks.append(mark)
    unit = unit or next((file.chains[known] for known in reversed(marks[: len(keys)]) if known in file.chains), own)
    if marks and answer:
        file.chains[marks[-1]] = unit
    if name := _response(value).get("id"):
        file.chains.setdefault(f"id {name}", unit)
    return unit


def _sent(value: Fields) -> list[Message]:
    """The messages of the request; instructions first, as the model reads them."""
    request = _request(value)
    found = next((request[key] for key in ("messages", "input_items", "input") if key in request), None)
    messages = [Message("user", found)] if isinstance(found, str) else messages_in(found)
    instructions = request.get("instructions") or _response(value).get("instructions")
    if isinstance(instructions, str):
        messages.insert(0, Message("system", instructions))
    return messages


def _answered(value: Fields) -> list[Message]:
    response = _response(value)
    if isinstance(response.get("output"), list):
        talk = [item for item in response["output"] if isinstance(item, dict) and item.get("type") != "reasoning"]
        return messages_in(talk)
    choices = response.get("choices")
    first = choices[0] if isinstance(choices, list) and choices and isinstance(choices[0], dict) else {}
    return messages_in(_object(first, "message"))


def _failed(value: Fields) -> bool:
    """A rate limit or another error inside an answer of status 200 of the file: no answer was given."""
    outer = value.get("response")
    status = outer.get("status_code") if isinstance(outer, dict) else None
    wrong = isinstance(status, int) and status >= 400
    return wrong or bool(value.get("error")) or bool(_response(value).get("error"))


def _build(group: Group) -> Iterator[ImportedSession]:
    draft: Draft | None = None
    for found in group.read():
        value = found.value
        if draft is None:
            name = _unit_name(value) or group.session
            draft = Draft(name, group.tally, user=_told(value, "user", "user_id"))
            if not draft.user:
                group.tally.note("some records name no user")
        at = moment_of(_time(value))
        messages = [_timed(message, at) for message in _sent(value)]
        if _failed(value):
            group.tally.aside[_FAILED] += 1
            draft.talk(messages)
            continue
        draft.talk([*messages, *(_timed(message, at) for message in _answered(value))])
        draft.spoke(_response(value).get("model"))
        _usage(draft, _response(value))
    if draft is not None:
        yield draft.done()


def _time(value: Fields) -> Any:  # noqa: ANN401  # any JSON value
    response = _response(value)
    return response.get("created") or response.get("created_at") or value.get("created_at")


def _timed(message: Message, at: Moment | None) -> Message:
    """A message with the time of its call where it has none of its own; the request's time is the closest told."""
    return message if message.at else replace(message, at=at)


def _usage(draft: Draft, response: Fields) -> None:
    usage = _object(response, "usage")
    draft.used(
        usage.get("prompt_tokens", usage.get("input_tokens")),
        usage.get("completion_tokens", usage.get("output_tokens")),
    )


FORMAT = LogFormat(
    name="openai",
    title="OpenAI chat logs, Responses, batch output and fine-tuning files",
    told_by="`messages` with roles, `request` and `response`, or `custom_id`",
    knows=_knows,
    places=_places,
    build=_build,
    limits=("memory reads and writes are seen only where they are tool calls with a name that says so",),
    general=True,
    flat=flat_of(_sent, user=lambda value: _told(value, "user", "user_id"), session=_unit_name, at=_time),
)
