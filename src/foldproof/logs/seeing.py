"""What a source saw in several steps, put together."""

from __future__ import annotations

from collections.abc import Iterable

from foldproof.logs.talk import MemoryItem, Seen


def joined_seen(steps: Iterable[Iterable[Seen]]) -> tuple[Seen, ...]:
    """What each source saw over these steps, in their order."""
    joined: dict[str, Seen] = {}
    for step in steps:
        for seen in step:
            before = joined.get(seen.source)
            joined[seen.source] = seen if before is None else _both(before, seen)
    return tuple(joined.values())


def _both(first: Seen, later: Seen) -> Seen:
    return Seen(
        first.source,
        (*first.calls, *later.calls),
        _chained(first.memory_reads, later.memory_reads),
        _chained(first.memory_writes, later.memory_writes),
        tuple(dict.fromkeys((*first.notes, *later.notes))),
    )


def _chained(
    first: tuple[MemoryItem, ...] | None, later: tuple[MemoryItem, ...] | None
) -> tuple[MemoryItem, ...] | None:
    return later if first is None else first if later is None else (*first, *later)
