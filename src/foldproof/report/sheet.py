"""What a page is written on: lines, tables and blocks, without a word on how they are shown."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, NamedTuple, Protocol

from foldproof.report.text import Piece

Mark = Literal["plain", "good", "bad", "unsure", "quiet", "strong"]
Part = str | tuple[str, Mark]
"""Words, or words with a mark. The mark only repeats what the words say."""


class Row(NamedTuple):
    """One row of a table, with remarks that stand under it."""

    cells: tuple[Part, ...]
    under: tuple[str, ...] = ()


class Sheet(Protocol):
    """Where a page writes to. Everything is wrapped to the width, nothing is cut.

    What it is given must have been cleaned (`text.clean`): a sheet does not know data from words.
    """

    details: bool
    """Whether the reader asked for everything."""

    def line(self, *parts: Part, indent: int = 0) -> None:
        """One paragraph; wrapped lines hang two columns deeper."""
        ...

    def blank(self) -> None:
        """An empty line, never two in a row."""
        ...

    def table(self, rows: Sequence[Row], *, header: Sequence[str] = (), indent: int = 2) -> None:
        """Rows in columns; where the width does not allow that, one row below the other with named cells."""
        ...

    def block(self, pieces: Sequence[Piece], *, indent: int = 4) -> None:
        """A text of several lines with its hits marked."""
        ...


def verdict_mark(word: str) -> Mark:
    """The mark of a verdict, an outcome or a change."""
    if word in {"pass", "ok", "kept", "recovered", "held", "finished"}:
        return "good"
    if word in {"blocked", "lost", "fail", "failing", "missed", "missing"}:
        return "bad"
    return "unsure"


def write_list(sheet: Sheet, title: str, entries: Sequence[str]) -> None:
    """A titled list, or nothing where it has no entries."""
    if not entries:
        return
    sheet.blank()
    sheet.line((title, "strong"))
    for entry in entries:
        sheet.line(entry, indent=2)
