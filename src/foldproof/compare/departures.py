"""Where a live agent leaves the path of a frozen prefix: from there on replay grades a talk that it would not have.

Compared are the turns before the graded one, message by message of the user. Words differ in every run; what counts is
what was done. Pure.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

from foldproof.cases import Case
from foldproof.cases.call_text import json_text, short
from foldproof.compare.retention import ControlFinding
from foldproof.logs import PastTurn, ToolCall
from foldproof.logs.memory_calls import memory_operation
from foldproof.matching import normalize
from foldproof.record import Trial, TurnRecord
from foldproof.score.made import calls_made

Departed = Literal["asks back", "no call", "other tool", "further call", "other arguments", "unseen"]
INSTEAD = "let a simulated user answer what it really does (`simulated`)"
_QUESTION = ("?", "？", "؟")
_CLOSING = "\"'”’)]*_ \n"
_LONGEST = 80
"""Characters of a text argument up to which it is compared: a longer one is put in words anew each time."""


@dataclass(frozen=True, slots=True)
class Departure:
    """The first message of the user after which a live agent does another thing than the frozen one did.

    `turn` counts what was said, from 1. With `unseen` nobody can say whether it does.
    """

    turn: int
    user: str
    kind: Departed
    told: str


@dataclass(frozen=True, slots=True)
class _Exchange:
    turn: int
    user: str
    calls: tuple[ToolCall, ...] = ()


def departure(case: Case, trial: Trial) -> Departure | None:
    """Where a trial, in which the user's messages were said anew, leaves the case's frozen path; None where it stays.

    A trial that ended early is compared as far as it went. Calls of a memory are not compared: the candidate's is
    another one. Of arguments a type, letter case, marks and long texts make no difference, nor does one that only one
    of the two has.
    """
    for past, turn in zip(_exchanges(case.frozen), trial.turns, strict=False):
        if (found := _compared(past, turn, case)) is not None:
            return Departure(past.turn, past.user, *found)
    return None


def path_findings(cases: Iterable[Case], trials: Sequence[Trial]) -> tuple[ControlFinding, ...]:
    """What living through the frozen turns showed of each case: one finding where the path is left, or nobody knows."""
    by_id = {case.id: case for case in cases}
    found = (_finding(by_id[trial.case], trial) for trial in trials if trial.case in by_id and by_id[trial.case].frozen)
    return tuple(finding for finding in found if finding is not None)


def _finding(case: Case, trial: Trial) -> ControlFinding | None:
    left = departure(case, trial)
    if left is not None and left.kind != "unseen":
        reason = f"replay misleads from turn {left.turn} on: after '{short(left.user)}' it {left.told}; {INSTEAD}"
        return ControlFinding(case.id, case.case_class, "live", "departed", reason)
    why = left.told if left else ""
    if left is None and trial.error is not None and len(trial.turns) <= len(list(_exchanges(case.frozen))):
        why = f"{trial.error.kind}: {trial.error.message}"
    return ControlFinding(case.id, case.case_class, "live", "unjudged", why) if why else None


def _exchanges(turns: Sequence[PastTurn]) -> Iterator[_Exchange]:
    """Each message of the user with the calls that followed it; what an agent says before the first has none."""
    said = 0
    open_: _Exchange | None = None
    for turn in turns:
        said += bool(turn.text)
        if turn.role == "user":
            if open_ is not None:
                yield open_
            open_ = _Exchange(said, turn.text)
        elif open_ is not None:
            open_ = replace(open_, calls=(*open_.calls, *(made.call for made in turn.calls)))
    if open_ is not None:
        yield open_


def _compared(past: _Exchange, turn: TurnRecord, case: Case) -> tuple[Departed, str] | None:
    seen = Trial(case.id, 0, turn.answer, tool_calls=turn.tool_calls, seen=turn.seen)
    made = calls_made(replace(case, question=turn.user), seen)
    if made is None:
        return "unseen", "the agent does not show its tool calls, so whether it leaves the frozen path is not known"
    then, now = _acts(past.calls), _acts(made)
    if then and not now:
        if turn.answer.rstrip(_CLOSING).endswith(_QUESTION):
            return "asks back", f"asks back where {_names(then)} was called"
        return "no call", f"makes no call where {_names(then)} was called"
    if now and not then:
        return "further call", f"calls {_names(now)} where nothing was called"
    if {call.name for call in then} != {call.name for call in now}:
        return "other tool", f"calls {_names(now)} where {_names(then)} was called"
    return next(_arguments(then, now), None)


def _acts(calls: Iterable[ToolCall]) -> list[ToolCall]:
    return [call for call in calls if memory_operation(call.name, call.args) is None]


def _names(calls: Sequence[ToolCall]) -> str:
    return " and ".join(Counter(call.name for call in calls))


def _arguments(then: Sequence[ToolCall], now: Sequence[ToolCall]) -> Iterator[tuple[Departed, str]]:
    """The first call of the frozen agent that no live one agrees with in what both state."""
    for call in then:
        others = [other for other in now if other.name == call.name]
        if not any(_agree(call.args, other.args) for other in others):
            name = next(name for name in call.args if not _agree({name: call.args[name]}, others[0].args))
            old, new = (short(json_text(args[name])) for args in (call.args, others[0].args))
            yield "other arguments", f"calls {call.name} with {name}={new} where it was {old}"


def _agree(one: Mapping[str, Any], other: Mapping[str, Any]) -> bool:
    return all(_alike(value, other[name]) for name, value in one.items() if name in other)


def _alike(one: Any, other: Any) -> bool:  # noqa: ANN401  # JSON values
    texts = [value if isinstance(value, str) else json_text(value) for value in (one, other)]
    return any(len(text) > _LONGEST for text in texts) or normalize(texts[0]) == normalize(texts[1])
