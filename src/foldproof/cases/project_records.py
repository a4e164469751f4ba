"""The records of a project file: configurations, limits, where things stand."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from foldproof.core import content_hash


@dataclass(frozen=True, slots=True)
class Limits:
    """How far a run may go. Times in seconds, cost in US dollars; None means no limit.

    `retries` counts the further attempts after the first, for errors that pass (429, 5xx, lost connections).
    """

    concurrency: int = 8
    timeout_s: float = 120.0
    retries: int = 4
    max_cost_usd: float | None = None
    max_time_s: float | None = None


@dataclass(frozen=True, slots=True)
class Repeats:
    """Trials a case: `always` for each, `borderline` for a case whose verdict is in doubt."""

    always: int = 1
    borderline: int = 3


@dataclass(frozen=True, slots=True)
class JudgeSettings:
    """How the judge of the set is reached, and what goes with every question; its name and prompt stand in the set.

    `base_url` and `api_key` keep their `${NAME}`; without them those of `OPENAI_BASE_URL` and `OPENAI_API_KEY` count.
    `repeats` says how often each answer is judged, `parameters` are sent as they are. `json_schema` is off for an
    endpoint that takes no schema for its answers. `price` is in US dollars per million tokens.
    """

    base_url: str = ""
    api_key: str = ""
    seed: int = 7
    repeats: int = 1
    max_tokens: int | None = None
    json_schema: bool = True
    price: Mapping[str, float] = field(default_factory=dict)
    parameters: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class HoldoutSettings:
    """The sealed set of a project, the log of its openings, and how often it may be opened; None where not stated."""

    file: Path
    log: Path
    most_openings: int | None = None


@dataclass(frozen=True, slots=True)
class Configuration:
    """A named agent with its memory, model and retrieval settings, `extends` already applied.

    `agent` is one of `{"recall": ""}`, `{"chat": settings}`, `{"python": "module:name"}`, `{"command": [...]}`,
    `{"http": url, …}` or `{plugin: …}`: the adapter's name is `adapter`. Values keep their `${NAME}` unexpanded, so
    no secret is ever part of a hash or a record; `expand` gives those that an adapter uses.
    `folds` is None where the adapter decides (once if its memory compacts). `wire` and `otel` say how the agent is
    watched; None is the adapter's usual way, `{"on": False}` not at all. They are no part of what is compared.
    """

    name: str
    agent: Mapping[str, Any]
    model: Mapping[str, Any] = field(default_factory=dict)
    memory: Mapping[str, Any] = field(default_factory=dict)
    folds: int | None = None
    wire: Mapping[str, Any] | None = None
    otel: Mapping[str, Any] | None = None
    line: int = field(default=0, compare=False)

    @property
    def adapter(self) -> str:
        """The name of the adapter: the first key of `agent`."""
        return next(iter(self.agent))

    @property
    def content(self) -> dict[str, Any]:
        """Everything that decides how the agent behaves, as JSON; its name plays no part."""
        return {
            "agent": dict(self.agent),
            "model": dict(self.model),
            "memory": dict(self.memory),
            "folds": self.folds,
        }

    @property
    def sha256(self) -> str:
        """Hash of `content`."""
        return content_hash(self.content)


@dataclass(frozen=True, slots=True)
class DeclaredCompactor:
    """A named compactor: `settings` have its kind as first key, what that is given as first value, then the rest.

    Values keep their `${NAME}` unexpanded. `line` is its place in the file, 0 for one of the command line.
    """

    name: str
    settings: Mapping[str, Any]
    line: int = field(default=0, compare=False)

    @property
    def kind(self) -> str:
        """The name of the kind: the first key of the settings."""
        return next(iter(self.settings))


@dataclass(frozen=True, slots=True)
class Project:
    """One `foldproof.yaml`. Paths are absolute; `root` is the folder of the file and is importable.

    `simulator` holds the settings of the model that plays simulated users, with their `${NAME}` unexpanded.
    """

    path: Path
    root: Path
    replay_set: Path
    configs: Mapping[str, Configuration]
    baseline: str
    baseline_file: Path
    store: str
    repeats: Repeats = Repeats()
    limits: Limits = Limits()
    judge: JudgeSettings = field(default_factory=JudgeSettings)
    simulator: Mapping[str, Any] = field(default_factory=dict)
    holdout: HoldoutSettings | None = None
    compactors: Mapping[str, DeclaredCompactor] = field(default_factory=dict)
