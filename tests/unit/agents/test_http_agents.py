"""The `http` adapter against a local endpoint: what is sent, what an answer means, and what is never shown."""

import json
import time
from contextlib import asynccontextmanager
from email.utils import formatdate

import anyio
import pytest
from aiohttp import web
from aiohttp.test_utils import TestServer, unused_port

from foldproof.agents import AgentError, SessionInfo, TransientError, UnsupportedError
from foldproof.agents.http_answers import Price, completion_of, failure_of, retry_after
from foldproof.core import UsageError
from foldproof.logs import History, Session, ToolCall, Turn, Usage

pytestmark = pytest.mark.anyio
KEY = "sk-test-0123456789abcdef0123"
HISTORY = History(
    "h", (Session("s1", (Turn("system", "be kind"), Turn("user", "tea"), Turn("agent", "noted"), Turn("tool", "{}"))),)
)
GOOD = {"choices": [{"message": {"role": "assistant", "content": "fine"}, "finish_reason": "stop"}]}


@pytest.fixture
def served():
    """An endpoint that gives the answers one after the other, the last one again and again."""

    @asynccontextmanager
    async def serving(*answers):
        seen = []

        async def complete(request):
            seen.append((await request.json(), request.headers.copy(), request.path))
            answer = answers[min(len(seen), len(answers)) - 1]
            if answer == "drop":
                request.transport.close()
                return web.Response()
            status, headers, body = answer if isinstance(answer, tuple) else (200, {}, answer)
            text = body if isinstance(body, str) else json.dumps(body)
            return web.Response(status=status, headers=headers, text=text, content_type="application/json")

        app = web.Application()
        app.router.add_post("/{path:.*}", complete)
        server = TestServer(app)
        await server.start_server()
        try:
            yield str(server.make_url("/v1")), seen
        finally:
            await server.close()

    return serving


async def test_what_is_sent(opened, ask, served):
    model = {
        "name": "m-1",
        "base_url": "unused",
        "temperature": 0,
        "seed": 7,
        "max_tokens": 50,
        "price": {"input": 1, "output": 2},
    }
    setting = {"history": "messages", "headers": {"X-Team": "${TEAM}"}}
    async with (
        served(GOOD) as (url, seen),
        opened({"http": url, **setting}, model=model, environ={"OPENAI_API_KEY": KEY, "TEAM": "blue"}) as factory,
    ):
        agent = await factory.make({}, "t")
        await agent.ingest(HISTORY)
        reply = await ask(agent, "Tea?", user="trial-7")
        assert KEY not in repr(factory)
        assert factory.notes == ()
    body, headers, path = seen[0]
    assert path == "/v1/chat/completions"
    assert headers["Authorization"] == f"Bearer {KEY}"
    assert headers["X-Team"] == "blue"
    messages = body.pop("messages")
    assert body == {"model": "m-1", "temperature": 0, "seed": 7, "max_tokens": 50, "user": "trial-7"}
    assert [(m["role"], m["content"]) for m in messages] == [
        ("system", "be kind"),
        ("user", "tea"),
        ("assistant", "noted"),
        ("user", "{}"),
        ("user", "Tea?"),
    ]
    assert reply.prompt is None  # what the agent behind the address sends its model cannot be seen
    assert reply.text == "fine"


async def test_without_settings_only_the_question_is_sent(opened, ask, served):
    async with (
        served(GOOD) as (url, seen),
        opened({"http": url + "/"}, environ={}) as factory,
    ):
        agent = await factory.make({}, "t")
        for step in (agent.ingest(HISTORY), agent.snapshot()):
            with pytest.raises(UnsupportedError):
                await step
        await ask(agent, 'a "quoted" \ud800 question')
        assert factory.notes == ("`history: omit`: histories are not sent to the endpoint",)
    body, headers, _ = seen[0]
    assert body["messages"] == [{"role": "user", "content": 'a "quoted" ? question'}]
    assert set(body) == {"messages", "user"}
    assert "Authorization" not in headers


async def test_the_endpoint_is_told_the_memory_where_it_says_how(opened, ask, served):
    agent = {"memory_field": "memory_config"}
    async with (
        served(GOOD) as (url, seen),
        opened({"http": url, **agent}, memory={"kind": "x", "k": 8}, environ={}) as factory,
    ):
        await ask(await factory.make({"kind": "x", "k": 8}, "t"), "?")
        assert seen[0][0]["memory_config"] == {"kind": "x", "k": 8}


@pytest.mark.parametrize("field", ["messages", "user", "name", 7])
async def test_a_memory_field_must_be_free(opened, field):
    with pytest.raises(UsageError, match="memory_field"):
        async with opened({"http": "http://127.0.0.1:1/v1", "memory_field": field}, model={"name": "m"}, environ={}):
            pass


async def test_a_memory_that_the_endpoint_never_hears_of_is_refused(opened):
    with pytest.raises(UsageError, match="does not reach the endpoint"):
        async with opened({"http": "http://127.0.0.1:1/v1"}, memory={"kind": "window"}, environ={}):
            pass
    async with opened({"http": "http://127.0.0.1:1/v1"}, environ={}) as factory:
        with pytest.raises(UsageError, match="does not reach the endpoint"):
            await factory.make({"k": 4}, "t")
        for harmless in ({}, {"kind": "none"}):
            await factory.make(harmless, "t")
    async with opened({"http": "http://127.0.0.1:1/v1"}, memory={"kind": "external"}, environ={}) as factory:
        await factory.make({"kind": "external"}, "t")


async def test_a_session_remembers_and_a_failed_turn_is_not_sent_twice(opened, served):
    async with (
        served(GOOD, (429, {"Retry-After": "0"}, ""), GOOD) as (url, seen),
        opened({"http": url}, environ={}) as factory,
    ):
        talk = await (await factory.make({}, "t")).start_session(SessionInfo("u", "s"))
        await talk.reply("one")
        with pytest.raises(TransientError):
            await talk.reply("two")
        assert (await talk.reply("two")).text == "fine"
    assert [m["content"] for m in seen[-1][0]["messages"]] == ["one", "fine", "two"]


async def test_many_calls_run_at_once(opened, ask):
    async def slow(request):
        await anyio.sleep(0.2)
        return web.json_response(GOOD)

    app = web.Application()
    app.router.add_post("/v1/chat/completions", slow)
    async with TestServer(app) as server, opened({"http": str(server.make_url("/v1"))}, environ={}) as factory:
        start = time.perf_counter()
        async with anyio.create_task_group() as group:
            for _ in range(150):
                group.start_soon(ask, await factory.make({}, "t"))
        assert time.perf_counter() - start < 15


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        ((401, {}, {"error": {"message": f"bad key {KEY}"}}), "answered 401: bad key [redacted]"),
        ((400, {}, {"error": "no model"}), "answered 400: no model"),
        ((404, {}, "not here"), "answered 404: not here"),
        ((422, {}, {"detail": [{"loc": "x"}]}), 'answered 422: {"detail"'),
        ((302, {"Location": "/else"}, ""), "answered 302"),
        ((429, {}, {"error": {"message": "pay", "code": "insufficient_quota"}}), "answered 429: pay"),
        ({"error": {"message": "model not loaded"}}, "200 with an error: model not loaded"),
        ({"error": "x" * 900}, "200 with an error: " + "x" * 500),
        ("<html>", "200 with what is not JSON: '<html>'"),
        ("[]", "where an object is expected"),
        ({}, "without a choice"),
        ({"choices": []}, "without a choice"),
        ({"choices": [{"text": "old api"}]}, "without a choice"),
        ({"choices": [{"message": {"content": ""}, "finish_reason": "length"}]}, 'empty text (finish_reason "length")'),
        ({"choices": [{"message": {"content": " \n"}}]}, "empty text"),
        ({"choices": [{"message": {"content": None, "tool_calls": []}}]}, "empty text"),
    ],
)
async def test_failures_that_stay(opened, ask, served, answer, words):
    async with served(answer) as (url, _), opened({"http": url}, environ={"OPENAI_API_KEY": KEY}) as factory:
        with pytest.raises(AgentError) as caught:
            await ask(await factory.make({}, "t"))
    assert words in str(caught.value)
    assert not isinstance(caught.value, TransientError)
    assert KEY not in str(caught.value)
    assert "x" * 501 not in str(caught.value)


@pytest.mark.parametrize(
    ("answer", "wait"),
    [
        ((429, {"Retry-After": "3"}, {"error": {"message": "slow down"}}), 3.0),
        ((429, {}, ""), None),
        ((408, {}, ""), None),
        ((409, {}, ""), None),
        ((500, {}, "oops"), None),
        ((503, {"Retry-After": "0.5"}, ""), 0.5),
        ((529, {}, ""), None),
        ("drop", None),
        ({"error": {"message": "429 Too Many Requests"}}, None),
        ({"error": {"message": "x", "code": "rate_limit_exceeded"}}, None),
    ],
)
async def test_failures_that_may_pass(opened, ask, served, answer, wait):
    async with served(answer, GOOD) as (url, _), opened({"http": url}, environ={}) as factory:
        agent = await factory.make({}, "t")
        with pytest.raises(TransientError) as caught:
            await ask(agent)
        assert caught.value.retry_after_s == wait
        assert (await ask(agent)).text == "fine"


async def test_a_refused_connection_may_pass(opened, ask):
    async with opened({"http": f"http://127.0.0.1:{unused_port()}/v1"}, environ={}) as factory:
        with pytest.raises(TransientError, match="no answer from http://127"):
            await ask(await factory.make({}, "t"))


@pytest.mark.parametrize(
    ("headers", "wait"),
    [
        ({"Retry-After": "7"}, 7.0),
        ({"Retry-After": "-7"}, 0.0),
        ({"Retry-After": "nan"}, None),
        ({"Retry-After": "soon"}, None),
        ({"Retry-After": "Wed, 21 Oct 2015 07:28:00 GMT"}, 0.0),
        ({"Retry-After-Ms": "1500", "Retry-After": "9"}, 1.5),
        ({}, None),
    ],
)
def test_the_wait_that_a_server_asks_for(headers, wait):
    assert retry_after(headers) == wait


def test_the_wait_until_a_date():
    assert 55 < retry_after({"Retry-After": formatdate(time.time() + 60, usegmt=True)}) <= 60


def test_a_reply_is_read_with_calls_usage_and_cost():
    calls = [
        {"function": {"name": "a", "arguments": '{"n": 1}'}},
        {"function": {"name": "b", "arguments": {"n": 2}}},
        {"function": {"name": "c", "arguments": "{broken"}},
        {"function": {"name": "d", "arguments": ""}},
        {"function": {"name": "e", "arguments": "[1]"}},
        {"function": {}},
        "noise",
    ]
    body = {
        "choices": [{"message": {"content": None, "tool_calls": calls}, "finish_reason": "tool_calls"}],
        "usage": {"prompt_tokens": 1_000_000, "completion_tokens": 500_000},
    }
    done = completion_of(json.dumps(body).encode(), Price(0.5, 2))
    assert done.text == ""
    assert tuple(written.call for written in done.calls) == (
        ToolCall("a", {"n": 1}),
        ToolCall("b", {"n": 2}),
        ToolCall("c", {"_raw": "{broken"}),
        ToolCall("d", {}),
        ToolCall("e", {"_raw": "[1]"}),
    )
    assert done.usage == Usage(1_000_000, 500_000, 1.5)


@pytest.mark.parametrize(
    ("message", "finish", "text", "notes"),
    [
        ({"content": "cut"}, "length", "cut", ("the answer was cut off at the model's limit of output tokens",)),
        ({"content": [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}]}, "stop", "ab", ()),
        ({"content": None, "refusal": "I cannot"}, "stop", "I cannot", ("the model refused",)),
    ],
)
def test_other_answers(message, finish, text, notes):
    body = json.dumps({"choices": [{"message": message, "finish_reason": finish}], "usage": {"prompt_tokens": None}})
    assert completion_of(body.encode(), Price(1, 1)) == (text, (), None, notes)


@pytest.mark.parametrize(
    ("status", "error", "long"),
    [
        (400, {"message": "This model's maximum context length is 8192 tokens.", "code": "context_length_exceeded"}, 1),
        (400, {"message": "the request exceeds the available context size. try increasing it", "type": "x"}, 1),
        (413, {"message": "prompt is too long: 210000 tokens > 200000 maximum"}, 1),
        (429, {"message": "Request too large", "code": "context_length_exceeded"}, 1),
        (400, {"message": "input length and `max_tokens` exceed context limit: 180000 + 32000 > 200000"}, 1),
        (429, {"message": "rate limit reached; the maximum context is not the problem"}, 0),
        (400, {"message": "temperature must be at most 2"}, 0),
    ],
)
def test_a_prompt_that_is_too_long_is_named_so(status, error, long):
    failure = failure_of(status, {}, json.dumps({"error": error}).encode())
    assert str(failure).startswith("the prompt does not fit the model's context: the endpoint answered") is bool(long)
    assert isinstance(failure, TransientError) is (status == 429 and not long)
    assert error["message"] in str(failure)


def test_a_failure_without_a_body_has_its_status():
    assert str(failure_of(500, {}, b"")) == "the endpoint answered 500"
    assert str(failure_of(500, {}, b"\xff")) == "the endpoint answered 500: \ufffd"


@pytest.mark.parametrize(
    ("setting", "model", "words"),
    [
        ({"http": "localhost:8000"}, {}, "where a URL is expected"),
        ({"http": None}, {}, "where a URL is expected"),
        ({"http": "http://[::1"}, {}, "where a URL is expected"),
        ({"http": "http://[::1/v1"}, {}, "where a URL is expected"),
        ({"http": "http://localhost:eight/v1"}, {}, "where a URL is expected"),
        ({"http": "http:///v1"}, {}, "where a URL is expected"),
        ({"http": "http://x", "histroy": "omit"}, {}, "did you mean `history`?"),
        ({"http": "http://x", "history": "message"}, {}, "did you mean `messages`?"),
        ({"http": "http://x", "headers": ["a"]}, {}, "`headers` is a map"),
        ({"http": "http://x", "api_key_env": "GONE"}, {}, "`GONE` of `api_key_env` is not set"),
        ({"http": "http://x"}, {"price": 3}, "US dollars per million tokens"),
        ({"http": "http://x"}, {"price": {"input": "1", "output": 2}}, "`price.input` is '1'"),
        ({"http": "http://x"}, {"stream": True}, "`stream` cannot be used"),
    ],
)
async def test_settings_are_strict(opened, setting, model, words):
    with pytest.raises(UsageError) as caught:
        async with opened(setting, model=model, environ={}):
            pass
    assert words in str(caught.value)
    assert "configuration 'candidate' (line 7)" in str(caught.value)


async def test_the_key_may_come_from_another_variable(opened, ask, served):
    async with (
        served(GOOD) as (url, seen),
        opened({"http": url, "api_key_env": "MY"}, environ={"MY": "k2", "OPENAI_API_KEY": KEY}) as factory,
    ):
        await ask(await factory.make({}, "t"))
    assert seen[0][1]["Authorization"] == "Bearer k2"


async def test_a_further_user_of_the_trial_is_handed_no_history(opened, ask, served):
    async with served(GOOD) as (url, seen), opened({"http": url, "history": "messages"}, environ={}) as factory:
        agent = await factory.make({}, "t")
        await agent.ingest(HISTORY)
        await ask(agent, "Tea?", user="t-bob", label="bob")
        await ask(agent, "Tea?", user="t")
    assert [(body["user"], len(body["messages"])) for body, *_ in seen] == [("t-bob", 1), ("t", 5)]
