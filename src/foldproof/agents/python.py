"""The `python` adapter: an agent that is a function, a class or a factory in the user's own code."""

from __future__ import annotations

import inspect
import sys
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from typing import Any

from foldproof.agents.calls import as_agent_error, as_reply, call
from foldproof.agents.errors import AgentError, UnsupportedError
from foldproof.agents.factory import AgentFactory, Setup
from foldproof.agents.protocols import Conversation, Reply, SessionInfo
from foldproof.agents.python_code import importable, is_factory, load
from foldproof.agents.python_sources import sources_of
from foldproof.agents.shapes import state_of
from foldproof.agents.signature import CallPlan, plan_of
from foldproof.agents.threads import Worker
from foldproof.core import UsageError
from foldproof.logs import History, MemoryItem, PastTurn


@asynccontextmanager
async def open_python(setup: Setup) -> AsyncIterator[AgentFactory]:
    """The agents of a Python function, class or factory named `module:name`."""
    setup.allow("python")
    with importable(setup.root):
        named = str(setup.agent["python"])
        thing = load(setup, named, what=f"the agent `python:{named}`", form="python:module:name")
        module = sys.modules.get(setup.agent["python"].partition(":")[0])
        fingerprint = setup.fingerprint(sources_of(module, thing, setup.root))
        place = f"{setup.place}: agent `python:{setup.agent['python']}`"
        if is_factory(thing, place):
            yield ObjectFactory(setup, thing, place, fingerprint)
        else:
            yield FunctionFactory(setup, thing, plan_of(thing, place), fingerprint)


@dataclass(frozen=True)
class FunctionFactory:
    """Makes agents of a function; only the optional parameters that it names are handed over."""

    setup: Setup = field(repr=False)
    function: Any
    plan: CallPlan
    fingerprint: str
    default_folds: int = 0

    @property
    def notes(self) -> tuple[str, ...]:
        """Says so where histories cannot be handed over."""
        if "history" in self.plan.optional:
            return ()
        return ("the agent function takes no `history`: histories are not handed over",)

    async def make(self, memory_config: Mapping[str, Any], trial: str) -> FunctionAgent:  # noqa: ARG002  # a function keeps nothing
        """An agent with its own copy of the memory_config."""
        return FunctionAgent(self.function, self.plan, self.setup.memory_of(memory_config))


class FunctionAgent:
    """A function as an agent: each message is one call."""

    def __init__(self, function: Any, plan: CallPlan, memory_config: dict[str, Any]) -> None:  # noqa: ANN401  # foreign
        self._function = function
        self._plan = plan
        self._memory_config = memory_config
        self._history = History("")

    async def ingest(self, history: History) -> None:
        """Keep the history for the calls."""
        if "history" not in self._plan.optional:
            raise UnsupportedError("the agent function takes no `history`")
        self._history = history

    async def start_session(self, info: SessionInfo) -> FunctionConversation:
        """A session; the function itself decides what it remembers between calls."""
        return FunctionConversation(self, info)

    async def ask(self, message: str, info: SessionInfo) -> Reply:
        """One call of the function; a further user of the trial has no history."""
        past = History("") if info.label else self._history
        args, named = self._plan.arguments(message, self._memory_config, history=past, session=info)
        return as_reply(await call(Worker(), self._function, *args, **named))


@dataclass(frozen=True, slots=True)
class FunctionConversation:
    """One session with a function."""

    agent: FunctionAgent
    info: SessionInfo

    async def resume(self, turns: Sequence[PastTurn]) -> None:  # noqa: ARG002  # a function keeps nothing
        """Refused: each call of a function stands alone."""
        raise UnsupportedError("the agent is a function, which is called anew for each message and keeps no turns")

    async def reply(self, message: str) -> Reply:
        """The function's answer."""
        return await self.agent.ask(message, self.info)


@dataclass(frozen=True)
class ObjectFactory:
    """Makes agents by calling a class, or a function that gives one, with the memory_config."""

    setup: Setup = field(repr=False)
    maker: Any
    place: str
    fingerprint: str
    notes: tuple[str, ...] = ()

    @property
    def default_folds(self) -> int:
        """Once, where there is a `fold` to call; a factory's object without one says that it is unsupported."""
        return int(hasattr(self.maker, "fold") or not inspect.isclass(self.maker))

    @property
    def _lives_in_the_loop(self) -> bool:
        methods = [getattr(self.maker, name, None) for name in ("ingest", "start_session", "fold", "memories")]
        return inspect.isclass(self.maker) and any(inspect.iscoroutinefunction(method) for method in methods)

    def _made_here(self, memory: dict[str, Any]) -> Any:  # noqa: ANN401  # foreign object
        try:
            return self.maker(memory)
        except (Exception, SystemExit) as error:  # the agent-call border: whatever it raises, the run goes on
            raise as_agent_error(error) from error

    async def make(self, memory_config: Mapping[str, Any], trial: str) -> ObjectAgent:  # noqa: ARG002  # the object is the isolation
        """A new object of the user's, with its own copy of the memory_config."""
        worker = Worker()
        memory = self.setup.memory_of(memory_config)
        # An object with async methods lives in the loop's thread, and what it opens when it is made belongs there.
        made = self._made_here(memory) if self._lives_in_the_loop else await call(worker, self.maker, memory)
        if not callable(getattr(made, "start_session", None)):
            raise UsageError(
                f"{self.place}: it made {type(made).__name__}, which has no method `start_session`\n"
                "  an agent has `start_session(info)`, which gives an object with `reply(message)`"
            )
        return ObjectAgent(made, worker)


class ObjectAgent:
    """The user's object behind the border: its methods may be sync or async, and all but one may be absent."""

    def __init__(self, made: Any, worker: Worker) -> None:  # noqa: ANN401  # foreign object
        self._made = made
        self._worker = worker
        self._closed = False

    async def ingest(self, history: History) -> None:
        """Hand the history over."""
        await self._do("ingest", history)

    async def fold(self) -> None:
        """Let the memory compact."""
        await self._do("fold")

    async def start_session(self, info: SessionInfo) -> Conversation:
        """A session of the user's."""
        conversation = await self._do("start_session", info)
        if not callable(getattr(conversation, "reply", None)):
            raise AgentError(
                f"`start_session` gave {type(conversation).__name__}, which has no method `reply(message)`"
            )
        return ObjectConversation(conversation, self._worker, self._made)

    async def memories(self, user: str) -> Sequence[MemoryItem]:
        """What the memory holds."""
        items = await self._do("memories", user)
        if isinstance(items, str) or not isinstance(items, Sequence):
            raise AgentError(
                f"`memories` gave {type(items).__name__}, where a list of `MemoryItem` or `str` is expected"
            )
        for item in items:
            if not isinstance(item, (MemoryItem, str)):
                raise AgentError(f"`memories` gave {type(item).__name__} in its list, where a `MemoryItem` is expected")
        return tuple(MemoryItem(item) if isinstance(item, str) else item for item in items)

    async def snapshot(self) -> Any:  # noqa: ANN401  # the agent's own object
        """The built memory, where the object can also restore it."""
        if not hasattr(self._made, "restore"):
            raise UnsupportedError("the agent has no method `restore`")
        return await self._do("snapshot")

    async def restore(self, snapshot: Any) -> None:  # noqa: ANN401  # the agent's own object
        """Take over a built memory."""
        await self._do("restore", snapshot)

    async def close(self) -> None:
        """Let the object go; a second call does nothing."""
        if not self._closed:
            self._closed = True
            try:
                if hasattr(self._made, "close"):
                    await self._do("close")
            finally:
                self._worker.stop()

    async def _do(self, name: str, *args: Any) -> Any:  # noqa: ANN401  # foreign code
        method = getattr(self._made, name, None)
        if method is None:
            raise UnsupportedError(f"the agent has no method `{name}`")
        return await call(self._worker, method, *args)


@dataclass(frozen=True, slots=True)
class ObjectConversation:
    """A session of the user's behind the border."""

    made: Any
    worker: Worker
    agent: Any

    async def resume(self, turns: Sequence[PastTurn]) -> None:
        """Hand over the turns that it goes on from."""
        method = getattr(self.made, "resume", None)
        if method is None:
            raise UnsupportedError(f"{type(self.made).__name__} has no method `resume`")
        await call(self.worker, method, tuple(turns))

    async def reply(self, message: str) -> Reply:
        """The answer, with its type checked, and the agent's `state` after it where there is such a method."""
        reply = as_reply(await call(self.worker, self.made.reply, message))
        method = getattr(self.agent, "state", None)
        if reply.state is not None or not inspect.isroutine(method):
            return reply
        try:
            state = await call(self.worker, method)
        except UnsupportedError:
            return reply
        return replace(reply, state=state_of(state, "the agent's `state`"))
