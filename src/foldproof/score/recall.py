"""How much of what a question needs its retrieval gave: the turns named as sources, looked up among the reads. Pure.

recall_any alone flatters questions that need several turns, since one is enough for it: recall_all stands beside it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from foldproof.cases import DISPUTED, DISPUTED_SOURCE, DRAFT, Case, ReplaySet
from foldproof.logs import History, MemoryItem
from foldproof.record import Trial
from foldproof.score.evidence import reads_of

CUTS = (1, 5, 10, 20, 50)
"""The numbers of items after which published figures are taken."""
_LONG = 20
"""Characters; a shorter turn stands in other texts by chance, so it must end the item."""


@dataclass(frozen=True, slots=True)
class RecallAt:
    """What the first `k` items held of the sources of a question, as means over the questions.

    `recall` is the share of its sources, `any` whether one of them at least was there, `all` whether each was.
    """

    k: int
    recall: float
    any: float
    all: float


@dataclass(frozen=True, slots=True)
class SourceRecall:
    """The recall of some questions: all of them (`name` is empty), those of one tag, those whose source is disputed.

    `at` has a row for each number of items that published figures are taken after, as far as so many were given, and
    one for all that was given.
    """

    name: str
    cases: int
    at: tuple[RecallAt, ...]


@dataclass(frozen=True, slots=True)
class RunRecall:
    """The recall of a run. `untraced` cases have a source, and nothing shows whether it was among what was given.

    `groups` begins with all traced cases; it is empty where there is none.
    """

    groups: tuple[SourceRecall, ...] = ()
    untraced: int = 0


def recall_at(ranks: Sequence[Sequence[int]], k: int) -> RecallAt:
    """The recall of the first `k` items.

    `ranks` has for each question the ranks of its sources, from 1, and 0 for what was not given; there is one question
    and one source of each at least.
    """
    found = [[0 < rank <= k for rank in one] for one in ranks]
    count = len(found)
    return RecallAt(
        k,
        sum(sum(one) / len(one) for one in found) / count,
        sum(map(any, found)) / count,
        sum(map(all, found)) / count,
    )


def group_recall(name: str, ranks: Sequence[Sequence[int]], given: int, *, ranked: bool = True) -> SourceRecall:
    """The recall of a group of questions, of which one was given `given` items and none was given more.

    Where the order of the items means nothing they are not `ranked`, and only the recall of all of them is taken.
    """
    cuts = [k for k in CUTS if k < given and ranked]
    return SourceRecall(name, len(ranks), tuple(recall_at(ranks, k) for k in (*cuts, given)))


def run_recall(replay_set: ReplaySet, trials: Iterable[Trial]) -> RunRecall:
    """The recall of every case that names its source, by the first of its trials of which the retrieval was seen.

    A case that must admit that nothing is known needs no turn, and is left out. A memory that gives no scores may give
    all that it has, in an order that means nothing.
    """
    cases = {case.id: case for case in replay_set.cases if _sources(case) and not case.abstain}
    turns = {name: _turns(history) for name, history in replay_set.histories.items()}
    ranks: dict[str, tuple[int, ...]] = {}
    asked: set[str] = set()
    given, ranked = 0, False
    for trial in trials:
        case = cases.get(trial.case)
        if case is None or trial.error or case.id in ranks:
            continue
        asked.add(case.id)
        reads = next((items for _, items in reads_of(trial)), None)
        items = [item for item in reads or () if not item.dropped]
        found = None if reads is None else _ranks(_sources(case), items, turns[case.history])
        if found is not None:
            ranks[case.id] = found
            given = max(given, len(items))
            ranked = ranked or any(item.score is not None for item in items)
    groups = (group_recall(name, group, given, ranked=ranked) for name, group in _groups(cases, ranks))
    return RunRecall(tuple(groups) if ranks else (), len(asked) - len(ranks))


def _sources(case: Case) -> tuple[str, ...]:
    """The turns that state its facts, as `s12.t3`."""
    named = [*case.source, *(source for about in case.provenance.values() for source in about.source)]
    return tuple(dict.fromkeys(f"{source.session}.t{source.turn}" for source in named))


def _groups(
    cases: Mapping[str, Case], ranks: Mapping[str, tuple[int, ...]]
) -> Iterator[tuple[str, list[tuple[int, ...]]]]:
    tagged: defaultdict[str, list[tuple[int, ...]]] = defaultdict(list)
    for case_id, found in ranks.items():
        tags = cases[case_id].tags
        for tag in tags:
            if tag == DISPUTED_SOURCE or not (tag == DRAFT or tag.startswith(DISPUTED)):
                tagged[tag].append(found)
    yield "", list(ranks.values())
    yield from sorted(tagged.items())


def _turns(history: History) -> dict[str, str]:
    return {
        f"{session.id}.t{number}": _folded(turn.text)
        for session in history.sessions
        for number, turn in enumerate(session.turns, 1)
    }


def _ranks(sources: Sequence[str], items: Sequence[MemoryItem], turns: Mapping[str, str]) -> tuple[int, ...] | None:
    """The rank of each source, 0 where it was not given; None where no item shows which turn it is of.

    An item is of a turn where it has its place for an id, or holds its words.
    """
    places = {item.id: rank for rank, item in reversed([*enumerate(items, 1)]) if item.id in turns}
    texts = [_folded(item.text) for item in items]
    ranks = tuple(places.get(source) or _held_at(turns[source], texts) for source in sources)
    traced = not items or places or any(ranks) or any(_holds(text, turn) for text in texts for turn in turns.values())
    return ranks if traced else None


def _held_at(turn: str, texts: Sequence[str]) -> int:
    return next((rank for rank, text in enumerate(texts, 1) if _holds(text, turn)), 0)


def _holds(text: str, turn: str) -> bool:
    return turn in text if len(turn) >= _LONG else bool(turn) and text.endswith(turn)


def _folded(text: str) -> str:
    return " ".join(text.split())
