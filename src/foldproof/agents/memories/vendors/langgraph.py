"""LangGraph's store with semantic search, or LangMem's summarization of one thread."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

from .embedding import Embeddings, dimensions_of
from .store import (
    LOOKED_AT,
    Item,
    NotSupportedError,
    Sessions,
    Store,
    StoreError,
    Writing,
    Written,
    plain_name,
    turns_of,
)

_LISTED = 100_000
"""How many items a search without a query is asked for: its own default is 10."""


class GraphStore:
    """An `InMemoryStore` with a namespace for each user, kept in a file between processes."""

    def __init__(self, settings: dict[str, Any], folder: Path) -> None:
        from langgraph.store.memory import InMemoryStore

        self._k = settings["k"]
        self._file = folder / "items.json"
        embed = settings.get("embed")
        self.free = embed is None
        self._embed = Embeddings(embed, folder / "vectors.json") if embed else None
        index: Any = (
            {"dims": dimensions_of(embed, folder), "embed": self._embed, "fields": ["content"]} if embed else None
        )
        self._store = InMemoryStore(index=index) if index else InMemoryStore()
        self._order: dict[tuple[str, str], None] = {}  # in the order of writing; a list would be walked at each write
        if self._file.exists():
            for user, key, value in json.loads(self._file.read_text("utf-8")):
                self._put(user, key, value)

    def ingest(self, user: str, sessions: Sessions) -> Written:
        """One `put` a turn, under the turn's own key."""
        turns = turns_of(sessions)
        write, found = Writing(len(turns), "writes to the store"), Written()
        if self._embed:
            write(self._embed, [_content(turn) for _, _, turn in turns])
        for session, number, turn in turns:
            key = f"{session['session']}.t{number}"
            value = {"content": _content(turn), "at": session["at"]}
            write(self._put, user, key, value)
            found.ids.append(key)
        write.end()
        return found

    def fold(self, user: str) -> None:
        """Nothing: a store keeps what was put into it."""
        raise NotSupportedError("a store keeps every item; `summarize` folds a thread")

    def recall(self, user: str, text: str) -> list[Item]:
        """`search` in the user's namespace, best first; without embeddings the first `k`, whatever was asked."""
        # A namespace is a prefix: one label short, the search would find every user's items.
        found = self._store.search(_space_of(user), query=text, limit=self._k + LOOKED_AT)
        return [
            {
                "text": hit.value["content"],
                "id": hit.key,
                "score": hit.score,
                "dropped": "" if place <= self._k else "beyond k",
            }
            for place, hit in enumerate(found, 1)
        ]

    def memories(self, user: str) -> tuple[list[Item], list[str]]:
        """A search without a query, in the order of writing."""
        found = {item.key: item.value["content"] for item in self._store.search(_space_of(user), limit=_LISTED)}
        cut = [f"the store listed {_LISTED} items, its limit here: there may be more"] if len(found) >= _LISTED else []
        kept = [key for owner, key in self._order if owner == user and key in found]
        return [{"text": found[key], "id": key} for key in kept], cut

    def forget(self, user: str, item_id: str) -> None:
        """`delete`."""
        if self._store.get(_space_of(user), item_id) is None:
            raise StoreError(f"the store holds no item {item_id!r} of this user")
        self._store.delete(_space_of(user), item_id)
        del self._order[user, item_id]

    def notes(self) -> list[str]:
        """That nothing is searched where there are no embeddings."""
        return [] if self._embed else ["the store has no embeddings: it returns items whatever is asked"]

    def close(self) -> None:
        """Write the items down."""
        rows = [(user, key, item.value) for user, key in self._order if (item := self._store.get(_space_of(user), key))]
        self._file.write_text(json.dumps(rows), "utf-8")
        if self._embed:
            self._embed.save()

    def _put(self, user: str, key: str, value: dict[str, Any]) -> None:
        self._store.put(_space_of(user), key, value)
        self._order.setdefault((user, key))


class Summarized:
    """The history as one thread, which LangMem's `SummarizationNode` compacts when it is folded."""

    free = False  # a recall is, but nobody sees what the folds before it cost

    def __init__(self, settings: dict[str, Any], folder: Path) -> None:
        from langchain_core.messages import messages_from_dict
        from langchain_openai import ChatOpenAI
        from langmem.short_term import RunningSummary, SummarizationNode

        said = settings["model"]
        model = ChatOpenAI(
            base_url=said["base_url"],
            model=said["name"],
            api_key=os.environ.get(said.get("api_key_env") or "OPENAI_API_KEY") or "none",
            temperature=said.get("temperature", 0),
            seed=said.get("seed"),
        )
        # The count is LangMem's own default, four characters a token.
        self._node = SummarizationNode(model=model, **settings["summarize"])
        self._file = folder / "threads.json"
        held = json.loads(self._file.read_text("utf-8")) if self._file.exists() else {}
        self._threads = {user: messages_from_dict(one["thread"]) for user, one in held.items()}
        self._context = {
            user: {"running_summary": RunningSummary(one["summary"][0], set(one["summary"][1]), one["summary"][2])}
            for user, one in held.items()
            if one["summary"]
        }
        self._folded = {user: messages_from_dict(one["folded"]) for user, one in held.items() if one["folded"]}

    def ingest(self, user: str, sessions: Sessions) -> Written:
        """Each turn a message of the thread."""
        from langchain_core.messages import AIMessage, HumanMessage

        thread = self._threads.setdefault(user, [])
        found = Written()
        for session, number, turn in turns_of(sessions):
            kind = AIMessage if turn["role"] == "agent" else HumanMessage
            label = "" if turn["role"] in ("agent", "user") else f"[{turn['role']}] "
            key = f"{session['session']}.t{number}"
            message = kind(content=label + turn["text"], id=key)
            thread.append(message)
            if user in self._folded:  # what was summarized stays so; what is new stands behind it until the next fold
                self._folded[user].append(message)
            found.ids.append(key)
        return found

    def fold(self, user: str) -> None:
        """Run the node on the growing thread, before each message of the user, as a graph does in use.

        On the whole thread at once it would leave out of the summary whatever is beyond `max_tokens`. What it would
        put in front of the model in the end is what is kept.
        """
        thread = self._threads.get(user, [])
        summary = self._context.get(user, {}).get("running_summary")
        done = [
            place for place, message in enumerate(thread, 1) if summary and message.id in summary.summarized_message_ids
        ]
        start = max(done, default=0)
        ends = [place for place, message in enumerate(thread, 1) if message.type == "human" and place > start]
        for end in dict.fromkeys([*ends, len(thread)]):
            answer = self._node.invoke({"messages": thread[:end], "context": self._context.get(user, {})})
            self._folded[user] = answer["summarized_messages"]
            self._context[user] = answer.get("context") or self._context.get(user, {})

    def recall(self, user: str, text: str) -> list[Item]:  # a thread does not search
        """All that is kept; the question plays no part."""
        return self.memories(user)[0]

    def memories(self, user: str) -> tuple[list[Item], list[str]]:
        """The summary, where there is one, and the messages that were not summarized."""
        held = self._folded.get(user, self._threads.get(user, []))
        names = {"human": "user", "ai": "agent"}
        return [
            {
                "text": f"{names.get(message.type, message.type)}: {message.content}",
                "id": message.id or f"summary.{place}",
                "kind": "summary" if message.type == "system" else "",
            }
            for place, message in enumerate(held, 1)
        ], []

    def forget(self, user: str, item_id: str) -> None:
        """Not possible once it is summarized, and a thread has no other way."""
        raise NotSupportedError("what went into a summary cannot be taken out of it")

    def notes(self) -> list[str]:
        """None."""
        return []

    def close(self) -> None:
        """Write the threads down."""
        from langchain_core.messages import messages_to_dict

        held = {}
        for user, thread in self._threads.items():
            summary = self._context.get(user, {}).get("running_summary")
            held[user] = {
                "thread": messages_to_dict(thread),
                "folded": messages_to_dict(self._folded.get(user, [])),
                "summary": [summary.summary, sorted(summary.summarized_message_ids), summary.last_summarized_message_id]
                if summary
                else None,
            }
        self._file.write_text(json.dumps(held), "utf-8")


def open_store(settings: dict[str, Any], folder: Path) -> Store:
    """The memory in a folder: a thread that is summarized, where the settings say how, else a store."""
    return Summarized(settings, folder) if settings.get("summarize") else GraphStore(settings, folder)


def _content(turn: dict[str, str]) -> str:
    return f"{turn['role']}: {turn['text']}"


def _space_of(user: str) -> tuple[str, str]:
    return ("memories", plain_name(user))
