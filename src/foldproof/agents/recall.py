"""The `recall` adapter: no model; the answer is the context that the memory would put in front of one."""

from __future__ import annotations

import copy
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

from foldproof.agents.factory import AgentFactory, Setup
from foldproof.agents.memories import Memory, kind_of, make_memory
from foldproof.agents.protocols import Reply, SessionInfo
from foldproof.core import UsageError
from foldproof.logs import History, MemoryItem, Usage

NO_MEMORY = "I have no memory of this."
"""The answer where nothing was recalled."""


@asynccontextmanager
async def open_recall(setup: Setup) -> AsyncIterator[AgentFactory]:
    """The agents that answer with what their memory recalls."""
    setup.allow("recall")
    if setup.agent["recall"]:
        raise UsageError(
            f"{setup.place}: `recall` takes no value, it has {setup.agent['recall']!r}\n"
            "  the memory is chosen with `memory: {kind: …}`"
        )
    try:
        memory = make_memory(setup.memory_of(setup.memory))
    except UsageError as error:
        raise UsageError(f"{setup.place}: {error}") from error
    yield RecallFactory(
        setup, default_folds=int(memory.compacts), kind=kind_of(setup.memory), fingerprint=setup.fingerprint({})
    )


@dataclass(frozen=True)
class RecallFactory:
    """Makes an agent with an empty memory of the kind that the memory_config names."""

    setup: Setup = field(repr=False)
    default_folds: int
    kind: str
    fingerprint: str

    @property
    def notes(self) -> tuple[str, ...]:
        """What the reader of the report should know of the memory."""
        return ("the memory types lines by rules, not by a model",) if self.kind == "triage" else ()

    async def make(self, memory_config: Mapping[str, Any], trial: str) -> RecallAgent:  # noqa: ARG002  # nothing is shared
        """An agent of its own memory."""
        return RecallAgent(make_memory(self.setup.memory_of(memory_config)))


class RecallAgent:
    """A memory as an agent."""

    def __init__(self, memory: Memory) -> None:
        self._memory = memory

    async def ingest(self, history: History) -> None:
        """Build the memory."""
        self._memory.build(history)

    async def fold(self) -> None:
        """Let the memory compact."""
        self._memory.fold()

    async def start_session(self, info: SessionInfo) -> RecallConversation:  # noqa: ARG002  # one user a memory
        """A session; nothing but the memory is kept between messages."""
        return RecallConversation(self._memory)

    async def memories(self, user: str) -> Sequence[MemoryItem]:  # noqa: ARG002  # one user a memory
        """Everything that the memory holds."""
        return self._memory.items()

    async def snapshot(self) -> Memory:
        """The built memory; memories never change in place, so a shallow copy is apart."""
        return copy.copy(self._memory)

    async def restore(self, snapshot: Memory) -> None:
        """Take over a built memory, its index shared."""
        self._memory = copy.copy(snapshot)

    async def close(self) -> None:
        """Nothing to let go of but the memory itself."""


@dataclass(frozen=True, slots=True)
class RecallConversation:
    """Each message is a question to the memory."""

    memory: Memory

    async def reply(self, message: str) -> Reply:
        """The context for this question, or the admission that there is none."""
        recall = self.memory.recall(message)
        text = recall.text or NO_MEMORY
        return Reply(
            text,
            tool_calls=(),
            memory_reads=recall.items,
            memory_writes=(),
            prompt=text,
            usage=Usage(cost_usd=0.0),
            notes=recall.notes,
        )
