"""The tools by which the model of a `chat` agent searches its memory, and writes the one that it keeps itself."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar

from foldproof.agents.chat_tools import Reading, ReadingTool
from foldproof.agents.errors import AgentError
from foldproof.agents.memories import Keeps, Memory
from foldproof.agents.world_tools import ToolError
from foldproof.core import nearest_of

NOTHING_FOUND = "Nothing was found."
DELETED = "delete"
"""The kind of a write that takes something out of the memory."""
SEARCH: Mapping[str, Any] = {
    "type": "function",
    "function": {
        "name": "search_memory",
        "description": "Searches what is remembered from earlier conversations with this user.",
        "parameters": {
            "type": "object",
            "properties": {"query": {"type": "string", "description": "What to look for, in a few words."}},
            "required": ["query"],
            "additionalProperties": False,
        },
    },
}
REMEMBER: Mapping[str, Any] = {
    "type": "function",
    "function": {
        "name": "remember",
        "description": (
            "Saves something about this user for later conversations. Say it in `text`, in further arguments of your "
            "own that name a value (home_town: Ghent), or in both."
        ),
        "parameters": {
            "type": "object",
            "properties": {
                "kind": {"type": "string", "description": "What it is, in a word: preference, fact, rule, event."},
                "text": {"type": "string", "description": "A sentence that is understood without this conversation."},
            },
            "required": ["kind"],
            "additionalProperties": {"type": ["string", "number", "boolean"]},
        },
    },
}
FORGET: Mapping[str, Any] = {
    "type": "function",
    "function": {
        "name": "forget",
        "description": "Deletes one thing that is remembered of this user, because it was taken back or has changed.",
        "parameters": {
            "type": "object",
            "properties": {"id": {"type": "string", "description": "Its id, as `search_memory` shows it: n3."}},
            "required": ["id"],
            "additionalProperties": False,
        },
    },
}
MEMORY_TOOLS = ("search_memory", "remember", "forget")
"""Names that the tools of a world must not have."""


def memory_tools(memory: Memory, names: Collection[str], now: str) -> dict[str, ReadingTool]:
    """The tools of a memory by their names: those that were asked for, all where the model keeps it itself."""
    tools: dict[str, ReadingTool] = {}
    if "search_memory" in names or isinstance(memory, Keeps):
        tools["search_memory"] = Search(memory)
    if isinstance(memory, Keeps):
        tools |= {"remember": Remember(memory, now), "forget": Forget(memory)}
    return tools


@dataclass(frozen=True, slots=True)
class Search:
    """Asks the memory a question."""

    memory: Memory
    schema: ClassVar[Mapping[str, Any]] = SEARCH

    async def call(self, args: Mapping[str, Any], reading: Reading) -> str:
        """What the memory recalls, as its own text."""
        recall = await self.memory.recall(_text_of(args, "query", ["query"]))
        reading.add(recall)
        return recall.text or NOTHING_FOUND


@dataclass(frozen=True, slots=True)
class Remember:
    """Writes a note into a memory that the model keeps. `now` is the time that the session was told."""

    memory: Keeps
    now: str
    schema: ClassVar[Mapping[str, Any]] = REMEMBER

    async def call(self, args: Mapping[str, Any], reading: Reading) -> str:
        """The id of the note."""
        kind = _text_of(args, "kind")
        values = {name: value for name, value in args.items() if name not in {"kind", "text"} and value is not None}
        for name, value in values.items():
            if not isinstance(value, str | int | float):
                raise ToolError(f"the argument `{name}` must be a text, a number, or true or false")
        text = _text_of(args, "text") if args.get("text") or not values else ""
        named = "; ".join(f"{name}: {_written(value)}" for name, value in values.items())
        said = f"{text} ({named})" if text and named else text or named
        item = await self.memory.remember(said, kind=kind, at=self.now)
        reading.writes.append(item)
        return f"Saved as {item.id}."


@dataclass(frozen=True, slots=True)
class Forget:
    """Deletes a note of a memory that the model keeps."""

    memory: Keeps
    schema: ClassVar[Mapping[str, Any]] = FORGET

    async def call(self, args: Mapping[str, Any], reading: Reading) -> str:
        """That it is gone, and what says the same with it."""
        wanted = _text_of(args, "id", ["id"])
        before = await self.memory.items()
        try:
            await self.memory.forget(wanted)
        except AgentError as error:
            raise ToolError(f"{error}; `search_memory` shows the ids") from error
        left = {item.id for item in await self.memory.items()}
        gone = [item for item in before if item.id not in left]
        reading.writes += [replace(item, kind=DELETED) for item in gone]
        return f"Forgotten: {', '.join(item.id for item in gone)}."


def _text_of(args: Mapping[str, Any], name: str, known: Collection[str] = ()) -> str:
    """An argument that must be a text; with `known`, there must be no others.

    Raises:
        ToolError: where it is none, or there are others.
    """
    unknown = sorted(set(args) - set(known)) if known else []
    if unknown:
        raise ToolError(f"there is no argument '{unknown[0]}'; {nearest_of(unknown[0], known)}")
    value = args.get(name)
    if not isinstance(value, str) or not value.strip():
        raise ToolError(f"the argument `{name}` must be a text that is not empty")
    return value.strip()


def _written(value: str | float) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
