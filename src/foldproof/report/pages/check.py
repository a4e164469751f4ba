"""The page of a check."""

from __future__ import annotations

from foldproof.report.benchmarks import DISPUTED_HEADING
from foldproof.report.corrections import CHECK_HEADER, compared_rows
from foldproof.report.documents import CheckDocument
from foldproof.report.figures import INFORMS, check_figures
from foldproof.report.pages.controls import write_controls
from foldproof.report.pages.tables import (
    run_line,
    set_line,
    write_cases,
    write_corrections,
    write_gate,
    write_losses,
    write_recall,
)
from foldproof.report.sheet import Sheet, verdict_mark, write_list
from foldproof.report.summary import (
    CHANGED,
    check_headline,
    check_losses,
    check_next,
    check_recall_rows,
    disputed_lines,
    unchanged_line,
    untold,
)
from foldproof.report.text import BRIEF, inline


def write_check(sheet: Sheet, document: CheckDocument) -> None:
    """The verdict first, but for what could make it worthless: more than the memory that differs.

    An inconclusive check says why before it lists losses, since those then prove nothing.
    """
    if document.beside_memory:
        sheet.line(("more than the memory differs:", "unsure"))
        for line in document.beside_memory:
            sheet.line(inline(line, BRIEF), indent=2)
        sheet.blank()
    sheet.line((f"{document.verdict}.", verdict_mark(document.verdict)), f" {check_headline(document)}")
    losses = check_losses(document)
    if document.verdict == "inconclusive":
        _write_reasons(sheet, document)
        sheet.blank()
        write_losses(sheet, losses, document.owners)
    else:
        write_losses(sheet, losses, document.owners)
        if losses and document.reasons:
            sheet.blank()
        _write_reasons(sheet, document)
    write_gate(sheet, document.gate)
    compared = compared_rows(document.corrections_before, document.corrections_after)
    write_corrections(sheet, compared, CHECK_HEADER)
    _write_changes(sheet, document)
    write_controls(sheet, document.controls)
    write_list(sheet, "waivers and notes", [inline(note, BRIEF) for note in document.notes])
    if document.noise:
        names = ", ".join(inline(name) for name in document.noise)
        write_list(sheet, "noise (A/A): the accepted trials of these cases disagree with each other", [names])
    write_list(sheet, DISPUTED_HEADING, disputed_lines(document))
    write_recall(sheet, check_recall_rows(document))
    _write_end(sheet, document)


def _write_reasons(sheet: Sheet, document: CheckDocument) -> None:
    """The reasons; those that the gate's table says as well are left to it, unless the reader wants everything."""
    for reason in document.reasons if sheet.details else untold(document.reasons, document.gate):
        sheet.line(f"because {inline(reason, None if sheet.details else 2 * BRIEF)}", indent=2)


def _write_changes(sheet: Sheet, document: CheckDocument) -> None:
    sheet.blank()
    # What was lost stands above, fact by fact; only a reader who asked for everything is told twice.
    listed = (*CHANGED, "kept", "failing") if sheet.details else tuple(kind for kind in CHANGED if kind != "lost")
    against = {name for row in document.gate for name in row.failed}
    rows = [
        case for case in document.cases if case.change in listed or (case.change == "failing" and case.id in against)
    ]
    if rows:
        sheet.line(("cases" if sheet.details else "otherwise changed, or against the gate", "strong"))
        write_cases(sheet, rows, (*listed, "failing"))
    sheet.line(f"unchanged: {unchanged_line(document)}")


def _write_end(sheet: Sheet, document: CheckDocument) -> None:
    sheet.blank()
    memory = [inline(line, BRIEF) for line in document.differs if line not in document.beside_memory]
    rows = [
        ("before", run_line(document.before)),
        ("after", run_line(document.after)),
        ("set", set_line(document.set)),
        ("fold", "; ".join(memory) or "the memory settings do not differ"),
    ]
    for name, words in rows:
        sheet.line((f"{name}: ", "quiet"), words)
    sheet.blank()
    write_list(sheet, INFORMS, check_figures(document))
    sheet.blank()
    sheet.line((inline(document.meaning), "quiet"))
    if check_next(document):
        sheet.line("see: ", (check_next(document), "strong"))
