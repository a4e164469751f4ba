"""The report of a run: its records scored, held against the gate, and what a reader should know of them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace

from foldproof.cases import Case
from foldproof.compare import RunVerdict, judge_control, judge_run
from foldproof.record import Run, Trial
from foldproof.score import CaseScore, score_run
from foldproof.score.retrieval import whole_reads
from foldproof.score.watching import fault_notes, watch_notes
from foldproof.workflow.control_cases import asked_under
from foldproof.workflow.verdicts import Judging, Standing, standing, verdicts_of
from foldproof.workflow.workspace import Workspace, records_of


@dataclass(frozen=True, slots=True)
class RunReport:
    """A run, its scores and what it comes to. `asked` trials were asked now, `reused` stood in the store.

    `notes` are remarks on what it asked, beside those of the run itself. `judging` is what the judge was asked now,
    `judge` what its verdicts are worth, None where no case asks one.
    """

    run: Run
    scores: dict[str, CaseScore]
    verdict: RunVerdict
    asked: int = 0
    reused: int = 0
    stopped: str = ""
    cost_usd: float | None = None
    trials: tuple[Trial, ...] = field(default=(), repr=False)
    notes: tuple[str, ...] = ()
    judging: Judging = field(default_factory=Judging)
    judge: Standing | None = None


def report_run(
    workspace: Workspace,
    run: Run,
    cases: tuple[Case, ...],
    trials: list[Trial],
    *,
    part: bool = False,
    doubts: tuple[str, ...] = (),
) -> RunReport:
    """Score recorded trials and hold them against the gate; no agent is called.

    `part` says that a person chose these cases out of the set; otherwise what was not asked is undecided.
    """
    scores = score_run(
        cases,
        trials,
        records=records_of(workspace, run),
        verdicts=verdicts_of(workspace),
        histories=workspace.replay_set.histories,
        cut_off=run.control == "unplugged",
    )
    judge = None
    if run.control:
        verdict = judge_control(scores, control=run.control, doubts=doubts)
    else:
        judge = standing(workspace, cases)
        doubts = (*doubts, *(judge.doubts if judge else ()))
        verdict = judge_run(workspace.replay_set, scores, part=part, doubts=doubts)
    return RunReport(run, scores, verdict, cost_usd=cost_of(trials), trials=tuple(trials), judge=judge)


def cost_of(trials: Iterable[Trial]) -> float | None:
    """What trials have cost in US dollars, as far as it is known; None where nothing is."""
    costs = [trial.usage.cost_usd for trial in trials if trial.usage and trial.usage.cost_usd is not None]
    return sum(costs) if costs else None


def total_cost(*costs: float | None) -> float | None:
    """The sum of what is known of them; None where nothing is."""
    known = [cost for cost in costs if cost is not None]
    return sum(known) if known else None


def stored_report(workspace: Workspace, run: Run, cases: tuple[Case, ...], *, part: bool = False) -> RunReport:
    """The report of what the store has of a run; one that was never finished allows no verdict.

    The answer to a question that has changed since is no answer to the present one: its case counts as not asked.
    """
    same = {case.id for case in cases if run.asked.get(case.id) == asked_under(case, workspace.replay_set, run.control)}
    trials = [trial for trial in workspace.store.trials(run) if trial.case in same]
    doubts = () if run.state == "finished" else (f"run {run.name} was not carried to its end: it is {run.state}",)
    return replace(report_run(workspace, run, cases, trials, part=part, doubts=doubts), reused=len(trials))


def record_notes(workspace: Workspace, report: RunReport) -> tuple[str, ...]:
    """What its records say of what was seen beside the agent, of simulated users, and of a retrieval not tested."""
    records = records_of(workspace, report.run)
    untested = whole_reads(report.trials, records.listing).note if records is not None else ""
    return (*watch_notes(report.trials), *fault_notes(report.scores), *filter(None, [untested]))


def judge_notes(*reports: RunReport) -> tuple[str, ...]:
    """What the reader should know of the judge that these runs rest on, each remark once."""
    return tuple(dict.fromkeys(note for report in reports if report.judge for note in report.judge.notes))
