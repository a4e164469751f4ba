"""An agent with a small memory, in steps of which each can be replaced: what the reported failures are made from."""

from __future__ import annotations

import re
from dataclasses import replace

from foldproof.agents import MemoryItem, Reply

UNKNOWN = "I don't know."


def words_of(text):
    """The words of a text in any script; each sign of a script without blanks is a word."""
    return set(re.findall(r"[^\W\u3040-\u9fff\uac00-\ud7a3]+|[\u3040-\u9fff\uac00-\ud7a3]", text.lower()))


class Keeper:
    """Keeps what the user said, finds it by its words, puts it into a prompt, and answers with what stands there.

    `events` is the trace of what was written, as `ADD`, `UPDATE` and `DELETE`.
    """

    k = 4

    def __init__(self, memory_config):
        self.settings = dict(memory_config)
        self.items = []
        self.events = []
        self.user = ""
        self.notes = []

    def ingest(self, history):
        for session in history.sessions:
            for turn in session.turns:
                self.hear(turn, session)

    def hear(self, turn, session):
        if turn.role == "user":
            self.add(turn.text)

    def add(self, text, **named):
        item = MemoryItem(text, id=str(len(self.events)), **named)
        self.items.append(item)
        self.events.append(replace(item, kind="ADD"))
        return item

    def update(self, item, text):
        self.items[self.items.index(item)] = replace(item, text=text)
        self.events.append(replace(item, text=text, kind="UPDATE"))

    def delete(self, item):
        self.items.remove(item)
        self.events.append(replace(item, kind="DELETE"))

    def fold(self):
        """Nothing is compacted."""

    def memories(self, user):
        return list(self.items)

    def start_session(self, info):
        self.user = info.user
        return self

    def search(self, question):
        ranked = sorted(self.items, key=lambda item: -len(words_of(item.text) & words_of(question)))
        return ranked[: self.k]

    def prompt(self, question, given):
        known = "\n".join(f"- {item.text}" for item in given)
        return f"Answer from what is known.\nKnown:\n{known}\nQuestion: {question}"

    def answer(self, question, prompt):
        return " ".join(line[2:] for line in prompt.splitlines() if line.startswith("- ")) or UNKNOWN

    def reply(self, message):
        given = self.search(message)
        prompt = self.prompt(message, given)
        reads = tuple(replace(item, rank=rank) for rank, item in enumerate(given, 1))
        return Reply(
            self.answer(message, prompt),
            memory_reads=reads,
            memory_writes=tuple(self.events),
            prompt=prompt,
            notes=tuple(self.notes),
        )
