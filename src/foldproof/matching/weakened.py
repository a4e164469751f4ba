"""What is left of a fact that does not hold: its object, without the negation, number or binding form it came with."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from foldproof.matching.fact import Fact
from foldproof.matching.mapped import Span
from foldproof.matching.match import match_fact
from foldproof.matching.negation import CONTRACTIONS, FILLER_WORDS, QUICK
from foldproof.matching.text import Text, normalize
from foldproof.matching.units import UNITS

Part = Literal["negation", "number", "binding"]
"""What can go from a fact while its object stays; in the order of what weighs most."""

_RULES = (
    "must always only shall should required mandatory forbidden prohibited obligatory strictly ensure exactly"
    " muss immer nur darf soll verboten pflicht doit toujours seulement interdit debe siempre solo prohibido"
)
BINDING = frozenset(_RULES.split())
"""Words that make a statement a rule."""
_REPORTS = "asked said told wanted mentioned requested preferred instructed noted stated wished expressed discussed"
REPORTING = frozenset(_REPORTS.split())
"""Words that make a rule a thing of the past: "do not push" as "the user had asked not to push"."""
_BARE = (
    "second seconds minute minutes min mins hour hours day days week weeks month months year years euro euros dollar"
    " dollars cent cents percent times items people"
)
_UNITS = UNITS | frozenset(_BARE.split())
"""Words that say nothing without their number."""
_SMALL = (
    "and or of to up down by from at on in into out over under between with without about after before during until"
    " till than then as so if but per via each both all some this that these those it its i you he she we they there"
    " here what which who when where why how will would can could may might your my our their his her them him me us"
)
_NO_OBJECT = FILLER_WORDS | CONTRACTIONS | frozenset(_SMALL.split())
"""Words that name nothing: "between the 28th and the 3rd" has no object without its numbers."""
_SLACK = 8
"""Tokens that may stand between and around those of the object."""
_REPORTED_WITHIN = 5


@dataclass(frozen=True, slots=True)
class Weakened:
    """Where the object of a fact stands, and which part of the fact is gone there.

    `text` is the part of the original from the first to the last token of the object.
    """

    gone: Part
    span: Span
    text: str


@dataclass(frozen=True, slots=True)
class Parts:
    """The tokens of a statement by what they do: those that name its object, and the others, each with what it is."""

    object: tuple[str, ...]
    special: tuple[tuple[Part, str], ...]

    @property
    def ruling(self) -> bool:
        """Whether it binds or denies."""
        return any(part != "number" for part, _ in self.special)

    @property
    def denying(self) -> bool:
        """Whether it denies something."""
        return any(part == "negation" for part, _ in self.special)


def weakened(fact: Fact, text: Text) -> Weakened | None:
    """How a fact that a text does not hold stands in it in a weaker form, or None where nothing of the kind does.

    "no NSAIDs" is weakened in "NSAIDs are fine" (negation), "Postgres 15" in "a Postgres database" (number), "always
    reply by email" in "the user got a reply by email" (binding). A fact without a negation, number or binding word
    cannot be weakened, but for one that stands only in a negation: there its meaning is turned round. Of
    alternatives, the first that is weakened counts; values and patterns are whole or not there. A single common word
    with a number or a rule says too little to be recognised; a name ("Postgres") does not, nor does what is denied.
    """
    for alternative in fact.any or (fact,):
        if alternative.kind in {"normalized", "exact"} and (found := _weakened(alternative, text)):
            return found
    return None


def reworded(fact: Fact, text: Text) -> Span | None:
    """Where all words of a fact that a text does not hold stand near each other, in another order or with others.

    It may say the same or not, which no rule can tell: it is shown and never counts.
    """
    for alternative in fact.any or (fact,):
        parts = parts_of(alternative.text) if alternative.kind in {"normalized", "exact"} else Parts((), ())
        tokens = _tokens_with(parts.object, text)
        for start, end in _windows(parts.object, tokens) if tokens else ():
            if _gone(parts, tokens, start, end) is None:
                return Span(text.places[start].start, text.places[end - 1].end)
    return None


def telling_tokens(statement: str) -> tuple[str, ...]:
    """The tokens of a statement that deny, count, bind or name something, each once, in order; all where none does."""
    tokens = normalize(statement).split()
    parts = parts_of(statement)
    telling = {*parts.object, *(token for _, token in parts.special)} or {*tokens}
    return tuple(dict.fromkeys(token for token in tokens if token in telling))


def _weakened(fact: Fact, text: Text) -> Weakened | None:
    match = match_fact(fact, text)
    if match.outcome == "negated":
        span = match.spans[0]
        return Weakened("negation", span, text.raw[span.start : span.end])
    parts = parts_of(fact.text)
    if not parts.object or not parts.special:
        return None
    tokens = _tokens_with(parts.object, text)
    for start, end in _windows(parts.object, tokens):
        gone = _gone(parts, tokens, start, end)
        span = Span(text.places[start].start, text.places[end - 1].end)
        if gone and (len(parts.object) > 1 or parts.denying or _is_named(fact.text, text.raw[span.start : span.end])):
            return Weakened(gone, span, text.raw[span.start : span.end])
    return None


@lru_cache(maxsize=1024)
def parts_of(wanted: str) -> Parts:
    """The tokens of a fact or a line by what they do; small words do nothing."""
    tokens = normalize(wanted).split()
    special: list[tuple[Part, str]] = []
    kept: list[str] = []
    for token in tokens:
        if token in QUICK:
            special.append(("negation", token))
        elif any(char.isdecimal() for char in token):
            special.append(("number", token))
        elif token in BINDING:
            special.append(("binding", token))
        elif token not in _NO_OBJECT:
            kept.append(token)
    if all(token in _UNITS or len(token) < 2 for token in kept):  # one letter is no object
        kept = []
    order = ("negation", "number", "binding")
    return Parts(tuple(dict.fromkeys(kept)), tuple(sorted(special, key=lambda item: order.index(item[0]))))


def _is_named(wanted: str, found: str) -> bool:
    """Whether a single word is a name, written alike in both: a room 7 is lost where "there is no room for doubt"."""
    return found != found.lower() and found in wanted


def _tokens_with(wanted: tuple[str, ...], text: Text) -> list[str]:
    """The tokens of a text that has all of these; none of any other, which spares most texts the work."""
    padded = text.padded
    return padded.split() if wanted and all(f" {word} " in padded for word in wanted) else []


def _windows(wanted: tuple[str, ...], tokens: list[str]) -> list[tuple[int, int]]:
    """Where all tokens of an object stand near each other, as half-open ranges of tokens."""
    first, rest = wanted[0], set(wanted)
    reach = len(wanted) + _SLACK
    found = []
    for at, token in enumerate(tokens):
        if token != first:
            continue
        low = max(0, at - reach)
        near = {word: low + place for place, word in enumerate(tokens[low : at + reach]) if word in rest}
        if len(near) == len(rest):
            places = [at, *near.values()]
            found.append((min(places), max(places) + 1))
    return found


def _gone(parts: Parts, tokens: list[str], start: int, end: int) -> Part | None:
    """What of a fact is missing around its object, or None where all of it is there in other words."""
    around = tokens[max(0, start - _SLACK) : end + _SLACK]
    denied = not QUICK.isdisjoint(around)
    for part, token in parts.special:
        if part == "negation":
            if not denied:
                return "negation"
        elif token not in around:
            return part
    before = tokens[max(0, start - _REPORTED_WITHIN) : start]
    return "binding" if parts.ruling and not REPORTING.isdisjoint(before) else None
