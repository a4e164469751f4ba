"""Where a fact comes from and how long it holds: its source, since when, what took its place, who looked last."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import date

from foldproof.matching import Fact

_SOURCE = re.compile(r"([^/\s]+)/(.+)\.t([1-9][0-9]{0,6})", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Source:
    """The turn in which a fact was stated: `history/session.tN`, N from 1."""

    history: str
    session: str
    turn: int

    def __str__(self) -> str:
        return f"{self.history}/{self.session}.t{self.turn}"


def source_of(text: str) -> Source | None:
    """The source that `history/session.tN` names, None where the text is not of that form."""
    match = _SOURCE.fullmatch(text)
    return Source(match[1], match[2], int(match[3])) if match else None


@dataclass(frozen=True, slots=True)
class Provenance:
    """What a set says of an expected fact beside the fact itself. It plays no part in the identity of a set.

    `source` are the turns that state it; without any of its own, those of the case count. A `computed` fact follows
    from its source without standing in it. `valid_from` is the day since which it holds, `superseded_by` the fact
    that took its place, `reviewed` the day on which a person last said that it is right.
    """

    source: tuple[Source, ...] = ()
    computed: bool = False
    valid_from: date | None = None
    superseded_by: Fact | None = None
    reviewed: date | None = None
