"""The nouns of a recorded conversation: turns, sessions, histories, tool calls, memory items."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal

from foldproof.core import content_hash

Role = Literal["user", "agent", "system", "tool"]
Source = Literal["wire", "otel"]
"""Who saw it, beside the adapter: the recording proxy, or the receiver of OpenTelemetry spans."""


_REFUSED = 400  # HTTP: from here on there is no answer


@dataclass(frozen=True, slots=True)
class ToolCall:
    """One call of a tool by an agent, its arguments as typed JSON."""

    name: str
    args: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Turn:
    """One message by one speaker."""

    role: Role
    text: str


@dataclass(frozen=True, slots=True)
class Session:
    """One conversation with its own fresh context. `at` is the time as it was written, or empty."""

    id: str
    turns: tuple[Turn, ...]
    at: str = ""


@dataclass(frozen=True)
class History:
    """The past sessions that a memory is built from, oldest first."""

    name: str
    sessions: tuple[Session, ...] = ()

    @cached_property
    def sha256(self) -> str:
        """Hash of what was said; the name plays no part, so a renamed history is the same history."""
        return content_hash(as_lines(self))


@dataclass(frozen=True, slots=True)
class MemoryItem:
    """One thing that a memory holds or returned.

    `rank` counts from 1 in the order of return, 0 where the item was not retrieved. `score` is the memory's
    own number: its scale and direction belong to that memory and are not comparable. `user` is the one whom it
    belongs to, where the memory tells. `dropped` says why a candidate was not given in the end ("beyond k", "below the
    threshold", "filtered out"), empty where it was.
    """

    text: str
    id: str = ""
    kind: str = ""
    rank: int = 0
    score: float | None = None
    user: str = ""
    dropped: str = ""


@dataclass(frozen=True, slots=True)
class Usage:
    """What one answer used: tokens as the model counts them, cost in US dollars; None means unknown."""

    input_tokens: int | None = None
    output_tokens: int | None = None
    cost_usd: float | None = None


@dataclass(frozen=True, slots=True)
class ModelCall:
    """One call of a model, as a source beside the agent saw it.

    `prompt` is all text that the model received, in reading order; `request` the body as it was sent, JSON text,
    empty where only parts of it were seen. `api` names the protocol: `chat`, `responses`, `messages`, or the
    operation of a span. `error` says why there is no answer; `duration_s` are seconds until the answer's end.
    """

    prompt: str
    answer: str = ""
    tool_calls: tuple[ToolCall, ...] = ()
    usage: Usage | None = None
    model_name: str = ""
    api: str = ""
    request: str = ""
    stream: bool = False
    status: int = 200
    error: str = ""
    duration_s: float = 0.0

    @property
    def failure(self) -> str:
        """Why the model gave no answer; empty where it gave one."""
        return self.error or (f"status {self.status}" if self.status >= _REFUSED else "")


@dataclass(frozen=True, slots=True)
class Seen:
    """What one source beside the adapter saw of a trial: the wire, or OpenTelemetry spans.

    `calls` in the order in which they began. None means that this source cannot see it, an empty tuple that it
    saw that there was none. `notes` are remarks for the reader of the record.
    """

    source: Source
    calls: tuple[ModelCall, ...] = ()
    memory_reads: tuple[MemoryItem, ...] | None = None
    memory_writes: tuple[MemoryItem, ...] | None = None
    notes: tuple[str, ...] = ()


def as_lines(history: History) -> list[dict[str, Any]]:
    """The history as JSON values, one a session: the shape of history files and of the agent protocol."""
    return [
        {
            "session": session.id,
            "at": session.at,
            "turns": [{"role": turn.role, "text": turn.text} for turn in session.turns],
        }
        for session in history.sessions
    ]
