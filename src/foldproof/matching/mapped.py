"""Text that remembers where each of its characters stood before it was rewritten."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

Edit = tuple[int, int, str]
"""Replace the characters from the first to before the second number by the text."""


@dataclass(frozen=True, slots=True, order=True)
class Span:
    """A place in the original text: `raw[start:end]`."""

    start: int
    end: int


class Mapped(NamedTuple):
    """A text, and for each of its characters the half-open place in the original that it comes from."""

    text: str
    starts: Sequence[int]
    ends: Sequence[int]

    @classmethod
    def of(cls, raw: str) -> Mapped:
        """The original itself."""
        return cls(raw, range(len(raw)), range(1, len(raw) + 1))

    def splice(self, edits: Iterable[Edit]) -> Mapped:
        """The text after edits, which come in order and do not overlap."""
        parts: list[str] = []
        starts: list[int] = []
        ends: list[int] = []
        at = 0
        for start, end, new in edits:
            parts += (self.text[at:start], new)
            starts += self.starts[at:start]
            ends += self.ends[at:start]
            if new:
                starts += [self.starts[start]] * len(new)
                ends += [self.ends[end - 1]] * len(new)
            at = end
        return Mapped("".join((*parts, self.text[at:])), [*starts, *self.starts[at:]], [*ends, *self.ends[at:]])

    def span(self, start: int, end: int) -> Span:
        """Where the characters from `start` to before `end` stand in the original."""
        return Span(self.starts[start], self.ends[end - 1])
