"""Sentences of an output that lay down a rule which nothing that was given lays down. Pure.

Rules are found by the words that every statement is weighed with (`matching.parts`), never by a compactor's own rules.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from foldproof.cliff.units import Unit, units_of
from foldproof.matching.parts import BANS, LIMITS, OBLIGES, forbids, parts_of

_BINDS = BANS | OBLIGES | LIMITS
_LEAST = 0.5
"""The share of a sentence's object that one sentence of the source must have, for it to come from there."""
_LEAST_WORDS = 2
"""Fewer words name too little for anything to be said of where they come from."""
_CUTS = "… "


class Source:
    """All that a subject was given: a document, and what was said since."""

    def __init__(self, texts: Iterable[str]) -> None:
        self._units = [unit for text in texts for unit in units_of(text)]
        self._raw = {unit.raw for unit in self._units}
        self._holding: dict[str, list[int]] = {}
        for place, unit in enumerate(self._units):
            for word in unit.words:
                self._holding.setdefault(word, []).append(place)

    def invented(self, output: str) -> tuple[str, ...]:
        """The sentences that bind or forbid, of whose words no sentence of the source has even half.

        Also those with a number that stands nowhere in the source.
        """
        others = (unit for unit in units_of(output) if unit.raw.strip(_CUTS) not in self._raw)
        return tuple(unit.raw for unit in others if _is_rule(unit) and self._is_new(unit))

    def _is_new(self, unit: Unit) -> bool:
        parts = parts_of(unit.raw)
        if len(parts.object) < _LEAST_WORDS:
            return False
        if any(part == "number" and token not in self._holding for part, token in parts.special):
            return True
        shared = Counter(place for word in parts.object for place in self._holding.get(word, ()))
        return max(shared.values(), default=0) < _LEAST * len(parts.object)


def _is_rule(unit: Unit) -> bool:
    """Whether a sentence binds, or forbids as a command does."""
    if not _BINDS.isdisjoint(unit.words):
        return True
    return any(forbids(unit.tokens[at : at + 2]) for at in unit.opening if at < len(unit.tokens))
