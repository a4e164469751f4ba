"""The controls: the same questions with no memory or what is to be known in its place, and frozen turns lived anew."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from foldproof.cases import Case, Configuration
from foldproof.compare import (
    ControlFinding,
    ControlScores,
    Retention,
    control_findings,
    effective_retention,
    path_findings,
)
from foldproof.core import NothingSelectedError
from foldproof.record import Run
from foldproof.record import records as recorded
from foldproof.score import CaseScore
from foldproof.workflow.control_cases import CONTROL_NAMES, fit_cases, gap_notes, wording_note
from foldproof.workflow.run_reports import RunReport
from foldproof.workflow.running import Opened, Options, ask, find_run, is_recent, new_run, open_configuration
from foldproof.workflow.workspace import Workspace

_BESIDE: tuple[recorded.Control, ...] = ("oracle", "full")


@dataclass(frozen=True, slots=True)
class Control:
    """The scores of the control and the run they are of; `note` says why it was not run, where it was not."""

    scores: Mapping[str, CaseScore] = field(default_factory=dict)
    note: str = ""
    report: RunReport | None = None

    @property
    def vacuous(self) -> tuple[str, ...]:
        """The cases that pass all the same; without a memory they test nothing."""
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


@dataclass(frozen=True, slots=True)
class Controls:
    """All controls beside one configuration, and what they come to. They inform."""

    reports: tuple[RunReport, ...]
    retention: tuple[Retention, ...]
    findings: tuple[ControlFinding, ...]
    notes: tuple[str, ...]

    @property
    def vacuous(self) -> tuple[str, ...]:
        """The cases that pass with the memory cut off."""
        return tuple(found.id for found in self.findings if found.finding == "vacuous")


async def run_control(
    workspace: Workspace,
    config: str,
    options: Options,
    *,
    cases: tuple[Case, ...],
    control: recorded.Control = "unplugged",
) -> Control:
    """Ask the cases under a control, once for each set, configuration and code; answers in the store are used again.

    Those of the unplugged control at any age, since it asks about the set; those of the others if the run began within
    the last day, since they are held against answers of today.
    """
    reason = _cannot_be_cut_off(workspace, workspace.configuration(config), control)
    if reason:
        return Control(note=f"the {CONTROL_NAMES[control]} was not run: {reason}")
    try:
        fit = fit_cases(workspace.replay_set, cases, control)
    except NothingSelectedError:
        return Control()
    async with open_configuration(
        workspace, config, control=control, yes=options.yes, cassette=options.cassette
    ) as opened:
        quiet = replace(options, only=(), failing=False, resume="", fresh=False)
        run = recent_run(workspace, opened, quiet)
        report = await ask(workspace, opened, run, cases=fit, repeats=1, options=quiet)
    return Control(report.scores, report=report)


def _cannot_be_cut_off(workspace: Workspace, configuration: Configuration, control: recorded.Control) -> str:
    if control == "live":
        return "`recall` decides nothing, so it can leave no path" if configuration.adapter == "recall" else ""
    if configuration.memory.get("kind") == "external":
        return "the memory is the agent's own (`memory: external`)"
    cases = workspace.replay_set.cases
    told = configuration.memory or any(
        case.memory_config or case.history or case.sessions or case.frozen for case in cases
    )
    return "" if told or control != "unplugged" else "the agent is given no memory and no history to cut off"


def recent_run(workspace: Workspace, opened: Opened, options: Options) -> Run:
    """The newest run of the same set, settings and code that began within the last day, finished or not; else another.

    Unplugged it may be of any age, since it asks about the set. With `fresh` none is gone on with.
    """
    earlier = workspace.store.runs(identity=new_run(workspace, opened).identity)[:1]
    usable = [run for run in earlier if opened.control == "unplugged" or is_recent(run)]
    return usable[0] if usable and not options.fresh else find_run(workspace, opened, options)


async def run_controls(
    workspace: Workspace, config: str, options: Options, *, cases: tuple[Case, ...], scores: Mapping[str, CaseScore]
) -> Controls:
    """Run every control beside a configuration whose own `scores` are at hand, within the cost limit."""
    unplugged = await run_control(workspace, config, options, cases=cases)
    left = less(workspace, options, asked_now(unplugged))
    oracle = await run_control(workspace, config, left, cases=cases, control="oracle")
    left = less(workspace, left, asked_now(oracle))
    full = await run_control(workspace, config, left, cases=cases, control="full")
    left = less(workspace, left, asked_now(full))
    live = Control()
    if any(case.frozen for case in cases):
        live = await run_control(workspace, config, left, cases=cases, control="live")
    found = ControlScores(unplugged.scores, oracle.scores, full.scores)
    asked = (unplugged, oracle, full, live)
    configuration = workspace.configuration(config)
    notes = [control.note for control in asked if control.note]
    for kind, control in zip(_BESIDE, (oracle, full), strict=True):
        notes += () if control.note else gap_notes(workspace.replay_set, cases, kind)
        notes += wording_note(configuration, kind) if control.report else ()
    notes += wording_note(configuration, "live") if live.report else ()
    return Controls(
        tuple(control.report for control in asked if control.report is not None),
        effective_retention(scores, found),
        (*control_findings(found, scores), *path_findings(cases, live.report.trials if live.report else ())),
        tuple(dict.fromkeys(notes)),
    )


def asked_now(control: Control) -> RunReport | None:
    """The run where it asked anything: what stood in the store costs nothing again."""
    return control.report if control.report and control.report.asked else None


def less(workspace: Workspace, options: Options, report: RunReport | None) -> Options:
    """The same options with what this run has cost taken from the limit."""
    most = options.limits(workspace.project.limits).max_cost_usd
    if most is None or report is None:
        return options
    return replace(options, max_cost_usd=max(0.0, most - (report.cost_usd or 0.0)))
