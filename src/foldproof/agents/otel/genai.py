"""OpenTelemetry's own conventions for generative AI, the current ones and those before them.

Read from: the conventions' pages on spans, on events and on memory (development status, 2026), their text of version
1.36 for the older events, and the indexed attributes that OpenLLMetry wrote before it followed them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from foldproof.agents.otel.found import Finding, ModelSpan, Retrieval, ToolSpan, Writing, hidden_of
from foldproof.agents.otel.messages import (
    Message,
    answer_of,
    called,
    indexed,
    json_of,
    messages_of,
    prompt_of,
)
from foldproof.agents.otel.spans import Event, Span
from foldproof.agents.shapes import number_of, usage_of
from foldproof.agents.wire.foreign import list_in, mapping_in, plain_text, text_in, tools_section
from foldproof.logs import MemoryItem, Usage

OPERATION = "gen_ai.operation.name"
_MODEL = frozenset({"chat", "text_completion", "generate_content", "completion"})
_SEARCHES = frozenset({"retrieval", "search_memory"})
_WRITES = frozenset({"create_memory", "update_memory", "upsert_memory"})
_DETAILS = "gen_ai.client.inference.operation.details"
_TOLD = {"gen_ai.system.message": "system", "gen_ai.user.message": "user", "gen_ai.assistant.message": "assistant",
         "gen_ai.tool.message": "tool"}  # fmt: skip
_STREAMS = ("gen_ai.request.stream", "gen_ai.is_streaming", "llm.is_streaming")


def genai_finding(span: Span) -> Finding | None:
    """What a span of these conventions is, or None where it is nothing that is read."""
    attributes = _with_details(span)
    operation = text_in(attributes.get(OPERATION)) or text_in(attributes.get("llm.request.type"))
    if operation in _MODEL or (not operation and _shows_messages(attributes, span.events)):
        return _model_span(span, attributes, operation or "chat")
    if operation == "execute_tool":
        name, arguments = attributes.get("gen_ai.tool.name"), attributes.get("gen_ai.tool.call.arguments")
        return ToolSpan(span, called(name, arguments, attributes.get("gen_ai.tool.call.id"))) if name else None
    if operation in _SEARCHES:
        items = _items(attributes, "gen_ai.memory.records", "gen_ai.retrieval.documents", ranks=True)
        return Retrieval(span, items, "retriever" if operation == "retrieval" else "memory")
    if operation in _WRITES:
        return Writing(span, _items(attributes, "gen_ai.memory.records"))
    return None


def _with_details(span: Span) -> dict[str, Any]:
    """The attributes, completed from the event that may carry the content in their place."""
    found = dict(span.attributes)
    for event in span.events:
        if event.name == _DETAILS:
            found = {**event.attributes, **mapping_in(event.body), **found}
    return found


def _shows_messages(attributes: Mapping[str, Any], events: Iterable[Event]) -> bool:
    """Whether a span that names no operation holds what only a model's call has."""
    names = ("gen_ai.prompt", "gen_ai.completion")
    told = any(event.name in _TOLD or event.name == "gen_ai.choice" for event in events)
    return told or any(key in names or key.startswith(("gen_ai.prompt.", "gen_ai.completion.")) for key in attributes)


def _model_span(span: Span, attributes: Mapping[str, Any], operation: str) -> ModelSpan:
    prompt, whole = _prompt(attributes, span.events)
    answer, calls = answer_of(_answer(attributes, span.events))
    hidden = hidden_of(prompt, cut=not whole or span.dropped > 0)
    definitions = list_in(json_of(attributes.get("gen_ai.tool.definitions")))
    tools = tools_section(definitions or indexed(attributes, "llm.request.functions"))
    return ModelSpan(
        span,
        "" if hidden else "\n\n".join([prompt_of(prompt), *tools]),
        answer,
        calls,
        _usage(attributes),
        text_in(attributes.get("gen_ai.response.model")) or text_in(attributes.get("gen_ai.request.model")),
        operation,
        stream=any(attributes.get(name) is True for name in _STREAMS),
        hidden=hidden,
    )


def _usage(attributes: Mapping[str, Any]) -> Usage | None:
    names = (("gen_ai.usage.input_tokens", "gen_ai.usage.output_tokens"),
             ("gen_ai.usage.prompt_tokens", "gen_ai.usage.completion_tokens"))  # fmt: skip
    return next(filter(None, (usage_of(dict(attributes), *pair) for pair in names)), None)


def _prompt(attributes: Mapping[str, Any], events: tuple[Event, ...]) -> tuple[list[Message], bool]:
    """The messages that the model received, by the first spelling that is there, and whether they are whole."""
    system, first = _of_attribute(attributes.get("gen_ai.system_instructions"), "system")
    messages, second = _of_attribute(attributes.get("gen_ai.input.messages"), "user")
    if messages or not (first and second):
        return [*system, *messages], first and second
    told = [message for event in events for message in _told(event)]
    flat = told or _flat(indexed(attributes, "gen_ai.prompt"), "user")
    return [*system, *(flat or _plain(attributes, events, "prompt"))], True


def _answer(attributes: Mapping[str, Any], events: tuple[Event, ...]) -> list[Message]:
    messages, whole = _of_attribute(attributes.get("gen_ai.output.messages"), "assistant")
    if messages:
        return messages if whole else []
    choices = [_fields(event) for event in events if event.name == "gen_ai.choice"]
    told = [said for choice in choices for said in _of_attribute(choice.get("message", choice), "assistant")[0]]
    flat = told or _flat(indexed(attributes, "gen_ai.completion"), "assistant")
    return flat or _plain(attributes, events, "completion")


def _of_attribute(value: Any, role: str) -> tuple[list[Message], bool]:  # noqa: ANN401  # any JSON value
    """The messages of a JSON attribute; they are not whole where the JSON ends early."""
    found = json_of(value)
    if found is None and isinstance(value, str):
        return messages_of(value, role), not value.lstrip().startswith(("[", "{"))
    return messages_of(found, role), True


def _told(event: Event) -> list[Message]:
    if event.name not in _TOLD:
        return []
    fields = _fields(event)
    if fields.get("content") is None and not fields.get("tool_calls"):
        return []
    role = text_in(fields.get("role")) or _TOLD[event.name]
    calls = json_of(fields.get("tool_calls"))
    return messages_of({"role": role, "content": fields.get("content"), "tool_calls": calls}, role)


def _fields(event: Event) -> dict[str, Any]:
    """What an event says: a log record in its body, a span event in its attributes."""
    short = {key.rpartition(".")[2]: value for key, value in event.attributes.items()}
    # Some write the whole message as the JSON of one attribute.
    body = json_of(event.attributes.get("gen_ai.event.content") if event.body is None else event.body)
    if isinstance(body, dict):
        return {**short, **body}
    return short if event.body is None else {**short, "content": event.body}


def _flat(parts: list[dict[str, Any]], role: str) -> list[Message]:
    found = []
    for part in parts:
        content = json_of(part.get("content"))
        texts = messages_of({"content": content if isinstance(content, list) else part.get("content")}, role)
        calls = [
            called(made.get("name"), made.get("arguments"), made.get("id")) for made in indexed(part, "tool_calls")
        ]
        spoken = tuple(text for message in texts for text in message.texts)
        if spoken or calls:
            found.append(Message(text_in(part.get("role")) or role, spoken, tuple(calls)))
    return found


def _plain(attributes: Mapping[str, Any], events: tuple[Event, ...], which: str) -> list[Message]:
    """The oldest spelling: one attribute of the span, or of an event of it, that holds all messages."""
    told = [event.attributes for event in events if event.name == f"gen_ai.content.{which}"]
    values = [part[f"gen_ai.{which}"] for part in [attributes, *told] if part.get(f"gen_ai.{which}")]
    role = "user" if which == "prompt" else "assistant"
    return next(filter(None, (_of_attribute(value, role)[0] for value in values)), [])


def _items(attributes: Mapping[str, Any], *names: str, ranks: bool = False) -> tuple[MemoryItem, ...] | None:
    """The records of a memory, or documents: None where one of them comes without its text."""
    found = next((found for name in names if isinstance(found := json_of(attributes.get(name)), list)), None)
    if found is None:
        return () if attributes.get("gen_ai.memory.record.count") == 0 else None
    items = []
    for rank, part in enumerate(found, 1):
        fields = mapping_in(part) or {"content": part}
        text = next((fields[name] for name in ("content", "text", "page_content") if fields.get(name)), None)
        if text is None:
            return None
        items.append(item_of(text, fields, rank if ranks else 0))
    return tuple(items)


def item_of(text: Any, fields: Mapping[str, Any], rank: int) -> MemoryItem:  # noqa: ANN401  # any JSON value
    """A memory item; its kind is what its metadata calls `kind` or `type`."""
    metadata = mapping_in(json_of(fields.get("metadata")))
    return MemoryItem(
        plain_text(text),
        id=plain_text(fields.get("id")),
        kind=text_in(metadata.get("kind")) or text_in(metadata.get("type")),
        rank=rank,
        score=number_of(fields.get("score")),
    )
