"""Chat completions: the prompt in reading order, and the answer, whole or in pieces."""

import pytest

from foldproof.agents.wire.chat import prompt_of, said_in, said_in_stream
from foldproof.agents.wire.sse import Event
from foldproof.logs import ToolCall, Usage

PARTS = [
    {"type": "text", "text": "look"},
    {"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA"}},
    {"type": "input_audio", "input_audio": {"data": "AAAA"}},
    "bare",
]
CALL = {"id": "c1", "type": "function", "function": {"name": "search", "arguments": '{"q":"té"}'}}
TOOLS = [{"type": "function", "function": {"name": "search", "description": "Looks up.", "parameters": {}}},
         {"type": "function", "function": {"name": "stop"}}]  # fmt: skip


def test_a_prompt_has_all_text_in_its_order():
    body = {
        "model": "m",
        "messages": [
            {"role": "system", "content": "Be kind."},
            {"role": "user", "name": "ann", "content": PARTS},
            {"role": "assistant", "content": None, "tool_calls": [CALL, CALL]},
            {"role": "tool", "tool_call_id": "c1", "content": '{"found": 1}'},
            {"role": "assistant", "content": [{"type": "refusal", "refusal": "I will not."}]},
            {"role": "assistant", "content": None, "function_call": {"name": "old", "arguments": "{}"}},
            {"role": "function", "name": "old", "content": "done"},
            {"role": "assistant", "content": None, "refusal": "No."},
        ],
        "tools": TOOLS,
        "functions": [{"name": "old", "description": "Older."}],
    }
    assert prompt_of(body) == (
        "[system]\nBe kind.\n\n"
        "[user ann]\nlook\n[image]\n[input_audio]\nbare\n\n"
        '[assistant]\nsearch({"q":"té"})\nsearch({"q":"té"})\n\n'
        '[tool c1]\n{"found": 1}\n\n'
        "[assistant]\nI will not.\n\n"
        "[assistant]\nold({})\n\n"
        "[function old]\ndone\n\n"
        "[assistant]\nNo.\n\n"
        "[tools]\nsearch: Looks up.\nstop\nold: Older."
    )


def test_the_older_completions_have_one_text():
    assert prompt_of({"prompt": "Once upon"}) == "Once upon"
    assert prompt_of({"prompt": ["Once", "upon"]}) == "Once\nupon"
    assert said_in({"choices": [{"text": " a time"}]}).answer == " a time"
    assert said_in_stream([Event("", {"choices": [{"text": " a"}]}), Event("", "[DONE]")]).answer == " a"


def test_a_whole_answer():
    message = {"role": "assistant", "content": "Hi", "tool_calls": [CALL]}
    usage = {"prompt_tokens": 3, "completion_tokens": 4}
    said = said_in(
        {"model": "m-1", "choices": [{"message": message}, {"message": {"content": "other"}}], "usage": usage}
    )
    assert (said.answer, said.model_name, said.usage) == ("Hi", "m-1", Usage(3, 4))
    assert said.tool_calls == (ToolCall("search", {"q": "té"}),)
    assert (said.error, said.ended) == ("", True)


@pytest.mark.parametrize(
    ("message", "answer", "calls"),
    [
        ({"content": None, "refusal": "No."}, "No.", ()),
        ({"content": [{"type": "text", "text": "parts"}]}, "parts", ()),
        ({"content": None, "function_call": {"name": "f", "arguments": "[1]"}}, "", (ToolCall("f", {"_raw": "[1]"}),)),
        ({"content": 7, "tool_calls": [None, "x"]}, "7", (ToolCall(""), ToolCall(""))),
        ("none", "", ()),
    ],
)
def test_other_shapes_of_an_answer(message, answer, calls):
    said = said_in({"choices": [{"message": message}]})
    assert (said.answer, said.tool_calls) == (answer, calls)


@pytest.mark.parametrize(
    ("body", "error"),
    [
        ({"error": {"message": "no"}}, "no"),
        ({"error": "no"}, "no"),
        ({"error": {"code": 7}}, '{"code": 7}'),
        ({"error": None}, ""),
        ({}, ""),
    ],
)
def test_an_error_in_a_body(body, error):
    assert said_in(body).error == error
    assert said_in_stream([Event("", body)]).error == error


def deltas(*parts, finish="stop"):
    pieces = [Event("", {"model": "m-1", "choices": [{"index": 0, "delta": part}]}) for part in parts]
    return [*pieces, Event("", {"choices": [{"index": 0, "delta": {}, "finish_reason": finish}]})]


def function(index, arguments="", **more):
    place = {} if index is None else {"index": index}
    name = {"name": more.pop("name")} if "name" in more else {}
    return {"tool_calls": [{**place, **more, "function": {**name, "arguments": arguments}}]}


def test_pieces_make_the_text():
    said = said_in_stream([*deltas({"role": "assistant", "content": ""}, {"content": "Te"}, {"content": "a"})])
    assert (said.answer, said.model_name, said.ended, said.usage) == ("Tea", "m-1", True, None)


def test_calls_side_by_side_are_put_together_by_their_index():
    said = said_in_stream(
        deltas(
            function(0, id="a", name="one"),
            function(1, id="b", name="two"),
            function(1, '{"y"'),
            function(0, '{"x":'),
            function(1, ":2}"),
            function(0, "1}"),
            finish="tool_calls",
        )
    )
    assert said.tool_calls == (ToolCall("one", {"x": 1}), ToolCall("two", {"y": 2}))


def test_servers_that_number_no_calls_and_repeat_names():
    said = said_in_stream(
        deltas(
            function(None, '{"x":', id="a", name="one"),
            function(None, "1}", id="a", name="one"),
            function(None, '{"y":2}', id="b", name="two"),
        )
    )
    assert said.tool_calls == (ToolCall("one", {"x": 1}), ToolCall("two", {"y": 2}))


def test_refusals_and_older_function_calls_in_pieces():
    assert said_in_stream(deltas({"refusal": "N"}, {"refusal": "o"})).answer == "No"
    old = deltas({"function_call": {"name": "f", "arguments": '{"a"'}}, {"function_call": {"arguments": ":1}"}})
    assert said_in_stream(old).tool_calls == (ToolCall("f", {"a": 1}),)


def test_usage_comes_last_and_only_the_first_choice_counts():
    other = Event("", {"choices": [{"index": 1, "delta": {"content": "other"}, "finish_reason": "stop"}]})
    usage = Event("", {"choices": [], "usage": {"prompt_tokens": 1, "completion_tokens": 2}})
    said = said_in_stream([other, *deltas({"content": "first"}), usage, Event("", "[DONE]")])
    assert (said.answer, said.usage) == ("first", Usage(1, 2))
    assert said_in_stream([other]).ended is False


@pytest.mark.parametrize(
    ("last", "ended"),
    [
        (Event("", "[DONE]"), True),
        (Event("", {"choices": [{"delta": {}, "finish_reason": "length"}]}), True),
        (Event("", {"error": {"message": "overloaded"}}), True),
        (Event("", {"choices": [{"delta": {"content": "x"}, "finish_reason": None}]}), False),
        (Event("", "not JSON"), False),
    ],
)
def test_the_last_part_is_known(last, ended):
    assert said_in_stream([Event("", {"choices": [{"delta": {"content": "Hi"}}]}), last]).ended is ended
