"""The plan of a run, as a pure value: which trials, in which order, with which memory."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from foldproof.cases import Case, CaseSession, CaseTurn, Configuration
from foldproof.core import content_hash
from foldproof.logs import History, PastTurn
from foldproof.record import TrialKey
from foldproof.record.records import Control
from foldproof.run.context import context_gap, context_of

UNPLUGGED: Mapping[str, Any] = {"kind": "none"}
"""The `memory_config` of every control but the live one: there is no memory."""
WHOLE: Mapping[str, Any] = {"kind": "head", "budget": 10**9}
"""The `memory_config` that gives back all it was told. Only the controls of `recall` have it: that agent reads no
prompt, its answer is what its memory holds."""


@dataclass(frozen=True, slots=True)
class PlannedTrial:
    """One trial to come. `memory_key` is equal where two trials may start from the same built memory.

    `message` is what the agent is asked, where a control puts something in front of the question; `unplugged` says
    that it has neither a memory nor anything in its place.
    """

    case: Case
    repeat: int
    memory_config: Mapping[str, Any]
    history: History | None
    memory_key: str
    unplugged: bool = False
    message: str = ""

    @property
    def asked(self) -> str:
        """What the agent is asked."""
        return self.message or self.case.question

    @property
    def prefix(self) -> tuple[PastTurn, ...]:
        """What the conversation goes on from. With nothing known, not even that: the bare question must not pass."""
        return () if self.unplugged else self.case.frozen

    @property
    def key(self) -> TrialKey:
        """Which trial of its run this is."""
        return TrialKey(self.case.id, self.repeat)


@dataclass(frozen=True, slots=True)
class Plan:
    """The trials of a run that are still to be asked. `run` is the run's name, which user ids are made of."""

    run: str
    trials: tuple[PlannedTrial, ...]
    folds: int | None = None

    @property
    def shared(self) -> Counter[str]:
        """How many trials start from each built memory."""
        return Counter(trial.memory_key for trial in self.trials)


def plan_trials(
    cases: Iterable[Case],
    configuration: Configuration,
    *,
    histories: Mapping[str, History],
    repeats: int = 1,
    done: Collection[TrialKey] = (),
    failed: Collection[TrialKey] = (),
    control: Control = "",
) -> tuple[PlannedTrial, ...]:
    """Cases times repeats, less what is done, in the order of the set; trials that `failed` are asked again.

    All first repetitions come before the second ones, so that an interrupted run has seen every case early.
    The memory of a case is its own `memory_config` overlaid by the configuration's; under a control but the live one
    there is none. A case that cannot have the control (`control_gap`) is left out. A memory of the agent's own
    (`external`) is given no history: nothing is built in it.
    """
    planned = [
        _given(case, configuration, histories, control)
        for case in cases
        if not control_gap(case, control, histories=histories)
    ]
    most = max([repeats, *(key.repeat + 1 for key in failed)])
    return tuple(
        replace(trial, repeat=repeat)
        for repeat in range(most)
        for trial in planned
        if (asked := TrialKey(trial.case.id, repeat)) not in done and (repeat < repeats or asked in failed)
    )


def control_gap(case: Case, control: Control, *, histories: Mapping[str, History]) -> str:
    """Why a case cannot have this control, or empty where it can."""
    if not control or control == "unplugged":
        return ""
    if control == "live":
        return "" if case.frozen else "it has no frozen turns whose messages could be said anew"
    return context_gap(case, control, histories[case.history] if case.history else None)


def lived(case: Case) -> Case:
    """The case with the user's messages of its frozen turns said anew, and the question after them."""
    said = [turn.text for turn in case.frozen if turn.role == "user"]
    turns = tuple(CaseTurn(text) for text in (*said, case.question))
    return replace(case, frozen=(), sessions=(CaseSession(turns, case.at),), expect=())


def uncorrected(case: Case) -> Case:
    """The case as it is asked with nothing to go by: of one that is a single turn, without the corrections too.

    They stand to such a case as its memory to any other: one that passes without them tests no heeding of a word.
    """
    turn = case.answered
    if turn is None or turn.counterpart is None or not turn.counterpart.corrections:
        return case
    left = replace(turn.counterpart, corrections=())
    bare = replace(turn, counterpart=left if left.rules or left.simulated else None)
    return replace(case, sessions=(replace(case.sessions[0], turns=(bare,)),))


def _given(
    case: Case, configuration: Configuration, histories: Mapping[str, History], control: Control
) -> PlannedTrial:
    """The first trial of a case: its memory, what that is built from, and what is asked."""
    history = histories[case.history] if case.history else None
    memory: Mapping[str, Any] = {**case.memory_config, **configuration.memory}
    message = ""
    context = None
    if control == "live":
        case = lived(case)
    elif control:
        context = None if control == "unplugged" else context_of(case, control, history)
        case = uncorrected(case)
        memory, history = UNPLUGGED, None
        if context is not None and configuration.adapter == "recall":
            memory, history = WHOLE, context.history
        elif context is not None:
            message = context.before(case.question)
    elif configuration.memory.get("kind") == "external":
        history = None
    key = content_hash([history.sha256 if history else "", memory, configuration.sha256])
    unplugged = control not in {"", "live"} and context is None
    return PlannedTrial(case, 0, memory, history, key, unplugged=unplugged, message=message)
