"""The compactor `salience`: the lines that are nearest to what the whole text is about."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

from foldproof.compaction.lines import said_in
from foldproof.compaction.records import Passage
from foldproof.compaction.selecting import Selecting, Selection
from foldproof.compaction.tokens import cost_of
from foldproof.matching import normalize


@dataclass(frozen=True)
class Salience(Selecting):
    """Keeps the lines that are most like the centroid of all, each whole: extraction as it is done without a model.

    A line is the vector of its words' TF-IDF, the frequency in the line times ln(n / lines with the word); the centroid
    is the sum of the vectors, and likeness the cosine (Radev et al., "Centroid-based summarization of multiple
    documents", 2004). Of lines that are equally like it the earlier comes first; where a word stands in every line it
    says nothing. Words are those of the matcher, so scripts without spaces count by characters.
    """

    name: str = field(default="salience", kw_only=True)

    def select(self, passages: Sequence[Passage], room: int) -> Selection:
        """The most salient that fit, in their order."""
        scores = likeness([said_in(passage.text) for passage in passages])
        kept: list[Passage] = []
        for at in sorted(range(len(passages)), key=lambda at: (-scores[at], at)):
            cost = cost_of(passages[at].text)
            if cost <= room:
                kept.append(passages[at])
                room -= cost
        return Selection(tuple(sorted(kept, key=lambda passage: passage.place)))


def likeness(lines: Sequence[str]) -> list[float]:
    """The cosine of each line with the centroid of all, from 0 to 1; rounded, so that ties are ties everywhere."""
    counts = [Counter(normalize(line).split()) for line in lines]
    spread = Counter(word for count in counts for word in count)
    vectors = [
        {
            word: times * math.log(len(lines) / spread[word])
            for word, times in count.items()
            if spread[word] < len(lines)
        }
        for count in counts
    ]
    centroid: dict[str, float] = {}
    for vector in vectors:
        for word, value in vector.items():
            centroid[word] = centroid.get(word, 0.0) + value
    size = math.hypot(*centroid.values())
    return [_cosine(vector, centroid, size) for vector in vectors]


def _cosine(vector: dict[str, float], centroid: dict[str, float], size: float) -> float:
    length = math.hypot(*vector.values()) * size
    return round(sum(value * centroid[word] for word, value in vector.items()) / length, 9) if length else 0.0
