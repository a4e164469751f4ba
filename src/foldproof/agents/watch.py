"""Watching an agent from beside it: what its calls are sent through, and what was seen of each trial."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Protocol

from foldproof.core import Registry, UsageError
from foldproof.logs import Seen, Source

if TYPE_CHECKING:
    from foldproof.cases import Configuration

CassetteMode = Literal["", "record", "replay", "auto"]
CASSETTE_MISS = "the cassette has no answer"
"""How the note on a request opens that nobody was asked, since the run may only replay."""


@dataclass(frozen=True, slots=True)
class Tap:
    """Where the agent of one trial sends what is to be watched.

    `wire_url` is an OpenAI-style base URL of this trial's own, empty where nothing listens. `environ` are
    variables for a process, `headers` those of a request to an agent behind an address.
    """

    wire_url: str = ""
    environ: Mapping[str, str] = field(default_factory=dict)
    headers: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Watching:
    """How a run watches its agents: whether model calls are kept in or taken from a cassette, and in which folder."""

    cassette: CassetteMode = ""
    folder: Path | None = None


def unanswered(seen: Iterable[Seen]) -> str:
    """How the model calls of an answer failed, where every one of them did; empty where one was answered, or none made.

    What an agent makes of a model that cannot be reached says nothing of its memory.
    """
    calls = [call for source in seen for call in source.calls]
    if not calls or not all(call.failure for call in calls):
        return ""
    count = "its only model call" if len(calls) == 1 else f"all {len(calls)} model calls"
    return f"{count} failed, the last with: {calls[-1].failure}"


def cassette_miss(found: Sequence[Seen]) -> str:
    """The first request that the cassette could not answer, in its note's words, or nothing."""
    notes = (note for seen in found for note in seen.notes)
    return next((note for note in notes if note.startswith(CASSETTE_MISS)), "")


class Observer(Protocol):
    """One source of evidence beside the adapter. Trials are told apart by their label."""

    def begin(self, trial: str, repeat: int) -> Tap:
        """Listen for a trial from now on; `repeat` is its repetition of the case, from 0."""
        ...

    async def take(self, trial: str, *, ended: bool) -> Seen | None:
        """What was seen since the last call, or None where that is nothing; `ended` stops the listening.

        Where spans come late, it waits for them, with a bound, once the trial has ended.
        """
        ...


@dataclass(frozen=True, slots=True)
class WatchSetup:
    """What an observer is opened with: its settings and the model of the configuration, as written, and the run's.

    `configuration` is the name of the configuration, `place` where its settings stand.
    """

    place: str
    settings: Mapping[str, Any]
    model_settings: Mapping[str, Any]
    environ: Mapping[str, str]
    watching: Watching
    configuration: str = ""


Opener = Callable[[WatchSetup], AbstractAsyncContextManager[Observer]]
OBSERVERS: Registry[Opener] = Registry(
    "foldproof.observers",
    "observer",
    {"wire": "foldproof.agents.wire:open_wire", "otel": "foldproof.agents.otel:open_otel"},
)
_MODEL_VARIABLES = ("OPENAI_API_KEY", "OPENAI_BASE_URL", "ANTHROPIC_API_KEY", "ANTHROPIC_BASE_URL")


class Watch:
    """All observers of a configuration's agents; with none, nothing is watched."""

    def __init__(self, observers: Mapping[Source, Observer] | None = None) -> None:
        self._observers = dict(observers or {})
        self._taps: dict[str, Tap] = {}

    def begin(self, trial: str, repeat: int) -> Tap:
        """Listen for a trial from now on."""
        taps = [observer.begin(trial, repeat) for observer in self._observers.values()]
        self._taps[trial] = Tap(
            next((tap.wire_url for tap in taps if tap.wire_url), ""),
            {name: value for tap in taps for name, value in tap.environ.items()},
            {name: value for tap in taps for name, value in tap.headers.items()},
        )
        return self._taps[trial]

    def tap(self, trial: str) -> Tap:
        """The tap of a trial that has begun; an empty one where nothing is watched."""
        return self._taps.get(trial, Tap())

    async def take(self, trial: str, *, ended: bool = False) -> tuple[Seen, ...]:
        """What each observer saw since the last call, in a fixed order; where one could not read it, a note says so."""
        if ended:
            self._taps.pop(trial, None)
        found = [await _taken(source, observer, trial, ended=ended) for source, observer in self._observers.items()]
        return tuple(seen for seen in found if seen is not None)


async def _taken(source: Source, observer: Observer, trial: str, *, ended: bool) -> Seen | None:
    try:
        return await observer.take(trial, ended=ended)
    except Exception as error:  # noqa: BLE001  # a border: whatever foreign bodies do to a reader, the answer stands
        return Seen(source, notes=(f"what it saw could not be read: {type(error).__name__}: {error}",))


@asynccontextmanager
async def open_watch(
    configuration: Configuration, environ: Mapping[str, str], watching: Watching
) -> AsyncIterator[Watch]:
    """The watch that a configuration asks for, for as long as the context lasts.

    Unless it is said, a command is watched on the wire where the environment names a model or its key, and nothing
    is watched by OpenTelemetry.

    Raises:
        UsageError: for settings that cannot be used, or a part of foldproof that is not installed.
    """
    usual = configuration.adapter == "command" and any(environ.get(name) for name in _MODEL_VARIABLES)
    asked: dict[Source, Mapping[str, Any]] = {
        "wire": configuration.wire if configuration.wire is not None else {"on": usual or bool(watching.cassette)},
        "otel": configuration.otel if configuration.otel is not None else {"on": False},
    }
    if watching.cassette and not asked["wire"].get("on", True):
        raise UsageError(
            f"configs.{configuration.name}: `--cassette {watching.cassette}` needs the wire, which is `off` here\n"
            "  a cassette keeps and gives what passes over the wire: take `wire: off` out, or leave the cassette away"
        )
    async with AsyncExitStack() as stack:
        observers: dict[Source, Observer] = {}
        for name, settings in asked.items():
            if settings.get("on", True):
                setup = WatchSetup(
                    f"configs.{configuration.name}.{name}",
                    settings,
                    configuration.model,
                    environ,
                    watching,
                    configuration.name,
                )
                observers[name] = await stack.enter_async_context(OBSERVERS.get(name)(setup))
        yield Watch(observers)
