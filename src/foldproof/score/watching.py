"""What the sources beside the adapter, and simulated users, have to be said of them over a whole run. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping

from foldproof.record import Trial
from foldproof.score.cases import CaseScore

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


def fault_notes(scores: Mapping[str, CaseScore]) -> tuple[str, ...]:
    """The faults of simulated users that decided nothing, the first few; those that did stand in the errors."""
    judged = [(name, trial) for name, score in scores.items() for trial in score.trials if trial.outcome != "error"]
    found = dict.fromkeys((name, fault) for name, trial in judged for fault in trial.faults)
    faults = [f"{name}: a fault of the simulated user decided nothing: {fault}" for name, fault in found]
    more = len(faults) - _AT_MOST
    rest = (f"{more} more faults of simulated users: see `foldproof explain`",) if more > 0 else ()
    return (*faults[:_AT_MOST], *rest)
