"""What a fact becomes when it is made ready to be looked for."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from typing import ClassVar, Literal, Protocol

from foldproof.matching.fold import fold
from foldproof.matching.mapped import Span
from foldproof.matching.negation import HYPHENED, QUICK, REACH, negation
from foldproof.matching.text import Text
from foldproof.matching.tokens import gaps_of

Outcome = Literal["held", "missed", "negated"]


_LETTERS = re.compile("[a-z]+")
_QUICK = QUICK | HYPHENED


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

    def unsure(self, text: Text) -> bool:
        """Whether the text may say the fact in a form that cannot be decided; asked where it is not held."""
        ...


class SureFinder:
    """Of a kind that can always be decided."""

    def unsure(self, text: Text) -> bool:  # noqa: ARG002  # every finder is asked alike
        """Never."""
        return False


def negation_at(text: Text, span: Span) -> str:
    """The words of the negation that a place in the original stands in, or nothing."""
    raw = text.raw
    start = max(0, span.start - REACH)
    around = raw[start : span.end + REACH].lower()
    if around.isascii() and _QUICK.isdisjoint(_LETTERS.findall(around)):
        return ""
    # The letter stands for the hit, so that the gap next to it is kept.
    before = gaps_of(fold(raw[start : span.start]) + "x")[:-2]
    after = gaps_of("x" + fold(raw[span.end : span.end + REACH]))[2:]
    return negation(before, after, fold(raw[span.start : span.end]), text.languages)


class ValueFinder(SureFinder, ABC):
    """Looks for a value that a text may write in many ways; what it is and where it stands is the subclass's matter."""

    noun: ClassVar[str]

    def __init__(self, wanted: str) -> None:
        self.wanted = wanted.strip()

    @abstractmethod
    def hits(self, text: Text) -> tuple[Span, ...]:
        """Every place where the value stands, in order."""

    @abstractmethod
    def why_missed(self, text: Text) -> str:
        """One sentence on a text in which it does not stand."""

    def outcome(self, text: Text) -> Outcome:
        """Whether the value is held, missed, or stands in negations only."""
        hits = self.hits(text)
        if not hits:
            return "missed"
        return "negated" if all(negation_at(text, hit) for hit in hits) else "held"

    def spans(self, text: Text, outcome: Outcome) -> tuple[Span, ...]:
        """The hits that have the outcome: those outside negations where the value is held."""
        negated = outcome == "negated"
        return tuple(hit for hit in self.hits(text) if bool(negation_at(text, hit)) == negated)

    def reason(self, text: Text, outcome: Outcome) -> str:
        """One sentence for a person."""
        if outcome == "missed":
            return self.why_missed(text)
        if outcome == "held":
            return f"the {self.noun} {self.wanted} stands in the text"
        words = negation_at(text, self.hits(text)[0])
        return f"the {self.noun} {self.wanted} stands only in a negation: '{words}'"
