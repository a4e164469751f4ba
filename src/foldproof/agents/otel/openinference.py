"""The OpenInference conventions, as their specification of 2026 names them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from foldproof.agents.otel.found import Finding, Hidden, ModelSpan, Retrieval, ToolSpan, hidden_of
from foldproof.agents.otel.genai import item_of
from foldproof.agents.otel.messages import (
    HIDDEN,
    Called,
    Message,
    answer_of,
    called,
    indexed,
    json_of,
    messages_of,
    prompt_of,
)
from foldproof.agents.otel.spans import Span
from foldproof.agents.shapes import usage_of
from foldproof.agents.wire.foreign import text_in, tools_section
from foldproof.logs import MemoryItem

KIND = "openinference.span.kind"


def openinference_finding(span: Span) -> Finding | None:
    """What a span of these conventions is, or None where it is nothing that is read."""
    attributes = span.attributes
    kind = text_in(attributes.get(KIND)).upper()
    if kind == "LLM":
        return _model_span(span, attributes)
    if kind == "RETRIEVER":
        return Retrieval(span, _documents(span, "retrieval.documents"), "retriever")
    if kind == "RERANKER":
        given, among = (_documents(span, f"reranker.{side}_documents") for side in ("output", "input"))
        return Retrieval(span, given, "reranker", among or ())
    if kind == "TOOL" and attributes.get("tool.name"):
        return ToolSpan(span, called(attributes["tool.name"], _arguments(attributes), attributes.get("tool.id")))
    return None


def _model_span(span: Span, attributes: Mapping[str, Any]) -> ModelSpan:
    prompt, hidden = _prompt(span)
    answer, calls = answer_of(_answer(attributes))
    tools = [json_of(tool.get("tool.json_schema")) for tool in indexed(attributes, "llm.tools")]
    names = ("llm.response.model_name", "llm.model_name", "llm.request.model_name")
    parameters = json_of(attributes.get("llm.invocation_parameters"))
    return ModelSpan(
        span,
        "" if hidden else "\n\n".join([prompt_of(prompt), *tools_section(tools)]),
        answer,
        calls,
        usage_of(dict(attributes), "llm.token_count.prompt", "llm.token_count.completion"),
        next((text_in(attributes[name]) for name in names if attributes.get(name)), ""),
        "chat" if indexed(attributes, "llm.input_messages") else "llm",
        stream=isinstance(parameters, dict) and parameters.get("stream") is True,
        hidden=hidden,
    )


def _prompt(span: Span) -> tuple[list[Message], Hidden]:
    """The messages that the model received, and why they are not whole.

    The flattened messages may have lost their first ones to the exporter's limit of attributes: then the whole input,
    which is one attribute, speaks for them.
    """
    attributes = span.attributes
    said = [] if span.dropped else _messages(attributes, "llm.input_messages", "user")
    said = said or ([] if span.dropped else _completions(attributes, "llm.prompts", "prompt.text", "user"))
    said = said or _value(attributes, "input", "user")
    if any(text == HIDDEN for message in said for text in message.texts):
        return [], "no messages"
    return said, hidden_of(said, cut=span.dropped > 0 and not said)


def _answer(attributes: Mapping[str, Any]) -> list[Message]:
    said = _messages(attributes, "llm.output_messages", "assistant")
    said = said or _completions(attributes, "llm.choices", "completion.text", "assistant")
    said = said or _value(attributes, "output", "assistant")
    return [message for message in said if message.texts != (HIDDEN,)]


def _messages(attributes: Mapping[str, Any], prefix: str, role: str) -> list[Message]:
    found = []
    for fields in indexed(attributes, prefix):
        parts = indexed(fields, "message.contents")
        texts = [fields.get("message.content"), *(_part(part) for part in parts)]
        calls = [_call(made) for made in indexed(fields, "message.tool_calls")]
        if fields.get("message.function_call_name"):
            calls.append(
                called(fields["message.function_call_name"], fields.get("message.function_call_arguments_json"))
            )
        spoken = tuple(text for text in texts if isinstance(text, str) and text)
        found.append(Message(text_in(fields.get("message.role")) or role, spoken, tuple(calls)))
    return found


def _part(part: Mapping[str, Any]) -> str:
    kind = text_in(part.get("message_content.type"))
    return text_in(part.get("message_content.text")) or (f"[{kind}]" if kind in ("image", "audio", "video") else "")


def _call(made: Mapping[str, Any]) -> Called:
    names = ("tool_call.function.name", "tool_call.function.arguments", "tool_call.id")
    name, arguments, call_id = (made.get(name) for name in names)
    return called(name, arguments, call_id)


def _completions(attributes: Mapping[str, Any], prefix: str, name: str, role: str) -> list[Message]:
    texts = [part.get(name) for part in indexed(attributes, prefix)]
    return [Message(role, (text,)) for text in texts if isinstance(text, str) and text]


def _value(attributes: Mapping[str, Any], side: str, role: str) -> list[Message]:
    """The input or output as one value: a request's messages, a text, or any other JSON as it is written."""
    value = attributes.get(f"{side}.value")
    found = json_of(value)
    if isinstance(found, dict) and "messages" in found:
        return messages_of(found, role)
    return messages_of(text_in(value), role)


def _documents(span: Span, prefix: str) -> tuple[MemoryItem, ...] | None:
    """The documents in their order; None where one has no text, or where nothing says that there was none.

    An empty list may leave no attribute behind: then only an output that is empty shows that nothing was found.
    """
    found = [{key.removeprefix("document."): value for key, value in fields.items()}
             for fields in indexed(span.attributes, prefix)]  # fmt: skip
    if not found:
        said = span.attributes.get(prefix, json_of(span.attributes.get("output.value")))
        return () if _is_empty(said) and not span.dropped else None
    if span.dropped or any(fields.get("content") in (None, "", HIDDEN) for fields in found):
        return None
    return tuple(item_of(fields["content"], fields, rank) for rank, fields in enumerate(found, 1))


def _is_empty(value: Any) -> bool:  # noqa: ANN401  # any JSON value
    if isinstance(value, dict):
        return all(isinstance(part, list) and not part for part in value.values())
    return isinstance(value, list) and not value


def _arguments(attributes: Mapping[str, Any]) -> Any:  # noqa: ANN401  # any JSON value
    """The arguments of a tool: its input where that is an object, else what is called its parameters."""
    for name in ("input.value", "tool.parameters"):
        if isinstance(found := json_of(attributes.get(name)), dict):
            return found
    value = attributes.get("input.value")
    return None if value == HIDDEN else value
