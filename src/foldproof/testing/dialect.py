"""What the protocols of a scripted model have in common: their roles, the events of a stream, checks of a body."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple, Protocol

from foldproof.logs import ToolCall
from foldproof.testing.answers import Exchange, ModelFailure, RefusedError
from foldproof.testing.asked import ModelRequest

CREATED = 1767225600
"""The time of every answer, 2026-01-01: the same request gets the same bytes at any time."""
OPENAI_KINDS = {401: "invalid_api_key", 403: "permission_denied", 404: "not_found", 429: "rate_limit_exceeded"}


class Event(NamedTuple):
    """One event of a stream. OpenAI's chat completions name none."""

    name: str
    data: Mapping[str, Any] | str

    def encode(self) -> bytes:
        """The event as server-sent events are written."""
        head = f"event: {self.name}\n".encode() if self.name else b""
        return head + b"data: " + (self.data.encode() if isinstance(self.data, str) else encode(self.data)) + b"\n\n"


class Dialect(Protocol):
    """One protocol of a provider: how its requests are read and its answers written."""

    def read(self, body: Mapping[str, Any]) -> ModelRequest:
        """The request in a body.

        Raises:
            RefusedError: where the provider would refuse it.
        """
        ...

    def limit(self, body: Mapping[str, Any]) -> int | None:
        """The most tokens of output that the request allows."""
        ...

    def whole(self, exchange: Exchange) -> Mapping[str, Any]:
        """The body of an answer that is no stream."""
        ...

    def events(self, exchange: Exchange) -> Iterator[Event]:
        """The events of a stream."""
        ...

    def failed_event(self, failure: ModelFailure, at: int, /) -> Event:
        """The event number `at` of a stream that ends with a failure."""
        ...

    def failed(self, failure: ModelFailure) -> Mapping[str, Any]:
        """The body of a failure."""
        ...


def encode(value: object) -> bytes:
    """JSON as providers write it: UTF-8, no blanks. Text that UTF-8 cannot hold, half a surrogate pair, is escaped."""
    try:
        return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()
    except UnicodeEncodeError:
        return json.dumps(value, separators=(",", ":")).encode()


def openai_failed(failure: ModelFailure) -> Mapping[str, Any]:
    """A failure as OpenAI writes it."""
    code = failure.kind or OPENAI_KINDS.get(failure.status)
    kind = failure.kind or ("server_error" if failure.status >= 500 else "invalid_request_error")
    return {"error": {"message": failure.message, "type": kind, "param": None, "code": code}}


def needs_text(body: Mapping[str, Any], name: str) -> str:
    """A field that must hold text.

    Raises:
        RefusedError: where it does not.
    """
    value = body.get(name)
    if not isinstance(value, str) or not value:
        raise RefusedError(f"`{name}` must be a text that is not empty, not {value!r}")
    return value


def objects_of(body: Mapping[str, Any], name: str) -> list[dict[str, Any]]:
    """A field that must hold a list of objects with at least one in it.

    Raises:
        RefusedError: where it does not.
    """
    value = body.get(name)
    if not isinstance(value, list) or not value or not all(isinstance(part, dict) for part in value):
        raise RefusedError(f"`{name}` must be a list of objects that is not empty, not {value!r}")
    return value


def text_of(content: object, place: str) -> str:
    """The text of a content: a text itself, or its parts that hold text, one a line.

    Raises:
        RefusedError: for a content of another form.
    """
    if content is None or isinstance(content, str):
        return content or ""
    if not isinstance(content, list) or not all(isinstance(part, dict) for part in content):
        raise RefusedError(f"`{place}` must be a text or a list of parts, not {content!r}")
    return "\n".join(part["text"] for part in content if isinstance(part.get("text"), str))


def call_of(name: object, arguments: object, place: str) -> ToolCall:
    """A tool call as it came back from the client, its arguments JSON text.

    Raises:
        RefusedError: where it has no name, or its arguments are no JSON object.
    """
    try:
        args = json.loads(arguments) if isinstance(arguments, str) else arguments
    except ValueError:
        args = None
    if not isinstance(name, str) or not isinstance(args, dict):
        raise RefusedError(f"`{place}` must hold a name and arguments that are a JSON object, not {arguments!r}")
    return ToolCall(name, args)


def arguments_of(call: ToolCall) -> str:
    """The arguments of a call as JSON text."""
    return encode(call.args).decode()


def names_of_tools(tools: object, *path: str) -> tuple[str, ...]:
    """The names of the tools on offer; `path` leads to the object that holds the name."""
    names = []
    for tool in tools if isinstance(tools, list) else []:
        place = tool
        for key in path:
            place = place.get(key) if isinstance(place, dict) else None
        if isinstance(place, dict) and isinstance(place.get("name"), str):
            names.append(place["name"])
    return tuple(names)


def whole_number(body: Mapping[str, Any], names: Sequence[str]) -> int | None:
    """The first of these fields that is there.

    Raises:
        RefusedError: where it is no whole number above 0.
    """
    for name in names:
        value = body.get(name)
        if value is not None:
            if isinstance(value, bool) or not isinstance(value, int) or value < 1:
                raise RefusedError(f"`{name}` must be a whole number above 0, not {value!r}")
            return value
    return None
