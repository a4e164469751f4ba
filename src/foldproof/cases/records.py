"""The records of a replay set: what is asked, and what the answer must hold."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date
from typing import Any

from foldproof.cases.expectations import Expectation
from foldproof.logs import History
from foldproof.matching import Fact

STRICT_CLASSES = frozenset({"safety", "identity", "canary"})
"""Classes whose gate takes only `all` and that accept no waiver."""
CLASSES = ("safety", "identity", "preference", "episodic", "semantic", "canary")
"""The classes that the field knows, in the order of reports; a set may add its own."""


@dataclass(frozen=True, slots=True)
class Source:
    """The turn in which a fact was stated: `history/session.tN`, N from 1."""

    history: str
    session: str
    turn: int

    def __str__(self) -> str:
        return f"{self.history}/{self.session}.t{self.turn}"


@dataclass(frozen=True, slots=True)
class Case:
    """One question with the facts that its answer must and must not hold, and what else is expected of it.

    `case_class` is the file's `class`. `lines` maps a field to its line in the file for messages; it is no
    part of the content. With `abstain`, the answer must admit that nothing is known. `at` is the time at which
    the question is asked, as it was written, or empty.
    """

    id: str
    question: str
    case_class: str = "semantic"
    expected: tuple[Fact, ...] = ()
    forbidden: tuple[Fact, ...] = ()
    history: str = ""
    memory_config: Mapping[str, Any] = field(default_factory=dict)
    source: tuple[Source, ...] = ()
    abstain: bool = False
    tags: tuple[str, ...] = ()
    lines: Mapping[str, int] = field(default_factory=dict, compare=False, repr=False)
    at: str = ""
    expect: tuple[Expectation, ...] = ()

    @property
    def asks_calls(self) -> bool:
        """Whether the agent's calls must be seen to judge an answer."""
        return any(item.about_calls for item in self.expect)

    @property
    def mentions(self) -> tuple[Fact, ...]:
        """What the answer must hold: the expected facts, then those of `reply_mentions`."""
        return (*self.expected, *(item.fact for item in self.expect if item.kind == "reply_mentions" and item.fact))

    def line(self, key: str) -> int:
        """The line of a field, or of an item (`expected_facts.0`); that of the case where it has none of its own."""
        return self.lines.get(key) or self.lines.get(key.partition(".")[0]) or self.lines.get("", 0)


@dataclass(frozen=True, slots=True)
class Requirement:
    """What the gate asks of a class: every case (`need` is None), or `need` of exactly `of` cases."""

    need: int | None = None
    of: int | None = None

    def __str__(self) -> str:
        return "all" if self.need is None else f"{self.need}/{self.of}"


@dataclass(frozen=True, slots=True)
class Waiver:
    """A person's written decision to let one failing case pass until a day, that day included."""

    case: str
    reason: str
    until: date


@dataclass(frozen=True, slots=True)
class JudgePin:
    """The judge that a set names, pinned by the hash of its prompt."""

    model: str
    prompt: str
    sha256: str = ""


@dataclass(frozen=True, slots=True)
class ReplaySet:
    """A versioned set of cases with its gate policy.

    `sha256` identifies the content (cases, gate, waivers, judge, the histories' texts): comments, order of
    keys and file names play no part. A set without a declared gate asks `all` of every class it has.
    """

    name: str
    path: str
    cases: tuple[Case, ...]
    gate: Mapping[str, Requirement]
    sha256: str
    histories: Mapping[str, History] = field(default_factory=dict)
    waivers: tuple[Waiver, ...] = ()
    judge: JudgePin | None = None
    gate_declared: bool = True
    gate_lines: Mapping[str, int] = field(default_factory=dict, compare=False, repr=False)

    def case(self, case_id: str) -> Case:
        """The case of that id.

        Raises:
            KeyError: where the set has none.
        """
        for case in self.cases:
            if case.id == case_id:
                return case
        raise KeyError(case_id)
