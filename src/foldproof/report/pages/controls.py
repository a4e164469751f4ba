"""The part of a page that shows the controls."""

from __future__ import annotations

from foldproof.compare.retention import Finding
from foldproof.report.controls import (
    HEADINGS,
    RETENTION,
    ControlsPart,
    FindingRow,
    RetentionRow,
    findings_of,
    retention_counts,
    retention_word,
)
from foldproof.report.sheet import Row, Sheet
from foldproof.report.text import BRIEF, inline


def write_controls(sheet: Sheet, part: ControlsPart | None) -> None:
    """The retention of each class, then what the controls found; nothing where none were asked for."""
    if part is None:
        return
    sheet.blank()
    sheet.line(("controls of ", "strong"), (inline(part.config), "strong"), " (they inform)")
    if part.retention:
        header = ("class", "unplugged", "memory", "oracle", "full context", "effective retention")
        sheet.table([_row(row) for row in part.retention], header=header)
        sheet.line((RETENTION, "quiet"), indent=2)
    for finding, heading in HEADINGS.items():
        found = findings_of(part, finding)
        if found:
            sheet.line(heading, indent=2)
            sheet.table([_finding(row, finding) for row in found], indent=4)
    for note in part.notes:
        sheet.line(inline(note, 2 * BRIEF), indent=2)
    if part.runs:
        runs = ", ".join(f"{inline(run.control)} {inline(run.run)}" for run in part.runs)
        sheet.line(("runs: ", "quiet"), runs, indent=2)


def _row(row: RetentionRow) -> Row:
    return Row((inline(row.case_class), *retention_counts(row), inline(retention_word(row))))


def _finding(row: FindingRow, finding: Finding) -> Row:
    control = (inline(row.control),) if finding == "unjudged" else ()
    return Row((inline(row.id), inline(row.case_class), *control, inline(row.reason, 2 * BRIEF)))
