"""OpenTelemetry spans with the GenAI conventions, as OTLP JSON, JSON lines of it, or one span a line."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from foldproof.logs.draft import Draft, Message, Result, call_of
from foldproof.logs.formats import Group, LogFormat, Place
from foldproof.logs.formats.retrieved import items_of
from foldproof.logs.formats.traces import traced_sessions
from foldproof.logs.imported import ImportedSession, MemoryOperation
from foldproof.logs.memory_calls import memory_operation
from foldproof.logs.messages import json_in, messages_in, text_of
from foldproof.logs.reading import LogFile, Record
from foldproof.logs.spans import Span, nested, spans_in

_CONVERSATION = ("gen_ai.conversation.id", "session.id")
_USER = ("user.id", "enduser.id")
_CHATS = frozenset({"chat", "text_completion", "generate_content", "completion"})
_EVENT_ROLES = {
    "gen_ai.system.message": "system",
    "gen_ai.user.message": "user",
    "gen_ai.assistant.message": "assistant",
    "gen_ai.tool.message": "tool",
    "gen_ai.choice": "assistant",
}
_NO_CONTENT = "no content in these spans: capturing it is off by default, and must be turned on where they are made"


def _genai(span: Span) -> bool:
    return any(key.startswith("gen_ai.") for key in span.attributes)


def _knows(value: Any) -> bool:  # noqa: ANN401  # any JSON value
    return any(_genai(span) for span in spans_in(value))


def _places(record: Record, file: LogFile) -> Iterator[Place]:  # noqa: ARG001  # one signature for all formats
    sessions: dict[str, str] = {}
    for span in spans_in(record.value):
        sessions[span.trace] = sessions.get(span.trace) or span.text(*_CONVERSATION)
    yield from (Place(trace, session) for trace, session in sessions.items())


def _build(group: Group) -> Iterator[ImportedSession]:
    return traced_sessions(
        group, _tell, session_of=lambda span: span.text(*_CONVERSATION), user_of=lambda span: span.text(*_USER)
    )


def _operation(span: Span) -> str:
    return span.text("gen_ai.operation.name")


def _tell(draft: Draft, spans: Sequence[Span]) -> None:
    owners = _sub_agents(spans)
    sides: dict[str, Draft] = {}
    chats = [span for span in spans if _operation(span) in _CHATS or (not _operation(span) and _messages(span))]
    with_talk = any(_messages(span) for span in chats)
    if chats and not with_talk and not any(_messages(span) for span in spans):
        draft.tally.note(_NO_CONTENT)
    for span in spans:
        owner = owners.get(span.id, "")
        place = sides.setdefault(owner, Draft(owner, draft.tally)) if owner else draft
        _take(place, span, talks=not with_talk)
    draft.sidechains.extend(side.done() for side in sides.values() if side.entries)


def _sub_agents(spans: Sequence[Span]) -> dict[str, str]:
    """The sub-agent of each span that has one: the nearest agent above it which has an agent above itself."""
    known = {span.id: span for span in spans}
    found: dict[str, str] = {}
    for span in spans:
        agents: list[Span] = []
        above, seen = known.get(span.parent), {span.id}
        while above is not None and above.id not in seen:
            seen.add(above.id)
            if _operation(above) == "invoke_agent":
                agents.append(above)
            above = known.get(above.parent)
        if len(agents) > 1:
            found[span.id] = agents[0].text("gen_ai.agent.name", "gen_ai.agent.id") or agents[0].name or agents[0].id
    return found


def _take(draft: Draft, span: Span, *, talks: bool) -> None:
    operation, attributes = _operation(span), span.attributes
    if operation == "execute_tool":
        call = call_of(attributes.get("gen_ai.tool.name") or span.name.removeprefix("execute_tool "),
                       attributes.get("gen_ai.tool.call.arguments"), attributes.get("gen_ai.tool.call.id"))  # fmt: skip
        result = attributes.get("gen_ai.tool.call.result")
        draft.ran(call, None if result is None else Result("", text_of(result), span.failed), at=span.start)
    elif kind := "read" if operation == "retrieval" else memory_operation(operation, {}):
        found = items_of(attributes.get("gen_ai.retrieval.documents"))
        query = span.text("gen_ai.retrieval.query.text", "gen_ai.memory.query.text", "gen_ai.memory.content")
        via = span.text("gen_ai.data_source.id", "gen_ai.memory.store.id") or span.name
        draft.remember(MemoryOperation(kind, query, found, via, span.start))
    elif operation == "invoke_agent" and not talks:
        draft.tally.aside["agent spans"] += 1
    elif messages := _messages(span):
        draft.talk([_timed(message, span) for message in messages])
        _used(draft, span)
    elif operation in _CHATS:
        draft.tally.aside["calls without content"] += 1
        _used(draft, span)
    else:
        draft.tally.aside["other spans"] += 1


def _used(draft: Draft, span: Span) -> None:
    attributes = span.attributes
    draft.spoke(span.text("gen_ai.response.model", "gen_ai.request.model"))
    draft.used(
        attributes.get("gen_ai.usage.input_tokens", attributes.get("gen_ai.usage.prompt_tokens")),
        attributes.get("gen_ai.usage.output_tokens", attributes.get("gen_ai.usage.completion_tokens")),
    )


def _timed(message: Message, span: Span) -> Message:
    return message if message.at else replace(message, at=span.start)


def _messages(span: Span) -> list[Message]:
    """What a span says, in whichever form: attributes, events that carry them, old events, numbered attributes."""
    for attributes in (span.attributes, *(attributes for _, attributes in span.events)):
        told = [attributes.get(f"gen_ai.{part}.messages") for part in ("input", "output")]
        if any(told):
            system = text_of(_parts(json_in(attributes.get("gen_ai.system_instructions"))))
            opening = [Message("system", system)] if system else []
            return [*opening, *(message for part in told if part for message in messages_in(part))]
    if events := [message for name, about in span.events if name in _EVENT_ROLES for message in _event(name, about)]:
        return events
    numbered = [nested(span.attributes, f"gen_ai.{part}.") for part in ("prompt", "completion")]
    return [message for part in numbered if isinstance(part, list) for message in messages_in(part)]


def _parts(value: Any) -> Any:  # noqa: ANN401  # any JSON value
    """Instructions are a list of parts without roles."""
    return [part for part in value if isinstance(part, dict | str)] if isinstance(value, list) else value


def _event(name: str, about: Any) -> list[Message]:  # noqa: ANN401  # any JSON value
    body = json_in(about.get("gen_ai.event.content"))
    fields = {**about, **(body if isinstance(body, dict) else {})}
    inner = json_in(fields.get("message"))
    fields = {**fields, **(inner if isinstance(inner, dict) else {})}
    calls = json_in(fields.get("tool_calls"))
    known = {key: fields[key] for key in ("role", "content", "id") if key in fields}
    message = {"role": _EVENT_ROLES[name], **known, "tool_calls": calls}
    if message["role"] == "tool":
        message["tool_call_id"] = fields.get("id", "")
    return messages_in([message])


FORMAT = LogFormat(
    name="otel-genai",
    title="OpenTelemetry spans with the GenAI conventions (OTLP JSON or JSON lines)",
    told_by="spans with attributes `gen_ai.…`",
    knows=_knows,
    places=_places,
    build=_build,
    limits=("memory writes are seen only where they are tool calls or operations with a name that says so",),
)
