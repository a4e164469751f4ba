"""Which of the model calls that were seen gave the answer, and which tools the agent called. Pure."""

from __future__ import annotations

from foldproof.cases import Case
from foldproof.logs import ModelCall, Seen, ToolCall
from foldproof.matching import Text
from foldproof.matching.escapes import unescaped
from foldproof.record import Trial

EXACT = ("wire", "otel")
"""Sources beside the adapter, the most exact first."""


def calls_made(case: Case, trial: Trial) -> tuple[ToolCall, ...] | None:
    """The calls of a trial in their order; None where nobody shows them.

    What the adapter tells counts. Where it tells nothing, the calls that passed over the wire do, else those of spans.
    A source that did not see a model being asked the question saw other calls, or only some, and shows none. Of one
    that did all calls count, those of a sub-agent and failed ones as well: one left out might be the forbidden one.
    """
    if trial.tool_calls is not None:
        return trial.tool_calls
    for seen in sorted(trial.seen, key=lambda found: EXACT.index(found.source)):
        if _asked(case, seen):
            return tuple(made for call in seen.calls for made in call.tool_calls)
    return None


def answering_calls(case: Case, trial: Trial, seen: Seen) -> tuple[ModelCall, ...]:
    """The model calls that led to the answer of a trial, the one that gave it last; none where they cannot be told.

    The last call whose answer is the trial's gave it: a reranker and a writer of memories say something else. Where no
    call said the answer, a single call that was asked the question did, and the agent made something else of it. The
    calls before it belong to it where they were asked the question too. Failed ones led to nothing.
    """
    answered = [call for call in seen.calls if not call.failure]
    asked = _asked(case, seen)
    said = [call for call in answered if call.prompt and _same(call.answer, trial.answer)]
    last = said[-1] if said else asked[0] if len(asked) == 1 else None
    if last is None:
        return ()
    before = answered[: answered.index(last)]
    return (*(call for call in before if call in asked and call.tool_calls), last)


def _asked(case: Case, seen: Seen) -> list[ModelCall]:
    """The answered calls of a model that was asked the question of a case."""
    return [call for call in seen.calls if not call.failure and _holds(call.prompt, case.question)]


def _holds(text: str, part: str) -> bool:
    if not part.strip():
        return False
    wanted = Text(part).padded
    return any(wanted in Text(form).padded for form in dict.fromkeys((text, unescaped(text))))


def _same(one: str, other: str) -> bool:
    """Whether two texts say the same: one may be wrapped in the other's words."""
    return bool(one.strip() and other.strip()) and (_holds(one, other) or _holds(other, one))
