"""The tables that several reports share: losses, the gate, changed cases, a run's own line."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from foldproof.report.benchmarks import RECALL_HEADER, RECALL_HEADING, data_word
from foldproof.report.corrections import HEADING
from foldproof.report.documents import CaseRow, GateRow
from foldproof.report.explained import RunInfo, SetInfo
from foldproof.report.sheet import Row, Sheet, verdict_mark
from foldproof.report.summary import Loss, before_after, gate_names, gate_word, owners_line, wrong_facts
from foldproof.report.text import BRIEF, counted, inline


def write_losses(sheet: Sheet, losses: Sequence[Loss], owners: Mapping[str, int]) -> None:
    """One row a lost fact, then how many each owner lost.

    The reason stands under a fact where it is there but negated, under an expectation, or where the reader wants
    everything.
    """
    sheet.table(
        [
            Row(
                ((loss.name, "strong"), (loss.change, "bad"), loss.trials, loss.case_class),
                under=(loss.reason,) if loss.reason and (sheet.details or loss.telling) else (),
            )
            for loss in losses
        ]
    )
    if losses and owners_line(owners):
        sheet.line(("who lost them: ", "quiet"), owners_line(owners), indent=2)


def write_gate(sheet: Sheet, gate: Sequence[GateRow]) -> None:
    """What each class needed and got."""
    sheet.blank()
    sheet.line(("gate", "strong"))
    if not gate:
        sheet.line("no class was held against a gate", indent=2)
    rows = [
        Row(
            (
                inline(row.case_class),
                f"{row.need} of {row.of}",
                f"{row.got} of {row.of}",
                (gate_word(row), verdict_mark(gate_word(row))),
                "; ".join(gate_names(row)),
            )
        )
        for row in gate
    ]
    sheet.table(rows, header=("class", "needed", "got", "", ""))


def write_corrections(sheet: Sheet, rows: Sequence[Sequence[str]], header: Sequence[str]) -> None:
    """First tries and corrections side by side; nothing where no case has a correction."""
    if rows:
        sheet.blank()
        sheet.line((HEADING, "strong"))
        sheet.table([Row(tuple(map(inline, row))) for row in rows], header=header)


def write_recall(sheet: Sheet, rows: Sequence[Sequence[str]]) -> None:
    """The recall of the turns named as sources; nothing where it was not seen."""
    if rows:
        sheet.blank()
        sheet.line((RECALL_HEADING, "strong"))
        sheet.table([Row(tuple(row)) for row in rows], header=RECALL_HEADER)


def write_cases(sheet: Sheet, cases: Sequence[CaseRow], changes: Collection[str]) -> None:
    """The cases of these changes, with what is wrong in them and is not told elsewhere."""
    rows = [
        Row(
            (
                inline(case.id),
                inline(case.case_class),
                (case.change, verdict_mark(case.change)),
                before_after(case),
                str(case.trials) if case.after else "",
            ),
            under=(*wrong_facts(case), *((inline(case.error, BRIEF),) if case.error else ())),
        )
        for case in cases
        if case.change in changes
    ]
    sheet.table(rows, header=("case", "class", "change", "outcome", "trials"))


def run_line(info: RunInfo) -> str:
    """A run on one line: configuration, number, state where it matters, trials, cost."""
    parts = [f"{inline(info.config)}, run {inline(info.run)}"]
    if info.control:
        parts.append(f"{info.control} control")
    if info.state and info.state != "finished":
        parts.append(inline(info.state))
    if info.asked or info.reused:
        parts.append(f"{counted(info.asked, 'trial')} asked, {info.reused} from the store")
    if info.cost_usd:
        parts.append(f"{info.cost_usd:.4f} USD")
    return ", ".join(parts)


def set_line(info: SetInfo) -> str:
    """A set on one line: name, size, hash, and the data that it was made of."""
    data = f", data {data_word(info.data)}" if info.data else ""
    return f"{inline(info.name)}, {counted(info.cases, 'case')}, {inline(info.sha256)[:12]}{data}"
