"""Text of models and users made fit to be shown: it is data, and may not steer the screen that shows it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

LONG = 1200
"""Characters of a text that a report shows unless everything was asked for."""
BRIEF = 300
"""The same for a text that stands within a line."""
_AROUND = 60
_LEAST_GAP = 40

_SEQUENCE = re.compile(
    "(?:\x1b\\[|\x9b)[0-?]*[ -/]*[@-~]"  # control sequences: colours, cursor, erase
    "|(?:\x1b[\\]PX^_]|[\x9d\x90\x98\x9e\x9f])[^\x07\x1b\x90\x98\x9c-\x9f\n]*(?:\x07|\x1b\\\\|\x9c)"  # titles, links
    "|\x1b[ -/]*[0-~]"
)
_LINE_END = re.compile("\r\n?|[\x0b\x0c\x85\u2028\u2029]")
_UNSEEN = re.compile(
    "[\x00-\x08\x0e-\x1f\x7f-\x9f\u00ad\u061c\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\ufeff\U000e0000-\U000e007f]"
)
_SURROGATE = re.compile("[\ud800-\udfff]")


@dataclass(frozen=True, slots=True)
class Piece:
    """A part of a text: as it is, a hit of a fact, or a remark that stands for what was left out."""

    text: str
    kind: Literal["plain", "hit", "gap"] = "plain"


def clean(text: str) -> str:
    """The text without escape sequences, control characters, bidi controls and invisible characters.

    Line breaks of every kind become line feeds and stay, tabs become blanks. Joiners that shape letters and
    emoji stay too.
    """
    text = _LINE_END.sub("\n", _SEQUENCE.sub("", text)).replace("\t", "    ")
    return _SURROGATE.sub("?", _UNSEEN.sub("", text))


def inline(text: str, limit: int | None = None) -> str:
    """The cleaned text on one line, every run of white space a blank, shortened in the middle if need be."""
    line = " ".join(clean(text).split())
    return line if limit is None else "".join(piece.text for piece in pieces(line, (), limit))


def counted(number: int, noun: str) -> str:
    """`1 case`, `2 cases`."""
    return f"{number} {noun}{'' if number == 1 else 's'}"


def pieces(raw: str, spans: Iterable[tuple[int, int]], limit: int | None = None) -> list[Piece]:
    """A text cut at the hits of its facts, cleaned.

    `spans` are half-open offsets into `raw`; they may overlap. A text longer than `limit` is shortened to its
    beginning, its end and the surroundings of its hits; each gap says how many characters it stands for.
    """
    hits = _union((max(0, start), min(end, len(raw))) for start, end in spans)
    found: list[Piece] = []
    at = 0
    for start, end in _kept(len(raw), hits, limit):
        if start > at:
            found.append(Piece(f" [... {start - at:,} characters left out ...] ", "gap"))
        found += _cut(raw, start, end, hits)
        at = end
    return [piece for piece in found if piece.text]


def marked(found: Iterable[Piece]) -> str:
    """The pieces as one text, with hits in double square brackets."""
    return "".join(f"[[{piece.text}]]" if piece.kind == "hit" else piece.text for piece in found)


def tail(text: str, lines: int) -> str:
    """The last lines of a text, with a count of the lines left out."""
    every = clean(text).rstrip().split("\n")
    if len(every) <= lines:
        return "\n".join(every)
    return "\n".join((f"[... {counted(len(every) - lines, 'line')} left out ...]", *every[-lines:]))


def _kept(length: int, hits: Sequence[tuple[int, int]], limit: int | None) -> list[tuple[int, int]]:
    if limit is None or length <= limit:
        return [(0, length)]
    half = limit // 2
    windows = [(max(0, start - _AROUND), min(length, end + _AROUND)) for start, end in hits]
    return _union([(0, half), (length - half, length), *windows], least=_LEAST_GAP)


def _cut(raw: str, start: int, end: int, hits: Sequence[tuple[int, int]]) -> list[Piece]:
    found: list[Piece] = []
    at = start
    for hit_start, hit_end in hits:
        if hit_end <= at or hit_start >= end:
            continue
        found += (Piece(clean(raw[at:hit_start])), Piece(clean(raw[max(at, hit_start) : hit_end]), "hit"))
        at = hit_end
    found.append(Piece(clean(raw[at:end])))
    return found


def _union(spans: Iterable[tuple[int, int]], least: int = 0) -> list[tuple[int, int]]:
    """The spans in order, those that overlap or are nearer than `least` made one."""
    union: list[tuple[int, int]] = []
    for start, end in sorted(span for span in spans if span[0] < span[1]):
        if union and start <= union[-1][1] + least:
            union[-1] = (union[-1][0], max(union[-1][1], end))
        else:
            union.append((start, end))
    return union
