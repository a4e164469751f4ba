"""What a compactor is, and what it gives."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from foldproof.logs import Usage


@dataclass(frozen=True, slots=True)
class Passage:
    """A line or a sentence of a document, and where it stands among those: `place` counts from 0."""

    text: str
    place: int


@dataclass(frozen=True, slots=True)
class Compacted:
    """What is left of a text after one round.

    `unsafe` says why the budget cannot hold what must be kept, and what to do; empty where it can, or where the
    compactor knows of nothing that must be. `error` says what went wrong in the compactor: such a round is an error
    and never a loss, whatever `text` holds. `usage` is what was used of a model, None where none was asked.
    """

    text: str
    unsafe: str = ""
    notes: tuple[str, ...] = ()
    error: str = ""
    usage: Usage | None = None


class Compactor(Protocol):
    """Anything that makes a text shorter; it keeps nothing from one call to the next unless it says so."""

    @property
    def name(self) -> str:
        """What it is called in tables and files."""
        ...

    async def compact(self, text: str, budget: int) -> Compacted:
        """The text in at most `budget` tokens, as `count_tokens` counts them.

        Nothing holds a compactor to its budget: who runs it counts again. What it raises is the round's error.
        """
        ...


CompactorKind = Callable[[Mapping[str, Any], Any], Compactor]
"""Makes a compactor of its settings and a setup that has its `name`, the project's folder and the connections.

Those that are pure need no setup, and take nothing of it but the name."""
