"""OpenAI's responses, as a scripted model speaks them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import count
from typing import Any

from foldproof.logs import Role, ToolCall
from foldproof.testing.answers import Exchange, ModelFailure, RefusedError, pieces_of
from foldproof.testing.asked import ModelRequest, Said
from foldproof.testing.dialect import (
    CREATED,
    OPENAI_KINDS,
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

_ROLES: Mapping[str, Role] = {"system": "system", "developer": "system", "user": "user", "assistant": "agent"}
_CUT = {"length": "max_output_tokens", "filter": "content_filter"}


class Responses:
    """`POST /v1/responses`. Answers are kept, so that `previous_response_id` can name one, unless `store` is false."""

    def __init__(self) -> None:
        self._kept: dict[str, list[dict[str, Any]]] = {}

    def read(self, body: Mapping[str, Any]) -> ModelRequest:
        """The request; an output without its function call, and a call without its output, are refused."""
        needs_text(body, "model")
        said = list(_said(self._items(body)))
        if instructions := text_of(body.get("instructions"), "instructions"):
            said.insert(0, Said("system", instructions))
        return ModelRequest("responses", body, tuple(said), tools=names_of_tools(body.get("tools")))

    def limit(self, body: Mapping[str, Any]) -> int | None:
        """`max_output_tokens`."""
        return whole_number(body, ["max_output_tokens"])

    def whole(self, exchange: Exchange) -> Mapping[str, Any]:
        """One response that is complete, or cut off."""
        items = [item | _filled(item, text) for item, text in _output(exchange)]
        body = exchange.request.body
        if body.get("store") is not False:
            self._kept[f"resp_{exchange.label}"] = [*self._items(body), *items]
        reason = _CUT.get(exchange.reply.finish)
        return _response(exchange) | {
            "status": "incomplete" if reason else "completed",
            "incomplete_details": {"reason": reason} if reason else None,
            "output": items,
            "usage": _usage(exchange),
        }

    def events(self, exchange: Exchange) -> Iterator[Event]:
        """The events of a response, numbered from 0."""
        numbers = count()

        def event(kind: str, **data: object) -> Event:
            return Event(kind, {"type": kind, "sequence_number": next(numbers), **data})

        opened = _response(exchange) | {"status": "in_progress"}
        yield event("response.created", response=opened)
        yield event("response.in_progress", response=opened)
        for at, (item, text) in enumerate(_output(exchange)):
            place = {"item_id": item["id"], "output_index": at}
            done = item | _filled(item, text)
            yield event("response.output_item.added", output_index=at, item=item)
            if item["type"] == "message":
                place["content_index"] = 0
                yield event("response.content_part.added", **place, part=_part(""))
                for piece in pieces_of(text):
                    yield event("response.output_text.delta", **place, delta=piece, logprobs=[])
                yield event("response.output_text.done", **place, text=text, logprobs=[])
                yield event("response.content_part.done", **place, part=_part(text))
            else:
                for piece in pieces_of(text):
                    yield event("response.function_call_arguments.delta", **place, delta=piece)
                yield event("response.function_call_arguments.done", **place, name=item["name"], arguments=text)
            yield event("response.output_item.done", output_index=at, item=done)
        whole = self.whole(exchange)
        yield event(f"response.{whole['status']}", response=whole)

    def failed_event(self, failure: ModelFailure, at: int, /) -> Event:
        """The event `error`."""
        code = failure.kind or OPENAI_KINDS.get(failure.status, "server_error")
        told = {"code": code, "message": failure.message, "param": None}
        return Event("error", {"type": "error", "sequence_number": at, **told})

    def failed(self, failure: ModelFailure) -> Mapping[str, Any]:
        """OpenAI's error body."""
        return openai_failed(failure)

    def _items(self, body: Mapping[str, Any]) -> list[dict[str, Any]]:
        """What the model reads, the kept items of the response before it first."""
        before = body.get("previous_response_id")
        earlier = [] if before is None else self._kept.get(str(before))
        if earlier is None:
            raise RefusedError(f"no response with the id {before!r} is kept", kind="previous_response_not_found")
        if isinstance(body.get("input"), str):
            return [*earlier, {"role": "user", "content": needs_text(body, "input")}]
        by_id = {item["id"]: item for items in self._kept.values() for item in items if "id" in item}
        items = []
        for item in objects_of(body, "input"):
            named = by_id.get(str(item.get("id"))) if item.get("type") == "item_reference" else item
            if named is None:
                raise RefusedError(f"no item with the id {item.get('id')!r} is kept", 404)
            items.append(named)
        return [*earlier, *items]


def _response(exchange: Exchange) -> dict[str, Any]:
    body = exchange.request.body
    return {
        "id": f"resp_{exchange.label}",
        "object": "response",
        "created_at": CREATED,
        "error": None,
        "incomplete_details": None,
        "instructions": body.get("instructions"),
        "max_output_tokens": body.get("max_output_tokens"),
        "metadata": body.get("metadata") or {},
        "model": exchange.request.model_name,
        "output": [],
        "parallel_tool_calls": body.get("parallel_tool_calls", True),
        "previous_response_id": body.get("previous_response_id"),
        "reasoning": {"effort": None, "summary": None},
        "store": body.get("store", True),
        "temperature": body.get("temperature", 1.0),
        "text": body.get("text") or {"format": {"type": "text"}},
        "tool_choice": body.get("tool_choice", "auto"),
        "tools": body.get("tools") or [],
        "top_p": body.get("top_p", 1.0),
        "truncation": body.get("truncation", "disabled"),
        "usage": None,
        "user": body.get("user"),
    }


def _usage(exchange: Exchange) -> Mapping[str, Any]:
    read, written = exchange.input_tokens, exchange.output_tokens
    return {
        "input_tokens": read,
        "input_tokens_details": {"cached_tokens": 0, "cache_write_tokens": 0},
        "output_tokens": written,
        "output_tokens_details": {"reasoning_tokens": 0},
        "total_tokens": read + written,
    }


def _part(text: str) -> dict[str, Any]:
    return {"type": "output_text", "text": text, "annotations": [], "logprobs": []}


def _output(exchange: Exchange) -> Iterator[tuple[dict[str, Any], str]]:
    """Each item of the output as it is opened, and what fills it: text, or arguments as JSON text."""
    reply = exchange.reply
    if reply.text or not reply.tool_calls:
        head = {"id": f"msg_{exchange.label}", "type": "message", "status": "in_progress", "role": "assistant"}
        yield head | {"content": []}, reply.text
    for at, call in enumerate(reply.tool_calls):
        ids = {"id": exchange.call_id("fc_", at), "call_id": exchange.call_id("call_", at)}
        yield (
            {**ids, "type": "function_call", "status": "in_progress", "name": call.name, "arguments": ""},
            (arguments_of(call)),
        )


def _filled(item: Mapping[str, Any], text: str) -> dict[str, Any]:
    filling = {"content": [_part(text)]} if item["type"] == "message" else {"arguments": text}
    return {"status": "completed", **filling}


def _said(items: Sequence[dict[str, Any]]) -> Iterator[Said]:
    calls: dict[str, ToolCall] = {}
    answered: set[str] = set()
    for at, item in enumerate(items):
        place = f"input[{at}]"
        kind = item.get("type", "message")
        if kind == "function_call":
            calls[str(item.get("call_id"))] = call = call_of(item.get("name"), item.get("arguments"), place)
            yield Said("agent", "", (call,))
        elif kind == "function_call_output":
            called = str(item.get("call_id"))
            if called not in calls:
                raise RefusedError(f"`{place}`: no function call with the id {called!r} stands before this output")
            answered.add(called)
            yield Said("tool", text_of(item.get("output"), f"{place}.output"), answers=calls[called])
        elif kind == "message":
            role = _ROLES.get(str(item.get("role")))
            if role is None:
                raise RefusedError(f"`{place}.role` must be one of {', '.join(_ROLES)}, not {item.get('role')!r}")
            yield Said(role, text_of(item.get("content"), f"{place}.content"))
        elif kind != "reasoning":
            raise RefusedError(f"`{place}.type`: a scripted model does not know {kind!r}")
    if left := sorted(calls.keys() - answered):
        raise RefusedError(f"`input`: no output stands there for the function call {', '.join(left)}")
