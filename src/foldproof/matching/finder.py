"""What a fact becomes when it is made ready to be looked for."""

from __future__ import annotations

from typing import Literal, Protocol

from foldproof.matching.fold import fold
from foldproof.matching.mapped import Span
from foldproof.matching.negation import REACH, negation
from foldproof.matching.text import Text
from foldproof.matching.tokens import gaps_of

Outcome = Literal["held", "missed", "negated"]


class Finder(Protocol):
    """Looks for one fact. The outcome is quick; spans and reasons take their time, since few are read."""

    @property
    def wanted(self) -> str:
        """The text whose nearest likeness a person may want to see; empty where there is none."""
        ...

    def outcome(self, text: Text) -> Outcome:
        """Whether the fact is held, missed, or stands in negations only."""
        ...

    def spans(self, text: Text, outcome: Outcome) -> tuple[Span, ...]:
        """Every hit that has this outcome."""
        ...

    def reason(self, text: Text, outcome: Outcome) -> str:
        """One sentence for a person."""
        ...


def negation_at(text: Text, span: Span) -> str:
    """The words of the negation that a place in the original stands in, or nothing."""
    raw = text.raw
    start = max(0, span.start - REACH)
    # The letter stands for the hit, so that the gap next to it is kept.
    before = gaps_of(fold(raw[start : span.start]) + "x")[:-2]
    after = gaps_of("x" + fold(raw[span.end : span.end + REACH]))[2:]
    return negation(before, after, fold(raw[span.start : span.end]), text.padded)


def judge_hits(text: Text, spans: tuple[Span, ...]) -> Outcome:
    """The outcome of hits that a negation may turn round."""
    if not spans:
        return "missed"
    return "negated" if all(negation_at(text, span) for span in spans) else "held"


def with_outcome(text: Text, spans: tuple[Span, ...], outcome: Outcome) -> tuple[Span, ...]:
    """The hits that have the outcome: those outside negations where the fact is held."""
    if outcome == "missed":
        return ()
    return tuple(span for span in spans if bool(negation_at(text, span)) == (outcome == "negated"))
