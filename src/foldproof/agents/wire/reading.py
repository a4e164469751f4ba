"""From an exchange to the model call of the record."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple, TypeVar

from foldproof.agents.packing import MOST_BYTES, PackedError, unpacked
from foldproof.agents.wire import chat, messages, responses
from foldproof.agents.wire.exchange import Exchange, WireTrial
from foldproof.agents.wire.foreign import Said, call_text, json_in, mapping_in, section, text_in
from foldproof.agents.wire.sse import Event, events_of
from foldproof.logs import ModelCall, Seen

T = TypeVar("T")


class _Reader(NamedTuple):
    """How a protocol is read: the prompt of a request, a whole response, a streamed one."""

    prompt_of: Callable[[Mapping[str, Any]], str]
    said_in: Callable[[Mapping[str, Any]], Said]
    said_in_stream: Callable[[Sequence[Event]], Said]


_CHAT = _Reader(chat.prompt_of, chat.said_in, chat.said_in_stream)
_READERS = {
    "chat": _CHAT,
    "completions": _CHAT,
    "responses": _Reader(responses.prompt_of, responses.said_in, responses.said_in_stream),
    "messages": _Reader(messages.prompt_of, messages.said_in, messages.said_in_stream),
}
_SHOWN = 500


class Body(NamedTuple):
    """A body as text; `fault` says why it is none."""

    text: str
    fault: str = ""


def body_of(raw: bytes, coding: str = "") -> Body:
    """The text of a body, unpacked within a bound where it came packed; bytes that are not UTF-8 are replaced."""
    try:
        raw = unpacked(raw, coding, MOST_BYTES)
        return Body(raw.decode())
    except PackedError as error:
        return Body("", str(error))
    except UnicodeDecodeError:
        return Body(raw.decode("utf-8", "replace"), "it is not UTF-8")


def seen_of(trial: WireTrial, exchanges: Iterable[Exchange]) -> Seen | None:
    """What these exchanges come to, None where there are none."""
    calls: list[ModelCall] = []
    notes, trial.notes = trial.notes, []
    others: Counter[str] = Counter()
    kept = 0
    for exchange in exchanges:
        if not exchange.api:
            others[exchange.place] += 1
            continue
        call, remarks = call_of(exchange, trial)
        calls.append(call)
        notes += [f"call {len(calls)}: {remark}" for remark in remarks]
        kept += exchange.kept
    if kept:
        notes.append(f"answered from the cassette: {kept} of {len(calls)} calls")
    notes += [f"passed on, no call of a model: {place} ({count} ×)" for place, count in sorted(others.items())]
    return Seen("wire", tuple(calls), notes=tuple(notes)) if notes or calls else None


def call_of(exchange: Exchange, trial: WireTrial | None = None) -> tuple[ModelCall, list[str]]:
    """The call that an exchange was, with remarks on what could not be read; it never raises."""
    request = body_of(exchange.request, exchange.request_coding)
    asked = json_in(request.text)
    remarks = [f"the request cannot be read: {request.fault}"] if request.fault else []
    if not isinstance(asked, dict):
        remarks += [] if request.fault else ["the request is no JSON object"]
        asked = {}
    prompt, carried = _guarded(
        lambda: _prompt(exchange.api, asked, trial, remarks), ("", ""), what="request", remarks=remarks
    )
    said = _guarded(lambda: _said(exchange, remarks), Said(ended=False), what="answer", remarks=remarks)
    if trial is not None and carried:
        _remember(exchange, trial, carried, said)
    if not prompt and asked:
        remarks.append("no text is found in the request")
    call = ModelCall(
        prompt=prompt,
        answer=said.answer,
        tool_calls=said.tool_calls,
        usage=said.usage,
        model_name=said.model_name or text_in(asked.get("model")),
        api=exchange.api,
        request=request.text,
        stream=exchange.is_stream or asked.get("stream") is True,
        status=exchange.status,
        error=_error(exchange, said),
        duration_s=exchange.duration_s,
    )
    return call, remarks


def _guarded(read: Callable[[], T], nothing: T, *, what: str, remarks: list[str]) -> T:
    try:
        return read()
    except Exception as error:  # noqa: BLE001  # a border: a foreign body of any shape leaves a call on record
        remarks.append(f"the {what} cannot be read: {type(error).__name__}: {error}")
        return nothing


def _prompt(api: str, asked: dict[str, Any], trial: WireTrial | None, remarks: list[str]) -> tuple[str, str]:
    """The prompt, and what of it the server keeps for a later request, where the protocol knows that."""
    if api != "responses":
        return _READERS[api].prompt_of(asked), ""
    earlier, link = "", text_in(asked.get("previous_response_id"))
    if link:
        earlier = trial.said.get(link, "") if trial is not None else ""
        if not earlier:
            remarks.append("it goes on from a response that this trial did not get: its text is not in the prompt")
    added = (name for name in ("conversation", "prompt") if asked.get(name))
    remarks += [f"the server adds the text of its `{name}`, which is not in the prompt" for name in added]
    carried = "\n\n".join(filter(None, [earlier, responses.conversation_of(asked)]))
    return responses.prompt_of(asked, earlier), carried


def _remember(exchange: Exchange, trial: WireTrial, carried: str, said: Said) -> None:
    body = body_of(b"".join(exchange.chunks), exchange.coding).text
    parts = [mapping_in(event.data) for event in events_of(body)] if exchange.is_stream else [mapping_in(json_in(body))]
    names = (text_in(mapping_in(part.get("response", part)).get("id")) for part in parts)
    name = next(filter(None, names), "")
    if name:
        calls = (call_text(call.name, dict(call.args)) for call in said.tool_calls)
        trial.said[name] = f"{carried}\n\n{section('assistant', said.answer, *calls)}"


def _said(exchange: Exchange, remarks: list[str]) -> Said:
    body = body_of(b"".join(exchange.chunks), exchange.coding)
    if body.fault:
        remarks.append(f"the answer cannot be read: {body.fault}")
    reader = _READERS[exchange.api]
    if exchange.is_stream:
        return reader.said_in_stream(events_of(body.text))
    parsed = json_in(body.text)
    if not isinstance(parsed, dict):
        if body.text and not body.fault and 200 <= exchange.status < 300 and not exchange.error:
            remarks.append("the answer is no JSON object")
        return Said(error=body.text.strip()[:_SHOWN] if exchange.status >= 300 else "", ended=False)
    return reader.said_in(parsed)


def _error(exchange: Exchange, said: Said) -> str:
    """Why there is no whole answer; an agent that leaves after the last part has it all."""
    if exchange.cut:
        return exchange.cut_note
    broken = "" if said.ended and not said.error and 200 <= exchange.status < 300 else exchange.error
    if broken:
        return broken
    if not 200 <= exchange.status < 300:
        return f"{exchange.status}: {said.error}" if said.error else f"status {exchange.status}"
    if exchange.is_stream and not said.ended:
        return "the stream ended before its last part"
    return said.error


def whole_json(exchange: Exchange) -> Any:  # noqa: ANN401  # any JSON value
    """The JSON value of an answer of any kind, None where it is none."""
    return json_in(body_of(b"".join(exchange.chunks), exchange.coding).text)
