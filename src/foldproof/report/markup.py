"""Data made safe inside GitHub-flavoured Markdown: nothing in it is read as markup, HTML or a mention."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from foldproof.report.text import BRIEF, LONG, inline, marked, pieces

MOST_ROWS = 200
"""Rows of a table in a comment; GitHub refuses a comment of more than 65,536 characters."""
_UNSAFE_IN_SPAN = re.compile(r"[`|]")
_PUNCTUATION = re.compile(r"[!-/:-@\[-`{-~]")
_HARMLESS = re.compile(r"'?[^\W_](?:[^\W_]|[ .,:;'()%=>-])*")
_TICKS = re.compile("`+")


def code(text: str, limit: int | None = BRIEF) -> str:
    """Data on one line as a code span, safe in a table cell too.

    With a pipe or a backtick in it, which a span in a table cannot hold in every case, it becomes a `<code>`
    element whose punctuation is written as character references: those are never read as markup.
    """
    line = inline(text, limit)
    if not line:
        return "(empty)"
    if not _UNSAFE_IN_SPAN.search(line):
        return f"`{line}`"
    return f"<code>{_PUNCTUATION.sub(lambda found: f'&#{ord(found[0])};', line)}</code>"


def codes(texts: Iterable[str]) -> str:
    """Several data, each in its own span."""
    return ", ".join(code(text) for text in texts)


def words(text: str, limit: int | None = 2 * BRIEF) -> str:
    """A sentence that may quote data: as it is where nothing in it can be markup, a link or a mention, else as code.

    Escaping would not do: mentions and references are looked for after the Markdown was rendered.
    """
    line = inline(text, limit)
    return line if _HARMLESS.fullmatch(line) and "www." not in line.casefold() else code(line, None)


def fenced(text: str, spans: Sequence[tuple[int, int]] = (), limit: int | None = LONG) -> str:
    """Data of several lines as a fenced block, with hits in double brackets; the fence is longer than any in it."""
    shown = marked(pieces(text, spans, limit))
    longest = max((len(found[0]) for found in _TICKS.finditer(shown)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}text\n{shown}\n{fence}"


def table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    """A table whose cells are safe already; what is beyond the most rows is counted below it."""
    if not rows:
        return []
    lines = [_row(header), _row(["---"] * len(header)), *(_row(row) for row in rows[:MOST_ROWS])]
    left = len(rows) - MOST_ROWS
    return [*lines, "", *([f"{left} more rows: see `--json`", ""] if left > 0 else [])]


def folded(title: str, body: Sequence[str]) -> list[str]:
    """A part that opens on a click; nothing where it is empty."""
    if not body:
        return []
    end = [] if body[-1] == "" else [""]
    return ["<details>", f"<summary>{title}</summary>", "", *body, *end, "</details>", ""]


def _row(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"
