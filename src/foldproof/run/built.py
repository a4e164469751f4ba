"""Building a memory once for all trials that start from it."""

from __future__ import annotations

from collections.abc import Awaitable
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar

import anyio

from foldproof.agents import Agent, AgentError, TransientError, UnsupportedError
from foldproof.agents.protocols import Folds, Ingests, ShowsMemories, Snapshots
from foldproof.agents.watch import Watch, cassette_miss
from foldproof.logs import Seen
from foldproof.record import StoreListing
from foldproof.run.border import recordable_listing
from foldproof.run.plan import Plan, PlannedTrial

T = TypeVar("T")
_TRIES = 3


@dataclass(frozen=True, slots=True)
class Built:
    """What building a memory showed: what it held before and after the folds, and what could not be done.

    `seen` is what the observers saw of it, `user` the trial that built it.
    """

    written: StoreListing | None = None
    kept: StoreListing | None = None
    notes: tuple[str, ...] = ()
    seen: tuple[Seen, ...] = ()
    user: str = ""

    def handed_on(self) -> Built:
        """The same for a trial that starts from it: its calls without their bodies, whose text is in the prompts."""
        lighter = (replace(seen, calls=tuple(replace(call, request="") for call in seen.calls)) for seen in self.seen)
        return replace(self, seen=tuple(lighter))


class SlowMemoryError(AgentError):
    """A memory was not built in time."""


@dataclass(slots=True)
class _Shared:
    left: int
    lock: anyio.Lock = field(default_factory=anyio.Lock)
    built: Built | None = None
    snapshot: Any = None
    alone: bool = False
    failures: int = 0
    why: str = ""

    def failed(self, why: str) -> None:
        """It was built in vain."""
        self.failures += 1
        self.why = why


class Memories:
    """The built memories of one run: ingested once each where the agent can be snapshotted.

    A snapshot is let go of when the last trial that starts from it has begun. `timeout_s` is the time for one
    build or restore; waiting for another trial's build does not count. What `watch` saw of a build stands with each
    trial that starts from it: what went wrong there went wrong for them all.
    """

    def __init__(self, plan: Plan, watch: Watch, *, default_folds: int, timeout_s: float) -> None:
        self._watch = watch
        self._folds = default_folds if plan.folds is None else plan.folds
        self._folds_asked = plan.folds is not None
        self._timeout_s = timeout_s
        self._shared = {key: _Shared(count) for key, count in plan.shared.items()}

    async def prepare(self, agent: Agent, trial: PlannedTrial, user: str) -> Built:
        """Give the agent its memory: restored where one is there, else built from the history.

        Raises:
            SlowMemoryError: where that takes too long.
            AgentError: where a memory that trials share has failed so often that it is not tried again.
        """
        shared = self._shared[trial.memory_key]
        # Sessions change the memory: one that is shared with another trial could tell it what it was not told.
        if trial.case.sessions or not isinstance(agent, Snapshots):
            return await self._build_alone(agent, trial, user)
        async with shared.lock:
            if shared.built is None and not shared.alone:
                return await self._build_shared(agent, trial, user, shared=shared)
        built = shared.built  # taken now: another trial may find meanwhile that it cannot be restored
        if built is not None:
            try:
                await self._timed(agent.restore(shared.snapshot))
            except UnsupportedError:
                shared.alone, shared.built, shared.snapshot = True, None, None
            else:
                # A memory that asks a model while it is restored has calls of its own.
                return replace(built, seen=(*built.seen, *await self._watch.take(user)))
        return await self._build_alone(agent, trial, user)

    async def _build_alone(self, agent: object, trial: PlannedTrial, user: str) -> Built:
        return await self._watched(await self._timed(self._build(agent, trial, user)), user)

    async def _watched(self, built: Built, user: str) -> Built:
        return replace(built, seen=await self._watch.take(user), user=user)

    async def _build_shared(self, agent: Snapshots, trial: PlannedTrial, user: str, *, shared: _Shared) -> Built:
        """Build and snapshot; a memory that keeps failing is given up, since each try may take minutes.

        One that a model was not asked for, since the cassette has no answer, is no memory to start from.
        """
        if shared.failures >= _TRIES:
            many = f"building this memory failed {shared.failures} times, so it is not tried again"
            raise AgentError(f"{many}: {shared.why}")
        snapshot = None
        try:
            built = await self._timed(self._build(agent, trial, user))
            snapshot = await self._timed(agent.snapshot())
        except UnsupportedError:
            shared.alone = True
        except TransientError:
            raise
        except BaseException as error:
            shared.failed(str(error) or type(error).__name__)
            raise
        built = await self._watched(built, user)
        if miss := cassette_miss(built.seen):
            shared.failed(miss)
        elif not shared.alone:
            shared.built, shared.snapshot = built.handed_on(), snapshot
        return built

    async def _timed(self, work: Awaitable[T]) -> T:
        with anyio.move_on_after(self._timeout_s):
            return await work
        raise SlowMemoryError(f"the memory was not built within {self._timeout_s:g} s")

    def finished(self, trial: PlannedTrial) -> None:
        """One trial less starts from this memory."""
        shared = self._shared[trial.memory_key]
        shared.left -= 1
        if shared.left == 0:
            del self._shared[trial.memory_key]

    async def _build(self, agent: object, trial: PlannedTrial, user: str) -> Built:
        notes: list[str] = []
        if trial.history is not None and isinstance(agent, Ingests):
            try:
                await agent.ingest(trial.history)
            except UnsupportedError:
                notes.append("the agent takes no history: it was asked without one")
        written = await listing_of(agent, user)
        if trial.history is None or self._folds == 0 or not isinstance(agent, Folds):
            return Built(written, written, tuple(notes))
        try:
            for _ in range(self._folds):
                await agent.fold()
        except UnsupportedError:
            if self._folds_asked:
                notes.append("the agent does not fold on request")
        return Built(written, await listing_of(agent, user), tuple(notes))


async def listing_of(agent: object, user: str) -> StoreListing | None:
    """What the agent lists of a user's memory; None where it does not."""
    if not isinstance(agent, ShowsMemories):
        return None
    try:
        return recordable_listing(await agent.memories(user))
    except UnsupportedError:
        return None
