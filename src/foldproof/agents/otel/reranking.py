"""What a reranker makes of the retrievals before it: its output was given, the rest of theirs was passed over. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from foldproof.agents.otel.found import Retrieval
from foldproof.logs import MemoryItem

PASSED_OVER = "passed over by the reranker"
NOT_HANDED = "not handed to the reranker"


def reranked(found: Sequence[Retrieval]) -> list[Retrieval]:
    """The retrievals whose items were given, in their order; those that fed a reranker stand in it as its candidates.

    A reranker that does not show what it gave stays beside its sources: what was given is then unknown.
    """
    left: list[Retrieval] = []
    for retrieval in found:
        if retrieval.role != "reranker" or retrieval.items is None:
            left.append(retrieval)
            continue
        sources = _sources(left, retrieval)
        left = [part for part in left if not any(part is source for source in sources)]
        left.append(replace(retrieval, items=(*retrieval.items, *_candidates(sources, retrieval))))
    return left


def _sources(before: Sequence[Retrieval], reranker: Retrieval) -> list[Retrieval]:
    """What fed a reranker: whatever shares a document with its input, where that is shown.

    Else the retrievers since the reranker before it, or that one. A retriever that shows no documents is taken for the
    source only where no other one is.
    """
    if reranker.among:
        handed = _Known(reranker.among)
        sharing = [part for part in before if any(item in handed for item in _given(part))]
        return sharing or [part for part in _latest(before) if part.items is None]
    return _latest(before)


def _latest(before: Sequence[Retrieval]) -> list[Retrieval]:
    places = [at for at, part in enumerate(before) if part.role == "reranker"]
    last = places[-1] if places else -1
    since = [part for part in before[last + 1 :] if part.role == "retriever"]
    return since or list(before[last : last + 1] if places else ())


def _candidates(sources: Iterable[Retrieval], reranker: Retrieval) -> Iterable[MemoryItem]:
    """What the sources gave, and what the reranker was handed, without what it gave: each once, ranked on."""
    known, handed = _Known(reranker.items or ()), _Known(reranker.among)
    rank = len(reranker.items or ())
    for item in [*(item for part in sources for item in part.items or ()), *reranker.among]:
        if item in known:
            continue
        known.add(item)
        rank += 1
        why = PASSED_OVER if not reranker.among or item in handed else NOT_HANDED
        yield replace(item, rank=rank, dropped=item.dropped or why)


def _given(retrieval: Retrieval) -> Iterable[MemoryItem]:
    return (item for item in retrieval.items or () if not item.dropped)


class _Known:
    """Documents that are the same where their ids are, or their texts."""

    def __init__(self, items: Iterable[MemoryItem]) -> None:
        self._texts: set[str] = set()
        self._ids: set[str] = set()
        for item in items:
            self.add(item)

    def add(self, item: MemoryItem) -> None:
        self._texts.add(item.text)
        self._ids.add(item.id)

    def __contains__(self, item: MemoryItem) -> bool:
        return item.text in self._texts or (bool(item.id) and item.id in self._ids)
