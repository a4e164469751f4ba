"""Facts that a model proposes for exchanges of a log, each held against the span rule before it counts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import anyio

from foldproof.agents import AgentError
from foldproof.agents.drafter import DRAFT, Drafter, Proposal, open_drafter
from foldproof.agents.model import check_model
from foldproof.agents.waiting import patiently
from foldproof.cases import Limits, expand, project_environment
from foldproof.cases.drafting import CLASSES_DRAFTED, DraftedFact, Exchange, proposed, shortened
from foldproof.core import UsageError, first_of, nearest_of
from foldproof.record.spending import Spending
from foldproof.workflow.workspace import locate_project

_IN_A_ROW = 3
"""So many answers that fail in a row end the asking: an endpoint that is gone would be waited for at each question."""


@dataclass(frozen=True, slots=True)
class Further:
    """What held of the proposals for one exchange: facts with their source, and the class, empty for none."""

    facts: tuple[DraftedFact, ...] = ()
    case_class: str = ""


@dataclass(slots=True)
class Proposals:
    """What a model proposed for exchanges, what of it held, and what came of the rest.

    `further` has the exchanges' places, empty where nobody asked or the asking failed. `shortened` counts proposals of
    which only some words in a row keep to the span rule, `refused` those that are no facts, by why. `stopped` says why
    not every exchange was asked, empty where each was.
    """

    config: str
    model_name: str
    host: str
    prompt: str = DRAFT.name
    asked: int = 0
    proposed: int = 0
    shortened: int = 0
    refused: Counter[str] = field(default_factory=Counter)
    failed: int = 0
    first_error: str = ""
    stopped: str = ""
    further: list[Further] = field(default_factory=list)

    @property
    def held(self) -> int:
        """Proposals that keep to the span rule, the shortened ones among them."""
        return self.proposed - self.refused.total()


@dataclass(frozen=True, slots=True)
class DrafterSettings:
    """The model of a configuration as it is asked: its settings with `${NAME}` filled in, and the limits."""

    config: str
    settings: Mapping[str, Any] = field(repr=False)
    environ: Mapping[str, str] = field(repr=False)
    limits: Limits


def drafter_settings(config: str) -> DrafterSettings:
    """The model of a configuration of the project found from the working folder upwards; nothing is sent.

    Raises:
        UsageError: for an unknown configuration, one without a model that can be asked, or without a price where the
            project has a cost limit.
    """
    project = locate_project(Path.cwd())
    if config not in project.configs:
        raise UsageError(f"no configuration '{config}' in {project.path}\n  {nearest_of(config, project.configs)}")
    environ = project_environment(project)
    model = expand(project.configs[config].model, environ, f"configs.{config}.model")
    check_model(model, _place(config))
    if project.limits.max_cost_usd is not None and "price" not in model:
        raise UsageError(
            f"the model of '{config}' has no price, and the project a cost limit of {project.limits.max_cost_usd} US "
            "dollars\n  add `price: {input: …, output: …}` (US dollars a million tokens) to it"
        )
    return DrafterSettings(config, model, environ, project.limits)


async def propose_facts(exchanges: Sequence[Exchange], asked: DrafterSettings) -> Proposals:
    """Ask a model for facts, once for each exchange that has an answer and something before it.

    The question, the answer and what was known before are sent to its endpoint. An answer that fails is counted and
    leaves its exchange without proposals, never an exception.

    Raises:
        UsageError: where the settings name no endpoint.
    """
    async with open_drafter(asked.settings, asked.environ, place=_place(asked.config)) as drafter:
        host = urlsplit(drafter.chat.endpoint.url).netloc.rpartition("@")[2]
        found = Proposals(asked.config, str(asked.settings["name"]), host, further=[Further()] * len(exchanges))
        bench = _Bench(drafter, asked.limits, found)
        feed = ((place, one) for place, one in enumerate(exchanges) if one.answer.strip() and one.sources)
        try:
            async with anyio.create_task_group() as group:
                for _ in range(min(asked.limits.concurrency, len(exchanges))):
                    group.start_soon(bench.work, feed)
        except BaseExceptionGroup as failures:
            raise first_of(failures) from None
    return found


def _place(config: str) -> str:
    return f"configuration '{config}'"


class _Bench:
    def __init__(self, drafter: Drafter, limits: Limits, found: Proposals) -> None:
        self._drafter = drafter
        self._limits = limits
        self._spending = Spending(limits, unpriced="the model does not show what a proposal costs")
        self._found = found
        self._in_a_row = 0

    async def work(self, feed: Iterator[tuple[int, Exchange]]) -> None:
        found, limits = self._found, self._limits
        for place, exchange in feed:
            if self._stopped():
                return
            found.asked += 1
            try:
                proposal = await patiently(
                    lambda exchange=exchange: self._drafter.propose(exchange),  # type: ignore[misc]  # bound now
                    timeout_s=limits.timeout_s,
                    retries=limits.retries,
                )
            except (AgentError, TimeoutError) as error:
                found.failed += 1
                found.first_error = found.first_error or str(error) or f"no answer within {limits.timeout_s:g} s"
                self._in_a_row += 1
                continue
            self._in_a_row = 0
            self._spending.count(proposal.usage, answered=True)
            found.further[place] = self._checked(exchange, proposal)

    def _stopped(self) -> str:
        in_a_row = f"{_IN_A_ROW} answers in a row failed" if self._in_a_row >= _IN_A_ROW else ""
        self._found.stopped = in_a_row or self._spending.limit_reached()
        return self._found.stopped

    def _checked(self, exchange: Exchange, proposal: Proposal) -> Further:
        """What of a proposal keeps to the span rule; the rest is counted."""
        facts = []
        for text in proposal.facts:
            self._found.proposed += 1
            fact = proposed(exchange, text.strip())
            if isinstance(fact, DraftedFact):
                facts.append(fact)
            elif short := shortened(exchange, text):
                facts.append(short)
                self._found.shortened += 1
            else:
                self._found.refused[fact] += 1
        return Further(tuple(facts), proposal.case_class if proposal.case_class in CLASSES_DRAFTED else "")
