"""Accepting a baseline: what it would change is shown first, and nothing is written in CI."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from foldproof.compare import Baseline, CaseChange, diff_scores, load_baseline, save_baseline
from foldproof.compare.baseline import make_baseline
from foldproof.core import FileError, UsageError
from foldproof.record import Run, Trial
from foldproof.score import CaseScore, score_run
from foldproof.workflow.control import Control, Controls, run_control, run_controls
from foldproof.workflow.running import Options
from foldproof.workflow.verdicts import standing, verdicts_of
from foldproof.workflow.workspace import Workspace, need_project


@dataclass(frozen=True, slots=True)
class Acceptance:
    """A baseline that could be accepted, and what accepting it would change.

    `noise` are the cases whose two trials disagree: A/A differences that no candidate can be blamed for.
    `controls` are those of the accepted configuration, where they were asked for.
    """

    baseline: Baseline
    run: Run
    scores: Mapping[str, CaseScore]
    changes: tuple[CaseChange, ...]
    noise: tuple[str, ...]
    warnings: tuple[str, ...]
    replaces: str = ""
    controls: Controls | None = None


async def propose_baseline(workspace: Workspace, run_name: str, options: Options) -> Acceptance:
    """What accepting a run would make of the baseline; the newest run of the baseline configuration by default.

    The unplugged control is run first where the set has none yet: a case that passes with no memory at all
    tests nothing and cannot enter the gate.

    Raises:
        UsageError: where the run is incomplete, has errors or fewer than two trials a case, or where a gated
            case is vacuous.
    """
    run, trials = _fit_run(workspace, run_name)
    cases = workspace.replay_set.cases
    verdicts = verdicts_of(workspace)
    scores = score_run(cases, trials, verdicts=verdicts, histories=workspace.replay_set.histories)
    control = await run_control(workspace, run.config, options, cases=cases)
    _refuse_vacuous(workspace, control)
    controls = None
    if options.controls:
        controls = await run_controls(workspace, run.config, options, cases=cases, scores=scores)
    baseline = make_baseline(run, trials, workspace.replay_set, vacuous=control.vacuous, verdicts=verdicts)
    path = workspace.project.baseline_file
    former, damage = _former(path, options)
    before = former.scores(workspace.replay_set, verdicts) if former else {}
    return Acceptance(
        baseline,
        run,
        scores,
        diff_scores(before, scores, vacuous=control.vacuous),
        tuple(score.id for score in scores.values() if score.outcome == "flaky"),
        tuple(filter(None, (*_warnings(workspace, run, scores), *_of_judge(workspace), control.note, damage))),
        replaces=former.run if former else "a file that cannot be read" if damage else "",
        controls=controls,
    )


def _former(path: Path, options: Options) -> tuple[Baseline | None, str]:
    """The baseline that would be replaced; of a damaged one, with a person's yes, what is wrong with it."""
    if not path.exists():
        return None, ""
    try:
        return load_baseline(path), ""
    except FileError as error:
        if not options.yes:
            raise
        return None, str(error).splitlines()[0]


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
    save_baseline(acceptance.baseline, workspace.project.baseline_file, workspace.replay_set)


def _fit_run(workspace: Workspace, name: str) -> tuple[Run, list[Trial]]:
    """The run to accept, with its trials: the named one, else the newest of the baseline configuration that is fit.

    A check leaves runs of one trial a case behind; they are passed over, and named only where there is no better one.
    """
    config, whole = workspace.project.baseline, workspace.replay_set
    need_project(workspace)
    runs = [workspace.store.run(name)] if name else workspace.store.runs(config=config)
    refusal: UsageError | None = None
    for run in runs:
        if not name and (run.control or run.state != "finished"):
            continue
        trials = workspace.store.trials(run)
        scores = score_run(whole.cases, trials, verdicts=verdicts_of(workspace), histories=whole.histories)
        try:
            _refuse_unfit(workspace, run, scores)
        except UsageError as error:
            refusal = refusal or error
        else:
            return run, trials
    raise refusal or UsageError(f"no finished run of '{config}' that could be accepted\n  run: foldproof run {config}")


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


def _refuse_vacuous(workspace: Workspace, control: Control) -> None:
    replay_set = workspace.replay_set
    gated = {case.id for case in replay_set.cases if case.case_class in replay_set.gate}
    vacuous = [case_id for case_id in control.vacuous if case_id in gated]
    if vacuous:
        raise UsageError(
            f"these gated cases pass with the memory cut off, so they test nothing: {', '.join(vacuous)}\n"
            "  ask what only the memory or the frozen turns can know, or move them to a class without a gate; an agent"
            " whose memory foldproof cannot cut off is declared `memory: external`"
        )
    if control.unjudged:
        raise UsageError(
            f"{len(control.unjudged)} cases could not be judged with the memory cut off, so it is not known whether"
            f" they test anything; the first: {control.unjudged[0]}\n"
            '  let the agent take `{"kind": "none"}` as its memory_config, and answer without one; an agent whose'
            " memory foldproof cannot cut off is declared `memory: external`"
        )


def _of_judge(workspace: Workspace) -> tuple[str, ...]:
    judge = standing(workspace, workspace.replay_set.cases)
    return (*judge.doubts, *judge.notes) if judge else ()


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
