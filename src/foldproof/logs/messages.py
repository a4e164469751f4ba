"""Messages as the common libraries write them, brought into one shape.

Read are OpenAI's chat and Responses items, Anthropic's content blocks, LangChain's messages (plain, `kwargs`, `data`),
the parts of the GenAI conventions and ShareGPT's turns.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from foldproof.logs.draft import Call, Message, Result, call_of
from foldproof.logs.imported import Unknown
from foldproof.logs.keys import text_in
from foldproof.logs.moments import moment_of
from foldproof.logs.talk import Role

_ROLES: dict[str, Role] = {
    **dict.fromkeys(("user", "human", "humanmessage", "humanmessagechunk", "customer"), "user"),
    **dict.fromkeys(("assistant", "ai", "agent", "gpt", "chatgpt", "model", "bot", "bing", "bard", "claude"), "agent"),
    **dict.fromkeys(("aimessage", "aimessagechunk", "function_call"), "agent"),
    **dict.fromkeys(("system", "developer", "systemmessage"), "system"),
    **dict.fromkeys(("tool", "function", "observation", "toolmessage", "functionmessage", "ipython"), "tool"),
}
_TEXT_KINDS = frozenset({"text", "input_text", "output_text", "summary_text", "refusal"})
UNSHOWN = frozenset({"image", "image_url", "input_image", "input_audio", "audio", "file", "input_file", "blob", "uri",
                      "media", "video", "document", "image_asset_pointer"})  # fmt: skip
"""Kinds of parts that are no text: one stands in the text of its message as `[kind]`."""
_THOUGHTS = frozenset({"thinking", "redacted_thinking", "reasoning", "reasoning_content"})
_CALLS = frozenset({"tool_use", "tool_call", "function_call", "toolcall", "server_tool_use"})
_RESULTS = frozenset({"tool_result", "tool_call_response", "function_call_output", "tool_response"})


def role_of(value: Any) -> Role | None:  # noqa: ANN401  # any JSON value
    """The role under any of its usual names; None for a name that nobody knows."""
    return _ROLES.get(value.lower()) if isinstance(value, str) else None


def text_of(value: Any) -> str:  # noqa: ANN401  # any JSON value
    """The text of a value that stands where a text is expected: itself, its parts, or its JSON."""
    if isinstance(value, str):
        return value
    if value is None:
        return ""
    if isinstance(value, list) and all(isinstance(part, str | dict) for part in value):
        parts = [_part_text(part) for part in value]
        if all(part is not None for part in parts):
            return "\n".join(part for part in parts if part)
    if isinstance(value, dict) and (part := _part_text(value)) is not None:
        return part
    return json.dumps(value, ensure_ascii=False)


def _part_text(part: str | dict[str, Any]) -> str | None:
    if isinstance(part, str):
        return part
    kind = str(part.get("type", "text")).lower()
    if kind in UNSHOWN:
        return f"[{kind}]"
    for key in ("text", "content"):
        if kind in _TEXT_KINDS | {""} and isinstance(part.get(key), str):
            return str(part[key])
    return None


def json_in(value: Any) -> Any:  # noqa: ANN401  # any JSON value
    """The JSON value that a text holds; the text itself where it holds none."""
    if not isinstance(value, str) or value.lstrip()[:1] not in {"{", "[", '"'}:
        return value
    try:
        return json.loads(value)
    except (ValueError, RecursionError):
        return value


def messages_in(value: Any) -> list[Message]:  # noqa: ANN401  # any JSON value
    """The messages of a list, of an object that holds one under `messages`, or of one message.

    LangChain nests the list once more, one list a prompt: the first is taken. Items that are no message are kept as
    unknown, in a message without text.
    """
    value = json_in(value)
    if isinstance(value, dict):
        inner = next((value[key] for key in ("messages", "input_messages", "input") if key in value), None)
        if isinstance(inner, list):
            return messages_in(inner)
        return [found] if (found := message_of(value)) else []
    if not isinstance(value, list):
        return []
    nested = value and all(isinstance(item, list) for item in value)
    if nested and not isinstance(next(iter(value[0]), None), str):
        value = value[0]
    return [message_of(item) or Message("system", unknown=(Unknown("message", item),)) for item in value]


def message_of(item: Any) -> Message | None:  # noqa: ANN401  # any JSON value
    """One message, or None where the value is none."""
    if isinstance(item, list) and len(item) == 2 and all(isinstance(part, str) for part in item):
        item = {"role": item[0], "content": item[1]}
    if not isinstance(item, dict):
        return None
    item = _unwrapped(item)
    kind = text_in(item.get("type"))
    if kind in _CALLS and "role" not in item:
        return Message("agent", calls=(_block_call(item),))
    if kind in _RESULTS and "role" not in item:
        return Message("tool", results=(_block_result(item),))
    role = next((known for key in ("role", "from", "type", "speaker") if (known := role_of(item.get(key)))), None)
    if role is None:
        return None
    at = moment_of(item.get("timestamp") or item.get("created_at") or item.get("create_time"))
    id_ = item.get("id")
    message = Message(role, at=at, id=id_ if isinstance(id_, str) else "")
    content = next((item[key] for key in ("content", "parts", "value", "text") if item.get(key) is not None), None)
    if role == "tool" and not _holds_results(content):
        return replace(message, results=(_tool_result(item, content),))
    return _with_calls(_with_content(message, content), item)


def _unwrapped(item: dict[str, Any]) -> dict[str, Any]:
    """LangChain's wrappers, and OpenInference's and OpenAI's `message`, taken off."""
    if isinstance(item.get("kwargs"), dict) and isinstance(item.get("id"), list) and item["id"]:
        return {**item["kwargs"], "type": str(item["id"][-1])}
    if isinstance(item.get("data"), dict) and "content" in item["data"] and "content" not in item:
        return {**item["data"], "type": item.get("type")}
    if isinstance(item.get("message"), dict) and "role" not in item and "content" not in item:
        return _unwrapped(item["message"])
    return item


def _with_content(message: Message, content: Any) -> Message:  # noqa: ANN401  # any JSON value
    if not isinstance(content, list):
        return replace(message, text=text_of(content))
    texts: list[str] = []
    thoughts: list[str] = []
    calls: list[Call] = []
    results: list[Result] = []
    unknown: list[Unknown] = []
    for block in content:
        kind = text_in(block.get("type", "text")) if isinstance(block, dict) else "text"
        if kind in _CALLS:
            calls.append(_block_call(block))
        elif kind in _RESULTS:
            results.append(_block_result(block))
        elif isinstance(block, str | dict) and (text := _part_text(block)) is not None:
            texts.append(text)
        elif kind in _THOUGHTS:
            thoughts.append(text_of(block.get("thinking") or block.get("content") or block.get("text")))
        else:
            unknown.append(Unknown(f"content {kind}", block))
    text = "\n".join(part for part in texts if part)
    return replace(
        message,
        text=text,
        thought="\n".join(thoughts),
        calls=tuple(calls),
        results=tuple(results),
        unknown=tuple(unknown),
    )


def _holds_results(content: Any) -> bool:  # noqa: ANN401  # any JSON value
    return isinstance(content, list) and any(
        isinstance(part, dict) and text_in(part.get("type")) in _RESULTS for part in content
    )


def _with_calls(message: Message, item: Mapping[str, Any]) -> Message:
    extra = item.get("additional_kwargs")
    listed = item.get("tool_calls") or (extra.get("tool_calls") if isinstance(extra, dict) else None)
    calls = list(_listed_calls(listed))
    if isinstance(item.get("function_call"), dict):
        calls.append(call_of(item["function_call"].get("name"), item["function_call"].get("arguments")))
    if item.get("from") == "function_call":
        calls += _written_calls(message.text)
        message = replace(message, text="")
    if len(message.calls) == 0:
        return replace(message, calls=tuple(calls))
    known = {call.id for call in message.calls}
    return replace(message, calls=(*message.calls, *(call for call in calls if call.id not in known)))


def _listed_calls(listed: Any) -> Iterator[Call]:  # noqa: ANN401  # any JSON value
    for call in listed if isinstance(listed, list) else ():
        if not isinstance(call, dict):
            continue
        inner = call.get("tool_call", call)
        function = inner.get("function") if isinstance(inner, dict) else None
        if isinstance(function, dict):
            yield call_of(function.get("name"), function.get("arguments"), inner.get("id"))
        elif isinstance(inner, dict):
            name = inner.get("name") or function
            args = next((inner[key] for key in ("args", "arguments", "input", "kwargs") if key in inner), None)
            yield call_of(name, args, inner.get("id"))


def _written_calls(text: str) -> list[Call]:
    """The calls of a turn whose text is the JSON of one call, or of several."""
    value = json_in(text)
    calls = value if isinstance(value, list) else [value]
    found = [call_of(call.get("name"), call.get("arguments")) for call in calls if isinstance(call, dict)]
    return found or [call_of("", text)]


def _block_call(block: Mapping[str, Any]) -> Call:
    args = next((block[key] for key in ("input", "arguments", "args") if key in block), None)
    return call_of(block.get("name"), args, block.get("call_id") or block.get("id"))


def _block_result(block: Mapping[str, Any]) -> Result:
    call = next((block[key] for key in ("tool_use_id", "call_id", "tool_call_id", "id") if block.get(key)), "")
    found = next((block[key] for key in ("content", "output", "response", "result") if key in block), None)
    return Result(str(call), text_of(found), failed=block.get("is_error") is True)


def _tool_result(item: Mapping[str, Any], content: Any) -> Result:  # noqa: ANN401  # any JSON value
    call = item.get("tool_call_id") or item.get("call_id") or ""
    name = item.get("name") or item.get("function")
    failed = item.get("status") == "error" or item.get("error") not in {None, False, ""}
    return Result(str(call), text_of(content), failed=bool(failed), name=name if isinstance(name, str) else "")
