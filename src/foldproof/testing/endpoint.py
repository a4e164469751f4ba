"""The least chat endpoint: an answer for the last user message, as quick as a loop can give it."""

from __future__ import annotations

import asyncio
import contextlib
import json
import threading
from collections import Counter
from collections.abc import Callable, Mapping
from types import TracebackType
from typing import Any, Self

AnswerRule = Callable[[str], str | Mapping[str, Any]]


async def accepted() -> None:
    """Let the loop take every connection that was made before now, so that a server that stops closes it too.

    asyncio accepts in one round and makes the transport in the next; where the server is closed in between, Python 3.11
    leaves socket and transport to the collector.
    """
    for _ in range(2):
        await asyncio.sleep(0)


class ScriptedEndpoint:
    """An OpenAI-compatible endpoint on loopback that answers by a rule and counts what it was asked.

    `answer` gets the last user message and returns the text, or a whole response body as a mapping; a mapping
    with `status` is sent with that HTTP status. `latency_s` is waited before each answer. `asked` counts the
    questions by their text, `most_in_flight` is the highest number answered at once. Runs in a thread of its
    own; use it as a context manager.
    """

    def __init__(self, answer: AnswerRule, *, latency_s: float = 0.0) -> None:
        self.asked: Counter[str] = Counter()
        self.most_in_flight = 0
        self.requests: list[dict[str, Any]] = []
        self._answer = answer
        self._latency_s = latency_s
        self._in_flight = 0
        self._ready = threading.Event()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._stop: asyncio.Event | None = None
        self._port = 0
        self._thread = threading.Thread(target=lambda: asyncio.run(self._serve()), daemon=True)

    @property
    def url(self) -> str:
        """The base URL, as an agent is configured with it."""
        return f"http://127.0.0.1:{self._port}/v1"

    def __enter__(self) -> Self:
        self._thread.start()
        self._ready.wait()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._loop is not None and self._stop is not None:
            self._loop.call_soon_threadsafe(self._stop.set)
        self._thread.join()

    async def _serve(self) -> None:
        self._loop, self._stop = asyncio.get_running_loop(), asyncio.Event()
        open_now: set[asyncio.Task[None]] = set()

        def connected(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            # Not a coroutine: one that is cancelled before its first step would never close its connection.
            task = asyncio.get_running_loop().create_task(talk(reader, writer))
            open_now.add(task)
            task.add_done_callback(open_now.discard)
            task.add_done_callback(lambda _: writer.close())

        async def talk(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            # The client is gone, or the endpoint closes.
            with contextlib.suppress(asyncio.IncompleteReadError, ConnectionError, asyncio.CancelledError):
                await self._converse(reader, writer)

        server = await asyncio.start_server(connected, "127.0.0.1", 0, backlog=512)
        self._port = server.sockets[0].getsockname()[1]
        self._ready.set()
        await self._stop.wait()
        await accepted()
        server.close()
        for task in list(open_now):
            task.cancel()
        await asyncio.gather(*open_now, return_exceptions=True)

    async def _converse(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while True:
            head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").lower()
            length = next(int(line.split(":")[1]) for line in head.split("\r\n") if line.startswith("content-length"))
            body = json.loads(await reader.readexactly(length))
            self._in_flight += 1
            self.most_in_flight = max(self.most_in_flight, self._in_flight)
            try:
                if self._latency_s:
                    await asyncio.sleep(self._latency_s)
                writer.write(self._respond(body))
                await writer.drain()
            finally:
                self._in_flight -= 1

    def _respond(self, body: dict[str, Any]) -> bytes:
        question = str(body["messages"][-1]["content"])
        self.asked[question] += 1
        self.requests.append(body)
        answer = self._answer(question)
        if isinstance(answer, str):
            usage = {"prompt_tokens": len(question) // 4, "completion_tokens": len(answer) // 4}
            choice = {"index": 0, "message": {"role": "assistant", "content": answer}, "finish_reason": "stop"}
            answer = {"object": "chat.completion", "model": "scripted", "choices": [choice], "usage": usage}
        status = int(answer.get("status", 200))
        payload = json.dumps({key: value for key, value in answer.items() if key != "status"}).encode()
        head = f"HTTP/1.1 {status} X\r\ncontent-type: application/json\r\ncontent-length: {len(payload)}\r\n\r\n"
        return head.encode() + payload
