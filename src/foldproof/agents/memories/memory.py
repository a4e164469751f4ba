"""What a memory is: built from a history, folded, and asked; and what it is made with."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol, runtime_checkable

from foldproof.agents.memories.scratch import Scratch
from foldproof.agents.memories.spent import Spent
from foldproof.agents.pool import Pool
from foldproof.agents.watch import Tap
from foldproof.logs import History, MemoryItem, Session, Usage


@dataclass(frozen=True, slots=True)
class Recall:
    """What a memory puts in front of a model for one question, best first or in its own order.

    `usage` is what the memory's own model calls for this question used; None means that it cannot be seen.
    `passed_over` are candidates that were not given in the end, each with its `dropped`, ranked on.
    """

    items: tuple[MemoryItem, ...]
    notes: tuple[str, ...] = ()
    usage: Usage | None = None
    passed_over: tuple[MemoryItem, ...] = ()

    @property
    def text(self) -> str:
        """The context: the items, one below the other."""
        return "\n".join(item.text for item in self.items)

    @property
    def reads(self) -> tuple[MemoryItem, ...]:
        """Everything that was looked at, as the record keeps it: what was given, then what was passed over."""
        return (*self.items, *self.passed_over)


@dataclass(frozen=True, slots=True)
class Resources:
    """What a memory is made with, beside its settings.

    `root` is the project's folder, `environ` its expanded environment. `model` holds the configuration's model
    settings, expanded: secrets in clear, used and never recorded. `trial` is a label that was never used before:
    the user id to store under. Own model calls go to `tap.wire_url` where it is set, a child process gets
    `tap.environ`. `pool` holds the connections, `scratch` makes temporary folders; who made the resources closes both.
    What building or folding used is noted in `spent`.
    """

    root: Path
    environ: Mapping[str, str] = field(default_factory=dict, repr=False)
    model: Mapping[str, Any] = field(default_factory=dict, repr=False)
    trial: str = ""
    tap: Tap = field(default_factory=Tap, repr=False)
    pool: Pool = field(default_factory=Pool, repr=False, compare=False)
    scratch: Scratch = field(default_factory=Scratch, repr=False, compare=False)
    spent: Spent = field(default_factory=Spent, repr=False, compare=False)


class Memory(Protocol):
    """A memory of one user, made by a kind that is called with its settings and `Resources`.

    Making one starts nothing: whatever it needs is opened by `build`. What it cannot do it says by raising
    `UnsupportedError`; what goes wrong by `AgentError`, or `TransientError` where another attempt may fare better.

    One that has `snapshot` and `restore` (`Snapshots`) is built once for all trials that start alike, others for each.
    A snapshot holds what was built and none of the `Resources`: the memory that restores it keeps its own.

    Of the reference memories that ask no model, the same history and question give the same recall, byte for byte.
    """

    compacts: bool
    """Whether `fold` makes it smaller: then a run folds it once by default."""

    async def build(self, history: History) -> None:
        """Take in a history, in place of what was there."""
        ...

    async def fold(self) -> None:
        """Compact, consolidate or maintain itself now."""
        ...

    async def recall(self, question: str) -> Recall:
        """The items for this question, ranked from 1."""
        ...

    async def items(self) -> Sequence[MemoryItem]:
        """Everything that it holds, oldest first."""
        ...


@runtime_checkable
class Grows(Protocol):
    """A memory that takes in what is said after it was built."""

    async def add(self, session: Session) -> None:
        """Take in one more session, beside what is there.

        Raises:
            UnsupportedError: where it turns out that it cannot.
        """
        ...


@runtime_checkable
class Keeps(Protocol):
    """A memory that the model keeps itself: `chat` gives it tools to write into it, delete from it and search it."""

    compacts: bool

    async def remember(self, text: str, *, kind: str, at: str) -> MemoryItem:
        """Write one thing down, at the time that the session was told; the answer has the id by which it goes."""
        ...

    async def forget(self, item_id: str) -> None:
        """As in `Forgets`."""
        ...

    async def items(self) -> Sequence[MemoryItem]:
        """As in `Memory`."""
        ...


@runtime_checkable
class Forgets(Protocol):
    """A memory from which one item can be taken out."""

    async def forget(self, item_id: str) -> None:
        """Let go of the item with this id, wherever it is kept: no later recall or listing holds it.

        Raises:
            AgentError: where there is no such item.
        """
        ...


@runtime_checkable
class Serves(Protocol):
    """A memory system that several users share, and that is to keep them apart by itself."""

    def serve(self, user: str) -> Memory:
        """The same memory, as that user writes and asks it."""
        ...
