"""A text that is prepared once and matched against many facts."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property

from foldproof.matching.fold import fold
from foldproof.matching.mapped import Span
from foldproof.matching.negation import languages_of
from foldproof.matching.tokens import close_up, gaps_of, trace


class Text:
    """An answer, ready to be matched. Each form is made when a fact first needs it, and once.

    `raw` is the text as it was given; every offset that a match reports points into it.
    """

    _padded = ""

    def __init__(self, raw: str) -> None:
        self.raw = raw
        self.folded = raw.lower() if raw.isascii() else fold(raw)  # what `fold` does, without the call

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

    @cached_property
    def languages(self) -> frozenset[str]:
        """The languages that words of the text show."""
        return languages_of(self.padded)

    def spans(self, hits: Iterable[tuple[int, int]]) -> list[Span]:
        """Where the tokens between two gaps of `padded` stand in `raw`, for hits in order that do not overlap."""
        spans: list[Span] = []
        at = first = 0
        for start, end in hits:
            first += self.padded.count(" ", at, start)
            last = first + self.padded.count(" ", start + 1, end)
            spans.append(Span(self.places[first].start, self.places[last].end))
            at = start
        return spans


def normalize(text: str) -> str:
    """The tokens of a text, joined by one blank; empty where nothing is left."""
    return close_up(fold(text))[1:-1]
