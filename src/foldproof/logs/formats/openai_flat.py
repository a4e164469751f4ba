"""OpenAI's shapes as mining reads them: what was asked in one line, without the session that it belongs to."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from foldproof.logs.draft import Message
from foldproof.logs.formats import Asked, FlatShape

_IDS = ("user", "user_id", "session_id", "conversation_id", "thread_id")
_OTHERS = frozenset({"assistant", "system", "developer", "tool", "function"})
_UNUSUAL = ("custom_id", "body", "object", "conversation", "metadata")
_LINKS = ("conversation", "previous_response_id")
_WRAPPED = ("kwargs", "data", "from", "type")


def _reader() -> Callable[[bytes], Asked | None]:
    """Of the messages the last one is decoded, and those before it until one is of the user.

    A key that needs the importer's own readers is of type None here: a line that holds it does not fit.
    """
    import msgspec

    text, time, fields = str | None, int | float | str | None, msgspec.defstruct

    def shape(name: str, *told: tuple[str, Any], none: Sequence[str] = ()) -> Any:  # noqa: ANN401  # a type made here
        return fields(
            name, [*((key, kind, None) for key, kind in told), *((key, None, None) for key in none)], gc=False
        )

    ids = [(key, text) for key in _IDS]
    messages = ("messages", list[msgspec.Raw] | None)
    request = shape("Request", *ids, ("metadata", shape("Ids", *ids) | None), messages, none=_LINKS)
    response = shape("Response", ("created", time), ("created_at", time), none=("body", *_LINKS))
    parts = [("request", request | None), ("response", response | None), ("created_at", time)]
    decode = msgspec.json.Decoder(shape("Line", *ids, *parts, none=_UNUSUAL)).decode
    said_in = msgspec.json.Decoder(shape("Said", ("role", text), ("content", text), none=_WRAPPED)).decode
    role_in = msgspec.json.Decoder(shape("Spoke", ("role", text), none=_WRAPPED)).decode

    def earlier(messages: list[Any], role: str | None) -> Any:  # noqa: ANN401  # the type made above
        """The last message of the user, where the very last is of `role`; None where an unusual role follows it."""
        for message in reversed(messages[:-1]):
            if role not in _OTHERS:
                break
            role = role_in(message).role
            if role == "user":
                return said_in(message)
        return None

    def asked(raw: bytes) -> Asked | None:
        try:
            line = decode(raw)
            request = line.request
            if request is None or not (messages := request.messages):
                return None
            last = said_in(messages[-1])
            if last.role != "user" and (last := earlier(messages, last.role)) is None:
                return None
        except (ValueError, RecursionError):
            return None
        if not (text := last.content) or text.isspace():
            return None
        ids, response = request.metadata, line.response
        user = request.user or request.user_id
        session = request.session_id or request.conversation_id or request.thread_id
        if ids is not None:
            user = user or ids.user or ids.user_id
            session = session or ids.session_id or ids.conversation_id or ids.thread_id
        return (
            text,
            user or line.user or line.user_id or "",
            session or line.session_id or line.conversation_id or line.thread_id or "",
            line.created_at if response is None else response.created or response.created_at or line.created_at,
        )

    return asked


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

    def odd(value: Any) -> list[Asked]:  # noqa: ANN401  # any JSON value
        if not isinstance(value, dict):
            return []
        talk = [message for message in sent(value) if message.role == "user" and message.kind == "said"]
        texts = [message.text for message in talk if message.text.strip()]
        once = "request" in value or "body" in value or "object" in value
        told = user(value), session(value), at(value)
        return [(text, *told) for text in (texts[-1:] if once else texts)]

    return FlatShape(_reader, odd)
