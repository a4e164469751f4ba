"""What stands at the head of every page on a log: its format, what was read of it, which lines are broken."""

from __future__ import annotations

from collections.abc import Iterable

from foldproof.report.coverage import CoverageDocument
from foldproof.report.imports import ImportDocument
from foldproof.report.mined import MineDocument
from foldproof.report.sheet import Row, Sheet, write_list
from foldproof.report.text import counted, inline


def write_reading(
    sheet: Sheet, document: CoverageDocument | ImportDocument | MineDocument, counts: Iterable[tuple[str, int, str]]
) -> None:
    """The format and how it was told, the counts with what is to say of each, and the first of the broken lines."""
    sheet.line(("format ", "quiet"), inline(document.format), ": ", inline(document.title))
    sheet.line(("known by ", "quiet"), inline(document.told_by))
    sheet.blank()
    sheet.table([Row((name, str(count), told)) for name, count, told in counts])
    broken = [f"{inline(row.file)}:{row.line}: {inline(row.message)}" for row in document.broken_lines]
    if document.broken > len(broken):
        broken.append(f"… and {counted(document.broken - len(broken), 'further line')}")
    write_list(sheet, "broken lines", broken)
