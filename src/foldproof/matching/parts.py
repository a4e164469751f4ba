"""The parts of a statement: its object, and the negation, numbers and binding words that make the object say so much.

Rules on words, for what is left of a statement in another text. Known limits: one clause's negation is taken for that
of another in the same sentence, and a word in another form ("pushing" for "push") is another word.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from foldproof.matching.negation import CONTRACTIONS, FILLER_WORDS, FOREIGN, ONLY_AFTER, QUICK, languages_of
from foldproof.matching.text import normalize
from foldproof.matching.units import UNITS

Part = Literal["negation", "number", "binding"]
"""What can go from a statement while its object stays; in the order of what weighs most."""

_BANS = (
    "forbidden prohibited banned disallowed avoid avoids avoided refrain verboten untersagt vermeiden interdit éviter"
    " prohibido evitar"
)
BANS = frozenset(_BANS.split())
"""Words that deny as a negation does: "never push" and "pushing is forbidden"."""
_OBLIGES = (
    "must always shall should required mandatory obligatory strictly ensure muss müssen immer soll sollen pflicht doit"
    " toujours obligatoire debe siempre obligatorio"
)
_LIMITS = "only exactly solely exclusively nur darf seulement uniquement solo solamente únicamente"
OBLIGES = frozenset(_OBLIGES.split())
LIMITS = frozenset(_LIMITS.split())
"""Two kinds of words that make a statement a rule: each binds as well as another of its kind."""
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
_IDLE = frozenset(["be", "is", "are", "was", "were", "been", "have", "has", "had", "not", "to"])
"""Words that open no command, though they may follow a binding word: "must be"."""
_LIFTED = frozenset(["longer", "problem", "problems", "issue", "need", "matter", "anymore"])
"""What takes the force of the negator before it away: "it is no problem to push"."""
SLACK = 8
"""Tokens that may stand between and around those of an object."""
_REPORTED_WITHIN = 5
_ORDER: tuple[Part, ...] = ("negation", "number", "binding")


@dataclass(frozen=True, slots=True)
class Parts:
    """The tokens of a statement by what they do; small words do nothing.

    `special` are those that can go while the object stays. `verb` follows the binding word: "always reply" binds as
    much where it is put as a command, "reply …".
    """

    object: tuple[str, ...]
    special: tuple[tuple[Part, str], ...]
    verb: str = ""

    @property
    def ruling(self) -> bool:
        """Whether the statement denies or binds, so that it is more than a report of how things are."""
        return any(part != "number" for part, _ in self.special)

    @property
    def denying(self) -> bool:
        """Whether the statement denies something."""
        return any(part == "negation" for part, _ in self.special)


@lru_cache(maxsize=1024)
def parts_of(statement: str) -> Parts:
    """The parts of a statement, which need not be normalized."""
    tokens = normalize(statement).split()
    languages = languages_of(f" {' '.join(tokens)} ")
    special: list[tuple[Part, str]] = []
    kept: list[str] = []
    verb = ""
    for at, token in enumerate(tokens):
        if _denies(token, languages):
            special.append(("negation", token))
        elif any(char.isdecimal() for char in token):
            special.append(("number", token))
        elif token in OBLIGES or token in LIMITS:
            special.append(("binding", token))
            verb = next((word for word in tokens[at + 1 : at + 2] if word not in _IDLE), verb)
        elif token not in _NO_OBJECT:
            kept.append(token)
    if all(token in _UNITS or len(token) < 2 for token in kept):  # one letter is no object
        kept = []
    return Parts(tuple(dict.fromkeys(kept)), tuple(sorted(special, key=lambda item: _ORDER.index(item[0]))), verb)


def windows(wanted: Sequence[str], tokens: Sequence[str]) -> list[tuple[int, int]]:
    """Where all tokens of an object stand near each other, as half-open ranges of tokens."""
    first, rest = wanted[0], set(wanted)
    reach = len(wanted) + SLACK
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


def gone_at(
    parts: Parts, tokens: Sequence[str], start: int, end: int, *, opening: Collection[int] = frozenset({0})
) -> Part | None:
    """What of a statement is missing around its object, or None where all of it is there in other words.

    `opening` are the places of tokens that begin a clause.
    """
    low = max(0, start - SLACK)
    around = tokens[low : end + SLACK]
    for part, token in parts.special:
        if part == "negation":
            if not is_denied(around):
                return part
        elif part == "number":
            if token not in around:
                return part
        elif not _binds(token, parts.verb, around, [at for at in range(len(around)) if low + at in opening]):
            return part
    return None


def is_denied(around: Sequence[str]) -> bool:
    """Whether a word that denies stands among tokens, and none takes it back: "no problem", "not forbidden"."""
    languages = languages_of(f" {' '.join(around)} ") if not FOREIGN.keys().isdisjoint(around) else frozenset()
    force = taken_back = False  # of a negator that only small words part from what comes next
    for token in around:
        if token in BANS:
            if not force and not taken_back:
                return True
            force = False
        elif force and token in _LIFTED:
            force, taken_back = False, True
        elif _denies(token, languages):
            force = True
        elif token not in FILLER_WORDS:
            if force:
                return True
            taken_back = False
    return force


def has_denial(tokens: Sequence[str]) -> bool:
    """Whether any word that denies stands among tokens, whatever becomes of it: "no longer" does."""
    languages = languages_of(f" {' '.join(tokens)} ") if not FOREIGN.keys().isdisjoint(tokens) else frozenset()
    return any(_denies(token, languages) for token in tokens)


def is_reported(tokens: Sequence[str], start: int) -> bool:
    """Whether a word of reporting stands shortly before an object, so that a rule is told as history."""
    return not REPORTING.isdisjoint(tokens[max(0, start - _REPORTED_WITHIN) : start])


def _denies(token: str, languages: AbstractSet[str]) -> bool:
    if token in BANS:
        return True
    if token in FOREIGN:
        return any(language in languages for language in FOREIGN[token])
    return token in QUICK and token not in ONLY_AFTER


def _binds(token: str, verb: str, around: Sequence[str], opening: Sequence[int]) -> bool:
    """Whether tokens bind as a binding word did: by one of its kind, or as a command."""
    kind = OBLIGES if token in OBLIGES else LIMITS
    if not kind.isdisjoint(around):
        return True
    return kind is OBLIGES and any(around[at] == verb or forbids(around[at : at + 2]) for at in opening)


def forbids(opening: Sequence[str]) -> bool:
    """Whether a clause that opens so is a command not to do something."""
    return opening[0] in {"never", "no", "not"} or tuple(opening) in {("do", "not"), ("do", "never"), ("don", "t")}
