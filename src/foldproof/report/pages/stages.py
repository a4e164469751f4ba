"""The part of an explanation that follows a fact through the stages, and that shows the model calls."""

from __future__ import annotations

from collections.abc import Sequence

from foldproof.report.explained import CallRow, ExplainedTrialRow, SightingRow, TraceRow
from foldproof.report.sheet import Mark, Row, Sheet
from foldproof.report.summary import fact_name
from foldproof.report.text import BRIEF, LONG, inline, pieces

_MARKS: dict[str, Mark] = {"held": "good", "gone": "bad", "degraded": "bad", "near": "unsure", "unseen": "quiet"}

_LET_IN = ("forget: not ", "users apart")
"""Labels of expectations that something stays out of a place."""


def write_traces(sheet: Sheet, trial: ExplainedTrialRow) -> None:
    """Each fact that is not right, stage by stage; with details every fact."""
    before: list[SightingRow] = []
    for trace in trial.traces:
        if trace.owner is None and not sheet.details:
            continue
        mark: Mark = "bad" if trace.owner is not None else "good"
        sheet.line(f"{fact_name(trace.kind, trace.fact)}: ", (inline(trace_word(trace)), mark), indent=2)
        if trace.stages and trace.stages == before:
            sheet.line("the same way", indent=4)
        else:
            sheet.table([_stage_row(row, sheet.details) for row in trace.stages], indent=4)
        before = trace.stages
    for line in trial.disagreements:
        sheet.line(("sources disagree: ", "unsure"), inline(line), indent=2)


def trace_word(trace: TraceRow) -> str:
    """Who lost a fact and how, or where a forbidden one came from."""
    why = f" ({trace.why})" if trace.why else ""
    if trace.owner is None:
        return "right"
    if trace.owner == "unknown":
        return f"owner unknown{why}"
    let_in = trace.kind == "forbidden" or trace.fact.startswith(_LET_IN)
    verb = "came in at" if let_in else "degraded at" if trace.degraded else "lost at"
    return f"{verb} {trace.owner}{why}"


def stage_words(row: SightingRow) -> str:
    """What a stage shows of a fact: the words, and what they lack."""
    lacks = f", without its {row.gone}" if row.presence == "degraded" and row.gone else ""
    return f"{row.text}{lacks}"


def _stage_row(row: SightingRow, details: bool) -> Row:
    words = inline(stage_words(row), LONG if details else BRIEF)
    source = f" ({row.source})" if row.source not in {"", "adapter", "history"} else ""
    return Row((row.stage, (row.presence, _MARKS[row.presence]), inline(row.place) + source, words))


def write_model_calls(sheet: Sheet, calls: Sequence[CallRow]) -> None:
    """The model calls that were seen beside the adapter: what was sent and what came back."""
    for number, call in enumerate(calls, 1):
        sheet.line((inline(call_title(call, number, len(calls))), "quiet"), indent=2)
        limit = None if sheet.details else LONG
        sheet.block(pieces(call.prompt, (), limit))
        if call.error:
            sheet.line(("error: ", "unsure"), inline(call.error, limit), indent=4)
        elif sheet.details and call.answer:
            sheet.line(("answered", "quiet"), indent=4)
            sheet.block(pieces(call.answer, ()))


def call_title(call: CallRow, number: int, of: int) -> str:
    """One model call in a line: which, while what, seen by whom, how long."""
    name = f" of {call.model_name}" if call.model_name else ""
    return f"model call {number} of {of}{name}, {call.during}, seen by {call.source}, {call.duration_s:.1f} s"
