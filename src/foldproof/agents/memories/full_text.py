"""Full-text search over the lines of a memory: BM25 as SQLite counts it, in every script."""

from __future__ import annotations

import re
import sqlite3
import unicodedata
from collections.abc import Sequence
from itertools import pairwise

from foldproof.matching import UNSPACED, normalize

_PIECES = re.compile(rf"[{UNSPACED}]|[^{UNSPACED}]+")
_UNSPACED = re.compile(rf"[{UNSPACED}]")
_ACCENTS = re.compile("[\u0300-\u036f]")


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
