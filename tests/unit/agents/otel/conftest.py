"""Spans as exporters write them, in OTLP's JSON, and as the receiver keeps them."""

import json

import pytest

from foldproof.agents.otel.reading import seen_of
from foldproof.agents.otel.spans import logs_of, spans_of

TRACE = "0af7651916cd43dd8448eb211c80319c"


def value(thing):
    if isinstance(thing, bool):
        return {"boolValue": thing}
    if isinstance(thing, int):
        return {"intValue": str(thing)}
    if isinstance(thing, float):
        return {"doubleValue": thing}
    if isinstance(thing, list):
        return {"arrayValue": {"values": [value(part) for part in thing]}}
    if isinstance(thing, dict):
        return {"kvlistValue": {"values": pairs(thing)}}
    return {"stringValue": thing}


def pairs(attributes):
    return [{"key": key, "value": value(thing)} for key, thing in attributes.items()]


@pytest.fixture
def otlp():
    """A span in OTLP's JSON: `number` is its id and its start, in seconds."""

    def make(number=1, attributes=None, *, trace=TRACE, parent=None, events=(), seconds=0.5, **more):
        start = number * 1_000_000_000
        return {
            "traceId": trace,
            "spanId": f"{number:016x}",
            **({"parentSpanId": f"{parent:016x}"} if parent else {}),
            "startTimeUnixNano": str(start),
            "endTimeUnixNano": str(start + int(seconds * 1e9)),
            "attributes": pairs(attributes or {}),
            "events": [{"name": name, "timeUnixNano": str(start), "attributes": pairs(said)} for name, said in events],
            **more,
        }

    return make


@pytest.fixture
def request_of():
    """An export request of spans, with attributes of their resource."""

    def make(*spans, resource=None):
        scope = {"scope": {"name": "test"}, "spans": list(spans)}
        return {"resourceSpans": [{"resource": {"attributes": pairs(resource or {})}, "scopeSpans": [scope]}]}

    return make


@pytest.fixture
def log_request():
    """An export request of log records, each `(span's number, event name, attributes, body)`."""

    def make(*records, trace=TRACE, resource=None):
        made = [
            {
                "timeUnixNano": str(number * 1_000_000_000 + order),
                "eventName": name,
                "traceId": trace,
                "spanId": f"{number:016x}",
                "attributes": pairs(attributes),
                **({"body": value(body)} if body is not None else {}),
            }
            for order, (number, name, attributes, body) in enumerate(records)
        ]
        scope = {"scope": {"name": "test"}, "logRecords": made}
        return {"resourceLogs": [{"resource": {"attributes": pairs(resource or {})}, "scopeLogs": [scope]}]}

    return make


@pytest.fixture
def read(request_of):
    """What was seen in spans of OTLP's JSON, and in log requests beside them."""

    def reading(*spans, logs=()):
        return seen_of([*spans_of(request_of(*spans)), *(span for request in logs for span in logs_of(request))])

    return reading


@pytest.fixture
def chat(otlp):
    """A model's call in the current GenAI conventions."""

    def make(number=1, said="hello", *, answer="fine", **more):
        attributes = {
            "gen_ai.operation.name": "chat",
            "gen_ai.input.messages": json.dumps([{"role": "user", "parts": [{"type": "text", "content": said}]}]),
            "gen_ai.output.messages": json.dumps(
                [{"role": "assistant", "parts": [{"type": "text", "content": answer}], "finish_reason": "stop"}]
            ),
        }
        return otlp(number, {**attributes, **more.pop("attributes", {})}, **more)

    return make


@pytest.fixture
def retriever(otlp):
    """A retrieval in the OpenInference conventions."""

    def make(number=1, texts=(), **more):
        attributes = {"openinference.span.kind": "RETRIEVER"}
        for place, text in enumerate(texts):
            attributes[f"retrieval.documents.{place}.document.content"] = text
        return otlp(number, {**attributes, **more.pop("attributes", {})}, **more)

    return make
