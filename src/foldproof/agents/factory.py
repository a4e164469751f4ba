"""From a configuration to agents: the adapters by name, and the factory that makes one agent a trial."""

from __future__ import annotations

import hashlib
from collections.abc import AsyncIterator, Callable, Iterable, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from foldproof.core import Registry, UsageError, nearest_of

if TYPE_CHECKING:
    from foldproof.agents.protocols import Agent
    from foldproof.cases import Configuration

EVERYTHING = frozenset({"ingest", "memories", "reads", "writes", "prompt", "snapshot", "usage"})
"""All that an adapter can show of an agent."""


class AgentFactory(Protocol):
    """Makes the agents of one configuration.

    `shows` is the most that the adapter can show (see `EVERYTHING`); what a trial does not show after all is
    unknown there. `default_folds` is used where the configuration names none. `fingerprint` is the SHA-256 of
    the agent's own code where it can be seen, else empty: it tells that the code changed, not that all of
    what it imports stayed the same. `notes` are remarks for the report.
    """

    @property
    def shows(self) -> frozenset[str]:
        """The most that an agent of this factory can show."""
        ...

    @property
    def default_folds(self) -> int:
        """How often `fold` is called after the history was taken in."""
        ...

    @property
    def fingerprint(self) -> str:
        """SHA-256 of the agent's code, or empty."""
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


def fingerprint_of(files: Iterable[Path], root: Path) -> str:
    """SHA-256 over the files' names below `root` and their bytes; empty without files."""
    found = sorted({path.resolve() for path in files if path.is_file()})
    if not found:
        return ""
    digest = hashlib.sha256()
    base = root.resolve()
    for path in found:
        name = path.relative_to(base).as_posix() if path.is_relative_to(base) else path.name
        digest.update(f"{name}\0".encode("utf-8", "surrogateescape"))
        digest.update(hashlib.sha256(path.read_bytes()).digest())
    return digest.hexdigest()
