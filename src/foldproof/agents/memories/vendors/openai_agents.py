"""The OpenAI Agents SDK's `SQLiteSession`: the talk as it was, in a file."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from pathlib import Path
from typing import Any, TypeVar

from .store import Item, NotSupportedError, Sessions, Writing, Written

T = TypeVar("T")
_ROLES = {"user": "user", "agent": "assistant", "system": "system", "tool": "system"}
_NAMES = {"assistant": "agent"}


class OpenAISession:
    """One SDK session a user, in one file. It goes on over all sessions of the history, as with one session id."""

    free = True

    def __init__(self, settings: dict[str, Any], folder: Path) -> None:
        from agents import set_tracing_disabled

        set_tracing_disabled(True)
        self._k = settings.get("k")
        self._file = folder / "sessions.db"
        self._loop = asyncio.new_event_loop()
        self._sessions: dict[str, Any] = {}

    def ingest(self, user: str, sessions: Sessions) -> Written:
        """One `add_items` a session."""
        session = self._session(user)
        write, found = Writing(len(sessions), "writes to the session"), Written()
        first = number = len(self._run(session.get_items()))
        for one in sessions:
            items = [{"role": _ROLES[turn["role"]], "content": turn["text"]} for turn in one["turns"]]
            write(self._add, session, items)
            number += len(items)
        write.end()
        found.ids = [str(place) for place in range(first + 1, number + 1)]
        return found

    def fold(self, user: str) -> None:
        """Nothing: a plain session never compacts."""
        raise NotSupportedError("an SQLiteSession keeps every item")

    def recall(self, user: str, text: str) -> list[Item]:  # a session does not search
        """The items that a run would be started with: the last `k`, or all; the question plays no part."""
        held = self._listed(user)
        return held[-self._k :] if self._k else held

    def memories(self, user: str) -> tuple[list[Item], list[str]]:
        """Every item of the session."""
        return self._listed(user), []

    def forget(self, user: str, item_id: str) -> None:
        """Not possible."""
        raise NotSupportedError("an SQLiteSession can take back its last item or all of them, not one")

    def notes(self) -> list[str]:
        """None: a session says what fails."""
        return []

    def close(self) -> None:
        """Close the file."""
        for session in self._sessions.values():
            session.close()
        self._sessions = {}
        self._loop.close()

    def _session(self, user: str) -> Any:  # noqa: ANN401  # the vendor's object
        from agents import SQLiteSession

        if user not in self._sessions:
            self._sessions[user] = SQLiteSession(user, self._file)
        return self._sessions[user]

    def _add(self, session: Any, items: list[dict[str, str]]) -> None:  # noqa: ANN401  # the vendor's object
        self._run(session.add_items(items))

    def _listed(self, user: str) -> list[Item]:
        held = self._run(self._session(user).get_items())
        return [
            {"text": f"{_NAMES.get(item['role'], item['role'])}: {item['content']}", "id": str(place)}
            for place, item in enumerate(held, 1)
        ]

    def _run(self, work: Coroutine[Any, Any, T]) -> T:
        return self._loop.run_until_complete(work)


def open_store(settings: dict[str, Any], folder: Path) -> OpenAISession:
    """The memory in a folder."""
    return OpenAISession(settings, folder)
