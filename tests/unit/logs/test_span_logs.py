"""OpenTelemetry GenAI and OpenInference spans."""

from __future__ import annotations

import base64
import json

from .written import lines, told

TRACE = "a" * 32


def any_value(value):
    """A value as OTLP writes it."""
    if isinstance(value, bool):
        return {"boolValue": value}
    if isinstance(value, int):
        return {"intValue": str(value)}
    if isinstance(value, list):
        return {"arrayValue": {"values": [any_value(item) for item in value]}}
    if isinstance(value, dict):
        return {"kvlistValue": {"values": [{"key": key, "value": any_value(item)} for key, item in value.items()]}}
    return {"stringValue": value}


def span(id_, start, parent="", trace=TRACE, name="span", events=(), **attributes):
    """One OTLP span; dots of attribute names are written as two underscores."""
    pairs = [{"key": key.replace("__", "."), "value": any_value(value)} for key, value in attributes.items()]
    return {
        "traceId": trace,
        "spanId": f"{id_:016x}",
        "parentSpanId": f"{parent:016x}" if parent else "",
        "name": name,
        "startTimeUnixNano": str(1767225600_000000000 + start),
        "attributes": pairs,
        "status": {},
        "events": [
            {"name": event, "attributes": [{"key": key, "value": any_value(value)} for key, value in about.items()]}
            for event, about in events
        ],
    }


def request(*spans):
    return {"resourceSpans": [{"resource": {}, "scopeSpans": [{"scope": {"name": "x"}, "spans": list(spans)}]}]}


def text(role, content):
    return {"role": role, "parts": [{"type": "text", "content": content}]}


def chat(id_, start, asked, answered, parent=0, **more):
    return span(id_, start, parent, gen_ai__operation__name="chat", gen_ai__input__messages=json.dumps(asked),
                gen_ai__output__messages=json.dumps(answered), gen_ai__usage__input_tokens=5,
                gen_ai__usage__output_tokens=2, gen_ai__response__model="some-model", **more)  # fmt: skip


CALL = {"role": "assistant", "parts": [{"type": "tool_call", "id": "c1", "name": "look", "arguments": {"n": 1}}]}
ANSWER = {"role": "tool", "parts": [{"type": "tool_call_response", "id": "c1", "response": "here"}]}
TOOL = {"gen_ai__operation__name": "execute_tool", "gen_ai__tool__name": "look", "gen_ai__tool__call__id": "c1",
        "gen_ai__tool__call__arguments": '{"n": 1}', "gen_ai__tool__call__result": "here"}  # fmt: skip
AGENT = {"gen_ai__operation__name": "invoke_agent", "gen_ai__agent__name": "support"}
WHOLE = (
    span(1, 0, **AGENT, gen_ai__conversation__id="conv-1"),
    chat(2, 10, [text("user", "Where?")], [CALL], 1),
    span(3, 20, 1, **TOOL),
    chat(4, 30, [text("user", "Where?"), CALL, ANSWER], [text("assistant", "There.")], 1),
)
TALK = ["user: Where?", 'call look {"n": 1} -> here', "agent: There."]


def test_the_conversation_of_one_span_is_that_of_its_trace(read):
    log = read(request(*WHOLE), name="spans.json")
    assert (log.format, log.only.id) == ("otel-genai", "conv-1")
    assert told(log.only) == TALK
    assert (log.only.usage.input_tokens, log.only.model_names) == (10, ("some-model",))
    assert log.only.started.text == "2026-01-01T00:00:00Z"


def test_lines_of_the_collector_in_any_order(read):
    log = read(lines(*(request(one) for one in reversed(WHOLE))))
    assert told(log.only) == TALK
    assert log.only.id == "conv-1"


def test_one_line_may_hold_several_traces(read):
    other = chat(9, 5, [text("user", "Else?")], [text("assistant", "No.")])
    other["traceId"] = "b" * 32
    log = read(lines(request(*WHOLE[:2], other), request(*WHOLE[2:])))
    assert {session.id: told(session) for session in log.sessions} == {
        "conv-1": TALK, "b" * 32: ["user: Else?", "agent: No."],
    }  # fmt: skip


def test_ids_in_base64_are_the_same_ids(read):
    coded = [
        {**one, "traceId": base64.b64encode(bytes.fromhex(one["traceId"])).decode(),
         "spanId": base64.b64encode(bytes.fromhex(one["spanId"])).decode()}
        for one in WHOLE
    ]  # fmt: skip
    log = read(lines(request(*WHOLE), request(*coded)))
    assert told(log.only) == TALK
    assert log.tally.repeats >= 4


def test_a_tool_span_without_an_id_is_the_run_of_the_call_before(read):
    bare = {key: value for key, value in TOOL.items() if key != "gen_ai__tool__call__id"}
    log = read(request(WHOLE[1], span(3, 20, 1, **bare)), name="spans.json")
    assert told(log.only) == TALK[:2]
    alone = read(request(span(3, 20, 1, **bare)), name="spans.json")
    assert told(alone.only) == [TALK[1]]


def test_spans_without_content_are_told(read):
    bare = [span(1, 0, gen_ai__operation__name="chat", gen_ai__request__model="m", gen_ai__usage__input_tokens=3)]
    log = read(request(*bare, span(2, 1, **TOOL)), name="spans.json")
    assert any("off by default" in note for note in log.tally.notes)
    assert log.tally.aside["calls without content"] == 1
    assert not any("off by default" in note for note in read(request(*WHOLE), name="spans.json").tally.notes)


def test_a_retrieval_is_a_read_of_a_memory(read):
    documents = [{"id": "m1", "content": "The port is 8443.", "score": 0.9}, {"id": "m2", "content": "Other."}]
    log = read(request(
        span(1, 0, name="memory", gen_ai__operation__name="retrieval", gen_ai__retrieval__query__text="port",
             gen_ai__retrieval__documents=json.dumps(documents)),
        span(2, 1, gen_ai__operation__name="update_memory", gen_ai__memory__content="Port 8443."),
        span(3, 2, gen_ai__operation__name="embeddings"),
    ), name="spans.json")  # fmt: skip
    assert told(log.only) == ["read memory: port ['The port is 8443.', 'Other.']", "write span: Port 8443. []"]
    assert [(item.id, item.rank, item.score) for item in log.only.entries[0].items] == [("m1", 1, 0.9), ("m2", 2, None)]
    assert log.tally.aside["other spans"] == 1


def test_a_sub_agent_stands_apart(read):
    inner = {"gen_ai__operation__name": "invoke_agent", "gen_ai__agent__name": "helper"}
    log = read(request(
        *WHOLE, span(10, 21, 1, **inner),
        chat(11, 22, [text("user", "helper, search")], [text("assistant", "found")], 10),
    ), name="spans.json")  # fmt: skip
    assert told(log.only) == TALK
    assert [(side.id, told(side)) for side in log.only.sidechains] == [
        ("helper", ["user: helper, search", "agent: found"])
    ]


def test_an_agent_span_is_read_where_no_call_of_a_model_is(read):
    log = read(request(span(1, 0, **AGENT, gen_ai__input__messages=[text("user", "Hi")],
                            gen_ai__output__messages=[text("assistant", "Hello")])), name="spans.json")  # fmt: skip
    assert told(log.only) == ["user: Hi", "agent: Hello"]


def test_older_forms_of_messages(read):
    events = (
        ("gen_ai.system.message", {"content": "Be kind."}),
        ("gen_ai.user.message", {"gen_ai.event.content": '{"content": "Where?"}'}),
        ("gen_ai.choice", {"message": '{"content": "There.", "role": "assistant"}'}),
    )
    numbered = {"gen_ai__prompt__10__role": "user", "gen_ai__prompt__10__content": "last",
                "gen_ai__prompt__9__role": "user", "gen_ai__prompt__9__content": "first",
                "gen_ai__completion__0__role": "assistant", "gen_ai__completion__0__content": "ok"}  # fmt: skip
    operation = {"gen_ai__operation__name": "chat"}
    log = read(request(span(1, 0, events=events, **operation)), name="spans.json")
    assert told(log.only) == ["system: Be kind.", "user: Where?", "agent: There."]
    assert told(read(request(span(1, 0, **operation, **numbered)), name="s.json").only) == [
        "user: first", "user: last", "agent: ok",
    ]  # fmt: skip
    detail = (("gen_ai.client.inference.operation.details", {"gen_ai.input.messages": json.dumps([text("user", "Hi")]),
               "gen_ai.system_instructions": '[{"type": "text", "content": "Be brief."}]'}),)  # fmt: skip
    assert told(read(request(span(1, 0, events=detail, **operation)), name="s.json").only) == [
        "system: Be brief.", "user: Hi",
    ]  # fmt: skip


def test_a_span_a_line_as_the_console_exporter_writes_it(read):
    one = {"name": "chat", "context": {"trace_id": "0x" + TRACE, "span_id": "0x" + "1" * 16}, "parent_id": None,
           "start_time": "2026-01-01T00:00:00.000000Z", "status": {"status_code": "UNSET"},
           "attributes": {"gen_ai.operation.name": "chat", "user.id": "ada",
                          "gen_ai.input.messages": json.dumps([text("user", "Hi")])}}  # fmt: skip
    log = read(lines(one))
    assert (log.only.id, log.only.user, told(log.only)) == (TRACE, "ada", ["user: Hi"])


# --- OpenInference


def message(part, number, role, content=None, **more):
    """Flattened attributes of one message."""
    prefix = f"llm__{part}_messages__{number}__message__"
    return {f"{prefix}role": role, **({f"{prefix}content": content} if content else {}),
            **{prefix + key: value for key, value in more.items()}}  # fmt: skip


def llm(id_, start, asked, answered, **more):
    found = {"openinference__span__kind": "LLM", "llm__model_name": "some-model", "llm__token_count__prompt": 4, **more}
    for part, listed in (("input", asked), ("output", answered)):
        for number, (role, content, extra) in enumerate(listed):
            found |= message(part, number, role, content, **extra)
    return span(id_, start, **found)


ASKED = {"tool_calls__0__tool_call__id": "c1", "tool_calls__0__tool_call__function__name": "look",
         "tool_calls__0__tool_call__function__arguments": '{"n": 1}'}  # fmt: skip
IDS = {"session__id": "s-1", "user__id": "ada"}


def test_flattened_messages_and_ids_of_the_trace(read):
    log = read(request(
        span(1, 0, openinference__span__kind="AGENT", input__value="Where?", output__value="There."),
        llm(2, 10, [("user", "Where?", {})], [("assistant", None, ASKED)], **IDS),
        span(3, 20, name="look", openinference__span__kind="TOOL", tool__name="look", input__value='{"n": 1}',
             output__value="here"),
        llm(4, 30, [("user", "Where?", {}), ("assistant", None, ASKED), ("tool", "here", {"tool_call_id": "c1"})],
            [("assistant", "There.", {})]),
    ), name="spans.json")  # fmt: skip
    assert (log.format, log.only.id, log.only.user) == ("openinference", "s-1", "ada")
    assert told(log.only) == TALK
    assert log.only.usage.input_tokens == 8


def test_ten_stands_after_nine(read):
    asked = [("user" if number % 2 == 0 else "assistant", f"turn {number}", {}) for number in range(12)]
    log = read(request(llm(1, 0, asked, [])), name="spans.json")
    assert [entry.text for entry in log.only.said()] == [f"turn {number}" for number in range(12)]


def test_a_retriever_is_a_read(read):
    log = read(request(span(
        1, 0, name="memory_search", openinference__span__kind="RETRIEVER", input__value="port",
        retrieval__documents__0__document__content="8443", retrieval__documents__0__document__id="m1",
        retrieval__documents__1__document__content="other",
    )), name="spans.json")  # fmt: skip
    assert told(log.only) == ["read memory_search: port ['8443', 'other']"]
    assert log.only.entries[0].items[0].id == "m1"


def test_contents_of_several_parts(read):
    prefix = "llm__input_messages__0__message__"
    parts = {prefix + "role": "user", prefix + "contents__0__message_content__type": "text",
             prefix + "contents__0__message_content__text": "What is it?",
             prefix + "contents__1__message_content__type": "image"}  # fmt: skip
    log = read(request(span(1, 0, openinference__span__kind="LLM", **parts)), name="spans.json")
    assert told(log.only) == ["user: What is it?\n[image]"]


def test_a_trace_without_a_call_of_a_model_is_told_by_its_edges(read):
    log = read(request(
        span(1, 0, openinference__span__kind="CHAIN", input__value='{"question": "Where?"}', output__value="There."),
        span(2, 1, parent=1, openinference__span__kind="EMBEDDING", input__value="Where?"),
    ), name="spans.json")  # fmt: skip
    assert told(log.only) == ["user: Where?", "agent: There."]
    assert log.tally.aside == {"embedding spans": 1}


def test_a_call_by_its_values_only(read):
    body = {"messages": [{"role": "user", "content": "Where?"}]}
    answer = {"choices": [{"message": {"role": "assistant", "content": "There."}}]}
    log = read(request(
        span(1, 0, openinference__span__kind="LLM", input__value=json.dumps(body), output__value=json.dumps(answer)),
        span(2, 1, openinference__span__kind="LLM"),
    ), name="spans.json")  # fmt: skip
    assert told(log.only) == ["user: Where?", "agent: There."]
    assert log.tally.aside["calls without content"] == 1


def test_rows_of_phoenix_with_prefix_or_nested(read):
    nested = {"openinference": {"span": {"kind": "LLM"}}, "session": {"id": "s-1"},
              "llm": {"input_messages": [{"message": {"role": "user", "content": "Hi"}}]}}  # fmt: skip
    row = {
        "name": "x",
        "context.trace_id": TRACE,
        "context.span_id": "1" * 16,
        "start_time": "2026-01-01T00:00:00+00:00",
    }
    prefixed = {"attributes.openinference.span.kind": "LLM", "attributes.session.id": "s-1",
                "attributes.llm.input_messages": [{"message.role": "user", "message.content": "Hi"}]}  # fmt: skip
    for one in ({**row, "attributes": nested}, {**row, **prefixed}):
        log = read(lines(one))
        assert (log.only.id, told(log.only)) == ("s-1", ["user: Hi"])


def test_two_users_of_one_session_are_two_sessions(read):
    both = [
        llm(n, n, [("user", f"I am {name}", {})], [], session__id="s", user__id=name)
        for n, name in ((1, "a"), (2, "b"))
    ]
    both[1]["traceId"] = "c" * 32
    log = read(request(*both), name="spans.json")
    assert [(session.id, session.user) for session in log.sessions] == [("s", "a"), ("s", "b")]
