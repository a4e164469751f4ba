"""Going on with a turn: what a live counterpart says to the agent after a reply, and when it says nothing more."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple, Protocol

from foldproof.agents.counterparts import SimulatedUser, SimulatorError
from foldproof.cases import Expectation
from foldproof.cases.counterparts import Counterpart, Line
from foldproof.logs import Turn, Usage
from foldproof.record import TrialError, TurnRecord
from foldproof.record.records import Close, Speaker


class Condition(Protocol):
    """Whether the agent did something in a turn; None where that cannot be seen."""

    def __call__(self, item: Expectation, turn: TurnRecord, /) -> bool | None:
        """Whether the expectation holds of what this turn left."""
        ...


@dataclass(frozen=True, slots=True)
class Counterparts:
    """What live counterparts need beside their lines: who tells whether a condition holds, and who plays a user."""

    holds: Condition
    simulator: SimulatedUser | None = None


class Said(NamedTuple):
    """What the user says next; with `close` it says nothing more."""

    text: str
    speaker: Speaker = "case"
    close: Close = ""
    goal_met: bool | None = None


@dataclass(slots=True)
class Exchange:
    """One turn that a counterpart goes on with; it knows which of its lines were said.

    What a simulated user costs is added to `usages`, those of the trial.
    """

    counterpart: Counterpart
    means: Counterparts | None
    usages: list[Usage | None]
    said: Counter[tuple[Speaker, int]] = field(default_factory=Counter)

    async def go_on(self, talk: Sequence[TurnRecord]) -> Said | TrialError:
        """What the user says after the last reply of this session, or why nobody can tell.

        A correction that is due is said first, then a rule, in the order of the case; a simulated user speaks where
        no line fits.

        Raises:
            TransientError: where the model of a simulated user may answer another time.
        """
        last, who = talk[-1], self.counterpart
        if self.means is None:
            return TrialError("counterpart", "nobody is there who could answer the agent")
        for place, line in self._left():
            holds = self.means.holds(line.when, last)
            if holds is None:
                unseen = f"it cannot be seen whether '{line.when.label}' came about"
                return TrialError("counterpart", f"{unseen}, so nobody knows what the user says")
            if holds and last.attempt >= who.most:
                return Said("", close="limit")
            if holds:
                self.said[place] += 1
                return Said(line.say, place[0])
        if who.simulated is None:
            return Said("", close="silent")
        return Said("", close="limit") if last.attempt >= who.most else await self._simulated(talk)

    def _left(self) -> Iterator[tuple[tuple[Speaker, int], Line]]:
        """The lines that may still be said, each with its place."""
        for at, line in enumerate(self.counterpart.corrections):
            if self.said["correction", at] < line.times:
                yield ("correction", at), line
        for at, line in enumerate(self.counterpart.rules):
            if self.said["rule", at] < line.times:
                yield ("rule", at), line

    async def _simulated(self, talk: Sequence[TurnRecord]) -> Said | TrialError:
        user, simulator = self.counterpart.simulated, self.means.simulator if self.means else None
        if user is None or simulator is None:
            return TrialError("counterpart", "no `simulator` is there to play the user")
        told = [turn for record in talk for turn in (Turn("user", record.user), Turn("agent", record.answer))]
        try:
            spoken = await simulator.say(user, told)
        except SimulatorError as error:
            self.usages += [error.usage] if error.usage else []
            return TrialError("counterpart", str(error), type(error).__name__)
        self.usages.append(spoken.usage)
        close: Close = "done" if spoken.done else ""
        return Said("" if spoken.done else spoken.say, "simulated", close, spoken.goal_met)
