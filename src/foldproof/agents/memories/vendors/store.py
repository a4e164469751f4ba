"""What a vendor's memory shows to the program that serves it."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

Item = dict[str, Any]
"""A memory item as it is sent: `text`, `id`, where there is one `kind` and `score`, and `dropped` where it was a
candidate only."""
Sessions = list[dict[str, Any]]
"""A history as it is sent: `{"session", "at", "turns": [{"role", "text"}]}` each, oldest first."""
LOOKED_AT = 20
"""How many candidates beyond `k` are told of, so that a reader sees at which rank a fact was."""
_GIVEN_UP = 3


class NotSupportedError(Exception):
    """The vendor's memory has no such thing; the text says why."""


class StoreError(Exception):
    """The memory failed, and the text says all that is worth reading."""


class WriteError(StoreError):
    """Writing to the memory failed; the text says how often."""


@dataclass
class Written:
    """What was written: the ids that a listing must show, and remarks for the reader of the record."""

    ids: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)


class Store(Protocol):
    """A vendor's memory in one folder. Several users may share it."""

    free: bool
    """Whether neither building nor asking it costs anything, as far as can be seen: no model, no embeddings."""

    def ingest(self, user: str, sessions: Sessions) -> Written:
        """Write a history down."""
        ...

    def fold(self, user: str) -> None:
        """Compact or maintain now."""
        ...

    def recall(self, user: str, text: str) -> list[Item]:
        """What the memory finds for a question, best first."""
        ...

    def memories(self, user: str) -> tuple[list[Item], list[str]]:
        """All that the user's memory holds, and remarks where that may not be all."""
        ...

    def forget(self, user: str, item_id: str) -> None:
        """Delete one item."""
        ...

    def notes(self) -> list[str]:
        """Remarks since the last call, for the reader of the record."""
        ...

    def close(self) -> None:
        """Put everything into the folder and let go of it; called before the folder is copied, too."""
        ...


Opener = Callable[[dict[str, Any], Path], Store]
"""Opens the memory of a folder, empty or left by another process, with its settings."""


class Writing:
    """Carries out the writes of a history and counts those that fail.

    Three failures in a row end it: a writer that always fails is not asked a thousand times.
    """

    def __init__(self, total: int, what: str) -> None:
        self._total = total
        self._what = what
        self._done = 0
        self._failed = 0
        self._row = 0
        self._first = ""

    def __call__(self, write: Callable[..., Any], *args: Any, **named: Any) -> Any:  # noqa: ANN401  # the vendor's own
        """The vendor's answer to one write, None where it failed."""
        self._done += 1
        try:
            answer = write(*args, **named)
        except Exception as error:  # noqa: BLE001  # the border to the vendor: it is counted and told at the end
            self._failed += 1
            self._row += 1
            self._first = self._first or f"{type(error).__name__}: {error}"
            if self._row == _GIVEN_UP:
                self.end()
            return None
        self._row = 0
        return answer

    def end(self) -> None:
        """Say what failed.

        Raises:
            WriteError: where anything did.
        """
        if self._failed:
            rest = self._total - self._done
            untried = f"; {rest} more were not tried" if rest else ""
            raise WriteError(f"{self._failed} of {self._done} {self._what} failed{untried}: {self._first[:500]}")


def plain_name(user: str) -> str:
    """The user's label in letters, digits, `-`, `_` and `%`: vendors refuse blanks or dots, and files slashes."""
    return re.sub(r"[^\w-]", lambda found: f"%{ord(found[0]):x}", user)


def turns_of(sessions: Sessions) -> list[tuple[dict[str, Any], int, dict[str, str]]]:
    """Every turn with its session and its number in it, from 1."""
    return [(session, number, turn) for session in sessions for number, turn in enumerate(session["turns"], 1)]
