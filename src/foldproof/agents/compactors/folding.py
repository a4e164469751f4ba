"""The compactor `config`: an agent of the project, whose memory takes a text in, folds it, and lists what it holds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import AsyncExitStack
from dataclasses import replace
from types import TracebackType
from typing import Any, Self

from foldproof.agents.compactors.setup import CompactorSetup
from foldproof.agents.errors import AgentError, UnsupportedError
from foldproof.agents.factory import AgentFactory, open_agents
from foldproof.agents.protocols import Agent, Closes, Folds, Ingests, ShowsMemories
from foldproof.agents.remembering import Remembering
from foldproof.agents.usage import FREE
from foldproof.compaction import Compacted
from foldproof.core import UsageError, nearest_of
from foldproof.logs import History, Session, Turn, Usage

SESSION = "document"
NO_BUDGET = "none"
_HEAD = f"[{SESSION}] user: "
_TRIED = 1000


class FoldingAgent:
    """The agent of a configuration as a compactor: what its memory lists after the fold is what is left of the text.

    Each line of the text that is not blank is a turn of one user, in one session. For each round there is a new agent
    with an empty memory, whose `memory_config` also holds the budget, under the name that `budget_as` gives; `none`
    tells the agent no budget. The agent is not asked anything.
    """

    def __init__(self, settings: Mapping[str, Any], setup: CompactorSetup) -> None:
        setup.allow(settings, "config", "budget_as")
        self.name = setup.name
        self._place = setup.place
        named = settings.get("config", "")
        if named not in setup.configs:
            close = nearest_of(str(named), setup.configs)
            raise UsageError(f"{setup.place} folds the unknown configuration '{named}'\n  {close}")
        self._budget_as = settings.get("budget_as", "budget")
        if not isinstance(self._budget_as, str) or not self._budget_as:
            raise UsageError(
                f"{setup.place}: its `budget_as` is {self._budget_as!r}, where the name of a setting is expected\n"
                "  the setting of the memory that takes the budget, or `none`"
            )
        # what watches an agent watches its answers: here it gives none
        self._configuration = replace(setup.configs[named], wire={"on": False}, otel={"on": False})
        self._setup = setup
        self._stack = AsyncExitStack()
        self._factory: AgentFactory
        self._made = 0

    async def __aenter__(self) -> Self:
        """Open the configuration, and see that an agent of it can be told a budget.

        Raises:
            UsageError: where it cannot.
        """
        async with AsyncExitStack() as stack:
            opened = await stack.enter_async_context(
                open_agents(self._configuration, self._setup.environ, self._setup.root)
            )
            self._factory = opened.factory
            try:
                await _close(await self._agent(_TRIED, self.name))
            except AgentError as error:
                raise UsageError(f"{self._place}: its agent cannot be started: {error}") from error
            except UsageError as error:
                raise UsageError(f"{self._place}: {error}{self._remedy(error)}") from error
            self._stack = stack.pop_all()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Let the configuration go."""
        await self._stack.aclose()

    async def compact(self, text: str, budget: int) -> Compacted:
        """What the memory of a new agent lists, one item below the other.

        Raises:
            AgentError: where the agent fails, or cannot take a text in, fold it, or list what it holds.
        """
        lines = tuple(Turn("user", line) for line in text.splitlines() if line.strip())
        self._made += 1
        trial = f"{self.name}-{self._made}"
        agent = await self._agent(budget, trial)
        try:
            items = await self._folded(agent, trial, History(SESSION, (Session(SESSION, lines),)))
            used = _spent(agent)
        except UnsupportedError as error:
            raise AgentError(f"what the agent's fold keeps cannot be seen: {error}") from error
        finally:
            await _close(agent)
        left = "\n".join(item.removeprefix(_HEAD) for item in items)
        return Compacted(left, usage=used)

    async def _agent(self, budget: int, trial: str) -> Agent:
        told = {} if self._budget_as == NO_BUDGET else {self._budget_as: budget}
        return await self._factory.make({**self._configuration.memory, **told}, trial)

    async def _folded(self, agent: Agent, trial: str, history: History) -> Sequence[str]:
        if not (isinstance(agent, Ingests) and isinstance(agent, Folds) and isinstance(agent, ShowsMemories)):
            raise UnsupportedError("it has no `ingest`, `fold` and `memories`")
        await agent.ingest(history)
        for _ in range(self._configuration.folds or 1):
            await agent.fold()
        return [item.text for item in await agent.memories(trial)]

    def _remedy(self, error: UsageError) -> str:
        if self._budget_as == NO_BUDGET or f"`{self._budget_as}`" not in str(error):
            return ""
        return (
            f"\n  each round tells the memory its budget as `{self._budget_as}`: name the setting that takes it with"
            f"\n  `budget_as: …` beside `config`, or write `budget_as: {NO_BUDGET}`"
        )


def _spent(agent: Agent) -> Usage | None:
    """What the memory's own model calls used, where it is one of ours; of others nobody tells."""
    return agent.spent.with_answer(FREE) if isinstance(agent, Remembering) else None


async def _close(agent: Agent) -> None:
    if isinstance(agent, Closes):
        await agent.close()
