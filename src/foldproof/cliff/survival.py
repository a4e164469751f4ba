"""What became of each labelled line in the output of a round: verbatim, kept, degraded or lost. Pure.

It reads labels and texts only, and compares words, never meanings: what is put in other words is lost here, so that a
compactor which rewrites fares no better than it does. The rules are in `docs/cliff.md`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

from foldproof.cliff.force import Force
from foldproof.cliff.labels import LabelledLine
from foldproof.cliff.units import Unit, apart, names_in, stem, units_of
from foldproof.compaction import sentences_of
from foldproof.matching import Fact, Match, Text, match_fact, normalize, telling_tokens
from foldproof.matching.parts import REPORTING, Parts, gone_at, has_denial, is_reported, parts_of, windows

Survival = Literal["verbatim", "kept", "degraded", "lost"]
"""`verbatim`: the words of the line stand together. `kept`: its key words stand near each other in one sentence, with
negation, numbers and binding form. `degraded`: its object stands there without one of these. Else it is lost."""
SURVIVALS: tuple[Survival, ...] = ("verbatim", "kept", "degraded", "lost")
SURVIVED: frozenset[Survival] = frozenset({"verbatim", "kept"})
Lack = Literal["", "turned round", "number", "binding", "history", "weakened"]
"""What a degraded line lacks: its negation, or it has one that it did not have; a number; what makes it a rule; that it
still holds, where it is told as something that was once said; that it holds without "if", "mostly" or "try to"."""
_RULES = frozenset({"safety", "procedure"})
"""The classes whose lines say what to do, so that a report of them ("he had asked to …") is no rule any more."""
_PART_GONE: dict[str, Lack] = {"negation": "turned round", "number": "number", "binding": "binding"}
_SHOWN = 300


@dataclass(frozen=True, slots=True)
class LineSurvival:
    """What became of one labelled line; `text` is the sentence that holds what is left of a degraded one."""

    line: LabelledLine
    outcome: Survival
    lack: Lack = ""
    text: str = ""

    @property
    def survived(self) -> bool:
        """Whether the line still says what it said."""
        return self.outcome in SURVIVED


@dataclass(frozen=True)
class _Clause:
    """One sentence of a line, as it is looked for: its parts, and the phrases that must stand as they are."""

    parts: Parts
    phrases: tuple[Fact, ...]
    text: str
    rule: bool
    own_key: bool

    @property
    def stems(self) -> tuple[str, ...]:
        """The words of its object, in whatever form."""
        return tuple(dict.fromkeys(map(stem, self.parts.object)))

    def best_in(self, units: Iterable[Unit]) -> tuple[Survival, Lack, str]:
        """The best that any sentence of a text makes of it."""
        best: tuple[Survival, Lack, str] = ("lost", "", "")
        wanted = frozenset(self.stems)
        for unit in units:
            if wanted <= unit.holds:
                lack = self._lack_in(unit)
                if lack == "":
                    return "kept", "", unit.raw
                if lack is not None and best[0] == "lost":
                    best = "degraded", lack, unit.raw[:_SHOWN]
        return best

    def _lack_in(self, unit: Unit) -> Lack | None:
        """What is missing of it in a sentence that has its object; None where the object is not there as such."""
        whole = all(match_fact(phrase, unit.text).outcome != "missed" for phrase in self.phrases)
        if not self.parts.object:
            return "" if self.phrases and whole else None
        lacks = [self._lack_at(unit, *window) for window in windows(self.stems, unit.stems)]
        if "" in lacks:
            return "" if whole else None
        return next((lack for lack in lacks if lack is not None), None)

    def _lack_at(self, unit: Unit, start: int, end: int) -> Lack | None:
        parts = self.parts
        # A common word alone is no object, unless a labeller says so; even then what is left of it says nothing.
        telling = len(parts.object) > 1 or parts.denying or self._is_named(unit)
        if not (telling or self.own_key):
            return None
        lack = self._gone_at(unit, start, end)
        return lack if telling or not lack else None

    def _gone_at(self, unit: Unit, start: int, end: int) -> Lack:
        gone = gone_at(self.parts, unit.tokens, start, end, opening=unit.opening)
        if gone is not None:
            return _PART_GONE[gone]
        if not self.parts.denying and (has_denial(unit.tokens[start:end]) or unit.denies(start, end)):
            return "turned round"
        if self.rule and is_reported(unit.tokens, start):
            return "history"
        return self._force.lost_at(unit, start, end)

    @cached_property
    def _force(self) -> Force:
        return Force(Unit(self.text), frozenset(self.stems), self.rule)

    def _is_named(self, unit: Unit) -> bool:
        """Whether the single word is a name, written alike in both."""
        [word] = self.parts.object
        return any(word == normalize(name) for name in unit.names & names_in(self.text))


class Wanted:
    """A labelled line, prepared once to be looked for in many outputs."""

    def __init__(self, line: LabelledLine) -> None:
        self.line = line
        self.fact = Fact("normalized", line.text) if normalize(line.text) else Fact("exact", line.text)

    @cached_property
    def _clauses(self) -> tuple[_Clause, ...]:
        if self.line.key != telling_tokens(self.line.text):
            return (self._of_key(),)
        clauses = [self._clause(sentence) for sentence in sentences_of(self.line.text)]
        return tuple(clause for clause in clauses if clause.parts.object)

    def _clause(self, sentence: str) -> _Clause:
        return _Clause(_parts(sentence), (), sentence, self._rules(sentence), own_key=False)

    def _of_key(self) -> _Clause:
        """What the labeller says must survive, with the negation and the binding words that stand at it in the line."""
        parts, tokens = _parts(" ".join(self.line.key)), apart(normalize(self.line.text).split())
        around = tokens
        if parts.object and (near := windows(parts.object, tokens)):
            around = tokens[max(0, near[0][0] - 8) : near[0][1] + 8]
        ruling = [item for item in _parts(self.line.text).special if item[0] != "number" and item[1] in around]
        special = (*parts.special, *(item for item in ruling if item not in parts.special))
        phrases = tuple(fact for key in self.line.key if (fact := _phrase(key)) is not None)
        wanted = Parts(parts.object, special, parts.verb or _parts(self.line.text).verb)
        return _Clause(wanted, phrases, self.line.text, self._rules(self.line.text), own_key=True)

    def _rules(self, sentence: str) -> bool:
        """Whether a sentence is a rule, and itself no report of one."""
        ruling = _parts(sentence).ruling or self.line.cls in _RULES
        return ruling and REPORTING.isdisjoint(normalize(sentence).split())

    def survival(self, match: Match, units: Sequence[Unit]) -> LineSurvival:
        """What became of the line in a text, of which `match` says whether its words stand together there."""
        if match.outcome == "held":
            return self._as_it_is(units)
        found = [clause.best_in(units) for clause in self._clauses]
        if match.outcome == "negated" and not any(outcome == "kept" for outcome, _, _ in found):
            return LineSurvival(self.line, "degraded", "turned round", next((text for *_, text in found if text), ""))
        worst = max(found, key=lambda one: SURVIVALS.index(one[0]), default=("lost", "", ""))
        return LineSurvival(self.line, worst[0], worst[1], worst[2] if worst[0] == "degraded" else "")

    def _as_it_is(self, units: Sequence[Unit]) -> LineSurvival:
        """What became of a line that stands word for word: in a report or under a condition it says less."""
        for sentence in sentences_of(self.line.text):
            lacks = [found for unit in units if (found := self._lack_around(sentence, unit)) is not None]
            if lacks and all(lack for lack, _ in lacks):
                return LineSurvival(self.line, "degraded", *lacks[0])
        return LineSurvival(self.line, "verbatim")

    def _lack_around(self, sentence: str, unit: Unit) -> tuple[Lack, str] | None:
        """What a sentence of the line lacks in one of a text that has its words; None where it has not."""
        key = normalize(sentence)
        place = unit.place_of(key)
        if place is None:
            return None
        rule = self._rules(sentence)
        if rule and is_reported(unit.tokens_since_clause(place), place):
            return "history", unit.raw[:_SHOWN]
        force = Force(Unit(sentence), frozenset(), rule)
        return force.lost_around(unit, place, place + len(apart(key.split()))), unit.raw[:_SHOWN]


def _phrase(key: str) -> Fact | None:
    """What of a key must stand as it is: a number, a sign, several words none of which denies or binds.

    A word alone, and what denies or binds, is looked for by what it does.
    """
    words = normalize(key).split()
    if not words:
        return Fact("exact", key)
    whole = not parts_of(key).ruling and (len(words) > 1 or any(char.isdecimal() for char in key))
    return Fact("normalized", key) if whole else None


def _parts(statement: str) -> Parts:
    return parts_of(" ".join(apart(normalize(statement).split())))


def survivals(wanted: Sequence[Wanted], output: str) -> tuple[LineSurvival, ...]:
    """What became of each line in one output."""
    if not output.strip():
        return tuple(LineSurvival(one.line, "lost") for one in wanted)
    # A line that stands there as it is needs no look at the rest, which spares most selections the work.
    whole = {line.strip() for line in output.splitlines()}
    units, text = units_of(output), Text(output)
    return tuple(
        LineSurvival(one.line, "verbatim")
        if one.line.text in whole
        else one.survival(match_fact(one.fact, text), units)
        for one in wanted
    )


def stale_lines(found: Sequence[LineSurvival]) -> tuple[LineSurvival, ...]:
    """Lines whose value was replaced, that survived while what replaced them did not."""
    kept = {one.line.place for one in found if one.survived}
    replaced = (one for one in found if one.line.replaced_by is not None and one.survived)
    return tuple(one for one in replaced if one.line.replaced_by not in kept)
