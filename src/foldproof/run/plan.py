"""The plan of a run, as a pure value: which trials, in which order, with which memory."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from foldproof.cases import Case, Configuration
from foldproof.core import content_hash
from foldproof.logs import History
from foldproof.record import TrialKey

UNPLUGGED: Mapping[str, Any] = {"kind": "none"}
"""The `memory_config` of the unplugged control."""


@dataclass(frozen=True, slots=True)
class PlannedTrial:
    """One trial to come. `memory_key` is equal where two trials may start from the same built memory."""

    case: Case
    repeat: int
    memory_config: Mapping[str, Any]
    history: History | None
    memory_key: str
    unplugged: bool = False

    @property
    def key(self) -> TrialKey:
        """Which trial of its run this is."""
        return TrialKey(self.case.id, self.repeat)


@dataclass(frozen=True, slots=True)
class Plan:
    """The trials of a run that are still to be asked. `run` is the run's name, which user ids are made of."""

    run: str
    trials: tuple[PlannedTrial, ...]
    folds: int | None = None

    @property
    def shared(self) -> Counter[str]:
        """How many trials start from each built memory."""
        return Counter(trial.memory_key for trial in self.trials)


def plan_trials(
    cases: Iterable[Case],
    configuration: Configuration,
    *,
    histories: Mapping[str, History],
    repeats: int = 1,
    done: Collection[TrialKey] = (),
    failed: Collection[TrialKey] = (),
    unplugged: bool = False,
) -> tuple[PlannedTrial, ...]:
    """Cases times repeats, less what is done, in the order of the set; trials that `failed` are asked again.

    All first repetitions come before the second ones, so that an interrupted run has seen every case early.
    The memory of a case is its own `memory_config` overlaid by the configuration's; unplugged, there is none. A
    memory of the agent's own (`external`) is given no history: nothing is built in it.
    """
    external = configuration.memory.get("kind") == "external"
    planned = []
    for case in cases:
        memory = dict(UNPLUGGED) if unplugged else {**case.memory_config, **configuration.memory}
        history = histories[case.history] if case.history and not unplugged and not external else None
        key = content_hash([history.sha256 if history else "", memory, configuration.sha256])
        planned.append((case, memory, history, key))
    most = max([repeats, *(key.repeat + 1 for key in failed)])
    return tuple(
        PlannedTrial(case, repeat, memory, history, key, unplugged)
        for repeat in range(most)
        for case, memory, history, key in planned
        if (asked := TrialKey(case.id, repeat)) not in done and (repeat < repeats or asked in failed)
    )
