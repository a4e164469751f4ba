"""A scripted model: a server on loopback that speaks the protocols of the providers and answers by a rule."""

from __future__ import annotations

import asyncio
import json
import threading
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

from foldproof.core import content_hash
from foldproof.testing.answers import Exchange, ModelFailure, ModelReply, RefusedError, Rule, reply_from
from foldproof.testing.anthropic_messages import AnthropicMessages
from foldproof.testing.asked import ModelRequest
from foldproof.testing.chat import ChatCompletions
from foldproof.testing.dialect import CREATED, Dialect, Event, encode
from foldproof.testing.embeddings import Embed, embedded, hashed_words, read_embeddings
from foldproof.testing.endpoint import accepted
from foldproof.testing.responses import Responses

if TYPE_CHECKING:
    from aiohttp import web

_LARGEST_BODY = 64 * 2**20
_GRACE_S = 0.2


class ScriptedModel:
    """A model on loopback, for tests: OpenAI's chat completions, responses and embeddings, Anthropic's messages.

    Each request becomes a `ModelRequest`; `rule` gets it and returns a text, a `ToolCall` or several, a `ModelReply`
    or a `ModelFailure`, which is sent in the shape of the provider, as a stream where one was asked for. A rule
    must not wait: `latency_s` does, before each answer. The same requests get the same bytes.

    What a provider would refuse is refused in its shape: another path, a body that is no JSON, a field that is
    missing, a tool result without its call, a call without its result. With `key`, so is a request without it.
    `headers` are sent with every answer. `embed` makes the vectors, or fails.

    Use it as a context manager. `requests` holds what was asked and answered, `refused` what was not understood,
    `asked` counts the questions by their text; `most_in_flight` is the highest number answered at once. An error
    that the rule raised is answered with status 500, and raised again at the end of the context.
    """

    def __init__(
        self,
        rule: Rule,
        *,
        latency_s: float = 0.0,
        key: str = "",
        headers: Mapping[str, str] | None = None,
        embed: Embed = hashed_words,
        names: Sequence[str] = ("scripted",),
    ) -> None:
        self.requests: list[ModelRequest] = []
        self.refused: list[str] = []
        self.most_in_flight = 0
        self._rule = rule
        self._latency_s = latency_s
        self._key = key
        self._headers = dict(headers or {})
        self._embed = embed
        self._names = tuple(names)
        self._dialects: Mapping[str, Dialect] = {
            "/v1/chat/completions": ChatCompletions(),
            "/v1/responses": Responses(),
            "/v1/messages": AnthropicMessages(),
        }
        self._seen: Counter[str] = Counter()
        self._errors: list[Exception] = []
        self._in_flight = 0
        self._port = 0
        self._ready = threading.Event()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._stop: asyncio.Event | None = None
        self._thread = threading.Thread(target=lambda: asyncio.run(self._serve()), daemon=True)

    @property
    def url(self) -> str:
        """The base URL as OpenAI's clients are given it, with `/v1`."""
        return f"{self.root_url}/v1"

    @property
    def root_url(self) -> str:
        """The base URL as Anthropic's clients are given it, without `/v1`."""
        return f"http://127.0.0.1:{self._port}"

    @property
    def environ(self) -> Mapping[str, str]:
        """The variables by which the official clients find this model."""
        return {"OPENAI_BASE_URL": self.url, "ANTHROPIC_BASE_URL": self.root_url}

    @property
    def asked(self) -> Counter[str]:
        """How often each question was asked: the user's last message, or a text to embed."""
        return Counter(text for request in list(self.requests) for text in request.texts or (request.question,))

    def __enter__(self) -> Self:
        self._thread.start()
        self._ready.wait()
        if self._port == 0:
            raise self._errors.pop()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._loop is not None and self._stop is not None:
            self._loop.call_soon_threadsafe(self._stop.set)
        self._thread.join()
        if error is None and self._errors:
            raise self._errors[0]

    async def _serve(self) -> None:
        from aiohttp import web

        self._loop, self._stop = asyncio.get_running_loop(), asyncio.Event()
        application = web.Application(client_max_size=_LARGEST_BODY)
        application.router.add_route("*", "/{path:.*}", self._handle)
        runner = web.AppRunner(application, access_log=None, handler_cancellation=True, shutdown_timeout=_GRACE_S)
        try:
            await runner.setup()
            site = web.TCPSite(runner, "127.0.0.1", 0, backlog=512)
            await site.start()
            self._port = runner.addresses[0][1]
        except OSError as error:
            self._errors.append(error)
            return
        finally:
            self._ready.set()
        await self._stop.wait()
        await accepted()
        await runner.cleanup()

    async def _handle(self, request: web.Request) -> web.StreamResponse:
        with self._counted():
            path = request.path
            dialect = self._dialects.get(path, self._dialects["/v1/messages" if _is_anthropic(request) else _CHAT])
            try:
                self._check_key(request)
                if request.method == "GET" and path.rstrip("/") == "/v1/models":
                    return self._json(_listed(self._names, anthropic=_is_anthropic(request)), 200)
                asked = self._read(path, request, await request.read())
                return await self._answer(request, dialect, asked)
            except RefusedError as refusal:
                self.refused.append(f"{request.method} {path}: {refusal}")
                return self._failed(dialect, refusal.failure)

    @contextmanager
    def _counted(self) -> Iterator[None]:
        self._in_flight += 1
        self.most_in_flight = max(self.most_in_flight, self._in_flight)
        try:
            yield
        finally:
            self._in_flight -= 1

    def _check_key(self, request: web.Request) -> None:
        given = {request.headers.get("x-api-key"), request.headers.get("authorization", "").removeprefix("Bearer ")}
        if self._key and self._key not in given:
            raise RefusedError("the request does not carry the key of this model", 401)

    def _read(self, path: str, request: web.Request, content: bytes) -> ModelRequest:
        known = (*self._dialects, "/v1/embeddings")
        if path not in known:
            raise RefusedError(f"no such path: {path}; a scripted model has {', '.join(known)}", 404)
        if request.method != "POST":
            raise RefusedError(f"{path} takes POST, not {request.method}", 405)
        if path == "/v1/messages" and "anthropic-version" not in request.headers:
            raise RefusedError("the header `anthropic-version` must be there")
        try:
            body = json.loads(content, parse_constant=_no_number)
        except (ValueError, RecursionError) as error:
            raise RefusedError(f"the body is not JSON: {error}") from error
        if not isinstance(body, dict):
            raise RefusedError("the body must be a JSON object")
        read = self._dialects[path].read if path in self._dialects else read_embeddings
        asked = read(body)
        headers = {name.lower(): value for name, value in request.headers.items()}
        return ModelRequest(asked.api, body, asked.messages, asked.texts, asked.tools, headers)

    async def _answer(self, request: web.Request, dialect: Dialect, asked: ModelRequest) -> web.StreamResponse:
        limit = None if asked.api == "embeddings" else dialect.limit(asked.body)
        self.requests.append(asked)
        if self._latency_s:
            await asyncio.sleep(self._latency_s)
        try:
            if asked.api == "embeddings":
                made = embedded(asked, self._embed)
                return self._failed(dialect, made) if isinstance(made, ModelFailure) else self._json(made, 200)
            reply = reply_from(self._rule(asked), limit)
        except Exception as error:  # noqa: BLE001  # the rule is the test's own code: its error is raised at the end
            self._errors.append(error)
            return self._failed(dialect, ModelFailure(500, f"the rule raised {type(error).__name__}: {error}"))
        await asyncio.sleep(reply.latency_s)
        if isinstance(reply, ModelFailure):
            return self._failed(dialect, reply)
        exchange = Exchange(asked, reply, self._label(asked))
        if asked.stream:
            return await self._stream(request, dialect, exchange)
        if reply.breaks_after is None:
            return self._json(dialect.whole(exchange), 200, reply.headers)
        return await self._cut(request, encode(dialect.whole(exchange)), reply)

    def _label(self, asked: ModelRequest) -> str:
        """A hash of the request and of how often it came before: no clock, and no order of requests in flight."""
        said = content_hash([asked.api, asked.body])
        self._seen[said] += 1
        return content_hash([said, self._seen[said]])[:24]

    def _json(
        self, body: Mapping[str, Any], status: int, headers: Mapping[str, str] | None = None
    ) -> web.StreamResponse:
        from aiohttp import web

        told = {**self._headers, **(headers or {})}
        return web.Response(body=encode(body), status=status, headers=told, content_type="application/json")

    def _failed(self, dialect: Dialect, failure: ModelFailure) -> web.StreamResponse:
        return self._json(dialect.failed(failure), failure.status, failure.headers)

    async def _stream(self, request: web.Request, dialect: Dialect, exchange: Exchange) -> web.StreamResponse:
        from aiohttp import web

        reply = exchange.reply
        told = {"content-type": "text/event-stream; charset=utf-8", "cache-control": "no-cache"}
        response = web.StreamResponse(headers={**told, **self._headers, **reply.headers})
        await response.prepare(request)
        for at, event in enumerate(_until_break(dialect, exchange)):
            if at and reply.pace_s:
                await asyncio.sleep(reply.pace_s)
            if event is None:
                _hang_up(request)
                return response
            await response.write(event.encode())
        await response.write_eof()
        return response

    async def _cut(self, request: web.Request, body: bytes, reply: ModelReply) -> web.StreamResponse:
        from aiohttp import web

        told = {"content-type": "application/json", "content-length": str(len(body))}
        response = web.StreamResponse(headers={**told, **self._headers, **reply.headers})
        await response.prepare(request)
        await response.write(body[: len(body) // 2])
        _hang_up(request)
        return response


_CHAT = "/v1/chat/completions"


def _until_break(dialect: Dialect, exchange: Exchange) -> Iterator[Event | None]:
    """The events of a stream; where it breaks, its failure, or None for a cut."""
    reply = exchange.reply
    for at, event in enumerate(dialect.events(exchange)):
        if at == reply.breaks_after:
            yield None if reply.failure is None else dialect.failed_event(reply.failure, at)
            return
        yield event


def _hang_up(request: web.Request) -> None:
    """Close the connection after what was written, without the end that the client waits for."""
    if request.transport is not None:
        request.transport.close()


def _no_number(constant: str) -> object:
    raise ValueError(f"{constant} is no JSON number")


def _is_anthropic(request: web.Request) -> bool:
    return "anthropic-version" in request.headers or request.path.startswith("/v1/messages")


def _listed(names: Sequence[str], *, anthropic: bool) -> Mapping[str, Any]:
    if anthropic:
        shared = {"type": "model", "created_at": "2026-01-01T00:00:00Z", "lifecycle": "active"}
        rows = [{"id": name, "display_name": name, **shared} for name in names]
        return {"data": rows, "has_more": False, "first_id": names[0], "last_id": names[-1]}
    owned = {"object": "model", "created": CREATED, "owned_by": "foldproof"}
    return {"object": "list", "data": [{"id": name, **owned} for name in names]}
