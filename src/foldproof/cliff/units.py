"""The sentences of a text, each prepared once: outputs of many rounds share most of them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cached_property, lru_cache

from foldproof.compaction import sentences_of
from foldproof.matching import Text
from foldproof.matching.negation import REACH, negation
from foldproof.matching.parts import REPORTING
from foldproof.matching.units import UNITS

_KEPT = 1 << 16
_JOINED = re.compile(r"(-?\d[\d.,/:+]*)([^\W\d_]+)")
_SHORTEST = 3
_PLURAL = re.compile(r"(?<=[a-z]{2})ies$|(?<=[sxz])es$|(?<=[cs]h)es$|(?<![sui])s$")
_FORM = re.compile(r"ied$|ing$|(?<!e)ed$")
_VOWEL = re.compile(r"[aeiouy]")
_DOUBLED = frozenset(letter * 2 for letter in "bdgmnprt")
_MARK = re.compile(r"\s*(?:[-*+•>]\s+|\d{1,3}[.)]\s+|\[[ xX]\]\s+)*")
_NAME = re.compile(r"[^\W\d_][\w.-]*[A-Z][\w.-]*|[A-Z][\w.-]*")


class Unit:
    """One sentence of a text, without the mark of a list that it opens with.

    `words` are its tokens, `stems` the same without the endings of English words, one for one; `holds` has each once.
    """

    def __init__(self, raw: str) -> None:
        self.raw = raw[_MARK.match(raw).end() :]  # type: ignore[union-attr]  # it matches the empty text too
        self.text = Text(self.raw)
        self.tokens: tuple[str, ...] = tuple(apart(self.text.padded.split()))
        self.words = frozenset(self.tokens)
        self.stems: tuple[str, ...] = tuple(map(stem, self.tokens))
        self.holds = frozenset(self.stems)

    @cached_property
    def opening(self) -> frozenset[int]:
        """The places of tokens that begin a clause."""
        places, at = {0}, 0
        for piece in self.text.gaps.strip().split("\n"):
            at += len(apart(piece.replace("\x1f", " ").split()))
            places.add(at)
        return frozenset(places)

    @cached_property
    def names(self) -> frozenset[str]:
        """The words with a capital letter, as they are written."""
        return names_in(self.raw)

    def denies(self, start: int, end: int) -> bool:
        """Whether the tokens of a half-open range stand in a negation."""
        padded, gaps = self.text.padded, self.text.gaps
        if len(self._starts) != len(self.tokens) + 1:
            return False  # a number was parted from its unit: the places are not those of the text
        low, high = self._starts[start], self._starts[end]
        before, after = gaps[max(0, low - REACH) : low + 1], gaps[high : high + REACH]
        return bool(negation(before, after, padded[low + 1 : high], self.text.languages))

    @cached_property
    def _starts(self) -> list[int]:
        """Where the gap before each token of the text stands, and the one after the last."""
        return [at for at, char in enumerate(self.text.padded) if char == " "]

    def place_of(self, key: str) -> int | None:
        """Which token a normalized text begins at, or None where its tokens do not stand together."""
        at = self.text.padded.find(f" {key} ")
        return len(apart(self.text.padded[:at].split())) if at >= 0 else None

    def tokens_since_clause(self, place: int) -> Sequence[str]:
        """The tokens before a place, those of earlier clauses blanked."""
        begun = max(at for at in self.opening if at <= place)
        return ("",) * begun + self.tokens[begun:place]


@lru_cache(maxsize=1024)
def names_in(text: str) -> frozenset[str]:
    """The words of a text that have a capital letter, as they are written."""
    return frozenset(name.rstrip(".-") for name in _NAME.findall(text))


@lru_cache(maxsize=_KEPT)
def stem(token: str) -> str:
    """A token without the ending that an English word has in another form: "pushes", "pushing" and "pushed" are "push".

    By a few rules, which need not give a word; equal words in the same form stay equal in any language. Words of
    reporting keep theirs: "asked" is more than "ask".
    """
    if len(token) < _SHORTEST or not (token.isascii() and token.isalpha()) or token in REPORTING:
        return token
    word = _PLURAL.sub(_without, token)
    if (ending := _FORM.search(word)) and _VOWEL.search(word, 0, ending.start()):
        word = word[: ending.start()] + _without(ending)
    return word[:-1] if word[-1:] == "e" or word[-2:] in _DOUBLED else word


def _without(ending: re.Match[str]) -> str:
    return "y" if ending[0].startswith("i") and ending[0] != "ing" else ""


def apart(tokens: Sequence[str]) -> list[str]:
    """Tokens with each number and the unit that is written together with it as two: "15kg" is "15 kg"."""
    found: list[str] = []
    for token in tokens:
        joined = _JOINED.fullmatch(token) if token[-1:].isalpha() else None
        found += joined.groups() if joined and joined[2] in UNITS else (token,)
    return found


def units_of(text: str) -> tuple[Unit, ...]:
    """The sentences of a text, in order."""
    return tuple(unit for line in text.splitlines() for unit in _units_in(line))


@lru_cache(maxsize=_KEPT)
def _units_in(line: str) -> tuple[Unit, ...]:
    return tuple(Unit(sentence) for sentence in sentences_of(line))
