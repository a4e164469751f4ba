"""One fact against one text: is it held, missed, or negated?"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import lru_cache

from foldproof.matching.check import check_fact
from foldproof.matching.date import DateFinder
from foldproof.matching.exact import ExactFinder
from foldproof.matching.fact import Fact, FactKind
from foldproof.matching.finder import Finder, Outcome
from foldproof.matching.mapped import Span
from foldproof.matching.nearest import Nearest, nearest_to
from foldproof.matching.normalized import find_normalized
from foldproof.matching.number import NumberFinder
from foldproof.matching.pattern import PatternFinder
from foldproof.matching.text import Text

MATCHER_VERSION = "normalized/1"
"""Stands in every record that a match went into. A change of the rules is a new version."""

_FINDERS: dict[str, Callable[[str], Finder]] = {
    "normalized": find_normalized,
    "exact": ExactFinder,
    "pattern": PatternFinder,
    "number": NumberFinder,
    "date": DateFinder,
}
_KEPT = 4096
_finders: dict[int, tuple[Fact, Finder]] = {}


class Match:
    """What became of a fact in a text.

    `outcome` is known at once. `spans`, `nearest`, `reason` and `unsure` are worked out when they are read, from the
    text that the match keeps, so that scoring many answers stays fast: read them once.
    """

    __slots__ = ("_finder", "_text", "fact", "outcome")

    def __init__(self, fact: Fact, outcome: Outcome, finder: Finder, text: Text) -> None:
        self.fact = fact
        self.outcome: Outcome = outcome
        self._finder = finder
        self._text = text

    @property
    def held(self) -> bool:
        """Whether the text says the fact."""
        return self.outcome == "held"

    @property
    def spans(self) -> tuple[Span, ...]:
        """Every hit that has the outcome, as offsets into the original text; none where it is `missed`."""
        return self._finder.spans(self._text, self.outcome)

    @property
    def nearest(self) -> Nearest | None:
        """What comes nearest to a missed fact. A near miss never scores."""
        if self.outcome != "missed":
            return None
        wanted = (self.fact, *self.fact.any)
        found = [nearest_to(_finder_of(fact).wanted, self._text) for fact in wanted]
        return min(filter(None, found), key=lambda near: (near.distance, near.span), default=None)

    @property
    def reason(self) -> str:
        """One sentence for a person."""
        return self._finder.reason(self._text, self.outcome)

    @property
    def unsure(self) -> bool:
        """Whether the text may say a fact that is not held, in a form that cannot be decided ("03/04/2026")."""
        return self.outcome != "held" and self._finder.unsure(self._text)

    def __repr__(self) -> str:
        return f"<Match {self.outcome}: {self.fact.label}>"


class _AnyFinder:
    """Held where one alternative is; else negated where one is."""

    wanted = ""

    def __init__(self, alternatives: tuple[Fact, ...]) -> None:
        self._finders = [_finder_of(fact) for fact in alternatives]

    def outcome(self, text: Text) -> Outcome:
        """The best outcome of the alternatives."""
        outcomes = {finder.outcome(text) for finder in self._finders}
        return "held" if "held" in outcomes else "negated" if "negated" in outcomes else "missed"

    def spans(self, text: Text, outcome: Outcome) -> tuple[Span, ...]:
        """The hits of the alternatives that have the outcome."""
        return tuple(sorted({span for finder in self._with(text, outcome) for span in finder.spans(text, outcome)}))

    def reason(self, text: Text, outcome: Outcome) -> str:
        """The reasons of the alternatives that have the outcome."""
        return "; ".join(finder.reason(text, outcome) for finder in self._with(text, outcome))

    def unsure(self, text: Text) -> bool:
        """Whether one alternative is unsure."""
        return any(finder.unsure(text) for finder in self._finders)

    def _with(self, text: Text, outcome: Outcome) -> list[Finder]:
        return [finder for finder in self._finders if finder.outcome(text) == outcome]


def match_fact(fact: Fact | str, text: str | Text, kind: FactKind = "normalized") -> Match:
    """Whether a text says a fact. `kind` is that of a fact given as text.

    Raises:
        ValueError: where the fact cannot be matched: see `check_fact`; a `judged` fact is a judge's matter.
    """
    fact = _named(fact, kind) if isinstance(fact, str) else fact
    text = Text(text) if isinstance(text, str) else text
    finder = _finder_of(fact)
    return Match(fact, finder.outcome(text), finder, text)


def match_facts(facts: Iterable[Fact | str], text: str | Text) -> list[Match]:
    """What became of each fact in one text, in order.

    Raises:
        ValueError: as `match_fact`.
    """
    text = Text(text) if isinstance(text, str) else text
    matches = []
    finder_of = _finders.get
    for given in facts:
        known = finder_of(id(given))
        if known is None or known[0] is not given:
            fact = _named(given, "normalized") if isinstance(given, str) else given
            known = fact, _finder_of(fact)
        fact, finder = known
        matches.append(Match(fact, finder.outcome(text), finder, text))
    return matches


@lru_cache(maxsize=_KEPT)
def _named(text: str, kind: FactKind) -> Fact:
    return Fact(kind, text)


def _finder_of(fact: Fact) -> Finder:
    """The finder of a fact, made once: by identity, since hashing a fact costs more than finding it."""
    known = _finders.get(id(fact))
    if known is not None and known[0] is fact:
        return known[1]
    if len(_finders) >= _KEPT:
        _finders.clear()
    finder = _make(fact)
    _finders[id(fact)] = (fact, finder)
    return finder


def _make(fact: Fact) -> Finder:
    wrong = check_fact(fact)
    if wrong:
        raise ValueError(wrong)
    if fact.kind == "any":
        return _AnyFinder(fact.any)
    if fact.kind == "judged":
        raise ValueError(f"the fact '{fact.text}' is judged, which no matcher can do\n  score it with a judge")
    return _FINDERS[fact.kind](fact.text)
