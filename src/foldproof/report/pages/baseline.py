"""The page of a baseline."""

from __future__ import annotations

from collections import Counter

from foldproof.report.documents import BaselineDocument
from foldproof.report.pages.controls import write_controls
from foldproof.report.pages.tables import set_line, write_cases
from foldproof.report.sheet import Part, Sheet, write_list
from foldproof.report.summary import CHANGED
from foldproof.report.text import BRIEF, counted, inline


def write_baseline(sheet: Sheet, document: BaselineDocument) -> None:
    """What the file holds or would hold, and what accepting it changes."""
    state: Part = ("accepted.", "good") if document.accepted else ("proposed.", "unsure")
    sheet.line(state, f" {inline(document.file)}: {inline(document.config)}, run {inline(document.run)}")
    sheet.line(f"set: {set_line(document.set)}", indent=2)
    if document.replaces:
        sheet.line(f"replaces the baseline of run {inline(document.replaces)}", indent=2)
    write_list(sheet, "warnings", [inline(warning, BRIEF) for warning in document.warnings])
    if document.changes:
        sheet.blank()
        sheet.line(("cases" if document.accepted else "what changes", "strong"))
        listed = (*CHANGED, "kept", "failing") if sheet.details else CHANGED
        # In a first baseline everything is new: only what does not pass needs a look.
        rows = [case for case in document.changes if document.replaces or sheet.details or case.after != "pass"]
        write_cases(sheet, rows, listed)
        counts = Counter(case.change for case in document.changes)
        sheet.line(", ".join(f"{number} {change}" for change, number in sorted(counts.items())), indent=2)
    if document.noise:
        title = f"noise (A/A): the trials of {counted(len(document.noise), 'case')} disagree with each other"
        write_list(sheet, title, [", ".join(inline(name) for name in document.noise)])
    if document.vacuous:
        title = "vacuous: these pass with the memory cut off, so they test nothing"
        write_list(sheet, title, [", ".join(inline(name) for name in document.vacuous)])
    write_controls(sheet, document.controls)
