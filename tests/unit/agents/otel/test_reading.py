"""From many spans to one record: order, nesting, tools, and what is said where something cannot be seen."""

import json
from pathlib import Path

import pytest

from foldproof.agents.otel.reading import seen_of
from foldproof.agents.otel.spans import BodyError, logs_of, spans_of
from foldproof.logs import MemoryItem, ToolCall, Usage
from foldproof.record import Trial

FORMATS = Path(__file__).resolve().parents[5] / "shared" / "data" / "formats"


def prompts(seen):
    return [call.prompt.removeprefix("[user]\n") for call in seen.calls]


def texts(items):
    return [(item.rank, item.text) for item in items]


def test_calls_stand_in_the_order_of_their_start(read, chat):
    assert prompts(read(chat(3, "c"), chat(1, "a"), chat(2, "b"))) == ["a", "b", "c"]


def test_a_span_that_came_twice_counts_once(read, chat):
    assert prompts(read(chat(1, "a"), chat(1, "a"))) == ["a"]


def test_one_call_seen_from_two_distances_counts_once(read, chat, otlp):
    empty = {"gen_ai.operation.name": "chat"}
    assert prompts(read(chat(1, "outer"), otlp(2, {}, parent=1), chat(3, "inner", parent=2))) == ["inner"]
    assert prompts(read(chat(1, "outer"), otlp(2, empty, parent=1))) == ["outer"]
    assert prompts(read(otlp(1, empty), chat(2, "inner", parent=1))) == ["inner"]
    assert prompts(read(chat(1, "a"), chat(2, "b"))) == ["a", "b"], "neighbours are two calls"


def test_parents_in_a_circle_end(read, chat):
    assert len(prompts(read(chat(1, "a", parent=2), chat(2, "b", parent=1)))) <= 2
    assert prompts(read(chat(1, "a", parent=1))) in ([], ["a"])


def test_what_the_outer_retrieval_gave_is_what_was_given(read, retriever):
    inner = retriever(2, ["one", "two", "three"], parent=1)
    assert texts(read(retriever(1, ["two"]), inner).memory_reads) == [(1, "two")]
    assert texts(read(retriever(1), inner).memory_reads) == [(1, "one"), (2, "two"), (3, "three")]


def test_several_retrievals_keep_ranks_of_their_own(read, retriever):
    seen = read(retriever(2, ["c"]), retriever(1, ["a", "b"]))
    assert texts(seen.memory_reads) == [(1, "a"), (2, "b"), (1, "c")]
    assert seen.notes == ("2 retrievals, one after the other; each has ranks of its own",)


def test_one_retrieval_that_is_not_shown_makes_all_unknown(read, retriever):
    seen = read(retriever(1, ["a"]), retriever(2))
    assert seen.memory_reads is None
    assert seen.notes[0].startswith("1 of 2 retrieval spans do not show the texts")


def test_a_failed_retrieval_showed_nothing(read, retriever):
    failed = retriever(1, status={"code": 2, "message": "no route"})
    seen = read(failed)
    assert (seen.memory_reads, seen.notes) == (None, ("a retrieval failed: no route",))
    seen = read(failed, retriever(2, ["a"]))
    assert (texts(seen.memory_reads), seen.notes) == ([(1, "a")], ("a retrieval failed: no route",))


def tool(otlp, number, name="look", arguments='{"order": 1}', call_id=None):
    attributes = {
        "gen_ai.operation.name": "execute_tool",
        "gen_ai.tool.name": name,
        "gen_ai.tool.call.arguments": arguments,
    }
    return otlp(number, {**attributes, **({"gen_ai.tool.call.id": call_id} if call_id else {})})


def asking(chat, *calls, number=1):
    parts = [{"type": "tool_call", "id": call_id, "name": name, "arguments": args} for call_id, name, args in calls]
    said = json.dumps([{"role": "assistant", "parts": parts}])
    return chat(number, attributes={"gen_ai.output.messages": said})


def made(seen):
    return [(call.api, [dict(part.args) for part in call.tool_calls]) for call in seen.calls]


def test_a_tool_that_a_model_called_counts_once(read, chat, otlp):
    asked = asking(chat, ("c1", "look", {"order": 1}))
    assert made(read(asked, tool(otlp, 2, call_id="c1"))) == [("chat", [{"order": 1}])]
    assert made(read(asked, tool(otlp, 2))) == [("chat", [{"order": 1}])], "without an id, by what was called"


def test_a_tool_that_no_model_called_stands_by_itself(read, chat, otlp):
    asked = asking(chat, ("c1", "look", {"order": 1}))
    assert made(read(asked, tool(otlp, 2, arguments='{"order": 2}'))) == [
        ("chat", [{"order": 1}]),
        ("execute_tool", [{"order": 2}]),
    ]
    assert made(read(asked, tool(otlp, 2, call_id="c1"), tool(otlp, 3, call_id="c9"))) == [
        ("chat", [{"order": 1}]),
        ("execute_tool", [{"order": 1}]),
    ]
    assert made(read(tool(otlp, 2))) == [("execute_tool", [{"order": 1}])]


def test_two_calls_of_the_same_need_two(read, chat, otlp):
    asked = asking(chat, ("", "look", {"order": 1}))
    assert made(read(asked, tool(otlp, 2), tool(otlp, 3))) == [
        ("chat", [{"order": 1}]),
        ("execute_tool", [{"order": 1}]),
    ]


def test_no_spans_show_nothing():
    seen = seen_of([])
    assert (seen.source, seen.calls, seen.memory_reads, seen.memory_writes, seen.notes) == ("otel", (), None, None, ())


def test_what_cannot_be_kept_is_made_so_that_it_can(read, chat, otlp, tmp_path):
    deep = json.dumps({"a": json.loads("[" * 200 + "]" * 200)})
    spans = [
        tool(otlp, 1, arguments='{"a": NaN, "b": 1e999, "c": -Infinity}'),
        tool(otlp, 2, arguments=deep),
        chat(3, "half a pair \ud800 here"),
        otlp(
            4,
            {
                "gen_ai.operation.name": "search_memory",
                "gen_ai.memory.records": [{"content": "x", "score": float("nan")}],
            },
        ),
    ]
    seen = read(*spans)
    assert seen.calls[0].tool_calls == (ToolCall("look", {"a": "NaN", "b": "1e999", "c": "-Infinity"}),)
    assert seen.calls[1].tool_calls == (ToolCall("look", {"_raw": deep}),)
    assert seen.memory_reads is not None
    from foldproof.record import Run
    from foldproof.record.store import Store

    with Store.open(tmp_path / "runs.db") as store:
        run = store.create_run(Run("c", "0", {}, "s", "0"))
        store.add(run, [Trial("q", 0, seen=(seen,))])
        (kept,) = store.trials(run)
    assert kept.seen[0].calls[0] == seen.calls[0]
    assert kept.seen[0].calls[2].prompt == "[user]\nhalf a pair \ufffd here"


HUGE = "1" + "0" * 400


@pytest.mark.parametrize(
    "attributes",
    [
        {"gen_ai.operation.name": "search_memory", "gen_ai.memory.records": f'[{{"content": "x", "score": {HUGE}}}]'},
        {"openinference.span.kind": "RETRIEVER", "retrieval.documents.0.document.content": "x",
         "retrieval.documents.0.document.score": 10**400},
    ],
)  # fmt: skip
def test_a_score_that_no_machine_holds_is_none(read, otlp, attributes):
    assert read(otlp(1, attributes)).memory_reads == (MemoryItem("x", rank=1),)


def test_numbers_out_of_range_in_a_span_end_nothing(read, otlp, chat):
    counts = {"gen_ai.usage.input_tokens": 10**400, "gen_ai.usage.output_tokens": 4}
    (call,) = read(chat(1, attributes=counts)).calls
    assert call.usage == Usage(None, 4)
    (call,) = read(chat(1, endTimeUnixNano=HUGE, droppedEventsCount=int(HUGE))).calls
    assert (call.answer, call.duration_s) == ("fine", 0.0)
    double = {"key": "retrieval.documents.0.document.score", "value": {"doubleValue": 10**400}}
    text = {"key": "retrieval.documents.0.document.content", "value": {"stringValue": "x"}}
    kind = {"key": "openinference.span.kind", "value": {"stringValue": "RETRIEVER"}}
    assert read(otlp(1) | {"attributes": [kind, text, double]}).memory_reads == (MemoryItem("x", rank=1),)
    double["value"] = {"doubleValue": 0.5}
    assert read(otlp(1) | {"attributes": [kind, text, double]}).memory_reads == (MemoryItem("x", rank=1, score=0.5),)


@pytest.mark.parametrize(
    "request_body",
    [
        [],
        "text",
        {"resourceSpans": "x"},
        {"resourceSpans": [1]},
        {"resourceSpans": [{"scopeSpans": {}}]},
        {"resourceSpans": [{"scopeSpans": [{"spans": ["x"]}]}]},
        {"resourceSpans": [{"scopeSpans": [{"spans": [{"attributes": {"a": 1}}]}]}]},
        {"resourceSpans": [{"scopeSpans": [{"spans": [{"events": 5}]}]}]},
    ],
)
def test_a_request_of_another_shape_is_told(request_body):
    with pytest.raises(BodyError):
        spans_of(request_body)


@pytest.mark.parametrize(
    "request_body", [None, {"resourceLogs": 1}, {"resourceLogs": [{"scopeLogs": [{"logRecords": ["x"]}]}]}]
)
def test_a_log_request_of_another_shape_is_told(request_body):
    with pytest.raises(BodyError):
        logs_of(request_body)


@pytest.mark.parametrize(
    "span",
    [
        {},
        {"traceId": 5, "spanId": "zz", "startTimeUnixNano": "soon", "status": "bad"},
        {"attributes": [{"key": 5}, {"key": "gen_ai.operation.name", "value": "chat"}, {}]},
        {"attributes": [{"key": "gen_ai.operation.name", "value": {"intValue": "x"}}]},
        {"attributes": [{"key": "gen_ai.operation.name", "value": {"bytesValue": "AAAA"}}], "status": {"code": "?"}},
        {"attributes": [{"key": "llm.input_messages.x.message.role", "value": {"stringValue": "user"}}]},
    ],
)
def test_odd_values_within_a_span_are_nothing(span, request_of):
    assert seen_of(spans_of(request_of(span))).calls == ()


def test_ids_may_be_hex_or_base64(request_of, otlp):
    (span,) = spans_of(request_of({**otlp(1), "traceId": "CvdlGRbNQ92ESOshHIAxnA==", "spanId": "AAAAAAAAAAE="}))
    assert (span.trace, span.id) == ("0af7651916cd43dd8448eb211c80319c", "0000000000000001")
    (span,) = spans_of(request_of(otlp(1)))
    assert (span.trace, span.id) == ("0af7651916cd43dd8448eb211c80319c", "0000000000000001")


def test_attributes_that_are_not_read_end_at_the_door(request_of, otlp):
    attributes = {"http.request.header.authorization": "Bearer x", "db.statement": "select", "gen_ai.system": "openai"}
    (span,) = spans_of(request_of(otlp(1, attributes), resource={"host.name": "here", "foldproof.trial": "t1"}))
    assert span.attributes == {"gen_ai.system": "openai"}
    assert span.marks == ("t1",)


@pytest.mark.data
@pytest.mark.parametrize("name", ["otel_genai", "openinference"])
def test_the_spans_of_real_instrumentations(name):
    path = FORMATS / name / "otlp_spans.json"
    if not path.exists():
        pytest.skip(f"{path} is not there")
    seen = seen_of(spans_of(json.loads(path.read_text("utf-8"))))
    first, second = seen.calls
    assert first.prompt.startswith("[system]\nYou are a support agent.\n\n[user]\nWhere is my order #4021?")
    assert first.tool_calls == (ToolCall("lookup_order", {"order_id": "4021"}),)
    assert "[tool]\nOrder 4021: shipped, total $1,234.50" in second.prompt
    assert second.answer == "Your order 4021 has shipped."
    assert (second.usage.input_tokens, second.usage.output_tokens) == (50, 12)
    assert (seen.memory_reads, seen.memory_writes, seen.notes) == (None, None, ())
