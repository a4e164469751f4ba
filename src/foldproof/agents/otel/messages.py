"""Messages as spans carry them, in any of their spellings, and the prompt that they make."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from foldproof.agents.wire.foreign import call_text, list_in, mapping_in, plain_text, section, text_in
from foldproof.logs import ToolCall

HIDDEN = "__REDACTED__"
"""What OpenInference writes in the place of a content that it was told to hide."""
_PICTURES = frozenset({"blob", "file", "uri", "image", "image_url", "input_image", "audio", "input_audio", "video"})
_RESPONSES = ("response", "result", "content")
_DEEPEST = 60


@dataclass(frozen=True, slots=True)
class Called:
    """One tool call, with the id that ties it to the span of its execution, or none."""

    call: ToolCall
    id: str = ""


@dataclass(frozen=True, slots=True)
class Message:
    """One message: who speaks, its texts and its tool calls."""

    role: str
    texts: tuple[str, ...] = ()
    calls: tuple[Called, ...] = ()


def prompt_of(messages: Iterable[Message]) -> str:
    """All text of the messages in reading order, each headed by its role."""
    lines = ((message, [call_text(called.call.name, called.call.args) for called in message.calls])
             for message in messages)  # fmt: skip
    return "\n\n".join(section(message.role or "message", *message.texts, *calls) for message, calls in lines)


def answer_of(messages: Iterable[Message]) -> tuple[str, tuple[Called, ...]]:
    """The text of an answer and its tool calls."""
    said = list(messages)
    return "\n".join(text for part in said for text in part.texts), tuple(made for part in said for made in part.calls)


def json_of(value: Any) -> Any:  # noqa: ANN401  # any JSON value
    """The JSON value of a text, None where it is none; a value that is no text as it is.

    Numbers that JSON does not have stay text, and what is nested more than sixty deep is none: no record keeps it.
    """
    if not isinstance(value, str):
        return value
    try:
        found = json.loads(value, parse_constant=str, parse_float=_finite)
        return None if _deeper(found, _DEEPEST) else found
    except (ValueError, RecursionError):
        return None


def _deeper(value: Any, levels: int) -> bool:  # noqa: ANN401  # any JSON value
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return levels == 0 or any(_deeper(part, levels - 1) for part in inner)


def _finite(text: str) -> float | str:
    number = float(text)
    return number if math.isfinite(number) else text


def called(name: Any, arguments: Any, call_id: Any = "") -> Called:  # noqa: ANN401  # any JSON values
    """A tool call out of its parts; arguments may be an object or its JSON text, anything else is kept as `_raw`."""
    found = json_of(arguments)
    if not isinstance(found, dict):
        found = {} if arguments is None or arguments == "" else {"_raw": arguments}
    return Called(ToolCall(plain_text(name), found), text_in(call_id))


def messages_of(value: Any, role: str) -> list[Message]:  # noqa: ANN401  # any JSON value
    """Messages out of a list, an object or a text; `role` speaks where a message names nobody."""
    if isinstance(value, str):
        return [Message(role, (value,))] if value else []
    if isinstance(value, list):
        return [message for part in value for message in messages_of(part, role)]
    fields = mapping_in(value)
    if not fields:
        return []
    if "messages" in fields:
        system = [Message("system", _texts(fields["system"]))] if fields.get("system") else []
        return [*system, *messages_of(fields["messages"], role)]
    if not {"role", "parts", "tool_calls"} & fields.keys() and "type" in fields:
        return [_message({"parts": [fields]}, role)]  # a bare part, as system instructions are
    return [_message(fields, role)]


def _message(fields: Mapping[str, Any], role: str) -> Message:
    parts = [*list_in(fields.get("parts")), *list_in(fields.get("content"))]
    texts = [*_texts(fields.get("content"))] if isinstance(fields.get("content"), (str, dict)) else []
    calls = [*map(_call_of, list_in(fields.get("tool_calls")))]
    for part in parts:
        if mapping_in(part).get("type") in ("tool_call", "tool_use", "function_call"):
            calls.append(_call_of(part))
        else:
            texts += _texts(part)
    name = text_in(fields.get("role")) or role
    return Message(name, tuple(filter(None, texts)), tuple(made for made in calls if made.call.name))


def _call_of(part: Any) -> Called:  # noqa: ANN401  # any JSON value
    fields = mapping_in(part)
    inner = mapping_in(fields.get("function")) or fields
    arguments = next((inner[name] for name in ("arguments", "input", "args") if name in inner), None)
    return called(inner.get("name"), arguments, fields.get("id") or fields.get("call_id"))


def _texts(part: Any) -> tuple[str, ...]:  # noqa: ANN401  # any JSON value
    """The texts of one part of a message; a picture stands as `[image]`."""
    if isinstance(part, str):
        return (part,)
    if isinstance(part, list):
        return tuple(text for inner in part for text in _texts(inner))
    fields = mapping_in(part)
    kind = text_in(fields.get("type"))
    if kind in _PICTURES:
        return (f"[{text_in(fields.get('modality')) or kind}]",)
    names = _RESPONSES if kind in ("tool_call_response", "tool_result") else ("content", "text", "refusal", "thinking")
    found = next((fields[name] for name in names if fields.get(name) is not None), None)
    if found is None:
        return (plain_text(fields),) if fields else ()
    return _texts(found) if isinstance(found, list) else (plain_text(found),)


def indexed(attributes: Mapping[str, Any], prefix: str) -> list[dict[str, Any]]:
    """A list that was flattened into attributes `PREFIX.N.…`, in the order of its numbers."""
    found: dict[int, dict[str, Any]] = {}
    for key, value in attributes.items():
        number, _, rest = key[len(prefix) + 1 :].partition(".")
        if key.startswith(f"{prefix}.") and rest and number.isdecimal() and number.isascii() and len(number) < 10:
            found.setdefault(int(number), {})[rest] = value
    return [fields for _, fields in sorted(found.items())]
