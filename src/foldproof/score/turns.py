"""A trial turn by turn: each turn of a session is judged as a question of its own. Pure."""

from __future__ import annotations

from dataclasses import dataclass, replace

from foldproof.cases import Case, CaseSession
from foldproof.record import Trial, TurnRecord


@dataclass(frozen=True, slots=True)
class JudgedTurn:
    """One turn as a case and a trial of its own. A case without sessions has one, which is the trial itself.

    `name` opens the labels (`s2.t1`). `earlier` are the turns of the sessions before, `said` what the user said in
    this session before this turn. `leaked` says which session's context was not fresh, empty where none is known not
    to be. `maintained` says that the memory was folded since the first session began,
    `first_kept` names the listing before that.
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


def judged_turns(case: Case, trial: Trial) -> tuple[JudgedTurn, ...]:
    """The turns of a trial, in order, as many as the case has; none where the record has others than the case."""
    if not case.sessions:
        return (JudgedTurn(case, trial),)
    parts, names = case.parts, case.part_names
    if [turn.name for turn in trial.turns] != list(names):
        return ()
    return tuple(_judged(case, replace(part, history=case.history), trial, at) for at, part in enumerate(parts))


def _judged(case: Case, part: Case, trial: Trial, at: int) -> JudgedTurn:
    turn = trial.turns[at]
    earlier = tuple(other for other in trial.turns if other.session < turn.session)
    said = tuple(other.user for other in trial.turns[:at] if other.session == turn.session)
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
        store_kept=earlier[-1].store_kept if earlier else trial.store_kept,
    )
    before: tuple[CaseSession, ...] = case.sessions[: turn.session - 1]
    return JudgedTurn(
        part,
        view,
        turn.name,
        turn,
        earlier,
        said,
        f"session {turn.session} saw what was said before it" if leaked else "",
        any(session.maintain for session in before),
        trial.store_kept,
    )
