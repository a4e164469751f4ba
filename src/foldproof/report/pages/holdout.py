"""The pages of the holdout: counts and a verdict, the log."""

from __future__ import annotations

from foldproof.report.holdout import HoldoutClass, HoldoutDocument, HoldoutLogDocument
from foldproof.report.sheet import Part, Row, Sheet, verdict_mark, write_list
from foldproof.report.text import counted, inline


def write_holdout(sheet: Sheet, document: HoldoutDocument) -> None:
    """The verdict, why, the classes, which opening it was."""
    passed, cases = (sum(getattr(row, name) for row in document.classes) for name in ("passed", "cases"))
    headline = f" {passed} of {counted(cases, 'case')} of the holdout pass on {inline(document.config)}"
    sheet.line((f"{document.verdict}.", verdict_mark(document.verdict)), headline)
    for reason in document.reasons:
        sheet.line(f"because {inline(reason)}", indent=2)
    sheet.blank()
    sheet.table(
        [_class_row(row) for row in document.classes], header=("class", "needed", "passed", "failed", "unjudged")
    )
    errors = [f"{inline(kind)}: {counted(count, 'trial')}" for kind, count in sorted(document.errors.items())]
    write_list(sheet, "errors", errors)
    write_list(sheet, "notes", [inline(note) for note in document.notes])
    sheet.blank()
    most = "" if document.most_openings is None else f" of at most {document.most_openings}"
    sheet.line(f"opening {document.opening}{most}, told in ", (inline(document.log), "strong"), ": commit it")


def _class_row(row: HoldoutClass) -> Row:
    need = "" if row.need is None else f"{row.need} of {row.cases}"
    return Row((inline(row.case_class), need, str(row.passed), str(row.failed), str(row.unjudged)))


def write_holdout_log(sheet: Sheet, document: HoldoutLogDocument) -> None:
    """What is wrong with the log, then its lines."""
    for problem in document.problems:
        told, *remedy = problem.splitlines()
        sheet.line(("wrong: ", "bad"), inline(told))
        for line in remedy:
            sheet.line(inline(line), indent=2)
    for entry in document.entries:
        what = " ".join(filter(None, (entry.config, entry.verdict)))
        commit = entry.commit[:12] or "no commit"
        line = f"{entry.number} {entry.act} {entry.at[:16]}, {entry.who or 'nobody'}, {commit}{what and ': '}{what}"
        sheet.line(inline(line))
    sheet.blank()
    most = "" if document.most_openings is None else f" of at most {document.most_openings}"
    state: Part = ("ok.", "good") if document.ok else ("not whole.", "bad")
    if not document.ok and not document.entries:
        sheet.line(state, " its lines cannot be relied on, so openings are not counted")
        return
    sheet.line(state, f" {counted(len(document.entries), 'line')}, opened {counted(document.openings, 'time')}{most}")
