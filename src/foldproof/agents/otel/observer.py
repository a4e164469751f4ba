"""The observer of one configuration: a receiver, the trials that it listens for, and when it has heard enough."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import Any

from foldproof.agents.otel.reading import seen_of
from foldproof.agents.otel.receiver import listening_on
from foldproof.agents.otel.trials import SPANS, TRIAL_BYTES, Listening, Trials, refusals
from foldproof.agents.otel.variables import headers_of, variables_of
from foldproof.agents.watch import Observer, Tap, WatchSetup
from foldproof.core import MissingExtraError, UsageError, nearest_of
from foldproof.logs import Seen

WAIT_S = 5.0
_LONGEST_WAIT_S = 600
_SETTINGS = ("port", "wait_s")
_LOOK_S = 0.01
_QUIET_S = 0.05
_BUILT_QUIET_S = 0.3
"""Longer than the delay that a command's exporter is told: the spans of the building have come by then."""


@asynccontextmanager
async def open_otel(setup: WatchSetup) -> AsyncIterator[Observer]:
    """Listen for the spans of a configuration's agents, for as long as the context lasts.

    Raises:
        UsageError: for settings that cannot be used, a port that is taken, or the extra `otel` not installed.
    """
    port, wait_s = _settings_of(setup)
    try:
        import opentelemetry.proto.collector.trace.v1.trace_service_pb2  # noqa: F401  # whether it is there, told at once
    except ImportError:
        raise MissingExtraError(f"{setup.place}: the receiver", "opentelemetry-proto", "otel") from None
    trials = Trials(wait_s)
    async with listening_on(port, trials, place=setup.place) as url:
        yield OtelObserver(trials, url, setup.environ, wait_s=wait_s)


class OtelObserver:
    """Listens for the spans of each trial: on an address of its own, or by the trial that they name."""

    def __init__(self, trials: Trials, url: str, environ: Mapping[str, str], *, wait_s: float = WAIT_S) -> None:
        self._trials = trials
        self._url = url
        self._environ = environ
        self._wait_s = wait_s

    @property
    def url(self) -> str:
        """The receiver's address, for whoever exports without an address of a trial's own."""
        return self._url

    def begin(self, trial: str, repeat: int) -> Tap:  # noqa: ARG002  # each attempt has a label of its own
        """Listen for a trial from now on."""
        found = self._trials.begin(trial)
        return Tap(
            environ=variables_of(trial, f"{self._url}/t/{found.path}", self._environ),
            headers=headers_of(trial, found.trace, found.span),
        )

    async def take(self, trial: str, *, ended: bool) -> Seen | None:
        """What the spans since the last call show; once the trial has ended, after having waited for them.

        Where none came, the record says so and what to look at. Spans that come later are counted, never mixed in.
        """
        found = self._trials.of(trial)
        if found is None:
            return None
        began = time.monotonic()
        while time.monotonic() - began < self._wait_s and not self._heard(found, began, ended=ended):  # noqa: ASYNC110  # silence is no event
            await asyncio.sleep(_LOOK_S)
        found.split_ns = time.time_ns()
        if ended:
            self._trials.end(trial)
        return self._seen(found, ended=ended)

    def _heard(self, found: Listening, began: float, *, ended: bool) -> bool:
        """Whether all has come: the exporter of a command has flushed by now, another's trace must be complete."""
        silent_s = time.monotonic() - max(found.last, began)
        if not ended:
            return silent_s >= _BUILT_QUIET_S
        return bool(found.spans) and silent_s >= _QUIET_S and (found.by_path or found.complete)

    def _seen(self, found: Listening, *, ended: bool) -> Seen | None:
        whole = found.by_path or found.complete
        spans = self._trials.taken(found)
        notes = [*refusals(found.refused), *self._trials.remarks(all_waiting=ended and not spans)]
        found.refused = []
        if found.lost:
            most = f"{SPANS} spans or {TRIAL_BYTES // 1024**2} MB"
            notes.append(f"{found.lost} spans are left out: no more than {most} are kept of one trial")
        if found.late:
            notes.append(f"{found.late} spans that began before the question was asked came after it and are left out")
        if found.shared:
            notes.append(
                f"{found.shared} spans are left out: they name no trial, and their trace is that of two: let each trial"
                " have traces of its own"
            )
        found.lost, found.late, found.shared = 0, 0, 0
        if not spans:
            silence = [self._silence()] if ended else []
            return Seen("otel", notes=(*silence, *notes)) if silence or notes else None
        if ended and not whole:
            notes.append(f"the trace may not be whole: after {self._wait_s:g} s the parents of some spans are missing")
        seen = seen_of(spans)
        return replace(seen, notes=(*seen.notes, *notes))

    def _silence(self) -> str:
        return (
            f"no span arrived within {self._wait_s:g} s: is the agent instrumented, does it export by OTLP over HTTP,"
            " and does it flush when it ends? A command finds the address in OTEL_EXPORTER_OTLP_ENDPOINT; any other"
            f" agent must export to {self._url} (`otel: {{port: …}}` keeps it the same) and go on with `traceparent`"
        )


def _settings_of(setup: WatchSetup) -> tuple[int, float]:
    settings: dict[str, Any] = {name: value for name, value in setup.settings.items() if name != "on"}
    for name in settings:
        if name not in _SETTINGS:
            raise UsageError(f"{setup.place}: unknown setting `{name}`\n  {nearest_of(name, _SETTINGS)}")
    port, wait_s = settings.get("port", 0), settings.get("wait_s", WAIT_S)
    if isinstance(port, bool) or not isinstance(port, int) or ("port" in settings and not 1 <= port <= 65535):
        raise UsageError(f"{setup.place}: `port` is {port!r}\n  a number from 1 to 65535, for instance 4318")
    if isinstance(wait_s, bool) or not isinstance(wait_s, (int, float)) or not 0 < wait_s <= _LONGEST_WAIT_S:
        raise UsageError(f"{setup.place}: `wait_s` is {wait_s!r}\n  seconds, more than 0 and at most {_LONGEST_WAIT_S}")
    return port, float(wait_s)
