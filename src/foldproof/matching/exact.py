"""The exact matcher: character for character after NFC and white-space folding."""

from __future__ import annotations

import re
from unicodedata import category, normalize

from foldproof.matching.finder import Outcome, SureFinder
from foldproof.matching.fold import compose_mapped, tame
from foldproof.matching.mapped import Mapped, Span
from foldproof.matching.text import Text
from foldproof.matching.tokens import is_unspaced, signed

_JOINTS = frozenset(".-_@")
_DIGIT_JOINTS = frozenset(",:/'\u2019")
_BLANKS = re.compile(r"\s+")


def fold_blanks(text: str) -> str:
    """NFC, with every run of white space as one blank."""
    return _BLANKS.sub(" ", normalize("NFC", tame(text)))


class ExactFinder(SureFinder):
    """Looks for the characters as they are; where they end in a word or number, the text's must end too."""

    def __init__(self, wanted: str) -> None:
        self.wanted = fold_blanks(wanted).strip()

    def outcome(self, text: Text) -> Outcome:
        """Whether the fact is held or missed; a negation does not matter to an exact fact."""
        return "held" if self._hits(fold_blanks(text.raw)) else "missed"

    def spans(self, text: Text, outcome: Outcome) -> tuple[Span, ...]:
        """Every hit."""
        if outcome == "missed":
            return ()
        mapped = _mapped(text.raw)
        return tuple(mapped.span(at, at + len(self.wanted)) for at in self._hits(mapped.text))

    def reason(self, text: Text, outcome: Outcome) -> str:
        """One sentence for a person."""
        name = f"'{self.wanted}'"
        if outcome == "held":
            return f"{name} stands in the text, character for character"
        folded = fold_blanks(text.raw)
        if self.wanted in folded:
            return f"{name} stands only inside a longer word, number or name"
        if self.wanted.casefold() in folded.casefold():
            return f"{name} stands in the text with other upper and lower case only"
        return f"{name} is not in the text, character for character"

    def _hits(self, folded: str) -> list[int]:
        hits, at = [], folded.find(self.wanted)
        while at >= 0:
            end = at + len(self.wanted)
            if not (_continues_before(folded, at) or _continues_after(folded, end)):
                hits.append(at)
            at = folded.find(self.wanted, at + 1)
        return hits


def _mapped(raw: str) -> Mapped:
    mapped = compose_mapped(raw)
    return mapped.splice((*found.span(), " ") for found in _BLANKS.finditer(mapped.text))


def _continues_before(text: str, at: int) -> bool:
    """Whether the word, number or name that starts here has begun earlier."""
    first, before, earlier = text[at], text[at - 1 : at], text[at - 2 : at - 1] if at > 1 else ""
    if not (before and _is_edge(first)):
        return category(first)[0] == "M"
    if before in _JOINTS:
        return earlier.isalnum() or _opens_number(text, at)
    if before in _DIGIT_JOINTS and first.isdecimal():
        return earlier.isdecimal()
    return _is_edge(before)


def _opens_number(text: str, at: int) -> bool:
    """Whether a point or a minus before a digit is a part of the number."""
    before, earlier = text[at - 1], text[at - 2 : at - 1] if at > 1 else ""
    part = (before == "." and not earlier.strip()) or (before == "-" and signed(text, at - 1))
    return part and text[at].isdecimal()


def _continues_after(text: str, end: int) -> bool:
    """Whether the word, number or name that ends here goes on."""
    last, after, later = text[end - 1], text[end : end + 1], text[end + 1 : end + 2]
    if after and category(after)[0] == "M":
        return True
    if not (after and _is_edge(last)):
        return False
    if after in _JOINTS:
        return later.isalnum()
    if after in _DIGIT_JOINTS and last.isdecimal():
        return later.isdecimal()
    return _is_edge(after)


def _is_edge(char: str) -> bool:
    """Whether a character is part of a word or number that can go on; unspaced scripts have no such edges."""
    return category(char)[0] in "LMN" and not is_unspaced(char)
