"""Which span belongs to which trial; a span that names none is never guessed a home."""

from __future__ import annotations

import secrets
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from foldproof.agents.otel.spans import Span

SPANS = 5_000
TRIAL_BYTES = 64 * 1024 * 1024
"""What is kept of one trial at most."""
WAITING = 5_000
"""How many spans may wait for a sign of whose they are."""
_REASONS = 3


@dataclass(slots=True)
class Listening:
    """A trial that is listened for. `split_ns` is the moment before which its spans belong to the building.

    `came` counts everything that came for it, `late` spans of the building that came after it was taken, `lost` those
    beyond the bound, `refused` bodies that could not be read. `by_path` is whether they came on the trial's own path.
    """

    trial: str
    path: str = field(default_factory=lambda: secrets.token_hex(8))
    trace: str = field(default_factory=lambda: secrets.token_hex(16))
    span: str = field(default_factory=lambda: secrets.token_hex(8))
    spans: list[Span] = field(default_factory=list)
    size: int = 0
    split_ns: int = 0
    last: float = 0.0
    by_path: bool = False
    late: int = 0
    lost: int = 0
    refused: list[str] = field(default_factory=list)

    @property
    def complete(self) -> bool:
        """Whether the parent of each span has come too: a parent ends after its children."""
        ids = {(span.trace, span.id) for span in self.spans} | {(self.trace, self.span)}
        return all(not span.parent or (span.trace, span.parent) in ids for span in self.spans)

    def taken(self) -> list[Span]:
        """The spans so far, which are then forgotten."""
        spans, self.spans, self.size = self.spans, [], 0
        return spans


@dataclass(slots=True)
class _Waiting:
    span: Span
    since: float
    told: bool = False


class Trials:
    """The trials that are listened for, and the spans that wait for a sign of whose they are.

    A span belongs to the trial whose path it came on; else to the one that its resource names, or itself, or whose
    trace it continues; else to the one that another span of its trace names, unless two are named there.
    """

    def __init__(self, wait_s: float, clock: Callable[[], float] = time.monotonic) -> None:
        self._wait_s = wait_s
        self._clock = clock
        self._listening: dict[str, Listening] = {}
        self._known: set[str] = set()
        self._paths: dict[str, str] = {}
        self._traces: dict[str, str] = {}
        self._waiting: dict[str, list[_Waiting]] = {}
        self._unnamed = 0
        self._over = 0
        self._refused: list[str] = []

    def begin(self, trial: str) -> Listening:
        """Listen for a trial."""
        found = self._listening[trial] = Listening(trial)
        self._known.add(trial)
        self._paths[found.path] = trial
        self._traces[found.trace] = trial
        return found

    def of(self, trial: str) -> Listening | None:
        """The trial, where it is listened for."""
        return self._listening.get(trial)

    def end(self, trial: str) -> None:
        """Listen no more; what still comes is counted as late."""
        self._listening.pop(trial, None)

    def add(self, spans: Iterable[Span], path: str = "") -> int:
        """Take in spans; how many of them are left out because of the bounds."""
        return sum(not self._add(span, path) for span in spans)

    def refuse(self, why: str, path: str = "") -> None:
        """Note a body that could not be read."""
        listening = self._listening.get(self._paths.get(path, ""))
        (self._refused if listening is None else listening.refused).append(why)

    def remarks(self, *, all_waiting: bool) -> list[str]:
        """What came since the last call and belongs to no trial, in words.

        A span is told once, when it has waited long enough for a sign, or with `all_waiting` at once.
        """
        now, unnamed = self._clock(), self._unnamed
        for trace, spans in list(self._waiting.items()):
            for waiting in spans:
                if not waiting.told and (all_waiting or now - waiting.since >= self._wait_s):
                    waiting.told = True
                    unnamed += 1
            self._waiting[trace] = [waiting for waiting in spans if now - waiting.since < self._wait_s]
            if not self._waiting[trace]:
                del self._waiting[trace]
        notes = []
        if unnamed:
            notes.append(f"{unnamed} spans name no trial and are left out: neither their path nor their resource,"
                         " attributes or trace say whose they are")  # fmt: skip
        if self._over:
            notes.append(f"{self._over} spans came after their trial had been taken: raise `wait_s`, or let the"
                         " exporter send sooner (OTEL_BSP_SCHEDULE_DELAY)")  # fmt: skip
        notes += refusals(self._refused)
        self._unnamed, self._over, self._refused = 0, 0, []
        return notes

    def _add(self, span: Span, path: str) -> bool:
        trial = self._named(span, path)
        if trial is None:
            trial = self._traces.get(span.trace)
        elif span.trace:
            self._learn(span.trace, trial)
        if trial:
            return self._keep(span, trial, path)
        if sum(map(len, self._waiting.values())) >= WAITING or not span.trace:
            self._unnamed += 1
            return False
        self._waiting.setdefault(span.trace, []).append(_Waiting(span, self._clock()))
        return True

    def _named(self, span: Span, path: str) -> str | None:
        """The trial that a span names by itself, also one that is over."""
        if path in self._paths:
            return self._paths[path]
        return next((mark for mark in span.marks if mark in self._known), None)

    def _learn(self, trace: str, trial: str) -> None:
        """A trace whose spans name two trials names none."""
        if self._traces.setdefault(trace, trial) != trial:
            self._traces[trace] = ""
        elif trace in self._waiting:
            for waiting in self._waiting.pop(trace):
                self._keep(waiting.span, trial, "")

    def _keep(self, span: Span, trial: str, path: str) -> bool:
        listening = self._listening.get(trial)
        if listening is None:
            self._over += 1
            return True
        listening.last = self._clock()
        listening.by_path = listening.by_path or bool(path)
        if span.start_ns < listening.split_ns:
            listening.late += 1
            return True
        if len(listening.spans) >= SPANS or listening.size + span.size > TRIAL_BYTES:
            listening.lost += 1
            return False
        listening.spans.append(span)
        listening.size += span.size
        return True


def refusals(reasons: list[str]) -> list[str]:
    """Requests that could not be read, as a remark with the first reasons."""
    told = "; ".join(list(dict.fromkeys(reasons))[:_REASONS])
    return [f"{len(reasons)} export requests could not be read: {told}"] if reasons else []
