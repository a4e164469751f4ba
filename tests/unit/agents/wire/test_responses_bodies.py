"""The Responses API: items in, items out, and a stream of their pieces."""

import pytest

from foldproof.agents.wire.responses import conversation_of, prompt_of, said_in, said_in_stream
from foldproof.agents.wire.sse import Event
from foldproof.logs import ToolCall, Usage

TEXT = {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "Tea"}]}
CALL = {"type": "function_call", "call_id": "c1", "name": "search", "arguments": '{"q":"tea"}'}
USAGE = {"input_tokens": 3, "output_tokens": 4}


def test_a_text_is_the_users():
    body = {"model": "m", "instructions": "Be kind.", "input": "Tea?", "tools": [{"type": "web_search"}]}
    assert prompt_of(body) == "[system]\nBe kind.\n\n[user]\nTea?\n\n[tools]\nweb_search"
    assert conversation_of(body) == "[user]\nTea?"


def test_items_keep_their_order():
    body = {
        "input": [
            {"role": "developer", "content": "Be brief."},
            {"role": "user", "content": [{"type": "input_text", "text": "See"}, {"type": "input_image"}]},
            {"type": "reasoning", "summary": [{"type": "summary_text", "text": "thinking"}]},
            TEXT,
            CALL,
            {"type": "function_call_output", "call_id": "c1", "output": "found"},
            {"type": "function_call_output", "call_id": "c2", "output": [{"type": "input_text", "text": "part"}]},
            {"type": "item_reference", "id": "i1"},
        ],
        "tools": [{"type": "function", "name": "search", "description": "Looks up."}],
    }
    assert prompt_of(body) == (
        "[developer]\nBe brief.\n\n[user]\nSee\n[image]\n\n[reasoning]\nthinking\n\n[assistant]\nTea\n\n"
        '[assistant]\nsearch({"q":"tea"})\n\n[tool c1]\nfound\n\n[tool c2]\npart\n\n[item_reference]\n\n'
        "[tools]\nsearch: Looks up."
    )


def test_a_whole_answer():
    said = said_in({"model": "m-1", "output": [{"type": "reasoning"}, TEXT, CALL], "usage": USAGE, "error": None})
    assert (said.answer, said.model_name, said.usage, said.error) == ("Tea", "m-1", Usage(3, 4), "")
    assert said.tool_calls == (ToolCall("search", {"q": "tea"}),)


@pytest.mark.parametrize(
    ("body", "answer", "error"),
    [
        ({"output": [{"type": "message", "content": [{"type": "refusal", "refusal": "No."}]}]}, "No.", ""),
        ({"status": "failed", "error": {"message": "overloaded"}}, "", "overloaded"),
        ({"status": "failed"}, "", "the response failed"),
        ({"output": "text"}, "", ""),
    ],
)
def test_other_answers(body, answer, error):
    said = said_in(body)
    assert (said.answer, said.error) == (answer, error)


def test_a_tool_of_the_users_own_kind():
    item = {"type": "custom_tool_call", "name": "shell", "input": "ls"}
    assert said_in({"output": [item]}).tool_calls == (ToolCall("shell", {"_raw": "ls"}),)


def event(kind, **fields):
    return Event(kind, {"type": kind, **fields})


START = [
    event("response.created", response={"id": "r1", "model": "m-1", "output": []}),
    event("response.output_item.added", output_index=0, item={"type": "message", "content": []}),
    event("response.output_text.delta", output_index=0, content_index=0, delta="Te"),
    event("response.output_text.delta", output_index=0, content_index=0, delta="a"),
    event("response.output_item.added", output_index=1, item={**CALL, "arguments": ""}),
    event("response.function_call_arguments.delta", output_index=1, delta='{"q":'),
    event("response.function_call_arguments.delta", output_index=1, delta='"tea"}'),
]


def test_a_stream_ends_with_the_whole_response():
    done = event("response.completed", response={"id": "r1", "model": "m-2", "output": [TEXT, CALL], "usage": USAGE})
    said = said_in_stream([*START, done])
    assert (said.answer, said.model_name, said.usage, said.ended) == ("Tea", "m-2", Usage(3, 4), True)
    assert said.tool_calls == (ToolCall("search", {"q": "tea"}),)


def test_a_stream_that_breaks_off_gives_what_came():
    said = said_in_stream(START)
    assert (said.answer, said.model_name, said.ended, said.error) == ("Tea", "m-1", False, "")
    assert said.tool_calls == (ToolCall("search", {"q": "tea"}),)


def test_servers_that_repeat_nothing_at_the_end():
    items = [
        event("response.output_item.done", output_index=0, item=TEXT),
        event("response.refusal.delta", output_index=1, delta="No."),
    ]
    said = said_in_stream([*items, event("response.completed", response={"usage": USAGE})])
    assert (said.answer, said.usage, said.ended) == ("Tea\nNo.", Usage(3, 4), True)


@pytest.mark.parametrize(
    ("last", "error"),
    [
        (event("error", message="overloaded"), "overloaded"),
        (event("error", error={"message": "overloaded"}), "overloaded"),
        (event("error"), "the stream holds an error"),
        (event("response.failed", response={"status": "failed", "error": {"message": "broke"}}), "broke"),
        (event("response.incomplete", response={"status": "incomplete"}), ""),
    ],
)
def test_a_stream_that_fails_says_so(last, error):
    said = said_in_stream([*START, last])
    assert (said.answer, said.error, said.ended) == ("Tea", error, True)
