"""Whether the agent did something in a turn, so that somebody may answer it while the trial runs. Pure."""

from __future__ import annotations

from foldproof.cases import Case, Expectation
from foldproof.logs import ToolCall
from foldproof.matching import match_fact
from foldproof.record import Trial, TurnRecord
from foldproof.score.calls import judge_calls
from foldproof.score.made import calls_made
from foldproof.score.states import judge_state


def condition_holds(item: Expectation, turn: TurnRecord) -> bool | None:
    """Whether an expectation about the calls, the reply or the state holds of a turn, by the rules that a score has.

    None where that cannot be seen, or where the reply may be read two ways.
    """
    if item.kind == "state":
        state = judge_state(item, turn.state)
        return None if state.outcome == "error" else state.outcome == "held"
    if item.fact is None:
        made = turn_calls(turn)
        (verdict,) = judge_calls([item], made) if made is not None else (None,)
        return None if verdict is None or verdict.outcome == "error" else verdict.outcome == "held"
    match = match_fact(item.fact, turn.answer)
    if item.kind == "reply_omits":
        return None if match.unsure else not match.held
    return match.held


def turn_calls(turn: TurnRecord) -> tuple[ToolCall, ...] | None:
    """The calls that the agent made in a turn, whoever shows them; None where nobody does."""
    seen = Trial("", 0, turn.answer, tool_calls=turn.tool_calls, seen=turn.seen)
    return calls_made(Case("", turn.user), seen)
