"""The tools that the `chat` agent gives its model: what they are called, and what they answer."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Protocol

from foldproof.agents.http_answers import WrittenCall
from foldproof.agents.memories import Recall
from foldproof.agents.world_tools import ToolError, World
from foldproof.core import nearest_of
from foldproof.logs import RAW, MemoryItem, Usage


@dataclass(slots=True)
class Reading:
    """What one answer has read of the memory and written to it so far.

    Each item that was read stands there once, ranked from 1 in the order of return.
    """

    items: list[MemoryItem] = field(default_factory=list)
    writes: list[MemoryItem] = field(default_factory=list)
    usages: list[Usage | None] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    _places: dict[tuple[str, str], int] = field(default_factory=dict)

    def add(self, recall: Recall) -> None:
        """Take in what a question to the memory returned."""
        for item in recall.reads:
            place = self._places.setdefault((item.id, item.text), len(self.items))
            if place == len(self.items):
                self.items.append(replace(item, rank=place + 1))
            elif self.items[place].dropped and not item.dropped:
                self.items[place] = replace(self.items[place], dropped="", score=item.score)
        self.usages.append(recall.usage)
        self.notes += [note for note in recall.notes if note not in self.notes]


class ReadingTool(Protocol):
    """A tool of the memory: what it reads and writes goes on the answer's record."""

    @property
    def schema(self) -> Mapping[str, Any]:
        """The tool as the API describes it."""
        ...

    async def call(self, args: Mapping[str, Any], reading: Reading) -> str:
        """What the tool gives back.

        Raises:
            ToolError: where the arguments do not fit.
            AgentError: where the memory fails.
        """
        ...


@dataclass(frozen=True, slots=True)
class Toolbox:
    """The tools of one conversation. A call that cannot be carried out is answered to the model, and noted."""

    memory: Mapping[str, ReadingTool]
    world: World | None = None

    @property
    def offered(self) -> list[Mapping[str, Any]]:
        """The tools as the API describes them."""
        return [*(tool.schema for tool in self.memory.values()), *(self.world.offered if self.world else ())]

    @property
    def names(self) -> Sequence[str]:
        """What the tools are called."""
        return [tool["function"]["name"] for tool in self.offered]

    @property
    def body(self) -> str:
        """The tools as a further part of a request's body; nothing where there are none."""
        return f',"tools":{json.dumps(self.offered, ensure_ascii=False)}' if self.offered else ""

    async def answer(self, written: WrittenCall, reading: Reading) -> str:
        """The result of one call, as the model is to read it.

        Raises:
            AgentError: where the memory fails.
        """
        try:
            return await self._done(written.name, written.call.args, reading)
        except ToolError as error:
            reading.notes.append(f"the model's call of `{written.name}` was answered with an error: {error.noted}")
            return f"Error: {error}"

    async def _done(self, name: str, args: Mapping[str, Any], reading: Reading) -> str:
        if name not in self.names:
            raise ToolError(f"there is no tool '{name}'; {nearest_of(name, self.names)}")
        if set(args) == {RAW}:
            raise ToolError(f"the arguments are no JSON object: {str(args[RAW])[:200]}")
        if self.world is None or name in self.memory:
            return await self.memory[name].call(args, reading)
        return await self.world.call(name, args)
