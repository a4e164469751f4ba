"""What the agents that are made of a memory share: it is built, folded, listed, handed over and let go."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from typing import Any

from foldproof.agents.errors import UnsupportedError
from foldproof.agents.factory import Setup
from foldproof.agents.memories import Grows, Memory, Resources, Scratch, Serves, Spent, kind_of, make_memory
from foldproof.agents.model import steadiness_notes
from foldproof.agents.pool import Pool
from foldproof.agents.protocols import Closes, SessionInfo, Snapshots
from foldproof.core import UsageError
from foldproof.logs import History, MemoryItem, Session, Turn


@dataclass(slots=True)
class Talk:
    """What was said in a session so far, for the memory of its user to take in when it has ended."""

    memory: Memory
    at: str = ""
    turns: list[Turn] = field(default_factory=list)
    notes: tuple[str, ...] = ()


_ALONE = "this memory has no `snapshot` and `restore` of its own: each trial builds it anew"


@dataclass(frozen=True, slots=True)
class Shared:
    """What the agents of one configuration share: connections, temporary folders, and what building memories used."""

    pool: Pool = field(default_factory=Pool)
    scratch: Scratch = field(default_factory=Scratch)
    spent: Spent = field(default_factory=Spent)


@asynccontextmanager
async def open_shared() -> AsyncIterator[Shared]:
    """What is shared, for as long as the context lasts, however it ends."""
    found = Shared()
    try:
        yield found
    finally:
        found.scratch.close()
        await found.pool.close()


class Remembering:
    """The memories of the users of a trial, as the part of an agent that they are. What building used goes to `spent`.

    `user` is the one whose history is built; `another` makes the memory of a further user, who shares the first one's
    memory system where that serves several (`Serves`) and has a memory apart where it does not. A session is taken in
    when it has ended, that is before the next one, a fold or a listing: not while it goes on.
    """

    def __init__(
        self,
        memory: Memory,
        spent: Spent | None = None,
        *,
        user: str = "",
        another: Callable[[str], Memory] | None = None,
    ) -> None:
        self._memory = memory
        self._spent = spent or Spent()
        self._user = user
        self._another = another
        self._memories: dict[str, Memory] = {}
        self._talk: Talk | None = None
        self._taken = 0

    def _memory_of(self, user: str) -> Memory:
        """The memory of a user: that of the trial itself, but for a further user, whose id opens with the trial's."""
        if self._another is None or not user.startswith(f"{self._user}-"):
            return self._memory
        if user not in self._memories:
            self._memories[user] = self._memory.serve(user) if isinstance(self._memory, Serves) else self._another(user)
        return self._memories[user]

    async def _begin(self, info: SessionInfo) -> Talk:
        """What is to be said in a new session; the one before it is over."""
        notes = await self._take_in()
        self._talk = Talk(self._memory_of(info.user), info.now, notes=notes)
        return self._talk

    async def _take_in(self) -> tuple[str, ...]:
        """Let the memory take in what was said last; the note that it cannot, where it cannot."""
        talk = self._talk
        if talk is None or not talk.turns:
            return talk.notes if talk else ()
        said = Session(f"live-{self._taken + 1}", tuple(talk.turns), talk.at)
        if not isinstance(talk.memory, Grows):
            return self._lost(talk)
        talk.turns.clear()
        try:
            await talk.memory.add(said)
        except UnsupportedError:
            return self._lost(talk)
        self._taken += 1
        return ()

    def _lost(self, talk: Talk) -> tuple[str, ...]:
        talk.notes = ("the memory takes in nothing after it was built: what was said in a session is lost",)
        return talk.notes

    @property
    def spent(self) -> Spent:
        """What its memories used outside of answers; shared by all agents of a configuration."""
        return self._spent

    @property
    def log(self) -> str:
        """What the program of a memory wrote to its standard error; empty for a memory that has none."""
        return str(getattr(self._memory, "log", ""))

    async def ingest(self, history: History) -> None:
        """Build the memory anew: what was said before is gone with what it held."""
        self._talk = None
        await self._memory.build(history)

    async def fold(self) -> None:
        """Let the memory of every user compact."""
        await self._take_in()
        for memory in (self._memory, *self._memories.values()):
            await memory.fold()

    async def memories(self, user: str) -> Sequence[MemoryItem]:
        """Everything that the memory holds of a user."""
        await self._take_in()
        return await self._memory_of(user).items()

    async def snapshot(self) -> Any:  # noqa: ANN401  # the memory's own object
        """The built memory, by its own `snapshot`: a copy made from outside would take the trial's resources along.

        Raises:
            UnsupportedError: where it has none.
        """
        if isinstance(self._memory, Snapshots):
            return await self._memory.snapshot()
        raise UnsupportedError(_ALONE)

    async def restore(self, snapshot: Any) -> None:  # noqa: ANN401  # the memory's own object
        """Take over a built memory.

        Raises:
            UnsupportedError: as `snapshot`.
        """
        if not isinstance(self._memory, Snapshots):
            raise UnsupportedError(_ALONE)
        await self._memory.restore(snapshot)

    async def close(self) -> None:
        """Let go of what the memories hold; the one that may serve the others goes last."""
        for memory in (*self._memories.values(), self._memory):
            if isinstance(memory, Closes):
                await memory.close()


def resources_of(setup: Setup, shared: Shared, trial: str = "") -> Resources:
    """What the memory of one trial is made with."""
    tap = setup.watch.tap(trial)
    return Resources(
        setup.root, setup.environ, setup.model, trial, tap, pool=shared.pool, scratch=shared.scratch, spent=shared.spent
    )


def another_of(memory_config: Mapping[str, Any], resources: Resources) -> Callable[[str], Memory]:
    """What makes the memory of a further user of a trial, with the same settings under that user's own id."""
    return lambda user: make_memory(memory_config, replace(resources, trial=user))


def memory_of(setup: Setup, shared: Shared) -> Memory:
    """The configuration's memory, made to see whether it can be: it is never built.

    Raises:
        UsageError: with the place of the configuration.
    """
    try:
        return make_memory(setup.memory_of(setup.memory), resources_of(setup, shared))
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
