"""The records of a replay set: what is asked, and what the answer must hold."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import date
from typing import Any, Literal

from foldproof.cases.counterparts import Counterpart
from foldproof.cases.expectations import Expectation
from foldproof.cases.forgetting import Forgetting
from foldproof.cases.frozen import CutFrom
from foldproof.cases.logged import Logged
from foldproof.cases.provenance import Provenance, Source
from foldproof.cases.sessions import CaseSession, CaseTurn, turn_name
from foldproof.logs import History, PastTurn
from foldproof.matching import Fact

STRICT_CLASSES = frozenset({"safety", "identity", "canary"})
"""Classes whose gate takes only `all` and that accept no waiver."""
CLASSES = ("safety", "identity", "preference", "episodic", "semantic", "canary")
"""The classes that the field knows, in the order of reports; a set may add its own."""

DRAFT = "draft"
"""The tag of a case whose expectations nobody has confirmed yet. It is asked and scored, and decides nothing."""
DISPUTED = "disputed"
"""The tag of a case whose key is said to be wrong. It is asked and scored, reported apart, and decides nothing."""
DISPUTED_SOURCE = "disputed-source"
"""Stands beside `disputed` where only the turns that are named as the source are doubted, and the answer is right."""
UNGATED = frozenset({DRAFT, DISPUTED})
"""The tags of cases that no gate counts."""


@dataclass(frozen=True, slots=True)
class Case:
    """One question, or sessions, with the facts that the answer must and must not hold, and what else is expected.

    `case_class` is the file's `class`. `lines` maps a field to its line in the file for messages; it is no
    part of the content. With `abstain`, the answer must admit that nothing is known. `at` is the time at which
    the question is asked, as it was written, or empty. Of a case with `sessions` the question is the last message that
    it has for the user, and the facts are those of the last reply. A question that a live counterpart goes on with is
    one session of one turn. `frozen` is what was said and done before the question
    in the same conversation, `cut_from` where that was cut. `asks_as` is the key under which the question stands.
    `forget` is about the sessions as a whole. `provenance` has what is said of expected facts, by their index;
    `valid_from` and `reviewed` are those of the facts that say nothing of it themselves. `logged` says where the
    question was really asked, None where nobody did.
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
    sessions: tuple[CaseSession, ...] = ()
    frozen: tuple[PastTurn, ...] = ()
    cut_from: CutFrom | None = None
    asks_as: Literal["question", "user"] = "question"
    forget: Forgetting | None = None
    provenance: Mapping[int, Provenance] = field(default_factory=dict)
    valid_from: date | None = None
    reviewed: date | None = None
    logged: Logged | None = None

    @property
    def parts(self) -> tuple[Case, ...]:
        """Each turn of the sessions as a question of its own; a case without sessions is its only part.

        The last turn has the facts of the case. What is expected of the others is their `expect` list alone.
        """
        found = []
        turns = [(at, number, turn) for at, one in enumerate(self.sessions) for number, turn in enumerate(one.turns)]
        for at, number, turn in turns:
            place = f"sessions.{at}.turns.{number}"
            moved = {
                key.removeprefix(f"{place}."): line for key, line in self.lines.items() if key.startswith(f"{place}.")
            }
            part = replace(
                self,
                question=turn.user,
                at=self.sessions[at].at,
                expect=turn.expect,
                sessions=(),
                forget=None,
                lines={**self.lines, **moved, "expect": self.line(place)},
            )
            last = (at, number, turn) == turns[-1]
            found.append(part if last else replace(part, expected=(), forbidden=(), abstain=False))
        return tuple(found) or (self,)

    @property
    def ungated(self) -> bool:
        """Whether it decides nothing: a draft, or disputed."""
        return not UNGATED.isdisjoint(self.tags)

    @property
    def timeless(self) -> Case:
        """The case without the age of its facts and where it was asked: neither changes question or expectation."""
        return replace(self, provenance={}, valid_from=None, reviewed=None, logged=None)

    def about(self, index: int) -> Provenance:
        """Where an expected fact comes from and how long it holds, that of the case where it does not say."""
        own = self.provenance.get(index, Provenance())
        return replace(
            own,
            source=own.source or self.source,
            valid_from=own.valid_from or self.valid_from,
            reviewed=own.reviewed or self.reviewed,
        )

    @property
    def part_places(self) -> tuple[tuple[int, int], ...]:
        """Session and turn of each part, both from 1; none for a case without sessions."""
        return tuple((at, turn) for at, one in enumerate(self.sessions, 1) for turn in range(1, len(one.turns) + 1))

    @property
    def part_names(self) -> tuple[str, ...]:
        """The name of each part (`s2.t1`), empty for a case that is one question."""
        return ("",) if self.answered is not None else tuple(turn_name(*place) for place in self.part_places) or ("",)

    @property
    def answered(self) -> CaseTurn | None:
        """The only turn of a case, where a live counterpart goes on with it; None for any other case."""
        turns = [turn for one in self.sessions for turn in one.turns]
        return turns[0] if len(turns) == 1 and turns[0].counterpart is not None else None

    @property
    def counterparts(self) -> tuple[Counterpart, ...]:
        """Who goes on with its turns, where somebody does."""
        return tuple(turn.counterpart for one in self.sessions for turn in one.turns if turn.counterpart is not None)

    @property
    def simulated(self) -> bool:
        """Whether a model plays the user in one of its turns."""
        return any(who.simulated is not None for who in self.counterparts)

    @property
    def corrects(self) -> bool:
        """Whether the agent is corrected in one of its turns, should it need that."""
        return any(who.corrections for who in self.counterparts)

    @property
    def all_expected(self) -> tuple[Expectation, ...]:
        """The whole `expect` list, that of every turn in order."""
        return tuple(item for part in self.parts for item in part.expect)

    @property
    def behaviour(self) -> Case:
        """The case without what it expects of the memory; the case itself where nothing else would be asked."""
        kept = tuple(
            replace(
                session,
                turns=tuple(
                    replace(turn, expect=tuple(item for item in turn.expect if not item.about_memory))
                    for turn in session.turns
                ),
            )
            for session in self.sessions
        )
        bare = replace(self, sessions=kept, forget=None)
        return bare if bare.all_expected or bare.expected or bare.abstain else self

    @property
    def asks_calls(self) -> bool:
        """Whether the agent's calls must be seen to judge an answer."""
        return self.forget is not None or any(item.about_calls for item in self.all_expected)

    @property
    def users(self) -> tuple[str, ...]:
        """The labels of those who speak in the sessions, in the order of their first; empty for who has none."""
        return tuple(dict.fromkeys(session.user for session in self.sessions)) or ("",)

    @property
    def lists_all(self) -> bool:
        """Whether what the memory lists of every user after every session is needed to judge the trial."""
        return self.forget is not None or len(self.users) > 1

    @property
    def asks_state(self) -> bool:
        """Whether the end state of the agent's world must be seen to judge an answer."""
        return any(item.kind == "state" for item in self.all_expected)

    @property
    def asks_judge(self) -> bool:
        """Whether a judge must read the answer."""
        return any(fact.kind == "judged" for fact in (*self.expected, *self.forbidden))

    @property
    def mentions(self) -> tuple[Fact, ...]:
        """What the answer must hold: the expected facts, then those of `reply_mentions`."""
        said = (item.fact for item in self.all_expected if item.kind == "reply_mentions" and item.fact)
        return (*self.expected, *said)

    def line(self, key: str) -> int:
        """The line of a field, or of an item (`expected_facts.0`); that of the case where it has none of its own."""
        while key:
            if line := self.lines.get(key):
                return line
            key = key.rpartition(".")[0]
        return self.lines.get("", 0)


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
class BenchmarkData:
    """The published data that a set was made of, so that each result says which release it is of.

    `sha256` is that of the data, `quarantine` that of the list of its wrong keys; empty where none was given.
    """

    name: str
    sha256: str
    quarantine: str = ""


@dataclass(frozen=True, slots=True)
class ReplaySet:
    """A versioned set of cases with its gate policy.

    `sha256` identifies the content (cases, gate, waivers, judge, the histories' texts): comments, order of
    keys and file names play no part. A set without a declared gate asks `all` of every class it has.
    The linter tells of a fact that nobody has reviewed for `review_after_days`. `data` is what it was imported from.
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
    review_after_days: int | None = None
    data: BenchmarkData | None = None
    gate_lines: Mapping[str, int] = field(default_factory=dict, compare=False, repr=False)

    @property
    def drafts(self) -> frozenset[str]:
        """The ids of cases that nobody has confirmed yet: no gate counts them."""
        return frozenset(case.id for case in self.cases if DRAFT in case.tags)

    @property
    def disputed(self) -> frozenset[str]:
        """The ids of cases whose key is said to be wrong: no gate counts them, and reports tell of them apart."""
        return frozenset(case.id for case in self.cases if DISPUTED in case.tags)

    @property
    def ungated(self) -> frozenset[str]:
        """The ids of all cases that decide nothing."""
        return frozenset(case.id for case in self.cases if case.ungated)

    def case(self, case_id: str) -> Case:
        """The case of that id.

        Raises:
            KeyError: where the set has none.
        """
        for case in self.cases:
            if case.id == case_id:
                return case
        raise KeyError(case_id)
