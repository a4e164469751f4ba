"""Spans as exporters write them: OTLP JSON, one span a line, or rows with dotted or nested attributes."""

from __future__ import annotations

import base64
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from foldproof.logs.moments import Moment, moment_of

_HEX = re.compile(r"(?:[0-9a-fA-F]{16}|[0-9a-fA-F]{32})")
_DEEPEST = 16
"""Parts of a dotted key that are told apart; no convention has as many."""
Fields = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Span:
    """One span: its ids, its times, its attributes by dotted key, its events as (name, attributes)."""

    trace: str
    id: str
    parent: str
    name: str
    start: Moment | None
    attributes: Mapping[str, Any]
    events: tuple[tuple[str, Mapping[str, Any]], ...] = ()
    failed: bool = False

    def text(self, *keys: str) -> str:
        """The first of these attributes that is a text."""
        found = (self.attributes.get(key) for key in keys)
        return next((value for value in found if isinstance(value, str) and value), "")


def spans_in(value: Any) -> Iterator[Span]:  # noqa: ANN401  # any JSON value
    """The spans of a record: of an OTLP request, of a list, or the one that it is."""
    if isinstance(value, list):
        for item in value:
            yield from spans_in(item)
        return
    if not isinstance(value, dict):
        return
    resources = _first(value, "resourceSpans", "resource_spans")
    if resources is None:
        if span := _span(value):
            yield span
        return
    for resource in _dicts(resources):
        scopes = _first(resource, "scopeSpans", "scope_spans", "instrumentationLibrarySpans")
        for scope in _dicts(scopes):
            for item in _dicts(scope.get("spans")):
                if span := _span(item):
                    yield span


def in_order(spans: Sequence[Span]) -> list[Span]:
    """The spans by their beginning; equal and missing times keep the order of the file."""
    last = 0.0
    keyed: list[tuple[float, int, Span]] = []
    for number, span in enumerate(spans):
        last = span.start.order.timestamp() if span.start else last
        keyed.append((last, number, span))
    return [span for *_, span in sorted(keyed, key=lambda row: row[:2])]


def nested(attributes: Mapping[str, Any], prefix: str) -> Any:  # noqa: ANN401  # any JSON value
    """What stands under a prefix, dotted keys made objects and numbered ones lists, in the order of their numbers."""
    tree: Fields = {}
    for key, value in attributes.items():
        if not key.startswith(prefix):
            continue
        place, parts = tree, key[len(prefix) :].split(".", _DEEPEST)
        for part in parts[:-1]:
            inner = place.setdefault(part, {})
            if not isinstance(inner, dict):
                inner = place[part] = {}
            place = inner
        place.setdefault(parts[-1], value)
    return _listed(tree)


def _listed(tree: Any) -> Any:  # noqa: ANN401  # any JSON value
    if not isinstance(tree, dict):
        return tree
    inner = {key: _listed(value) for key, value in tree.items()}
    if inner and all(key.isdecimal() and len(key) < 10 for key in inner):
        return [inner[key] for key in sorted(inner, key=int)]
    return inner


def _first(value: Fields, *keys: str) -> Any:  # noqa: ANN401  # any JSON value
    return next((value[key] for key in keys if value.get(key) is not None), None)


def _dicts(value: Any) -> Iterator[Fields]:  # noqa: ANN401  # any JSON value
    yield from (item for item in (value if isinstance(value, list) else ()) if isinstance(item, dict))


def _span(value: Fields) -> Span | None:
    context = value.get("context") if isinstance(value.get("context"), dict) else {}
    flat = {**value, **{f"context.{key}": item for key, item in (context or {}).items()}}
    trace = _hex(_first(flat, "traceId", "trace_id", "context.trace_id"))
    own = _hex(_first(flat, "spanId", "span_id", "context.span_id"))
    if not trace or not own:
        return None
    status = _first(flat, "status", "status_code")
    code = status.get("code", status.get("status_code")) if isinstance(status, dict) else status
    return Span(
        trace=trace,
        id=own,
        parent=_hex(_first(flat, "parentSpanId", "parent_span_id", "parent_id")),
        name=str(value.get("name", "")),
        start=moment_of(_first(flat, "startTimeUnixNano", "start_time_unix_nano", "start_time", "startTime")),
        attributes=_attributes(value),
        events=tuple(
            (str(event.get("name", "")), _pairs(event.get("attributes"))) for event in _dicts(value.get("events"))
        ),
        failed=code in {2, "STATUS_CODE_ERROR", "ERROR"} if isinstance(code, int | str) else False,
    )


def _hex(value: Any) -> str:  # noqa: ANN401  # any JSON value
    """An id in hex; some exporters write base64, the console exporter `0x…`."""
    if not isinstance(value, str):
        return ""
    text = value.removeprefix("0x")
    if _HEX.fullmatch(text) or not text:
        return text.lower()
    try:
        raw = base64.b64decode(text, validate=True)
    except ValueError:
        return text
    return raw.hex() if len(raw) in {8, 16} else text


def _attributes(value: Fields) -> Fields:
    """All attributes by dotted key; a row of a table has them as columns `attributes.…`."""
    found = _pairs(value.get("attributes"))
    for key, item in value.items():
        if key.startswith("attributes."):
            found |= _flat({key.removeprefix("attributes."): item})
    return found


def _pairs(value: Any) -> Fields:  # noqa: ANN401  # any JSON value
    if isinstance(value, dict):
        return _flat(value)
    return {str(pair.get("key")): _plain(pair.get("value")) for pair in _dicts(value)}


def _flat(value: Fields) -> Fields:
    """Nested attributes by dotted key. Objects are taken apart, and lists of objects; other lists are values."""
    found: Fields = {}
    waiting: list[tuple[str, Any, int]] = [("", value, 0)]
    while waiting:
        prefix, item, depth = waiting.pop()
        if isinstance(item, dict) and depth < _DEEPEST:
            waiting += [(f"{prefix}.{key}" if prefix else str(key), inner, depth + 1) for key, inner in item.items()]
        elif isinstance(item, list) and item and all(isinstance(inner, dict) for inner in item) and depth < _DEEPEST:
            waiting += [(f"{prefix}.{number}", inner, depth + 1) for number, inner in enumerate(item)]
            found[prefix] = item
        else:
            found[prefix] = item
    return found


def _plain(value: Any, depth: int = 0) -> Any:  # noqa: ANN401  # any JSON value
    """The value of OTLP's `AnyValue`."""
    if not isinstance(value, dict) or len(value) != 1 or depth > _DEEPEST:
        return value
    kind, inner = next(iter(value.items()))
    kind = kind.replace("_v", "V")
    if kind == "intValue":
        return int(inner) if isinstance(inner, str) and re.fullmatch(r"-?\d{1,20}", inner) else inner
    if kind == "arrayValue":
        values = inner.get("values") if isinstance(inner, dict) else None
        return [_plain(item, depth + 1) for item in (values if isinstance(values, list) else ())]
    if kind == "kvlistValue":
        pairs = inner.get("values") if isinstance(inner, dict) else None
        return {str(pair.get("key")): _plain(pair.get("value"), depth + 1) for pair in _dicts(pairs)}
    return inner
