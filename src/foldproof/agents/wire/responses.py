"""OpenAI's Responses API."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from foldproof.agents.shapes import usage_of
from foldproof.agents.wire.foreign import (
    Said,
    call_text,
    error_in,
    list_in,
    mapping_in,
    parts_text,
    section,
    text_in,
    tool_call,
    tools_section,
)
from foldproof.agents.wire.sse import Event

_LAST = frozenset({"response.completed", "response.incomplete", "response.failed", "error"})


def prompt_of(body: Mapping[str, Any], earlier: str = "") -> str:
    """All text of a request: the instructions, what the server has of earlier ones, the input, the tools."""
    instructions = parts_text(body.get("instructions"))
    head = [section("system", instructions)] if instructions else []
    tail = tools_section(list_in(body.get("tools")))
    return "\n\n".join(filter(None, [*head, earlier, conversation_of(body), *tail]))


def conversation_of(body: Mapping[str, Any]) -> str:
    """The input alone, which a later request can go on from by the response's id."""
    given = body.get("input")
    if isinstance(given, str):
        return section("user", given)
    return "\n\n".join(_item_text(mapping_in(item)) for item in list_in(given))


def _item_text(item: dict[str, Any]) -> str:
    kind = text_in(item.get("type")) or "message"
    if "role" in item:
        return section(text_in(item["role"]) or "message", parts_text(item.get("content")))
    if "arguments" in item:
        return section("assistant", call_text(item.get("name"), item["arguments"]))
    if "output" in item:
        return section(f"tool {text_in(item.get('call_id'))}".rstrip(), parts_text(item["output"]))
    return section(kind, *(parts_text(item[name]) for name in ("summary", "content", "input") if item.get(name)))


def said_in(body: Mapping[str, Any]) -> Said:
    """What a whole response says."""
    return _said(map(mapping_in, list_in(body.get("output"))), body)


def _said(items: Iterable[dict[str, Any]], body: Mapping[str, Any]) -> Said:
    texts, calls = [], []
    for item in items:
        if item.get("type") == "message":
            texts.append(parts_text(item.get("content")))
        elif item.get("type") == "function_call":
            calls.append(tool_call(item.get("name"), item.get("arguments")))
        elif item.get("type") == "custom_tool_call":
            calls.append(tool_call(item.get("name"), item.get("input")))
    failed = "the response failed" if body.get("status") == "failed" else ""
    return Said(
        answer="\n".join(filter(None, texts)),
        tool_calls=tuple(calls),
        usage=usage_of(body.get("usage"), "input_tokens", "output_tokens"),
        model_name=text_in(body.get("model")),
        error=error_in(body) or failed,
    )


@dataclass(slots=True)
class _Item:
    """One item of the output, put together from its pieces."""

    fields: dict[str, Any] = field(default_factory=dict)
    texts: dict[int, str] = field(default_factory=dict)
    arguments: str = ""

    def whole(self) -> dict[str, Any]:
        """The item as the server sent it at its end, or as far as its pieces came."""
        done = dict(self.fields)
        if self.texts:
            done = {"type": "message", **done}
            if not list_in(done.get("content")):
                done["content"] = [text for _, text in sorted(self.texts.items())]
        if self.arguments and not done.get("arguments"):
            done = {"type": "function_call", **done, "arguments": self.arguments}
        return done


def said_in_stream(events: Sequence[Event]) -> Said:
    """What a streamed response says, as far as it came."""
    items: dict[int, _Item] = {}
    body: dict[str, Any] = {}
    ended, error = False, ""
    for event in events:
        data = mapping_in(event.data)
        kind = text_in(data.get("type")) or event.name
        if "response" in data:
            body = {**body, **mapping_in(data["response"])}
        if kind in _LAST:
            ended = True
        if kind == "error" or "error" in data:
            error = text_in(data.get("message")) or error_in(data) or "the stream holds an error"
        _add(items, kind, data)
    whole = body if list_in(body.get("output")) else {**body, "output": [items[n].whole() for n in sorted(items)]}
    said = said_in(whole)
    return Said(said.answer, said.tool_calls, said.usage, said.model_name, error or said.error, ended)


def _add(items: dict[int, _Item], kind: str, data: dict[str, Any]) -> None:
    index = data.get("output_index")
    if not isinstance(index, int):
        return
    item = items.setdefault(index, _Item())
    if kind in ("response.output_item.added", "response.output_item.done"):
        item.fields = mapping_in(data.get("item"))
    elif kind in ("response.output_text.delta", "response.refusal.delta"):
        part = data.get("content_index")
        place = part if isinstance(part, int) else 0
        item.texts[place] = item.texts.get(place, "") + text_in(data.get("delta"))
    elif kind == "response.function_call_arguments.delta":
        item.arguments += text_in(data.get("delta"))
