"""OpenAI's chat completions, as a scripted model speaks them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from foldproof.logs import Role, ToolCall
from foldproof.testing.answers import Exchange, ModelFailure, RefusedError, pieces_of
from foldproof.testing.asked import ModelRequest, Said
from foldproof.testing.dialect import (
    CREATED,
    Event,
    arguments_of,
    call_of,
    names_of_tools,
    needs_text,
    objects_of,
    openai_failed,
    text_of,
    whole_number,
)

_ROLES: Mapping[str, Role] = {
    "system": "system", "developer": "system", "user": "user", "assistant": "agent", "tool": "tool",
}  # fmt: skip
_FINISHES = {"length": "length", "filter": "content_filter"}


class ChatCompletions:
    """`POST /v1/chat/completions`: one choice an answer."""

    def read(self, body: Mapping[str, Any]) -> ModelRequest:
        """The request; a tool result without its call, and a call without its result, are refused."""
        needs_text(body, "model")
        if body.get("n") not in (None, 1):
            raise RefusedError(f"a scripted model gives one choice, so `n` must be 1, not {body['n']!r}")
        said = tuple(_said(objects_of(body, "messages")))
        return ModelRequest("chat", body, said, tools=names_of_tools(body.get("tools"), "function"))

    def limit(self, body: Mapping[str, Any]) -> int | None:
        """`max_completion_tokens`, or its older name."""
        return whole_number(body, ["max_completion_tokens", "max_tokens"])

    def whole(self, exchange: Exchange) -> Mapping[str, Any]:
        """One completion."""
        reply = exchange.reply
        message: dict[str, Any] = {"role": "assistant", "content": reply.text or None, "refusal": None}
        if reply.tool_calls:
            message["tool_calls"] = [
                {
                    "id": exchange.call_id("call_", at),
                    "type": "function",
                    "function": {"name": call.name, "arguments": arguments_of(call)},
                }
                for at, call in enumerate(reply.tool_calls)
            ]
        elif not reply.text:
            message["content"] = ""
        choice = {"index": 0, "message": message, "logprobs": None, "finish_reason": _finish(exchange)}
        return {**_head(exchange, "chat.completion"), "choices": [choice], "usage": _usage(exchange)}

    def events(self, exchange: Exchange) -> Iterator[Event]:
        """The chunks: text and arguments in pieces, usage where it was asked for, and the mark of the end."""
        options = exchange.request.body.get("stream_options")
        with_usage = isinstance(options, dict) and options.get("include_usage") is True
        head = _head(exchange, "chat.completion.chunk") | ({"usage": None} if with_usage else {})

        def chunk(delta: Mapping[str, Any], finish: str | None = None) -> Event:
            choice = {"index": 0, "delta": delta, "logprobs": None, "finish_reason": finish}
            return Event("", head | {"choices": [choice]})

        calls = exchange.reply.tool_calls
        first = {"role": "assistant", "content": None if calls and not exchange.reply.text else "", "refusal": None}
        yield chunk(first)
        for piece in pieces_of(exchange.reply.text):
            yield chunk({"content": piece})
        for at, call in enumerate(calls):
            function = {"name": call.name, "arguments": ""}
            opened = {"index": at, "id": exchange.call_id("call_", at), "type": "function", "function": function}
            yield chunk({"tool_calls": [opened]})
            for piece in pieces_of(arguments_of(call)):
                yield chunk({"tool_calls": [{"index": at, "function": {"arguments": piece}}]})
        yield chunk({}, _finish(exchange))
        if with_usage:
            yield Event("", head | {"choices": [], "usage": _usage(exchange)})
        yield Event("", "[DONE]")

    def failed_event(self, failure: ModelFailure, _at: int, /) -> Event:
        """An error in the place of a chunk."""
        return Event("", openai_failed(failure))

    def failed(self, failure: ModelFailure) -> Mapping[str, Any]:
        """OpenAI's error body."""
        return openai_failed(failure)


def _head(exchange: Exchange, kind: str) -> dict[str, Any]:
    return {
        "id": f"chatcmpl-{exchange.label}",
        "object": kind,
        "created": CREATED,
        "model": exchange.request.model_name,
        "service_tier": "default",
        "system_fingerprint": "fp_scripted",
    }


def _finish(exchange: Exchange) -> str:
    reply = exchange.reply
    return _FINISHES.get(reply.finish) or ("tool_calls" if reply.tool_calls else "stop")


def _usage(exchange: Exchange) -> Mapping[str, Any]:
    read, written = exchange.input_tokens, exchange.output_tokens
    return {
        "prompt_tokens": read,
        "completion_tokens": written,
        "total_tokens": read + written,
        "prompt_tokens_details": {"cached_tokens": 0, "audio_tokens": 0},
        "completion_tokens_details": {"reasoning_tokens": 0, "audio_tokens": 0},
    }


def _said(messages: list[dict[str, Any]]) -> Iterator[Said]:
    known: dict[str, ToolCall] = {}
    still: set[str] = set()
    for at, message in enumerate(messages):
        place = f"messages[{at}]"
        role = _ROLES.get(str(message.get("role")))
        if role is None:
            raise RefusedError(f"`{place}.role` must be one of {', '.join(_ROLES)}, not {message.get('role')!r}")
        text = text_of(message.get("content"), f"{place}.content")
        if role == "tool":
            called = str(message.get("tool_call_id"))
            if called not in known:
                raise RefusedError(
                    f"`{place}`: a message of the role `tool` must follow the message with the tool call that it "
                    f"answers, and none with the id {called!r} stands there"
                )
            still.discard(called)
            yield Said(role, text, answers=known[called])
            continue
        _all_answered(still, place)
        known = _calls(message.get("tool_calls"), place) if role == "agent" else {}
        still = set(known)
        if message.get("content") is None and not known:
            raise RefusedError(f"`{place}.content` must be there, since the message holds no tool call")
        yield Said(role, text, tuple(known.values()))
    _all_answered(still, f"messages[{len(messages)}]")


def _all_answered(still: set[str], place: str) -> None:
    if still:
        raise RefusedError(
            f"`{place}`: each tool call must be followed by a message of the role `tool` with its result; "
            f"none stands there for {', '.join(sorted(still))}"
        )


def _calls(calls: object, place: str) -> dict[str, ToolCall]:
    found = {}
    for call in calls if isinstance(calls, list) else []:
        function = call.get("function") if isinstance(call, dict) else None
        if not isinstance(function, dict) or not isinstance(call.get("id"), str):
            raise RefusedError(f"`{place}.tool_calls` must hold calls with `id` and `function`, not {call!r}")
        found[call["id"]] = call_of(function.get("name"), function.get("arguments"), f"{place}.tool_calls")
    return found
