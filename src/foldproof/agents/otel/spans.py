"""Spans and log events out of an OTLP export request, protobuf's or JSON's, kept to what is read of them."""

from __future__ import annotations

import base64
import binascii
import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

TRIAL = "foldproof.trial"
"""The attribute that names a trial, of a resource or of a span, and the baggage entry that becomes one."""
_READ = ("gen_ai.", "llm.", "input.", "output.", "retrieval.", "reranker.", "tool.", "openinference.span.kind")
_READ_ALONE = frozenset({TRIAL, "error.type", "event.name", "exception.message", "exception.type"})
_MESSAGE = frozenset({"content", "id", "message", "role", "tool_calls"})
"""What the events of a span call the parts of a message."""
_DEEPEST = 60
_ERROR = (2, "2", "STATUS_CODE_ERROR")


class BodyError(ValueError):
    """An export request that cannot be read; its text says why."""


@dataclass(frozen=True, slots=True)
class Event:
    """Something that was noted during a span, as a span event or as a log record of that span."""

    name: str
    time_ns: int
    attributes: Mapping[str, Any]
    body: Any = None


@dataclass(frozen=True, slots=True)
class Span:
    """One span, or the log events of one of which no span has come (`start_ns` is then the first event's).

    `marks` are the trial labels that it carries, its resource's first. `dropped` counts the attributes that the
    exporter left out. `error` is why it failed, empty where it did not.
    """

    trace: str
    id: str
    marks: tuple[str, ...] = ()
    parent: str = ""
    start_ns: int = 0
    end_ns: int = 0
    attributes: Mapping[str, Any] = field(default_factory=dict)
    events: tuple[Event, ...] = ()
    dropped: int = 0
    error: str = ""
    log: bool = False

    @property
    def size(self) -> int:
        """Roughly the bytes that keeping it takes."""
        kept = [self.attributes, *(part for event in self.events for part in (event.attributes, event.body))]
        return 500 + sum(_size(part) for part in kept)


def spans_of(request: Any) -> list[Span]:  # noqa: ANN401  # any JSON value
    """The spans of a trace export request, as JSON.

    Raises:
        BodyError: where it is not one.
    """
    found = []
    for resource, scope in _scopes(request, "resourceSpans", "scopeSpans"):
        found += [_span(span, resource) for span in _dicts(scope, "spans")]
    return found


def logs_of(request: Any) -> list[Span]:  # noqa: ANN401  # any JSON value
    """The log events of GenAI conventions in a log export request, as JSON; other log records are left out.

    Raises:
        BodyError: where it is no log export request.
    """
    found = []
    for resource, scope in _scopes(request, "resourceLogs", "scopeLogs"):
        for record in _dicts(scope, "logRecords"):
            attributes = _attributes(record)
            name = _text(record.get("eventName") or attributes.get("event.name"))
            if name.startswith("gen_ai."):
                time_ns = _whole(record.get("timeUnixNano")) or _whole(record.get("observedTimeUnixNano"))
                event = Event(name, time_ns, attributes, _value(record.get("body")))
                trace, span = _id(record.get("traceId"), 16), _id(record.get("spanId"), 8)
                marks = _marks(resource, attributes)
                found.append(Span(trace, span, marks, start_ns=time_ns, end_ns=time_ns, events=(event,), log=True))
    return found


def _span(span: dict[str, Any], resource: Mapping[str, Any]) -> Span:
    attributes = _attributes(span)
    events = tuple(map(_event, _dicts(span, "events")))
    return Span(
        trace=_id(span.get("traceId"), 16),
        id=_id(span.get("spanId"), 8),
        marks=_marks(resource, attributes),
        parent=_id(span.get("parentSpanId"), 8),
        start_ns=_whole(span.get("startTimeUnixNano")),
        end_ns=_whole(span.get("endTimeUnixNano")),
        attributes=attributes,
        events=events,
        dropped=_whole(span.get("droppedAttributesCount")) + _whole(span.get("droppedEventsCount")),
        error=_error(span.get("status"), attributes, events),
    )


def _event(event: dict[str, Any]) -> Event:
    name = _text(event.get("name"))
    also = _MESSAGE if name.startswith("gen_ai.") else frozenset()
    return Event(name, _whole(event.get("timeUnixNano")), _attributes(event, also))


def _marks(resource: Mapping[str, Any], attributes: Mapping[str, Any]) -> tuple[str, ...]:
    return tuple(str(part[TRIAL]) for part in (resource, attributes) if part.get(TRIAL))


def _error(status: Any, attributes: Mapping[str, Any], events: tuple[Event, ...]) -> str:  # noqa: ANN401  # any JSON value
    if not isinstance(status, dict) or status.get("code") not in _ERROR:
        return ""
    told = [event.attributes.get("exception.message") for event in events]
    said = [status.get("message"), *told, attributes.get("error.type"), "the span's status is an error"]
    return next(_text(part) for part in said if part)


def _scopes(request: Any, resources: str, scopes: str) -> Iterator[tuple[Mapping[str, Any], dict[str, Any]]]:  # noqa: ANN401  # any JSON value
    if not isinstance(request, dict):
        raise BodyError("the request is not an object")
    for part in _dicts(request, resources):
        resource = part.get("resource") or {}
        attributes = _attributes(resource) if isinstance(resource, dict) else {}
        for scope in _dicts(part, scopes):
            yield attributes, scope


def _dicts(holder: dict[str, Any], name: str) -> list[dict[str, Any]]:
    value = holder.get(name)
    if value is None:
        return []
    if not isinstance(value, list) or not all(isinstance(part, dict) for part in value):
        raise BodyError(f"`{name}` is not a list of objects")
    return value


def _attributes(holder: dict[str, Any], also: frozenset[str] = frozenset()) -> dict[str, Any]:
    """The attributes that are read; all others, whatever they hold, end here."""
    found = {}
    for part in _dicts(holder, "attributes"):
        key = part.get("key")
        if isinstance(key, str) and (key.startswith(_READ) or key in _READ_ALONE or key in also):
            found[key] = _value(part.get("value"))
    return found


def _value(value: Any, levels: int = _DEEPEST) -> Any:  # noqa: ANN401  # any JSON value
    """An attribute's value. Numbers that JSON does not have become text; bytes and what is too deep become nothing."""
    if not isinstance(value, dict) or levels == 0:
        return None
    if "stringValue" in value:
        return _text(value["stringValue"])
    if "boolValue" in value:
        return value["boolValue"] is True
    if "intValue" in value:
        return _int64(value["intValue"])
    if "doubleValue" in value:
        return _number(value["doubleValue"])
    if isinstance(several := value.get("arrayValue"), dict):
        return [_value(part, levels - 1) for part in _dicts(several, "values")]
    if isinstance(several := value.get("kvlistValue"), dict):
        return {_text(part.get("key")): _value(part.get("value"), levels - 1) for part in _dicts(several, "values")}
    return None


def _text(value: Any) -> str:  # noqa: ANN401  # any JSON value
    return value if isinstance(value, str) else ""


def _whole(value: Any) -> int:  # noqa: ANN401  # any JSON value
    return _int64(value) or 0


def _int64(value: Any) -> int | None:  # noqa: ANN401  # any JSON value
    """A 64-bit number, which JSON spells as text; None where it is none."""
    try:
        number = int(value) if isinstance(value, (int, str)) else None
    except ValueError:
        return None
    return number if number is not None and abs(number) < 2**64 else None


def _number(value: Any) -> float | str:  # noqa: ANN401  # any JSON value
    try:
        number = float(value)
    except (TypeError, ValueError, OverflowError):
        return str(value)
    return number if math.isfinite(number) else str(number)


def _id(value: Any, length: int) -> str:  # noqa: ANN401  # any JSON value
    """An id in lower-case hex. OTLP's JSON spells it so; some exporters, and protobuf's own JSON, use base64."""
    if not isinstance(value, str):
        return ""
    try:
        found = bytes.fromhex(value) if len(value) == 2 * length else base64.b64decode(value, validate=True)
    except (ValueError, binascii.Error):
        return ""
    return found.hex() if len(found) == length and any(found) else ""


def _size(value: Any) -> int:  # noqa: ANN401  # any JSON value
    if isinstance(value, str):
        return len(value)
    if isinstance(value, dict):
        return sum(len(key) + _size(part) for key, part in value.items())
    return 50 + sum(map(_size, value)) if isinstance(value, list) else 50
