"""The GenAI conventions, from today's back to those that instrumentations in use still write."""

import json

import pytest

from foldproof.logs import MemoryItem, ToolCall, Usage


def text(content):
    return [{"type": "text", "content": content}]


def test_todays_messages(read, otlp):
    messages = [
        {"role": "user", "parts": text("Where is order 4021?")},
        {
            "role": "assistant",
            "parts": [{"type": "tool_call", "id": "c1", "name": "look", "arguments": {"order": 4021}}],
        },
        {"role": "tool", "parts": [{"type": "tool_call_response", "id": "c1", "response": {"state": "shipped"}}]},
        {"role": "user", "parts": [*text("And this?"), {"type": "blob", "modality": "image", "content": "AAAA"}]},
    ]
    answer = [
        {"role": "assistant", "parts": [{"type": "reasoning", "content": "Easy."}, *text("On its way.")]},
    ]
    attributes = {
        "gen_ai.operation.name": "chat",
        "gen_ai.request.model": "m-1",
        "gen_ai.response.model": "m-1-2026",
        "gen_ai.request.stream": True,
        "gen_ai.usage.input_tokens": 30,
        "gen_ai.usage.output_tokens": 4,
        "gen_ai.system_instructions": json.dumps(text("Be kind.")),
        "gen_ai.input.messages": json.dumps(messages),
        "gen_ai.output.messages": json.dumps(answer),
        "gen_ai.tool.definitions": json.dumps([{"type": "function", "name": "look", "description": "Looks up"}]),
    }
    seen = read(otlp(1, attributes))
    (call,) = seen.calls
    assert call.prompt == (
        "[system]\nBe kind.\n\n[user]\nWhere is order 4021?\n\n[assistant]\n"
        'look({"order": 4021})\n\n[tool]\n{"state": "shipped"}\n\n[user]\nAnd this?\n[image]\n\n[tools]\nlook: Looks up'
    )
    assert call.answer == "Easy.\nOn its way."
    assert (call.model_name, call.api, call.stream, call.duration_s) == ("m-1-2026", "chat", True, 0.5)
    assert call.usage == Usage(30, 4)
    assert (seen.memory_reads, seen.memory_writes, seen.notes) == (None, None, ())


def test_messages_may_be_structured_and_not_text(read, otlp):
    attributes = {
        "gen_ai.operation.name": "generate_content",
        "gen_ai.input.messages": [{"role": "user", "parts": text("hello")}],
        "gen_ai.output.messages": [{"role": "assistant", "parts": text("fine")}],
    }
    (call,) = read(otlp(1, attributes)).calls
    assert (call.prompt, call.answer, call.api) == ("[user]\nhello", "fine", "generate_content")


@pytest.mark.parametrize("as_logs", [True, False])
def test_the_events_of_1_36(read, otlp, log_request, as_logs):
    made = [{"id": "c1", "type": "function", "function": {"name": "look", "arguments": '{"order": 4021}'}}]
    told = [
        ("gen_ai.system.message", {"content": "Be kind."}),
        ("gen_ai.user.message", {"content": "Where is it?"}),
        ("gen_ai.assistant.message", {"tool_calls": made}),
        ("gen_ai.tool.message", {"id": "c1", "content": "shipped"}),
        ("gen_ai.choice", {"index": 0, "finish_reason": "stop", "message": {"content": "On its way."}}),
    ]
    attributes = {"gen_ai.operation.name": "chat", "gen_ai.usage.prompt_tokens": 9, "gen_ai.usage.completion_tokens": 2}
    if as_logs:
        seen = read(otlp(1, attributes), logs=[log_request(*((1, name, {}, body) for name, body in told))])
    else:
        events = [(name, {key: v if isinstance(v, str | int) else json.dumps(v) for key, v in said.items()})
                  for name, said in told]  # fmt: skip
        seen = read(otlp(1, attributes, events=events))
    (call,) = seen.calls
    assert call.prompt == (
        '[system]\nBe kind.\n\n[user]\nWhere is it?\n\n[assistant]\nlook({"order": 4021})\n\n[tool]\nshipped'
    )
    assert (call.answer, call.usage) == ("On its way.", Usage(9, 2))


def test_an_event_may_hold_its_message_in_one_attribute(read, otlp):
    events = [
        ("gen_ai.user.message", {"gen_ai.event.content": json.dumps({"role": "user", "content": "hello"})}),
        ("gen_ai.choice", {"gen_ai.event.content": json.dumps({"message": {"content": "fine"}})}),
    ]
    (call,) = read(otlp(1, {"gen_ai.operation.name": "chat"}, events=events)).calls
    assert (call.prompt, call.answer) == ("[user]\nhello", "fine")


def test_the_details_may_come_as_a_log_record(read, otlp, log_request):
    details = {"gen_ai.operation.name": "chat", "gen_ai.input.messages": [{"role": "user", "parts": text("hello")}]}
    record = (1, "gen_ai.client.inference.operation.details", details, None)
    with_span = read(
        otlp(1, {"gen_ai.operation.name": "chat", "gen_ai.request.model": "m"}), logs=[log_request(record)]
    )
    assert [(call.prompt, call.model_name) for call in with_span.calls] == [("[user]\nhello", "m")]
    alone = read(logs=[log_request(record)])
    assert [(call.prompt, call.model_name) for call in alone.calls] == [("[user]\nhello", "")]


def test_other_log_records_are_left_out(read, log_request):
    assert read(logs=[log_request((1, "http.request", {"gen_ai.operation.name": "chat"}, "secret"))]).calls == ()


def test_the_indexed_attributes(read, otlp):
    attributes = {
        "llm.request.type": "chat",
        "llm.is_streaming": True,
        "gen_ai.prompt.10.role": "user",
        "gen_ai.prompt.10.content": "last",
        "gen_ai.prompt.9.role": "assistant",
        "gen_ai.prompt.9.tool_calls.0.name": "look",
        "gen_ai.prompt.9.tool_calls.0.arguments": '{"order": 4021}',
        "gen_ai.prompt.0.role": "system",
        "gen_ai.prompt.0.content": json.dumps([{"type": "text", "text": "Be kind."}]),
        "llm.request.functions.0.name": "look",
        "llm.request.functions.0.description": "Looks up",
        "gen_ai.completion.0.role": "assistant",
        "gen_ai.completion.0.content": "fine",
        "gen_ai.completion.0.tool_calls.0.id": "c2",
        "gen_ai.completion.0.tool_calls.0.name": "look",
        "gen_ai.completion.0.tool_calls.0.arguments": '{"order": 7}',
    }
    (call,) = read(otlp(1, attributes)).calls
    assert call.prompt == (
        '[system]\nBe kind.\n\n[assistant]\nlook({"order": 4021})\n\n[user]\nlast\n\n[tools]\nlook: Looks up'
    )
    assert (call.answer, call.tool_calls, call.stream) == ("fine", (ToolCall("look", {"order": 7}),), True)


def test_the_oldest_spelling(read, otlp):
    events = [
        ("gen_ai.content.prompt", {"gen_ai.prompt": json.dumps([{"role": "user", "content": "hello"}])}),
        ("gen_ai.content.completion", {"gen_ai.completion": "fine"}),
    ]
    (call,) = read(otlp(1, {"gen_ai.operation.name": "text_completion"}, events=events)).calls
    assert (call.prompt, call.answer) == ("[user]\nhello", "fine")
    (call,) = read(otlp(1, {"gen_ai.prompt": "hello", "gen_ai.completion": "fine"})).calls
    assert (call.prompt, call.answer, call.api) == ("[user]\nhello", "fine", "chat")


@pytest.mark.parametrize("operation", ["embeddings", "invoke_agent", "create_agent", "plan", "something_new"])
def test_other_operations_are_no_call_of_a_model(read, otlp, operation):
    attributes = {
        "gen_ai.operation.name": operation,
        "gen_ai.input.messages": json.dumps([{"role": "user", "parts": text("x")}]),
    }
    seen = read(otlp(1, attributes))
    assert seen.calls == ()
    assert seen.notes == ("1 spans came, none of them in the GenAI or the OpenInference conventions",)


def test_a_call_without_its_messages_is_told(read, otlp):
    seen = read(otlp(1, {"gen_ai.operation.name": "chat", "gen_ai.request.model": "m-1"}))
    assert [(call.prompt, call.model_name) for call in seen.calls] == [("", "m-1")]
    assert seen.notes[0].startswith("1 of 1 model calls show no messages: turn the capture of contents on")


@pytest.mark.parametrize(
    ("attributes", "more", "told"),
    [
        ({"gen_ai.input.messages": '[{"role": "user", "parts": [{"type": "te'}, {}, "messages that were cut"),
        ({"gen_ai.system_instructions": '[{"type": "te'}, {}, "messages that were cut"),
        ({}, {"droppedAttributesCount": 3}, "messages that were cut"),
        ({"gen_ai.input.messages": '[{"role": "user", "parts": []}]'}, {}, "no messages"),
        (
            {"gen_ai.system_instructions": '[{"type":"text","content":"Be kind."}]',
             "gen_ai.input.messages": '[{"role": "user", "parts": []}]'},
            {},
            "messages without their text",
        ),
    ],
)  # fmt: skip
def test_a_prompt_that_is_not_whole_is_no_prompt(read, chat, attributes, more, told):
    seen = read(chat(1, "the visible part", attributes=attributes, **more), chat(2, "a whole one"))
    assert [call.prompt for call in seen.calls] == ["", ""]
    assert seen.notes[0].startswith(f"1 of 2 model calls show {told}: ")
    assert seen.notes[0].endswith(
        "the other prompts are left out too, since what is missing in them would prove nothing"
    )


def test_an_assistant_may_say_nothing(read, otlp):
    messages = [{"role": "assistant", "parts": []}, {"role": "user", "parts": text("hello")}]
    seen = read(otlp(1, {"gen_ai.operation.name": "chat", "gen_ai.input.messages": json.dumps(messages)}))
    assert [call.prompt for call in seen.calls] == ["[assistant]\n\n[user]\nhello"]
    assert seen.notes == ()


def test_an_answer_that_was_cut_is_no_answer(read, chat):
    (call,) = read(chat(1, attributes={"gen_ai.output.messages": '[{"role": "assistant", "par'})).calls
    assert (call.prompt, call.answer) == ("[user]\nhello", "")


def test_a_failed_call(read, chat, otlp):
    status = {"code": "STATUS_CODE_ERROR", "message": "rate limit"}
    (call,) = read(chat(1, status=status, attributes={"error.type": "429"})).calls
    assert (call.error, call.status, call.prompt) == ("rate limit", 429, "[user]\nhello")
    seen = read(otlp(1, {"gen_ai.operation.name": "chat", "error.type": "TimeoutError"}, status={"code": 2}))
    assert [(call.error, call.status) for call in seen.calls] == [("TimeoutError", 0)]
    assert seen.notes == (), "a call that failed needs no messages"
    events = [("exception", {"exception.type": "E", "exception.message": "went away"})]
    (call,) = read(otlp(1, {"gen_ai.operation.name": "chat"}, events=events, status={"code": 2})).calls
    assert call.error == "went away"
    (call,) = read(chat(1, status={"code": "STATUS_CODE_OK"})).calls
    assert (call.error, call.status) == ("", 200)


def test_a_memory_is_searched_and_written(read, otlp):
    found = [
        {"content": "prefers tea", "id": "m1", "score": 0.9, "metadata": {"kind": "preference"}},
        {"content": {"city": "Oslo"}, "id": 7},
    ]
    seen = read(
        otlp(1, {"gen_ai.operation.name": "search_memory", "gen_ai.memory.records": json.dumps(found)}),
        otlp(2, {"gen_ai.operation.name": "upsert_memory", "gen_ai.memory.records": [{"content": "likes rain"}]}),
        otlp(3, {"gen_ai.operation.name": "delete_memory", "gen_ai.memory.record.id": "m1"}),
    )
    assert seen.memory_reads == (
        MemoryItem("prefers tea", "m1", "preference", 1, 0.9),
        MemoryItem('{"city": "Oslo"}', "7", "", 2),
    )
    assert seen.memory_writes == (MemoryItem("likes rain"),)


def test_documents_of_a_retrieval(read, otlp):
    documents = [{"id": "d1", "score": 0.5, "content": "one"}, {"id": "d2", "score": float("inf"), "text": "two"}]
    seen = read(otlp(1, {"gen_ai.operation.name": "retrieval", "gen_ai.retrieval.documents": json.dumps(documents)}))
    assert seen.memory_reads == (MemoryItem("one", "d1", "", 1, 0.5), MemoryItem("two", "d2", "", 2))


@pytest.mark.parametrize(
    "attributes",
    [
        {},
        {"gen_ai.retrieval.documents": json.dumps([{"id": "d1", "score": 0.5}])},
        {"gen_ai.retrieval.documents": json.dumps([{"id": "d1", "content": "one"}, {"id": "d2"}])},
        {"gen_ai.memory.records": "[{"},
        {"gen_ai.memory.record.count": 2},
    ],
)
def test_a_retrieval_whose_texts_are_not_shown_is_unknown(read, otlp, attributes):
    seen = read(otlp(1, {"gen_ai.operation.name": "retrieval", **attributes}))
    assert seen.memory_reads is None
    assert seen.notes[0].startswith("1 of 1 retrieval spans do not show the texts: ")


@pytest.mark.parametrize(
    "attributes",
    [{"gen_ai.retrieval.documents": "[]"}, {"gen_ai.memory.records": []}, {"gen_ai.memory.record.count": 0}],
)
def test_a_retrieval_that_found_nothing_shows_it(read, otlp, attributes):
    seen = read(otlp(1, {"gen_ai.operation.name": "search_memory", **attributes}))
    assert (seen.memory_reads, seen.notes) == ((), ())


def test_a_write_of_nothing_and_one_that_is_not_shown(read, otlp):
    name = {"gen_ai.operation.name": "create_memory"}
    assert read(otlp(1, {**name, "gen_ai.memory.record.count": 0})).memory_writes == ()
    seen = read(otlp(1, {**name, "gen_ai.memory.record.count": 3}))
    assert seen.memory_writes is None
    assert seen.notes[0].startswith("1 of 1 memory write spans do not show the texts")
