"""What is left of a fact that does not hold: its object, without the negation, number or binding form it came with."""

from __future__ import annotations

from dataclasses import dataclass

from foldproof.matching.fact import Fact
from foldproof.matching.mapped import Span
from foldproof.matching.match import match_fact
from foldproof.matching.parts import Part, Parts, gone_at, is_reported, parts_of, windows
from foldproof.matching.text import Text, normalize


@dataclass(frozen=True, slots=True)
class Weakened:
    """Where the object of a fact stands, and which part of the fact is gone there.

    `text` is the part of the original from the first to the last token of the object.
    """

    gone: Part
    span: Span
    text: str


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
        for start, end in windows(parts.object, tokens) if tokens else ():
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
    for start, end in windows(parts.object, tokens):
        gone = _gone(parts, tokens, start, end)
        span = Span(text.places[start].start, text.places[end - 1].end)
        if gone and (len(parts.object) > 1 or parts.denying or _is_named(fact.text, text.raw[span.start : span.end])):
            return Weakened(gone, span, text.raw[span.start : span.end])
    return None


def _is_named(wanted: str, found: str) -> bool:
    """Whether a single word is a name, written alike in both: a room 7 is lost where "there is no room for doubt"."""
    return found != found.lower() and found in wanted


def _tokens_with(wanted: tuple[str, ...], text: Text) -> list[str]:
    """The tokens of a text that has all of these; none of any other, which spares most texts the work."""
    padded = text.padded
    return padded.split() if wanted and all(f" {word} " in padded for word in wanted) else []


def _gone(parts: Parts, tokens: list[str], start: int, end: int) -> Part | None:
    """What of a fact is missing around its object; a rule that is told as history does not bind any more."""
    gone = gone_at(parts, tokens, start, end)
    return gone or ("binding" if parts.ruling and is_reported(tokens, start) else None)
