"""What became of a correction: whether it was needed, said, and heeded. Pure."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from foldproof.cases.counterparts import Line
from foldproof.cases.expectations import Expectation
from foldproof.logs import ToolCall
from foldproof.record import TurnRecord
from foldproof.score.call_fits import Fits
from foldproof.score.calls import judge_calls
from foldproof.score.conditions import condition_holds
from foldproof.score.turns import JudgedTurn, all_calls

MADE_AGAIN = "the corrected call was made again"


@dataclass(frozen=True, slots=True)
class CorrectionVerdict:
    """What became of one correction; `reason` is empty where there is nothing to tell.

    `ignored` says that it was said, and that the agent did once more what it takes back.
    """

    outcome: Literal["held", "missed", "error"]
    reason: str = ""
    ignored: bool = False


def correction_label(line: Line) -> str:
    """How a correction stands in scores, reports and baselines."""
    return f"correction after {line.when.label}"


def judge_correction(line: Line, turn: JudgedTurn, *, met: bool) -> CorrectionVerdict:
    """What became of a correction; `met` says that everything that is expected of the turn holds.

    One that was said holds where the call that it takes back is not made again; a call that serves an expectation is
    none of these. One that was not said was not needed where everything holds, or another one was said. Otherwise the
    agent neither did what is right nor what is known to be wrong.
    """
    said = _said(line, turn)
    if not said:
        if met or turn.corrected:
            return CorrectionVerdict("held")
        due = turn.attempts[-1].close == "limit" and condition_holds(line.when, turn.attempts[-1])
        why = "the limit of turns was reached before" if due else f"'{line.when.label}' did not come about"
        return CorrectionVerdict("missed", f"it was never corrected: {why}")
    if line.when.kind != "tool_called" or line.when.silent:  # to ask for a call takes none back
        return CorrectionVerdict("held")
    return _made_again(line.when, turn.attempts[said[0] :], turn.case.expect)


def _said(line: Line, turn: JudgedTurn) -> list[int]:
    """Where a correction was said. Of several in the same words each takes back what came right before it."""
    said = [at for at, one in enumerate(turn.attempts) if one.speaker == "correction" and one.user == line.say]
    alike = 0 if turn.counterpart is None else sum(other.say == line.say for other in turn.counterpart.corrections)
    if alike < 2:
        return said
    return [at for at in said if condition_holds(line.when, turn.attempts[at - 1])]


def _made_again(
    taken_back: Expectation, attempts: Iterable[TurnRecord], expect: Iterable[Expectation]
) -> CorrectionVerdict:
    made = all_calls(attempts)
    if made is None:
        return CorrectionVerdict("error", "the agent does not show its tool calls")
    left = _without_expected(made, expect)
    (verdict,) = judge_calls([Expectation("no_tool_called", taken_back.calls)], left)
    if verdict.outcome == "missed":
        return CorrectionVerdict("missed", f"{MADE_AGAIN}: {Fits(left).label(verdict.calls[0])}", ignored=True)
    return CorrectionVerdict(verdict.outcome, verdict.reason)


def _without_expected(made: tuple[ToolCall, ...], expect: Iterable[Expectation]) -> list[ToolCall]:
    """The calls that no expectation asks for: what is taken back in general may be right in particular."""
    fits = Fits(made)
    served = {at for item in expect if item.kind == "tool_called" for at in fits.of(item.calls[0])}
    return [call for at, call in enumerate(made) if at not in served]
