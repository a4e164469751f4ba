"""The bodies of OTLP over HTTP."""

import gzip
import json

import pytest

from foldproof.agents.otel import bodies
from foldproof.agents.otel.bodies import JSON, PROTOBUF, TooLargeError, accepted, inflated, parsed, refused
from foldproof.agents.otel.spans import BodyError, logs_of, spans_of

pytest.importorskip("opentelemetry.proto", reason="the receiver comes with the extra `otel`")
from google.protobuf.json_format import ParseDict
from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import (
    ExportLogsServiceRequest,
    ExportLogsServiceResponse,
)
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import (
    ExportTraceServiceRequest,
    ExportTraceServiceResponse,
)


def as_protobuf(request, message):
    """OTLP's JSON spells ids in hex, protobuf's own in base64."""
    text = json.dumps(request)
    for group in (*request.get("resourceSpans", ()), *request.get("resourceLogs", ())):
        for scope in (*group.get("scopeSpans", ()), *group.get("scopeLogs", ())):
            for part in (*scope.get("spans", ()), *scope.get("logRecords", ())):
                for name in ("traceId", "spanId", "parentSpanId"):
                    if name in part:
                        import base64

                        text = text.replace(part[name], base64.b64encode(bytes.fromhex(part[name])).decode())
    return ParseDict(json.loads(text), message).SerializeToString()


def test_both_encodings_say_the_same(request_of, chat, log_request):
    events = [("gen_ai.choice", {"message": "fine"})]
    request = request_of(chat(1, "hé", parent=2, events=events), resource={"foldproof.trial": "ü/1"})
    body = as_protobuf(request, ExportTraceServiceRequest())
    (one,), (two,) = (
        spans_of(parsed(body, PROTOBUF, "traces")),
        spans_of(parsed(json.dumps(request).encode(), JSON, "traces")),
    )
    assert one == two
    assert (one.marks, one.parent, one.start_ns) == (("ü/1",), f"{2:016x}", 1_000_000_000)
    logs = log_request((1, "gen_ai.user.message", {"gen_ai.system": "x"}, {"content": "hello"}))
    body = as_protobuf(logs, ExportLogsServiceRequest())
    assert logs_of(parsed(body, PROTOBUF, "logs")) == logs_of(parsed(json.dumps(logs).encode(), JSON, "logs"))


@pytest.mark.parametrize("content_type", [PROTOBUF, JSON])
@pytest.mark.parametrize("body", [b"\xff\xfe\x00", b"{", b"[" * 100_000, b"\x0a\xff\xff\xff\xff\x0f"])
def test_what_is_no_request_is_told(body, content_type):
    with pytest.raises(BodyError):
        spans_of(parsed(body, content_type, "traces"))


def test_an_empty_body_is_an_empty_request():
    assert spans_of(parsed(b"", PROTOBUF, "traces")) == []
    assert spans_of(parsed(b"{}", JSON, "traces")) == []


def test_gzip_is_inflated_within_a_bound(monkeypatch):
    assert inflated(gzip.compress(b"hello"), "gzip") == b"hello"
    assert inflated(b"hello", "") == inflated(b"hello", "identity") == b"hello"
    monkeypatch.setattr(bodies, "INFLATED_BYTES", 1024)
    assert len(inflated(gzip.compress(b"x" * 1024), "gzip")) == 1024
    with pytest.raises(TooLargeError):
        inflated(gzip.compress(b"x" * 1025), "gzip")
    with pytest.raises(TooLargeError):
        inflated(gzip.compress(b"\0" * 10_000_000), "gzip")


@pytest.mark.parametrize(
    ("body", "encoding", "told"),
    [
        (b"hello", "gzip", "not gzip"),
        (gzip.compress(b"hello", mtime=0)[:-4], "gzip", "ends early"),
        (b"x", "br", "'br' is not known"),
    ],
)
def test_an_encoding_that_cannot_be_read_is_told(body, encoding, told):
    with pytest.raises(BodyError, match=told):
        inflated(body, encoding)


@pytest.mark.parametrize("rejected", [0, 3, 100_000])
def test_the_answers_are_those_of_the_protocol(rejected):
    why = "the bound" if rejected else ""
    message = ExportTraceServiceResponse.FromString(accepted(PROTOBUF, "traces", rejected=rejected, why=why))
    assert (message.partial_success.rejected_spans, message.partial_success.error_message) == (rejected, why)
    logs = ExportLogsServiceResponse.FromString(accepted(PROTOBUF, "logs", rejected=rejected, why=why))
    assert logs.partial_success.rejected_log_records == rejected
    body = json.loads(accepted(JSON, "traces", rejected=rejected, why=why))
    assert body == ({"partialSuccess": {"rejectedSpans": str(rejected), "errorMessage": why}} if rejected else {})


def test_a_refusal_says_why():
    status = pytest.importorskip("google.rpc.status_pb2", reason="comes with the exporter").Status()
    why = "the body is not gzip: " + "x" * 300
    assert status.FromString(refused(PROTOBUF, why)).message == why
    assert json.loads(refused(JSON, why)) == {"message": why}
