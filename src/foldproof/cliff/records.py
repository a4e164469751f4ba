"""What a row of compactions leaves behind: one record a round, one a probe. Everything after the rounds reads these."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, NamedTuple

from foldproof.logs import Usage

Schedule = Literal["progressive", "window", "budget"]
"""How the rounds follow each other: each shrinks the last output; a window of fixed size that new talk fills again;
one budget for a history that grows."""
SCHEDULES: tuple[Schedule, ...] = ("progressive", "window", "budget")
RoundState = Literal["ok", "over budget", "copy", "empty", "error", "skipped"]
"""What came of a round. `over budget` gave more than it was granted, `copy` more than that: all it was given. Both are
scored, and never count as better. `empty` lost everything. The last two are failures, of which nothing can be said:
the compactor failed, or a round before did, so that there was no text to go on with."""
FAILED: frozenset[RoundState] = frozenset({"error", "skipped"})
"""The states that are no judgement: a round in one of them is neither kept nor lost."""
ProbeCondition = Literal["full", "without", "restated", "compacted"]
"""What a model that is probed worked by: the whole document; the document without the labelled line; that, with the
line said once more at its end; the output of a round."""
ProbeState = Literal["chosen", "undecided", "invalid", "error"]
"""What came of a probe: one of the choices; an answer that is none of them; an answer that was cut off, refused or
filtered; no answer. Only a choice is right or wrong."""


class RoundKey(NamedTuple):
    """Which round: whose, of what, how, at which ratio, and which one in its row, from 1."""

    subject: str
    document: str
    schedule: Schedule
    ratio: float
    number: int


@dataclass(frozen=True, slots=True)
class Round:
    """One compaction of one document by one subject.

    `ratio` is the share that is kept, from 0 to 1; `number` counts from 1. `given_tokens`, `budget` and `kept_tokens`
    are tokens by the house rule. `text` is the output, empty where the round failed; then `error` says why. `unsafe`
    is what the compactor itself says it could not hold.
    """

    subject: str
    document: str
    schedule: Schedule
    ratio: float
    number: int
    budget: int
    given_tokens: int
    text: str = ""
    kept_tokens: int = 0
    state: RoundState = "ok"
    error: str = ""
    unsafe: str = ""
    notes: tuple[str, ...] = ()
    usage: Usage | None = None

    @property
    def key(self) -> RoundKey:
        """Which round this is."""
        return RoundKey(self.subject, self.document, self.schedule, self.ratio, self.number)

    @property
    def failed(self) -> bool:
        """Whether nothing can be said of what survived."""
        return self.state in FAILED


@dataclass(frozen=True, slots=True)
class ProbeAnswer:
    """One forced choice that a model was asked about one labelled line.

    `line` is the line's hash. Under all conditions but `compacted` no round is involved: the fields from `subject` to
    `number` are those of nothing. `chosen` is the choice, `right` whether it is the right one, None where there is no
    choice; `error` then says why. `order` has the choices as they were shown, `asked` counts the orders from 0. `given`
    is the hash of the model, the question and the text that it was asked on: what has the same is asked once.
    """

    line: str
    document: str
    condition: ProbeCondition
    state: ProbeState
    right: bool | None = None
    chosen: str = ""
    subject: str = ""
    schedule: Schedule | None = None
    ratio: float = 0.0
    number: int = 0
    asked: int = 0
    order: tuple[str, ...] = ()
    given: str = ""
    error: str = ""
    usage: Usage | None = None

    @property
    def round(self) -> RoundKey | None:
        """The round whose output it was asked on; None where there was none."""
        if self.schedule is None:
            return None
        return RoundKey(self.subject, self.document, self.schedule, self.ratio, self.number)
