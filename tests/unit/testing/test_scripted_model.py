"""A scripted model over raw HTTP: what each protocol sends, what it refuses, what it remembers."""

import json
import threading
import time

import pytest

from foldproof.logs import ToolCall
from foldproof.testing import ModelFailure, ModelReply, ScriptedModel, in_turn

CHAT, RESPONSES, MESSAGES = "/v1/chat/completions", "/v1/responses", "/v1/messages"
PATHS = [CHAT, RESPONSES, MESSAGES]
TEXT = "Postgres 15, été 北京."
CALLS = [ToolCall("look_up", {"query": "été 北京", "n": 3, "deep": {"a": [1.5, None]}}), ToolCall("now")]


def text_in(path, body):
    """The text of a whole answer."""
    if path == CHAT:
        return body["choices"][0]["message"]["content"]
    blocks = body["content"] if path == MESSAGES else [part for item in body["output"] for part in item["content"]]
    return "".join(block["text"] for block in blocks)


def calls_in(path, body):
    """The tool calls of a whole answer, as pairs of name and arguments."""
    if path == CHAT:
        found = [call["function"] for call in body["choices"][0]["message"]["tool_calls"]]
        return [(call["name"], json.loads(call["arguments"])) for call in found]
    if path == MESSAGES:
        return [(block["name"], block["input"]) for block in body["content"] if block["type"] == "tool_use"]
    return [(item["name"], json.loads(item["arguments"])) for item in body["output"] if item["type"] == "function_call"]


def end_of(path, body):
    if path == CHAT:
        return body["choices"][0]["finish_reason"]
    return body["stop_reason"] if path == MESSAGES else (body["incomplete_details"] or {}).get("reason", body["status"])


def put_together(path, events):
    """The text and the arguments that the pieces of a stream come to, and how many pieces there were."""
    text, arguments, pieces = "", {}, 0
    for name, data in events:
        if path == CHAT and data != "[DONE]" and data["choices"]:
            delta = data["choices"][0]["delta"]
            text += delta.get("content") or ""
            for call in delta.get("tool_calls", []):
                arguments[call["index"]] = arguments.get(call["index"], "") + call["function"]["arguments"]
                pieces += 1
            pieces += bool(delta.get("content"))
        elif name == "content_block_delta":
            text += data["delta"].get("text", "")
            arguments[data["index"]] = arguments.get(data["index"], "") + data["delta"].get("partial_json", "")
            pieces += 1
        elif name == "response.output_text.delta":
            text, pieces = text + data["delta"], pieces + 1
        elif name == "response.function_call_arguments.delta":
            arguments[data["output_index"]] = arguments.get(data["output_index"], "") + data["delta"]
            pieces += 1
    return text, [json.loads(part or "{}") for part in arguments.values() if part or not text], pieces


@pytest.mark.parametrize("path", PATHS)
def test_a_text_comes_whole_and_as_a_stream(path, send, asking):
    with ScriptedModel(lambda _: TEXT) as scripted:
        whole = send(scripted, path, asking(path))
        streamed = send(scripted, path, asking(path, stream=True))
    assert (whole.status, text_in(path, whole.body)) == (200, TEXT)
    assert end_of(path, whole.body) == {CHAT: "stop", RESPONSES: "completed", MESSAGES: "end_turn"}[path]
    text, _, pieces = put_together(path, streamed.events)
    assert text == TEXT
    assert pieces > 3
    assert streamed.headers["content-type"].startswith("text/event-stream")


@pytest.mark.parametrize("path", PATHS)
def test_parallel_calls_come_whole_and_as_a_stream(path, send, asking):
    with ScriptedModel(lambda _: CALLS) as scripted:
        whole = send(scripted, path, asking(path)).body
        streamed = send(scripted, path, asking(path, stream=True))
    assert calls_in(path, whole) == [(call.name, call.args) for call in CALLS]
    assert end_of(path, whole) == {CHAT: "tool_calls", RESPONSES: "completed", MESSAGES: "tool_use"}[path]
    _, arguments, pieces = put_together(path, streamed.events)
    assert arguments == [call.args for call in CALLS]
    assert pieces > 5, "the arguments come in pieces"


@pytest.mark.parametrize("path", PATHS)
def test_a_text_may_stand_before_a_call(path, send, asking):
    with ScriptedModel(lambda _: ModelReply("I look it up.", (CALLS[0],))) as scripted:
        body = send(scripted, path, asking(path)).body
        text, arguments, _ = put_together(path, send(scripted, path, asking(path, stream=True)).events)
    assert calls_in(path, body) == [(CALLS[0].name, CALLS[0].args)]
    assert "I look it up." in json.dumps(body)
    assert (text, arguments) == ("I look it up.", [CALLS[0].args])


def test_usage_of_a_chat_stream_comes_where_it_is_asked_for(send, asking):
    with ScriptedModel(lambda _: TEXT) as scripted:
        plain = send(scripted, CHAT, asking(CHAT, stream=True)).events
        told = send(scripted, CHAT, asking(CHAT, stream=True, stream_options={"include_usage": True})).events
        whole = send(scripted, CHAT, asking(CHAT)).body
    assert plain[-1] == told[-1] == ("", "[DONE]")
    assert all("usage" not in data for _, data in plain[:-1])
    assert told[-2][1]["choices"] == []
    assert told[-2][1]["usage"] == whole["usage"]
    assert all(data["usage"] is None for _, data in told[:-2])
    assert whole["usage"]["total_tokens"] == whole["usage"]["prompt_tokens"] + whole["usage"]["completion_tokens"] > 2


def test_the_events_of_a_message_stand_in_their_order(send, asking):
    with ScriptedModel(lambda _: ModelReply("Yes.", (CALLS[1],))) as scripted:
        events = send(scripted, MESSAGES, asking(MESSAGES, stream=True)).events
    text = ["content_block_start", "ping", "content_block_delta", "content_block_stop"]
    call = ["content_block_start", "content_block_delta", "content_block_stop"]
    assert [name for name, _ in events] == ["message_start", *text, *call, "message_delta", "message_stop"]
    assert all(name == data["type"] for name, data in events)
    assert [data["index"] for _, data in events if "index" in data] == [0, 0, 0, 1, 1, 1]


def test_the_events_of_a_response_are_numbered(send, asking):
    with ScriptedModel(lambda _: "Yes.") as scripted:
        events = send(scripted, RESPONSES, asking(RESPONSES, stream=True)).events
    assert [data["sequence_number"] for _, data in events] == list(range(len(events)))
    assert [name.removeprefix("response.") for name, _ in events] == [
        "created", "in_progress", "output_item.added", "content_part.added", "output_text.delta", "output_text.done",
        "content_part.done", "output_item.done", "completed",
    ]  # fmt: skip
    assert events[-1][1]["response"]["output"][0]["content"][0]["text"] == "Yes."


@pytest.mark.parametrize("path", PATHS)
def test_the_same_requests_get_the_same_bytes(path, send, asking):
    def ask():
        with ScriptedModel(lambda _: CALLS) as scripted:
            return [send(scripted, path, asking(path, stream=stream)).content for stream in (False, True, False)]

    first, second = ask(), ask()
    assert first == second
    assert first[0] != first[2], "an id is used once"


@pytest.mark.parametrize("path", PATHS)
def test_the_limit_of_tokens_cuts_the_text(path, send, asking):
    name = {CHAT: "max_completion_tokens", RESPONSES: "max_output_tokens", MESSAGES: "max_tokens"}[path]
    with ScriptedModel(lambda _: "one two three four") as scripted:
        cut = send(scripted, path, asking(path, **{name: 2})).body
        kept = send(scripted, path, asking(path, **{name: 4})).body
        wrong = send(scripted, path, asking(path, **{name: 0}))
    assert text_in(path, cut) == "one two"
    assert end_of(path, cut) == {CHAT: "length", RESPONSES: "max_output_tokens", MESSAGES: "max_tokens"}[path]
    assert text_in(path, kept) == "one two three four"
    assert wrong.status == 400


@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize("stream", [False, True])
def test_an_empty_answer_is_a_200(path, stream, send, asking):
    with ScriptedModel(lambda _: "") as scripted:
        got = send(scripted, path, asking(path, stream=stream))
    assert got.status == 200
    if stream:
        assert put_together(path, got.events)[0] == ""
    else:
        assert text_in(path, got.body) == ""


@pytest.mark.parametrize(("status", "kind"), [(429, "rate_limit_error"), (529, "overloaded_error"), (500, "api_error")])
def test_a_failure_has_the_shape_of_its_provider(status, kind, send, asking):
    with ScriptedModel(lambda _: ModelFailure(status, "not now", headers={"retry-after": "7"})) as scripted:
        chat = send(scripted, CHAT, asking(CHAT))
        message = send(scripted, MESSAGES, asking(MESSAGES, stream=True))
    assert (chat.status, chat.body["error"]["message"]) == (status, "not now")
    assert (message.status, message.body["error"]) == (status, {"type": kind, "message": "not now"})
    assert chat.headers["retry-after"] == message.headers["retry-after"] == "7"


@pytest.mark.parametrize("path", PATHS)
def test_an_error_may_come_with_a_200(path, send, asking):
    with ScriptedModel(lambda _: ModelFailure(200, "the upstream is away", "upstream_error")) as scripted:
        got = send(scripted, path, asking(path))
    assert got.status == 200
    assert got.body["error"]["type"] == "upstream_error"


@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize("stream", [False, True])
def test_an_answer_may_break_off(path, stream, send, asking):
    with ScriptedModel(lambda _: ModelReply(TEXT, breaks_after=3)) as scripted:
        got = send(scripted, path, asking(path, stream=stream))
        again = send(scripted, path, asking(path))
    assert got.status == again.status == 200
    assert got.cut
    assert again.cut, "the model goes on serving"
    assert len(got.events if stream else got.content) >= 3


@pytest.mark.parametrize("path", PATHS)
def test_a_stream_may_end_with_an_error(path, send, asking):
    failure = ModelFailure(529, "busy")
    with ScriptedModel(lambda _: ModelReply(TEXT, breaks_after=3, failure=failure)) as scripted:
        got = send(scripted, path, asking(path, stream=True))
    assert not got.cut
    assert len(got.events) == 4
    name, data = got.events[-1]
    assert name == ("" if path == CHAT else "error")
    assert (data["message"] if path == RESPONSES else data["error"]["message"]) == "busy"
    if path == RESPONSES:
        assert data["sequence_number"] == 3


# --- what a provider would refuse


def chat_calls(*ids):
    calls = [{"id": one, "type": "function", "function": {"name": "look_up", "arguments": "{}"}} for one in ids]
    return {"role": "assistant", "content": None, "tool_calls": calls}


def chat_result(one):
    return {"role": "tool", "tool_call_id": one, "content": "found"}


def uses(*ids):
    blocks = [{"type": "tool_use", "id": one, "name": "look_up", "input": {}} for one in ids]
    return {"role": "assistant", "content": blocks}


def results(*ids, before=(), after=()):
    blocks = [{"type": "tool_result", "tool_use_id": one, "content": "found"} for one in ids]
    return {"role": "user", "content": [*before, *blocks, *after]}


def call(one):
    return {"type": "function_call", "call_id": one, "name": "look_up", "arguments": "{}"}


def output(one):
    return {"type": "function_call_output", "call_id": one, "output": "found"}


USER = {"role": "user", "content": "Go."}
TEXT_BLOCK = {"type": "text", "text": "Go on."}
TOOL_TALK = [
    (
        CHAT,
        [USER, chat_calls("a"), chat_result("a"), chat_calls("b", "c"), chat_result("c"), chat_result("b"), USER],
        "",
    ),
    (CHAT, [USER, chat_result("a")], "with the tool call that it answers"),
    # A47: one of two results in a run has its call, the other one was folded away.
    (CHAT, [USER, chat_calls("b"), chat_result("a"), chat_result("b")], "none with the id 'a'"),
    (CHAT, [chat_calls("a"), chat_result("a"), USER, chat_result("a")], "none with the id 'a'"),
    (CHAT, [USER, chat_calls("b", "c"), chat_result("b"), USER], "none stands there for c"),
    (CHAT, [USER, chat_calls("b")], "none stands there for b"),
    (MESSAGES, [USER, uses("a"), results("a"), uses("b", "c"), results("c", "b", after=[TEXT_BLOCK])], ""),
    (MESSAGES, [USER, uses("b"), results("b"), USER, {"role": "assistant", "content": "Well,"}], ""),
    (MESSAGES, [USER, results("a")], "none with the id 'a'"),
    (MESSAGES, [USER, uses("b"), results("a", "b")], "none with the id 'a'"),
    (MESSAGES, [USER, uses("a"), results("a"), {"role": "assistant", "content": "Ok."}, results("a")], "the id 'a'"),
    (MESSAGES, [USER, uses("b", "c"), results("b")], "none stands there for c"),
    (MESSAGES, [USER, uses("b")], "none stands there for b"),
    (MESSAGES, [USER, uses("b"), results("b", before=[TEXT_BLOCK])], "must come first"),
    (RESPONSES, [USER, call("a"), output("a"), call("b"), call("c"), output("c"), output("b")], ""),
    (RESPONSES, [USER, output("a")], "'a' stands before this output"),
    (RESPONSES, [USER, call("b"), output("a"), output("b")], "'a' stands before this output"),
    (RESPONSES, [USER, call("b"), call("c"), output("b")], "for the function call c"),
]


@pytest.mark.parametrize(("path", "talk", "refused"), TOOL_TALK)
def test_A47_orphaned_tool_results_are_refused(path, talk, refused, send, asking):
    body = asking(path) | {"input" if path == RESPONSES else "messages": talk}
    with ScriptedModel(lambda _: "ok") as scripted:
        got = send(scripted, path, body)
        asked, told = len(scripted.requests), scripted.refused
    assert (got.status, asked) == ((400, 0) if refused else (200, 1)), got.content
    if refused:
        assert refused in got.body["error"]["message"]
        assert refused in told[0]


@pytest.mark.parametrize(
    ("path", "body", "status"),
    [
        (CHAT, b"{", 400),
        (CHAT, b"[]", 400),
        (CHAT, b'{"model": "m", "temperature": NaN, "messages": [{"role": "user", "content": "a"}]}', 400),
        (CHAT, {"messages": [USER]}, 400),
        (CHAT, {"model": "m"}, 400),
        (CHAT, {"model": "m", "messages": []}, 400),
        (CHAT, {"model": "m", "messages": ["a"]}, 400),
        (CHAT, {"model": "m", "messages": [{"role": "robot", "content": "a"}]}, 400),
        (CHAT, {"model": "m", "messages": [{"role": "user"}]}, 400),
        (CHAT, {"model": "m", "messages": [{"role": "user", "content": 5}]}, 400),
        (CHAT, {"model": "m", "n": 2, "messages": [USER]}, 400),
        (CHAT, {"model": "m", "messages": [USER, {"role": "assistant", "tool_calls": [{}]}]}, 400),
        (RESPONSES, {"model": "m", "input": []}, 400),
        (RESPONSES, {"model": "m", "input": "a", "previous_response_id": "resp_unknown"}, 400),
        (RESPONSES, {"model": "m", "input": [{"type": "item_reference", "id": "msg_unknown"}]}, 404),
        (RESPONSES, {"model": "m", "input": [{"type": "telegram"}]}, 400),
        (MESSAGES, {"model": "m", "messages": [USER]}, 400),
        (MESSAGES, {"model": "m", "max_tokens": 9, "messages": [{"role": "assistant", "content": "a"}]}, 400),
        (MESSAGES, {"model": "m", "max_tokens": 9, "messages": [{"role": "tool", "content": "a"}]}, 400),
        (MESSAGES, {"model": "m", "max_tokens": 9, "messages": [{"role": "user", "content": ""}]}, 400),
        (MESSAGES, {"model": "m", "max_tokens": 9, "messages": [{"role": "user", "content": " \n"}]}, 400),
        ("/v1/embeddings", {"model": "m", "input": []}, 400),
        ("/v1/embeddings", {"model": "m", "input": ["a", ""]}, 400),
        ("/v1/embeddings", {"model": "m", "input": "a", "encoding_format": "hex"}, 400),
        ("/v1/embeddings", {"model": "m", "input": "a", "dimensions": 0}, 400),
        ("/v1/chat/completion", {"model": "m", "messages": [USER]}, 404),
        ("/chat/completions", {"model": "m", "messages": [USER]}, 404),
        ("/", {}, 404),
    ],
)
def test_what_a_provider_would_refuse_is_refused(path, body, status, send):
    with ScriptedModel(lambda _: "ok") as scripted:
        got = send(scripted, path, body)
        assert (scripted.requests, len(scripted.refused)) == ([], 1)
    assert got.status == status, got.content
    assert got.headers["content-type"].startswith("application/json")
    assert got.body["error"]["message"]
    kept = isinstance(body, dict) and "previous_response_id" in body
    assert got.body["error"]["type"] == ("previous_response_not_found" if kept else "invalid_request_error")


def test_a_path_takes_its_method_and_its_headers(send, asking):
    with ScriptedModel(lambda _: "ok") as scripted:
        assert send(scripted, CHAT, asking(CHAT), method="GET").status == 405
        bare = send(scripted, MESSAGES + "?beta=true", asking(MESSAGES))
        versioned = send(
            scripted, MESSAGES + "?beta=true", asking(MESSAGES), headers={"Anthropic-Version": "2023-06-01"}
        )
    assert (bare.status, bare.body["type"]) == (400, "error")
    assert versioned.status == 200


def test_a_key_is_asked_for_where_the_model_has_one(send, asking):
    with ScriptedModel(lambda _: "ok", key="sk-right") as scripted:
        assert send(scripted, CHAT, asking(CHAT)).body["error"]["code"] == "invalid_api_key"
        assert send(scripted, CHAT, asking(CHAT), headers={"authorization": "Bearer sk-wrong"}).status == 401
        assert send(scripted, MESSAGES, asking(MESSAGES)).body["error"]["type"] == "authentication_error"
        assert send(scripted, CHAT, asking(CHAT), headers={"authorization": "Bearer sk-right"}).status == 200
        assert send(scripted, MESSAGES, asking(MESSAGES), headers={"x-api-key": "sk-right"}).status == 200


# --- what it remembers, and what the rule is told


@pytest.mark.parametrize("path", PATHS)
def test_the_rule_is_told_the_same_by_every_protocol(path, send, asking):
    parts = {"type": "input_text" if path == RESPONSES else "text", "text": "Which database?"}
    said = {"role": "user", "content": [parts]}
    tool = {"name": "look_up", "input_schema": {}, "parameters": {}}
    body = {
        CHAT: {"messages": [{"role": "developer", "content": "Be short."}, said, chat_calls("a"), chat_result("a")]},
        RESPONSES: {"instructions": "Be short.", "input": [said, {"type": "reasoning"}, call("a"), output("a")]},
        MESSAGES: {"system": [{"type": "text", "text": "Be short."}], "messages": [said, uses("a"), results("a")]},
    }[path]
    tools = [{"type": "function", "function": tool}] if path == CHAT else [tool | {"type": "function"}]
    with ScriptedModel(lambda _: "ok") as scripted:
        assert send(scripted, path, {"model": "m", "max_tokens": 9, **body, "tools": tools}).status == 200
        [request] = scripted.requests
    assert [(one.role, one.text) for one in request.messages] == [
        ("system", "Be short."), ("user", "Which database?"), ("agent", ""), ("tool", "found")
    ]  # fmt: skip
    assert request.messages[2].tool_calls == (ToolCall("look_up", {}),)
    assert request.tool_results == ((ToolCall("look_up", {}), "found"),)
    assert request.prompt == "Be short.\nWhich database?\nfound"
    assert (request.question, request.tools, request.model_name) == ("Which database?", ("look_up",), "m")
    assert (request.stream, request.body["model"], f"/v1/{request.api}") == (
        False,
        "m",
        path.removesuffix("/completions"),
    )


def test_a_new_question_has_no_tool_results_yet(send, asking):
    talk = [USER, chat_calls("a"), chat_result("a"), {"role": "assistant", "content": "Done."}, USER]
    with ScriptedModel(lambda _: "ok") as scripted:
        send(scripted, CHAT, {"model": "m", "messages": talk})
        assert scripted.requests[0].tool_results == ()


def test_a_response_goes_on_from_a_kept_one(send, asking):
    with ScriptedModel(in_turn(CALLS[0], "Postgres 15.", "ok", "ok")) as scripted:
        first = send(scripted, RESPONSES, asking(RESPONSES, store=True)).body
        result = {"type": "function_call_output", "call_id": first["output"][0]["call_id"], "output": "Postgres 15"}
        second = send(
            scripted, RESPONSES, asking(RESPONSES, previous_response_id=first["id"]) | {"input": [result]}
        ).body
        send(scripted, RESPONSES, asking(RESPONSES, "Sure?", previous_response_id=second["id"], store=False))
        named = [USER, {"type": "item_reference", "id": second["output"][0]["id"]}, USER]
        assert send(scripted, RESPONSES, {"model": "m", "input": named}).status == 200
        prompts = [request.prompt for request in scripted.requests]
    assert prompts[1:] == [
        "Which database?\nPostgres 15",
        "Which database?\nPostgres 15\nPostgres 15.\nSure?",
        "Go.\nPostgres 15.\nGo.",
    ]


def test_a_response_that_is_not_stored_is_not_kept(send, asking):
    with ScriptedModel(lambda _: "ok") as scripted:
        first = send(scripted, RESPONSES, asking(RESPONSES, store=False)).body
        assert send(scripted, RESPONSES, asking(RESPONSES, previous_response_id=first["id"])).status == 400


def test_headers_are_kept_and_not_printed(send, asking):
    with ScriptedModel(lambda _: "ok", headers={"set-cookie": "session=canary"}) as scripted:
        got = send(scripted, CHAT, asking(CHAT), headers={"Authorization": "Bearer sk-canary", "X-Team": "blue"})
        streamed = send(scripted, CHAT, asking(CHAT, stream=True))
        [request, _] = scripted.requests
    assert got.headers["set-cookie"] == streamed.headers["set-cookie"] == "session=canary"
    assert request.headers["authorization"] == "Bearer sk-canary"
    assert request.headers["x-team"] == "blue"
    assert "canary" not in repr(request)


def test_questions_and_requests_in_flight_are_counted(send, asking):
    with ScriptedModel(lambda request: ModelReply(request.question, latency_s=0.05), latency_s=0.05) as scripted:
        began = time.perf_counter()
        threads = [threading.Thread(target=send, args=(scripted, CHAT, asking(CHAT, f"Q{n % 2}?"))) for n in range(6)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert time.perf_counter() - began > 0.1
    assert scripted.asked == {"Q0?": 3, "Q1?": 3}
    assert scripted.most_in_flight > 1
    assert scripted.refused == []


def test_a_stream_has_a_pace(send, asking):
    with ScriptedModel(lambda _: ModelReply("one two three", pace_s=0.02)) as scripted:
        began = time.perf_counter()
        events = send(scripted, CHAT, asking(CHAT, stream=True)).events
        assert time.perf_counter() - began > 0.02 * (len(events) - 2)


@pytest.mark.parametrize(
    ("rule", "kind"),
    [
        (lambda _: 1 / 0, ZeroDivisionError),
        (lambda _: 5, TypeError),
        (lambda _: [], TypeError),
        (in_turn(), LookupError),
    ],
)
def test_an_error_of_the_rule_is_no_answer(rule, kind, send, asking):
    with pytest.raises(kind), ScriptedModel(rule) as scripted:  # noqa: PT012  # it is raised at the end of the block
        got = send(scripted, CHAT, asking(CHAT))
        assert (got.status, got.body["error"]["type"]) == (500, "server_error")
        assert kind.__name__ in got.body["error"]["message"]


def test_an_error_of_the_test_goes_before_that_of_the_rule(send, asking):
    with pytest.raises(AssertionError, match="the test's own"), ScriptedModel(lambda _: 1 / 0) as scripted:  # noqa: PT012  # see above
        send(scripted, CHAT, asking(CHAT))
        raise AssertionError("the test's own")


def test_a_text_of_half_a_surrogate_pair_is_sent(send, asking):
    with ScriptedModel(lambda _: "a\ud83d") as scripted:
        assert text_in(CHAT, send(scripted, CHAT, asking(CHAT)).body) == "a\ud83d"
        assert put_together(CHAT, send(scripted, CHAT, asking(CHAT, stream=True)).events)[0] == "a\ud83d"


def test_the_models_are_listed(send):
    with ScriptedModel(lambda _: "ok", names=("small", "large")) as scripted:
        openai = send(scripted, "/v1/models", method="GET").body
        anthropic = send(scripted, "/v1/models", method="GET", headers={"anthropic-version": "2023-06-01"}).body
    assert [row["id"] for row in openai["data"]] == [row["id"] for row in anthropic["data"]] == ["small", "large"]
    assert (openai["object"], anthropic["has_more"]) == ("list", False)


def test_the_end_does_not_wait_for_a_slow_answer(send, asking):
    with ScriptedModel(lambda _: "ok", latency_s=30) as scripted:

        def ask():
            with pytest.raises((ConnectionError, OSError)):
                send(scripted, CHAT, asking(CHAT))

        thread = threading.Thread(target=ask)
        thread.start()
        while scripted.most_in_flight == 0:
            time.sleep(0.01)
        began = time.perf_counter()
    assert time.perf_counter() - began < 5
    thread.join(5)
    assert not thread.is_alive()
