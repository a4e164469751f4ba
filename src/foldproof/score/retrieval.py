"""Retrieval that was never tested: questions that were given the whole store. Pure.

Where a memory returns as many items as it holds, whatever the question, a ranking that is upside down passes as well
as a good one.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Literal

from foldproof.logs import MemoryItem
from foldproof.record import StoreListing, Trial


@dataclass(frozen=True, slots=True)
class WholeReads:
    """The cases of a run of which both the retrieved items and the store were seen.

    `whole` were given the whole store in every such trial, `part` less than that in one at least; `fewest` and
    `most` are the sizes of the stores that were given whole. `scored` says that an item of these reads has a score:
    without any, the memory may not retrieve at all.
    """

    whole: tuple[str, ...] = ()
    part: tuple[str, ...] = ()
    fewest: int = 0
    most: int = 0
    scored: bool = False

    @property
    def note(self) -> str:
        """What the reader of a report should know; empty where every question was given a part."""
        if not self.whole:
            return ""
        if not self.scored and not self.part:
            return "the memory gives its whole content to every question: retrieval plays no part"
        seen = len(self.whole) + len(self.part)
        items = f"{self.most}" if self.fewest == self.most else f"{self.fewest} to {self.most}"
        return (
            f"retrieval was not tested for {len(self.whole)} of {seen} cases: each was given the whole store"
            f" (items in it: {items}); a longer history or a smaller `k` would test it"
        )


def whole_reads(trials: Iterable[Trial], listing: Callable[[str], StoreListing | None]) -> WholeReads:
    """Which cases were given the whole store; `listing` gives a listing by its hash, or None where it is not kept.

    A trial counts where its reads and the store after the folds were seen, and the store was not empty. A candidate
    that was found and not given is no read. Nothing is said of a case of which one trial read fewer items, or fewer
    different ones, than the store held.
    """
    stores: dict[str, StoreListing | None] = {}
    found: dict[str, list[tuple[Literal["whole", "part"], int, bool]]] = defaultdict(list)
    for trial in trials:
        if trial.memory_reads is None or trial.store_kept is None:
            continue
        if trial.store_kept not in stores:
            stores[trial.store_kept] = listing(trial.store_kept)
        store = stores[trial.store_kept]
        if store is None or not store.items:
            continue
        scored = any(item.score is not None for item in trial.memory_reads)
        given = [item for item in trial.memory_reads if not item.dropped]
        kind: Literal["whole", "part"] = "whole" if _covers(given, store.items) else "part"
        found[trial.case].append((kind, len(store.items), scored))
    whole = {case: seen for case, seen in found.items() if all(kind == "whole" for kind, _, _ in seen)}
    sizes = [size for seen in whole.values() for _, size, _ in seen]
    return WholeReads(
        tuple(whole),
        tuple(case for case in found if case not in whole),
        min(sizes, default=0),
        max(sizes, default=0),
        any(scored for seen in whole.values() for _, _, scored in seen),
    )


def _covers(reads: Iterable[MemoryItem], items: Iterable[MemoryItem]) -> bool:
    """Whether as many items were read as there are, and as many different ones: one item twice is not two."""
    read, held = (Counter((item.id, item.text) for item in side) for side in (reads, items))
    return read.total() >= held.total() and len(read) >= len(held)
