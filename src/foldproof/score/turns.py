"""A trial turn by turn: each turn of a session is judged as a question of its own. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import groupby

from foldproof.cases import Case, CaseSession
from foldproof.cases.counterparts import Counterpart
from foldproof.logs import MemoryItem, ToolCall
from foldproof.logs.seeing import joined_seen
from foldproof.record import Trial, TurnRecord
from foldproof.score.conditions import turn_calls


@dataclass(frozen=True, slots=True)
class JudgedTurn:
    """One turn as a case and a trial of its own. A case without sessions has one, which is the trial itself.

    `name` opens the labels (`s2.t1`). `earlier` are the turns of the same user's sessions before, `said` what the
    user said in this session before the reply that is judged, `answered` what the agent answered to that. `leaked` says
    which session's context was not fresh, empty where none is known not to be. `maintained` says that the memory was
    folded since the first session began, `first_kept` names the listing before that.

    Of a turn that a live `counterpart` went on with, `attempts` are all records, `graded` those after the last
    correction, or all where none was said. Their calls, reads and writes count together, the last reply alone.
    """

    case: Case
    trial: Trial
    name: str = ""
    record: TurnRecord | None = None
    earlier: tuple[TurnRecord, ...] = ()
    said: tuple[str, ...] = ()
    leaked: str = ""
    maintained: bool = False
    first_kept: str | None = None
    answered: tuple[str, ...] = ()
    counterpart: Counterpart | None = None

    @property
    def session(self) -> int:
        """The session that the turn is in, from 1."""
        return self.record.session if self.record else 1

    attempts: tuple[TurnRecord, ...] = ()
    graded: tuple[TurnRecord, ...] = ()

    @property
    def corrected(self) -> bool:
        """Whether the user took back what the agent did."""
        return any(turn.speaker == "correction" for turn in self.attempts)


def judged_turns(case: Case, trial: Trial) -> tuple[JudgedTurn, ...]:
    """The turns of a trial, in order, as many as the case has; none where the record has others than the case."""
    if not case.sessions:
        return (JudgedTurn(case, trial),)
    groups = [tuple(turns) for _, turns in groupby(trial.turns, key=_place)]
    if [_place(group[0]) for group in groups] != list(case.part_places):
        return ()
    counterparts = [turn.counterpart for session in case.sessions for turn in session.turns]
    for group, counterpart in zip(groups, counterparts, strict=True):
        numbers = [turn.attempt for turn in group]
        if numbers != list(range(1, len(group) + 1)) or (counterpart is None and len(group) > 1):
            return ()
    named = zip(case.parts, case.part_names, groups, counterparts, strict=True)
    return tuple(
        _judged(case, part, trial, group, name=name, counterpart=counterpart)
        for part, name, group, counterpart in named
    )


def looks_at_calls(turn: JudgedTurn) -> bool:
    """Whether the calls of a turn are needed to judge it: for what is expected of it, or for its corrections."""
    corrections = turn.counterpart.corrections if turn.counterpart is not None else ()
    return any(item.about_calls for item in (*turn.case.expect, *(line.when for line in corrections)))


def _place(turn: TurnRecord) -> tuple[int, int]:
    return turn.session, turn.turn


def _judged(
    case: Case,
    part: Case,
    trial: Trial,
    attempts: tuple[TurnRecord, ...],
    *,
    name: str,
    counterpart: Counterpart | None,
) -> JudgedTurn:
    turn = attempts[-1]
    # What another user said, and what the memory holds of that one, is none of this user's.
    own = [other for other in trial.turns if other.user_id == turn.user_id]
    earlier = tuple(other for other in own if other.session < turn.session)
    first_kept = None if turn.user_id else trial.store_kept
    before_it = [other for other in trial.turns[: trial.turns.index(turn)] if other.session == turn.session]
    leaked = any(other.fresh is False for other in trial.turns if other.session == turn.session)
    view = replace(
        trial,
        answer=turn.answer,
        tool_calls=turn.tool_calls,
        memory_reads=turn.memory_reads,
        memory_writes=turn.memory_writes,
        prompt=turn.prompt,
        seen=turn.seen,
        state=turn.state,
        store_written=None if turn.user_id else trial.store_written,
        store_kept=earlier[-1].store_kept if earlier else first_kept,
        user=turn.user_id or trial.user,
        built_by="" if turn.user_id else trial.built_by,
    )
    graded = _graded(attempts)
    if len(graded) > 1:
        view = _together(view, graded)
    before: tuple[CaseSession, ...] = case.sessions[: turn.session - 1]
    return JudgedTurn(
        _asked(part, turn, counterpart),
        view,
        name,
        turn,
        earlier,
        tuple(other.user for other in before_it),
        f"session {turn.session} saw what was said before it" if leaked else "",
        any(session.maintain for session in before),
        first_kept,
        tuple(other.answer for other in before_it),
        counterpart,
        attempts,
        graded,
    )


def _asked(part: Case, turn: TurnRecord, counterpart: Counterpart | None) -> Case:
    """The case of one turn, with what the user said last as its question."""
    if turn.user_id:  # a history is that of the user without a label
        part = replace(part, history="")
    return part if counterpart is None else replace(part, question=turn.user)


def _graded(attempts: tuple[TurnRecord, ...]) -> tuple[TurnRecord, ...]:
    """What follows the last correction, and all where there is none."""
    corrections = [at for at, turn in enumerate(attempts) if turn.speaker == "correction"]
    return attempts[corrections[-1] :] if corrections else attempts


def _together(view: Trial, graded: Sequence[TurnRecord]) -> Trial:
    """A view in which several replies count as one: what was done in any of them, and what was said last."""
    return replace(
        view,
        tool_calls=all_calls(graded),
        memory_reads=_chained(turn.memory_reads for turn in graded),
        memory_writes=_chained(turn.memory_writes for turn in graded),
        seen=joined_seen(turn.seen for turn in graded),
    )


def all_calls(turns: Iterable[TurnRecord]) -> tuple[ToolCall, ...] | None:
    """The calls of several turns in their order; None where those of one cannot be seen."""
    found: list[ToolCall] = []
    for turn in turns:
        made = turn_calls(turn)
        if made is None:
            return None
        found += made
    return tuple(found)


def _chained(parts: Iterable[tuple[MemoryItem, ...] | None]) -> tuple[MemoryItem, ...] | None:
    """All items, None where one part cannot be seen."""
    found: list[MemoryItem] = []
    for part in parts:
        if part is None:
            return None
        found += part
    return tuple(found)
