"""The check: production again, the candidate, repeats where in doubt, the diff, the gate, the verdict."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import UTC, date, datetime

from foldproof.cases import Case, shown
from foldproof.compare import Baseline, Check, config_differences, judge_check, load_baseline
from foldproof.compare.verdict import Evidence
from foldproof.core import FileError, Problem, content_hash
from foldproof.record import Run
from foldproof.record.store import CheckRow
from foldproof.score import CaseScore
from foldproof.workflow.running import Opened, Options, RunReport, ask, new_run, open_configuration, select_cases
from foldproof.workflow.workspace import Workspace


@dataclass(frozen=True, slots=True)
class CheckReport:
    """A check with the two runs it rests on and everything that differs between their configurations."""

    check: Check
    before: RunReport
    after: RunReport
    differs: tuple[str, ...]
    beside_memory: tuple[str, ...]
    baseline: Baseline


async def check_candidate(workspace: Workspace, candidate: str, options: Options) -> CheckReport:
    """Prove or refuse that the candidate still knows what the baseline knows.

    An interrupted check goes on with its own two runs; one that came to its verdict is never reused.

    Raises:
        FileError: where no baseline was accepted yet.
    """
    baseline = _load(workspace)
    workspace.configuration(candidate)
    cases = select_cases(workspace, candidate, options)
    production = workspace.project.baseline
    async with (
        open_configuration(workspace, production, yes=options.yes) as old,
        open_configuration(workspace, candidate, yes=options.yes) as new,
    ):
        row, runs = _runs(workspace, old, new, options)
        always = options.repeats or workspace.project.repeats.always
        before = await ask(workspace, old, runs[0], cases=cases, repeats=always, options=options)
        left = _less(workspace, options, before)
        after = await ask(workspace, new, runs[1], cases=cases, repeats=always, options=left)
        accepted = baseline.scores(workspace.replay_set.cases)
        doubtful = _borderline(cases, accepted, before, after)
        if doubtful and not after.stopped:
            repeats = max(always, workspace.project.repeats.borderline)
            left = _less(workspace, left, after)
            again = await ask(workspace, new, after.run, cases=doubtful, repeats=repeats, options=left)
            after = _merged(after, again)
    evidence = Evidence(
        accepted,
        before.scores,
        after.scores,
        vacuous=baseline.vacuous,
        gone={case_id: name for case_id, name in baseline.classes.items() if case_id not in accepted},
        stopped=tuple(report.stopped for report in (before, after) if report.stopped),
    )
    check = judge_check(workspace.replay_set, evidence, today=_today())
    if not any(score.errors or not score.trials for report in (before, after) for score in report.scores.values()):
        workspace.store.settle_check(row)
    differs = config_differences(old.configuration.content, new.configuration.content)
    beside = tuple(line for line in differs if not line.startswith("memory."))
    return CheckReport(check, before, after, differs, beside, baseline)


def _load(workspace: Workspace) -> Baseline:
    path = workspace.project.baseline_file
    if not path.exists():
        config = workspace.project.baseline
        remedy = f"run: foldproof run {config}\nthen: foldproof baseline accept"
        raise FileError([Problem(shown(path), 0, "no baseline was accepted yet", remedy)])
    return load_baseline(path)


def _runs(workspace: Workspace, old: Opened, new: Opened, options: Options) -> tuple[CheckRow, tuple[Run, Run]]:
    fresh = (new_run(workspace, old), new_run(workspace, new))
    identity = content_hash([run.identity for run in fresh])
    row = None if options.fresh else workspace.store.open_check(identity)
    if row is not None:
        by_id = {run.id: run for run in workspace.store.runs()}
        return row, (by_id[row.before_run], by_id[row.after_run])
    before, after = (workspace.store.create_run(run) for run in fresh)
    return workspace.store.create_check(identity, before, after), (before, after)


def _borderline(
    cases: tuple[Case, ...], accepted: dict[str, CaseScore], before: RunReport, after: RunReport
) -> tuple[Case, ...]:
    """The cases in doubt: changed against the baseline or the run before, or their trials disagree."""
    return tuple(
        case
        for case in cases
        if after.scores[case.id].outcome == "flaky"
        or after.scores[case.id].outcome != accepted.get(case.id, before.scores[case.id]).outcome
        or after.scores[case.id].outcome != before.scores[case.id].outcome
    )


def _merged(first: RunReport, again: RunReport) -> RunReport:
    """The report of a run of which some cases were asked more often."""
    scores = {case_id: again.scores.get(case_id, score) for case_id, score in first.scores.items()}
    asked = {trial.key for trial in again.trials}
    trials = (*(trial for trial in first.trials if trial.key not in asked), *again.trials)
    return replace(
        again,
        scores=scores,
        trials=trials,
        asked=first.asked + again.asked,
        reused=first.reused + again.reused - len(again.trials) + again.asked,
    )


def _less(workspace: Workspace, options: Options, report: RunReport) -> Options:
    """The same options with what this run has cost taken from the limit."""
    most = options.limits(workspace.project.limits).max_cost_usd
    return options if most is None else replace(options, max_cost_usd=max(0.0, most - (report.cost_usd or 0.0)))


def _today() -> date:
    return datetime.now(UTC).date()
