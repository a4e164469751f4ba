"""Where the records of a run go as they come: into the store, and counted, to whoever watches."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import TypeVar

import anyio
from anyio.streams.memory import MemoryObjectReceiveStream

from foldproof.record import Run, Stopped, StoreListing, Trial
from foldproof.run import RunRecord
from foldproof.workflow.workspace import Workspace

R = TypeVar("R")


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a run is: trials done of those planned, and how many of them ended in an error.

    `total` is None where nobody knows how many there will be, as in a log that is read as it comes.
    """

    label: str
    done: int
    total: int | None
    errors: int


Listener = Callable[[Progress], None]


def silent(_: Progress) -> None:
    """Nobody listens."""


def waiting(stream: MemoryObjectReceiveStream[R]) -> list[R]:
    """The records that are there already, without waiting for more."""
    records: list[R] = []
    with suppress(anyio.WouldBlock, anyio.EndOfStream, anyio.ClosedResourceError):
        while True:
            records.append(stream.receive_nowait())
    return records


class Sink:
    """Keeps records in the store and tells the listener. `stopped` is the limit that ended the run, or empty."""

    def __init__(self, workspace: Workspace, run: Run, total: int, listener: Listener) -> None:
        self._store = workspace.store
        self._run = run
        self._listener = listener
        self._progress = Progress(run.config if not run.control else run.control, 0, total, 0)
        self.stopped = ""
        listener(self._progress)

    @property
    def done(self) -> int:
        """Trials kept so far."""
        return self._progress.done

    def keep(self, records: list[RunRecord]) -> None:
        """Keep these records."""
        trials = [record for record in records if isinstance(record, Trial)]
        listings = [record for record in records if isinstance(record, StoreListing)]
        self._store.add(self._run, trials, listings)
        for record in records:
            if isinstance(record, Stopped):
                self.stopped = record.reason
        errors = self._progress.errors + sum(trial.error is not None for trial in trials)
        self._progress = replace(self._progress, done=self._progress.done + len(trials), errors=errors)
        self._listener(self._progress)
