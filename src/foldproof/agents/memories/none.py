"""The memory `none`: no memory at all, for the unplugged control."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from foldproof.agents.memories.memory import Recall, read_settings
from foldproof.logs import History, MemoryItem


class Nothing:
    """Takes in everything and holds nothing. It accepts a budget, so that it can stand in for any other."""

    compacts: bool = False

    def __init__(self, settings: Mapping[str, Any]) -> None:
        read_settings("none", {"budget": 1}, settings)

    def build(self, history: History) -> None:
        """Forget it."""

    def fold(self) -> None:
        """Nothing to compact."""

    def recall(self, question: str) -> Recall:  # noqa: ARG002  # the same for every question
        """Nothing."""
        return Recall(())

    def items(self) -> Sequence[MemoryItem]:
        """Nothing."""
        return ()
