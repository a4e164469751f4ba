"""The `recall` adapter: no model; the answer is the context that the memory would put in front of one."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

from foldproof.agents.factory import AgentFactory, Setup
from foldproof.agents.memories import Keeps, Spent, make_memory
from foldproof.agents.protocols import Reply, SessionInfo
from foldproof.agents.remembering import (
    Remembering,
    Shared,
    Talk,
    another_of,
    memory_notes,
    memory_of,
    open_shared,
    resources_of,
)
from foldproof.agents.resuming import past_talk
from foldproof.core import UsageError
from foldproof.logs import PastTurn, Turn

NO_MEMORY = "I have no memory of this."
"""The answer where nothing was recalled."""
UNWRITTEN = "the memory is written by a model through tools, and `recall` has no model: it stays empty"


@asynccontextmanager
async def open_recall(setup: Setup) -> AsyncIterator[AgentFactory]:
    """The agents that answer with what their memory recalls."""
    setup.allow("recall")
    if setup.agent["recall"]:
        raise UsageError(
            f"{setup.place}: `recall` takes no value, it has {setup.agent['recall']!r}\n"
            "  the memory is chosen with `memory: {kind: …}`"
        )
    async with open_shared() as shared:
        memory = memory_of(setup, shared)
        yield RecallFactory(
            setup,
            shared,
            default_folds=int(memory.compacts),
            fingerprint=setup.fingerprint({}),
            notes=(*memory_notes(setup), *((UNWRITTEN,) if isinstance(memory, Keeps) else ())),
        )


@dataclass(frozen=True)
class RecallFactory:
    """Makes an agent with an empty memory of the kind that the memory_config names."""

    setup: Setup = field(repr=False)
    shared: Shared = field(repr=False)
    default_folds: int
    fingerprint: str
    notes: tuple[str, ...]

    async def make(self, memory_config: Mapping[str, Any], trial: str) -> RecallAgent:
        """An agent of its own memory."""
        resources = resources_of(self.setup, self.shared, trial)
        config = self.setup.memory_of(memory_config)
        another = another_of(config, resources)
        return RecallAgent(make_memory(config, resources), resources.spent, user=trial, another=another)


class RecallAgent(Remembering):
    """A memory as an agent."""

    async def start_session(self, info: SessionInfo) -> RecallConversation:
        """A session; nothing but the memory is kept between messages. What the user says in it is taken in later."""
        return RecallConversation(self._spent, await self._begin(info))


@dataclass(frozen=True, slots=True)
class RecallConversation:
    """Each message is a question to the memory."""

    spent: Spent
    talk: Talk

    async def resume(self, turns: Sequence[PastTurn]) -> None:
        """Go on from these turns. They are no part of an answer: that holds what the memory gives, and no more."""
        self.talk.turns += past_talk(turns)

    async def reply(self, message: str) -> Reply:
        """The context for this question, or the admission that there is none."""
        recall = await self.talk.memory.recall(message)
        text = recall.text or NO_MEMORY
        self.talk.turns.append(Turn("user", message))
        return Reply(
            text,
            tool_calls=(),
            memory_reads=recall.reads,
            memory_writes=(),
            prompt=text,
            usage=self.spent.with_answer(recall.usage),
            notes=(*self.talk.notes, *recall.notes),
        )
