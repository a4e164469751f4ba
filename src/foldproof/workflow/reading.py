"""What is read from the store without calling an agent: scoring again, explaining, comparing."""

from __future__ import annotations

from dataclasses import dataclass, replace

from foldproof.cases import Case
from foldproof.compare import CaseChange, ChangeFigures, RunFigures, change_figures, diff_scores, run_figures
from foldproof.core import UsageError, nearest_of
from foldproof.record import Run, StoreListing, Trial
from foldproof.score import Records, TrialScore, score_trial
from foldproof.workflow.run_reports import RunReport, judge_notes, stored_report
from foldproof.workflow.running import Options, is_recent, new_run, open_configuration, run_config
from foldproof.workflow.verdicts import verdicts_of
from foldproof.workflow.workspace import Workspace, records_of


@dataclass(frozen=True, slots=True)
class ExplainedTrial:
    """One trial with its score and what its memory held before and after the folds, where that was seen."""

    trial: Trial
    score: TrialScore
    written: StoreListing | None
    kept: StoreListing | None


@dataclass(frozen=True, slots=True)
class Explanation:
    """Everything that a run recorded of one case."""

    run: Run
    case: Case
    trials: tuple[ExplainedTrial, ...]
    records: Records | None = None
    note: str = ""


@dataclass(frozen=True, slots=True)
class Column:
    """One run of a comparison: its own figures, its changes against the first one, and theirs."""

    report: RunReport
    figures: RunFigures
    changes: tuple[CaseChange, ...]
    against: ChangeFigures


@dataclass(frozen=True, slots=True)
class CompareReport:
    """Runs side by side; the first is what the others are compared with."""

    cases: tuple[Case, ...]
    columns: tuple[Column, ...]


def rescore_run(workspace: Workspace, name: str) -> tuple[RunReport, str]:
    """Score the stored answers of a run with the facts as they stand now; no agent is called.

    The run is held against the whole set, so a case that it did not ask leaves the verdict open. The second value
    is a remark where the set is another one than was asked.
    """
    run = workspace.store.run(name)
    report = stored_report(workspace, run, workspace.replay_set.cases)
    report = replace(report, notes=judge_notes(report))
    asked = {trial.case for trial in workspace.store.trials(run)}
    return report, _set_note(workspace, run, asked)


def _set_note(workspace: Workspace, run: Run, asked: set[str]) -> str:
    if run.set_sha256 == workspace.replay_set.sha256:
        return ""
    now = {case.id for case in workspace.replay_set.cases}
    counts = {"cases not asked in it": len(now - asked), "cases no longer in the set": len(asked - now)}
    return "; ".join(
        [f"the set has changed since run {run.name}", *(f"{name}: {n}" for name, n in counts.items() if n)]
    )


def explain_case(workspace: Workspace, run_name: str, case_id: str) -> Explanation:
    """What a run recorded of one case, trial by trial.

    Raises:
        UsageError: for a case that the set or the run does not have, with the nearest id.
    """
    run = workspace.store.run(run_name)
    stored = workspace.store.trials(run)
    trials = [trial for trial in stored if trial.case == case_id]
    cases = {case.id: case for case in workspace.replay_set.cases}
    if case_id not in cases:
        raise UsageError(f"no case '{case_id}' in {workspace.replay_set.path}\n  {nearest_of(case_id, cases)}")
    if not trials:
        raise UsageError(
            f"run {run.name} did not ask case '{case_id}'\n  run: foldproof run {run.config} --only {case_id}"
        )
    case = cases[case_id]
    records, verdicts = records_of(workspace, run), verdicts_of(workspace)
    explained = tuple(
        ExplainedTrial(
            trial,
            score_trial(
                case,
                trial,
                records=records,
                verdicts=verdicts,
                histories=workspace.replay_set.histories,
                cut_off=run.control == "unplugged",
            ),
            workspace.store.listing(trial.store_written) if trial.store_written else None,
            workspace.store.listing(trial.store_kept) if trial.store_kept else None,
        )
        for trial in trials
    )
    return Explanation(run, case, explained, records, _set_note(workspace, run, {trial.case for trial in stored}))


async def compare_runs(workspace: Workspace, names: tuple[str, ...], options: Options) -> CompareReport:
    """Put runs side by side.

    A configuration without a finished run of the last day, with the set, settings and code of now, is run first.
    """
    cases = workspace.select(options.only)
    reports = [await _report(workspace, name, cases, options) for name in names]
    histories = {case.id: case.history for case in workspace.replay_set.cases}
    columns = []
    for report in reports:
        changes = diff_scores(reports[0].scores, report.scores)
        columns.append(Column(report, run_figures(report.scores), changes, change_figures(changes, histories)))
    return CompareReport(cases, tuple(columns))


async def _report(workspace: Workspace, name: str, cases: tuple[Case, ...], options: Options) -> RunReport:
    if name.isdecimal() or name == "latest":
        return stored_report(workspace, workspace.store.run(name), cases)
    async with open_configuration(workspace, name, yes=options.yes) as opened:
        identity = new_run(workspace, opened).identity
    for run in filter(is_recent, workspace.store.runs(identity=identity)):
        report = stored_report(workspace, run, cases)
        if run.state == "finished" and all(score.judged and not score.errors for score in report.scores.values()):
            return report
    return await run_config(workspace, name, options)
