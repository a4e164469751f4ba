"""OpenAI's shapes as mining reads them: what was asked in one line, without the session that it belongs to."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from foldproof.logs.draft import Message
from foldproof.logs.formats import Asked, FlatShape

_IDS = ("user", "user_id", "session_id", "conversation_id", "thread_id")


def _reader() -> tuple[type, Callable[[Any], Asked | None]]:
    """Of a message that is not the last one nothing is decoded."""
    import msgspec

    text, time, raw = str | None, int | float | str | None, msgspec.Raw
    told = [(name, text, None) for name in _IDS]
    ids = msgspec.defstruct("Ids", told, gc=False)
    talk: list[tuple[str, Any, Any]] = [*told, ("metadata", ids | None, None), ("messages", list[msgspec.Raw], [])]
    request = msgspec.defstruct("Request", talk, gc=False)
    response = msgspec.defstruct("Response", [("created", time, None), ("created_at", time, None)], gc=False)
    others = [(name, raw, raw()) for name in ("custom_id", "body", "object")]
    pair = [("request", request | None, None), ("response", response | None, None), ("created_at", time, None)]
    line = msgspec.defstruct("Line", [*talk, *pair, *others], gc=False)
    said: Any = msgspec.defstruct("Said", [("role", str, ""), ("content", text, None)], gc=False)
    decode: Callable[[msgspec.Raw], Any] = msgspec.json.Decoder(said).decode

    def asked(line: Any) -> Asked | None:  # noqa: ANN401  # the type made above
        request = line.request
        if request is None or not request.messages or line.custom_id or line.body or line.object:
            return None
        last = decode(request.messages[-1])
        if last.role != "user" or not last.content:
            return None
        ids, user = request.metadata, request.user or request.user_id
        session = request.session_id or request.conversation_id or request.thread_id
        if ids is not None:
            user = user or ids.user or ids.user_id
            session = session or ids.session_id or ids.conversation_id or ids.thread_id
        response = line.response
        at = line.created_at if response is None else response.created or response.created_at or line.created_at
        return (last.content,), user or line.user or line.user_id or "", session or line.session_id or "", at

    return line, asked


def flat_of(
    sent: Callable[[Any], list[Message]],
    *,
    user: Callable[[Any], str],
    session: Callable[[Any], str],
    at: Callable[[Any], Any],
) -> FlatShape:
    """The flat shape: pairs of request and response; the importer's own readers take every other line.

    Of a call only the last message of the user is asked, since those before it were sent before.
    """

    def odd(value: Any) -> Asked:  # noqa: ANN401  # any JSON value
        if not isinstance(value, dict):
            return (), "", "", None
        talk = [message for message in sent(value) if message.role == "user" and message.kind == "said"]
        texts = [message.text for message in talk if message.text.strip()]
        once = "request" in value or "body" in value or "object" in value
        return texts[-1:] if once else texts, user(value), session(value), at(value)

    return FlatShape(_reader, odd)
