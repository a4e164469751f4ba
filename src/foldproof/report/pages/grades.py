"""The page of `sessions grade`: sessions before turns, then each failed session with its place, then transitions."""

from __future__ import annotations

from foldproof.report.grades import (
    FIRST_AID,
    TURNS_TELL,
    GradeDocument,
    GradeRow,
    agreement_words,
    failure_words,
    session_counts,
    turn_counts,
)
from foldproof.report.sheet import Mark, Row, Sheet, verdict_mark, write_list
from foldproof.report.text import BRIEF, counted, inline

SHOWN = 20
"""Sessions that are shown unless everything was asked for."""


def write_grades(sheet: Sheet, document: GradeDocument) -> None:
    """The verdict, both pass rates together, the sessions that did not meet their goal, and where they turned."""
    sheet.line((document.headline, verdict_mark(document.verdict)), f". {'; '.join(map(inline, document.reasons))}")
    sheet.line(("sessions ", "strong"), session_counts(document))
    sheet.line(("turns ", "strong"), turn_counts(document))
    sheet.line((TURNS_TELL, "quiet"), indent=2)
    if document.judge:
        told = f"{inline(document.judge)}, {counted(document.questions, 'question')}, asked now: {document.asked}"
        sheet.line(("judge ", "quiet"), told)
    if document.outcome:
        sheet.line(("verdicts from the log's own label ", "quiet"), inline(document.outcome))
    open_rows = [row for row in document.rows if row.verdict != "met"]
    shown = open_rows if sheet.details else open_rows[:SHOWN]
    for row in shown:
        _write_row(sheet, row)
    if len(open_rows) > len(shown):
        sheet.blank()
        sheet.line(f"… and {counted(len(open_rows) - len(shown), 'further session')}: --details, or --json")
    _write_counts(sheet, document)
    write_list(sheet, "notes", [inline(note, 2 * BRIEF) for note in document.notes])


def _write_row(sheet: Sheet, row: GradeRow) -> None:
    sheet.blank()
    mark: Mark = "bad" if row.verdict == "not met" else "unsure"
    reason = f": {inline(row.reason, BRIEF)}" if row.reason and row.verdict != "unknown" else ""
    word = "no verdict" if row.verdict == "unknown" else row.verdict
    sheet.line((inline(row.id), "strong"), "  ", (word, mark), reason)
    for line in failure_words(row):
        sheet.line(inline(line, 2 * BRIEF), indent=4 if line.startswith(" ") else 2)
    if row.failure is not None and row.failure.cut:
        sheet.line(("cut it: ", "quiet"), inline(row.failure.cut), indent=2)


def _write_counts(sheet: Sheet, document: GradeDocument) -> None:
    if document.transitions:
        sheet.blank()
        sheet.line(("last good step, first failure", "strong"))
        cells = [
            Row((inline(row.last_good), inline(row.first_failure), row.by, str(row.sessions)))
            for row in document.transitions
        ]
        sheet.table(cells, header=("last good", "first failure", "by", "sessions"))
    if told := agreement_words(document):
        sheet.line(told)
    if document.doubted:
        sheet.line(f"sessions in which the judge's answers leave a doubt about the step: {document.doubted}")
    if document.signs:
        sheet.blank()
        sheet.line(("sessions that hold a sign of a kind", "strong"))
        sheet.table([Row((kind, str(count))) for kind, count in document.signs.items()])
        sheet.line((FIRST_AID, "quiet"), indent=2)
