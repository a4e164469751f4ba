"""The compactors that look at nothing but the place of a line: `head`, `tail`, `head_tail`, `uniform`."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from foldproof.compaction.lines import Cut, first_sentences, fit, last_sentences
from foldproof.compaction.records import Passage
from foldproof.compaction.selecting import Selecting, Selection
from foldproof.compaction.tokens import cost_of


@dataclass(frozen=True)
class Head(Selecting):
    """Keeps the beginning."""

    name: str = field(default="head", kw_only=True)
    cut: Cut = first_sentences

    def select(self, passages: Sequence[Passage], room: int) -> Selection:
        """From the first on, until the room is used."""
        return Selection(tuple(fit(passages, room, cut=self.cut)))


@dataclass(frozen=True)
class Tail(Selecting):
    """Keeps the end, as a rolling window does."""

    name: str = field(default="tail", kw_only=True)
    cut: Cut = last_sentences

    def select(self, passages: Sequence[Passage], room: int) -> Selection:
        """From the last back, until the room is used."""
        return Selection(tuple(reversed(fit(reversed(passages), room, cut=self.cut))))


@dataclass(frozen=True)
class HeadTail(Selecting):
    """Keeps the beginning in half the room and the end in the other half: what papers call hierarchical truncation.

    What the first half leaves unused goes to the second.
    """

    name: str = field(default="head_tail", kw_only=True)
    head_cut: Cut = first_sentences
    tail_cut: Cut = last_sentences

    def select(self, passages: Sequence[Passage], room: int) -> Selection:
        """Half from the first on, the rest from the last back; the middle goes."""
        head = fit(passages, room // 2, cut=self.head_cut)
        rest = room - sum(cost_of(passage.text) for passage in head)
        tail = fit(reversed(passages[len(head) :]), rest, cut=self.tail_cut)
        return Selection((*head, *reversed(tail)))


@dataclass(frozen=True)
class Uniform(Selecting):
    """Keeps lines at even distances: the middle one first, then those at the quarters, the eighths, and so on.

    Each is whole; one that does not fit any more is passed over.
    """

    name: str = field(default="uniform", kw_only=True)

    def select(self, passages: Sequence[Passage], room: int) -> Selection:
        """As many as fit, spread over the whole."""
        kept: list[Passage] = []
        for at in _spread(len(passages)):
            cost = cost_of(passages[at].text)
            if cost <= room:
                kept.append(passages[at])
                room -= cost
        return Selection(tuple(sorted(kept, key=lambda passage: passage.place)))


def _spread(count: int) -> Iterable[int]:
    """Each place from 0 to `count` once: at a half, at the quarters, … as van der Corput's sequence in base 2 goes."""
    bits = count.bit_length()
    places = (int(f"{number:0{bits}b}"[::-1], 2) * count >> bits for number in (*range(1, 2**bits), 0))
    return dict.fromkeys(places) if count else ()
