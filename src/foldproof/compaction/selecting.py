"""What the reference compactors share: they keep a selection of a text's lines that fits the budget."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass

from foldproof.compaction.lines import passages_of
from foldproof.compaction.records import Compacted, Passage
from foldproof.compaction.tokens import count_tokens, room_of


@dataclass(frozen=True, slots=True)
class Shortage:
    """Why a budget is unsafe: it is below B_min, what constraints and procedures need together (arXiv 2608.22752).

    `needs` and `budget` are tokens. `alone` says that the constraints by themselves are already too many.
    """

    needs: int
    budget: int
    alone: bool

    @property
    def told(self) -> str:
        """What is wrong, in one line."""
        who = "the constraints alone need" if self.alone else "constraints and procedures need"
        return f"{who} {self.needs} tokens, the budget is {self.budget}"

    @property
    def remedy(self) -> str:
        """What to do: expand, or decompose."""
        parts = -(-self.needs // max(self.budget, 1))
        return f"give {self.needs} tokens or more, or split the text into {parts} parts or more"


@dataclass(frozen=True, slots=True)
class Selection:
    """The passages that are kept, in their order, and what the reader should know; why it is unsafe, where it is."""

    kept: tuple[Passage, ...]
    notes: tuple[str, ...] = ()
    shortage: Shortage | None = None


class Selecting(ABC):
    """A compactor that keeps some lines of a text, and loses the others and what is blank.

    A text that fits its budget is left as it is, to the byte; so a second compaction to the same budget changes
    nothing. What is kept stays in its order, and never exceeds the budget. The same text gives the same selection.
    A line is kept whole, or cut between two sentences and marked with `…`; one sentence is never cut.
    """

    name: str

    @abstractmethod
    def select(self, passages: Sequence[Passage], room: int) -> Selection:
        """What to keep of some passages, which are in order, in `room` bytes by `cost_of`."""

    async def compact(self, text: str, budget: int) -> Compacted:
        """The lines that are kept, one below the other, in at most `budget` tokens."""
        if count_tokens(text) <= budget:
            return Compacted(text)
        passages = passages_of(text)
        return compacted_of(self.name, self.select(passages, room_of(budget)), of=len(passages), budget=budget)


def compacted_of(name: str, found: Selection, *, of: int, budget: int, notes: Sequence[str] = ()) -> Compacted:
    """A selection as the text that it makes, and of how many lines it is how many."""
    text = "\n".join(passage.text for passage in found.kept)
    share = f"{name}: {len(found.kept)} of {of} lines kept in {budget} tokens"
    short = found.shortage
    return Compacted(text, f"{short.told}: {short.remedy}" if short else "", (share, *found.notes, *notes))
