"""The pages of `label`: a line to be labelled, what a sitting gave, and how far labellers agree."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from foldproof.cliff import Line, Question
from foldproof.report.judges import AgreementRow
from foldproof.report.labels import LabelAgreementDocument, LabellersRow, LabellingDocument
from foldproof.report.sheet import Row, Sheet, write_list
from foldproof.report.text import LONG, Piece, counted, inline, pieces

_SHOWN = 12


@dataclass(frozen=True, slots=True)
class LabelScreen:
    """A line as it is put to a labeller: where in the sitting it is, and what each key does."""

    question: Question
    number: int
    of: int
    keys: tuple[tuple[str, str], ...]


def write_question(sheet: Sheet, screen: LabelScreen) -> None:
    """The line with those around it, then the keys. Of what others said only when it is to be settled."""
    question = screen.question
    sheet.line((f"{screen.number} of {screen.of}  ", "strong"), inline(question.line.document),
               (f"  line {question.line.place}", "quiet"))  # fmt: skip
    if question.heading:
        sheet.line(("under ", "quiet"), inline(question.heading, LONG), indent=2)
    sheet.blank()
    _write_around(sheet, question.before)
    sheet.block([Piece("> "), *_cut(question.line)], indent=2)
    _write_around(sheet, question.after)
    sheet.blank()
    for name, cls in question.given:
        sheet.line((f"{inline(name)} said ", "quiet"), cls, indent=2)
    sheet.line(*_keys(screen.keys))


def _write_around(sheet: Sheet, lines: Iterable[Line]) -> None:
    for line in lines:
        sheet.line((inline(line.text, LONG // 4), "quiet"), indent=4)


def _cut(line: Line) -> list[Piece]:
    return pieces(" ".join(line.text.split()), (), LONG)


def _keys(keys: Sequence[tuple[str, str]]) -> list[str]:
    return ["  ".join(f"{key} {name}" for key, name in keys)]


def write_labelling(sheet: Sheet, document: LabellingDocument) -> None:
    """How much was labelled, what the file has now, and what is left."""
    if document.written:
        sheet.line("wrote ", (inline(document.written), "strong"), f", {counted(document.left, 'line')} to be labelled")
    else:
        done, who = ("labelled", f" for {inline(document.labeller)}") if document.labeller else ("settled", "")
        sheet.line((f"{done} {document.given}. ", "good"), f"{document.left} left{who}")
    told = ", ".join(f"{inline(name)} {count}" for name, count in document.classes.items()) or "none"
    of = f"{counted(document.labels, 'label')} of {counted(document.documents, 'document')}"
    sheet.line((f"{inline(document.file)} has {of}: ", "quiet"), told)
    write_list(sheet, "next", [inline(step) for step in document.next])


def write_label_agreement(sheet: Sheet, document: LabelAgreementDocument) -> None:
    """For each two labellers: the coefficients, the table of classes, and the lines on which they differ."""
    for pair in document.pairs:
        _write_pair(sheet, pair)
    sheet.blank()
    sheet.line(f"{counted(document.unsettled, 'line')} to be settled", ", nothing is decided by these figures")
    write_list(sheet, "next", [inline(step) for step in document.next])


def _write_pair(sheet: Sheet, pair: LabellersRow) -> None:
    sheet.line((f"{inline(pair.first)} and {inline(pair.second)}: ", "strong"), counted(pair.of, "line"),
               f", the same class for {pair.agreed}")  # fmt: skip
    rows = [("all classes", pair.kappa, pair.ac1), ("safety or not", pair.rule_kappa, pair.rule_ac1)]
    sheet.table([Row((name, _told(kappa), _told(ac1))) for name, kappa, ac1 in rows],
                header=("agreement beyond chance", "Cohen's κ", "Gwet's AC1"))  # fmt: skip
    sheet.blank()
    names = sorted({*pair.counts, *(name for row in pair.counts.values() for name in row)})
    table = [
        Row((inline(name), *(str(pair.counts.get(name, {}).get(other, 0) or "·") for other in names))) for name in names
    ]
    sheet.table(table, header=(f"{inline(pair.first)} ↓  {inline(pair.second)} →", *map(inline, names)))
    sheet.blank()
    shown = pair.differing if sheet.details else pair.differing[:_SHOWN]
    for line in shown:
        settled = f", settled as {line.counts_as}" if line.settled else ""
        sheet.line(f"{inline(line.document)}:{line.place}  ", (f"{line.first} / {line.second}{settled}", "unsure"))
        sheet.line(inline(line.text, LONG // 4), indent=4)
    if more := len(pair.differing) - len(shown):
        sheet.line(f"… and {counted(more, 'further line')}; --json has them all")


def _told(row: AgreementRow | None) -> str:
    return "—" if row is None else f"{row.value:.2f} ({row.low:.2f} to {row.high:.2f})"
