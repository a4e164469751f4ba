"""Which of the questions that users asked the cases of a set ask too, by their words. Pure; no model."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from foldproof.cases.records import DISPUTED, DRAFT, Case
from foldproof.logs.topics import by_root, most_shared, root
from foldproof.logs.traffic import AskedQuestion, Traffic

COVERS = 0.6
"""How alike (see `Rarity.likeness`) a case and a question are, at least, where the case covers the question."""

_EVERYWHERE = 2
"""A word that more than one of two questions has is no topic: it names the place, not the matter."""


@dataclass(frozen=True, slots=True)
class TopicTraffic:
    """What was asked about one topic: how often, by how many users, how much of that cases cover.

    `cases` are those that cover one of its questions or ask with its word. `example` is the question without a case
    that was asked most, or of all where each has one. `earlier` is how often the topic's word stood in a question
    before the window; None where nothing is known of that time.
    """

    topic: str
    asked: int
    users: int
    covered: int
    cases: tuple[str, ...]
    example: str
    example_asked: int
    earlier: int | None


@dataclass(frozen=True, slots=True)
class CaseTraffic:
    """How often what a case asks was asked, in the window and before it (None where nothing is known of that time).

    `nearest` is the question of the window that is most like it, with its likeness; empty where none shares a word.
    """

    case: str
    case_class: str
    asked: int
    earlier: int | None
    nearest: str
    likeness: float


@dataclass(frozen=True, slots=True)
class Coverage:
    """How much of the traffic the cases of a set cover. Counts are askings, of those that were looked at.

    `wordless` were asked without a word of their own, and can be compared with nothing. `topics` are by traffic.
    `left_out` are cases that are not compared, each with the reason.
    """

    asked: int
    covered: int
    wordless: int
    topics: tuple[TopicTraffic, ...]
    cases: tuple[CaseTraffic, ...]
    left_out: Mapping[str, str]


class Rarity:
    """How much a word says: the more, the fewer of the questions have it (the logarithm of 1 + all / those)."""

    def __init__(self, questions: Sequence[frozenset[str]]) -> None:
        self._counts = Counter(word for words in questions for word in words)
        self._all = len(questions)

    def weight(self, word: str) -> float:
        """The weight of a word; one that no question has counts as if one had it."""
        return math.log1p(self._all / max(self._counts[word], 1))

    def length(self, words: Iterable[str]) -> float:
        """The length of a text whose words are directions. The order of the words plays no part."""
        return math.sqrt(math.fsum(self.weight(word) ** 2 for word in words))

    def likeness(self, one: frozenset[str], other: frozenset[str]) -> float:
        """How alike two texts are: the cosine between them, 1 for the same words and 0 for none in common."""
        shared = one & other
        if not shared:
            return 0.0
        return math.fsum(self.weight(word) ** 2 for word in shared) / (self.length(one) * self.length(other))


def cover_traffic(traffic: Traffic, cases: Sequence[Case]) -> Coverage:
    """Hold what was asked against what the cases ask.

    A case covers a question where they share words that say enough of both (`COVERS`). Numbers play no part, since
    another order is asked for in the same way. The same thing in other words is not seen. Drafts and disputed cases are
    left out, and so is a case without a word of its own.
    """
    asks = {case.id: [words for part in case.parts if (words := frozenset(by_root(part.question)))] for case in cases}
    left_out = {case.id: "nobody has confirmed it: it is a draft" for case in cases if DRAFT in case.tags}
    left_out |= {case.id: "its key is disputed: it guards nothing" for case in cases if DISPUTED in case.tags}
    left_out |= {name: "its question has no word of its own" for name in asks if not asks[name]}
    asks = {name: words for name, words in asks.items() if name not in left_out}
    matcher = _Matcher(asks, Rarity([frozenset(question.words) for question in traffic.questions]))
    hits = [matcher.hits(question) for question in traffic.questions]
    earlier = [matcher.hits(question) for question in traffic.earlier] if traffic.earlier else None
    return Coverage(
        asked=traffic.drawn,
        covered=sum(one.asked for one, found in zip(traffic.questions, hits, strict=True) if _covering(found)),
        wordless=sum(one.asked for one in traffic.questions if not one.words),
        topics=tuple(_topics(traffic, hits, asks)),
        cases=tuple(
            _case_traffic(case, traffic, hits=hits, earlier=earlier) for case in cases if case.id not in left_out
        ),
        left_out=left_out,
    )


class _Matcher:
    """Finds the cases that share words with a question, by an index of their words."""

    def __init__(self, asks: Mapping[str, Sequence[frozenset[str]]], rarity: Rarity) -> None:
        self._rarity = rarity
        self._index: dict[str, list[tuple[str, frozenset[str]]]] = {}
        for name, parts in asks.items():
            for words in parts:
                for word in words:
                    self._index.setdefault(word, []).append((name, words))

    def hits(self, question: AskedQuestion) -> dict[str, float]:
        """The likeness to each case that shares a word with the question; of several turns of a case, the best."""
        found: dict[str, float] = {}
        asked = frozenset(question.words)
        near = {part for word in question.words for part in self._index.get(word, ())}
        for name, words in near:
            found[name] = max(found.get(name, 0.0), self._rarity.likeness(asked, words))
        return found


def _covering(found: Mapping[str, float]) -> list[str]:
    return [name for name, likeness in found.items() if likeness >= COVERS]


def _topics(
    traffic: Traffic, hits: Sequence[Mapping[str, float]], asks: Mapping[str, Sequence[frozenset[str]]]
) -> list[TopicTraffic]:
    groups: dict[str, list[int]] = {}
    words = [question.words for question in traffic.questions]
    for number, topic in enumerate(most_shared(words, everywhere=_EVERYWHERE)):
        if topic:
            groups.setdefault(topic, []).append(number)
    before = Counter[str]()
    for one in traffic.earlier:
        before.update(dict.fromkeys(one.words, one.asked))
    found = []
    for topic, numbers in groups.items():
        questions = [traffic.questions[number] for number in numbers]
        covering = [_covering(hits[number]) for number in numbers]
        word = root(topic)
        having = {name for name, parts in asks.items() if any(word in words for words in parts)}
        example = min(
            zip(questions, covering, strict=True), key=lambda pair: (bool(pair[1]), -pair[0].asked, pair[0].text)
        )[0]
        found.append(
            TopicTraffic(
                topic=topic,
                asked=sum(one.asked for one in questions),
                users=len(frozenset().union(*(one.users for one in questions))),
                covered=sum(one.asked for one, by in zip(questions, covering, strict=True) if by),
                cases=tuple(sorted(having.union(*covering))),
                example=example.text,
                example_asked=example.asked,
                earlier=before[word] if traffic.earlier else None,
            )
        )
    return sorted(found, key=lambda one: (-one.asked, -one.users, one.topic))


def _case_traffic(
    case: Case,
    traffic: Traffic,
    *,
    hits: Sequence[Mapping[str, float]],
    earlier: Sequence[Mapping[str, float]] | None,
) -> CaseTraffic:
    def times(questions: Sequence[AskedQuestion], found: Sequence[Mapping[str, float]]) -> int:
        return sum(one.asked for one, near in zip(questions, found, strict=True) if near.get(case.id, 0.0) >= COVERS)

    near = [(-found[case.id], one.text) for one, found in zip(traffic.questions, hits, strict=True) if case.id in found]
    likeness, nearest = min(near, default=(0.0, ""))
    return CaseTraffic(
        case=case.id,
        case_class=case.case_class,
        asked=times(traffic.questions, hits),
        earlier=None if earlier is None else times(traffic.earlier, earlier),
        nearest=nearest,
        likeness=-likeness,
    )
