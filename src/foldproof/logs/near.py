"""Questions that are nearly the same: found by MinHash, decided by the words themselves."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise

_ALIKE = 0.8
"""How much of the words of two questions must be shared (Jaccard, of words and pairs of words)."""
_SLOTS, _BANDS = 64, 16
_WORD = re.compile(r"[^\W_]+")


def parts_of(text: str) -> frozenset[str]:
    """The words of a question and its pairs of neighbours, by which it is compared.

    Its numbers stand before each: another number is another question, and shares nothing with this one.
    """
    words = _WORD.findall(text.lower())
    numbers = " ".join(sorted({word for word in words if any(letter.isdigit() for letter in word)}))
    pairs = (f"{one} {other}" for one, other in pairwise(words))
    return frozenset(f"{numbers}|{part}" for part in (*words, *pairs))


def alike(one: frozenset[str], other: frozenset[str]) -> bool:
    """Whether two questions are nearly the same, by their parts."""
    return len(one & other) >= _ALIKE * len(one | other)


def merged(texts: Sequence[str]) -> list[int]:
    """For each text the index of the one that stands for it: the first that is nearly the same, or itself.

    One that stands for others stands for itself, and two that do are not alike, as far as MinHash shows them to each
    other: it misses few pairs at this likeness, and none is merged without being compared.
    """
    from rensa import RMinHash, RMinHashLSH

    parts = [parts_of(text) for text in texts]
    marks = RMinHash.from_token_sets([sorted(part) for part in parts], _SLOTS, 1)
    index = RMinHashLSH(_ALIKE, _SLOTS, _BANDS)
    found: list[int] = []
    for number, (part, mark) in enumerate(zip(parts, marks, strict=True)):
        near = (other for other in sorted(index.query(mark)) if alike(parts[other], part))
        first = next(near, number)
        found.append(first)
        if first == number:
            index.insert(number, mark)
    return found
