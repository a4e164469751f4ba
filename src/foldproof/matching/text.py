"""A text that is prepared once and matched against many facts."""

from __future__ import annotations

from functools import cached_property

from foldproof.matching.fold import fold
from foldproof.matching.mapped import Span
from foldproof.matching.tokens import close_up, gaps_of, trace


class Text:
    """An answer, ready to be matched. Each form is made when a fact first needs it, and once.

    `raw` is the text as it was given; every offset that a match reports points into it.
    """

    _padded = ""

    def __init__(self, raw: str) -> None:
        self.raw = raw
        self.folded = fold(raw)

    @property
    def padded(self) -> str:
        """The tokens with one blank before, between and after them."""
        if not self._padded:
            self._padded = close_up(self.folded)
        return self._padded

    @cached_property
    def gaps(self) -> str:
        """As long as `padded`; tells a gap that ends a clause from one that does not."""
        return gaps_of(self.folded)

    @cached_property
    def places(self) -> list[Span]:
        """Where each token stands in `raw`."""
        return trace(self.raw)

    def span(self, start: int, end: int) -> Span:
        """Where the tokens between two gaps of `padded` stand in `raw`."""
        first = self.padded.count(" ", 0, start)
        last = first + self.padded.count(" ", start + 1, end)
        return Span(self.places[first].start, self.places[last].end)


def normalize(text: str) -> str:
    """The tokens of a text, joined by one blank; empty where nothing is left."""
    return close_up(fold(text))[1:-1]
