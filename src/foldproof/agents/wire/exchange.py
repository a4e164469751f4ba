"""One request with what came of it, and the requests of one trial."""

from __future__ import annotations

import asyncio
import time
from dataclasses import dataclass, field

import anyio

from foldproof.agents.packing import MOST_BYTES, megabytes

_ANTHROPIC_PATH = "/messages"
API_PATHS = {
    "/chat/completions": "chat",
    "/completions": "completions",
    "/responses": "responses",
    _ANTHROPIC_PATH: "messages",
}


def api_of(method: str, path: str) -> str:
    """The protocol of a request that asks a model, by its path; empty for any other.

    OpenAI's may stand below a path of a deployment. Anthropic's is one alone: a thread of OpenAI has messages too.
    """
    bare = after_v1(path).partition("?")[0].rstrip("/")
    found = next((end for end in API_PATHS if bare.endswith(end)), "")
    if method != "POST" or (found == _ANTHROPIC_PATH and bare != found):
        return ""
    return API_PATHS.get(found, "")


def is_anthropic(path: str) -> bool:
    """Whether a path is one of Anthropic's messages: asking for one, counting its tokens, batches of them."""
    bare = after_v1(path).partition("?")[0].rstrip("/")
    return bare == _ANTHROPIC_PATH or bare.startswith(f"{_ANTHROPIC_PATH}/")


def after_v1(path: str) -> str:
    """A path, with its query, without the `/v1` that it begins with, or two from a client that adds one more."""
    bare = path.removeprefix("/v1") if path.startswith(("/v1/", "/v1?")) or path == "/v1" else path
    return bare.removeprefix("/v1") if bare.startswith("/v1/") else bare


@dataclass(slots=True, eq=False)
class Exchange:
    """One request and its answer, filled in as it goes on. Of headers only the type and the coding are held.

    `path` is what follows the trial's own part, with the query; `upstream` is the base URL of the server behind it,
    `anthropic` whether that is Anthropic's. `error` is what kept the answer from its end. `kept` says that the answer
    came from the cassette, `cut` that it was too long to be held: the rest was only passed on.
    """

    method: str
    path: str
    request: bytes
    request_coding: str = ""
    upstream: str = ""
    anthropic: bool = False
    status: int = 0
    content_type: str = ""
    coding: str = ""
    chunks: list[bytes] = field(default_factory=list)
    error: str = ""
    kept: bool = False
    cut: bool = False
    size: int = 0
    started: float = field(default_factory=time.monotonic)
    duration_s: float = 0.0
    handler: asyncio.Task[object] | None = field(default_factory=asyncio.current_task)
    done: anyio.Event = field(default_factory=anyio.Event)

    @property
    def api(self) -> str:
        """The protocol, empty for a request that asks no model."""
        return api_of(self.method, self.path)

    @property
    def place(self) -> str:
        """Method and path, without the query, which may hold a key."""
        return f"{self.method} {self.path.partition('?')[0]}"

    @property
    def is_stream(self) -> bool:
        """Whether the answer comes as server-sent events."""
        return self.content_type.partition(";")[0].strip().lower() == "text/event-stream"

    def hold(self, chunk: bytes) -> None:
        """Hold a piece of the answer, unless it has become too long: then what is held stays as it is."""
        self.size += len(chunk)
        self.cut = self.size > MOST_BYTES
        if not self.cut:
            self.chunks.append(chunk)

    @property
    def cut_note(self) -> str:
        """Why the answer is not whole here, though the agent got all of it; empty where it is whole."""
        most = megabytes(MOST_BYTES)
        return f"cut: the answer is longer than {most}, the rest was only passed on" if self.cut else ""

    def end(self) -> None:
        """Nothing more comes."""
        if not self.done.is_set():
            self.duration_s = round(time.monotonic() - self.started, 4)
            self.done.set()


@dataclass(slots=True, eq=False)
class WireTrial:
    """What one trial sends: the exchanges since they were last taken, in the order of their beginning.

    `said` has what each response of the trial left on the server, by its id: a later request may go on from it.
    `slots` are the places in the cassette that this trial has used, by the hash of the request. `heard` says that any
    request came at all.
    """

    label: str
    repeat: int
    token: str
    exchanges: list[Exchange] = field(default_factory=list)
    said: dict[str, str] = field(default_factory=dict)
    slots: dict[str, set[int]] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    building: bool = True
    heard: bool = False

    async def settle(self, seconds: float) -> None:
        """Wait for what is in flight, but no longer than this."""
        with anyio.move_on_after(seconds):
            for exchange in list(self.exchanges):
                await exchange.done.wait()

    def give_up(self, reason: str) -> None:
        """End what is still in flight."""
        for exchange in self.exchanges:
            if not exchange.done.is_set():
                exchange.error = exchange.error or reason
                exchange.end()
                if exchange.handler is not None:
                    exchange.handler.cancel()

    def take(self) -> list[Exchange]:
        """The exchanges that have ended; the others stay for the next time."""
        ended = [exchange for exchange in self.exchanges if exchange.done.is_set()]
        self.exchanges = [exchange for exchange in self.exchanges if not exchange.done.is_set()]
        return ended
