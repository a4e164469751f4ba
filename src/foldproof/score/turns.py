"""A trial turn by turn: each turn of a session is judged as a question of its own. Pure."""

from __future__ import annotations

from dataclasses import dataclass, replace

from foldproof.cases import Case, CaseSession
from foldproof.record import Trial, TurnRecord


@dataclass(frozen=True, slots=True)
class JudgedTurn:
    """One turn as a case and a trial of its own. A case without sessions has one, which is the trial itself.

    `name` opens the labels (`s2.t1`). `earlier` are the turns of the same user's sessions before, `said` what the
    user said in this session before this turn, `answered` what the agent answered to that. `leaked` says which
    session's context was not fresh, empty where none is known not to be. `maintained` says that the memory was folded
    since the first session began, `first_kept` names the listing before that.
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


def judged_turns(case: Case, trial: Trial) -> tuple[JudgedTurn, ...]:
    """The turns of a trial, in order, as many as the case has; none where the record has others than the case."""
    if not case.sessions:
        return (JudgedTurn(case, trial),)
    parts, names = case.parts, case.part_names
    if [turn.name for turn in trial.turns] != list(names):
        return ()
    return tuple(_judged(case, part, trial, at) for at, part in enumerate(parts))


def _judged(case: Case, part: Case, trial: Trial, at: int) -> JudgedTurn:
    turn = trial.turns[at]
    # What another user said, and what the memory holds of that one, is none of this user's.
    own = [other for other in trial.turns if other.user_id == turn.user_id]
    earlier = tuple(other for other in own if other.session < turn.session)
    first_kept = None if turn.user_id else trial.store_kept
    said = tuple(other.user for other in trial.turns[:at] if other.session == turn.session)
    answered = tuple(other.answer for other in trial.turns[:at] if other.session == turn.session)
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
    before: tuple[CaseSession, ...] = case.sessions[: turn.session - 1]
    return JudgedTurn(
        replace(part, history="") if turn.user_id else part,  # a history is that of the user without a label
        view,
        turn.name,
        turn,
        earlier,
        said,
        f"session {turn.session} saw what was said before it" if leaked else "",
        any(session.maintain for session in before),
        first_kept,
        answered,
    )
