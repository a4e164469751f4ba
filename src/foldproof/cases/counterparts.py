"""The records of a live counterpart: who answers the agent within one turn, and with which words."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from foldproof.cases.expectation_values import expectation_content, expectation_value
from foldproof.cases.expectations import Expectation

ANSWERED_BY = ("correction", "counterpart", "simulated")
"""The keys that say who answers the agent."""
SIMULATED_TURNS = 8
"""How often a simulated user speaks at most in one turn of a case, unless it is said."""


@dataclass(frozen=True, slots=True)
class Line:
    """Exact words of the user, said once the agent has done something; `times` is how often they may be said."""

    when: Expectation
    say: str
    times: int = 1


@dataclass(frozen=True, slots=True)
class Simulated:
    """What a model is told of the user whom it plays: what it wants, who it is, and the facts that it knows."""

    goal: str
    persona: str = ""
    knows: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Counterpart:
    """Who answers the agent within one turn, after that turn's own message.

    `corrections` take back what the agent did, each said once; `rules` answer it; `simulated` speaks where none of
    them fits. `turns` limits how often the user speaks in this turn, its own message included; 0 leaves that to the
    lines, each of which can be used up.
    """

    corrections: tuple[Line, ...] = ()
    rules: tuple[Line, ...] = ()
    simulated: Simulated | None = None
    turns: int = 0

    @property
    def most(self) -> int:
        """How often the user speaks at most."""
        lines = 1 + len(self.corrections) + sum(line.times for line in self.rules)
        return self.turns or (SIMULATED_TURNS if self.simulated else lines)

    @property
    def words(self) -> Iterator[str]:
        """Every exact text that the user may say, and what is told to a model that plays it."""
        yield from (line.say for line in (*self.corrections, *self.rules))
        if self.simulated is not None:
            yield from (self.simulated.goal, self.simulated.persona, *self.simulated.knows)


def counterpart_value(counterpart: Counterpart | None, *, hashed: bool = False) -> dict[str, Any]:
    """The keys by which a case or a turn writes its counterpart; with `hashed`, as the hash of a set knows them."""
    if counterpart is None:
        return {}
    written = expectation_content if hashed else expectation_value
    corrections = [_line_value(line, "after", written) for line in counterpart.corrections]
    rules = [_line_value(line, "when", written) for line in counterpart.rules]
    limit = {"turns": counterpart.turns} if counterpart.turns else {}
    if (user := counterpart.simulated) is not None:
        told = {"goal": user.goal, "persona": user.persona, "knows": list(user.knows), "corrections": corrections}
        return {"simulated": {**{key: value for key, value in told.items() if value}, **limit}}
    value: dict[str, Any] = {"correction": corrections[0]} if corrections else {}
    if rules:
        value["counterpart"] = {"rules": rules, **limit} if limit else rules
    return value


def _line_value(line: Line, key: str, written: Callable[[Expectation], dict[str, Any]]) -> dict[str, Any]:
    times = {"times": line.times} if line.times > 1 else {}
    return {key: written(line.when), "say": line.say, **times}
