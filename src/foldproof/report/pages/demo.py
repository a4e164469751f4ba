"""The page of the demo: one table for all candidates, what each lost, and what to type next."""

from __future__ import annotations

from foldproof.report.documents import CheckDocument, DemoDocument
from foldproof.report.sheet import Part, Row, Sheet, verdict_mark, write_list
from foldproof.report.summary import check_losses, gate_word
from foldproof.report.text import counted, inline


def write_demo(sheet: Sheet, document: DemoDocument) -> None:
    """The gate over the candidates, then the lost facts of each, a line a case."""
    first = document.checks[0]
    asked = f"{counted(first.set.cases, 'question')} about what users said, asked of `{inline(first.before.config)}`"
    sheet.line(f"{asked} and of {counted(len(document.checks), 'candidate')}. Cases with all their named facts:")
    sheet.blank()
    header = ["class", "needed", *(inline(check.after.config) for check in document.checks)]
    rows = [
        Row((inline(row.case_class), f"{row.need} of {row.of}", *(_cell(check, at) for check in document.checks)))
        for at, row in enumerate(first.gate)
    ]
    verdicts = [(check.verdict, verdict_mark(check.verdict)) for check in document.checks]
    sheet.table([*rows, Row((("verdict", "strong"), "", *verdicts))], header=header)
    for check in document.checks:
        _write_lost(sheet, check)
    sheet.blank()
    sheet.line((inline(first.meaning), "quiet"))
    write_list(
        sheet, f"the project stands in {inline(document.folder)}; next", [inline(line) for line in document.next]
    )


def _cell(check: CheckDocument, at: int) -> Part:
    row = check.gate[at]
    word = gate_word(row)
    return (f"{row.got} {word}", verdict_mark(word))


def _write_lost(sheet: Sheet, check: CheckDocument) -> None:
    """One line a case, with its facts."""
    losses = check_losses(check)
    sheet.blank()
    title = f"{inline(check.after.config)}: {counted(len(losses), 'fact')} lost"
    sheet.line((title, "strong"), f", {counted(sum(case.change == 'kept' for case in check.cases), 'case')} kept")
    cases = {loss.case: loss.case_class for loss in losses}
    facts = {case: [loss.fact for loss in losses if loss.case == case] for case in cases}
    sheet.table([Row((case_class, case, "; ".join(facts[case]))) for case, case_class in cases.items()])
