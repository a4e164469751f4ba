"""The unplugged control: the same questions with the memory cut off. A case that still passes tests nothing."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from foldproof.cases import Case
from foldproof.score import CaseScore
from foldproof.workflow.running import Options, ask, find_run, new_run, open_configuration
from foldproof.workflow.workspace import Workspace


@dataclass(frozen=True, slots=True)
class Control:
    """The scores of the control; `note` says why it was not run, where it was not."""

    scores: Mapping[str, CaseScore] = field(default_factory=dict)
    note: str = ""

    @property
    def vacuous(self) -> tuple[str, ...]:
        """The cases that pass with no memory at all."""
        return tuple(score.id for score in self.scores.values() if score.passes)

    @property
    def unjudged(self) -> tuple[str, ...]:
        """Why cases could not be judged, one entry a case: of them it is not known whether they test anything."""
        reasons = {
            score.id: next((trial.error for trial in score.trials if trial.error), "not asked")
            for score in self.scores.values()
            if score.errors or not score.trials
        }
        return tuple(f"{case_id}: {reason}" for case_id, reason in reasons.items())


async def run_control(workspace: Workspace, config: str, options: Options, *, cases: tuple[Case, ...]) -> Control:
    """Ask the cases unplugged, once for each set, configuration and code; answers in the store are used again."""
    configuration = workspace.configuration(config)
    if configuration.memory.get("kind") == "external":
        return Control(note="the unplugged control was not run: the memory is the agent's own (`memory: external`)")
    if not configuration.memory and not any(case.memory_config or case.history for case in workspace.replay_set.cases):
        return Control(note="the unplugged control was not run: the agent is given no memory and no history to cut off")
    async with open_configuration(workspace, config, control="unplugged", yes=options.yes) as opened:
        quiet = replace(options, only=(), failing=False, resume="", fresh=False)
        earlier = workspace.store.runs(identity=new_run(workspace, opened).identity)
        run = earlier[0] if earlier else find_run(workspace, opened, quiet)
        report = await ask(workspace, opened, run, cases=cases, repeats=1, options=quiet)
    return Control(report.scores)
