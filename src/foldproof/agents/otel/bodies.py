"""The bodies of OTLP over HTTP: read within bounds, and answered as the protocol says."""

from __future__ import annotations

import json
import zlib
from typing import TYPE_CHECKING, Any

from foldproof.agents.otel.spans import BodyError

if TYPE_CHECKING:
    from google.protobuf.message import Message

BODY_BYTES = 16 * 1024 * 1024
INFLATED_BYTES = 64 * 1024 * 1024
"""How large a body may be as it is sent, and once it is inflated."""
PROTOBUF, JSON = "application/x-protobuf", "application/json"
_GZIP = 16 + zlib.MAX_WBITS


class TooLargeError(BodyError):
    """A body beyond the bound; the exporter gives it up."""


def inflated(body: bytes, encoding: str) -> bytes:
    """The body without its content encoding.

    Raises:
        BodyError: for another encoding than gzip, and for what is not gzip; `TooLargeError` beyond the bound.
    """
    if encoding in ("", "identity"):
        return body
    if encoding != "gzip":
        raise BodyError(f"the content encoding {encoding!r} is not known: send gzip, or none")
    inflater = zlib.decompressobj(_GZIP)
    try:
        found = inflater.decompress(body, INFLATED_BYTES + 1)
    except zlib.error as error:
        raise BodyError(f"the body is not gzip: {error}") from error
    if len(found) > INFLATED_BYTES:
        raise TooLargeError(f"the body is larger than {INFLATED_BYTES // 1024**2} MB once it is inflated")
    if not inflater.eof:
        raise BodyError("the body is not gzip: it ends early")
    return found


def parsed(body: bytes, content_type: str, signal: str) -> Any:  # noqa: ANN401  # any JSON value
    """An export request of the signal `traces` or `logs`, as JSON values.

    Raises:
        BodyError: where it is none.
    """
    if content_type == JSON:
        try:
            return json.loads(body)
        except (ValueError, RecursionError) as error:
            raise BodyError(f"the body is not JSON: {error}") from error
    from google.protobuf.json_format import MessageToDict
    from google.protobuf.message import DecodeError

    message = _request(signal)
    try:
        message.ParseFromString(body)
        return MessageToDict(message)
    except (DecodeError, ValueError, RecursionError) as error:
        raise BodyError(f"the body is not a protobuf message of {signal}: {error}") from error


def accepted(content_type: str, signal: str, *, rejected: int = 0, why: str = "") -> bytes:
    """The body of a 200; with `rejected`, that so many spans or log records were left out, and why."""
    if content_type == JSON:
        name = {"traces": "rejectedSpans", "logs": "rejectedLogRecords"}.get(signal, "rejectedDataPoints")
        partial = {"partialSuccess": {name: str(rejected), "errorMessage": why}}
        return json.dumps(partial if rejected else {}).encode()
    # Field 1 of each response is its partial success: 1 the count, 2 the text.
    count = b"\x08" + _varint(rejected) + _field(2, why.encode())
    return _field(1, count) if rejected else b""


def refused(content_type: str, why: str) -> bytes:
    """The body of a refusal: a `Status`, whose field 2 is the message."""
    return _field(2, why.encode()) if content_type == PROTOBUF else json.dumps({"message": why}).encode()


def _request(signal: str) -> Message:
    from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceRequest
    from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

    return ExportTraceServiceRequest() if signal == "traces" else ExportLogsServiceRequest()


def _field(number: int, content: bytes) -> bytes:
    return bytes([number << 3 | 2]) + _varint(len(content)) + content


def _varint(number: int) -> bytes:
    found = bytearray()
    while number > 0x7F:
        found.append(number & 0x7F | 0x80)
        number >>= 7
    return bytes([*found, number])
