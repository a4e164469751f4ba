"""OpenInference spans (Phoenix and its instrumentations), as OTLP JSON, JSON lines, or exported rows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from foldproof.logs.draft import Draft, Message, Result, call_of
from foldproof.logs.formats import Group, LogFormat, Place
from foldproof.logs.formats.retrieved import items_of
from foldproof.logs.formats.traces import traced_sessions
from foldproof.logs.imported import ImportedSession, MemoryOperation
from foldproof.logs.messages import json_in, messages_in, text_of
from foldproof.logs.reading import LogFile, Record
from foldproof.logs.spans import Span, nested, spans_in

_KIND = "openinference.span.kind"


def _kind(span: Span) -> str:
    return (span.text(_KIND) or str(span.attributes.get("span_kind", ""))).upper()


def _knows(value: Any) -> bool:  # noqa: ANN401  # any JSON value
    return any(span.text(_KIND) for span in spans_in(value))


def _places(record: Record, file: LogFile) -> Iterator[Place]:  # noqa: ARG001  # one signature for all formats
    sessions: dict[str, str] = {}
    for span in spans_in(record.value):
        sessions[span.trace] = sessions.get(span.trace) or span.text("session.id")
    yield from (Place(trace, session) for trace, session in sessions.items())


def _build(group: Group) -> Iterator[ImportedSession]:
    return traced_sessions(
        group, _tell, session_of=lambda span: span.text("session.id"), user_of=lambda span: span.text("user.id")
    )


def _tell(draft: Draft, spans: Sequence[Span]) -> None:
    talking = {span.trace for span in spans if _kind(span) == "LLM" and _messages(span)}
    known = {span.id for span in spans}
    for span in spans:
        kind = _kind(span)
        if kind == "LLM":
            _answered(draft, span)
        elif kind == "TOOL":
            _ran(draft, span)
        elif kind == "RETRIEVER":
            found = items_of(nested(span.attributes, "retrieval.documents."))
            draft.remember(MemoryOperation("read", span.text("input.value"), found, span.name, span.start))
        elif span.trace not in talking and span.parent not in known:
            # No call of a model is recorded in this trace: what went into its root and came out is all there is.
            draft.talk(_edges(span))
        else:
            draft.tally.aside[f"{kind.lower() or 'other'} spans"] += 1


def _answered(draft: Draft, span: Span) -> None:
    messages = _messages(span)
    if messages:
        draft.talk(messages)
    else:
        draft.tally.aside["calls without content"] += 1
        draft.tally.note("some calls of a model have no content in these spans: it was not captured")
    draft.spoke(span.text("llm.model_name"))
    draft.used(span.attributes.get("llm.token_count.prompt"), span.attributes.get("llm.token_count.completion"))


def _messages(span: Span) -> list[Message]:
    found: list[Message] = []
    for part in ("llm.input_messages.", "llm.output_messages."):
        listed = nested(span.attributes, part)
        found += messages_in([_contents(item) for item in listed] if isinstance(listed, list) else [])
    return [replace(message, at=span.start) for message in found] or _values(span)


def _contents(item: Any) -> Any:  # noqa: ANN401  # any JSON value
    """A message whose content is a list, which has a name of its own: `contents.N.message_content`."""
    message = item.get("message") if isinstance(item, dict) else None
    contents = message.get("contents") if isinstance(message, dict) else None
    if not isinstance(contents, list) or not isinstance(message, dict):
        return item
    parts = [part.get("message_content", part) for part in contents if isinstance(part, dict)]
    return {"message": {**message, "content": parts}}


def _values(span: Span) -> list[Message]:
    """The messages of a call that is told by its input and output only."""
    request = json_in(span.attributes.get("input.value"))
    asked = messages_in(request) if isinstance(request, dict | list) else []
    return [replace(message, at=span.start) for message in asked] + _edges(span)[1:] if asked else _edges(span)


def _edges(span: Span) -> list[Message]:
    """What went in as the user's, what came out as the agent's."""
    asked, answered = span.attributes.get("input.value"), json_in(span.attributes.get("output.value"))
    if not isinstance(asked, str) or not asked.strip():
        return []
    found = [Message("user", _asked(asked), at=span.start)]
    choices = answered.get("choices") if isinstance(answered, dict) else None
    if isinstance(choices, list):
        return [*found, *(replace(message, at=span.start) for message in messages_in(choices[:1]))]
    text = text_of(answered) if answered is not None else ""
    return [*found, Message("agent", text, at=span.start)] if text.strip() else found


def _asked(value: str) -> str:
    fields = json_in(value)
    texts = [text for text in fields.values() if isinstance(text, str)] if isinstance(fields, dict) else []
    return texts[0] if len(texts) == 1 else value


def _ran(draft: Draft, span: Span) -> None:
    attributes = span.attributes
    call = call_of(span.text("tool.name") or span.name, attributes.get("input.value"),
                   attributes.get("tool_call.id") or attributes.get("tool.id"))  # fmt: skip
    output = attributes.get("output.value")
    draft.ran(call, None if output is None else Result("", text_of(output), span.failed), at=span.start)


FORMAT = LogFormat(
    name="openinference",
    title="OpenInference spans (Phoenix)",
    told_by="spans with `openinference.span.kind`",
    knows=_knows,
    places=_places,
    build=_build,
    limits=("memory writes are seen only where they are tool calls with a name that says so",),
)
