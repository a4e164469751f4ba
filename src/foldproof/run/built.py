"""Building a memory once for all trials that start from it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import anyio

from foldproof.agents import Agent, UnsupportedError
from foldproof.agents.protocols import Folds, Ingests, ShowsMemories, Snapshots
from foldproof.record import StoreListing
from foldproof.run.border import recordable_listing
from foldproof.run.plan import Plan, PlannedTrial


@dataclass(frozen=True, slots=True)
class Built:
    """What building a memory showed: what it held before and after the folds, and what could not be done."""

    written: StoreListing | None = None
    kept: StoreListing | None = None
    notes: tuple[str, ...] = ()


@dataclass(slots=True)
class _Shared:
    left: int
    lock: anyio.Lock = field(default_factory=anyio.Lock)
    built: Built | None = None
    snapshot: Any = None
    alone: bool = False


class Memories:
    """The built memories of one run: ingested once each where the agent can be snapshotted.

    A snapshot is let go of when the last trial that starts from it has begun.
    """

    def __init__(self, plan: Plan, default_folds: int) -> None:
        self._folds = default_folds if plan.folds is None else plan.folds
        self._shared = {key: _Shared(count) for key, count in plan.shared.items()}

    async def prepare(self, agent: Agent, trial: PlannedTrial, user: str) -> Built:
        """Give the agent its memory: restored where one is there, else built from the history."""
        shared = self._shared[trial.memory_key]
        if not isinstance(agent, Snapshots):
            return await self._build(agent, trial, user)
        async with shared.lock:
            if shared.built is None and not shared.alone:
                built = await self._build(agent, trial, user)
                try:
                    shared.snapshot = await agent.snapshot()
                except UnsupportedError:
                    shared.alone = True
                else:
                    shared.built = built
                return built
        if shared.built is not None:
            try:
                await agent.restore(shared.snapshot)
            except UnsupportedError:
                shared.alone, shared.built, shared.snapshot = True, None, None
            else:
                return shared.built
        return await self._build(agent, trial, user)

    def finished(self, trial: PlannedTrial) -> None:
        """One trial less starts from this memory."""
        shared = self._shared[trial.memory_key]
        shared.left -= 1
        if shared.left == 0:
            del self._shared[trial.memory_key]

    async def _build(self, agent: Agent, trial: PlannedTrial, user: str) -> Built:
        notes: list[str] = []
        if trial.history is not None and isinstance(agent, Ingests):
            try:
                await agent.ingest(trial.history)
            except UnsupportedError:
                notes.append("the agent takes no history: it was asked without one")
        written = await _listing(agent, user)
        if trial.history is None or self._folds == 0 or not isinstance(agent, Folds):
            return Built(written, written, tuple(notes))
        try:
            for _ in range(self._folds):
                await agent.fold()
        except UnsupportedError:
            notes.append("the agent does not fold on request")
        return Built(written, await _listing(agent, user), tuple(notes))


async def _listing(agent: Agent, user: str) -> StoreListing | None:
    if not isinstance(agent, ShowsMemories):
        return None
    try:
        return recordable_listing(await agent.memories(user))
    except UnsupportedError:
        return None
