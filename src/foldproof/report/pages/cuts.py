"""The page of `sessions cut`: what was cut and added, or the turns at which a session can be cut."""

from __future__ import annotations

from foldproof.report.cuts import CutDocument
from foldproof.report.sheet import Part, Row, Sheet, write_list
from foldproof.report.text import counted, inline

_SHOWN = 70


def write_cut(sheet: Sheet, document: CutDocument) -> None:
    """The set that a case was added to with what to know of it; or one row a message of the user."""
    if document.case is None:
        _write_points(sheet, document)
    else:
        case, place = f"case '{inline(str(document.case['id']))}'", (inline(document.written), "strong")
        sheet.line(*(("began ", place, f" with {case}") if document.begun else (f"added {case} to ", place)))
        sheet.line(("cut from ", "quiet"), f"{inline(document.source)}, session {inline(document.session)}")
    write_list(sheet, "to know", [inline(note) for note in document.notes])
    write_list(sheet, "next", [inline(step) for step in document.next])


def _write_points(sheet: Sheet, document: CutDocument) -> None:
    fit = sum(not point.fault for point in document.points)
    sheet.line(
        f"session {inline(document.session)} ({inline(document.source)}): the user speaks in "
        f"{counted(len(document.points), 'turn')}, and a case can be cut at {fit} of them"
    )
    sheet.blank()
    rows = []
    for point in document.points:
        mark: Part = ("no", "unsure") if point.fault else ("yes", "good")
        under = (point.fault,) if point.fault else ()
        rows.append(Row((str(point.turn), mark, inline(point.text, _SHOWN)), tuple(map(inline, under))))
    sheet.table(rows, header=("turn", "can be cut", "the user says"))
