"""What takes the force of a statement though its words stand there: a hedge, a condition, sides changed. Pure.

Rules on words, as all of the cliff; a word that the line has itself never weakens it. Known limits: who does what to
whom is not seen where none of these words stands between, nor what another sentence takes back.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Literal

from foldproof.cliff.units import Unit, stem
from foldproof.matching.negation import WITHOUT
from foldproof.matching.parts import BANS, LIMITS, OBLIGES, has_denial

Loss = Literal["", "turned round", "number", "binding", "history", "weakened"]

_HEDGING = (
    "optional optionally sometimes usually generally typically often mostly mainly rarely seldom hardly maybe perhaps"
    " possible possibly probably might could most some few several selected unless except excepting excluding"
    " manchmal meistens meist oft selten vielleicht eventuell einige manche ausser parfois souvent rarement sauf"
    " certains quizás excepto salvo"
)
_WISHING = (
    "try tries consider ideally prefer prefers preferred preferably recommended encouraged advisable versuche möglichst"
    " idealerweise bevorzugt empfohlen idéalement préférez"
)
_ALLOWING = "allowed permitted acceptable ok okay erlaubt gestattet zulässig permis permitido"
_DIVIDING = "before after until then instead rather over under above below than bevor nachdem dann statt über puis"
_HEDGES = frozenset(_HEDGING.split())
_WISHES = frozenset(_WISHING.split())
"""What makes a wish of a rule; a wish is no less for them."""
_ADVICE = frozenset(["should", "sollte", "sollten", "soll", "sollen"])
"""Binds, and less than what says `must`."""
_LEAVES = frozenset(["may", "can", "kann", "können", "darf", "dürfen", "peut", "peuvent", "puede", "pueden"])
"""What leaves a choice, but in a ban or a limit: "only admins may" and "nobody can" bind as they are."""
_CONDITIONS = frozenset(["if", "unless", "except", "wenn", "falls", "sofern", "ausser", "sauf", "salvo"])
"""What makes a statement conditional behind it, also behind a comma."""
_UNSPACED = (
    "除非",
    "尽量",
    "盡量",
    "如果",
    "可能",
    "最好",
    "通常",
    "有时",
    "有時",
    "もし",
    "なるべく",
    "できれば",
    "場合を除き",
)
"""Hedges and conditions of scripts without blanks, where a word is no token."""
_REVOKED = frozenset(["obsolete", "outdated", "revoked", "lifted", "superseded", "repealed", "longer", "anymore"])
_LIFTING = frozenset(["hesitate", "forget", "only", "just", "mind", "fail", "worry", "hurt", "afraid"])
"""What makes the negator before it one of its own: "do not hesitate to push"."""
_ORS = frozenset(["or", "nor", "oder", "noch", "ou", "o"])
_BUTS = frozenset(["but", "bar", "besides"])
_ANDS = frozenset(["and", "or", "plus", "und", "oder", "sowie", "et", "ou"])
_BETWEEN = frozenset(_DIVIDING.split())
"""What has two sides that must not change places."""
_PAIRS = (
    "before/after over/under above/below above/under over/below more/less more/fewer most/least minimum/maximum"
    " up/over up/above bevor/nachdem vor/nach über/unter mindestens/höchstens"
)
_OPPOSITE: dict[str, frozenset[str]] = {
    word: frozenset(other for pair in _PAIRS.split() if word in (two := pair.split("/")) for other in two) - {word}
    for word in _PAIRS.replace("/", " ").split()
}
_ALLOWED = frozenset(map(stem, _ALLOWING.split()))
"""What a denial may stand before, and bans what stood there: "pushes to main are not allowed"."""
_MONEY = (("$", "usd", "dollar", "dollars"), ("€", "eur", "euro", "euros"), ("£", "gbp", "pounds"), ("¥", "jpy", "yen"))
_CURRENCY = {word: words[0] for words in _MONEY for word in words}
_DENIALS = frozenset(["", "without"])
_NEAR = 4
_FAR = 8
_REACH = 16


@dataclass(frozen=True)
class Force:
    """A statement whose force is looked for: `known` are the stems of its object, `rule` says whether it binds."""

    own: Unit
    known: frozenset[str]
    rule: bool

    def lost_at(self, unit: Unit, start: int, end: int) -> Loss:
        """What takes its force where its words stand in a half-open range of tokens of a sentence."""
        if self._is_opposite(unit, start, end) or self._has_changed_sides(unit, start, end):
            return "turned round"
        if self._denies_number(unit, start, end):
            return "turned round"
        if self._is_other_money(unit, start, end):
            return "number"
        return self.lost_around(unit, start, end)

    def lost_around(self, unit: Unit, start: int, end: int) -> Loss:
        """The same where the words stand as they are, so that only what stands around them can take it."""
        clause = _clause(unit, start, end)
        behind = unit.tokens[end : min(clause.stop, end + _NEAR)]
        if any(self._is_new(word, _REVOKED) for word in behind):
            return "history"
        if unit.raw.rstrip("\"'”’)* ").endswith(("?", "？")) and "?" not in self.own.raw and "？" not in self.own.raw:
            return "weakened"
        near = range(max(clause.start, start - _NEAR), min(clause.stop, end + _NEAR))
        if any(self._weakens(unit, at) for at in near):
            return "weakened"
        if any(self._is_new(word, _CONDITIONS) for word in unit.tokens[end : end + _NEAR]):
            return "weakened"
        if any(hedge in unit.raw and hedge not in self.own.raw for hedge in _UNSPACED):
            return "weakened"
        if unit.tokens[end : min(clause.stop, end + 1)] and self._is_new(unit.tokens[end], self._openings):
            return "weakened"
        return "binding" if self._binds_less(unit, start, end) else ""

    def _is_new(self, word: str, words: Collection[str]) -> bool:
        return word in words and word not in self.own.words

    @cached_property
    def _is_bounded(self) -> bool:
        return has_denial(self.own.tokens) or not LIMITS.isdisjoint(self.own.words)

    @property
    def _openings(self) -> Collection[str]:
        """What directly behind a statement leaves another choice; a ban of this *or* that is none the less one."""
        return _BUTS if has_denial(self.own.tokens) else _BUTS | _ORS

    def _weakens(self, unit: Unit, at: int) -> bool:
        word = unit.tokens[at]
        if word == "most" and unit.tokens[at - 1 : at] == ("at",):
            return False
        if word == "may" and "May" in unit.names:
            return False
        return (
            self._is_new(word, _HEDGES)
            or (self.rule and self._is_new(word, _WISHES))
            or (not self._is_bounded and self._is_new(word, _LEAVES))
        )

    def _binds_less(self, unit: Unit, start: int, end: int) -> bool:
        """Whether `must` became `should`, or what is reserved is shared or not reserved."""
        around = unit.tokens[max(0, start - _NEAR) : end + _NEAR]
        must = OBLIGES - _ADVICE
        advised = any(self._is_new(word, _ADVICE) for word in around)
        if advised and not must.isdisjoint(self.own.words) and must.isdisjoint(around):
            return True
        for one, other in pairwise(around):
            if other in LIMITS and has_denial((one,)) and not self._has_pair(one, other):
                return True
        if LIMITS.isdisjoint(self.own.words):
            return False
        within = unit.tokens[start : end + 1]
        return sum(word in _ANDS for word in within) > sum(word in _ANDS for word in self.own.tokens)

    def _has_pair(self, one: str, other: str) -> bool:
        return (one, other) in pairwise(self.own.tokens)

    def _denies_number(self, unit: Unit, start: int, end: int) -> bool:
        return any(
            other in self.own.words
            and any(char.isdecimal() for char in other)
            and has_denial((one,))
            and not self._has_pair(one, other)
            for one, other in pairwise(unit.tokens[max(0, start - _FAR) : end + _FAR])
        )

    def _is_opposite(self, unit: Unit, start: int, end: int) -> bool:
        near = unit.tokens[max(0, start - 2) : end + 2]
        gone = (word for word in self.own.words if word in _OPPOSITE and word not in unit.words)
        return any(self._is_new(other, _OPPOSITE[word]) for word in gone for other in near)

    def _is_other_money(self, unit: Unit, start: int, end: int) -> bool:
        own, near = (
            {_CURRENCY[word] for word in words if word in _CURRENCY}
            for words in (self.own.tokens, unit.tokens[max(0, start - _NEAR) : end + _NEAR])
        )
        return bool(own and near) and own.isdisjoint(near)

    @cached_property
    def _sides(self) -> tuple[tuple[str, frozenset[str], frozenset[str]], ...]:
        """Each word that has sides (`_kind`), with the words that stand behind it only, and those elsewhere only."""
        found = []
        for at, word in enumerate(self.own.tokens):
            kind = _kind(word)
            if kind is None:
                continue
            stop = min((place for place in self.own.opening if place > at), default=len(self.own.stems))
            behind = self.known & {*self.own.stems[at + 1 : stop]}
            elsewhere = self.known & {*self.own.stems[:at], *self.own.stems[stop:]}
            if behind - elsewhere:
                found.append((kind, behind - elsewhere, elsewhere - behind))
        return tuple(found)

    @cached_property
    def _parts_denials(self) -> bool:
        """Whether it denies and says "without": then one does not stand for the other."""
        return {"", "without"} <= {kind for kind, _, _ in self._sides}

    def _has_changed_sides(self, unit: Unit, start: int, end: int) -> bool:
        for kind, behind, elsewhere in self._sides:
            same = _DENIALS if kind in _DENIALS and not (kind == "" and self._parts_denials) else {kind}
            near = range(max(0, start - _FAR), min(len(unit.tokens), end + _FAR))
            places = [at for at in near if _kind(unit.tokens[at]) in same]
            if not places and kind == "" and self._parts_denials:
                return True
            if places and not any(self._is_before(unit, at, behind, elsewhere) for at in places):
                return True
        return False

    def _is_before(self, unit: Unit, at: int, behind: Collection[str], elsewhere: Collection[str]) -> bool:
        """Whether a word with sides stands before what it stood before; a denial may stand behind it, at the end."""
        following = list(_following(unit, at))
        told = next((word for word in following if word in behind or word in elsewhere), None)
        if told is not None:
            lifted = _kind(unit.tokens[at]) in _DENIALS and any(
                self._is_new(word, _LIFTING) for word in unit.tokens[at + 1 : at + 3]
            )
            return told in behind and not lifted
        if _kind(unit.tokens[at]) not in _DENIALS:
            return True
        if unit.tokens[at] not in BANS and any(len(word) > 1 and word not in _ALLOWED for word in following):
            return False
        clause = _clause(unit, at, at + 1)
        begun = max(0, at - _FAR) if len(clause) == 1 else clause.start
        before = (word for word in reversed(unit.stems[begun:at]) if word in behind or word in elsewhere)
        return next(before, None) in behind


def _kind(word: str) -> str | None:
    """The word itself where it has sides, of a denial "" or "without"; None where it has none."""
    if word in _BETWEEN:
        return word
    if word in WITHOUT:
        return "without"
    return "" if has_denial((word,)) else None


def _clause(unit: Unit, start: int, end: int) -> range:
    """The places of the clauses that a half-open range of tokens stands in, as far as words weigh."""
    begun = next((at for at in range(start, start - _REACH, -1) if at <= 0 or at in unit.opening), start - _REACH)
    stop = next((at for at in range(end, end + _REACH) if at in unit.opening), end + _REACH)
    return range(max(0, begun), min(stop, len(unit.tokens)))


def _following(unit: Unit, at: int) -> Iterator[str]:
    """The stems behind a place, to the end of its clause, and on where an `or` joins what follows."""
    joined = True
    ors = any(word in _ORS for word in unit.tokens[at : at + 2 * _FAR])
    for place in range(at + 1, min(len(unit.tokens), at + 1 + _FAR)):
        if place in unit.opening:
            joined = ors
        if not joined:
            return
        yield unit.stems[place]
