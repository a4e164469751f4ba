"""The OpenInference conventions."""

import json

import pytest

from foldproof.logs import MemoryItem, ToolCall, Usage

LLM = {"openinference.span.kind": "LLM"}


def test_a_call_of_a_model(read, otlp):
    attributes = {
        **LLM,
        "llm.model_name": "m-1",
        "llm.invocation_parameters": '{"stream": true}',
        "llm.token_count.prompt": 30,
        "llm.token_count.completion": 4,
        "llm.input_messages.10.message.role": "user",
        "llm.input_messages.10.message.content": "last",
        "llm.input_messages.0.message.role": "system",
        "llm.input_messages.0.message.contents.0.message_content.type": "text",
        "llm.input_messages.0.message.contents.0.message_content.text": "Be kind.",
        "llm.input_messages.0.message.contents.1.message_content.type": "image",
        "llm.input_messages.2.message.role": "assistant",
        "llm.input_messages.2.message.tool_calls.0.tool_call.function.name": "look",
        "llm.input_messages.2.message.tool_calls.0.tool_call.function.arguments": '{"order": 4021}',
        "llm.input_messages.3.message.role": "tool",
        "llm.input_messages.3.message.content": "shipped",
        "llm.input_messages.4.message.role": "assistant",
        "llm.input_messages.4.message.function_call_name": "old",
        "llm.input_messages.4.message.function_call_arguments_json": '{"a": 1}',
        "llm.output_messages.0.message.role": "assistant",
        "llm.output_messages.0.message.content": "fine",
        "llm.output_messages.0.message.tool_calls.0.tool_call.id": "c1",
        "llm.output_messages.0.message.tool_calls.0.tool_call.function.name": "look",
        "llm.output_messages.0.message.tool_calls.0.tool_call.function.arguments": '{"order": 7}',
        "llm.tools.0.tool.json_schema": json.dumps({"function": {"name": "look", "description": "Looks up"}}),
    }
    seen = read(otlp(1, attributes))
    (call,) = seen.calls
    assert call.prompt == (
        '[system]\nBe kind.\n[image]\n\n[assistant]\nlook({"order": 4021})\n\n[tool]\nshipped\n\n[assistant]\n'
        'old({"a": 1})\n\n[user]\nlast\n\n[tools]\nlook: Looks up'
    )
    assert (call.answer, call.tool_calls) == ("fine", (ToolCall("look", {"order": 7}),))
    assert (call.model_name, call.usage, call.stream, call.api) == ("m-1", Usage(30, 4), True, "chat")
    assert seen.notes == ()


def test_text_completions(read, otlp):
    attributes = {**LLM, "llm.prompts.0.prompt.text": "Once upon", "llm.choices.0.completion.text": " a time"}
    (call,) = read(otlp(1, attributes)).calls
    assert (call.prompt, call.answer) == ("[user]\nOnce upon", " a time")


@pytest.mark.parametrize(
    ("value", "prompt"),
    [
        ("hello", "[user]\nhello"),
        ('{"messages": [{"role": "system", "content": "Be kind."}, {"role": "user", "content": "hello"}]}',
         "[system]\nBe kind.\n\n[user]\nhello"),
        ('{"system": "Be kind.", "messages": [{"role": "user", "content": [{"type": "text", "text": "hello"}]}]}',
         "[system]\nBe kind.\n\n[user]\nhello"),
        ('{"question": "hello"}', '[user]\n{"question": "hello"}'),
    ],
)  # fmt: skip
def test_the_input_as_one_value(read, otlp, value, prompt):
    (call,) = read(otlp(1, {**LLM, "input.value": value, "output.value": "fine"})).calls
    assert (call.prompt, call.answer) == (prompt, "fine")


def test_messages_that_the_exporter_dropped_are_not_believed(read, otlp):
    flat = {**LLM, "llm.input_messages.3.message.role": "user", "llm.input_messages.3.message.content": "the last one"}
    seen = read(otlp(1, flat, droppedAttributesCount=6))
    assert [call.prompt for call in seen.calls] == [""]
    assert "show messages that were cut" in seen.notes[0]
    whole = {**flat, "input.value": '{"messages": [{"role": "user", "content": "the first one"}]}'}
    assert [call.prompt for call in read(otlp(1, whole, droppedAttributesCount=6)).calls] == ["[user]\nthe first one"]
    assert [call.prompt for call in read(otlp(1, flat)).calls] == ["[user]\nthe last one"]


@pytest.mark.parametrize(
    "attributes",
    [
        {"llm.input_messages.0.message.role": "user", "llm.input_messages.0.message.content": "__REDACTED__"},
        {"input.value": "__REDACTED__", "output.value": "__REDACTED__"},
        {"llm.input_messages.0.message.role": "user"},
        {},
    ],
)
def test_hidden_contents_are_unknown(read, otlp, attributes):
    seen = read(otlp(1, {**LLM, **attributes}))
    assert [(call.prompt, call.answer) for call in seen.calls] == [("", "")]
    assert "show no messages" in seen.notes[0]


def test_documents_in_their_order(read, otlp):
    attributes = {
        "openinference.span.kind": "retriever",
        "retrieval.documents.10.document.content": "eleventh",
        "retrieval.documents.0.document.content": "first",
        "retrieval.documents.0.document.id": 17,
        "retrieval.documents.0.document.score": 0.75,
        "retrieval.documents.0.document.metadata": '{"type": "event"}',
        "retrieval.documents.2.document.content": "third",
    }
    seen = read(otlp(1, attributes))
    assert seen.memory_reads == (
        MemoryItem("first", "17", "event", 1, 0.75),
        MemoryItem("third", rank=2),
        MemoryItem("eleventh", rank=3),
    )


@pytest.mark.parametrize(
    "attributes",
    [
        {"output.value": "[]"},
        {"output.value": '{"documents": []}'},
        {"output.value": "{}"},
        {"retrieval.documents": []},
    ],
)
def test_a_retrieval_that_says_it_found_nothing(read, retriever, attributes):
    seen = read(retriever(1, attributes=attributes))
    assert (seen.memory_reads, seen.notes) == ((), ())


@pytest.mark.parametrize(
    "attributes",
    [
        {},
        {"output.value": "__REDACTED__"},
        {"output.value": "some text"},
        {"retrieval.documents.0.document.id": "d1"},
        {"retrieval.documents.0.document.content": "__REDACTED__"},
        {"retrieval.documents.0.document.content": ""},
    ],
)
def test_a_retrieval_that_does_not_show_its_documents(read, retriever, attributes):
    seen = read(retriever(1, attributes=attributes))
    assert seen.memory_reads is None
    assert "do not show the texts" in seen.notes[0]


def test_dropped_attributes_may_have_been_documents(read, retriever):
    assert read(retriever(1, ["one"], droppedAttributesCount=1)).memory_reads is None
    assert read(retriever(1, attributes={"output.value": "[]"}, droppedAttributesCount=1)).memory_reads is None
    assert read(retriever(1, ["one"])).memory_reads == (MemoryItem("one", rank=1),)


def test_what_a_reranker_gives(read, otlp):
    attributes = {
        "openinference.span.kind": "RERANKER",
        "reranker.input_documents.0.document.content": "worst",
        "reranker.output_documents.0.document.content": "best",
    }
    assert read(otlp(1, attributes)).memory_reads == (
        MemoryItem("best", rank=1),
        MemoryItem("worst", rank=2, dropped="passed over by the reranker"),
    )


@pytest.fixture
def reranker(otlp):
    """A reranker: what it gave, and where they are told the documents that it was given."""

    def make(number, texts, among=(), **more):
        attributes = {"openinference.span.kind": "RERANKER"}
        for side, documents in (("output", texts), ("input", among)):
            for place, text in enumerate(documents):
                attributes[f"reranker.{side}_documents.{place}.document.content"] = text
        return otlp(number, attributes, **more)

    return make


def reads(seen):
    return [(item.rank, item.text, item.dropped) for item in seen.memory_reads]


PASSED = "passed over by the reranker"


def test_of_what_a_retriever_found_the_reranker_gives(read, retriever, reranker):
    seen = read(retriever(1, ["no NSAIDs", "dog Rex", "tea"]), reranker(2, ["tea", "dog Rex"]))
    assert reads(seen) == [(1, "tea", ""), (2, "dog Rex", ""), (3, "no NSAIDs", PASSED)]
    assert seen.notes == ()


def test_a_reranker_takes_from_all_retrievers_before_it_and_from_none_after(read, retriever, reranker):
    seen = read(
        retriever(1, ["a", "b"]), retriever(2, ["b", "c"]), reranker(3, ["c"]), retriever(4, ["a", "d"]),
    )  # fmt: skip
    assert reads(seen) == [(1, "c", ""), (2, "a", PASSED), (3, "b", PASSED), (1, "a", ""), (2, "d", "")]
    assert seen.notes == ("2 retrievals, one after the other; each has ranks of its own",)


def test_a_reranker_that_shows_what_it_was_given_takes_from_no_other_retriever(read, retriever, reranker):
    seen = read(retriever(1, ["a", "b"]), retriever(2, ["c", "d", "e"]), reranker(3, ["d"], among=["c", "d", "x"]))
    missed = [(2, "c", PASSED), (3, "e", "not handed to the reranker"), (4, "x", PASSED)]
    assert reads(seen) == [(1, "a", ""), (2, "b", ""), (1, "d", ""), *missed]


def test_one_reranker_after_the_other(read, retriever, reranker):
    seen = read(retriever(1, ["a", "b", "c"]), reranker(2, ["c", "b"]), reranker(3, ["b"]))
    assert reads(seen) == [(1, "b", ""), (2, "c", PASSED), (3, "a", PASSED)]


def test_a_search_of_a_memory_beside_a_reranker_was_given(read, otlp, retriever, reranker):
    memory = {"gen_ai.operation.name": "search_memory", "gen_ai.memory.records": '[{"content": "no NSAIDs"}]'}
    beside = read(otlp(1, memory), retriever(2, ["dog Rex", "tea"]), reranker(3, ["tea"]))
    assert reads(beside) == [(1, "no NSAIDs", ""), (1, "tea", ""), (2, "dog Rex", PASSED)]
    through = read(otlp(1, memory), reranker(2, ["tea"], among=["no NSAIDs", "tea"]))
    assert reads(through) == [(1, "tea", ""), (2, "no NSAIDs", PASSED)]


def test_a_reranker_that_failed_or_shows_nothing(read, retriever, reranker):
    found = retriever(1, ["a", "b"])
    failed = read(found, reranker(2, ["b"], status={"code": 2, "message": "no GPU"}))
    assert reads(failed) == [(1, "a", ""), (2, "b", "")]
    assert failed.notes == ("a retrieval failed: no GPU",)
    assert read(found, reranker(2, [])).memory_reads is None


def test_what_a_hidden_retriever_found_is_not_needed_to_know_what_the_reranker_gave(read, retriever, reranker):
    seen = read(retriever(1), reranker(2, ["tea"]))
    assert reads(seen) == [(1, "tea", "")]
    assert seen.notes[0].startswith("1 of 2 retrieval spans do not show the texts")


@pytest.mark.parametrize("kind", ["EMBEDDING", "CHAIN", "AGENT", "GUARDRAIL", "PROMPT"])
def test_other_kinds_are_not_read(read, otlp, kind):
    seen = read(otlp(1, {"openinference.span.kind": kind, "input.value": "hello", "tool.name": "x"}))
    assert (seen.calls, seen.memory_reads) == ((), None)


def test_a_tool_at_work(read, otlp):
    tool = {"openinference.span.kind": "TOOL", "tool.name": "look"}
    seen = read(
        otlp(1, {**tool, "input.value": '{"order": 1}', "tool.parameters": '{"order": "int"}'}),
        otlp(2, {**tool, "tool.parameters": '{"order": 2}'}),
        otlp(3, {**tool, "input.value": "order 3"}),
        otlp(4, {**tool, "input.value": "__REDACTED__"}),
        otlp(5, {"openinference.span.kind": "TOOL", "input.value": "nameless"}),
    )
    assert [call.tool_calls for call in seen.calls] == [
        (ToolCall("look", {"order": 1}),),
        (ToolCall("look", {"order": 2}),),
        (ToolCall("look", {"_raw": "order 3"}),),
        (ToolCall("look", {}),),
    ]
    assert {(call.api, call.prompt) for call in seen.calls} == {("execute_tool", "")}


def test_a_span_of_both_conventions_is_read_by_the_one_that_shows_it(read, chat):
    seen = read(chat(1, "hello", attributes=LLM))
    assert [(call.prompt, call.answer) for call in seen.calls] == [("[user]\nhello", "fine")]
    assert seen.notes == ()
