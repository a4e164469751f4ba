"""Building a memory once for all trials that start from it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import anyio

from foldproof.agents import Agent, UnsupportedError
from foldproof.agents.protocols import Folds, Ingests, ShowsMemories, Snapshots
from foldproof.record import StoreListing
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
        if shared.alone or not isinstance(agent, Snapshots):
            return await self._build(agent, trial, user)
        async with shared.lock:
            if shared.built is not None:
                await agent.restore(shared.snapshot)
                return shared.built
            built = await self._build(agent, trial, user)
            try:
                shared.snapshot = await agent.snapshot()
            except UnsupportedError:
                shared.alone = True
            else:
                shared.built = built
            return built

    def finished(self, trial: PlannedTrial) -> None:
        """One trial less starts from this memory."""
        shared = self._shared[trial.memory_key]
        shared.left -= 1
        if shared.left == 0:
            del self._shared[trial.memory_key]

    async def _build(self, agent: Agent, trial: PlannedTrial, user: str) -> Built:
        notes = []
        if trial.history is not None and isinstance(agent, Ingests):
            try:
                await agent.ingest(trial.history)
            except UnsupportedError:
                notes.append("the agent takes no history: it was asked without one")
        written = await _listing(agent, user)
        folds = self._folds if isinstance(agent, Folds) and trial.history is not None else 0
        for _ in range(folds):
            try:
                await agent.fold()
            except UnsupportedError:
                notes.append("the agent does not fold on request")
                break
        kept = written if folds == 0 else await _listing(agent, user)
        return Built(written, kept, tuple(notes))


async def _listing(agent: Agent, user: str) -> StoreListing | None:
    if not isinstance(agent, ShowsMemories):
        return None
    try:
        return StoreListing(tuple(await agent.memories(user)))
    except UnsupportedError:
        return None
