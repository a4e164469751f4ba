"""Accepting a baseline: what it would change is shown first, and nothing is written in CI."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from foldproof.compare import Baseline, CaseChange, diff_scores, load_baseline, save_baseline
from foldproof.compare.baseline import make_baseline
from foldproof.core import UsageError
from foldproof.record import Run
from foldproof.score import CaseScore, score_run
from foldproof.workflow.running import Options, ask, find_run, new_run, open_configuration
from foldproof.workflow.workspace import Workspace


@dataclass(frozen=True, slots=True)
class Acceptance:
    """A baseline that could be accepted, and what accepting it would change.

    `noise` are the cases whose two trials disagree: A/A differences that no candidate can be blamed for.
    """

    baseline: Baseline
    run: Run
    scores: Mapping[str, CaseScore]
    changes: tuple[CaseChange, ...]
    noise: tuple[str, ...]
    warnings: tuple[str, ...]
    replaces: str = ""


async def propose_baseline(workspace: Workspace, run_name: str, options: Options) -> Acceptance:
    """What accepting a run would make of the baseline; the newest run of the baseline configuration by default.

    The unplugged control is run first where the set has none yet: a case that passes with no memory at all
    tests nothing and cannot enter the gate.

    Raises:
        UsageError: where the run is incomplete, has errors or fewer than two trials a case, or where a gated
            case is vacuous.
    """
    run = _find(workspace, run_name)
    trials = workspace.store.trials(run)
    scores = score_run(workspace.replay_set.cases, trials)
    _refuse_unfit(workspace, run, scores)
    control, note = await _unplugged(workspace, run.config, options)
    vacuous = tuple(score.id for score in control.values() if score.passes)
    _refuse_vacuous(workspace, vacuous)
    baseline = make_baseline(run, trials, workspace.replay_set.cases, vacuous=vacuous)
    path = workspace.project.baseline_file
    former = load_baseline(path) if path.exists() else None
    before = former.scores(workspace.replay_set.cases) if former else {}
    return Acceptance(
        baseline,
        run,
        scores,
        diff_scores(before, scores, vacuous=vacuous),
        tuple(score.id for score in scores.values() if score.outcome == "flaky"),
        tuple(filter(None, (*_warnings(workspace, run, scores), note))),
        replaces=former.run if former else "",
    )


def apply_acceptance(workspace: Workspace, acceptance: Acceptance, *, environ: Mapping[str, str]) -> None:
    """Write the baseline file.

    Raises:
        UsageError: where `CI` is set: a baseline is accepted by a person, on a branch that others review.
    """
    if environ.get("CI", "").lower() not in ("", "0", "false"):
        raise UsageError(
            "a baseline is not accepted in CI (`CI` is set): it would bless whatever this commit does\n"
            "  run `foldproof baseline accept` on your machine and commit the file"
        )
    save_baseline(acceptance.baseline, workspace.project.baseline_file, workspace.replay_set.cases)


def _find(workspace: Workspace, name: str) -> Run:
    if name:
        return workspace.store.run(name)
    config = workspace.project.baseline
    runs = [run for run in workspace.store.runs(config=config) if run.state == "finished" and not run.control]
    if not runs:
        raise UsageError(f"no finished run of '{config}' that could be accepted\n  run: foldproof run {config}")
    return runs[0]


def _refuse_unfit(workspace: Workspace, run: Run, scores: Mapping[str, CaseScore]) -> None:
    command = f"foldproof run {run.config}"
    if run.control:
        raise UsageError(f"run {run.name} is the {run.control} control, not a run of the memory\n  run: {command}")
    if run.set_sha256 != workspace.replay_set.sha256:
        raise UsageError(
            f"run {run.name} asked another version of the set than {workspace.replay_set.path} holds now\n"
            f"  run: {command}"
        )
    few = [score.id for score in scores.values() if len(score.trials) < 2]
    if few:
        raise UsageError(
            f"run {run.name} has fewer than two trials of {len(few)} of {len(scores)} cases, so its noise cannot be"
            f" seen; the first: {few[0]}\n  run: {command} --resume {run.name} --repeat 2"
        )
    errors = [f"{score.id}: {trial.error}" for score in scores.values() for trial in score.trials if trial.error]
    if errors:
        raise UsageError(
            f"run {run.name} has {len(errors)} trials without a judgement; the first: {errors[0]}\n"
            f"  set that right, then ask those again: {command}"
        )


async def _unplugged(workspace: Workspace, config: str, options: Options) -> tuple[dict[str, CaseScore], str]:
    """The scores with the memory cut off, asked once for each set, configuration and code."""
    cases = workspace.replay_set.cases
    configuration = workspace.configuration(config)
    if configuration.memory.get("kind") == "external":
        return {}, "the unplugged control was not run: the memory is the agent's own (`memory: external`)"
    if not configuration.memory and not any(case.memory_config or case.history for case in cases):
        return {}, "the unplugged control was not run: the agent is given neither a memory nor a history to cut off"
    async with open_configuration(workspace, config, control="unplugged", yes=options.yes) as opened:
        quiet = replace(options, only=(), failing=False, resume="", fresh=False)
        earlier = workspace.store.runs(identity=new_run(workspace, opened).identity)
        run = earlier[0] if earlier else find_run(workspace, opened, quiet)
        report = await ask(workspace, opened, run, cases=cases, repeats=1, options=quiet)
    return report.scores, ""


def _refuse_vacuous(workspace: Workspace, vacuous: tuple[str, ...]) -> None:
    replay_set = workspace.replay_set
    gated = [case.id for case in replay_set.cases if case.id in vacuous and case.case_class in replay_set.gate]
    if gated:
        raise UsageError(
            f"{len(gated)} gated cases pass with the memory cut off, so they test nothing: {', '.join(gated)}\n"
            "  ask what only the memory can know, or move them to a class without a gate; an agent whose memory"
            " foldproof cannot cut off is declared `memory: external`"
        )


def _warnings(workspace: Workspace, run: Run, scores: Mapping[str, CaseScore]) -> list[str]:
    warnings = []
    temperature = run.config_content.get("model", {}).get("temperature", 0)
    if temperature not in (0, "0"):
        warnings.append(f"temperature is {temperature}: answers will differ from run to run; 0 is steadier")
    for name, requirement in workspace.replay_set.gate.items():
        failing = [s.id for s in scores.values() if s.case_class == name and s.outcome != "pass"]
        if failing and requirement.need is None:
            names = ", ".join(failing)
            warnings.append(f"{name} asks `all`, but these do not pass now, so no check can pass: {names}")
    return warnings
