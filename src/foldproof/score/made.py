"""Which calls an agent made, by the best that a trial shows. Pure."""

from __future__ import annotations

from foldproof.cases import Case
from foldproof.logs import Seen, ToolCall
from foldproof.matching import Text
from foldproof.record import Trial

EXACT = ("wire", "otel")
"""Sources beside the adapter, the most exact first."""


def calls_made(case: Case, trial: Trial) -> tuple[ToolCall, ...] | None:
    """The calls of a trial in their order; None where nobody shows them.

    What the adapter tells counts. Where it tells nothing, the calls that passed over the wire do, else those of spans;
    a source that did not see the model being asked the question saw other calls, or only some, and shows none.
    """
    if trial.tool_calls is not None:
        return trial.tool_calls
    for seen in sorted(trial.seen, key=lambda found: EXACT.index(found.source)):
        if was_asked(case, seen):
            return tuple(made for call in seen.calls for made in call.tool_calls)
    return None


def was_asked(case: Case, seen: Seen) -> bool:
    """Whether a source saw a model that was asked the question of the case."""
    question = Text(case.question).padded
    return any(question in Text(call.prompt).padded for call in seen.calls)
