"""The normalized matcher: a fact holds where its tokens stand contiguously, as whole tokens."""

from __future__ import annotations

import re
from functools import cached_property

from foldproof.matching.finder import Outcome
from foldproof.matching.mapped import Span
from foldproof.matching.negation import AFTER, FILLER_WORDS, FILLERS_AT_MOST, QUICK, REACH, is_clear, negation
from foldproof.matching.text import Text, normalize
from foldproof.matching.tokens import has_unspaced, is_unspaced

_NOUNS = (
    "appendix article category class exhibit grade group hepatitis influenza option plan schedule section series tier"
    " type variant vitamin"
)
LABELLED = frozenset(_NOUNS.split())
"""Nouns whose `a` is a letter: `hepatitis A vaccine`, `vitamin A deficiency`."""
_WORD = re.compile(r"[^\W_]+")
_LONG_NUMBER = re.compile(r"\d{4}")
_WORDS_BEFORE = FILLERS_AT_MOST + 1
_MARKUP = " *_`\"'([)]~「」『』"
_BREAKS = ("", " ", "\n")
_AROUND = frozenset(f"{_MARKUP}\n:;!?、。")
_CLAUSE_ENDS = frozenset(".,;:?!\n、。")
_JAPANESE = frozenset(word[0] for word in AFTER["ja"].split())
_JAPANESE_PAIRS = frozenset(word[:2] for word in AFTER["ja"].split())


class NormalizedFinder:
    """A fact as tokens, without its real articles; articles may stand between them in the text."""

    def __init__(self, wanted: str) -> None:
        self.wanted = wanted.strip()
        self.tokens = _without_articles(normalize(wanted).split())
        self.key = f" {' '.join(self.tokens)} "
        self._core = self.key[1:-1]
        self._plain = all(_WORD.fullmatch(token) for token in self.tokens)
        # A word stands in the folded text as it is; a number may be grouped there (1,234), a sign apart (-$15).
        needles = {token for token in self.tokens if _WORD.fullmatch(token) and not _LONG_NUMBER.search(token)}
        self._needles = tuple(sorted(needles, key=len, reverse=True))
        self._needle = self._needles[0] if self._needles else ""
        self._offset = self._core.index(self._needle)

    def outcome(self, text: Text) -> Outcome:
        """Whether the fact is held, missed, or stands in negations only."""
        folded = text.folded
        first = folded.find(self._needle)
        if first < 0:
            return "missed"
        if self._plain and self._plainly_held(folded, first - self._offset):
            return "held"
        if not all(needle in folded for needle in self._needles):
            return "missed"
        padded, key = text.padded, self.key
        at = padded.find(key)
        if at >= 0:
            if is_clear(padded, at, at + len(key) - 1):
                return "held"
        elif len(self.tokens) == 1 or not all(f" {token} " in padded for token in self.tokens):
            return "missed"
        hits = self._hits(padded)
        if not hits:
            return "missed"
        return "negated" if all(self._negation(text, hit) for hit in hits) else "held"

    def spans(self, text: Text, outcome: Outcome) -> tuple[Span, ...]:
        """Every hit that has this outcome."""
        negated = outcome == "negated"
        hits = self._hits(text.padded)
        return tuple(text.span(*hit) for hit in hits if bool(self._negation(text, hit)) == negated)

    def reason(self, text: Text, outcome: Outcome) -> str:
        """One sentence for a person."""
        name = f"'{self.wanted}'"
        if outcome == "held":
            return f"{name} stands in the text"
        padded = text.padded
        if outcome == "negated":
            words = self._negation(text, self._hits(padded)[0])
            return f"{name} stands only in a negation: '{words}'"
        absent = [token for token in self.tokens if f" {token} " not in padded]
        if not absent:
            return f"the words of {name} are there, but not next to each other in this order"
        inside = re.search(rf"[^ ]*{re.escape(absent[0])}[^ ]*", padded)
        if inside:
            return f"'{absent[0]}' stands only inside the longer token '{inside[0]}'"
        return f"'{absent[0]}' is not in the text"

    def _plainly_held(self, folded: str, start: int) -> bool:
        """Whether the fact stands in plain sight after a place, between blanks or at a clause's end, not negated.

        A quick way round preparing the whole text. It says yes only where the slow way would; no means nothing.
        """
        core = self._core
        at = folded.find(core, max(0, start))
        while at >= 0:
            end = at + len(core)
            after = folded[end : end + 2]
            if (at == 0 or folded[at - 1] in _AROUND) and (
                not after or after[0] in _AROUND or (after[0] in ".," and after[1:] in _BREAKS)
            ):
                words = folded[at - REACH if at > REACH else 0 : at].rstrip(_MARKUP).rsplit(" ", _WORDS_BEFORE)
                if _is_clear_before(words, at <= REACH) and (folded.isascii() or _is_clear_after(folded, end)):
                    return True
            at = folded.find(core, end)
        return False

    @cached_property
    def _loose(self) -> re.Pattern[str]:
        parts = [re.escape(self.tokens[0])]
        for before, token in zip(self.tokens, self.tokens[1:], strict=False):
            indefinite = "(?: an?)*?" if _takes_article(before, token) else ""
            parts.append(f"(?:(?: the| an?)*? the)??{indefinite} {re.escape(token)}")
        return re.compile(f" {''.join(parts)}(?= )")

    def _hits(self, padded: str) -> list[tuple[int, int]]:
        """The gaps before and after each hit."""
        return [found.span() for found in self._loose.finditer(padded)]

    def _negation(self, text: Text, hit: tuple[int, int]) -> str:
        start, end = hit
        gaps = text.gaps
        before = gaps[max(0, start - REACH) : start + 1]
        return negation(before, gaps[end : end + REACH], text.padded[start + 1 : end], text.padded)


def _is_clear_before(words: list[str], whole: bool) -> bool:
    """Whether no negator can be among the last words; the first may be cut off unless they are the whole text."""
    while words:
        word = words.pop()
        if word in FILLER_WORDS and (words or whole):
            continue
        if not word or (not words and not whole):
            return whole and not words
        if word[-1] in _CLAUSE_ENDS:
            return True
        if not word.isascii() and has_unspaced(word):
            word = word[-1] if is_unspaced(word[-1]) and word[-1] not in FILLER_WORDS else ""
        return word.isalpha() and word not in QUICK
    return True


def _is_clear_after(folded: str, end: int) -> bool:
    """Whether no Japanese negation follows, perhaps after quotes."""
    after = folded[end : end + REACH].lstrip(_MARKUP)
    return after[:1] not in _JAPANESE or (after[1:2].isalpha() and after[:2] not in _JAPANESE_PAIRS)


def _takes_article(before: str, after: str) -> bool:
    """Whether an `a` between two tokens is an article, not a letter that names something."""
    return after[0].isalpha() and sum(map(str.isalpha, after)) > 1 and before not in LABELLED


def _without_articles(tokens: list[str]) -> list[str]:
    """The tokens that must stand in the text; the last one always stays."""
    kept = []
    for place, token in enumerate(tokens):
        last = place + 1 == len(tokens)
        if token == "the" and not last:  # noqa: S105  # an article, no secret
            continue
        if token in ("a", "an") and not last and _takes_article(tokens[place - 1] if place else "", tokens[place + 1]):
            continue
        kept.append(token)
    return kept
