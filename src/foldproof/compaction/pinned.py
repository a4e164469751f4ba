"""The compactor `pinned`: the constraints are held apart, and another compactor has what they leave of the budget."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from foldproof.compaction.knowledge import KnowledgeType, checked_types
from foldproof.compaction.lines import newest_whole, said_in
from foldproof.compaction.records import Passage
from foldproof.compaction.rules import by_rules
from foldproof.compaction.selecting import Selecting, Selection, Shortage
from foldproof.compaction.tokens import BYTES_PER_TOKEN, count_tokens
from foldproof.compaction.truncating import Tail

PlainClassifier = Callable[[Sequence[str]], Sequence[KnowledgeType]]


@dataclass(frozen=True)
class Pinned(Selecting):
    """Holds every constraint word for word, and gives the rest of the budget to `inner`: by default the window.

    That is the checklist that agents keep outside the context they compact. Nothing is pinned but what the classifier
    calls a constraint, and nothing is ever unpinned: a rule that was taken back stays, beside the one that replaced
    it. Where the constraints alone do not fit, the output is `unsafe`, and holds the newest of them.
    """

    name: str = field(default="pinned", kw_only=True)
    inner: Selecting = field(default_factory=Tail)
    classify: PlainClassifier = by_rules

    def select(self, passages: Sequence[Passage], room: int) -> Selection:
        """The constraints, then what `inner` keeps of the others; in their order.

        Raises:
            UsageError: where the classifier gives no types, or not one for each line.
        """
        types = checked_types(self.classify([said_in(passage.text) for passage in passages]), len(passages))
        bound = [passage for passage, kind in zip(passages, types, strict=True) if kind == "constraint"]
        held, free = newest_whole(bound, room)
        others = [passage for passage, kind in zip(passages, types, strict=True) if kind != "constraint"]
        rest = Selection(())
        shortage = None
        if len(held) < len(bound):
            needs = count_tokens("\n".join(passage.text for passage in bound))
            shortage = Shortage(needs, (room - 1) // BYTES_PER_TOKEN, alone=True)
        else:
            rest = self.inner.select(others, free)
        kept = sorted([*held, *rest.kept], key=lambda passage: passage.place)
        return Selection(tuple(kept), rest.notes, shortage)
