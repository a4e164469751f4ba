"""Traps of the formats that stand in no test of their format, one a test; the logs are made up."""

from __future__ import annotations

import json

import pytest

from .written import lines, told


def test_inspect_messages_that_events_only_refer_to_are_read_once(read):
    """In newer logs a call of a model has an empty `input` and points into `events_data`."""
    said = [{"role": "user", "content": "Where?"}, {"role": "assistant", "content": "There."}]
    event = {"event": "model", "input": [], "input_refs": [[0, 1]], "output": {"choices": [{"message": said[1]}]}}
    one = {"id": "q", "epoch": 1, "input": "Where?", "messages": said, "events": [event, event],
           "events_data": {"messages": said}}  # fmt: skip
    log = read({"version": 2, "status": "success", "eval": {"task": "t"}, "samples": [one]}, name="i.json")
    assert told(log.only) == ["user: Where?", "agent: There."]


def test_tau2_one_simulation_a_file(read):
    def run(number):
        said = [{"role": "user", "content": f"Hello {number}", "turn_idx": 0}]
        return {"id": f"sim-{number}", "task_id": "1", "trial": number, "messages": said,
                "start_time": f"2026-01-0{number}T00:00:00"}  # fmt: skip

    log = read(run(1), run(2), name="sim.json")
    assert [(session.id, told(session), session.started.text) for session in log.sessions] == [
        ("sim-1", ["user: Hello 1"], "2026-01-01T00:00:00"), ("sim-2", ["user: Hello 2"], "2026-01-02T00:00:00"),
    ]  # fmt: skip


def test_promptfoo_an_answer_that_is_an_object_and_one_that_is_a_number(read):
    def row(at, output):
        return {"id": f"r{at}", "testIdx": at, "promptIdx": 0, "vars": {}, "prompt": {"raw": "Hi"},
                "response": {"output": output}, "success": True}  # fmt: skip

    whole = {"evalId": "e", "results": {"version": 3, "results": [row(0, {"total": 1}), row(1, 0), row(2, "")]}}
    log = read(whole, name="output.json")
    assert [told(session)[1:] for session in log.sessions] == [['agent: {"total": 1}'], ["agent: 0"], []]


def test_codex_a_search_on_the_web_and_an_id_of_a_fork(read):
    at = "2026-01-01T00:00:00Z"
    log = read(lines(
        {"timestamp": at, "type": "session_meta",
         "payload": {"id": "own", "session_id": "own", "forked_from_id": "old"}},
        {"timestamp": at, "type": "response_item", "payload": {"type": "message", "role": "user",
         "content": [{"type": "input_text", "text": "Look it up."}]}},
        {"timestamp": at, "type": "response_item", "payload": {"type": "web_search_call", "status": "completed",
         "action": {"type": "search", "query": "kiln"}}},
    ))  # fmt: skip
    assert log.only.id == "own"
    assert told(log.only)[0] == "user: Look it up."
    assert [entry.split()[:2] for entry in told(log.only)[1:]] == [["call", "web_search"]]


def test_chatgpt_a_quotation_of_a_page_is_the_tools_and_a_missing_time_is_none(read):
    def node(name, parent, role, content, **more):
        message = {"id": name, "author": {"role": role}, "content": content, "create_time": None, "recipient": "all"}
        return {"id": name, "parent": parent, "children": [], "message": {**message, **more}}

    quote = {"content_type": "tether_quote", "url": "x", "text": "A kiln is hot."}
    nodes = [
        {"id": "root", "parent": None, "children": [], "message": None},
        node("a", "root", "user", {"content_type": "text", "parts": ["What is a kiln?"]}),
        node("b", "a", "tool", quote),
        node("c", "b", "assistant", {"content_type": "text", "parts": ["Hot."]}, create_time=1767225600.5),
    ]
    talk = {"id": "t", "title": "", "create_time": 1767225600, "current_node": "c",
            "mapping": {one["id"]: one for one in nodes}}  # fmt: skip
    log = read([talk], name="conversations.json")
    assert [entry for entry in told(log.only) if entry.startswith(("user", "agent"))] == [
        "user: What is a kiln?", "agent: Hot.",
    ]  # fmt: skip
    assert any("A kiln is hot." in entry for entry in told(log.only)), "what a tool brought is kept, and is no talk"
    assert [said.at and said.at.text for said in log.only.said("user")] == [None]


def test_langfuse_a_tool_of_an_older_kit_is_a_span(read):
    """A span with a name, an input and an output is not guessed to be a tool, and not taken for talk either."""
    at = "2026-01-01T00:00:00Z"
    chat = {
        "id": "g",
        "traceId": "t",
        "type": "GENERATION",
        "startTime": at,
        "input": [{"role": "user", "content": "Where?"}],
        "output": {"role": "assistant", "content": "There."},
    }
    span = {
        "id": "s",
        "traceId": "t",
        "type": "SPAN",
        "name": "lookup",
        "startTime": at,
        "input": {"n": 1},
        "output": "x",
    }
    trace = {"id": "t", "timestamp": at, "sessionId": "s1", "input": None, "output": None, "observations": [span, chat]}
    assert told(read(trace, name="t.json").only) == ["user: Where?", "agent: There."]


@pytest.mark.parametrize("as_text", [True, False])
def test_otel_messages_are_text_on_spans_and_structured_on_events(read, as_text):
    said = [{"role": "user", "parts": [{"type": "text", "content": "Where?"}]}]

    def any_value(value):
        if isinstance(value, list):
            return {"arrayValue": {"values": [any_value(one) for one in value]}}
        if isinstance(value, dict):
            return {"kvlistValue": {"values": [{"key": key, "value": any_value(one)} for key, one in value.items()]}}
        return {"stringValue": value}

    messages = any_value(json.dumps(said) if as_text else said)
    attributes = [{"key": "gen_ai.operation.name", "value": {"stringValue": "chat"}},
                  {"key": "gen_ai.system", "value": {"stringValue": "older"}},
                  {"key": "gen_ai.usage.input_tokens", "value": {"intValue": "7"}}]  # fmt: skip
    held = {"key": "gen_ai.input.messages", "value": messages}
    span = {"traceId": "a" * 32, "spanId": "b" * 16, "name": "chat", "startTimeUnixNano": "1767225600000000000"}
    span |= (
        {"attributes": [*attributes, held]}
        if as_text
        else {"attributes": attributes, "events": [{"name": "gen_ai.client.inference.operation.details",
              "timeUnixNano": "1767225600000000000", "attributes": [held]}]}
    )  # fmt: skip
    log = read({"resourceSpans": [{"scopeSpans": [{"spans": [span]}]}]}, name="spans.json")
    assert (told(log.only), log.only.started.text) == (["user: Where?"], "2026-01-01T00:00:00Z")
    assert log.only.usage.input_tokens == 7


def test_openai_the_model_is_the_one_that_answered(read):
    pair = {"request": {"model": "asked-for", "messages": [{"role": "user", "content": "Hi"}]},
            "response": {"model": "answered-0613", "created": 1767225600,
                         "choices": [{"message": {"role": "assistant", "content": "Hello"}}]}}  # fmt: skip
    assert read(lines(pair)).only.model_names == ("answered-0613",)


def test_openai_an_empty_answer_in_a_training_line_is_none(read):
    said = [{"role": "user", "content": "Hi"}, {"role": "assistant", "weight": 0},
            {"role": "assistant", "content": None}, {"role": "assistant", "content": "Hello", "weight": 1}]  # fmt: skip
    assert told(read(lines({"messages": said})).only) == ["user: Hi", "agent: Hello"]


def test_claude_code_messages_that_a_boundary_kept_are_not_said_again(read):
    def record(name, parent, **more):
        return {"uuid": name, "parentUuid": parent, "sessionId": "s", "timestamp": f"2026-01-01T00:00:0{name}Z", **more}

    kept = {"trigger": "auto", "preTokens": 9, "preservedMessages": {"uuids": ["2"]}}
    log = read(lines(
        record("1", None, type="user", message={"role": "user", "content": "Old."}),
        record("2", "1", type="assistant", message={"role": "assistant", "content": "Kept."}),
        record("3", None, type="system", subtype="compact_boundary", logicalParentUuid="2", compactMetadata=kept),
        record("4", "3", type="user", isCompactSummary=True, message={"role": "user", "content": "They spoke."}),
        record("5", "4", type="user", message={"role": "user", "content": "New."}),
    ), name="s.jsonl")  # fmt: skip
    assert [entry for entry in told(log.only) if entry.startswith(("user", "agent"))] == [
        "user: Old.", "agent: Kept.", "user: New.",
    ]  # fmt: skip


def test_locomo_the_older_layout_with_its_cleaned_text(read):
    flat = {"speaker_a": "Ana", "speaker_b": "Ben", "session_1_date_time": "1:56 pm on 8 May, 2023",
            "session_1": [{"speaker": "Ben", "dia_id": "D1:1", "clean_text": "Hi.", "img_file": "a.jpg"}]}  # fmt: skip
    log = read(flat, name="locomo.json")
    assert told(log.only) == ["agent: Hi."]
