"""An upstream that answers by a script, and a proxy before it."""

import json
from contextlib import asynccontextmanager

import aiohttp
import anyio
import pytest
from aiohttp import web
from aiohttp.test_utils import TestServer

from foldproof.agents.watch import Watching, WatchSetup
from foldproof.agents.wire import open_wire


class Bodies:
    """Bodies as clients and servers write them."""

    @staticmethod
    def asked(*texts, **more):
        """The request of a chat completion."""
        return {"model": "m", "messages": [{"role": "user", "content": text} for text in texts], **more}

    @staticmethod
    def answer(text="fine", **more):
        """A chat completion."""
        choice = {"index": 0, "message": {"role": "assistant", "content": text, **more}, "finish_reason": "stop"}
        usage = {"prompt_tokens": 7, "completion_tokens": 2}
        return {"object": "chat.completion", "model": "m-1", "choices": [choice], "usage": usage}

    @staticmethod
    def piece(text="", finish=None, **delta):
        """A piece of a streamed one."""
        delta = {**({"content": text} if text else {}), **delta}
        return {"model": "m-1", "choices": [{"index": 0, "delta": delta, "finish_reason": finish}]}

    @staticmethod
    def stream(*parts, done=True):
        """Parts as server-sent events."""
        return "".join(f"data: {json.dumps(part)}\n\n" for part in parts) + ("data: [DONE]\n\n" if done else "")

    def streaming(self, *parts, done=True, broken=False, pause=None):
        """A rule that streams these parts, waiting for `pause` before the last one."""

        async def rule(request):
            response = web.StreamResponse(headers={"Content-Type": "text/event-stream; charset=utf-8"})
            await response.prepare(request)
            for number, part in enumerate(parts, 1):
                if pause is not None and number == len(parts):
                    await pause()
                await response.write(self.stream(part, done=done and number == len(parts)).encode())
            if broken:
                request.transport.close()
            return response

        return rule


@pytest.fixture
def bodies():
    return Bodies()


class Upstream:
    """What was asked, and what is answered: a function of the request, or JSON for every one."""

    def __init__(self):
        self.asked = []
        self.answer = Bodies.answer()
        self.url = ""
        self.came = anyio.Event()

    async def handle(self, request):
        body = await request.read()
        self.asked.append((request, body))
        self.came.set()
        answer = self.answer
        if callable(answer):
            answer = await answer(request)
        return answer if isinstance(answer, web.StreamResponse) else web.json_response(answer)


@pytest.fixture
async def upstream():
    """A server on loopback; its URL ends before `/v1`."""
    made = Upstream()
    app = web.Application(client_max_size=2**30)
    app.router.add_route("*", "/{path:.*}", made.handle)
    server = TestServer(app)
    await server.start_server(auto_decompress=False)  # packed bodies stand as they came
    async with server:
        made.url = str(server.make_url("")).rstrip("/")
        yield made


@pytest.fixture
def wired(upstream, tmp_path):
    """Opens a proxy before the upstream; its cassettes lie in `tmp_path`."""

    @asynccontextmanager
    async def opening(cassette="", *, environ=None, settings=None):
        given = {"openai": f"{upstream.url}/v1", "anthropic": upstream.url} if settings is None else settings
        watching = Watching(cassette, tmp_path / "cassettes")
        setup = WatchSetup("configs.c.wire", given, {}, environ or {}, watching, "c")
        async with open_wire(setup) as proxy:
            yield proxy

    return opening


@pytest.fixture
async def client():
    async with aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=0)) as session:
        yield session


@pytest.fixture
def post(client):
    """Posts a body to an address; gives status and text."""

    async def posting(url, body, **more):
        async with client.post(url, json=body, **more) as response:
            return response.status, await response.text()

    return posting
