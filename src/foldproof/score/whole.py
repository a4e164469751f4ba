"""What is judged of the sessions of a trial as a whole, beside what is expected of each turn."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from foldproof.matching import Fact
from foldproof.score.attribution import Owner
from foldproof.score.turns import JudgedTurn


@dataclass(frozen=True, slots=True)
class Blame:
    """Who is to blame and why; the records of `turn` show the way that `fact` took, where there is such a turn."""

    owner: Owner
    reason: str
    fact: Fact
    turn: JudgedTurn | None = None


@dataclass(frozen=True, slots=True)
class WholeVerdict:
    """What became of one line; a reason says where, and with `held` what a reader should know."""

    label: str
    outcome: Literal["held", "missed", "error"]
    reason: str = ""
    blame: Blame | None = None
