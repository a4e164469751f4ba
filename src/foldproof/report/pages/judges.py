"""The pages of `foldproof judge`."""

from __future__ import annotations

from foldproof.report.judges import (
    AgreementRow,
    ControlsOfJudge,
    DisagreementRow,
    JudgeCalibrationDocument,
    JudgeInfo,
    JudgePinDocument,
    JudgeReconciliationDocument,
    PrevalenceRow,
    RateRow,
    SideRow,
)
from foldproof.report.sheet import Mark, Row, Sheet, write_list
from foldproof.report.text import BRIEF, LONG, counted, inline, pieces

_MEASURED: dict[bool, tuple[str, Mark]] = {True: ("measured. ", "good"), False: ("inconclusive. ", "unsure")}
_MARKS: dict[str, Mark] = {"accepted": "good", "blocked": "bad", "inconclusive": "unsure"}


def write_pin(sheet: Sheet, document: JudgePinDocument) -> None:
    """What is pinned, and which files say so now."""
    sheet.line(("pinned. ", "good"), inline(document.judge.title))
    _write_judge(sheet, document.judge, document.prompt)
    for path in document.written:
        sheet.line("wrote ", (inline(path), "strong"))
    if not document.written:
        sheet.line(f"{inline(document.set_file)} says so already; nothing was written")


def _write_judge(sheet: Sheet, judge: JudgeInfo, prompt: str = "") -> None:
    parameters = ", ".join(f"{inline(name)}: {inline(str(value))}" for name, value in judge.parameters.items())
    rows = [
        ("model", inline(judge.name)),
        *([("prompt", inline(prompt))] if prompt else []),
        ("sha256 of the prompt", judge.prompt_sha256),
        ("protocol", inline(judge.protocol)),
        ("sent with each question", parameters),
    ]
    sheet.table([Row(row) for row in rows])


def write_calibration(sheet: Sheet, document: JudgeCalibrationDocument) -> None:
    """How the judge did: against labels, then against its controls."""
    word, mark = _MEASURED[document.conclusive]
    sheet.line((word, mark), inline(document.judge.title))
    for reason in document.reasons:
        sheet.line(f"because {inline(reason)}", indent=2)
    sheet.blank()
    sheet.line(("against ", "strong"), (counted(document.labels, "labelled answer"), "strong"))
    sheet.table(
        [
            Row(("says met of what is (TPR)", *_rate(document.true_positives))),
            Row(("says not met of what is not (TNR)", *_rate(document.true_negatives))),
            Row(("Youden's J", "" if document.youden is None else f"{document.youden:.2f}", "")),
            Row(("agreement beyond chance, κ", *_agreement(document.kappa))),
            Row(("agreement beyond chance, AC1", *_agreement(document.ac1))),
        ]
    )
    for label, counts in document.counts.items():
        told = ", ".join(f"{inline(heard)} {count}" for heard, count in counts.items()) or "none"
        sheet.line((f"labelled {label}: ", "quiet"), told, indent=2)
    if document.first_error:
        sheet.line(("first failure: ", "unsure"), inline(document.first_error, BRIEF), indent=2)
    sheet.line(("share of accepted answers that are met: ", "quiet"), _prevalence(document.prevalence), indent=2)
    _write_controls(sheet, document.controls)
    sheet.blank()
    sheet.line(("asked now: ", "quiet"), counted(document.asked, "question"))


def _rate(row: RateRow) -> tuple[str, str]:
    if row.share is None:
        return f"{row.hits} of {row.of}", ""
    return f"{row.hits} of {row.of}", f"{row.share:.2f} ({row.low:.2f} to {row.high:.2f})"


def _agreement(row: AgreementRow | None) -> tuple[str, str]:
    return ("", "none: one label only") if row is None else ("", f"{row.value:.2f} ({row.low:.2f} to {row.high:.2f})")


def _prevalence(row: PrevalenceRow) -> str:
    plain = f"{row.passed} of {row.of} by the judge"
    if row.share is None:
        return f"{plain}; not corrected: {inline(row.reason)}"
    clamped = ", and the formula left 0 to 1: the judge does not err here as on the labels" if row.clamped else ""
    return f"{plain}; corrected for its errors {row.share:.2f} ({row.low:.2f} to {row.high:.2f}){clamped}"


def _write_controls(sheet: Sheet, controls: ControlsOfJudge | None) -> None:
    sheet.blank()
    if controls is None:
        sheet.line("the set has no judged fact, so there are no wrong answers that could be made from one")
        return
    sheet.line(("against answers made from the set's own facts", "strong"))
    kinds = controls.kinds.items()
    rows = [Row((f"{kind} answers that it lets pass", f"{passed} of {of}")) for kind, (passed, of) in kinds]
    rows.append(Row(("wrong answers that it lets pass, in all", f"{controls.wrong_passed} of {controls.wrong}")))
    rows.append(Row(("answers that state the fact and pass", f"{controls.stated_passed} of {controls.stated}")))
    if controls.unjudged:
        rows.append(Row(("without a verdict", str(controls.unjudged))))
    sheet.table(rows)
    for fact in controls.fooled:
        sheet.line("a wrong answer passed for ", inline(fact), indent=2)
    if not controls.may_gate:
        sheet.line(("may not gate: ", "bad"), inline(controls.why_not), indent=2)


def write_reconciliation(sheet: Sheet, document: JudgeReconciliationDocument) -> None:
    """The verdict, then each claim on which the judges differ, with both sides."""
    told = counted(len(document.disagreements), "disagreement")
    same = counted(document.agreed, "accepted verdict")
    sheet.line((f"{document.verdict}. ", _MARKS[document.verdict]), f"{told}, {same} the same")
    for reason in document.reasons:
        sheet.line(f"because {inline(reason, None if sheet.details else 2 * BRIEF)}", indent=2)
    sheet.table([Row(("old judge", inline(document.old))), Row(("new judge", inline(document.new.title)))])
    for row in document.disagreements:
        _write_disagreement(sheet, row)
    _write_controls(sheet, document.controls)
    if document.written:
        write_list(sheet, "wrote", [inline(path) for path in document.written])
    write_list(sheet, "next", [inline(command) for command in document.next])


def _write_disagreement(sheet: Sheet, row: DisagreementRow) -> None:
    sheet.blank()
    settled = f"settled: {row.settled}" if row.settled else "not settled"
    sheet.line((row.id, "strong"), f"   {inline(row.case)}   ", (settled, "good" if row.settled else "unsure"))
    sheet.line(("question: ", "quiet"), inline(row.question, LONG), indent=2)
    sheet.line(("fact: ", "quiet"), inline(row.fact, LONG), indent=2)
    sheet.line(("answer", "quiet"), indent=2)
    sheet.block(pieces(row.answer, (), None if sheet.details else LONG))
    for name, side in (("old", row.old), ("new", row.new)):
        sheet.line((f"{name}: ", "quiet"), _side(side), indent=2)


def _side(side: SideRow) -> str:
    quoted = f", quoting “{inline(side.quotation, BRIEF)}”" if side.quotation else ""
    reason = f": {inline(side.reason, BRIEF)}" if side.reason else ""
    return f"{side.verdict}{quoted}{reason}"
