"""From a configuration to agents: the adapters by name, and the factory that makes one agent a trial."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from foldproof.agents.fingerprints import digests_of, files_named, fingerprint_of
from foldproof.agents.watch import Watch, Watching, open_watch
from foldproof.core import Registry, UsageError, nearest_of

if TYPE_CHECKING:
    from foldproof.agents.protocols import Agent
    from foldproof.cases import Configuration


class AgentFactory(Protocol):
    """Makes the agents of one configuration.

    `default_folds` is used where the configuration names none. `fingerprint` is the SHA-256 of the agent's own
    code and of the files that its configuration names, where there are any that can be seen, else empty: it tells
    that they changed, not that all else stayed the same. `notes` are remarks for the report.
    """

    @property
    def default_folds(self) -> int:
        """How often `fold` is called after the history was taken in."""
        ...

    @property
    def fingerprint(self) -> str:
        """SHA-256 of the agent's code and of the files that its configuration names, or empty."""
        ...

    @property
    def notes(self) -> tuple[str, ...]:
        """Remarks for the report."""
        ...

    async def make(self, memory_config: Mapping[str, Any], trial: str) -> Agent:
        """A new agent for one trial, that shares nothing with another trial's.

        Raises:
            AgentError: where the agent cannot be started.
            UsageError: where the `memory_config` cannot be used with this adapter.
        """
        ...


@dataclass(frozen=True, slots=True)
class Setup:
    """What an adapter is opened with: its configuration, expanded.

    `agent` and `model` hold secrets in clear: they are used and never recorded. `memory` is the
    configuration's own; each trial brings the one that counts. `watch` has the tap of each trial.
    """

    name: str
    agent: Mapping[str, Any]
    model: Mapping[str, Any]
    memory: Mapping[str, Any]
    environ: Mapping[str, str]
    root: Path
    line: int = 0
    watch: Watch = field(default_factory=Watch)

    @property
    def place(self) -> str:
        """Where an error is: the configuration, with its line in the file where that is known."""
        return f"configuration '{self.name}'" + (f" (line {self.line})" if self.line else "")

    def memory_of(self, memory_config: Mapping[str, Any]) -> dict[str, Any]:
        """One trial's memory_config, expanded: a deep copy in plain dicts and lists, the agent's own.

        Raises:
            UsageError: for a variable that is not set.
        """
        return _expanded(memory_config, self.environ, "memory_config")

    def fingerprint(self, code: Mapping[Path, str]) -> str:
        """The fingerprint of an agent: its code, as file and SHA-256, and the files below `root` that values name.

        A value of `memory` counts as it is written, its `${NAME}` unexpanded.
        """
        named = files_named([self.agent, self.model, self.memory], self.root)
        return fingerprint_of({**digests_of(named), **code}, self.root)

    def allow(self, *names: str) -> None:
        """Refuse settings of the agent that the adapter does not know.

        Raises:
            UsageError: naming the first unknown one.
        """
        for name in self.agent:
            if name not in names:
                raise UsageError(
                    f"{self.place}: the agent has an unknown setting `{name}`\n  {nearest_of(name, names)}"
                )


Adapter = Callable[[Setup], AbstractAsyncContextManager[AgentFactory]]
"""Opens a configuration's agents; what they share is let go at the end."""

ADAPTERS: Registry[Adapter] = Registry(
    "foldproof.agents",
    "agent adapter",
    {
        "chat": "foldproof.agents.chat:open_chat",
        "command": "foldproof.agents.command:open_command",
        "http": "foldproof.agents.http:open_http",
        "python": "foldproof.agents.python:open_python",
        "recall": "foldproof.agents.recall:open_recall",
    },
)


@dataclass(frozen=True, slots=True)
class OpenedAgents:
    """The agents of a configuration, and the watch that is kept on them."""

    factory: AgentFactory
    watch: Watch


@asynccontextmanager
async def open_agents(
    configuration: Configuration, environ: Mapping[str, str], root: Path, watching: Watching | None = None
) -> AsyncIterator[OpenedAgents]:
    """The factory of a configuration's agents and their watch, for as long as the context lasts.

    `root` is the project's folder: Python agents are imported from it, commands run in it. `${NAME}` in the
    values is replaced from `environ`, which commands also receive as their environment.

    Raises:
        UsageError: where the configuration names no agent that can be reached.
    """
    adapter = ADAPTERS.get(configuration.adapter)
    async with (
        open_watch(configuration, environ, watching or Watching()) as watch,
        adapter(_setup_of(configuration, environ, root, watch=watch)) as factory,
    ):
        yield OpenedAgents(factory, watch)


def _setup_of(configuration: Configuration, environ: Mapping[str, str], root: Path, *, watch: Watch) -> Setup:
    place = f"configs.{configuration.name}"
    return Setup(
        name=configuration.name,
        agent=_expanded(configuration.agent, environ, f"{place}.agent"),
        model=_expanded(configuration.model, environ, f"{place}.model"),
        memory=configuration.memory,
        environ=environ,
        root=root,
        line=configuration.line,
        watch=watch,
    )


def _expanded(value: Mapping[str, Any], environ: Mapping[str, str], place: str) -> dict[str, Any]:
    from foldproof.cases import expand  # brings the YAML reader, which the door does not need

    found: dict[str, Any] = expand(value, environ, place)
    return found
