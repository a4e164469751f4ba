"""The pattern matcher: an RE2 expression, so that no pattern can hang."""

from __future__ import annotations

import re
from typing import Any
from unicodedata import normalize

from foldproof.matching.finder import Outcome, SureFinder
from foldproof.matching.fold import compose_mapped, tame
from foldproof.matching.mapped import Span
from foldproof.matching.text import Text

MEMORY = 8 << 20
"""Bytes that a compiled pattern may take."""
_SURROGATES = re.compile("[\ud800-\udfff]")


def compile_pattern(pattern: str) -> Any:  # noqa: ANN401  # google-re2 has no types
    """The compiled pattern.

    Raises:
        ValueError: with RE2's own words, where the pattern does not compile.
    """
    import re2  # import does nothing costly: the library is loaded for the first pattern

    options = re2.Options()
    options.max_mem = MEMORY
    options.log_errors = False
    try:
        return re2.compile(_readable(normalize("NFC", pattern)), options)
    except re2.error as error:
        words = error.args[0]
        raise ValueError(words.decode() if isinstance(words, bytes) else str(words)) from error


class PatternFinder(SureFinder):
    """Searches with case as written; an empty hit is none."""

    wanted = ""

    def __init__(self, pattern: str) -> None:
        self.pattern = pattern
        self._regex = compile_pattern(pattern)

    def outcome(self, text: Text) -> Outcome:
        """Whether the fact is held or missed; a negation does not matter to a pattern."""
        return "held" if self._hits(normalize("NFC", tame(text.raw))) else "missed"

    def spans(self, text: Text, outcome: Outcome) -> tuple[Span, ...]:
        """Every hit."""
        if outcome == "missed":
            return ()
        mapped = compose_mapped(text.raw)
        return tuple(mapped.span(*hit) for hit in self._hits(mapped.text))

    def reason(self, text: Text, outcome: Outcome) -> str:
        """One sentence for a person."""
        if outcome == "missed":
            return f"nothing in the text matches the pattern '{self.pattern}'"
        span = self.spans(text, outcome)[0]
        return f"'{text.raw[span.start : span.end]}' matches the pattern '{self.pattern}'"

    def _hits(self, text: str) -> list[tuple[int, int]]:
        spans = (found.span() for found in self._regex.finditer(_readable(text)))
        return [(start, end) for start, end in spans if start < end]


def _readable(text: str) -> str:
    """RE2 reads UTF-8, which has no lone surrogates."""
    return _SURROGATES.sub("\ufffd", text)
