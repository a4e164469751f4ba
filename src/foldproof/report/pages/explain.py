"""The page that explains one case of a run, stage by stage."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from foldproof.report.explained import ExplainDocument, ExplainedTrialRow, ItemRow, TrialFactRow
from foldproof.report.pages.frozen import write_frozen
from foldproof.report.pages.stages import write_model_calls, write_traces
from foldproof.report.pages.tables import run_line
from foldproof.report.pages.turns import state_text, write_turns
from foldproof.report.sheet import Row, Sheet, verdict_mark
from foldproof.report.summary import fact_name, outcome_word
from foldproof.report.text import BRIEF, LONG, counted, inline, pieces, tail

NOT_SEEN = "not seen"
_LAST_LINES = 8
_TOLD = ("prompt", "memory_reads", "store_written", "store_kept", "tool_calls", "traceback", "notes", "traces")
_FIRST_RETRIEVED = 5


def write_explain(sheet: Sheet, document: ExplainDocument) -> None:
    """The case, then each trial: facts, answer, retrieved, memory, prompt, calls, error, log."""
    sheet.line((inline(document.id), "strong"), f"   {inline(document.case_class)}   {run_line(document.run)}")
    if document.note:
        sheet.line(("note: ", "unsure"), inline(document.note))
    write_frozen(sheet, document.frozen)
    sheet.line(("question: ", "quiet"), inline(document.question))
    if document.source:
        sheet.line(("stated in: ", "quiet"), ", ".join(inline(source) for source in document.source))
    if document.forget:
        sheet.line(("must forget: ", "quiet"), inline(forget_word(document.forget)))
    shown: list[ExplainedTrialRow] = []
    for trial in document.trials:
        twin = next((other for other in shown if not sheet.details and _same(other, trial)), None)
        if twin is None:
            shown.append(trial)
            _write_trial(sheet, trial)
        else:
            _write_head(sheet, trial, f"   the same as trial {twin.score.repeat}")


def forget_word(forget: Mapping[str, Any]) -> str:
    """What must be forgotten, from when on, and what that means."""
    facts = [*forget["facts"], *forget.get("derived", [])]
    told = "; ".join(fact if isinstance(fact, str) else json.dumps(fact, ensure_ascii=False) for fact in facts)
    return f"{told} (after session {forget['after']}: {forget['means']})"


def _same(one: ExplainedTrialRow, other: ExplainedTrialRow) -> bool:
    """Whether two trials tell a reader the same: answer, score, error, what was retrieved and what was held."""
    return all(
        getattr(one, name) == getattr(other, name)
        for name in (
            "prompt",
            "memory_reads",
            "store_written",
            "store_kept",
            "tool_calls",
            "traceback",
            "notes",
            "traces",
            "turns",
            "state",
        )
    ) and one.score.model_copy(update={"repeat": 0}) == other.score.model_copy(update={"repeat": 0})


def _write_head(sheet: Sheet, trial: ExplainedTrialRow, remark: str) -> None:
    score = trial.score
    sheet.blank()
    sheet.line((f"trial {score.repeat}: ", "strong"), (score.outcome, verdict_mark(score.outcome)), remark)


def _write_trial(sheet: Sheet, trial: ExplainedTrialRow) -> None:
    score = trial.score
    _write_head(sheet, trial, effort(trial))
    sheet.table([_fact_row(fact, trial.nearest.get(fact.fact, "")) for fact in score.facts])
    _write_error(sheet, trial)
    for fault in score.faults:
        words = inline(fault, None if sheet.details else LONG)
        sheet.line(("fault of the simulated user: ", "unsure"), words, indent=2)
    write_turns(sheet, trial)
    write_traces(sheet, trial)
    _title(sheet, "answer")
    spans = [span for fact in score.facts for span in fact.spans]
    if score.answer:
        sheet.block(pieces(score.answer, spans, None if sheet.details else LONG))
    else:
        sheet.line("none", indent=4)
    reads = trial.memory_reads
    given = reads and [item for item in reads if not item.dropped]
    seen = f", seen by {trial.reads_source}" if trial.reads_source not in {"", "adapter"} else ""
    _write_items(sheet, f"retrieved{seen}", given, first=_FIRST_RETRIEVED)
    passed_over = [item for item in reads or () if item.dropped]
    if any(item.facts or sheet.details for item in passed_over):
        _write_items(sheet, "passed over", passed_over)
    _write_items(sheet, "memory before the folds", trial.store_written)
    _write_items(sheet, "memory after the folds", trial.store_kept)
    if trial.memory_writes:
        _write_items(sheet, "written while answering", trial.memory_writes)
    _write_prompt(sheet, trial)
    write_model_calls(sheet, trial.calls)
    _write_calls(sheet, trial)
    _write_state(sheet, trial)
    for title, words in (("notes", "\n".join(trial.notes)), ("log", trial.log)):
        if words.strip():
            _title(sheet, title)
            shown = words if sheet.details else tail(words, _LAST_LINES)
            sheet.block(pieces(shown, (), None if sheet.details else LONG))


def effort(trial: ExplainedTrialRow) -> str:
    """What the trial took, as far as it is known: seconds, attempts, tokens."""
    parts = [f"{trial.duration_s:.1f} s"] if trial.duration_s else []
    if trial.attempts > 1:
        parts.append(f"{trial.attempts} attempts")
    if trial.input_tokens is not None or trial.output_tokens is not None:
        counts = ["?" if number is None else str(number) for number in (trial.input_tokens, trial.output_tokens)]
        parts.append(f"{counts[0]} tokens in, {counts[1]} out")
    return f"   {', '.join(parts)}" if parts else ""


def _title(sheet: Sheet, title: str) -> None:
    sheet.line((title, "quiet"), indent=2)


def _fact_row(fact: TrialFactRow, nearest: str) -> Row:
    word = outcome_word(fact.kind, fact.outcome)
    under = [inline(fact.reason, BRIEF)] if fact.reason else []
    if nearest:
        under.append(f"nearest in the answer: {inline(nearest, BRIEF)}")
    return Row((fact_name(fact.kind, fact.fact), (word, "good" if fact.ok else verdict_mark("lost"))), tuple(under))


def _write_error(sheet: Sheet, trial: ExplainedTrialRow) -> None:
    if not trial.score.error:
        return
    kind = f" ({inline(trial.error_type)})" if trial.error_type else ""
    sheet.line(("error: ", "unsure"), inline(trial.score.error, None if sheet.details else LONG), kind, indent=2)
    if trial.traceback:
        shown = trial.traceback if sheet.details else tail(trial.traceback, _LAST_LINES)
        sheet.block(pieces(shown, ()))


def _write_items(sheet: Sheet, title: str, items: Sequence[ItemRow] | None, *, first: int = 0) -> None:
    """A count, then the items that hold a fact and the first few, in their order; with details every one."""
    if items is None:
        sheet.line((f"{title}: ", "quiet"), NOT_SEEN, indent=2)
        return
    holding = sum(bool(item.facts) for item in items)
    shown = [item for at, item in enumerate(items) if item.facts or at < first or sheet.details]
    left_out = f"; {len(items) - len(shown)} not shown" if shown and len(shown) < len(items) else ""
    count = f"{counted(len(items), 'item')}, {holding} with a fact of this case{left_out}"
    sheet.line((f"{title}: ", "quiet"), count, indent=2)
    limit = None if sheet.details else BRIEF
    sheet.table([Row(_item_cells(item, limit), _item_facts(item)) for item in shown], indent=4)


def _item_cells(item: ItemRow, limit: int | None) -> tuple[str, ...]:
    place = f"#{item.rank}" if item.rank else inline(item.id) or "-"
    score = "" if item.score is None else f"{item.score:.4g}"
    kind = f"({inline(item.kind)}) " if item.kind else ""
    why = f"({inline(item.dropped)}) " if item.dropped else ""
    return (place, *((score,) if item.rank else ()), why + kind + inline(item.text, limit))


def _item_facts(item: ItemRow) -> tuple[str, ...]:
    return (f"holds: {'; '.join(inline(fact) for fact in item.facts)}",) if item.facts else ()


def _write_prompt(sheet: Sheet, trial: ExplainedTrialRow) -> None:
    if trial.prompt is None:
        told = "not told by the agent; seen in the model calls below" if trial.calls else NOT_SEEN
        sheet.line(("prompt: ", "quiet"), told, indent=2)
        return
    sheet.line(("prompt: ", "quiet"), f"{len(trial.prompt):,} characters", indent=2)
    rows = [
        Row((fact_name(fact.kind, fact.fact), prompt_word(trial, fact.fact)))
        for fact in trial.score.facts
        if fact.kind != "expectation"
    ]
    sheet.table(rows, indent=4)
    if sheet.details:
        sheet.block(pieces(trial.prompt, ()))


def prompt_word(trial: ExplainedTrialRow, fact: str) -> str:
    """Whether a fact stands in the prompt, in words; a judged one is looked for by no matcher."""
    if fact in trial.prompt_facts:
        return "stands in it"
    return "not looked for" if fact.startswith("judged: ") else "does not stand in it"


def _write_calls(sheet: Sheet, trial: ExplainedTrialRow) -> None:
    if trial.tool_calls is None:
        sheet.line(("tool calls: ", "quiet"), NOT_SEEN, indent=2)
        return
    sheet.line(("tool calls: ", "quiet"), str(len(trial.tool_calls) or "none"), indent=2)
    for call in trial.tool_calls:
        sheet.line(call_text(call, None if sheet.details else BRIEF), indent=4)


def _write_state(sheet: Sheet, trial: ExplainedTrialRow) -> None:
    """The state of the agent's world, where there is one; that of each turn stands with it."""
    if trial.state is not None and not trial.turns:
        sheet.line(("state: ", "quiet"), inline(state_text(trial.state), None if sheet.details else LONG), indent=2)


def call_text(call: dict[str, object], limit: int | None) -> str:
    """A tool call on one line, its arguments as JSON."""
    args = json.dumps(call.get("args", {}), ensure_ascii=False, default=str)
    return inline(f"{call.get('name', '?')} {args}", limit)
