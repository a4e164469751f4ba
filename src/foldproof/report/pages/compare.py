"""The page of runs side by side."""

from __future__ import annotations

from foldproof.report.documents import ComparedCase, CompareDocument, ComparedRun
from foldproof.report.figures import compared_figures
from foldproof.report.pages.tables import run_line, set_line
from foldproof.report.sheet import Row, Sheet, verdict_mark
from foldproof.report.summary import explain_command, owners_line
from foldproof.report.text import inline


def write_compare(sheet: Sheet, document: CompareDocument) -> None:
    """The runs with their numbers, then the cases on which they disagree."""
    sheet.line((f"{len(document.runs)} runs of {set_line(document.set)}", "strong"))
    sheet.blank()
    rows = [_run_row(document, place) for place in range(len(document.runs))]
    sheet.table(rows, header=("run", "pass", "error", "95 % of judged", "pass^k", "lost", "recovered", "p"))
    sheet.line(("lost, recovered and p (exact McNemar) against the first run; the numbers inform only", "quiet"))
    for column in document.runs[1:]:
        sheet.line((f"{inline(column.run.run)}: {compared_figures(column)}", "quiet"))
    sheet.blank()
    listed = [case for case in document.cases if sheet.details or is_uneven(case)]
    if listed:
        title = "cases" if sheet.details else "cases on which the runs disagree, or that do not pass in each"
        sheet.line((title, "strong"))
        header = ("case", "class", *(inline(column.run.run) for column in document.runs))
        sheet.table([_case_row(case) for case in listed], header=header)
    agreeing = len(document.cases) - len(listed)
    if agreeing:
        sheet.line(f"{agreeing} pass in every run", indent=2)
    sheet.blank()
    for column in document.runs:
        if owners_line(column.owners):
            sheet.line(f"{inline(column.run.run)} lost facts at: {owners_line(column.owners)}")
        if column.run.asked or column.run.state not in {"", "finished"}:
            sheet.line((run_line(column.run), "quiet"))
    command = compare_next(document)
    if command:
        sheet.line("see: ", (command, "strong"))


def is_uneven(case: ComparedCase) -> bool:
    """Whether this case does not pass in every run."""
    return set(case.outcomes) != {"pass"}


def compare_next(document: CompareDocument) -> str:
    """The command that shows the first case that a run lost against the first one; empty where none did."""
    return next((explain_command(column.run.run, column.lost[0]) for column in document.runs if column.lost), "")


def run_numbers(document: CompareDocument, place: int) -> tuple[str, ...]:
    """The numbers of one run as they are shown: pass, error, interval, pass^k, lost, recovered, p."""
    column = document.runs[place]
    errors = sum(case.outcomes[place] == "error" for case in document.cases)
    against = ("-", "-", "-") if place == 0 else _against_first(column)
    return (f"{column.passed} of {column.of}", str(errors), _interval(column), _pass_hat(column), *against)


def _against_first(column: ComparedRun) -> tuple[str, str, str]:
    return (str(len(column.lost)), str(len(column.recovered)), f"{column.p_value:.3f}")


def _interval(column: ComparedRun) -> str:
    if column.rate_low is None or column.rate_high is None:
        return "-"
    return f"{column.rate_low:.2f} to {column.rate_high:.2f}"


def _pass_hat(column: ComparedRun) -> str:
    return "-" if column.pass_hat_k is None else f"{column.pass_hat_k:.2f} (k = {column.k})"


def _run_row(document: CompareDocument, place: int) -> Row:
    info = document.runs[place].run
    name = f"{inline(info.config)} {inline(info.run)}" + (f" {info.control}" if info.control else "")
    return Row(((name, "strong"), *run_numbers(document, place)))


def _case_row(case: ComparedCase) -> Row:
    outcomes = [(outcome, verdict_mark(outcome)) for outcome in case.outcomes]
    return Row((inline(case.id), inline(case.case_class), *outcomes))
