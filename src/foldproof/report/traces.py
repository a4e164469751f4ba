"""The rows of an explanation that follow each fact through the stages. Pure."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal

from foldproof.logs import ModelCall, Seen, Source, ToolCall
from foldproof.report.explained import CallRow, SightingRow, TraceRow
from foldproof.score import STAGES, Sighting, TrialEvidence, TrialScore
from foldproof.score.sighting import look_in


def trace_rows(evidence: TrialEvidence, score: TrialScore) -> list[TraceRow]:
    """The way of every fact that needs no judge, and of each expectation with an owner, in the order of the scores."""
    facts = {fact.label: fact for fact in (*evidence.case.expected, *evidence.case.forbidden) if fact.kind != "judged"}
    rows = []
    for told in score.facts:
        fact, loss = facts.get(told.fact) if told.role != "expectation" else None, told.loss
        if loss is not None:
            stages = loss.stages
        elif fact is not None:
            stages = tuple(look_in(evidence, fact, stage) for stage in STAGES)
        else:
            continue
        rows.append(
            TraceRow(
                fact=told.fact,
                kind=told.role,
                owner=loss.owner if loss else None,
                why=loss.reason if loss else "",
                degraded=loss.degraded if loss else False,
                stages=[_row(sighting) for sighting in stages],
            )
        )
    return rows


def _row(sighting: Sighting) -> SightingRow:
    return SightingRow(
        stage=sighting.stage,
        presence=sighting.presence,
        source=sighting.source,
        place=sighting.place,
        text=sighting.text,
        gone=sighting.gone,
    )


def call_rows(building: Iterable[Seen], answering: Iterable[Seen]) -> list[CallRow]:
    """Every model call that was seen beside the adapter, those of building the memory first."""
    first = [_call(call, seen.source, "building") for seen in building for call in seen.calls]
    return [*first, *(_call(call, seen.source, "answering") for seen in answering for call in seen.calls)]


def _call(call: ModelCall, source: Source, during: Literal["building", "answering"]) -> CallRow:
    return CallRow(
        source=source,
        during=during,
        api=call.api,
        model_name=call.model_name,
        prompt=call.prompt,
        answer=call.answer,
        tool_calls=tool_rows(call.tool_calls),
        status=call.status,
        error=call.error,
        input_tokens=call.usage.input_tokens if call.usage else None,
        output_tokens=call.usage.output_tokens if call.usage else None,
        duration_s=call.duration_s,
    )


def tool_rows(calls: Iterable[ToolCall]) -> list[dict[str, object]]:
    """Tool calls as JSON values."""
    return [{"name": call.name, "args": dict(call.args)} for call in calls]
