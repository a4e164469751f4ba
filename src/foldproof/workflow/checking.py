"""The check: production again, the candidate, repeats where in doubt, the diff, the gate, the verdict."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime

from foldproof.cases import STRICT_CLASSES, Case, shown
from foldproof.compare import Baseline, Check, Evidence, asked_hash, config_differences, judge_check, load_baseline
from foldproof.core import FileError, Problem, content_hash
from foldproof.matching import MATCHER_VERSION
from foldproof.record import Run
from foldproof.record.store import CheckRow
from foldproof.score import CaseScore
from foldproof.workflow.control import Control, Controls, less, run_control, run_controls
from foldproof.workflow.holdout import holdout_notes
from foldproof.workflow.run_reports import RunReport, cost_of, judge_notes, record_notes, total_cost
from foldproof.workflow.running import Opened, Options, ask, is_recent, new_run, open_configuration, select_cases
from foldproof.workflow.verdicts import Judging, ask_judge, judge_of, unjudged, verdicts_of
from foldproof.workflow.workspace import Workspace, need_project


@dataclass(frozen=True, slots=True)
class CheckReport:
    """A check with the two runs it rests on and everything that differs between their configurations.

    `controls` are those beside the candidate, where they were asked for.
    """

    check: Check
    before: RunReport
    after: RunReport
    differs: tuple[str, ...]
    beside_memory: tuple[str, ...]
    baseline: Baseline
    controls: Controls | None = None


async def check_candidate(workspace: Workspace, candidate: str, options: Options) -> CheckReport:
    """Prove or refuse that the candidate still knows what the baseline knows.

    An interrupted check goes on with its own two runs, if they began within the last day; one that came to its
    verdict is never gone on with. A case that is new or changed since the baseline was accepted is asked with the
    memory cut off too, since nobody knows yet whether it tests anything. With `controls`, so is every case of the
    candidate, beside the controls that only inform.

    Raises:
        FileError: where no baseline was accepted yet.
    """
    need_project(workspace)
    baseline = _load(workspace)
    workspace.configuration(candidate)
    cases = select_cases(workspace, candidate, options)
    production = workspace.project.baseline
    async with (
        open_configuration(workspace, production, yes=options.yes, cassette=options.cassette) as old,
        open_configuration(workspace, candidate, yes=options.yes, cassette=options.cassette) as new,
    ):
        row, runs = _runs(workspace, old, new, options)
        always = options.repeats or workspace.project.repeats.always
        before = await ask(workspace, old, runs[0], cases=cases, repeats=always, options=options)
        left = less(workspace, options, before)
        after = await ask(workspace, new, runs[1], cases=cases, repeats=always, options=left)
        judging = await _judge_accepted(workspace, baseline, less(workspace, left, after))
        accepted = baseline.scores(workspace.replay_set, verdicts_of(workspace))
        doubtful = _borderline(cases, accepted, before, after)
        if doubtful and not after.stopped:
            repeats = max(always, workspace.project.repeats.borderline)
            left = less(workspace, left, after)
            again = await ask(workspace, new, after.run, cases=doubtful, repeats=repeats, options=left)
            after = _merged(after, again)
    differs = config_differences(old.configuration.content, new.configuration.content)
    control = await _control_of_new(workspace, baseline, cases, options)
    controls = await _controls_beside(workspace, candidate, options, before=before, after=after)
    evidence = Evidence(
        accepted,
        before.scores,
        after.scores,
        vacuous={*baseline.vacuous, *control.vacuous} - _recontrolled(control) | _vacuous(controls),
        gone={case_id: name for case_id, name in baseline.classes.items() if case_id not in _ids(workspace)},
        doubts=(
            *(one.stopped for one in (before, after, judging) if one.stopped),
            *dict.fromkeys(doubt for one in (before, after) if one.judge for doubt in one.judge.doubts),
            *(f"the unplugged control of a new case could not be judged: {reason}" for reason in control.unjudged),
            *_no_longer_guarded(workspace, baseline),
        ),
        unlike=tuple(_of_another_judge(workspace, baseline)),
        notes=(
            *_changed_since(workspace, baseline, old),
            *_reused(before, after),
            *judge_notes(before, after),
            *_run_notes(workspace, before, after),
            *filter(None, [control.note]),
            *holdout_notes(workspace.project, workspace.replay_set),
        ),
    )
    check = judge_check(workspace.replay_set, evidence, today=_today())
    if not (before.stopped or after.stopped or before.judging.errors or after.judging.errors or judging.errors):
        workspace.store.settle_check(row)
    beside = tuple(line for line in differs if not line.startswith("memory."))
    return CheckReport(check, before, after, differs, beside, baseline, controls)


async def _judge_accepted(workspace: Workspace, baseline: Baseline, options: Options) -> Judging:
    """Ask the judge about accepted answers that it has not judged: a fact may be new, or in other words, since then."""
    if _changed_judge(workspace, baseline):
        return Judging()
    replay_set = workspace.replay_set
    known = baseline.verdicts(replay_set, verdicts_of(workspace))
    same = [case for case in replay_set.cases if baseline.asked.get(case.id) == asked_hash(case, replay_set)]
    asked = unjudged(same, baseline.answers, known)
    limits = options.limits(workspace.project.limits)
    return await ask_judge(workspace, asked, limits=limits, listener=options.listener)


def _changed_judge(workspace: Workspace, baseline: Baseline) -> str:
    """The judge of the set, where the baseline's verdicts are another's; else empty."""
    judge = judge_of(workspace)
    return judge.title if judge and baseline.judge and baseline.judge != judge.title else ""


def _of_another_judge(workspace: Workspace, baseline: Baseline) -> Iterator[str]:
    """That the accepted verdicts are another judge's: what it passes, this one may fail."""
    if now := _changed_judge(workspace, baseline):
        yield (
            f"the judge has changed since the baseline was accepted, from {baseline.judge} to {now}, so its verdicts"
            " and those of now cannot be compared: foldproof judge reconcile, or accept a new baseline"
        )


def _ids(workspace: Workspace) -> frozenset[str]:
    return frozenset(case.id for case in workspace.replay_set.cases)


def _recontrolled(control: Control) -> set[str]:
    """The cases whose present control says that they do test something, whatever an earlier one said."""
    return set(control.scores) - set(control.vacuous)


async def _controls_beside(
    workspace: Workspace, candidate: str, options: Options, *, before: RunReport, after: RunReport
) -> Controls | None:
    """The controls of the candidate where they were asked for, out of what the two runs left of the cost limit."""
    if not options.controls:
        return None
    left = less(workspace, less(workspace, options, before), after)
    cases = tuple(case for case in workspace.replay_set.cases if case.id in after.scores)
    return await run_controls(workspace, candidate, left, cases=cases, scores=after.scores)


def _vacuous(controls: Controls | None) -> set[str]:
    return set() if controls is None else set(controls.vacuous)


async def _control_of_new(
    workspace: Workspace, baseline: Baseline, cases: tuple[Case, ...], options: Options
) -> Control:
    replay_set = workspace.replay_set
    new = tuple(
        case for case in cases if case.case_class in replay_set.gate and not baseline.controlled(case, replay_set)
    )
    return await run_control(workspace, workspace.project.baseline, options, cases=new) if new else Control()


def _changed_since(workspace: Workspace, baseline: Baseline, production: Opened) -> Iterator[str]:
    """What is no longer as it was when the baseline was accepted."""
    if baseline.set_sha256 != workspace.replay_set.sha256:
        yield "the set has changed since the baseline was accepted; changed questions count as new"
    changed = config_differences(baseline.config_content, production.configuration.content)
    if changed:
        yield f"'{production.configuration.name}' has changed since the baseline was accepted: {'; '.join(changed)}"
    if baseline.matcher != MATCHER_VERSION:
        yield f"the baseline was accepted under the matcher {baseline.matcher}; the present one is {MATCHER_VERSION}"


def _no_longer_guarded(workspace: Workspace, baseline: Baseline) -> Iterator[str]:
    """Cases that no change may lose, and that this change of the set takes out of the gate's sight."""
    now = {case.id: case.case_class for case in workspace.replay_set.cases}
    for case_id, name in baseline.classes.items():
        if name in STRICT_CLASSES and now.get(case_id) != name:
            where = f"is now of class '{now[case_id]}'" if case_id in now else "is gone from the set"
            yield f"{case_id} was accepted as {name} and {where}: accept a new baseline to agree to that"


def _run_notes(workspace: Workspace, *reports: RunReport) -> dict[str, None]:
    """What the two runs have to say of themselves, each once."""
    return dict.fromkeys(
        f"{report.run.config}: {note}"
        for report in reports
        for note in (*report.run.notes, *record_notes(workspace, report))
    )


def _reused(*reports: RunReport) -> Iterator[str]:
    for report in reports:
        if report.reused:
            run = f"run {report.run.name} ({report.run.config})"
            yield f"{report.reused} answers of {run} were given before this call, since {report.run.started_at}"


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
        runs = (by_id[row.before_run], by_id[row.after_run])
        if all(map(is_recent, runs)):
            return row, runs
    before, after = (workspace.store.create_run(run) for run in fresh)
    return workspace.store.create_check(identity, before, after), (before, after)


def _borderline(
    cases: tuple[Case, ...], accepted: dict[str, CaseScore], before: RunReport, after: RunReport
) -> tuple[Case, ...]:
    """The cases in doubt: judged, changed against the baseline or the run before, or their trials disagree."""
    return tuple(
        case
        for case in cases
        if case.asks_judge
        or after.scores[case.id].outcome == "flaky"
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
        cost_usd=total_cost(cost_of(trials), first.judging.cost_usd, again.judging.cost_usd),
        judging=replace(again.judging, errors=first.judging.errors + again.judging.errors),
        asked=first.asked + again.asked,
        reused=first.reused + again.reused - len(again.trials) + again.asked,
    )


def _today() -> date:
    return datetime.now(UTC).date()
