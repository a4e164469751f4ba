"""Which span belongs to which trial; a span that names none is never guessed a home."""

from __future__ import annotations

import secrets
import time
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from foldproof.agents.otel.spans import Span

SPANS = 5_000
TRIAL_BYTES = 64 * 1024 * 1024
"""What is kept of one trial at most."""
WAITING = 5_000
WAITING_BYTES = 64 * 1024 * 1024
"""How many spans may wait for a sign of whose they are, and how large they may be together."""
_REASONS = 3


@dataclass(frozen=True, slots=True)
class Kept:
    """A span of a trial; `by_trace` where nothing but its trace says whose it is."""

    span: Span
    by_trace: bool = False


@dataclass(slots=True)
class Listening:
    """A trial that is listened for. `split_ns` is the moment before which its spans belong to the building.

    `late` counts spans of the building that came after it was taken, `lost` those beyond the bound, `shared` those that
    were dropped since their trace turned out to be another trial's too, `refused` holds the bodies that could not be
    read. `by_path` is whether spans came on the trial's own path.
    """

    trial: str
    path: str = field(default_factory=lambda: secrets.token_hex(8))
    trace: str = field(default_factory=lambda: secrets.token_hex(16))
    span: str = field(default_factory=lambda: secrets.token_hex(8))
    kept: list[Kept] = field(default_factory=list)
    size: int = 0
    split_ns: int = 0
    last: float = 0.0
    by_path: bool = False
    late: int = 0
    lost: int = 0
    shared: int = 0
    refused: list[str] = field(default_factory=list)

    @property
    def spans(self) -> list[Span]:
        """The spans so far."""
        return [kept.span for kept in self.kept]

    @property
    def complete(self) -> bool:
        """Whether the parent of each span has come too: a parent ends after its children."""
        ids = {(kept.span.trace, kept.span.id) for kept in self.kept} | {(self.trace, self.span)}
        return all(not kept.span.parent or (kept.span.trace, kept.span.parent) in ids for kept in self.kept)

    def drop(self, trace: str) -> None:
        """Let go of what is here by this trace alone."""
        gone = [kept for kept in self.kept if kept.by_trace and kept.span.trace == trace]
        self.kept = [kept for kept in self.kept if not (kept.by_trace and kept.span.trace == trace)]
        self.size -= sum(kept.span.size for kept in gone)
        self.shared += len(gone)


@dataclass(slots=True)
class _Waiting:
    span: Span
    size: int
    since: float
    told: bool = False


class Trials:
    """The trials that are listened for, and the spans that wait for a sign of whose they are.

    A span belongs to the trial whose path it came on; else to the one that its resource names, or itself, or whose
    trace it continues; else to the one that another span of its trace names, unless two are named there: then what only
    the trace had given to the first one is dropped.
    """

    def __init__(self, wait_s: float, clock: Callable[[], float] = time.monotonic) -> None:
        self._wait_s = wait_s
        self._clock = clock
        self._listening: dict[str, Listening] = {}
        self._known: set[str] = set()
        self._paths: dict[str, str] = {}
        self._traces: dict[str, str] = {}
        self._waiting: dict[str, list[_Waiting]] = {}
        self._waiting_count = 0
        self._waiting_bytes = 0
        self._given: Counter[str] = Counter()
        self._mixed = 0
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

    def taken(self, listening: Listening) -> list[Span]:
        """The trial's spans so far, which are then forgotten."""
        spans = listening.spans
        self._given.update(kept.span.trace for kept in listening.kept if kept.by_trace)
        listening.kept, listening.size = [], 0
        return spans

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
            self._unlisted(trace)
            for waiting in spans:
                if now - waiting.since < self._wait_s:
                    self._list(waiting)
        notes = []
        if unnamed:
            notes.append(f"{unnamed} spans name no trial and are left out: neither their path nor their resource,"
                         " attributes or trace say whose they are")  # fmt: skip
        if self._over:
            notes.append(f"{self._over} spans came after their trial had been taken: raise `wait_s`, or let the"
                         " exporter send sooner (OTEL_BSP_SCHEDULE_DELAY)")  # fmt: skip
        if self._mixed:
            notes.append(f"{self._mixed} spans stand in a record by their trace alone, which named a second trial only"
                         " later: let each trial have traces of its own")  # fmt: skip
        notes += refusals(self._refused)
        self._unnamed, self._over, self._mixed, self._refused = 0, 0, 0, []
        return notes

    def _add(self, span: Span, path: str) -> bool:
        named = self._named(span, path)
        if named is not None and span.trace:
            self._learn(span.trace, named)
        trial = self._traces.get(span.trace) if named is None else named
        if trial:
            return self._keep(span, trial, path, by_trace=named is None)
        waiting = _Waiting(span, span.size, self._clock())
        full = self._waiting_count >= WAITING or self._waiting_bytes + waiting.size > WAITING_BYTES
        if full or not span.trace:
            self._unnamed += 1
            return False
        self._list(waiting)
        return True

    def _list(self, waiting: _Waiting) -> None:
        self._waiting.setdefault(waiting.span.trace, []).append(waiting)
        self._waiting_count += 1
        self._waiting_bytes += waiting.size

    def _unlisted(self, trace: str) -> list[_Waiting]:
        """Those of a trace that waited, which then wait no more."""
        found = self._waiting.pop(trace, [])
        self._waiting_count -= len(found)
        self._waiting_bytes -= sum(waiting.size for waiting in found)
        return found

    def _named(self, span: Span, path: str) -> str | None:
        """The trial that a span names by itself, also one that is over."""
        if path in self._paths:
            return self._paths[path]
        return next((mark for mark in span.marks if mark in self._known), None)

    def _learn(self, trace: str, trial: str) -> None:
        """A trace whose spans name two trials names none, and what it gave to the first one is taken back."""
        first = self._traces.setdefault(trace, trial)
        if first == trial:
            for waiting in self._unlisted(trace):
                self._keep(waiting.span, trial, "", by_trace=True)
        elif first:
            self._traces[trace] = ""
            self._mixed += self._given.pop(trace, 0)
            if (listening := self._listening.get(first)) is not None:
                listening.drop(trace)

    def _keep(self, span: Span, trial: str, path: str, *, by_trace: bool) -> bool:
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
        listening.kept.append(Kept(span, by_trace))
        listening.size += span.size
        return True


def refusals(reasons: list[str]) -> list[str]:
    """Requests that could not be read, as a remark with the first reasons."""
    told = "; ".join(list(dict.fromkeys(reasons))[:_REASONS])
    return [f"{len(reasons)} export requests could not be read: {told}"] if reasons else []
