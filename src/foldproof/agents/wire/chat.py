"""OpenAI's chat completions, and the older text completions beside them."""

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
    plain_text,
    section,
    text_in,
    tool_call,
    tools_section,
)
from foldproof.agents.wire.sse import END, Event


def prompt_of(body: Mapping[str, Any]) -> str:
    """All text of a request: the messages in their order, then the tools."""
    sections = [_message_text(mapping_in(message)) for message in list_in(body.get("messages"))]
    if "prompt" in body:
        sections.append(parts_text(body["prompt"]))
    tools = [*list_in(body.get("tools")), *list_in(body.get("functions"))]
    return "\n\n".join([*sections, *tools_section(tools)])


def _message_text(message: dict[str, Any]) -> str:
    role = text_in(message.get("role")) or "message"
    name = text_in(message.get("name")) or text_in(message.get("tool_call_id"))
    calls = [mapping_in(mapping_in(call).get("function")) for call in list_in(message.get("tool_calls"))]
    if "function_call" in message:
        calls.append(mapping_in(message["function_call"]))
    return section(
        f"{role} {name}" if name else role,
        parts_text(message.get("content")),
        text_in(message.get("refusal")),
        *(call_text(call.get("name"), call.get("arguments")) for call in calls if call),
    )


def said_in(body: Mapping[str, Any]) -> Said:
    """What a whole response says: its first choice."""
    choice = next((mapping_in(choice) for choice in list_in(body.get("choices"))), {})
    message = mapping_in(choice.get("message"))
    calls = [mapping_in(mapping_in(call).get("function")) for call in list_in(message.get("tool_calls"))]
    if message.get("function_call"):
        calls.append(mapping_in(message["function_call"]))
    return Said(
        answer=parts_text(message.get("content")) or text_in(message.get("refusal")) or text_in(choice.get("text")),
        tool_calls=tuple(tool_call(call.get("name"), call.get("arguments")) for call in calls),
        usage=usage_of(body.get("usage"), "prompt_tokens", "completion_tokens"),
        model_name=text_in(body.get("model")),
        error=error_in(body),
    )


@dataclass(slots=True)
class _Call:
    id: str = ""
    name: str = ""
    arguments: str = ""

    def add(self, function: dict[str, Any]) -> None:
        name = text_in(function.get("name"))
        if name != self.name:  # some servers say the name with every piece
            self.name += name
        self.arguments += plain_text(function.get("arguments"))


@dataclass(slots=True)
class _Stream:
    """The first choice of a stream, put together from its pieces."""

    texts: list[str] = field(default_factory=list)
    refusals: list[str] = field(default_factory=list)
    calls: dict[int, _Call] = field(default_factory=dict)
    ended: bool = False

    def add(self, choice: dict[str, Any]) -> None:
        delta = mapping_in(choice.get("delta"))
        self.texts.append(parts_text(delta.get("content")) or text_in(choice.get("text")))
        self.refusals.append(text_in(delta.get("refusal")))
        for part in map(mapping_in, list_in(delta.get("tool_calls"))):
            self._call_of(part).add(mapping_in(part.get("function")))
        if delta.get("function_call"):
            self.calls.setdefault(-1, _Call()).add(mapping_in(delta["function_call"]))
        self.ended = self.ended or bool(choice.get("finish_reason"))

    def _call_of(self, part: dict[str, Any]) -> _Call:
        """The call that a piece goes on with; without an index a new id begins a new one."""
        index, name = part.get("index"), text_in(part.get("id"))
        if not isinstance(index, int):
            last = max(self.calls, default=0)
            known = self.calls.get(last)
            index = last + 1 if known is not None and name and name != known.id else last
        call = self.calls.setdefault(index, _Call())
        call.id = call.id or name
        return call


def said_in_stream(events: Sequence[Event]) -> Said:
    """What a streamed response says, as far as it came."""
    stream = _Stream()
    usage, model_name, error = None, "", ""
    for event in events:
        if event.data == END:
            stream.ended = True
            continue
        body = mapping_in(event.data)
        for choice in map(mapping_in, list_in(body.get("choices"))):
            if choice.get("index", 0) == 0:
                stream.add(choice)
        usage = usage_of(body.get("usage"), "prompt_tokens", "completion_tokens") or usage
        model_name = text_in(body.get("model")) or model_name
        error = error_in(body) or error
    return Said(
        answer="".join(stream.texts) or "".join(stream.refusals),
        tool_calls=tuple(tool_call(call.name, call.arguments) for _, call in sorted(stream.calls.items())),
        usage=usage,
        model_name=model_name,
        error=error,
        ended=stream.ended or bool(error),
    )
