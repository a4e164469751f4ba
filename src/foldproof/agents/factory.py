"""From a configuration to agents: the adapters by name, and the factory that makes one agent a trial."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from foldproof.agents.fingerprints import digests_of, files_named, fingerprint_of
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
    configuration's own; each trial brings the one that counts.
    """

    name: str
    agent: Mapping[str, Any]
    model: Mapping[str, Any]
    memory: Mapping[str, Any]
    environ: Mapping[str, str]
    root: Path
    line: int = 0

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
        "command": "foldproof.agents.command:open_command",
        "http": "foldproof.agents.http:open_http",
        "python": "foldproof.agents.python:open_python",
        "recall": "foldproof.agents.recall:open_recall",
    },
)


@asynccontextmanager
async def open_agents(
    configuration: Configuration, environ: Mapping[str, str], root: Path
) -> AsyncIterator[AgentFactory]:
    """The factory of a configuration's agents, for as long as the context lasts.

    `root` is the project's folder: Python agents are imported from it, commands run in it. `${NAME}` in the
    values is replaced from `environ`, which commands also receive as their environment.

    Raises:
        UsageError: where the configuration names no agent that can be reached.
    """
    adapter = ADAPTERS.get(configuration.adapter)
    place = f"configs.{configuration.name}"
    setup = Setup(
        name=configuration.name,
        agent=_expanded(configuration.agent, environ, f"{place}.agent"),
        model=_expanded(configuration.model, environ, f"{place}.model"),
        memory=configuration.memory,
        environ=environ,
        root=root,
        line=configuration.line,
    )
    async with adapter(setup) as factory:
        yield factory


def _expanded(value: Mapping[str, Any], environ: Mapping[str, str], place: str) -> dict[str, Any]:
    from foldproof.cases import expand  # brings the YAML reader, which the door does not need

    found: dict[str, Any] = expand(value, environ, place)
    return found
