"""The page that explains one case of a run, stage by stage."""

from __future__ import annotations

import json
from collections.abc import Sequence

from foldproof.report.documents import ExplainDocument, ExplainedTrialRow, ItemRow, TrialFactRow
from foldproof.report.pages.tables import run_line
from foldproof.report.sheet import Row, Sheet, verdict_mark
from foldproof.report.summary import fact_name, outcome_word
from foldproof.report.text import BRIEF, LONG, counted, inline, pieces, tail

NOT_SEEN = "not seen"
_LAST_LINES = 8


def write_explain(sheet: Sheet, document: ExplainDocument) -> None:
    """The case, then each trial: facts, answer, retrieved, memory, prompt, calls, error, log."""
    sheet.line((inline(document.id), "strong"), f"   {inline(document.case_class)}   {run_line(document.run)}")
    if document.note:
        sheet.line(("note: ", "unsure"), inline(document.note))
    sheet.line(("question: ", "quiet"), inline(document.question))
    if document.source:
        sheet.line(("stated in: ", "quiet"), ", ".join(inline(source) for source in document.source))
    for trial in document.trials:
        _write_trial(sheet, trial)


def _write_trial(sheet: Sheet, trial: ExplainedTrialRow) -> None:
    score = trial.score
    sheet.blank()
    sheet.line((f"trial {score.repeat}: ", "strong"), (score.outcome, verdict_mark(score.outcome)), effort(trial))
    sheet.table([_fact_row(fact, trial.nearest.get(fact.fact, "")) for fact in score.facts])
    _write_error(sheet, trial)
    _title(sheet, "answer")
    spans = [span for fact in score.facts for span in fact.spans]
    if score.answer:
        sheet.block(pieces(score.answer, spans, None if sheet.details else LONG))
    else:
        sheet.line("none", indent=4)
    _write_items(sheet, "retrieved", trial.memory_reads, every=True)
    _write_items(sheet, "memory before the folds", trial.store_written)
    _write_items(sheet, "memory after the folds", trial.store_kept)
    if trial.memory_writes:
        _write_items(sheet, "written while answering", trial.memory_writes)
    _write_prompt(sheet, trial)
    _write_calls(sheet, trial)
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


def _write_items(sheet: Sheet, title: str, items: Sequence[ItemRow] | None, *, every: bool = False) -> None:
    """A count, then the items that hold a fact; every one where that is asked."""
    if items is None:
        sheet.line((f"{title}: ", "quiet"), NOT_SEEN, indent=2)
        return
    holding = [item for item in items if item.facts]
    count = f"{counted(len(items), 'item')}, {len(holding)} with a fact of this case"
    sheet.line((f"{title}: ", "quiet"), count, indent=2)
    limit = None if sheet.details else BRIEF
    shown = items if every or sheet.details else holding
    sheet.table([Row(_item_cells(item, limit), _item_facts(item)) for item in shown], indent=4)


def _item_cells(item: ItemRow, limit: int | None) -> tuple[str, ...]:
    place = f"#{item.rank}" if item.rank else inline(item.id) or "-"
    score = "" if item.score is None else f"{item.score:.4g}"
    kind = f"({inline(item.kind)}) " if item.kind else ""
    return (place, *((score,) if item.rank else ()), kind + inline(item.text, limit))


def _item_facts(item: ItemRow) -> tuple[str, ...]:
    return (f"holds: {'; '.join(inline(fact) for fact in item.facts)}",) if item.facts else ()


def _write_prompt(sheet: Sheet, trial: ExplainedTrialRow) -> None:
    if trial.prompt is None:
        sheet.line(("prompt: ", "quiet"), NOT_SEEN, indent=2)
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


def call_text(call: dict[str, object], limit: int | None) -> str:
    """A tool call on one line, its arguments as JSON."""
    args = json.dumps(call.get("args", {}), ensure_ascii=False, default=str)
    return inline(f"{call.get('name', '?')} {args}", limit)
