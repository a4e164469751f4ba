"""The normalized matcher: a fact holds where its tokens stand contiguously, as whole tokens."""

from __future__ import annotations

import re
from collections.abc import Iterator

from foldproof.matching.finder import Outcome, SureFinder
from foldproof.matching.fold import fold
from foldproof.matching.mapped import Span
from foldproof.matching.negation import (
    AFTER,
    FILLER_WORDS,
    FILLERS_AT_MOST,
    PARTICLES,
    QUICK,
    REACH,
    is_clear,
    may_be_denied_by,
    negation,
)
from foldproof.matching.text import Text, normalize
from foldproof.matching.tokens import has_unspaced, is_unspaced
from foldproof.matching.units import spellings

_NOUNS = (
    "appendix article category class exhibit grade group hepatitis influenza option plan schedule section series tier"
    " type variant vitamin"
)
LABELLED = frozenset(_NOUNS.split())
"""Nouns whose `a` is a letter: `hepatitis A vaccine`, `vitamin A deficiency`."""
_WORD = re.compile(r"[^\W_]+")
_LONG_NUMBER = re.compile(r"\d{4}")
_NEAR = FILLER_WORDS | QUICK
_WORDS_BEFORE = FILLERS_AT_MOST + 1
_IDENTIFIER = re.compile(r"@|://|[^\W\d_]\.[^\W\d_]")
_NAME_BEFORE = re.compile(r"[^\W_][.\-_@+]\Z")
_NAME_AFTER = re.compile(r"[.\-_@][^\W_]")
_SHORT = 80
_MARKUP = " *_`\"'([)]~「」『』"
_BREAKS = ("", " ", "\n")
_AROUND = frozenset(("", *_MARKUP, *"\n:;!?、。"))
_DIGIT_JOINTS = frozenset(":'")
_AFTER_WORD = frozenset(".,")
_AFTER_DIGIT = _AFTER_WORD | _DIGIT_JOINTS
_CLAUSE_ENDS = frozenset(".,;:?!、。")
_ARTICLES = ("the ", "a ", "an ")
_ARTICLES_AT_MOST = 3
_JAPANESE = frozenset(word[0] for word in AFTER["ja"].split())
_PARTICLES = frozenset(PARTICLES)
_JAPANESE_PAIRS = frozenset(word[:2] for word in AFTER["ja"].split())


class NormalizedFinder(SureFinder):
    """A fact as tokens, without its real articles; articles may stand between them in the text."""

    def __init__(self, wanted: str, tokens: list[str]) -> None:
        self.wanted = wanted.strip()
        self.tokens = _without_articles(tokens)
        self.key = f" {' '.join(self.tokens)} "
        self._core = self.key[1:-1]
        self._plain = all(_WORD.fullmatch(token) for token in self.tokens)
        # A word stands in the folded text as it is; a number may be grouped there (1,234), a sign apart (-$15).
        needles = {token for token in self.tokens if _WORD.fullmatch(token) and not _LONG_NUMBER.search(token)}
        self._needle, *self._others = sorted(needles, key=len, reverse=True) or [""]
        self._offset = self._core.index(self._needle)
        # A colon or an apostrophe may join a number to what is around it.
        self._before = _AROUND - _DIGIT_JOINTS if self._core[0].isdecimal() else _AROUND
        self._last_is_digit = self._core[-1].isdecimal()
        self._after = _AROUND - _DIGIT_JOINTS if self._last_is_digit else _AROUND
        self._stops = _AFTER_DIGIT if self._last_is_digit else _AFTER_WORD
        self._articles = max(_ARTICLES_AT_MOST, len(tokens) - len(self.tokens))

    def outcome(self, text: Text) -> Outcome:
        """Whether the fact is held, missed, or stands in negations only."""
        folded = text.folded
        first = folded.find(self._needle)
        if first < 0:
            return "missed"
        if self._plain and self._plainly_held(folded, first - self._offset if first > self._offset else 0):
            return "held"
        for needle in self._others:
            if needle not in folded:
                return "missed"
        padded, key = text.padded, self.key
        at = padded.find(key)
        if at >= 0:
            if is_clear(padded, at, at + len(key) - 1):
                return "held"
        elif len(self.tokens) == 1 or not all(f" {token} " in padded for token in self.tokens):
            return "missed"
        hits = self._hits(text)
        if not hits:
            return "missed"
        return "negated" if all(self._negation(text, hit) for hit in hits) else "held"

    def spans(self, text: Text, outcome: Outcome) -> tuple[Span, ...]:
        """Every hit that has this outcome."""
        negated = outcome == "negated"
        return tuple(text.spans(hit for hit in self._hits(text) if bool(self._negation(text, hit)) == negated))

    def reason(self, text: Text, outcome: Outcome) -> str:
        """One sentence for a person."""
        name = f"'{self.wanted}'"
        if outcome == "held":
            return f"{name} stands in the text"
        padded = text.padded
        if outcome == "negated":
            words = self._negation(text, self._hits(text)[0])
            return f"{name} stands only in a negation: '{words}'"
        absent = [token for token in self.tokens if f" {token} " not in padded]
        if not absent:
            return f"the words of {name} are there, but not next to each other in this order"
        at = padded.find(absent[0])
        if at < 0:
            return f"'{absent[0]}' is not in the text"
        longer = padded[padded.rfind(" ", 0, at) + 1 : padded.find(" ", at)]
        return f"'{absent[0]}' stands only inside the longer token '{_short(longer)}'"

    def _plainly_held(self, folded: str, start: int) -> bool:
        """Whether the fact stands in plain sight after a place, between blanks or at a clause's end, not negated.

        A quick way round preparing the whole text. It says yes only where the slow way would; no means nothing.
        """
        core = self._core
        at = folded.find(core, start)
        while at >= 0:
            end = at + len(core)
            after = folded[end : end + 1]
            if (after in self._after or (after in self._stops and folded[end + 1 : end + 2] in _BREAKS)) and (
                at == 0 or folded[at - 1] in self._before
            ):
                if _is_plainly_clear_before(folded, at) and (folded.isascii() or _is_clear_after(folded, end)):
                    return True
                words = folded[at - REACH if at > REACH else 0 : at].rstrip(_MARKUP).rsplit(" ", _WORDS_BEFORE)
                if _is_clear_before(words, at <= REACH) and (folded.isascii() or _is_clear_after(folded, end)):
                    return True
            at = folded.find(core, end)
        return False

    def _hits(self, text: Text) -> list[tuple[int, int]]:
        """The gaps before and after each hit, which do not overlap."""
        return list(self._stands(text.padded))

    def _stands(self, padded: str) -> Iterator[tuple[int, int]]:
        first = f" {self.tokens[0]} "
        at = padded.find(first)
        while at >= 0:
            end = self._end_of(padded, at + len(first))
            if end:
                yield at, end - 1
            at = padded.find(first, end - 1 if end else at + 1)

    def _end_of(self, padded: str, start: int) -> int:
        """Behind the gap after the last token, where all of them follow; 0 where they do not.

        Walks by hand, with every place that a token may end at: a pattern could take for ever on "a the a the".
        """
        ends = [start]
        for place, token in enumerate(self.tokens[1:], 1):
            indefinite = _takes_article(self.tokens[place - 1], token)
            word = f"{token} "
            found: dict[int, None] = {}  # a dictionary keeps the order: the nearest end first
            for end in ends:
                for at in _after_articles(padded, end, self._articles, indefinite):
                    if padded.startswith(word, at):
                        found[at + len(word)] = None
            if not found:
                return 0
            ends = list(found)
        return min(ends)

    def _negation(self, text: Text, hit: tuple[int, int]) -> str:
        start, end = hit
        gaps = text.gaps
        before = gaps[max(0, start - REACH) : start + 1]
        return negation(before, gaps[end : end + REACH], text.padded[start + 1 : end], text.languages)


class _IdentifierFinder(NormalizedFinder):
    """A name or address: a point, hyphen, underscore or `@` with a letter or digit behind it makes it another one."""

    def outcome(self, text: Text) -> Outcome:
        """Whether the fact is held, missed, or stands in negations only."""
        hits = self._hits(text)
        if not hits:
            return "missed"
        return "negated" if all(self._negation(text, hit) for hit in hits) else "held"

    def reason(self, text: Text, outcome: Outcome) -> str:
        """One sentence for a person."""
        if outcome == "missed" and super()._hits(text):
            return f"'{self.wanted}' stands only inside a longer name or address"
        return super().reason(text, outcome)

    def _hits(self, text: Text) -> list[tuple[int, int]]:
        hits = super()._hits(text)
        spans = text.spans(hits)
        return [hit for hit, span in zip(hits, spans, strict=True) if not _is_longer_name(text.raw, span)]


class _SpellingsFinder(SureFinder):
    """A fact with units, in each of its spellings."""

    def __init__(self, finders: list[NormalizedFinder]) -> None:
        self.wanted = finders[0].wanted
        self._finders = finders

    def outcome(self, text: Text) -> Outcome:
        """The best outcome of the spellings."""
        outcomes = {finder.outcome(text) for finder in self._finders}
        return "held" if "held" in outcomes else "negated" if "negated" in outcomes else "missed"

    def spans(self, text: Text, outcome: Outcome) -> tuple[Span, ...]:
        """The hits of every spelling that has the outcome."""
        return tuple(sorted({span for finder in self._with(text, outcome) for span in finder.spans(text, outcome)}))

    def reason(self, text: Text, outcome: Outcome) -> str:
        """What the first spelling with the outcome says."""
        return self._with(text, outcome)[0].reason(text, outcome)

    def _with(self, text: Text, outcome: Outcome) -> list[NormalizedFinder]:
        return [finder for finder in self._finders if finder.outcome(text) == outcome]


def find_normalized(wanted: str) -> NormalizedFinder | _SpellingsFinder:
    """What looks for a plain fact."""
    one = _IdentifierFinder if _IDENTIFIER.search(fold(wanted)) else NormalizedFinder
    finders = [one(wanted, tokens) for tokens in spellings(normalize(wanted).split())]
    return finders[0] if len(finders) == 1 else _SpellingsFinder(finders)


def needles_of(wanted: str) -> list[str]:
    """Tokens of which one must stand in a text that holds the fact."""
    every = (_without_articles(tokens) for tokens in spellings(normalize(wanted).split()))
    return list(dict.fromkeys(max(tokens, key=len) for tokens in every))


def _is_longer_name(raw: str, span: Span) -> bool:
    before, after = fold(raw[max(0, span.start - 2) : span.start]), fold(raw[span.end : span.end + 2])
    return bool(_NAME_BEFORE.search(before) or _NAME_AFTER.match(after))


def _short(token: str) -> str:
    return token if len(token) <= _SHORT else f"{token[:_SHORT]}…"


def _after_articles(padded: str, at: int, most: int, indefinite: bool) -> Iterator[int]:
    """Where a token may start: here, behind articles that end in `the`, and behind `a` where it can be an article."""
    yield at
    for _ in range(most):
        if not padded.startswith(_ARTICLES, at):
            return
        definite = padded.startswith("the ", at)
        at = padded.index(" ", at) + 1
        if definite or indefinite:
            yield at


def _is_plainly_clear_before(folded: str, at: int) -> bool:
    """A quicker look for the common case: small words, then a common word, with a blank after each."""
    end = at - 1
    least = at - REACH if at > REACH else 0
    start = folded.rfind(" ", least, at)
    if start != end:
        return False
    for _ in range(_WORDS_BEFORE):
        start = folded.rfind(" ", least, end)
        word = folded[start + 1 : end]
        if word not in _NEAR:
            return start >= 0 and word.isalpha() and word.isascii()
        if word in QUICK or start < 1:
            return False
        end = start
    return False


def _is_clear_before(words: list[str], whole: bool) -> bool:
    """Whether no negator can be among the last words; the first may be cut off unless they are the whole text."""
    while words:
        word = words.pop()
        if word in FILLER_WORDS and (words or whole):
            continue
        if not word or (not words and not whole):
            return whole and not words
        if word[-1] in _CLAUSE_ENDS or word.endswith("\n\n"):
            return True
        if not word.isascii() and has_unspaced(word):
            word = word[-1] if is_unspaced(word[-1]) and word[-1] not in FILLER_WORDS else ""
        return word.isalpha() and word not in QUICK
    return True


def _is_clear_after(folded: str, end: int) -> bool:
    """Whether no Japanese negation follows, perhaps after quotes."""
    after = folded[end : end + REACH].lstrip(_MARKUP)
    if after[:1] in _PARTICLES and may_be_denied_by(after):
        return False
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
