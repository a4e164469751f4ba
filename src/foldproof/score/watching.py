"""What the sources beside the adapter have to say of themselves, over a whole run. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from foldproof.record import Trial

_AT_MOST = 3


def watch_notes(trials: Iterable[Trial]) -> tuple[str, ...]:
    """The remarks of the wire and of spans, each once with the number of trials that have it, the commonest first.

    A source that saw nothing says so in each trial; a reader of the run has to hear of it too.
    """
    counted: Counter[str] = Counter()
    count = 0
    for trial in trials:
        count += 1
        sources = (*trial.building, *trial.seen)
        counted.update(list(dict.fromkeys(f"{seen.source}: {note}" for seen in sources for note in seen.notes)))
    told = [f"{note} ({times} of {count} trials)" for note, times in counted.most_common(_AT_MOST)]
    if more := len(counted) - len(told):
        told.append(f"{more} more remarks of what was seen beside the agent: see `foldproof explain`")
    return tuple(told)
