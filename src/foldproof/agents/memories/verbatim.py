"""The memory `verbatim`: every turn as it was said, found again by full-text search."""

from __future__ import annotations

import re
import sqlite3
import unicodedata
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any, ClassVar

from foldproof.agents.memories.memory import Recall, read_settings
from foldproof.agents.memories.text import UNSPACED, fit, ranked, room_of, turn_items, turns_of
from foldproof.logs import History, MemoryItem
from foldproof.matching import normalize

_PIECES = re.compile(rf"[{UNSPACED}]|[^{UNSPACED}]+")
_UNSPACED = re.compile(rf"[{UNSPACED}]")
_ACCENTS = re.compile("[\u0300-\u036f]")


class Verbatim:
    """Keeps each turn and recalls the `k` that match the question best (BM25), ties in the order they were said.

    The score of an item is BM25 as SQLite counts it, turned so that more is better; it has no fixed scale.
    Question and turns are normalized alike, so accents, case, Markdown and scripts without spaces match.
    It finds words, not meanings: a question in other words than the turn finds nothing.
    """

    compacts: bool = False
    defaults: ClassVar[Mapping[str, int]] = {"budget": 1500, "k": 8}

    def __init__(self, settings: Mapping[str, Any]) -> None:
        self.settings = read_settings("verbatim", self.defaults, settings)
        self._items: tuple[MemoryItem, ...] = ()
        self._index: Index | None = None

    def build(self, history: History) -> None:
        """Index every turn: what was said, and when; not by whom, which would match a question's `user`."""
        self._items = turn_items(history)
        self._index = Index([f"{session.at} {turn.text}" for session, _, turn in turns_of(history)])

    def fold(self) -> None:
        """Nothing is ever compacted."""

    def recall(self, question: str) -> Recall:
        """The best matches, best first, within the budget."""
        found = [] if self._index is None else self._index.search(question, self.settings["k"])
        budget = self.settings["budget"]
        best = [MemoryItem(self._items[at].text, id=self._items[at].id, score=score) for at, score in found]
        kept = fit(best, room_of(budget))
        notes: tuple[str, ...] = ()
        if len(kept) < len(best) or any(a.text != b.text for a, b in zip(kept, best, strict=False)):
            notes = (f"verbatim: {len(best)} turns found, not all of them fit in {budget} tokens",)
        return Recall(ranked(kept), notes)

    def items(self) -> Sequence[MemoryItem]:
        """Every turn, oldest first."""
        return self._items


class Index:
    """A full-text index in memory, closed when its last holder is gone."""

    def __init__(self, texts: Sequence[str]) -> None:
        self._connection = sqlite3.connect(":memory:", check_same_thread=False)
        self._connection.execute("CREATE VIRTUAL TABLE turns USING fts5(terms, content='', tokenize='ascii')")
        rows = ((at, " ".join(terms_of(text))) for at, text in enumerate(texts, 1))
        self._connection.executemany("INSERT INTO turns(rowid, terms) VALUES (?, ?)", rows)

    def search(self, question: str, k: int) -> list[tuple[int, float]]:
        """Positions from 0 and scores of the best `k` texts that share a term with the question."""
        terms = dict.fromkeys(terms_of(question))
        if not terms:
            return []
        found = self._connection.execute(
            "SELECT rowid - 1, round(-bm25(turns), 6) FROM turns WHERE turns MATCH ? ORDER BY 2 DESC, 1 LIMIT ?",
            (" OR ".join(terms), k),
        )
        return [(int(at), float(score)) for at, score in found]

    def __del__(self) -> None:
        connection = getattr(self, "_connection", None)
        if connection is not None:
            connection.close()


def terms_of(text: str) -> list[str]:
    """The search terms of a text: its normalized words, and characters and their pairs where no spaces stand.

    Each term is written as the hexadecimal of its UTF-8 bytes: whatever a question holds, the query consists
    of letters and digits, and `c++` stays one term.
    """
    pieces = [_bare(piece) for token in normalize(text).split() for piece in _PIECES.findall(token)]
    pairs = [a + b for a, b in pairwise(pieces) if _UNSPACED.fullmatch(a) and _UNSPACED.fullmatch(b)]
    return ["x" + piece.encode("utf-8", "surrogatepass").hex() for piece in [*pieces, *pairs]]


def _bare(piece: str) -> str:
    # Only the combining accents of Latin, Greek and Cyrillic: in other scripts marks are vowels or voicing.
    return piece if piece.isascii() or _UNSPACED.match(piece) else _ACCENTS.sub("", unicodedata.normalize("NFD", piece))
