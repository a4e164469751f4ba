"""Who answers the agent while a run goes on: the conditions of its lines, and the model that plays a user."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterable, Mapping
from contextlib import asynccontextmanager
from typing import Any

from foldproof.agents.counterparts import check_simulator, open_simulator, simulator_note
from foldproof.cases import Case, Limits, expand
from foldproof.core import UsageError
from foldproof.run import Counterparts
from foldproof.score.conditions import condition_holds
from foldproof.workflow.workspace import Workspace

_PLACE = "simulator"


@asynccontextmanager
async def open_counterparts(workspace: Workspace, cases: Iterable[Case]) -> AsyncIterator[Counterparts]:
    """What live counterparts need; a simulator only where one of the cases has a simulated user.

    Raises:
        UsageError: where the project names no simulator that can be asked.
    """
    if not any(case.simulated for case in cases):
        yield Counterparts(condition_holds)
        return
    settings = expand(workspace.project.simulator, workspace.environ, _PLACE)
    async with open_simulator(settings, workspace.environ) as simulator:
        yield Counterparts(condition_holds, simulator)


def check_counterparts(workspace: Workspace, cases: Iterable[Case], limits: Limits) -> None:
    """See that simulated users can be played, and that a cost limit can be held with them.

    Raises:
        UsageError: where they cannot.
    """
    if not any(case.simulated for case in cases):
        return
    check_simulator(workspace.project.simulator)
    if limits.max_cost_usd is not None and "price" not in workspace.project.simulator:
        raise UsageError(
            f"the `simulator` has no price, and the run a cost limit of {limits.max_cost_usd} US dollars\n"
            "  add `price: {input: …, output: …}` (US dollars a million tokens) to it"
        )


def played_by(workspace: Workspace) -> Mapping[str, Any]:
    """The settings of who plays the simulated users of the set, as written; empty where it has none."""
    simulated = any(case.simulated for case in workspace.replay_set.cases)
    return workspace.project.simulator if simulated else {}


def counterpart_notes(workspace: Workspace, *, cassette: bool) -> tuple[str, ...]:
    """What a reader should know of who played the simulated users of a run."""
    settings = played_by(workspace)
    if not settings:
        return ()
    kept = ("the cassette keeps nothing of what the simulated user says: it is asked anew",) if cassette else ()
    return (*simulator_note(settings), *kept)
