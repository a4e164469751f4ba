"""What the agents that are made of a memory share: it is built, folded, listed, handed over and let go."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from foldproof.agents.errors import UnsupportedError
from foldproof.agents.factory import Setup
from foldproof.agents.memories import Grows, Memory, Resources, kind_of, make_memory
from foldproof.agents.model import steadiness_notes
from foldproof.agents.pool import Pool
from foldproof.agents.protocols import Closes, SessionInfo, Snapshots
from foldproof.core import UsageError
from foldproof.logs import History, MemoryItem, Session, Turn


@dataclass(slots=True)
class Talk:
    """What was said in a session so far, for the memory to take in when it has ended."""

    at: str = ""
    turns: list[Turn] = field(default_factory=list)
    notes: tuple[str, ...] = ()


class Remembering:
    """A memory of one user, as the part of an agent that it is.

    A session is taken in when it has ended, that is before the next one, a fold or a listing: not while it goes on.
    """

    def __init__(self, memory: Memory) -> None:
        self._memory = memory
        self._talk = Talk()
        self._taken = 0

    async def _begin(self, info: SessionInfo) -> Talk:
        """What is to be said in a new session; the one before it is over."""
        notes = await self._take_in()
        self._talk = Talk(info.now, notes=notes)
        return self._talk

    async def _take_in(self) -> tuple[str, ...]:
        """Let the memory take in what was said last; the note that it cannot, where it cannot."""
        said = tuple(self._talk.turns)
        if not said:
            return self._talk.notes
        if not isinstance(self._memory, Grows):
            self._talk.notes = ("the memory takes in nothing after it was built: what was said in a session is lost",)
            return self._talk.notes
        self._taken += 1
        self._talk.turns.clear()
        await self._memory.add(Session(f"live-{self._taken}", said, self._talk.at))
        return ()

    @property
    def log(self) -> str:
        """What the program of a memory wrote to its standard error; empty for a memory that has none."""
        return str(getattr(self._memory, "log", ""))

    async def ingest(self, history: History) -> None:
        """Build the memory anew: what was said before is gone with what it held."""
        self._talk = Talk()
        await self._memory.build(history)

    async def fold(self) -> None:
        """Let the memory compact."""
        await self._take_in()
        await self._memory.fold()

    async def memories(self, user: str) -> Sequence[MemoryItem]:  # noqa: ARG002  # one user a memory
        """Everything that the memory holds."""
        await self._take_in()
        return await self._memory.items()

    async def snapshot(self) -> Any:  # noqa: ANN401  # the memory's own object
        """The built memory: its own snapshot, or a shallow copy where it never changes in place.

        Raises:
            UnsupportedError: where it holds something that cannot be copied.
        """
        if isinstance(self._memory, Snapshots):
            return await self._memory.snapshot()
        if isinstance(self._memory, Closes):
            raise UnsupportedError("this memory cannot be copied")
        return copy.copy(self._memory)

    async def restore(self, snapshot: Any) -> None:  # noqa: ANN401  # the memory's own object
        """Take over a built memory.

        Raises:
            UnsupportedError: as `snapshot`.
        """
        if isinstance(self._memory, Snapshots):
            await self._memory.restore(snapshot)
        elif isinstance(self._memory, Closes):
            raise UnsupportedError("this memory cannot be copied")
        else:
            self._memory = copy.copy(snapshot)

    async def close(self) -> None:
        """Let go of what the memory holds."""
        if isinstance(self._memory, Closes):
            await self._memory.close()


def resources_of(setup: Setup, pool: Pool, trial: str = "") -> Resources:
    """What the memory of one trial is made with."""
    return Resources(setup.root, setup.environ, setup.model, trial, setup.watch.tap(trial), pool)


def memory_of(setup: Setup, pool: Pool) -> Memory:
    """The configuration's memory, made to see whether it can be: it is never built.

    Raises:
        UsageError: with the place of the configuration.
    """
    try:
        return make_memory(setup.memory_of(setup.memory), resources_of(setup, pool))
    except UsageError as error:
        raise UsageError(f"{setup.place}: {error}") from error


def memory_notes(setup: Setup) -> tuple[str, ...]:
    """What the reader of the report should know of the configuration's memory."""
    kind = kind_of(setup.memory)
    if kind in ("paging", "triage"):
        return ("the memory types lines by rules, not by a model",)
    if kind == "summary":
        return steadiness_notes({**setup.model, **setup.memory_of(setup.memory).get("model", {})})
    return ()
