"""A memory server of the Model Context Protocol, spoken to over stdio with the official client."""

from __future__ import annotations

import asyncio
import hashlib
import json
import re
import threading
from collections.abc import Coroutine, Sequence
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any, TypeVar

from .store import (
    LOOKED_AT,
    Item,
    NotSupportedError,
    Sessions,
    Store,
    StoreError,
    WriteError,
    Writing,
    Written,
    plain_name,
    turns_of,
)

T = TypeVar("T")
Call = tuple[str, dict[str, Any]]
"""A tool and its arguments."""
_STARTING_S = 60
_CALL_S = 60
_WORD = re.compile(r"\w[\w'-]{3,}")
_TEXT_KEYS = ("text", "content", "memory", "title", "name")


class Servers:
    """One server process a user, in a folder of the user's own: such a server knows no users.

    The sessions live on a loop in a thread, since each is bound to the task that opened it.
    """

    def __init__(self, settings: dict[str, Any], folder: Path) -> None:
        self._settings = settings
        self._folder = folder
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)
        self._thread.start()
        self._sessions: dict[str, Any] = {}
        self._ending: dict[str, tuple[asyncio.Event, asyncio.Task[None]]] = {}

    def call(self, user: str, tool: str, args: dict[str, Any]) -> Any:  # noqa: ANN401  # any JSON value
        """What a tool answers: its structured result, else its text as JSON, else its text.

        Raises:
            StoreError: where the tool says that it failed.
        """
        return self._run(self._called(user, tool, args))

    def call_at_once(self, user: str, calls: Sequence[Call]) -> None:
        """Several calls in flight together."""

        async def all_of_them() -> None:
            await asyncio.gather(*(self._called(user, tool, args) for tool, args in calls))

        self._session(user)
        self._run(all_of_them())

    def close(self) -> None:
        """End the servers and the loop."""

        async def end() -> None:
            for event, _ in self._ending.values():
                event.set()
            await asyncio.wait([asyncio.ensure_future(task) for _, task in self._ending.values()], timeout=10)

        if self._ending:
            self._run(end())
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(10)
        self._loop.close()

    def _session(self, user: str) -> Any:  # noqa: ANN401  # the client's object
        if user not in self._sessions:
            self._run(self._start(user))
        return self._sessions[user]

    async def _start(self, user: str) -> None:
        ready: asyncio.Future[None] = self._loop.create_future()
        ending = asyncio.Event()
        task = self._loop.create_task(self._hold(user, ready, ending))
        self._ending[user] = (ending, task)
        await asyncio.wait_for(ready, _STARTING_S)

    async def _hold(self, user: str, ready: asyncio.Future[None], ending: asyncio.Event) -> None:
        """Keep a server and its session for as long as they are needed."""
        from mcp import ClientSession, StdioServerParameters, stdio_client

        home = self._folder / plain_name(user)
        home.mkdir(exist_ok=True)
        argv = [part.replace("{folder}", str(home)) for part in self._settings["command"]]
        env = {name: str(value).replace("{folder}", str(home)) for name, value in self._settings["env"].items()}
        server = StdioServerParameters(command=argv[0], args=argv[1:], env=env, cwd=self._settings["root"])
        try:
            async with AsyncExitStack() as stack:
                read, write = await stack.enter_async_context(stdio_client(server))
                session = await stack.enter_async_context(ClientSession(read, write))
                await session.initialize()
                self._sessions[user] = session
                ready.set_result(None)
                await ending.wait()
        except BaseException as error:
            if not ready.done():
                why = _first_of(error)
                text = f"the MCP server `{' '.join(argv)}` does not start: {type(why).__name__}: {why}"
                ready.set_exception(StoreError(text))
                return
            raise

    async def _called(self, user: str, tool: str, args: dict[str, Any]) -> Any:  # noqa: ANN401  # any JSON value
        if user not in self._sessions:
            await self._start(user)
        result = await asyncio.wait_for(self._sessions[user].call_tool(tool, args), _CALL_S)
        text = "\n".join(block.text for block in result.content if block.type == "text")
        if result.is_error:
            raise StoreError(f"the tool `{tool}` failed: {text[:500]}")
        if result.structured_content is not None:
            return result.structured_content
        try:
            return json.loads(text)
        except ValueError:
            return text

    def _run(self, work: Coroutine[Any, Any, T]) -> T:
        return asyncio.run_coroutine_threadsafe(work, self._loop).result()


class Graph:
    """The tools of `@modelcontextprotocol/server-memory`: an entity a session, an observation a turn."""

    free = True

    def __init__(self, settings: dict[str, Any], folder: Path) -> None:
        self._settings = settings
        self._servers = Servers(settings, folder)

    def ingest(self, user: str, sessions: Sessions) -> Written:
        """One `create_entities` a session, or `add_observations` where the entity is there.

        One after the other, unless the settings ask for them at once: the server reads and rewrites its file for
        each, and loses what another call wrote in between.
        """
        held = {entity["name"] for entity in self._entities(user, "read_graph", {})}
        found, calls = Written(), []
        for session in sessions:
            name, dated = session["session"], [f"date: {session['at']}"] if session["at"] else []
            # The server itself drops an observation that the entity has already.
            said = list(dict.fromkeys([*dated, *(f"{turn['role']}: {turn['text']}" for turn in session["turns"])]))
            entity = {"name": name, "entityType": "session", "observations": said}
            if name in held:
                calls.append(("add_observations", {"observations": [{"entityName": name, "contents": said}]}))
            else:
                calls.append(("create_entities", {"entities": [entity]}))
                found.ids += [item["id"] for item in _items_of(entity)]
            held.add(name)
        if self._settings["writes"] == "concurrent":
            self._servers.call_at_once(user, calls)
            return found
        write = Writing(len(calls), "writes to the MCP server")
        for tool, args in calls:
            write(self._servers.call, user, tool, args)
        write.end()
        return found

    def fold(self, user: str) -> None:
        """Nothing: the server has no such tool."""
        raise NotSupportedError("the server has no tool that compacts")

    def recall(self, user: str, text: str) -> list[Item]:
        """`search_nodes` with the question, or with each of its longer words; all that the first `k` entities hold.

        The server looks for a substring and ranks nothing. By words, the entities that more of them found come first.
        """
        queries = [text] if self._settings["search"] == "question" else words_of(text)
        hits: dict[str, int] = {}
        held: dict[str, list[Item]] = {}
        for query in queries:
            for entity in self._entities(user, "search_nodes", {"query": query}):
                hits[entity["name"]] = hits.get(entity["name"], 0) + 1
                held[entity["name"]] = _items_of(entity)
        k, ranked = self._settings["k"], self._settings["search"] == "words"
        return [
            {
                **item,
                **({"score": hits[name]} if ranked else {}),
                "dropped": "" if place <= k else "beyond k",
            }
            for place, name in enumerate(sorted(hits, key=lambda name: -hits[name])[: k + LOOKED_AT], 1)
            for item in held[name]
        ]

    def memories(self, user: str) -> tuple[list[Item], list[str]]:
        """`read_graph`: each observation an item."""
        return [item for entity in self._entities(user, "read_graph", {}) for item in _items_of(entity)], []

    def forget(self, user: str, item_id: str) -> None:
        """`delete_observations`, or `delete_entities` where nothing else is left in it."""
        name = item_id.rpartition("#")[0]
        entity = next((one for one in self._entities(user, "read_graph", {}) if one["name"] == name), None)
        said = [item["text"] for item in _items_of(entity) if item["id"] == item_id] if entity else []
        if entity is None or not said:
            raise StoreError(f"the server holds no item {item_id!r} of this user")
        if len(entity["observations"]) == 1:
            self._servers.call(user, "delete_entities", {"entityNames": [name]})
            return
        gone = {"entityName": name, "observations": said}
        self._servers.call(user, "delete_observations", {"deletions": [gone]})

    def notes(self) -> list[str]:
        """None."""
        return []

    def close(self) -> None:
        """End the servers; what they keep is in their files."""
        self._servers.close()

    def _entities(self, user: str, tool: str, args: dict[str, Any]) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = self._servers.call(user, tool, args)["entities"]
        return found


class Notes:
    """Any other server: its tools for writing, searching, listing and deleting, as the settings name them."""

    free = False  # what such a server asks, it asks by itself

    def __init__(self, settings: dict[str, Any], folder: Path) -> None:
        self._settings = settings
        self._tools: dict[str, dict[str, str]] = settings["tools"]
        self._servers = Servers(settings, folder)

    def ingest(self, user: str, sessions: Sessions) -> Written:
        """One call a turn."""
        tool = self._tool("write")
        turns = turns_of(sessions)
        calls = [(tool["tool"], {tool["text"]: f"{turn['role']}: {turn['text']}"}) for _, _, turn in turns]
        if self._settings["writes"] == "concurrent":
            self._servers.call_at_once(user, calls)
        else:
            write = Writing(len(calls), "writes to the MCP server")
            for name, args in calls:
                write(self._servers.call, user, name, args)
            write.end()
        if "list" in self._tools:
            held = [item["text"] for item in self.memories(user)[0]]
            lost = sum(not any(said in text for text in held) for args in (args for _, args in calls)
                       for said in args.values())  # fmt: skip
            if lost:
                raise WriteError(f"{lost} of {len(calls)} writes never landed: the server does not list them")
        return Written()

    def fold(self, user: str) -> None:
        """The tool named `fold`."""
        self._servers.call(user, self._tool("fold")["tool"], {})

    def recall(self, user: str, text: str) -> list[Item]:
        """The tool named `search`; the first `k` of what it answers."""
        tool = self._tool("search")
        queries = [text] if self._settings["search"] == "question" else words_of(text)
        found: dict[str, Item] = {}
        for query in queries:
            for item in self._items(self._servers.call(user, tool["tool"], {tool["query"]: query})):
                found.setdefault(item["id"] or item["text"], item)
        return list(found.values())[: self._settings["k"]]

    def memories(self, user: str) -> tuple[list[Item], list[str]]:
        """The tool named `list`."""
        return self._items(self._servers.call(user, self._tool("list")["tool"], {})), []

    def forget(self, user: str, item_id: str) -> None:
        """The tool named `delete`."""
        tool = self._tool("delete")
        self._servers.call(user, tool["tool"], {tool["id"]: item_id})

    def notes(self) -> list[str]:
        """None."""
        return []

    def close(self) -> None:
        """End the servers."""
        self._servers.close()

    def _tool(self, name: str) -> dict[str, str]:
        if name not in self._tools:
            raise NotSupportedError(f"the settings name no tool for `{name}`")
        return self._tools[name]

    def _items(self, value: Any) -> list[Item]:  # noqa: ANN401  # any JSON value
        """Items out of what a tool answered: a list, an object with one list in it, or a text."""
        if isinstance(value, dict):
            lists = [part for part in value.values() if isinstance(part, list)]
            value = lists[0] if len(lists) == 1 else [value]
        if isinstance(value, str):
            value = [value] if value.strip() else []
        items = []
        for part in value:
            fields = part if isinstance(part, dict) else {"text": str(part)}
            text = next((fields[key] for key in _TEXT_KEYS if isinstance(fields.get(key), str)), json.dumps(part))
            score = fields.get("score")
            items.append({"text": text, "id": str(fields.get("id") or ""), **({"score": score} if score else {})})
        return items


def open_store(settings: dict[str, Any], folder: Path) -> Store:
    """The memory in a folder: the graph server's tools, or those that the settings name."""
    return Notes(settings, folder) if settings["tools"] else Graph(settings, folder)


def words_of(question: str) -> list[str]:
    """The words of a question that are worth a search: of four letters or more, each once."""
    return list(dict.fromkeys(word.lower() for word in _WORD.findall(question))) or [question]


def _items_of(entity: dict[str, Any]) -> list[Item]:
    """An observation each. The server names none: the id is made of what it says, which an entity holds once."""
    return [
        {"text": said, "id": f"{entity['name']}#{_hash(said)}", "kind": entity["entityType"]}
        for said in entity["observations"]
    ]


def _hash(said: str) -> str:
    return hashlib.sha256(said.encode()).hexdigest()[:10]


def _first_of(error: BaseException) -> BaseException:
    """The error that somebody raised: task groups wrap even a single one."""
    inner = getattr(error, "exceptions", ())
    return _first_of(inner[0]) if inner else error
