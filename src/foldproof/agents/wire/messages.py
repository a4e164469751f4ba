"""Anthropic's Messages API."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
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
from foldproof.logs import Usage

_CACHED = ("cache_read_input_tokens", "cache_creation_input_tokens")


def prompt_of(body: Mapping[str, Any]) -> str:
    """All text of a request: the system text, the messages in their order, then the tools."""
    system = parts_text(body.get("system"))
    sections = [section("system", system)] if system else []
    for message in map(mapping_in, list_in(body.get("messages"))):
        sections += _sections_of(text_in(message.get("role")) or "message", message.get("content"))
    return "\n\n".join([*sections, *tools_section(list_in(body.get("tools")))])


def _sections_of(role: str, content: Any) -> list[str]:  # noqa: ANN401  # any JSON value
    """A message by its speaker; a tool's results, which come as a user's message, each by its own."""
    if not isinstance(content, list):
        return [section(role, parts_text(content))]
    sections: list[str] = []
    spoken: list[str] = []
    for block in content:
        fields = mapping_in(block)
        if fields.get("type") == "tool_result":
            if spoken:
                sections.append(section(role, *spoken))
                spoken = []
            name = f"tool {text_in(fields.get('tool_use_id'))}".rstrip()
            sections.append(section(name, parts_text(fields.get("content"))))
        elif fields.get("type") == "tool_use":
            spoken.append(call_text(fields.get("name"), fields.get("input")))
        else:
            spoken.append(parts_text([block]))
    return [*sections, section(role, *spoken)] if spoken or not sections else sections


def said_in(body: Mapping[str, Any]) -> Said:
    """What a whole response says."""
    blocks = [mapping_in(block) for block in list_in(body.get("content"))]
    return Said(
        answer="".join(text_in(block.get("text")) for block in blocks if block.get("type") == "text"),
        tool_calls=tuple(
            tool_call(block.get("name"), block.get("input")) for block in blocks if block.get("type") == "tool_use"
        ),
        usage=_usage_of(mapping_in(body.get("usage"))),
        model_name=text_in(body.get("model")),
        error=error_in(body),
    )


def _usage_of(counts: dict[str, Any]) -> Usage | None:
    """The counts, with what was read from or written to a prompt cache as input: the model received it too."""
    usage = usage_of(counts, "input_tokens", "output_tokens")
    if usage is None or usage.input_tokens is None:
        return usage
    cached = (usage_of({"tokens": counts.get(name)}, "tokens", "") for name in _CACHED)
    total = usage.input_tokens + sum(found.input_tokens or 0 for found in cached if found)
    return Usage(total, usage.output_tokens)


@dataclass(slots=True)
class _Block:
    """One block of the content, put together from its pieces."""

    fields: dict[str, Any] = field(default_factory=dict)
    text: str = ""
    arguments: str = ""

    def whole(self) -> dict[str, Any]:
        """The block as far as its pieces came."""
        text = text_in(self.fields.get("text")) + self.text
        return {**self.fields, "text": text, "input": self.arguments or self.fields.get("input")}


def said_in_stream(events: Sequence[Event]) -> Said:
    """What a streamed response says, as far as it came."""
    blocks: dict[int, _Block] = {}
    message: dict[str, Any] = {}
    counts: dict[str, Any] = {}
    ended, error = False, ""
    for event in events:
        data = mapping_in(event.data)
        kind = text_in(data.get("type")) or event.name
        index = data.get("index")
        if kind == "message_start":
            message = mapping_in(data.get("message"))
            counts |= mapping_in(message.get("usage"))
        elif kind == "content_block_start" and isinstance(index, int):
            blocks[index] = _Block(mapping_in(data.get("content_block")))
        elif kind == "content_block_delta" and isinstance(index, int):
            delta = mapping_in(data.get("delta"))
            block = blocks.setdefault(index, _Block({"type": "text"}))
            block.text += text_in(delta.get("text"))
            block.arguments += text_in(delta.get("partial_json"))
        elif kind == "message_delta":
            counts |= {name: count for name, count in mapping_in(data.get("usage")).items() if count is not None}
        elif kind == "message_stop":
            ended = True
        elif kind == "error":
            error, ended = error_in(data) or "the stream holds an error", True
    content = [blocks[index].whole() for index in sorted(blocks)]
    said = said_in({**message, "content": content, "usage": counts})
    return Said(said.answer, said.tool_calls, said.usage, said.model_name, error or said.error, ended)
