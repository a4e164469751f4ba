"""Foreign JSON without assumptions: whatever a body holds, reading it never raises."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from foldproof.logs import ToolCall, Usage, arguments_of
from foldproof.logs.prompts import OFFERED


@dataclass(frozen=True, slots=True)
class Said:
    """What a response says. `error` is the error that it holds, `ended` whether its last part came."""

    answer: str = ""
    tool_calls: tuple[ToolCall, ...] = ()
    usage: Usage | None = None
    model_name: str = ""
    error: str = ""
    ended: bool = True


def mapping_in(value: Any) -> dict[str, Any]:  # noqa: ANN401  # any JSON value
    """The value where it is an object, else an empty one."""
    return value if isinstance(value, dict) else {}


def list_in(value: Any) -> list[Any]:  # noqa: ANN401  # any JSON value
    """The value where it is a list, else an empty one."""
    return value if isinstance(value, list) else []


def text_in(value: Any) -> str:  # noqa: ANN401  # any JSON value
    """The value where it is text, else nothing."""
    return value if isinstance(value, str) else ""


def json_in(text: str | bytes) -> Any:  # noqa: ANN401  # any JSON value
    """The JSON value of a text, or None where it is none."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def plain_text(value: Any) -> str:  # noqa: ANN401  # any JSON value
    """A text as it is, nothing for null, and any other value as JSON."""
    if isinstance(value, str):
        return value
    try:
        return "" if value is None else json.dumps(value, ensure_ascii=False)
    except RecursionError:
        return "[nested too deeply]"


def parts_text(content: Any) -> str:  # noqa: ANN401  # any JSON value
    """The text of a message's content: a text, or its parts, an image as `[image]`."""
    if not isinstance(content, list):
        return plain_text(content)
    return "\n".join(filter(None, map(_part_text, content)))


def _part_text(part: Any) -> str:  # noqa: ANN401  # any JSON value
    if isinstance(part, str):
        return part
    fields = mapping_in(part)
    for name in ("text", "refusal", "thinking"):
        if isinstance(fields.get(name), str):
            return str(fields[name])
    source = mapping_in(fields.get("source"))
    if source.get("type") == "text":
        return text_in(source.get("data"))
    kind = text_in(fields.get("type"))
    return "[image]" if "image" in kind else f"[{kind or 'part'}]"


def section(head: str, *texts: str) -> str:
    """One message of a prompt, headed by who speaks."""
    return "\n".join([f"[{head}]", *filter(None, texts)])


def call_text(name: Any, arguments: Any) -> str:  # noqa: ANN401  # any JSON value
    """A tool call as a line of a prompt."""
    return f"{plain_text(name)}({plain_text(arguments)})"


def tool_call(name: Any, arguments: Any) -> ToolCall:  # noqa: ANN401  # any JSON value
    """A tool call."""
    return ToolCall(plain_text(name), arguments_of(arguments))


def tools_section(tools: Iterable[Any]) -> list[str]:
    """The tools that are offered, by name and description: no section where there are none."""
    lines = []
    for tool in tools:
        fields = mapping_in(tool)
        inner = mapping_in(fields.get("function")) or fields
        name = text_in(inner.get("name")) or text_in(inner.get("type"))
        description = text_in(inner.get("description"))
        lines.append(f"{name}: {description}" if description else name)
    return [section(OFFERED, *lines)] if any(lines) else []


def error_in(body: Any) -> str:  # noqa: ANN401  # any JSON value
    """The error that a body holds, in its own words, or nothing."""
    found = mapping_in(body).get("error")
    if not found:
        return ""
    return text_in(mapping_in(found).get("message")) or plain_text(found)
