"""The short pages: lint, doctor, match, files."""

from __future__ import annotations

from foldproof.report.documents import DoctorDocument, FilesDocument, Finding, LintDocument, MatchDocument, ProblemRow
from foldproof.report.pages.tables import set_line
from foldproof.report.sheet import Mark, Row, Sheet, verdict_mark, write_list
from foldproof.report.text import LONG, clean, counted, inline, pieces


def write_lint(sheet: Sheet, document: LintDocument) -> None:
    """One paragraph a problem: place, what is wrong, what to do; last the counts."""
    for problem in document.problems:
        _write_problem(sheet, problem)
    sheet.blank()
    where = f" in {set_line(document.set)}" if document.set else ""
    if not document.problems:
        sheet.line(("ok.", "good"), f" nothing is wrong{where}")
        return
    counts = f"{counted(document.errors, 'error')}, {counted(document.warnings, 'warning')}"
    sheet.line((counts, "bad" if document.errors else "unsure"), where)


def _write_problem(sheet: Sheet, problem: ProblemRow) -> None:
    place = f"{inline(problem.file)}:{problem.line}" if problem.line else inline(problem.file)
    mark: Mark = "bad" if problem.severity == "error" else "unsure"
    rule: tuple[str, Mark] = (f" [{inline(problem.rule)}]" if problem.rule else "", "quiet")
    sheet.line((f"{place}: ", "strong"), (problem.severity, mark), f": {inline(problem.message)}", rule)
    for part in clean(problem.hint).split("\n"):
        if part.strip():
            sheet.line(part.strip(), indent=2 + len(part) - len(part.lstrip()))
    sheet.blank()


def write_doctor(sheet: Sheet, document: DoctorDocument) -> None:
    """One row a finding, its remedy under it; last the whole."""
    sheet.table([_finding_row(finding) for finding in document.findings], indent=0)
    sheet.blank()
    missing = sum(finding.ok is False for finding in document.findings)
    if document.ok:
        sheet.line(("ok.", "good"), " everything that is needed is there")
    else:
        sheet.line(("not ready.", "bad"), f" {counted(missing, 'thing')} to set right")


def _finding_row(finding: Finding) -> Row:
    word = {True: "ok", False: "missing", None: "optional"}[finding.ok]
    remedy = tuple(inline(part) for part in finding.remedy.splitlines() if part.strip())
    return Row((inline(finding.name), (word, verdict_mark(word)), inline(finding.detail)), under=remedy)


def write_match(sheet: Sheet, document: MatchDocument) -> None:
    """The outcome, the reason, the text with its hits, the nearest words."""
    sheet.line((f"{document.outcome}.", verdict_mark(document.outcome)), f" {inline(document.fact)}")
    if document.reason:
        sheet.line(inline(document.reason), indent=2)
    if document.text:
        sheet.block(pieces(document.text, document.spans, None if sheet.details else LONG))
    if document.nearest:
        sheet.line(f"nearest: {inline(document.nearest)}", indent=2)


def write_files(sheet: Sheet, document: FilesDocument) -> None:
    """The files, the notes, the commands to type next."""
    if not document.written:
        sheet.line("nothing was written")
    for path in document.written:
        sheet.line("wrote ", (inline(path), "strong"))
    write_list(sheet, "notes", [inline(note) for note in document.notes])
    write_list(sheet, "next", [inline(command) for command in document.next])
