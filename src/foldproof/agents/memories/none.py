"""The memory `none`: no memory at all, for the unplugged control."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from foldproof.agents.memories.memory import Recall, Resources
from foldproof.agents.usage import FREE
from foldproof.core.settings import read_settings
from foldproof.logs import History, MemoryItem, Session


class Nothing:
    """Takes in everything and holds nothing. It accepts a budget, so that it can stand in for any other."""

    compacts: bool = False

    def __init__(self, settings: Mapping[str, Any], resources: Resources) -> None:  # noqa: ARG002  # it needs none
        read_settings("none", {"budget": 1}, settings)

    async def build(self, history: History) -> None:
        """Forget it."""

    async def add(self, session: Session) -> None:
        """Forget it too."""

    async def fold(self) -> None:
        """Nothing to compact."""

    async def recall(self, question: str) -> Recall:  # noqa: ARG002  # the same for every question
        """Nothing."""
        return Recall((), usage=FREE)

    async def items(self) -> Sequence[MemoryItem]:
        """Nothing."""
        return ()

    async def snapshot(self) -> None:
        """Nothing."""

    async def restore(self, snapshot: None) -> None:
        """Nothing to take over."""
