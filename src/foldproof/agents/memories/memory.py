"""What a memory is: built from a history, folded, and asked; and how its settings are read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from foldproof.core import UsageError, nearest_of
from foldproof.logs import History, MemoryItem


@dataclass(frozen=True, slots=True)
class Recall:
    """What a memory puts in front of a model for one question, best first or in its own order."""

    items: tuple[MemoryItem, ...]
    notes: tuple[str, ...] = ()

    @property
    def text(self) -> str:
        """The context: the items, one below the other."""
        return "\n".join(item.text for item in self.items)


class Memory(Protocol):
    """A memory of one user. It replaces what it holds and never changes it in place: a shallow copy is apart.

    The same history and question give the same recall, byte for byte; the recall stays within the budget.
    """

    compacts: bool
    """Whether `fold` makes it smaller: then a run folds it once by default."""

    def build(self, history: History) -> None:
        """Take in a history, in place of what was there."""
        ...

    def fold(self) -> None:
        """Compact now. Folding again changes nothing more."""
        ...

    def recall(self, question: str) -> Recall:
        """The items for this question, ranked from 1."""
        ...

    def items(self) -> Sequence[MemoryItem]:
        """Everything that it holds, oldest first."""
        ...


def read_settings(kind: str, defaults: Mapping[str, int], given: Mapping[str, Any]) -> dict[str, int]:
    """The settings of a memory: whole numbers from 1, the defaults where nothing is given.

    Raises:
        UsageError: for an unknown setting, or a value that is no whole number from 1.
    """
    for name, value in given.items():
        if name not in defaults:
            raise UsageError(f"memory '{kind}' has no setting `{name}`\n  {nearest_of(name, [*defaults, 'kind'])}")
        if isinstance(value, bool) or not isinstance(value, int) or value < 1:
            raise UsageError(
                f"memory '{kind}': `{name}` is {value!r}, where a whole number from 1 is expected\n"
                f"  the default is {defaults[name]}"
            )
    return {**defaults, **given}
