"""Documents as a person reads them at a terminal. The only module that knows rich.

Every function takes the width in columns and whether colour is wanted; without colour there is no escape code at
all. What comes from models and users is cleaned and never read as markup. Each text ends in one line feed.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from io import StringIO
from itertools import zip_longest
from typing import TypeVar

from rich.cells import cell_len
from rich.console import Console
from rich.text import Text

from foldproof.report.cliff import CliffDocument
from foldproof.report.coverage import CoverageDocument
from foldproof.report.cuts import CutDocument
from foldproof.report.documents import (
    BaselineDocument,
    CheckDocument,
    CompareDocument,
    DemoDocument,
    DoctorDocument,
    FilesDocument,
    LintDocument,
    MatchDocument,
    RunDocument,
)
from foldproof.report.explained import ExplainDocument
from foldproof.report.grades import GradeDocument
from foldproof.report.holdout import HoldoutDocument, HoldoutLogDocument
from foldproof.report.imports import ImportDocument
from foldproof.report.judges import JudgeCalibrationDocument, JudgePinDocument, JudgeReconciliationDocument
from foldproof.report.labels import LabelAgreementDocument, LabellingDocument
from foldproof.report.mined import MineDocument
from foldproof.report.pages import (
    LabelScreen,
    write_baseline,
    write_calibration,
    write_check,
    write_cliff,
    write_compare,
    write_coverage,
    write_cut,
    write_demo,
    write_doctor,
    write_explain,
    write_files,
    write_grades,
    write_holdout,
    write_holdout_log,
    write_import,
    write_label_agreement,
    write_labelling,
    write_lint,
    write_match,
    write_mined,
    write_pin,
    write_question,
    write_reconciliation,
    write_run,
    write_triage,
)
from foldproof.report.sheet import Mark, Part, Row, Sheet
from foldproof.report.text import Piece
from foldproof.report.triage import TriageDocument

D = TypeVar("D")
_STYLES: dict[Mark, str] = {
    "plain": "",
    "good": "green",
    "bad": "bold red",
    "unsure": "yellow",
    "quiet": "dim",
    "strong": "bold",
}
_NARROWEST = 30
_WIDE = 80
_NARROW = 2
"""Blanks between columns on a narrow terminal, and of a table that would not fit with three."""
_LEAST_FIRST, _LEAST_LAST = 18, 12
"""Columns that the first and the last column of a table give way to; narrower than that, rows are stacked."""
_HANG = 2
_TRAILING = re.compile(r"[ ]+(?=(?:\x1b\[[0-9;]*m)*$)", re.MULTILINE)


class _Paper:
    """A sheet in memory, written by a rich console that knows nothing of the process's own terminal."""

    def __init__(self, width: int, *, colour: bool, details: bool) -> None:
        self.details = details
        self._width = max(width, _NARROWEST)
        self._colour = colour
        self._out = StringIO()
        self._console = Console(
            file=self._out,
            width=self._width,
            height=100,
            color_system="standard" if colour else None,
            force_terminal=colour,
            no_color=not colour,
            highlight=False,
            markup=False,
            emoji=False,
            legacy_windows=False,
            force_jupyter=False,
        )
        self._blank = True
        self._gap = 3 if self._width >= _WIDE else _NARROW

    @property
    def text(self) -> str:
        """What was written, without blanks at the ends of lines."""
        return _TRAILING.sub("", self._out.getvalue()).strip("\n") + "\n"

    def line(self, *parts: Part, indent: int = 0) -> None:
        """One paragraph, wrapped; its later lines hang."""
        text = _text(parts)
        first, *rest = self._wrap(text, self._width - indent)
        self._put(" " * indent, first)
        if rest:
            left = text.plain[len(first.plain) :]
            hung = text[len(text.plain) - len(left.lstrip()) :]
            for line in self._wrap(hung, self._width - indent - _HANG):
                self._put(" " * (indent + _HANG), line)

    def blank(self) -> None:
        """An empty line, never two in a row and none at the top."""
        if not self._blank:
            self._out.write("\n")
        self._blank = True

    def table(self, rows: Sequence[Row], *, header: Sequence[str] = (), indent: int = 2) -> None:
        """Aligned columns, the first and the last giving way; else stacked rows."""
        if not rows:
            return
        top = [Row(tuple((name, "quiet") for name in header))] if header else []
        fitted = ((_fitted([*top, *rows], self._width - indent, gap), gap) for gap in (self._gap, _NARROW))
        widths, gap = next((found for found in fitted if found[0]), (None, _NARROW))
        for row in [*top, *rows] if widths else rows:
            if widths:
                self._aligned(row, widths, indent, gap)
            else:
                self._stacked(row, header, indent)
            for remark in row.under:
                self.line(remark, indent=indent + _HANG)

    def block(self, pieces: Sequence[Piece], *, indent: int = 4) -> None:
        """A text of several lines; hits are reversed, or in brackets where there is no colour."""
        text = Text()
        for piece in pieces:
            if piece.kind == "hit" and not self._colour:
                text.append(f"[[{piece.text}]]")
            else:
                text.append(piece.text, {"hit": "bold reverse", "gap": "dim", "plain": ""}[piece.kind])
        for line in self._wrap(text, self._width - indent):
            self._put(" " * indent, line)

    def _wrap(self, text: Text, width: int) -> list[Text]:
        lines = list(text.wrap(self._console, max(width, 10), overflow="fold"))
        for line in lines:
            line.rstrip()
        return lines or [Text()]

    def _put(self, indent: str, line: Text) -> None:
        self._console.print(Text(indent) + line, soft_wrap=True)
        self._blank = False

    def _aligned(self, row: Row, widths: Sequence[int], indent: int, gap: int) -> None:
        cells = [self._wrap(_text([cell]), width) for cell, width in zip(row.cells, widths, strict=False)]
        for parts in zip_longest(*cells, fillvalue=Text()):
            line = Text()
            for part, width in zip(parts, widths, strict=False):
                line = line + part + " " * (width - cell_len(part.plain) + gap)
            self._put(" " * indent, line)

    def _stacked(self, row: Row, header: Sequence[str], indent: int) -> None:
        first, *others = row.cells
        self.line(first, indent=indent)
        parts: list[Part] = []
        for name, cell in zip_longest(header[1:], others, fillvalue=""):
            if _text([cell]).plain:
                parts += ["   " if parts else "", f"{name} " if name else "", cell]
        if parts:
            self.line(*parts, indent=indent + _HANG)


def _text(parts: Sequence[Part]) -> Text:
    text = Text()
    for part in parts:
        if isinstance(part, str):
            text.append(part)
        else:
            words, mark = part
            text.append(words, _STYLES[mark])
    return text


def _fitted(rows: Sequence[Row], room: int, gap: int) -> list[int] | None:
    """The widths of the columns, or None where not even narrow ones fit."""
    columns = zip_longest(*(row.cells for row in rows), fillvalue="")
    widths = [max(cell_len(_text([cell]).plain) for cell in column) for column in columns]
    over = sum(widths) + gap * (len(widths) - 1) - room
    for place, least in ((len(widths) - 1, _LEAST_LAST), (0, _LEAST_FIRST)):
        give = max(0, min(over, widths[place] - least))
        widths[place] -= give
        over -= give
    return widths if over <= 0 else None


def _render(write: Callable[[Sheet, D], None], document: D, width: int, *, colour: bool, details: bool) -> str:
    paper = _Paper(width, colour=colour, details=details)
    write(paper, document)
    return paper.text


def render_check(document: CheckDocument, *, width: int, colour: bool, details: bool = False) -> str:
    """A check: what differs beside the memory, the verdict, the losses, the gate, the changed cases."""
    return _render(write_check, document, width, colour=colour, details=details)


def render_run(document: RunDocument, *, width: int, colour: bool, details: bool = False) -> str:
    """One run: the verdict, what is not right, the gate; with details the answers too."""
    return _render(write_run, document, width, colour=colour, details=details)


def render_compare(document: CompareDocument, *, width: int, colour: bool, details: bool = False) -> str:
    """Runs side by side: the numbers, then the cases on which they disagree; with details all cases."""
    return _render(write_compare, document, width, colour=colour, details=details)


def render_explain(document: ExplainDocument, *, width: int, colour: bool, details: bool = False) -> str:
    """The evidence of one case, stage by stage; with details no text is shortened."""
    return _render(write_explain, document, width, colour=colour, details=details)


def render_baseline(document: BaselineDocument, *, width: int, colour: bool, details: bool = False) -> str:
    """A baseline, or what accepting one would change."""
    return _render(write_baseline, document, width, colour=colour, details=details)


def render_lint(document: LintDocument, *, width: int, colour: bool, details: bool = False) -> str:
    """Everything that is wrong with a set, by place."""
    return _render(write_lint, document, width, colour=colour, details=details)


def render_doctor(document: DoctorDocument, *, width: int, colour: bool, details: bool = False) -> str:
    """What is there, what is missing, and what to do about it."""
    return _render(write_doctor, document, width, colour=colour, details=details)


def render_match(document: MatchDocument, *, width: int, colour: bool, details: bool = False) -> str:
    """Whether a text says a fact, with the hits marked."""
    return _render(write_match, document, width, colour=colour, details=details)


def render_files(document: FilesDocument, *, width: int, colour: bool, details: bool = False) -> str:
    """Which files a command wrote, and what to type next."""
    return _render(write_files, document, width, colour=colour, details=details)


def render_import(document: ImportDocument, *, width: int, colour: bool, details: bool = False) -> str:
    """What an import of logs read and wrote."""
    return _render(write_import, document, width, colour=colour, details=details)


def render_mined(document: MineDocument, *, width: int, colour: bool, details: bool = False) -> str:
    """What mining read, what each step left, and the questions."""
    return _render(write_mined, document, width, colour=colour, details=details)


def render_cliff(document: CliffDocument, *, width: int, colour: bool, details: bool = False) -> str:
    """What survives rounds of compaction; with details every ratio by round, with intervals, and all remarks."""
    return _render(write_cliff, document, width, colour=colour, details=details)


def render_coverage(document: CoverageDocument, *, width: int, colour: bool, details: bool = False) -> str:
    """How much of what users asked the cases ask; with details every topic and case."""
    return _render(write_coverage, document, width, colour=colour, details=details)


def render_triage(document: TriageDocument, *, width: int, colour: bool, details: bool = False) -> str:
    """How many cases fall in each bucket, what was chosen and why; with details every case."""
    return _render(write_triage, document, width, colour=colour, details=details)


def render_question(screen: LabelScreen, *, width: int, colour: bool, details: bool = False) -> str:
    """A line as it is put to a labeller."""
    return _render(write_question, screen, width, colour=colour, details=details)


def render_labelling(document: LabellingDocument, *, width: int, colour: bool, details: bool = False) -> str:
    """What a sitting of labelling gave."""
    return _render(write_labelling, document, width, colour=colour, details=details)


def render_label_agreement(document: LabelAgreementDocument, *, width: int, colour: bool, details: bool = False) -> str:
    """How far labellers agree; with details every line on which they differ."""
    return _render(write_label_agreement, document, width, colour=colour, details=details)


def render_cut(document: CutDocument, *, width: int, colour: bool, details: bool = False) -> str:
    """What was cut out of a session, or where it can be cut."""
    return _render(write_cut, document, width, colour=colour, details=details)


def render_grades(document: GradeDocument, *, width: int, colour: bool, details: bool = False) -> str:
    """The grades of sessions: which met their goal, and where the others turned."""
    return _render(write_grades, document, width, colour=colour, details=details)


def render_holdout(document: HoldoutDocument, *, width: int, colour: bool, details: bool = False) -> str:
    """A run of the holdout: counts and a verdict."""
    return _render(write_holdout, document, width, colour=colour, details=details)


def render_holdout_log(document: HoldoutLogDocument, *, width: int, colour: bool, details: bool = False) -> str:
    """The log of a holdout."""
    return _render(write_holdout_log, document, width, colour=colour, details=details)


def render_demo(document: DemoDocument, *, width: int, colour: bool, details: bool = False) -> str:
    """The checks of the demonstration, one after the other."""
    return _render(write_demo, document, width, colour=colour, details=details)


def render_pin(document: JudgePinDocument, *, width: int, colour: bool, details: bool = False) -> str:
    """What is pinned of a judge."""
    return _render(write_pin, document, width, colour=colour, details=details)


def render_calibration(document: JudgeCalibrationDocument, *, width: int, colour: bool, details: bool = False) -> str:
    """How a judge did against labels and against its controls."""
    return _render(write_calibration, document, width, colour=colour, details=details)


def render_reconciliation(
    document: JudgeReconciliationDocument, *, width: int, colour: bool, details: bool = False
) -> str:
    """Where two judges differ; with details each answer in full."""
    return _render(write_reconciliation, document, width, colour=colour, details=details)
