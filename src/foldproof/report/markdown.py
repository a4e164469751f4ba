"""Documents as GitHub-flavoured Markdown, for a comment on a pull request or a job's summary.

The first line is a comment that no reader sees: a bot finds its own earlier comment by it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from foldproof.report.benchmarks import DISPUTED_HEADING, RECALL_HEADER, RECALL_HEADING, data_word, recall_rows
from foldproof.report.controls import (
    HEADINGS,
    RETENTION,
    ControlsPart,
    findings_of,
    retention_counts,
    retention_word,
)
from foldproof.report.corrections import CHECK_HEADER, HEADING, RUN_HEADER, compared_rows, run_rows
from foldproof.report.documents import CaseRow, CheckDocument, CompareDocument, GateRow, RunDocument
from foldproof.report.explained import ExplainDocument, ExplainedTrialRow, ItemRow, RunInfo, SetInfo
from foldproof.report.figures import INFORMS, check_figures, compared_figures, run_figure_lines
from foldproof.report.judged import judged_lines
from foldproof.report.markup import code, codes, fenced, folded, table, words
from foldproof.report.pages.compare import compare_next, is_uneven, run_numbers
from foldproof.report.pages.explain import NOT_SEEN, call_text, effort, forget_word, prompt_word
from foldproof.report.pages.frozen import frozen_lines
from foldproof.report.pages.stages import call_title, stage_words, trace_word
from foldproof.report.pages.turns import SPEAKERS, close_word, listing_lines, state_text, turn_lines
from foldproof.report.summary import (
    CHANGED,
    Loss,
    before_after,
    check_headline,
    check_losses,
    check_next,
    check_recall_rows,
    disputed_lines,
    fact_name,
    first_error,
    gate_names,
    gate_word,
    owners_line,
    run_headline,
    run_losses,
    run_next,
    unchanged_line,
    wrong_facts,
)
from foldproof.report.text import LONG, counted, tail

_LAST_LINES = 8


def marker(name: str) -> str:
    """The hidden first line by which a bot finds its own comment again."""
    return f"<!-- foldproof:{name} -->"


def markdown_check(document: CheckDocument) -> str:
    """A check: the verdict and its reasons, the lost facts, the gate, the changed cases; kept ones folded away."""
    lines = [marker("check")]
    if document.beside_memory:
        lines += ["**More than the memory differs:**", "", *_bullets(code(line) for line in document.beside_memory)]
    lines += [f"## foldproof check: {document.verdict}", "", f"{check_headline(document)}.", ""]
    lines += _bullets(words(reason) for reason in document.reasons)
    lines += _losses("Lost facts", check_losses(document), document.owners)
    lines += _gate(document.gate)
    lines += _corrections(compared_rows(document.corrections_before, document.corrections_after), CHECK_HEADER)
    changed = [case for case in document.cases if case.change in CHANGED]
    if changed:
        lines += ["### Changed cases", "", *_changes(changed)]
    same = [case for case in document.cases if case.change not in CHANGED]
    lines += folded(f"unchanged: {unchanged_line(document)}", _changes(same))
    lines += _controls(document.controls)
    if document.notes:
        lines += ["### Waivers and notes", "", *_bullets(words(note) for note in document.notes)]
    if document.noise:
        lines += [f"Noise (A/A): the accepted trials of these cases disagree: {codes(document.noise)}", ""]
    memory = [line for line in document.differs if line not in document.beside_memory]
    lines += [
        f"Before: {_run(document.before)}. After: {_run(document.after)}. Set: {_set(document.set)}.",
        "",
        f"Fold: {codes(memory) or 'the memory settings do not differ'}",
        "",
    ]
    lines += _disputed(disputed_lines(document))
    lines += _recall(check_recall_rows(document))
    lines += _figures(check_figures(document))
    lines += [words(document.meaning), "", *_see(check_next(document))]
    return _joined(lines)


def markdown_run(document: RunDocument) -> str:
    """One run: the verdict and its reasons, what is not right, the gate; passing cases folded away."""
    lines = [marker("run"), f"## foldproof run: {document.verdict}", "", f"{run_headline(document)}.", ""]
    lines += _bullets(words(reason) for reason in document.reasons)
    lines += _losses("Facts that are not right", run_losses(document), document.owners)
    errors = [case for case in document.cases if first_error(case)]
    if errors:
        rows = [[code(case.id), code(case.case_class), code(first_error(case))] for case in errors]
        lines += ["### Without a judgement", "", *table(["case", "class", "error"], rows)]
    lines += _gate(document.gate)
    lines += _corrections(run_rows(document.corrections), RUN_HEADER)
    passing = [[code(case.id), code(case.case_class)] for case in document.cases if case.outcome == "pass"]
    lines += folded(f"{counted(len(passing), 'case')} that pass", table(["case", "class"], passing))
    judged = [[code(line.case), code(line.fact), code(line.told)] for line in judged_lines(document)]
    if judged:
        lines += folded(counted(len(judged), "judged fact"), table(["case", "fact", "what the judge says"], judged))
    lines += _bullets(words(note) for note in document.notes)
    lines += _disputed(disputed_lines(document))
    lines += _recall(recall_rows(document.recall))
    lines += [f"Run: {_run(document.run)}. Set: {_set(document.set)}.", ""]
    lines += [*_figures(run_figure_lines(document)), *_see(run_next(document))]
    return _joined(lines)


def markdown_compare(document: CompareDocument) -> str:
    """Runs side by side: the numbers, the cases on which they disagree; the others folded away."""
    lines = [marker("compare"), f"## foldproof compare: {counted(len(document.runs), 'run')}", ""]
    header = ["run", "pass", "error", "95 % of judged", "pass^k", "lost", "recovered", "p"]
    rows = [
        [f"{code(column.run.config)} {code(column.run.run)}", *run_numbers(document, place)]
        for place, column in enumerate(document.runs)
    ]
    lines += table(header, rows)
    lines += ["Lost, recovered and p (exact McNemar) against the first run; the numbers inform only.", ""]
    lines += _bullets(f"{code(column.run.run)}: {compared_figures(column)}" for column in document.runs[1:])
    names = ["case", "class", *(code(column.run.run) for column in document.runs)]
    cells = {case.id: [code(case.id), code(case.case_class), *case.outcomes] for case in document.cases}
    uneven = [case.id for case in document.cases if is_uneven(case)]
    if uneven:
        lines += ["### Cases that do not pass in every run", "", *table(names, [cells[name] for name in uneven])]
    even = [row for name, row in cells.items() if name not in set(uneven)]
    lines += folded(f"{counted(len(even), 'case')} that pass in every run", table(names, even))
    lines += [f"Set: {_set(document.set)}.", "", *_see(compare_next(document))]
    return _joined(lines)


def markdown_explain(document: ExplainDocument) -> str:
    """The evidence of one case, stage by stage; long parts folded away."""
    lines = [marker("explain"), f"## foldproof explain: {code(document.id)}", ""]
    lines += [f"Class {code(document.case_class)}. Run: {_run(document.run)}.", ""]
    if document.note:
        lines += [f"Note: {words(document.note)}", ""]
    before = (line for turn in document.frozen for line in frozen_lines(turn))
    lines += folded("frozen before the question", _bullets(f"{who}: {code(text, LONG)}" for who, text in before))
    lines += [f"Question: {code(document.question, LONG)}", ""]
    if document.source:
        lines += [f"Stated in: {codes(document.source)}", ""]
    if document.forget:
        lines += [f"Must forget: {code(forget_word(document.forget), LONG)}", ""]
    for trial in document.trials:
        lines += _trial(trial)
    return _joined(lines)


def _trial(trial: ExplainedTrialRow) -> list[str]:
    score = trial.score
    lines = [f"### Trial {score.repeat}: {score.outcome}{effort(trial)}", ""]
    rows = [
        [code(fact.fact), fact.kind, fact.outcome, "yes" if fact.ok else "no", _remark(trial, fact.fact, fact.reason)]
        for fact in score.facts
    ]
    lines += table(["fact", "kind", "outcome", "right", "remark"], rows)
    if score.error:
        lines += [f"Error: {code(score.error, LONG)}", ""]
        lines += folded("traceback", [fenced(tail(trial.traceback, _LAST_LINES))] if trial.traceback else [])
    lines += _bullets(f"fault of the simulated user: {code(fault, LONG)}" for fault in score.faults)
    for turn in trial.turns:
        fresh = " (not a fresh context)" if turn.fresh is False else ""
        head = ", ".join([turn.name, *(words(text) for text in (turn.whose, turn.at) if text)])
        lines += [f"#### {head}{fresh}", ""]
        told = [(SPEAKERS[turn.speaker], turn.user), ("agent", turn.answer), *turn_lines(turn)]
        lines += _bullets(f"{title}: {code(text, LONG) if text else '(none)'}" for title, text in told)
        lines += _bullets(filter(None, [close_word(turn)]))
        lines += _bullets(f"{code(fact.fact)}: {fact.outcome}" for fact in turn.facts)
        lines += _bullets(f"{title}: {code(text, LONG)}" for title, text in listing_lines(turn))
    for trace in trial.traces:
        stages = [
            [row.stage, row.presence, code(row.place) if row.place else "", code(stage_words(row)) if row.text else ""]
            for row in trace.stages
        ]
        title = f"{code(fact_name(trace.kind, trace.fact))}: {words(trace_word(trace))}"
        lines += [f"#### {title}", "", *table(["stage", "", "where", "words"], stages)]
    lines += _bullets(f"sources disagree: {words(line)}" for line in trial.disagreements)
    spans = [span for fact in score.facts for span in fact.spans]
    lines += ["Answer:", "", fenced(score.answer, spans) if score.answer else "(none)", ""]
    reads = trial.memory_reads
    passed_over = [item for item in reads or () if item.dropped]
    for title, items in (
        ("Retrieved", reads and [item for item in reads if not item.dropped]),
        *((("Passed over", passed_over),) if any(item.facts for item in passed_over) else ()),
        ("Memory before the folds", trial.store_written),
        ("Memory after the folds", trial.store_kept),
        ("Written while answering", trial.memory_writes),
    ):
        lines += _items(title, items)
    lines += _prompt(trial)
    for number, call in enumerate(trial.calls, 1):
        title = call_title(call, number, len(trial.calls))
        lines += folded(
            title, [fenced(call.prompt), "Answer:", "", fenced(call.answer) if call.answer else "(none)", ""]
        )
    calls = trial.tool_calls
    lines += [f"Tool calls: {NOT_SEEN if calls is None else len(calls) or 'none'}", ""]
    lines += _bullets(code(call_text(call, None)) for call in calls or ())
    if trial.state is not None and not trial.turns:
        lines += [f"State: {code(state_text(trial.state), LONG)}", ""]
    lines += _bullets(words(note) for note in trial.notes)
    return lines + folded("log", [fenced(tail(trial.log, _LAST_LINES))] if trial.log.strip() else [])


def _remark(trial: ExplainedTrialRow, fact: str, reason: str) -> str:
    nearest = trial.nearest.get(fact)
    parts = [code(reason)] if reason else []
    return "; ".join([*parts, f"nearest: {code(nearest)}"] if nearest else parts)


def _items(title: str, items: Sequence[ItemRow] | None) -> list[str]:
    if items is None:
        return [f"{title}: {NOT_SEEN}", ""]
    rows = [
        [
            str(item.rank or ""),
            "" if item.score is None else f"{item.score:.4g}",
            code(item.text),
            codes(item.facts),
        ]
        for item in items
        if item.facts or item.rank
    ]
    holding = sum(bool(item.facts) for item in items)
    count = f"{title}: {counted(len(items), 'item')}, {holding} with a fact of this case"
    return folded(count, table(["rank", "score", "item", "holds"], rows)) or [count, ""]


def _prompt(trial: ExplainedTrialRow) -> list[str]:
    if trial.prompt is None:
        return [f"Prompt: {NOT_SEEN}", ""]
    rows = [
        [code(fact.fact), prompt_word(trial, fact.fact)] for fact in trial.score.facts if fact.kind != "expectation"
    ]
    return folded(f"Prompt: {len(trial.prompt):,} characters", [*table(["fact", "prompt"], rows), fenced(trial.prompt)])


def _losses(title: str, losses: Sequence[Loss], owners: Mapping[str, int]) -> list[str]:
    rows = [
        [code(loss.case), code(loss.fact) if loss.fact else "", words(loss.change), words(loss.trials),
         code(loss.case_class), code(loss.reason) if loss.reason else ""]
        for loss in losses
    ]  # fmt: skip
    lines = table(["case", "fact", "change", "trials", "class", "reason"], rows)
    who = [f"Who lost them: {owners_line(owners)}.", ""] if owners_line(owners) else []
    return [f"### {title}", "", *lines, *who] if lines else []


def _gate(gate: Sequence[GateRow]) -> list[str]:
    rows = [
        [code(row.case_class), f"{row.need} of {row.of}", f"{row.got} of {row.of}", gate_word(row),
         "; ".join(words(part, None) for part in gate_names(row))]
        for row in gate
    ]  # fmt: skip
    lines = table(["class", "needed", "got", "", "cases"], rows) or ["no class was held against a gate", ""]
    return ["### Gate", "", *lines]


def _corrections(rows: Sequence[Sequence[str]], header: Sequence[str]) -> list[str]:
    lines = table(list(header), [[code(row[0]), *row[1:]] for row in rows])
    return [f"### {HEADING[0].upper()}{HEADING[1:]}", "", *lines] if lines else []


def _controls(part: ControlsPart | None) -> list[str]:
    if part is None:
        return []
    lines = [f"### Controls of {code(part.config)} (they inform)", ""]
    header = ["class", "unplugged", "memory", "oracle", "full context", "effective retention"]
    rows = [[code(row.case_class), *retention_counts(row), words(retention_word(row), None)] for row in part.retention]
    if rows:
        lines += [*table(header, rows), f"{RETENTION}.", ""]
    for finding, heading in HEADINGS.items():
        found = [
            [code(row.id), code(row.case_class), row.control, code(row.reason)] for row in findings_of(part, finding)
        ]
        if found:
            lines += [f"{heading}:", "", *table(["case", "class", "control", "reason"], found)]
    return [*lines, *_bullets(words(note) for note in part.notes)]


def _changes(cases: Sequence[CaseRow]) -> list[str]:
    rows = [
        [code(case.id), code(case.case_class), case.change, before_after(case), str(case.trials),
         "; ".join(code(part) for part in (*wrong_facts(case), *filter(None, [case.error])))]
        for case in cases
    ]  # fmt: skip
    return table(["case", "class", "change", "outcome", "trials", "remark"], rows)


def _figures(lines: Sequence[str]) -> list[str]:
    return [f"{INFORMS}:", "", *_bullets(lines)] if lines else []


def _disputed(lines: Iterable[str]) -> list[str]:
    found = _bullets(words(line) for line in lines)
    return [f"### {DISPUTED_HEADING[0].upper()}{DISPUTED_HEADING[1:]}", "", *found] if found else []


def _recall(rows: Sequence[Sequence[str]]) -> list[str]:
    return folded(RECALL_HEADING, table(list(RECALL_HEADER), [list(row) for row in rows])) if rows else []


def _bullets(entries: Iterable[str]) -> list[str]:
    lines = [f"- {entry}" for entry in entries]
    return [*lines, ""] if lines else []


def _see(command: str) -> list[str]:
    return [f"See: {code(command, None)}"] if command else []


def _run(info: RunInfo) -> str:
    control = f" ({info.control} control)" if info.control else ""
    return f"{code(info.config)}, run {code(info.run)}{control}"


def _set(info: SetInfo) -> str:
    data = f", data {code(data_word(info.data))}" if info.data else ""
    return f"{code(info.name)}, {counted(info.cases, 'case')}, {code(info.sha256[:12])}{data}"


def _joined(lines: Sequence[str]) -> str:
    return "\n".join(lines).rstrip("\n") + "\n"
