"""The recording proxy: one server on loopback, where each trial has a base URL of its own."""

from __future__ import annotations

import asyncio
import io
import json
import logging
import re
import secrets
from collections.abc import AsyncIterator, Iterable, Mapping
from contextlib import asynccontextmanager

import aiohttp
from aiohttp import web
from multidict import CIMultiDict
from yarl import URL

from foldproof.agents.watch import Tap
from foldproof.agents.wire.cassette import Cassette, Kept, Slot
from foldproof.agents.wire.exchange import Exchange, WireTrial, is_anthropic
from foldproof.agents.wire.reading import seen_of
from foldproof.agents.wire.sse import pieces_of
from foldproof.agents.wire.upstreams import Upstreams, detour
from foldproof.logs import Seen

_PLACE = re.compile(r"(?:https?://[^/]*)?/t/([A-Za-z0-9_-]+)(/[^\s#]*)?$")
_HOP = frozenset(
    {
        *("connection", "keep-alive", "proxy-authenticate", "proxy-authorization", "proxy-connection"),
        *("te", "trailer", "transfer-encoding", "upgrade"),
    }
)
# Named anew for each side. Answers are asked for unpacked, so that what is recorded can be read.
_NOT_SENT = _HOP | {"host", "content-length", "accept-encoding", "expect", "x-foldproof-wire"}
_NOT_RETURNED = _HOP | {"content-length"}
_LARGE = 2**16
_GRACE_S = 1.0
_PAUSE_S = 0.2
_GONE = "the agent went away before the answer's end"
_BROKEN = "the connection to the upstream broke off"


@asynccontextmanager
async def open_proxy(
    upstreams: Upstreams, environ: Mapping[str, str], cassette: Cassette | None = None, *, expected: bool = False
) -> AsyncIterator[Proxy]:
    """A proxy that listens for as long as the context lasts, and its connections to the upstreams.

    Where calls are `expected`, or a cassette is there, a trial without a request says so. The number of connections
    has no limit of its own, and there is no time-out: the run's limits count.
    """
    async with aiohttp.ClientSession(
        # Shorter than servers hold an idle connection, so that none is used in the moment that they close it.
        connector=aiohttp.TCPConnector(limit=0, keepalive_timeout=4),
        timeout=aiohttp.ClientTimeout(total=None, sock_connect=30),
        cookie_jar=aiohttp.DummyCookieJar(),
        auto_decompress=False,
        skip_auto_headers=("Accept", "Accept-Encoding", "Content-Type", "User-Agent"),
    ) as session:
        proxy = Proxy(session, upstreams, environ, cassette=cassette, expected=expected)
        server = web.Server(
            proxy.handle, handler_cancellation=True, auto_decompress=False, access_log=None, logger=_log(proxy)
        )
        runner = web.ServerRunner(server, shutdown_timeout=0.1)
        await runner.setup()
        try:
            site = web.TCPSite(runner, "127.0.0.1", 0, backlog=512)
            await site.start()
            proxy.port = runner.addresses[0][1]
            yield proxy
        finally:
            proxy.give_up("the run ended before the answer did")
            await runner.cleanup()


_SILENCE = (
    "no request came: the agent asked no model, or not at OPENAI_BASE_URL, ANTHROPIC_BASE_URL or the `wire_url` that it"
    " was given; nothing was recorded or replayed"
)


class _Remarks(logging.Handler):
    """Requests that fail before they are requests: a remark for the records, no traceback on the terminal."""

    def __init__(self, proxy: Proxy) -> None:
        super().__init__(logging.ERROR)
        self._proxy = proxy

    def emit(self, record: logging.LogRecord) -> None:
        """Note the kind of failure alone: its text may hold a header, and with it a key."""
        error = record.exc_info[1] if record.exc_info else None
        self._proxy.remark(f"a request could not be taken: {type(error).__name__ if error else record.getMessage()}")


def _log(proxy: Proxy) -> logging.Logger:
    log = logging.Logger("foldproof.wire")  # noqa: LOG001  # of this proxy alone, in no tree of loggers
    log.addHandler(_Remarks(proxy))
    return log


class Proxy:
    """The observer of the wire: it passes on what agents send and holds what came of it, trial by trial."""

    def __init__(
        self,
        session: aiohttp.ClientSession,
        upstreams: Upstreams,
        environ: Mapping[str, str],
        *,
        cassette: Cassette | None = None,
        expected: bool = False,
    ) -> None:
        self.port = 0
        self._session = session
        self._upstreams = upstreams
        self._environ = environ
        self._cassette = cassette
        self._expected = expected or cassette is not None
        self._trials: dict[str, WireTrial] = {}
        self._tokens: dict[str, WireTrial] = {}
        self._detours: dict[str, str | None] = {}

    def begin(self, trial: str, repeat: int) -> Tap:
        """An address of its own for this trial, which nobody can guess."""
        wire = WireTrial(trial, repeat, secrets.token_urlsafe(18))
        self._trials[trial] = self._tokens[wire.token] = wire
        base = self._base(wire)
        url = f"{base}/v1"
        environ = {"OPENAI_BASE_URL": url, "OPENAI_API_BASE": url, "ANTHROPIC_BASE_URL": base}
        for name in ("NO_PROXY", "no_proxy"):
            before = self._environ.get(name) or self._environ.get(name.swapcase()) or ""
            environ[name] = ",".join(filter(None, [before, "127.0.0.1"]))
        return Tap(url, environ, {"x-foldproof-wire": url})

    async def take(self, trial: str, *, ended: bool) -> Seen | None:
        """The calls since the last time; those in flight are waited for, shortly, and ended with the trial."""
        wire = self._trials.get(trial)
        if wire is None:
            return None
        await wire.settle(_GRACE_S if ended else _PAUSE_S)
        wire.building = False
        if ended:
            del self._trials[trial], self._tokens[wire.token]
            wire.give_up("broken off: the trial ended before the answer did")
            if self._expected and not wire.heard:
                wire.notes.append(_SILENCE)
        return seen_of(wire, wire.take())

    def give_up(self, reason: str) -> None:
        """End everything that is in flight."""
        for wire in self._trials.values():
            wire.give_up(reason)

    def remark(self, text: str) -> None:
        """Note something that belongs to one of the running trials, nobody knows which, with each of them."""
        for wire in self._trials.values():
            note = f"{text} (from this trial, or another that ran beside it)" if len(self._trials) > 1 else text
            if note not in wire.notes:
                wire.notes.append(note)

    def _base(self, wire: WireTrial) -> str:
        return f"http://127.0.0.1:{self.port}/t/{wire.token}"

    async def handle(self, request: web.BaseRequest) -> web.StreamResponse:
        """Answer one request of an agent."""
        if request.host not in (f"127.0.0.1:{self.port}", f"localhost:{self.port}"):
            return _refusal(403, f"the host {request.host!r} is not the one that foldproof listens on", "wrong_host")
        place = _PLACE.match(request.raw_path)
        if place is None or place[1] not in self._tokens:
            return _nobody(known=place is not None)
        if request.headers.get("Expect", "").lower() == "100-continue":
            await request.writer.write(b"HTTP/1.1 100 Continue\r\n\r\n")
            request.writer.output_size = 0
        body = await request.content.read()
        wire = self._tokens.get(place[1])
        if wire is None:  # it ended while the body came
            return _nobody(known=True)
        exchange = Exchange(request.method, place[2] or "/", body, request.headers.get("Content-Encoding", ""))
        exchange.anthropic = "anthropic-version" in request.headers or is_anthropic(exchange.path)
        exchange.upstream = self._upstreams.anthropic if exchange.anthropic else self._upstreams.openai
        wire.exchanges.append(exchange)
        wire.heard = True
        try:
            return await self._answer(request, exchange, wire)
        except asyncio.CancelledError:
            exchange.error = exchange.error or _GONE
            raise
        except ConnectionError:
            exchange.error = exchange.error or _GONE
            return _refusal(499, _GONE, "gone")  # nobody hears it
        finally:
            exchange.end()

    async def _answer(self, request: web.BaseRequest, exchange: Exchange, wire: WireTrial) -> web.StreamResponse:
        cassette = self._cassette
        if cassette is None:
            return await self._forward(request, exchange)
        base = self._base(wire)
        slot = cassette.slot(exchange, wire, base)
        kept = await cassette.find(slot, wire)
        if kept is not None:
            exchange.kept = True
            return await _play(request, exchange, kept, body=kept.for_trial(wire, base))
        if cassette.mode == "replay":
            exchange.error, exchange.status = cassette.missed(slot, exchange), 404
            wire.notes.append(exchange.error)
            return _refusal(404, exchange.error, "cassette_miss")
        try:
            return await self._forward(request, exchange)
        finally:
            self._keep(slot, exchange, wire)

    def _keep(self, slot: Slot, exchange: Exchange, wire: WireTrial) -> None:
        if self._cassette is not None:
            try:
                self._cassette.keep(slot, exchange, trial=wire, base=self._base(wire))
            except OSError as error:
                wire.notes.append(f"an answer is not in the cassette: {error.strerror or error}")
            if exchange.cut:
                wire.notes.append(f"an answer is not in the cassette: {exchange.cut_note}")

    async def _forward(self, request: web.BaseRequest, exchange: Exchange) -> web.StreamResponse:
        url = self._upstreams.url_of(exchange.path, anthropic=exchange.anthropic)
        headers = _passed(request.headers, _NOT_SENT)
        headers["Accept-Encoding"] = "identity"
        try:
            response = await self._session.request(
                request.method,
                URL(url, encoded=True),
                data=_sent(exchange),
                headers=headers,
                allow_redirects=False,
                proxy=self._detour(exchange.upstream),
            )
        except (aiohttp.ClientError, TimeoutError, OSError) as error:
            exchange.status = 502
            exchange.error = f"no answer from the upstream {exchange.upstream}: {type(error).__name__}: {error}"
            return _refusal(502, exchange.error, "upstream_unreachable")
        async with response:
            exchange.status = response.status
            exchange.content_type = response.headers.get("Content-Type", "")
            exchange.coding = response.headers.get("Content-Encoding", "")
            return await _pass_back(request, exchange, response)

    def _detour(self, base: str) -> str | None:
        if base not in self._detours:
            self._detours[base] = detour(base, self._environ)
        return self._detours[base]


async def _pass_back(
    request: web.BaseRequest, exchange: Exchange, response: aiohttp.ClientResponse
) -> web.StreamResponse:
    """The upstream's answer: JSON in one piece, anything else piece by piece as it comes."""
    headers = _passed(response.headers, _NOT_RETURNED)
    in_one = response.content_type == "application/json" or response.content_length == 0
    back = None if in_one else await _begun(request, response, headers)
    async for chunk in _pieces(exchange, response):
        if back is None and exchange.cut:  # too long to be held until its end
            back = await _begun(request, response, headers)
            await back.write(b"".join(exchange.chunks))
        if back is not None:
            await back.write(chunk)
    if exchange.error:
        return await _break_off(request, exchange, back, headers=headers)
    if back is None:
        body = b"".join(exchange.chunks)
        return web.Response(status=response.status, reason=response.reason, headers=headers, body=body)
    await back.write_eof()
    return back


async def _begun(
    request: web.BaseRequest, response: aiohttp.ClientResponse, headers: CIMultiDict[str]
) -> web.StreamResponse:
    """An answer whose head is sent, so that its pieces can follow."""
    back = web.StreamResponse(status=response.status, reason=response.reason, headers=headers)
    if response.content_length is not None:
        back.content_length = response.content_length
    await back.prepare(request)
    return back


async def _pieces(exchange: Exchange, response: aiohttp.ClientResponse) -> AsyncIterator[bytes]:
    """The pieces of an answer as they come; where the upstream breaks off, the exchange has the error."""
    try:
        async for chunk in response.content.iter_any():
            exchange.hold(chunk)
            yield chunk
    except (aiohttp.ClientPayloadError, aiohttp.ClientConnectionError, TimeoutError) as error:
        exchange.error = f"{_BROKEN}: {type(error).__name__}: {error}"


async def _break_off(
    request: web.BaseRequest, exchange: Exchange, back: web.StreamResponse | None, *, headers: CIMultiDict[str]
) -> web.StreamResponse:
    """Pass on what came, and then that no more does: the connection closes before the answer's end."""
    if back is None:
        came = b"".join(exchange.chunks)
        back = web.StreamResponse(status=exchange.status, headers=headers)
        back.content_length = len(came) + 1
        await back.prepare(request)
        await back.write(came)
    if request.transport is not None:
        request.transport.close()
    return back


async def _play(request: web.BaseRequest, exchange: Exchange, kept: Kept, *, body: bytes) -> web.StreamResponse:
    """A kept answer; what was a stream comes as a stream."""
    exchange.status, exchange.content_type = kept.status, kept.content_type
    headers = {"Content-Type": kept.content_type} if kept.content_type else {}
    if not exchange.is_stream:
        exchange.chunks.append(body)
        return web.Response(status=kept.status, headers=headers, body=body)
    back = web.StreamResponse(status=kept.status, headers=headers)
    await back.prepare(request)
    for piece in pieces_of(body.decode()):
        exchange.chunks.append(piece.encode())
        await back.write(piece.encode())
    await back.write_eof()
    return back


def _sent(exchange: Exchange) -> bytes | io.BytesIO | None:
    """The body as it goes on; a large one as a file, which is sent in pieces that hold up nobody else."""
    if not exchange.request and exchange.method in ("GET", "HEAD"):
        return None
    return io.BytesIO(exchange.request) if len(exchange.request) > _LARGE else exchange.request


def _passed(headers: Mapping[str, str], left_out: Iterable[str]) -> CIMultiDict[str]:
    """The headers of one side as they go to the other, without those that belong to the connection."""
    named = {name.strip().lower() for name in headers.get("Connection", "").split(",")}
    out = named.union(left_out)
    return CIMultiDict((name, value) for name, value in headers.items() if name.lower() not in out)


def _nobody(*, known: bool) -> web.Response:
    """The refusal of a request that belongs to no trial."""
    what = "no trial has this address: it has ended, or the address is wrong" if known else "nothing is here"
    return _refusal(404, f"foldproof: {what}", "unknown_trial")


def _refusal(status: int, message: str, code: str) -> web.Response:
    """An error in the shape that clients of both protocols read."""
    error = {"type": "foldproof_wire", "code": code, "message": message, "param": None}
    body = json.dumps({"type": "error", "error": error}).encode()
    return web.Response(status=status, body=body, content_type="application/json")
