"""Many facts against many long texts in one pass."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from foldproof.matching.fact import Fact
from foldproof.matching.match import Match, match_fact
from foldproof.matching.normalized import needles_of
from foldproof.matching.text import Text


def match_many(facts: Iterable[Fact | str], texts: Iterable[str | Text]) -> Iterator[tuple[int, int, Match]]:
    """The index of the fact, that of the text, and the match, for every fact that is held or negated.

    Text by text, and in each in the order of the facts. What is not yielded is missed. An Aho-Corasick automaton over
    the longest token of each fact says which facts are worth a full match, so the outcome is that of `match_fact`.

    Raises:
        ValueError: as `match_fact`.
    """
    import ahocorasick_rs  # import does nothing costly: few callers need the automaton

    known = [Fact("normalized", fact) if isinstance(fact, str) else fact for fact in facts]
    waiting: dict[str, set[int]] = {}
    always: set[int] = set()
    for place, fact in enumerate(known):
        needles = _needles(fact)
        if not needles:
            always.add(place)
        for needle in needles:
            waiting.setdefault(needle, set()).add(place)
    patterns = list(waiting)
    automaton = ahocorasick_rs.AhoCorasick(patterns)
    for at, given in enumerate(texts):
        text = Text(given) if isinstance(given, str) else given
        seen = {found[0] for found in automaton.find_matches_as_indexes(text.padded, overlapping=True)}
        candidates = always.union(*(waiting[patterns[index]] for index in seen))
        for place in sorted(candidates):
            match = match_fact(known[place], text)
            if match.outcome != "missed":
                yield place, at, match


def _needles(fact: Fact) -> list[str]:
    """Tokens of which one must stand in a text that holds the fact; none where that cannot be said."""
    match_fact(fact, "")  # an unusable fact is refused before the first text is read
    needles = []
    for alternative in fact.any or (fact,):
        if alternative.kind != "normalized":
            return []
        needles += [f" {needle} " for needle in needles_of(alternative.text)]
    return needles
