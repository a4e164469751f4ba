"""Worlds: what the `chat` agent acts on, each a plain Python class whose public methods are the model's tools."""

from __future__ import annotations

import inspect
import sys
from collections.abc import AsyncIterator, Callable, Collection, Mapping, Sequence
from contextlib import asynccontextmanager, nullcontext
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from foldproof.agents.calls import RAISED, call
from foldproof.agents.errors import AgentError
from foldproof.agents.factory import Setup
from foldproof.agents.python_code import importable, load
from foldproof.agents.python_sources import sources_of
from foldproof.agents.threads import Worker
from foldproof.agents.world_tools import World, WorldTool, tools_of
from foldproof.core import Registry, UsageError

WorldKind = Callable[[], Any]
"""Makes a world: a class, or a function that gives an object of one; called without arguments."""
WORLDS: Registry[WorldKind] = Registry("foldproof.worlds", "world", {"shop": "foldproof.testing.shop:Shop"})


@dataclass(frozen=True)
class Worlds:
    """Makes the worlds of one configuration: each trial, and each user of it, gets one of its own.

    `digests` are the user's files that it is made of, for the agent's fingerprint.
    """

    maker: WorldKind = field(repr=False)
    tools: Sequence[WorldTool]
    digests: Mapping[Path, str]

    async def make(self) -> World:
        """A fresh world.

        Raises:
            AgentError: where the user's code fails to make one.
        """
        worker = Worker()
        return World(await _made(self.maker, worker), self.tools, worker)


@asynccontextmanager
async def open_worlds(setup: Setup, name: str, *, taken: Collection[str] = ()) -> AsyncIterator[Worlds]:
    """The worlds of a configuration, for as long as the context lasts.

    A name with a colon is `module:name` in the user's own code, any other one that is registered. One world is made to
    see what its tools are; it is never used. None of them may have a name that is `taken`.

    Raises:
        UsageError: where there is no such world, it cannot be made without arguments, or it has no tools that a model
            could call.
    """
    place = f"{setup.place}: the world `{name}`"
    with importable(setup.root) if ":" in name else nullcontext():
        if ":" in name:
            maker = load(setup, name, what=f"the world `{name}`", form="module:name")
        else:
            maker = _registered(setup, name)
        if not callable(maker):
            raise UsageError(
                f"{place} is {type(maker).__name__}, which trials would share\n"
                "  name a class, or a function that makes the world"
            )
        worker = Worker()
        try:
            made = await _made(maker, worker)
        except AgentError as error:
            what = str(error).removeprefix(RAISED)
            raise UsageError(f"{place} cannot be made: {what}\n  it is called without arguments") from error
        finally:
            worker.stop()
        module = sys.modules.get(name.partition(":")[0], sys.modules.get(str(maker.__module__)))
        tools = tools_of(made, place)
        for tool in tools:
            if tool.name in taken:
                raise UsageError(f"{place}: its method `{tool.name}` has the name of a tool of the memory\n  rename it")
        yield Worlds(maker, tools, sources_of(module, maker, setup.root))


def _registered(setup: Setup, name: str) -> WorldKind:
    try:
        return WORLDS.get(name)
    except UsageError as error:
        raise UsageError(f"{setup.place}: {error}\n  a class of your own is written `my_world:Shop`") from error


async def _made(maker: WorldKind, worker: Worker) -> Any:  # noqa: ANN401  # the user's object
    """A world's object. One with async methods is made in the loop's thread, where what it opens belongs."""
    if inspect.isclass(maker) and inspect.getmembers_static(maker, inspect.iscoroutinefunction):

        async def make() -> Any:  # noqa: ANN401  # the user's object
            return maker()

        return await call(worker, make)
    return await call(worker, maker)
