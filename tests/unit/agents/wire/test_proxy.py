"""The recording proxy: what reaches the upstream, what comes back, and what is recorded of it."""

import gzip
import io
import json
import socket
import time

import aiohttp
import anyio
import pytest
from aiohttp import web
from aiohttp.test_utils import unused_port

from foldproof.logs import ToolCall, Usage

pytestmark = pytest.mark.anyio
KEY = "sk-test-0123456789abcdef0123"


async def test_an_agent_is_told_where_to_send(wired):
    async with wired(environ={"NO_PROXY": "intern.example"}) as proxy:
        tap, other = proxy.begin("t-1", 0), proxy.begin("t-2", 0)
    base = tap.wire_url.removesuffix("/v1")
    assert base.startswith("http://127.0.0.1:")
    assert tap.wire_url == f"{base}/v1" != other.wire_url
    assert tap.environ == {
        "OPENAI_BASE_URL": tap.wire_url,
        "OPENAI_API_BASE": tap.wire_url,
        "ANTHROPIC_BASE_URL": base,
        "NO_PROXY": "intern.example,127.0.0.1",
        "no_proxy": "intern.example,127.0.0.1",
    }
    assert tap.headers == {"x-foldproof-wire": tap.wire_url}
    assert len(base.rpartition("/")[2]) >= 24


async def test_a_call_is_passed_on_and_recorded(wired, upstream, post, bodies):
    async with wired() as proxy:
        url = proxy.begin("t", 0).wire_url
        body = bodies.asked("Tea?", temperature=0)
        headers = {"Authorization": f"Bearer {KEY}", "X-Team": "blue", "Cookie": "a=b", "x-foldproof-wire": "no"}
        status, text = await post(f"{url}/chat/completions?version=7%261", body, headers=headers)
        seen = await proxy.take("t", ended=True)
    assert (status, json.loads(text)) == (200, bodies.answer())
    request, sent = upstream.asked[0]
    assert (request.method, request.raw_path) == ("POST", "/v1/chat/completions?version=7%261")
    assert json.loads(sent) == body
    assert request.headers["Authorization"] == f"Bearer {KEY}"
    assert (request.headers["X-Team"], request.headers["Cookie"]) == ("blue", "a=b")
    assert request.headers["Host"] in upstream.url
    assert "x-foldproof-wire" not in request.headers
    (call,) = seen.calls
    assert seen.source == "wire"
    assert seen.notes == ()
    assert (call.prompt, call.answer, call.api, call.model_name) == ("[user]\nTea?", "fine", "chat", "m-1")
    assert (call.status, call.error, call.stream, call.tool_calls) == (200, "", False, ())
    assert call.usage == Usage(7, 2)
    assert json.loads(call.request) == body
    assert 0 < call.duration_s < 5
    assert KEY not in repr(seen)


async def test_anthropic_calls_have_an_upstream_of_their_own(wired, upstream, post):
    message = {"type": "message", "model": "c-1", "content": [{"type": "text", "text": "Hi"}]}
    upstream.answer = message
    settings = {"openai": "http://127.0.0.1:1/v1", "anthropic": f"{upstream.url}/proxied/"}
    async with wired(settings=settings) as proxy:
        base = proxy.begin("t", 0).environ["ANTHROPIC_BASE_URL"]
        body = {"model": "c", "max_tokens": 9, "messages": [{"role": "user", "content": "Hello"}]}
        for path in ("/v1/messages", "/v1/v1/messages", "/v1/messages/count_tokens"):
            assert (await post(base + path, body))[0] == 200
        async with aiohttp.ClientSession() as session:
            listing = await session.get(f"{base}/v1/models", headers={"anthropic-version": "2023-06-01"})
            assert listing.status == 200
        seen = await proxy.take("t", ended=True)
    assert [request.path for request, _ in upstream.asked] == [
        "/proxied/v1/messages",
        "/proxied/v1/messages",
        "/proxied/v1/messages/count_tokens",
        "/proxied/v1/models",
    ]
    assert [(call.api, call.prompt, call.answer) for call in seen.calls] == [("messages", "[user]\nHello", "Hi")] * 2
    assert seen.notes == (
        "passed on, no call of a model: GET /v1/models (1 ×)",
        "passed on, no call of a model: POST /v1/messages/count_tokens (1 ×)",
    )


async def test_what_asks_no_model_passes_and_is_counted(wired, upstream, client, post):
    upstream.answer = {"data": [{"embedding": [0.5]}]}
    async with wired() as proxy:
        url = proxy.begin("t", 0).wire_url
        for _ in range(2):
            assert (await post(f"{url}/embeddings", {"input": "tea"}))[0] == 200
        async with client.get(f"{url}/models") as response:
            assert await response.json() == upstream.answer
        async with client.head(f"{url}/models") as response:
            assert response.status == 200
        seen = await proxy.take("t", ended=True)
        assert await proxy.take("t", ended=True) is None
    assert seen.calls == ()
    assert seen.notes[-1] == "passed on, no call of a model: POST /v1/embeddings (2 ×)"
    assert len(upstream.asked) == 4


async def test_nothing_sent_is_told_where_calls_were_expected(wired, upstream):
    async with wired() as proxy:
        proxy.begin("t", 0)
        assert await proxy.take("t", ended=False) is None
        silent = await proxy.take("t", ended=True)
    assert silent.calls == ()
    assert silent.notes[0].startswith("no request came: the agent asked no model, or not at OPENAI_BASE_URL")


async def test_nothing_sent_is_nothing_seen(wired, upstream):
    async with wired(settings={"on": True}) as proxy:
        proxy.begin("t", 0)
        assert await proxy.take("t", ended=False) is None
        assert await proxy.take("t", ended=True) is None
        assert await proxy.take("unknown", ended=True) is None


async def test_calls_are_taken_once_and_in_order(wired, post, bodies):
    async with wired() as proxy:
        url = proxy.begin("t", 0).wire_url + "/chat/completions"
        await post(url, bodies.asked("one"))
        await post(url, bodies.asked("two"))
        building = await proxy.take("t", ended=False)
        await post(url, bodies.asked("three"))
        answering = await proxy.take("t", ended=True)
    assert [call.prompt for call in building.calls] == ["[user]\none", "[user]\ntwo"]
    assert [call.prompt for call in answering.calls] == ["[user]\nthree"]


@pytest.mark.parametrize("ended", ["ended", "unknown"])
async def test_only_a_running_trial_is_served(wired, upstream, post, bodies, ended):
    async with wired() as proxy:
        url = proxy.begin("t", 0).wire_url
        if ended == "ended":
            await proxy.take("t", ended=True)
        else:
            url = url.replace("/t/", "/t/x")
        status, text = await post(f"{url}/chat/completions", bodies.asked("?"))
        status_above, _ = await post(f"http://127.0.0.1:{proxy.port}/", {})
    assert (status, status_above) == (404, 404)
    assert "no trial has this address" in json.loads(text)["error"]["message"]
    assert json.loads(text)["type"] == "error"
    assert upstream.asked == []


@pytest.mark.parametrize(
    ("host", "status"), [("evil.example", 403), ("127.0.0.1", 403), ("localhost:{}", 200), ("127.0.0.1:{}", 200)]
)
async def test_another_host_is_refused(wired, upstream, post, bodies, host, status):
    async with wired() as proxy:
        url = proxy.begin("t", 0).wire_url
        headers = {"Host": host.format(proxy.port)}
        assert (await post(f"{url}/chat/completions", bodies.asked("?"), headers=headers))[0] == status
    assert len(upstream.asked) == (status == 200)


@pytest.mark.parametrize("status", [400, 401, 404, 429, 500, 503])
async def test_errors_of_the_upstream_are_passed_on(wired, upstream, client, bodies, status):
    async def fail(_):
        return web.json_response({"error": {"message": "no"}}, status=status, headers={"Retry-After": "3"})

    upstream.answer = fail
    async with wired() as proxy:
        url = proxy.begin("t", 0).wire_url
        async with client.post(f"{url}/chat/completions", json=bodies.asked("?")) as response:
            assert response.status == status
            assert response.headers["Retry-After"] == "3"
            assert await response.json() == {"error": {"message": "no"}}
        seen = await proxy.take("t", ended=True)
    assert [(call.status, call.error, call.answer) for call in seen.calls] == [(status, f"{status}: no", "")]


async def test_redirects_are_not_followed(wired, upstream, client, bodies):
    async def elsewhere(_):
        return web.Response(status=307, headers={"Location": "http://127.0.0.1:1/x"})

    upstream.answer = elsewhere
    async with wired() as proxy:
        url = proxy.begin("t", 0).wire_url
        async with client.post(f"{url}/chat/completions", json=bodies.asked("?"), allow_redirects=False) as response:
            assert (response.status, response.headers["Location"]) == (307, "http://127.0.0.1:1/x")
        (call,) = (await proxy.take("t", ended=True)).calls
    assert (call.status, call.error) == (307, "status 307")


async def test_an_upstream_out_of_reach_is_a_502_that_clients_can_read(wired, post, bodies):
    nowhere = f"http://127.0.0.1:{unused_port()}"
    async with wired(settings={"openai": nowhere, "anthropic": nowhere}) as proxy:
        url = proxy.begin("t", 0).wire_url
        status, text = await post(f"{url}/chat/completions", bodies.asked("?"))
        other, _ = await post(f"{url}/messages", bodies.asked("?"))
        seen = await proxy.take("t", ended=True)
    error = json.loads(text)
    assert (status, other, error["type"], error["error"]["code"]) == (502, 502, "error", "upstream_unreachable")
    assert f"no answer from the upstream {nowhere}" in error["error"]["message"]
    assert [call.status for call in seen.calls] == [502, 502]
    assert all(nowhere in call.error for call in seen.calls)


async def test_a_stream_passes_as_it_comes_and_is_recorded_whole(wired, upstream, client, bodies):
    first_came = anyio.Event()
    parts = [bodies.piece(word) for word in ("Tea ", "with ", "milk")]
    usage = {"choices": [], "usage": {"prompt_tokens": 5, "completion_tokens": 3}}
    upstream.answer = bodies.streaming(*parts, bodies.piece(finish="stop"), usage, pause=first_came.wait)
    async with wired() as proxy:
        url = proxy.begin("t", 0).wire_url
        with anyio.fail_after(10):
            async with client.post(f"{url}/chat/completions", json=bodies.asked("?", stream=True)) as response:
                assert response.content_type == "text/event-stream"
                first = await response.content.readany()
                assert b"Tea" in first
                first_came.set()  # the upstream sends its last part only now
                rest = await response.read()
        seen = await proxy.take("t", ended=True)
    assert (first + rest).decode() == bodies.stream(*parts, bodies.piece(finish="stop"), usage)
    (call,) = seen.calls
    assert (call.answer, call.stream, call.error, call.usage) == ("Tea with milk", True, "", Usage(5, 3))


async def test_a_stream_that_breaks_off_breaks_off(wired, upstream, client, bodies):
    upstream.answer = bodies.streaming(bodies.piece("Half an "), bodies.piece("answ"), done=False, broken=True)
    async with wired() as proxy:
        url = proxy.begin("t", 0).wire_url
        async with client.post(f"{url}/chat/completions", json=bodies.asked("?", stream=True)) as response:
            with pytest.raises(aiohttp.ClientPayloadError):
                await response.read()
        (call,) = (await proxy.take("t", ended=True)).calls
    assert call.answer == "Half an answ"
    assert "broke off" in call.error


async def test_a_whole_answer_that_breaks_off_breaks_off(wired, upstream, client, bodies):
    async def half(request):
        response = web.StreamResponse(headers={"Content-Type": "application/json", "Content-Length": "500"})
        await response.prepare(request)
        await response.write(b'{"choices": [')
        request.transport.close()
        return response

    upstream.answer = half
    async with wired() as proxy:
        url = proxy.begin("t", 0).wire_url
        async with client.post(f"{url}/chat/completions", json=bodies.asked("?")) as response:
            assert response.status == 200
            with pytest.raises(aiohttp.ClientPayloadError):
                await response.read()
        (call,) = (await proxy.take("t", ended=True)).calls
    assert "broke off" in call.error
    assert call.answer == ""


async def test_a_stream_without_its_last_part_is_no_whole_answer(wired, upstream, post, bodies):
    upstream.answer = bodies.streaming(bodies.piece("Half"), done=False)
    async with wired() as proxy:
        url = proxy.begin("t", 0).wire_url
        await post(f"{url}/chat/completions", bodies.asked("?"))
        (call,) = (await proxy.take("t", ended=True)).calls
    assert (call.answer, call.error) == ("Half", "the stream ended before its last part")


async def test_a_client_that_goes_away_ends_the_call_of_the_upstream(wired, upstream, bodies):
    gone = anyio.Event()

    async def endless(request):
        response = web.StreamResponse(headers={"Content-Type": "text/event-stream"})
        await response.prepare(request)
        try:
            while True:
                await response.write(bodies.stream(bodies.piece("word "), done=False).encode())
                await anyio.sleep(0.01)
        finally:
            gone.set()

    upstream.answer = endless
    async with wired() as proxy:
        url = proxy.begin("t", 0).wire_url
        with anyio.fail_after(10):
            async with (
                aiohttp.ClientSession() as session,
                session.post(f"{url}/chat/completions", json=bodies.asked("?", stream=True)) as response,
            ):
                await response.content.readany()
                response.close()
            await gone.wait()
        (call,) = (await proxy.take("t", ended=True)).calls
    assert call.answer.startswith("word")
    assert call.error == "the agent went away before the answer's end"


async def test_a_client_that_goes_away_while_the_model_thinks_ends_the_call(wired, upstream, post, bodies):
    gone = anyio.Event()

    async def think(_):
        try:
            await anyio.sleep(60)
        finally:
            gone.set()

    upstream.answer = think
    async with wired() as proxy:
        url = proxy.begin("t", 0).wire_url
        with anyio.fail_after(10):
            with pytest.raises(TimeoutError):
                await post(f"{url}/chat/completions", bodies.asked("?"), timeout=aiohttp.ClientTimeout(0.1))
            await gone.wait()
        (call,) = (await proxy.take("t", ended=True)).calls
    assert (call.status, call.error) == (0, "the agent went away before the answer's end")


async def test_a_client_that_goes_away_after_the_last_part_has_its_answer(wired, upstream, bodies):
    """Clients stop at `[DONE]`, while a server may hold the connection a little longer."""

    async def slow_to_close(request):
        response = web.StreamResponse(headers={"Content-Type": "text/event-stream"})
        await response.prepare(request)
        await response.write(bodies.stream(bodies.piece("whole", "stop")).encode())
        await anyio.sleep(5)
        return response

    upstream.answer = slow_to_close
    async with wired() as proxy:
        url = proxy.begin("t", 0).wire_url
        async with (
            aiohttp.ClientSession() as session,
            session.post(f"{url}/chat/completions", json=bodies.asked("?", stream=True)) as response,
        ):
            await response.content.readany()
            response.close()
        (call,) = (await proxy.take("t", ended=True)).calls
    assert (call.answer, call.error) == ("whole", "")


async def test_a_call_in_flight_at_the_end_of_its_trial_is_broken_off(wired, upstream, post, bodies):
    async def never(_):
        await anyio.sleep(60)

    upstream.answer = never
    outcome = []

    async def ask(url):
        try:
            await post(url, bodies.asked("?"))
        except aiohttp.ClientError as error:
            outcome.append(error)

    async with wired() as proxy, anyio.create_task_group() as group:
        group.start_soon(ask, proxy.begin("t", 0).wire_url + "/chat/completions")
        await upstream.came.wait()
        assert await proxy.take("t", ended=False) is None
        started = time.monotonic()
        (call,) = (await proxy.take("t", ended=True)).calls
    assert time.monotonic() - started < 5
    assert call.error == "broken off: the trial ended before the answer did"
    assert (call.status, call.prompt) == (0, "[user]\n?")
    assert outcome


async def test_a_call_that_ends_within_the_moment_of_grace_is_whole(wired, upstream, post, bodies):
    async def soon(_):
        await anyio.sleep(0.3)
        return web.json_response(bodies.answer("late"))

    upstream.answer = soon
    async with wired() as proxy, anyio.create_task_group() as group:
        group.start_soon(post, proxy.begin("t", 0).wire_url + "/chat/completions", bodies.asked("?"))
        await upstream.came.wait()
        (call,) = (await proxy.take("t", ended=True)).calls
    assert (call.answer, call.error) == ("late", "")


async def test_closing_does_not_wait_for_what_is_in_flight(wired, upstream, post, bodies):
    async def never(_):
        await anyio.sleep(60)

    async def ask(url):
        with pytest.raises(aiohttp.ClientError):
            await post(url, bodies.asked("?"))

    upstream.answer = never
    started = time.monotonic()
    async with anyio.create_task_group() as group, wired() as proxy:
        group.start_soon(ask, proxy.begin("t", 0).wire_url + "/chat/completions")
        await upstream.came.wait()
    assert time.monotonic() - started < 5


async def test_bodies_of_megabytes_pass(wired, upstream, client, bodies):
    text = "é" * 2_000_000
    upstream.answer = bodies.answer(text)
    async with wired() as proxy:
        url = proxy.begin("t", 0).wire_url
        body = bodies.asked(text)
        data = io.BytesIO(json.dumps(body).encode())
        async with client.post(f"{url}/chat/completions", data=data, headers={"Expect": "100-continue"}) as response:
            assert (await response.json())["choices"][0]["message"]["content"] == text
        (call,) = (await proxy.take("t", ended=True)).calls
    assert call.prompt == f"[user]\n{text}"
    assert call.answer == text
    assert json.loads(upstream.asked[0][1]) == body


@pytest.mark.parametrize("coding", ["gzip", "deflate", "x-none"])
async def test_a_packed_answer_reaches_the_client_and_the_record(wired, upstream, client, bodies, coding):
    """Unpacked answers are asked for; a server may pack them all the same."""
    import zlib

    plain = json.dumps(bodies.answer("packed")).encode()
    packed = gzip.compress(plain) if coding == "gzip" else zlib.compress(plain)

    async def pack(request):
        assert request.headers["Accept-Encoding"] == "identity"
        headers = {"Content-Encoding": coding, "Content-Type": "application/json"}
        return web.Response(body=packed, headers=headers)

    upstream.answer = pack
    async with wired() as proxy:
        url = proxy.begin("t", 0).wire_url
        async with (
            aiohttp.ClientSession(auto_decompress=False) as session,
            session.post(f"{url}/chat/completions", json=bodies.asked("?")) as response,
        ):
            assert await response.read() == packed
            assert response.headers["Content-Encoding"] == coding
        seen = await proxy.take("t", ended=True)
    known = coding != "x-none"
    assert [call.answer for call in seen.calls] == ["packed" if known else ""]
    assert seen.calls[0].error == ""
    assert seen.notes == (
        () if known else ("call 1: the answer cannot be read: it is packed as 'x-none', which is not read",)
    )


async def test_a_packed_request_is_passed_on_packed_and_read(wired, upstream, client, bodies):
    packed = gzip.compress(json.dumps(bodies.asked("packed")).encode())

    async def unpack(request):
        assert request.headers["Content-Encoding"] == "gzip"
        return web.json_response(bodies.answer())

    upstream.answer = unpack
    async with wired() as proxy:
        url = proxy.begin("t", 0).wire_url
        headers = {"Content-Encoding": "gzip", "Content-Type": "application/json"}
        async with client.post(f"{url}/chat/completions", data=packed, headers=headers) as response:
            assert response.status == 200
        (call,) = (await proxy.take("t", ended=True)).calls
    assert call.prompt == "[user]\npacked"


@pytest.mark.parametrize(
    ("body", "note"),
    [
        (b"", "call 1: the request is no JSON object"),
        (b"[1]", "call 1: the request is no JSON object"),
        (b"\xff\xfe", "call 1: the request cannot be read: it is not UTF-8"),
        (b'{"messages": "none"}', "call 1: no text is found in the request"),
    ],
)
async def test_a_request_of_unknown_shape_is_recorded_with_a_note(wired, client, body, note):
    async with wired() as proxy:
        url = proxy.begin("t", 0).wire_url
        async with client.post(f"{url}/chat/completions", data=body) as response:
            assert response.status == 200
        seen = await proxy.take("t", ended=True)
    assert (seen.calls[0].answer, seen.calls[0].prompt) == ("fine", "")
    assert seen.notes == (note,)


async def test_an_answer_of_unknown_shape_is_recorded_with_a_note(wired, upstream, post, bodies):
    async def page(_):
        return web.Response(text="<html>", content_type="text/html")

    upstream.answer = page
    async with wired() as proxy:
        url = proxy.begin("t", 0).wire_url
        assert await post(f"{url}/chat/completions", bodies.asked("?")) == (200, "<html>")
        seen = await proxy.take("t", ended=True)
    assert (seen.calls[0].answer, seen.calls[0].error) == ("", "")
    assert seen.notes == ("call 1: the answer is no JSON object",)


async def test_an_empty_answer_keeps_its_status(wired, upstream, client):
    async def nothing(_):
        return web.Response(status=204)

    upstream.answer = nothing
    async with wired() as proxy:
        url = proxy.begin("t", 0).wire_url
        async with client.delete(f"{url}/conversations/7") as response:
            assert response.status == 204


async def test_an_agent_in_plain_http_is_served(wired, upstream, bodies):
    """A client that knows no pools and no chunks: one request over a bare socket."""
    upstream.answer = bodies.streaming(bodies.piece("bare", "stop"))
    async with wired() as proxy:
        path = proxy.begin("t", 0).wire_url.partition("//")[2].partition("/")[2]

        def ask():
            with socket.create_connection(("127.0.0.1", proxy.port), timeout=10) as connection:
                body = json.dumps(bodies.asked("?")).encode()
                head = f"POST /{path}/chat/completions HTTP/1.0\r\nHost: 127.0.0.1:{proxy.port}\r\n"
                connection.sendall(f"{head}Content-Length: {len(body)}\r\n\r\n".encode() + body)
                return b"".join(iter(lambda: connection.recv(65536), b""))

        answer = await anyio.to_thread.run_sync(ask)
    assert answer.startswith(b"HTTP/1.0 200")
    assert answer.endswith(bodies.stream(bodies.piece("bare", "stop")).encode())


async def test_a_tool_call_is_recorded(wired, upstream, post, bodies):
    calls = [{"id": "c1", "type": "function", "function": {"name": "search", "arguments": '{"q": "tea"}'}}]
    upstream.answer = bodies.answer(None, tool_calls=calls)
    async with wired() as proxy:
        url = proxy.begin("t", 0).wire_url
        await post(f"{url}/chat/completions", bodies.asked("?"))
        (call,) = (await proxy.take("t", ended=True)).calls
    assert (call.answer, call.tool_calls) == ("", (ToolCall("search", {"q": "tea"}),))


async def test_a_later_response_goes_on_from_an_earlier_one(wired, upstream, post):
    upstream.answer = {"id": "r1", "output": [{"type": "message", "content": [{"type": "output_text", "text": "Ann"}]}]}
    async with wired() as proxy:
        url = proxy.begin("t", 0).wire_url + "/responses"
        await post(url, {"model": "m", "instructions": "Be kind.", "input": "Who am I?"})
        await proxy.take("t", ended=False)
        await post(url, {"model": "m", "instructions": "Be brief.", "input": "Sure?", "previous_response_id": "r1"})
        await post(url, {"model": "m", "input": "And?", "previous_response_id": "r0", "conversation": "c7"})
        seen = await proxy.take("t", ended=True)
    known, unknown = seen.calls
    assert known.prompt == "[system]\nBe brief.\n\n[user]\nWho am I?\n\n[assistant]\nAnn\n\n[user]\nSure?"
    assert unknown.prompt == "[user]\nAnd?"
    assert seen.notes == (
        "call 2: it goes on from a response that this trial did not get: its text is not in the prompt",
        "call 2: the server adds the text of its `conversation`, which is not in the prompt",
    )


async def test_what_is_nested_too_deeply_is_recorded_all_the_same(wired, upstream, client):
    async def deep(_):
        arguments = "[" * 300 + "]" * 300
        call = f'{{"function": {{"name": "f", "arguments": {{"a": {arguments}, "b": NaN}}}}}}'
        return web.Response(
            text=f'{{"choices": [{{"message": {{"tool_calls": [{call}]}}}}]}}', content_type="application/json"
        )

    upstream.answer = deep
    async with wired() as proxy:
        url = proxy.begin("t", 0).wire_url
        for levels in (300, 900, 100_000):
            body = '{"messages": [{"role": "user", "content": [' + "[" * levels + "]" * levels + "]}]}"
            async with client.post(f"{url}/chat/completions", data=body) as response:
                assert response.status == 200
        seen = await proxy.take("t", ended=True)
    assert [call.request.count("[") - 2 for call in seen.calls] == [300, 900, 100_000]
    for call in seen.calls:
        ((name, args),) = [(made.name, made.args) for made in call.tool_calls]
        assert (name, list(args)) == ("f", ["_raw"])
        assert '"b": NaN' in args["_raw"]


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("POST", "/threads/thread_1/messages"),
        ("GET", "/threads/thread_1/messages/msg_1"),
        ("POST", "/conversations/c1/messages"),
    ],
)
async def test_the_messages_of_a_thread_stay_with_openai(wired, upstream, client, method, path):
    """A path that only ends like Anthropic's: neither the key goes there, nor is it a call of a model."""
    settings = {"openai": f"{upstream.url}/v1", "anthropic": "http://127.0.0.1:1"}
    async with wired(settings=settings) as proxy:
        url = proxy.begin("t", 0).wire_url
        headers = {"Authorization": f"Bearer {KEY}"}
        async with client.request(method, url + path, json={"content": "x"}, headers=headers) as response:
            assert response.status == 200
        seen = await proxy.take("t", ended=True)
    assert [request.path for request, _ in upstream.asked] == [f"/v1{path}"]
    assert (seen.calls, seen.notes) == ((), (f"passed on, no call of a model: {method} /v1{path} (1 ×)",))


@pytest.mark.parametrize(
    ("path", "calls"), [("/v1/messages", 1), ("/messages?beta=true", 1), ("/v1/messages/count_tokens", 0)]
)
async def test_anthropics_messages_go_to_anthropic(wired, upstream, post, path, calls):
    settings = {"openai": "http://127.0.0.1:1/v1", "anthropic": upstream.url}
    async with wired(settings=settings) as proxy:
        base = proxy.begin("t", 0).environ["ANTHROPIC_BASE_URL"]
        assert (await post(base + path, {"messages": [{"role": "user", "content": "Hi"}]}))[0] == 200
        seen = await proxy.take("t", ended=True)
    assert [call.api for call in seen.calls] == ["messages"] * calls
    assert len(upstream.asked) == 1


@pytest.mark.parametrize("streamed", [True, False])
async def test_an_answer_too_long_to_be_held_is_passed_on_whole(wired, upstream, client, bodies, monkeypatch, streamed):
    monkeypatch.setattr("foldproof.agents.wire.exchange.MOST_BYTES", 2**20)
    parts = [bodies.piece(str(number) * 2**18) for number in range(8)]
    whole = bodies.stream(*parts) if streamed else json.dumps(bodies.answer("x" * 2**21))
    upstream.answer = bodies.streaming(*parts) if streamed else bodies.answer("x" * 2**21)
    async with wired() as proxy:
        url = proxy.begin("t", 0).wire_url
        async with client.post(f"{url}/chat/completions", json=bodies.asked("?", stream=streamed)) as response:
            assert (await response.read()).decode() == whole
        held = sum(len(chunk) for exchange in proxy._trials["t"].exchanges for chunk in exchange.chunks)
        (call,) = (await proxy.take("t", ended=True)).calls
    assert held <= 2**20
    assert call.error == "cut: the answer is longer than 1 MB, the rest was only passed on"
    assert call.answer.startswith("0" * 2**18) is streamed


async def test_a_stream_without_an_end_is_held_up_to_the_bound(wired, upstream, bodies, monkeypatch):
    monkeypatch.setattr("foldproof.agents.wire.exchange.MOST_BYTES", 2**20)

    async def endless(request):
        response = web.StreamResponse(headers={"Content-Type": "text/event-stream"})
        await response.prepare(request)
        while True:
            await response.write(b": keep\n\n" * 2**13)

    upstream.answer = endless
    came = 0
    async with wired() as proxy:
        url = proxy.begin("t", 0).wire_url
        async with (
            aiohttp.ClientSession() as session,
            session.post(f"{url}/chat/completions", json=bodies.asked("?", stream=True)) as response,
        ):
            while came < 2**23:
                came += len(await response.content.readany())
            response.close()
        held = sum(len(chunk) for exchange in proxy._trials["t"].exchanges for chunk in exchange.chunks)
        (call,) = (await proxy.take("t", ended=True)).calls
    assert held <= 2**20
    assert call.error.startswith("cut: ")


@pytest.mark.parametrize("packs", ["answer", "request"])
async def test_a_body_that_unpacks_beyond_the_bound_is_not_read(wired, upstream, bodies, monkeypatch, packs):
    monkeypatch.setattr("foldproof.agents.wire.reading.MOST_BYTES", 2**20)
    large = gzip.compress(json.dumps(bodies.asked("x" * 2**22)).encode())
    headers = {"Content-Encoding": "gzip", "Content-Type": "application/json"}

    async def answer(_):
        return web.Response(body=large, headers=headers) if packs == "answer" else web.json_response(bodies.answer())

    upstream.answer = answer
    async with wired() as proxy, aiohttp.ClientSession(auto_decompress=False) as session:
        url = proxy.begin("t", 0).wire_url
        more = {"data": large, "headers": headers} if packs == "request" else {"json": bodies.asked("?")}
        async with session.post(f"{url}/chat/completions", **more) as response:
            assert (await response.read() == large) is (packs == "answer")
        seen = await proxy.take("t", ended=True)
    assert seen.notes == (f"call 1: the {packs} cannot be read: it has more than 1 MB once it is unpacked",)


@pytest.mark.parametrize(
    "raw",
    [
        "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
        "POST {path} HTTP/1.1\r\nHost: {host}\r\nAuthorization: Bearer {key}\x01\r\n\r\n",
        "POST {path} HTTP/1.1\r\nHost: {host}\r\nTransfer-Encoding: chunked\r\n\r\nZZZ\r\n",
    ],
)
@pytest.mark.parametrize("trials", [1, 2])
async def test_what_is_no_http_is_a_note_and_no_trace_on_the_terminal(wired, capfd, caplog, raw, trials):
    async with wired() as proxy:
        urls = [proxy.begin(f"t{number}", 0).wire_url for number in range(trials)]
        path = urls[0].partition("//")[2].partition("/")[2]
        for _ in range(2):
            stream = await anyio.connect_tcp("127.0.0.1", proxy.port)
            await stream.send(raw.format(path=f"/{path}/x", host=f"127.0.0.1:{proxy.port}", key=KEY).encode())
            with anyio.move_on_after(2):
                assert b" 400 " in await stream.receive()
            await stream.aclose()
        found = [await proxy.take(f"t{number}", ended=True) for number in range(trials)]
    notes = [note for seen in found for note in seen.notes if "could not be taken" in note]
    assert len(notes) == trials, "said once with each trial"
    assert all("another that ran beside it" in note for note in notes) is (trials > 1)
    assert KEY not in repr(found)
    assert capfd.readouterr() == ("", "")
    assert caplog.records == []
