"""The tools that the `chat` agent gives its model: what they are called, and what they answer."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from foldproof.agents.http_answers import WrittenCall
from foldproof.agents.memories import Memory, Recall
from foldproof.core import nearest_of
from foldproof.logs import MemoryItem, Usage

NOTHING_FOUND = "Nothing was found."
TOOLS: Mapping[str, Mapping[str, Any]] = {
    "search_memory": {
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
}
"""Every tool by its name, as the chat completions API describes it."""


@dataclass(slots=True)
class Reading:
    """What one answer has read of the memory so far: each item once, ranked from 1 in the order of return."""

    items: list[MemoryItem] = field(default_factory=list)
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


@dataclass(frozen=True, slots=True)
class Toolbox:
    """The tools of one agent. A call that cannot be carried out is answered to the model, and noted."""

    names: Sequence[str]
    memory: Memory

    @property
    def offered(self) -> list[Mapping[str, Any]]:
        """The tools as the API describes them."""
        return [TOOLS[name] for name in self.names]

    @property
    def body(self) -> str:
        """The tools as a further part of a request's body; nothing where there are none."""
        return f',"tools":{json.dumps(self.offered, ensure_ascii=False)}' if self.names else ""

    async def answer(self, written: WrittenCall, reading: Reading) -> str:
        """The result of one call, as the model is to read it.

        Raises:
            AgentError: where the memory fails.
        """
        fault, query = self._query_of(written)
        if fault:
            reading.notes.append(f"the model's call of `{written.name}` was answered with an error: {fault}")
            return f"Error: {fault}"
        recall = await self.memory.recall(query)
        reading.add(recall)
        return recall.text or NOTHING_FOUND

    def _query_of(self, written: WrittenCall) -> tuple[str, str]:
        """What is wrong with a call, or nothing, and what it searches for."""
        if written.name not in self.names:
            return f"there is no tool '{written.name}'; {nearest_of(written.name, self.names)}", ""
        args = written.call.args
        if set(args) == {"_raw"}:
            return f"the arguments are no JSON object: {str(args['_raw'])[:200]}", ""
        unknown = sorted(set(args) - {"query"})
        if unknown:
            return f"there is no argument '{unknown[0]}'; {nearest_of(unknown[0], ['query'])}", ""
        query = args.get("query")
        if not isinstance(query, str) or not query.strip():
            return "the argument `query` must be a text that is not empty", ""
        return "", query
