"""The compactor `salience`: the lines that are most like all the others."""

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
    """Keeps the most central lines, each whole: extraction as it is done without a model.

    Central is what has the highest mean cosine with the other lines, each line the vector of its words' TF-IDF (degree
    centrality without a threshold: Erkan and Radev, "LexRank", JAIR 22, 2004, section 3). Of lines that are equally
    central the earlier comes first. Words are those of the matcher, so scripts without spaces count by characters.
    """

    name: str = field(default="salience", kw_only=True)

    def select(self, passages: Sequence[Passage], room: int) -> Selection:
        """The most central that fit, in their order."""
        scores = centrality([said_in(passage.text) for passage in passages])
        kept: list[Passage] = []
        for at in sorted(range(len(passages)), key=lambda at: (-scores[at], at)):
            cost = cost_of(passages[at].text)
            if cost <= room:
                kept.append(passages[at])
                room -= cost
        return Selection(tuple(sorted(kept, key=lambda passage: passage.place)))


def centrality(lines: Sequence[str]) -> list[float]:
    """The mean cosine of each line with the others, from 0 to 1; rounded, so that ties are ties on every machine."""
    counts = [Counter(normalize(line).split()) for line in lines]
    spread = Counter(word for count in counts for word in count)
    vectors = [_of_length_one(count, spread, len(lines)) for count in counts]
    whole: dict[str, float] = {}
    for vector in vectors:
        for word, value in vector.items():
            whole[word] = whole.get(word, 0.0) + value
    others = max(len(lines) - 1, 1)
    return [
        round(sum(value * (whole[word] - value) for word, value in vector.items()) / others, 9) for vector in vectors
    ]


def _of_length_one(count: Counter[str], spread: Counter[str], lines: int) -> dict[str, float]:
    """The TF-IDF of the words of a line; what stands in every line says nothing."""
    vector = {word: times * math.log(lines / spread[word]) for word, times in count.items() if spread[word] < lines}
    length = math.hypot(*vector.values())
    return {word: value / length for word, value in vector.items()}
