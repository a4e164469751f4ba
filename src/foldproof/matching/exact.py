"""The exact matcher: character for character after NFC and white-space folding."""

from __future__ import annotations

import re
from unicodedata import category, normalize

from foldproof.matching.finder import Outcome
from foldproof.matching.fold import compose_mapped
from foldproof.matching.mapped import Mapped, Span
from foldproof.matching.text import Text
from foldproof.matching.tokens import is_unspaced, signed

_BLANKS = re.compile(r"\s+")


def fold_blanks(text: str) -> str:
    """NFC, with every run of white space as one blank."""
    return _BLANKS.sub(" ", normalize("NFC", text))


class ExactFinder:
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
            return f"{name} stands only inside a longer word or number"
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
    """Whether the word or number that starts here has begun earlier."""
    first, before = text[at], text[at - 1 : at]
    if not (before and _is_edge(first)):
        return category(first)[0] == "M"
    if first.isdecimal() and before in ".,-":
        if before == "-":
            return signed(text, at - 1)
        return text[at - 2 : at - 1].isdecimal() or (before == "." and not text[at - 2 : at - 1].strip())
    return _is_edge(before)


def _continues_after(text: str, end: int) -> bool:
    """Whether the word or number that ends here goes on."""
    last, after = text[end - 1], text[end : end + 1]
    if after and category(after)[0] == "M":
        return True
    if last.isdecimal() and after and after in ".,":
        return text[end + 1 : end + 2].isdecimal()
    return bool(after) and _is_edge(last) and _is_edge(after)


def _is_edge(char: str) -> bool:
    """Whether a character is part of a word or number that can go on; unspaced scripts have no such edges."""
    return category(char)[0] in "LMN" and not is_unspaced(char)
