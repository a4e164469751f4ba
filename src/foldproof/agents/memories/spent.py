"""What building memories used, kept until an answer's usage carries it."""

from __future__ import annotations

from foldproof.agents.usage import summed
from foldproof.logs import Usage


class Spent:
    """What memories used outside of a recall: folds, extraction, embeddings of a history.

    A memory is built once for many trials, and a fold that failed was paid for too. So this belongs to all trials of a
    configuration, and the next answer carries all of it: what a run cost is the sum over its answers.
    """

    def __init__(self) -> None:
        self._owed: list[Usage | None] = []

    def add(self, usage: Usage | None) -> None:
        """Note what was used; None where that cannot be seen, and then the whole cost is unknown."""
        self._owed.append(usage)

    def with_answer(self, usage: Usage | None) -> Usage | None:
        """An answer's usage, with all that was noted since the last one."""
        owed, self._owed = self._owed, []
        return summed([usage, *owed])
