"""How a text falls into lines and sentences, how these are fitted into a room, and how a long one is cut."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable

from foldproof.compaction.records import Passage
from foldproof.compaction.tokens import cost_of, count_tokens
from foldproof.matching import UNSPACED

LONG_LINE = 120
CUT = " …"
BEGUN = "… "
Cut = Callable[[str, int], "str | None"]
"""Shortens a line to a number of bytes, the mark included, or says with None that nothing sensible would be left."""
_LINE_END = re.compile(r"\r\n|\r|\n")
_HEAD = re.compile(r"\[[^\]\n]*\] \w+: ")
_BREAK = re.compile(rf"\s|(?<=[{UNSPACED}])|(?=[{UNSPACED}])")
_ABBREVIATION = re.compile(
    r"(?:^[\s>*•-]*\d+|\b(?:e\.g|i\.e|etc|dr|mr|mrs|ms|st|vs|no|nr|approx|z\.b|d\.h|bzw|cf))\.$", re.IGNORECASE
)
_LOOK_BACK = 24
_END = re.compile(r"(?<=[.!?])['\"”’)]*\s+(?=\S)|(?<=[。！？])(?=\S)")


def passages_of(text: str) -> list[Passage]:
    """The lines of a text, of which long ones fall into their sentences; without what is blank, which says nothing.

    A long line is one of more than `LONG_LINE` tokens. The sentences of a line of talk (`[s12 2026-03-01] user: …`)
    each have the line's head, so that it is still known who said one when the others are gone.
    """
    pieces = (piece for line in _LINE_END.split(text) if line.strip() for piece in _pieces(line.rstrip()))
    return [Passage(piece, place) for place, piece in enumerate(pieces)]


def sentences_of(text: str) -> list[str]:
    """The lines of a text, and the sentences of each line, in order; nothing but white space is lost.

    A full stop ends no sentence after a common abbreviation ("e.g.") or a list's number, nor before a small letter.
    """
    pieces = (line[start:end].strip() for line in text.splitlines() for start, end in _spans(line))
    return [sentence for sentence in pieces if sentence]


def head_of(line: str) -> str:
    """The session, time and speaker that a line of talk opens with (`[s12 2026-03-01] user: `), or nothing."""
    head = _HEAD.match(line)
    return head[0] if head else ""


def said_in(line: str) -> str:
    """What was said in a line, without its session, time and speaker."""
    return line[len(head_of(line)) :]


def fit(passages: Iterable[Passage], room: int, *, cut: Cut) -> list[Passage]:
    """The passages in the order given, each whole, until one does not fit `room` bytes: that is cut and ends the list.

    One of which the cut leaves nothing is left out.
    """
    taken: list[Passage] = []
    for passage in passages:
        cost = cost_of(passage.text)
        if cost > room:
            if (text := cut(passage.text, room - 1)) is not None:
                taken.append(Passage(text, passage.place))
            break
        taken.append(passage)
        room -= cost
    return taken


def newest_whole(passages: Iterable[Passage], room: int) -> tuple[list[Passage], int]:
    """The passages that fit, the latest first and each whole, in their order; and the bytes that stay free."""
    kept: list[Passage] = []
    for passage in sorted(passages, key=lambda one: one.place, reverse=True):
        cost = cost_of(passage.text)
        if cost <= room:
            kept.append(passage)
            room -= cost
    return kept[::-1], room


def first_words(text: str, room: int) -> str | None:
    """The longest beginning that ends between words and fits, with ` …`, in `room` bytes.

    None where nothing but the head of a line of talk would be left. A fact may fall apart here: it is how memories
    truncate a turn; the compactors cut between sentences.
    """
    start = len(head_of(text))
    most = _chars_within(text, room - len(CUT.encode()))
    first = len(text) - len(text[start:].lstrip())
    for end in range(min(most, len(text) - 1), first, -1):
        if _BREAK.match(text, end):
            return text[:end].rstrip() + CUT
    return None


def first_sentences(text: str, room: int) -> str | None:
    """The first sentences that fit, with ` …`, in `room` bytes; None where not one does."""
    start = len(head_of(text))
    ends = [end for _, end in _spans(text)[:-1] if end > start]
    fits = bisect_right(ends, _chars_within(text, room - len(CUT.encode())))
    return text[: ends[fits - 1]].rstrip() + CUT if fits else None


def last_sentences(text: str, room: int) -> str | None:
    """The last sentences that fit, with `… ` before them, in `room` bytes; None where not one does."""
    head = head_of(text)
    starts = [start for start, _ in _spans(text)[1:] if start >= len(head)]
    most = _chars_within(text[::-1], room - len((head + BEGUN).encode("utf-8", "surrogatepass")))
    at = bisect_left(starts, len(text) - most)
    return f"{head}{BEGUN}{text[starts[at] :].lstrip()}" if at < len(starts) else None


def _pieces(line: str) -> list[str]:
    sentences = sentences_of(line[len(head_of(line)) :]) if count_tokens(line) > LONG_LINE else []
    return [head_of(line) + sentence for sentence in sentences] or [line]


def _spans(line: str) -> list[tuple[int, int]]:
    """Where each sentence of a line begins and ends, the white space after it included."""
    spans: list[tuple[int, int]] = []
    start = 0
    for end in _END.finditer(line):
        before, after = line[max(start, end.start() - _LOOK_BACK) : end.start()], line[end.end()]
        abbreviated = end[0].isspace() and _ABBREVIATION.search(before)
        if before.endswith(".") and (after.islower() or abbreviated):
            continue
        spans.append((start, end.end()))
        start = end.end()
    return [*spans, (start, len(line))]


def _chars_within(text: str, room: int) -> int:
    """How many characters from the beginning fit in so many bytes; never a part of one."""
    if room <= 0:
        return 0
    return len(text.encode("utf-8", "surrogatepass")[:room].decode("utf-8", "ignore"))
