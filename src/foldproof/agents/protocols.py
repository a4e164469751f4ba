"""What an agent under test shows to foldproof: the `Agent` and `Conversation` protocols and their records."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

from foldproof.logs import History, MemoryItem, PastTurn, ToolCall, Usage


@dataclass(frozen=True, slots=True)
class SessionInfo:
    """What a fresh session is told: who asks, the session's id, the time it is (ISO, or empty), the wire URL.

    `user` is the user id. `label` is empty for the trial's own user, whose the history is, and for a further one what
    the case calls it.
    """

    user: str
    session: str
    now: str = ""
    wire_url: str = ""
    label: str = ""


@dataclass(frozen=True, slots=True)
class Reply:
    """An agent's answer and what it shows of how it came about.

    None means "cannot be seen", an empty tuple means "seen, and there was none". `notes` are remarks for the
    reader of the record, for instance that a memory could not keep its constraints in its budget. `state` is what the
    agent's world is like after the answer, a JSON object: which refunds were made, what stands in the calendar.
    """

    text: str
    tool_calls: tuple[ToolCall, ...] | None = None
    memory_reads: tuple[MemoryItem, ...] | None = None
    memory_writes: tuple[MemoryItem, ...] | None = None
    prompt: str | None = None
    usage: Usage | None = None
    notes: tuple[str, ...] = ()
    state: Mapping[str, Any] | None = None


class Conversation(Protocol):
    """One session with the agent; it shares nothing with another but the memory."""

    async def reply(self, message: str) -> Reply | str:
        """The agent's answer to one message of the user."""
        ...


@runtime_checkable
class Resumes(Protocol):
    """A conversation that can go on from turns which it did not live through."""

    async def resume(self, turns: Sequence[PastTurn]) -> None:
        """Take these turns as what was said and done so far, word for word; called once, before the first reply.

        Every call of a tool has its result and an id. None of them is to be made again.
        """
        ...


class Agent(Protocol):
    """The system under test, made by a factory that receives the `memory_config`.

    Only `start_session` is needed. An adapter leaves out what it cannot do; `UnsupportedError` says the same
    at run time. An agent that has `snapshot` and `restore` ingests each history once: the snapshot is any
    object of the agent's own, and a restored agent must behave as the one that was snapshotted.
    """

    async def start_session(self, info: SessionInfo) -> Conversation:
        """A conversation with a fresh context."""
        ...


@runtime_checkable
class Ingests(Protocol):
    """An agent that builds its memory from a history."""

    async def ingest(self, history: History) -> None:
        """Build the memory from these past sessions."""
        ...


@runtime_checkable
class Folds(Protocol):
    """An agent whose memory compacts, consolidates or maintains itself on request."""

    async def fold(self) -> None:
        """Compact now."""
        ...


@runtime_checkable
class ShowsMemories(Protocol):
    """An agent that can list what its memory holds."""

    async def memories(self, user: str) -> Sequence[MemoryItem]:
        """Every item of that user's memory."""
        ...


@runtime_checkable
class Snapshots(Protocol):
    """An agent whose built memory can be handed to another trial without being shared with it."""

    async def snapshot(self) -> Any:  # noqa: ANN401  # the agent's own object
        """The built memory, never changed afterwards."""
        ...

    async def restore(self, snapshot: Any) -> None:  # noqa: ANN401  # the agent's own object
        """Take over a built memory."""
        ...


@runtime_checkable
class Closes(Protocol):
    """An agent that holds something to let go of."""

    async def close(self) -> None:
        """Free what the agent holds; called once."""
        ...
