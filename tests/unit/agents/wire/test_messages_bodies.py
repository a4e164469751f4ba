"""The Messages API: blocks in, blocks out, and a stream of their pieces."""

import pytest

from foldproof.agents.wire.messages import prompt_of, said_in, said_in_stream
from foldproof.agents.wire.sse import Event
from foldproof.logs import ToolCall, Usage


def test_a_prompt_has_all_text_in_its_order():
    body = {
        "system": [{"type": "text", "text": "Be kind.", "cache_control": {}}, {"type": "text", "text": "Be brief."}],
        "messages": [
            {"role": "user", "content": "Tea?"},
            {
                "role": "assistant",
                "content": [
                    {"type": "thinking", "thinking": "hm", "signature": "s"},
                    {"type": "redacted_thinking", "data": "x"},
                    {"type": "text", "text": "I look."},
                    {"type": "tool_use", "id": "u1", "name": "search", "input": {"q": "té"}},
                ],
            },
            {
                "role": "user",
                "content": [
                    {"type": "tool_result", "tool_use_id": "u1", "content": "green"},
                    {"type": "tool_result", "tool_use_id": "u2", "content": [{"type": "text", "text": "black"}]},
                    {"type": "text", "text": "Well?"},
                    {"type": "image", "source": {"type": "base64", "data": "AAAA"}},
                    {"type": "document", "source": {"type": "text", "data": "the whole paper"}},
                    {"type": "document", "source": {"type": "base64", "data": "AAAA"}},
                ],
            },
            {
                "role": "user",
                "content": [{"type": "text", "text": "First,"}, {"type": "tool_result", "content": "late"}],
            },
            {"role": "user", "content": []},
        ],
        "tools": [{"name": "search", "description": "Looks up.", "input_schema": {}}, {"type": "bash_20250124"}],
    }
    assert prompt_of(body) == (
        "[system]\nBe kind.\nBe brief.\n\n[user]\nTea?\n\n"
        '[assistant]\nhm\n[redacted_thinking]\nI look.\nsearch({"q": "té"})\n\n'
        "[tool u1]\ngreen\n\n[tool u2]\nblack\n\n[user]\nWell?\n[image]\nthe whole paper\n[document]\n\n"
        "[user]\nFirst,\n\n[tool]\nlate\n\n[user]\n\n[tools]\nsearch: Looks up.\nbash_20250124"
    )
    assert prompt_of({"system": "Short.", "messages": []}) == "[system]\nShort."


def test_a_whole_answer():
    said = said_in(
        {
            "type": "message",
            "model": "c-1",
            "content": [
                {"type": "thinking", "thinking": "hm"},
                {"type": "text", "text": "Te"},
                {"type": "text", "text": "a"},
                {"type": "tool_use", "id": "u1", "name": "search", "input": {"q": 1}},
            ],
            "usage": {"input_tokens": 3, "cache_read_input_tokens": 100, "output_tokens": 4},
        }
    )
    assert (said.answer, said.model_name, said.usage) == ("Tea", "c-1", Usage(103, 4))
    assert said.tool_calls == (ToolCall("search", {"q": 1}),)
    assert (said.error, said.ended) == ("", True)
    assert said_in({"usage": {"output_tokens": 4}}).usage == Usage(None, 4)
    assert said_in({}).usage is None


def test_an_error():
    assert (
        said_in({"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}}).error == "Overloaded"
    )


def event(kind, **fields):
    return Event(kind, {"type": kind, **fields})


START = [
    event("message_start", message={"model": "c-1", "usage": {"input_tokens": 3, "output_tokens": 1}}),
    event("content_block_start", index=0, content_block={"type": "thinking", "thinking": ""}),
    event("content_block_delta", index=0, delta={"type": "thinking_delta", "thinking": "hm"}),
    event("content_block_stop", index=0),
    event("ping"),
    event("content_block_start", index=1, content_block={"type": "text", "text": ""}),
    event("content_block_delta", index=1, delta={"type": "text_delta", "text": "Te"}),
    event("content_block_start", index=2, content_block={"type": "tool_use", "name": "search", "input": {}}),
    event("content_block_delta", index=2, delta={"type": "input_json_delta", "partial_json": '{"q"'}),
    event("content_block_delta", index=1, delta={"type": "text_delta", "text": "a"}),
    event("content_block_delta", index=2, delta={"type": "input_json_delta", "partial_json": ': "tea"}'}),
    event("content_block_start", index=3, content_block={"type": "tool_use", "name": "now", "input": {}}),
]


def test_a_stream():
    usage = event("message_delta", delta={"stop_reason": "tool_use"}, usage={"output_tokens": 9, "input_tokens": None})
    said = said_in_stream([*START, usage, event("message_stop")])
    assert (said.answer, said.model_name, said.usage, said.ended) == ("Tea", "c-1", Usage(3, 9), True)
    assert said.tool_calls == (ToolCall("search", {"q": "tea"}), ToolCall("now"))


def test_a_stream_that_breaks_off_gives_what_came():
    said = said_in_stream(START[:9])
    assert (said.answer, said.ended, said.error) == ("Te", False, "")
    assert said.tool_calls == (ToolCall("search", {"_raw": '{"q"'}),)
    assert said_in_stream([event("content_block_delta", index=0, delta={"text": "lone"})]).answer == "lone"


@pytest.mark.parametrize(
    ("last", "error"),
    [
        (event("error", error={"type": "overloaded_error", "message": "Overloaded"}), "Overloaded"),
        (event("error"), "the stream holds an error"),
    ],
)
def test_a_stream_that_fails_says_so(last, error):
    said = said_in_stream([*START, last])
    assert (said.answer, said.error, said.ended) == ("Tea", error, True)
