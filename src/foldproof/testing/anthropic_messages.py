"""Anthropic's messages, as a scripted model speaks them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import groupby
from typing import Any

from foldproof.logs import Role, ToolCall
from foldproof.testing.answers import Exchange, ModelFailure, RefusedError, pieces_of
from foldproof.testing.asked import ModelRequest, Said
from foldproof.testing.dialect import (
    Event,
    arguments_of,
    call_of,
    names_of_tools,
    needs_text,
    objects_of,
    text_of,
    whole_number,
)

_ROLES: Mapping[str, Role] = {"user": "user", "assistant": "agent", "system": "system"}
_KINDS = {
    400: "invalid_request_error",
    401: "authentication_error",
    403: "permission_error",
    404: "not_found_error",
    413: "request_too_large",
    429: "rate_limit_error",
    529: "overloaded_error",
}
_FINISHES = {"length": "max_tokens", "filter": "refusal"}


class AnthropicMessages:
    """`POST /v1/messages`."""

    def read(self, body: Mapping[str, Any]) -> ModelRequest:
        """The request; a tool result without its call, and a call without its result, are refused."""
        needs_text(body, "model")
        if self.limit(body) is None:
            raise RefusedError("`max_tokens` must be there")
        said = list(_said(objects_of(body, "messages")))
        if system := text_of(body.get("system"), "system"):
            said.insert(0, Said("system", system))
        return ModelRequest("messages", body, tuple(said), tools=names_of_tools(body.get("tools")))

    def limit(self, body: Mapping[str, Any]) -> int | None:
        """`max_tokens`, which this protocol asks for."""
        return whole_number(body, ["max_tokens"])

    def whole(self, exchange: Exchange) -> Mapping[str, Any]:
        """One message: a block of text where there is text, and one a tool call."""
        blocks = [{**block, **_filled(block, text)} for block, text in _blocks(exchange)]
        return _message(exchange) | {
            "content": blocks,
            "stop_reason": _finish(exchange),
            "usage": _usage(exchange, exchange.output_tokens),
        }

    def events(self, exchange: Exchange) -> Iterator[Event]:
        """The events of a message: its start, each block opened, filled in pieces and closed, its end."""
        opened = _message(exchange) | {"content": [], "stop_reason": None, "usage": _usage(exchange, 1)}
        yield _event("message_start", message=opened)
        for at, (block, text) in enumerate(_blocks(exchange)):
            yield _event("content_block_start", index=at, content_block=block)
            if at == 0:
                yield _event("ping")
            if block["type"] == "text":
                deltas = [{"type": "text_delta", "text": piece} for piece in pieces_of(text)]
            else:
                deltas = [{"type": "input_json_delta", "partial_json": piece} for piece in ["", *pieces_of(text)]]
            for delta in deltas:
                yield _event("content_block_delta", index=at, delta=delta)
            yield _event("content_block_stop", index=at)
        ended = {"stop_reason": _finish(exchange), "stop_sequence": None}
        yield _event("message_delta", delta=ended, usage={"output_tokens": exchange.output_tokens})
        yield _event("message_stop")

    def failed_event(self, failure: ModelFailure, _at: int, /) -> Event:
        """The event `error`."""
        return Event("error", self.failed(failure))

    def failed(self, failure: ModelFailure) -> Mapping[str, Any]:
        """Anthropic's error body."""
        usual = "api_error" if failure.status >= 500 else "invalid_request_error"
        kind = failure.kind or _KINDS.get(failure.status, usual)
        return {"type": "error", "error": {"type": kind, "message": failure.message}, "request_id": "req_scripted"}


def _event(kind: str, **data: object) -> Event:
    return Event(kind, {"type": kind, **data})


def _message(exchange: Exchange) -> dict[str, Any]:
    return {
        "id": f"msg_{exchange.label}",
        "type": "message",
        "role": "assistant",
        "model": exchange.request.model_name,
        "stop_sequence": None,
    }


def _finish(exchange: Exchange) -> str:
    reply = exchange.reply
    return _FINISHES.get(reply.finish) or ("tool_use" if reply.tool_calls else "end_turn")


def _usage(exchange: Exchange, written: int) -> Mapping[str, Any]:
    return {
        "input_tokens": exchange.input_tokens,
        "cache_creation_input_tokens": 0,
        "cache_read_input_tokens": 0,
        "output_tokens": written,
        "service_tier": "standard",
    }


def _blocks(exchange: Exchange) -> Iterator[tuple[Mapping[str, Any], str]]:
    """Each block as it is opened, and what fills it: text, or arguments as JSON text."""
    if exchange.reply.text:
        yield {"type": "text", "text": ""}, exchange.reply.text
    for at, call in enumerate(exchange.reply.tool_calls):
        block = {"type": "tool_use", "id": exchange.call_id("toolu_", at), "name": call.name, "input": {}}
        yield block, arguments_of(call) if call.args else ""


def _filled(block: Mapping[str, Any], text: str) -> Mapping[str, Any]:
    if block["type"] == "text":
        return {"text": text}
    return {"input": call_of(block["name"], text or "{}", "input").args}


def _said(messages: list[dict[str, Any]]) -> Iterator[Said]:
    if messages[0].get("role") == "assistant":
        raise RefusedError("`messages[0].role` must be `user`")
    known: dict[str, ToolCall] = {}
    # Messages of one role that follow each other are one turn, as the provider joins them.
    for role_name, group in groupby(enumerate(messages), key=lambda numbered: numbered[1].get("role")):
        role = _ROLES.get(str(role_name))
        turn = list(group)
        place = f"messages[{turn[0][0]}]"
        if role is None:
            raise RefusedError(f"`{place}.role` must be one of {', '.join(_ROLES)}, not {role_name!r}")
        blocks = [block for at, message in turn for block in _content(message, f"messages[{at}]")]
        if role == "agent":
            known = {str(block.get("id")): call_of(block.get("name"), block.get("input"), place)
                     for block in blocks if block.get("type") == "tool_use"}  # fmt: skip
            yield Said(role, text_of(blocks, place), tuple(known.values()))
        else:
            yield from _answered(blocks, known, place)
            if text := text_of(blocks, place):
                yield Said(role, text)
            known = {}
    _all_answered(known, f"messages[{len(messages)}]")


def _content(message: Mapping[str, Any], place: str) -> list[dict[str, Any]]:
    content = message.get("content")
    if isinstance(content, str):
        content = [{"type": "text", "text": content}]
    if not content:
        raise RefusedError(f"`{place}.content` must not be empty")
    text_of(content, f"{place}.content")
    if any(block.get("type") == "text" and not str(block.get("text", "")).strip() for block in content):
        raise RefusedError(f"`{place}.content`: a block of text must hold more than white space")
    return list(content)


def _answered(blocks: list[dict[str, Any]], known: dict[str, ToolCall], place: str) -> Iterator[Said]:
    results = [block for block in blocks if block.get("type") == "tool_result"]
    for block in results:
        called = str(block.get("tool_use_id"))
        if called not in known:
            raise RefusedError(
                f"`{place}`: each `tool_result` must answer a `tool_use` of the message before it, "
                f"and none with the id {called!r} stands there"
            )
    _all_answered(known.keys() - {str(block.get("tool_use_id")) for block in results}, place)
    if blocks[: len(results)] != results:
        raise RefusedError(f"`{place}.content`: `tool_result` blocks must come first")
    for block in results:
        yield Said("tool", text_of(block.get("content"), place), answers=known[str(block["tool_use_id"])])


def _all_answered(still: object, place: str) -> None:
    ids = sorted(still) if isinstance(still, (set, dict)) else []
    if ids:
        raise RefusedError(
            f"`{place}`: each `tool_use` must have its `tool_result` in the next message; "
            f"none stands there for {', '.join(ids)}"
        )
