"""Which lines are put before a labeller: by a rule that looks at form and place only, never at what a line says."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Sequence

from foldproof.cliff.documents import Document, Line, lines_of
from foldproof.cliff.labels import Label
from foldproof.matching import UNSPACED

_FENCE = re.compile(r"\s*(?:[-*+]\s+|\d+[.)]\s+)?(`{3,}|~{3,})")
_HEADING = re.compile(r"\s*#{1,6}\s|\s*(?:[=-]\s*){3,}$|\s*(?:[*_]\s*){3,}$")
_TITLE = re.compile(r"\s*#{1,6}\s")
_TABLE_RULE = re.compile(r"[\s|:-]+")
_COMMENT = re.compile(r"\s*<!--.*-->\s*")
_TAG = re.compile(r"\s*</?[\w-]+[^<>]*>\s*")
_WORD = re.compile(rf"[{UNSPACED}]|[^\W\d_]{{2,}}")
_FEWEST_WORDS = 3


def statements_of(document: Document) -> tuple[Line, ...]:
    """The lines of a document that may state something, in order.

    Left out are headings, rules, fenced code, front matter, table rules, lines that are one comment or one tag, and
    lines of fewer than three words (characters, in a script without blanks).
    """
    return tuple(line for line in _outside_code(document) if _may_state(line.text))


def headings_of(document: Document) -> tuple[Line, ...]:
    """The lines of a document that are headings, in order; a comment within code is none."""
    return tuple(line for line in _outside_code(document) if _TITLE.match(line.text))


def _outside_code(document: Document) -> Iterator[Line]:
    fence = ""
    front = False
    for at, line in enumerate(lines_of(document)):
        bare = line.text.strip()
        if bare == "---" and (front or at == 0):
            front = not front
        elif front:
            continue
        elif fence:
            mark = _FENCE.match(line.text)
            if mark and bare.startswith(fence) and not bare.strip(fence[0]):
                fence = ""
        elif mark := _FENCE.match(line.text):
            fence = mark[1]
        else:
            yield line


def _may_state(text: str) -> bool:
    if any(shape.fullmatch(text) for shape in (_TABLE_RULE, _COMMENT, _TAG)) or _HEADING.match(text):
        return False
    return len(_WORD.findall(text)) >= _FEWEST_WORDS


def spread(lines: Sequence[Line], most: int) -> tuple[Line, ...]:
    """At most so many of the lines, evenly spaced over all of them; every line where there are no more."""
    if len(lines) <= most:
        return tuple(lines)
    return tuple(lines[(2 * at + 1) * len(lines) // (2 * most)] for at in range(most))


def drawn(labels: Sequence[Label], count: int) -> tuple[Label, ...]:
    """So many of the labels, by chance that anybody can repeat, in the order in which they came.

    Those with the smallest SHA-256 of document, hash and number are drawn: a label that is added moves one at most.
    """
    chosen = {label.at for label in sorted(labels, key=_lot)[:count]}
    return tuple(label for label in labels if label.at in chosen)


def _lot(label: Label) -> str:
    return hashlib.sha256("\n".join(map(str, label.at)).encode("utf-8", "surrogatepass")).hexdigest()
