"""The page of one run."""

from __future__ import annotations

from foldproof.report.benchmarks import DISPUTED_HEADING, recall_rows
from foldproof.report.corrections import RUN_HEADER, run_rows
from foldproof.report.documents import RunDocument, ScoredCase
from foldproof.report.figures import INFORMS, run_figure_lines
from foldproof.report.judged import judged_lines
from foldproof.report.pages.tables import run_line, set_line, write_corrections, write_gate, write_losses, write_recall
from foldproof.report.sheet import Row, Sheet, verdict_mark, write_list
from foldproof.report.summary import disputed_lines, first_error, run_headline, run_losses, run_next, untold
from foldproof.report.text import BRIEF, LONG, counted, inline, pieces


def write_run(sheet: Sheet, document: RunDocument) -> None:
    """The verdict, why, what is not right, the gate; with details every answer."""
    sheet.line((f"{document.verdict}.", verdict_mark(document.verdict)), f" {run_headline(document)}")
    for reason in document.reasons if sheet.details else untold(document.reasons, document.gate):
        sheet.line(f"because {inline(reason, None if sheet.details else 2 * BRIEF)}", indent=2)
    losses = run_losses(document)
    if losses:
        sheet.blank()
        sheet.line(("facts that are not right", "strong"))
        write_losses(sheet, losses, document.owners)
    errors = [case for case in document.cases if first_error(case)]
    if errors:
        sheet.blank()
        sheet.line(("without a judgement", "strong"))
        sheet.table([_error_row(case) for case in errors])
    if not document.run.control:
        write_gate(sheet, document.gate)
    write_corrections(sheet, run_rows(document.corrections), RUN_HEADER)
    judged = judged_lines(document)
    if judged:
        sheet.blank()
        sheet.line(("judged facts", "strong"))
        sheet.table([Row((inline(line.case), inline(line.fact)), (inline(line.told, BRIEF),)) for line in judged])
    if sheet.details:
        _write_answers(sheet, document)
    write_list(sheet, "notes", [inline(note, BRIEF) for note in document.notes])
    write_list(sheet, DISPUTED_HEADING, disputed_lines(document))
    write_recall(sheet, recall_rows(document.recall))
    sheet.blank()
    sheet.line(("run: ", "quiet"), run_line(document.run))
    sheet.line(("set: ", "quiet"), set_line(document.set))
    write_list(sheet, INFORMS, run_figure_lines(document))
    sheet.blank()
    if run_next(document):
        sheet.line("see: ", (run_next(document), "strong"))


def _error_row(case: ScoredCase) -> Row:
    errors = sum(trial.outcome == "error" for trial in case.trials)
    trials = f"{errors} of {counted(len(case.trials), 'trial')}"
    return Row((inline(case.id), ("error", "unsure"), trials, inline(case.case_class)), under=(first_error(case),))


def _write_answers(sheet: Sheet, document: RunDocument) -> None:
    for case in document.cases:
        sheet.blank()
        outcome = (case.outcome, verdict_mark(case.outcome))
        sheet.line((inline(case.id), "strong"), f"   {inline(case.case_class)}   ", outcome)
        sheet.line(inline(case.question), indent=2)
        for trial in case.trials:
            sheet.line((f"trial {trial.repeat}: {trial.outcome}", "quiet"), indent=2)
            spans = [span for fact in trial.facts for span in fact.spans]
            if trial.error:
                sheet.line(inline(trial.error, LONG), indent=4)
            sheet.block(pieces(trial.answer, spans))
