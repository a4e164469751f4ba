"""A memory that a model writes, as many do: it is shown what is known under numbers, and answers with events."""

from __future__ import annotations

import json
from dataclasses import replace

from foldproof.agents import AgentError
from foldproof.agents.endpoint import message_json
from foldproof.agents.memories import Recall
from foldproof.agents.model import chat_of, memory_wire
from foldproof.logs import MemoryItem

INSTRUCTIONS = "You keep a memory. Answer with JSON: a list of {event, id, text}."


class ModelWritten:
    """Applies the events of its model to its items. `errors` says what becomes of one that fails.

    `raise` lets it out, `swallow` goes on in silence. What was said to the model and what it answered passes the
    wire. `prompt` is a text of the user's own that is to stand before the instructions; with `forgets_prompt` it is
    taken and never sent. `folds` compacts by one more call of the model.
    """

    compacts = True

    def __init__(self, settings, resources):
        self.settings = settings
        self._items = []
        wire = memory_wire(resources.model, resources)
        self._chat = chat_of(resources.model, resources.environ, resources.pool, place="memory", wire_url=wire)

    async def build(self, history):
        self._items = []
        for session in history.sessions:
            for turn in session.turns:
                if turn.role == "user":
                    await self._hear(turn.text)

    async def fold(self):
        if not self.settings.get("folds"):
            return
        try:
            self._items = [MemoryItem(await self._ask("Summarise: " + self._known()), id="summary")]
        except AgentError as error:
            if self.settings["folds"] == "raise":
                raise
            self._items = [MemoryItem(f"Error: {error}", id="summary")]

    async def recall(self, question):
        return Recall(tuple(replace(item, rank=rank) for rank, item in enumerate(self._items, 1)))

    async def items(self):
        return tuple(self._items)

    async def _hear(self, text):
        own = "" if self.settings.get("forgets_prompt") else self.settings.get("prompt", "")
        try:
            answer = await self._ask(f"{own} {INSTRUCTIONS}\nKnown:\n{self._known()}\nNew: {text}".strip())
            for event in json.loads(answer):
                self._apply(event["event"], event.get("id", ""), event.get("text", ""))
        except Exception:
            if self.settings.get("errors") == "raise":
                raise

    def _known(self):
        return "\n".join(f"{number}: {item.text}" for number, item in enumerate(self._items))

    def _apply(self, event, number, text):
        numbered = {str(at): item for at, item in enumerate(self._items)}
        if event == "ADD":
            self._items.append(MemoryItem(text, id=str(len(self._items))))
        elif event == "UPDATE":
            at = self._items.index(numbered[number])
            self._items[at] = replace(numbered[number], text=text)
        elif event == "DELETE":
            self._items.remove(numbered[number])

    async def _ask(self, text):
        done = await self._chat.complete(f"[{message_json('user', text)}]")
        return done.text
