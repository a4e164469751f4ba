"""The OTLP/HTTP receiver: loopback only, bounded, and an answer for whatever comes."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

from foldproof.agents.otel.bodies import (
    BODY_BYTES,
    JSON,
    PROTOBUF,
    TooLargeError,
    accepted,
    inflated,
    parsed,
    refused,
)
from foldproof.agents.otel.spans import BodyError, Span, logs_of, spans_of
from foldproof.agents.otel.trials import Trials
from foldproof.core import UsageError

if TYPE_CHECKING:
    from aiohttp import web

LOOPBACK = "127.0.0.1"
_HOSTS = frozenset({LOOPBACK, "localhost", "[::1]"})
_SIGNALS = ("traces", "logs", "metrics")


@asynccontextmanager
async def listening_on(port: int, trials: Trials, *, place: str) -> AsyncIterator[str]:
    """The receiver's address, `http://127.0.0.1:PORT`, for as long as the context lasts; port 0 takes a free one.

    Raises:
        UsageError: where the port cannot be had.
    """
    from aiohttp import web  # half a second to import, wanted only here

    app = web.Application(client_max_size=BODY_BYTES)
    receiver = Receiver(trials)
    app.router.add_post("/v1/{signal}", receiver.handle)
    app.router.add_post("/t/{path}/v1/{signal}", receiver.handle)
    # The body is inflated by us, within our bound.
    runner = web.AppRunner(app, access_log=None, logger=_log(trials), auto_decompress=False, shutdown_timeout=1)
    await runner.setup()
    try:
        try:
            await web.TCPSite(runner, LOOPBACK, port).start()
        except OSError as error:
            raise UsageError(
                f"{place}: port {port} cannot be listened on: {error.strerror or error}\n"
                "  end what listens there (a collector, another run of foldproof?), or name another `port`"
            ) from error
        yield f"http://{LOOPBACK}:{runner.addresses[0][1]}"
    finally:
        await runner.cleanup()


class _Remarks(logging.Handler):
    """Requests that fail before they are requests: a remark for the record, no traceback on the terminal."""

    def __init__(self, trials: Trials) -> None:
        super().__init__()
        self._trials = trials

    def emit(self, record: logging.LogRecord) -> None:
        """Note the failure; HTTP/2 is what exporters speak that are set to gRPC."""
        error = record.exc_info[1] if record.exc_info else None
        why = " ".join(str(error or record.getMessage()).split())
        grpc = "HTTP/2, as gRPC speaks it: let the exporter send by OTLP over HTTP"
        self._trials.refuse(grpc if "PRI/Upgrade" in why else f"{type(error).__name__}: {why[:200]}")


def _log(trials: Trials) -> logging.Logger:
    log = logging.Logger("foldproof.otel")  # noqa: LOG001  # of this receiver alone, in no tree of loggers
    log.addHandler(_Remarks(trials))
    return log


class Receiver:
    """Takes export requests: spans and log events go to their trials, measurements are accepted and let go."""

    def __init__(self, trials: Trials) -> None:
        self._trials = trials

    async def handle(self, request: web.Request) -> web.Response:
        """The answer to one export request, as the protocol says: partial success, or a status that says why not."""
        from aiohttp import web

        signal, path = request.match_info["signal"], request.match_info.get("path", "")
        content_type = request.content_type
        if not _is_local(request.headers.get("Host", "")):
            return web.Response(status=403, text="this receiver answers to its loopback address only\n")
        if signal not in _SIGNALS:
            return web.Response(status=404, text=f"no such signal: {', '.join(_SIGNALS)}\n")
        if content_type not in (PROTOBUF, JSON):
            self._trials.refuse(f"the content type {content_type!r}, where {PROTOBUF} or {JSON} is expected", path)
            return web.Response(status=415, text=f"send {PROTOBUF} or {JSON}\n")
        try:
            body = await request.read()
            encoding = request.headers.get("Content-Encoding", "").strip().lower()
            spans = await asyncio.to_thread(_read, body, encoding, content_type, signal)
        except web.HTTPRequestEntityTooLarge:
            return self._refused(413, f"the body is larger than {BODY_BYTES // 1024**2} MB", content_type, path)
        except TooLargeError as error:
            return self._refused(413, str(error), content_type, path)
        except BodyError as error:
            return self._refused(400, str(error), content_type, path)
        lost = self._trials.add(spans, path)
        answer = accepted(
            content_type, signal, rejected=lost, why="the bound of what is kept is reached" if lost else ""
        )
        return web.Response(body=answer, content_type=content_type)

    def _refused(self, status: int, why: str, content_type: str, path: str) -> web.Response:
        from aiohttp import web

        self._trials.refuse(why, path)
        return web.Response(status=status, body=refused(content_type, why), content_type=content_type)


def _read(body: bytes, encoding: str, content_type: str, signal: str) -> list[Span]:
    plain = inflated(body, encoding)
    if signal == "metrics":
        return []
    request = parsed(plain, content_type, signal)
    try:
        return spans_of(request) if signal == "traces" else logs_of(request)
    except RecursionError as error:
        raise BodyError("the body is nested too deeply") from error


def _is_local(host: str) -> bool:
    name, _, port = host.rpartition(":")
    return (name if port.isdecimal() else host) in _HOSTS
