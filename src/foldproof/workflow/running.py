"""Running one configuration: which run goes on, which trials are left, and the score of what was recorded."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta

from foldproof.agents import OpenedAgents, open_agents
from foldproof.agents.watch import CassetteMode, Watching
from foldproof.cases import Case, Configuration, Limits, expand
from foldproof.compare import path_findings
from foldproof.core import NothingSelectedError, Redactor, UsageError, __version__, content_hash
from foldproof.record import Run, Trial
from foldproof.record.records import Control
from foldproof.run import Plan, plan_trials, run_trials
from foldproof.score import score_run
from foldproof.workflow.control_cases import asked_under, fit_cases, gap_notes, wording_note
from foldproof.workflow.counterparts import check_counterparts, counterpart_notes, open_counterparts, played_by
from foldproof.workflow.run_reports import RunReport, cost_of, judge_notes, record_notes, report_run, total_cost
from foldproof.workflow.sink import Listener, Sink, silent, waiting
from foldproof.workflow.verdicts import (
    Judging,
    ask_judge,
    check_judge,
    unjudged,
    unmeasured,
    verdicts_of,
)
from foldproof.workflow.workspace import Workspace

_ANSWERS_KEEP = timedelta(days=1)
_CASSETTE_NOTES = {
    "record": "begun with --cassette record: the answers of models are kept",
    "replay": "begun with --cassette replay: the answers of models are those that were kept",
    "auto": "begun with --cassette auto: answers of models that were kept are not asked for again",
}


class ConfirmationNeededError(UsageError):
    """The run would write to a memory that is not foldproof's own; a person must say yes."""


@dataclass(frozen=True, slots=True)
class Options:
    """What a person asked for beside the project file; None leaves the project's own value.

    `only` names cases or classes. `resume` names a run to go on with; `fresh` starts a new one in any case.
    `control` is what a single run asks in place of the memory; `controls` asks for all of them beside it.
    `cassette` keeps the answers of models for another run, or takes them from what is kept.
    """

    only: tuple[str, ...] = ()
    failing: bool = False
    repeats: int | None = None
    concurrency: int | None = None
    max_cost_usd: float | None = None
    resume: str = ""
    fresh: bool = False
    yes: bool = False
    cassette: CassetteMode = ""
    control: Control = ""
    controls: bool = False
    listener: Listener = field(default=silent, compare=False)

    def limits(self, limits: Limits) -> Limits:
        """The project's limits with what was asked for on top."""
        if self.concurrency is not None:
            limits = replace(limits, concurrency=self.concurrency)
        if self.max_cost_usd is not None:
            limits = replace(limits, max_cost_usd=self.max_cost_usd)
        return limits


@dataclass(frozen=True, slots=True)
class Opened:
    """A configuration with its agents opened, ready to be asked."""

    configuration: Configuration
    agents: OpenedAgents
    control: Control = ""
    cassette: CassetteMode = ""


@asynccontextmanager
async def open_configuration(
    workspace: Workspace, name: str, *, control: Control = "", yes: bool = False, cassette: CassetteMode = ""
) -> AsyncIterator[Opened]:
    """Open the agents of a configuration.

    Raises:
        ConfirmationNeededError: where the run would write to a memory that is not foldproof's own.
    """
    configuration = workspace.configuration(name)
    if configuration.memory.get("kind") == "external" and not yes:
        raise ConfirmationNeededError(
            f"configuration '{name}' works on a memory of its own (`memory: external`): the run writes to it, and "
            "its trials share it\n  say that you want this with --yes"
        )
    root = workspace.project.root
    watching = Watching(cassette, root / ".foldproof" / "cassettes")
    async with open_agents(configuration, workspace.environ, root, watching) as agents:
        yield Opened(configuration, agents, control, cassette)


def new_run(workspace: Workspace, opened: Opened) -> Run:
    """The record of a run that is about to begin; the store gives it its number."""
    shared = ("trials share one memory of the agent's own",)
    external = opened.configuration.memory.get("kind") == "external"
    return Run(
        config=opened.configuration.name,
        config_sha256=opened.configuration.sha256,
        config_content=opened.configuration.content,
        set_name=workspace.replay_set.name,
        set_sha256=workspace.replay_set.sha256,
        control=opened.control,
        fingerprint=opened.agents.factory.fingerprint,
        settings_sha256=_settings_hash(workspace, opened.configuration),
        asked={case.id: asked_under(case, workspace.replay_set, opened.control) for case in workspace.replay_set.cases},
        foldproof=__version__,
        started_at=datetime.now(UTC).isoformat(timespec="seconds"),
        notes=(
            *opened.agents.factory.notes,
            *(shared if external else ()),
            *wording_note(opened.configuration, opened.control),
            *([_CASSETTE_NOTES[opened.cassette]] if opened.cassette else []),
            *counterpart_notes(workspace, cassette=bool(opened.cassette)),
        ),
    )


def _settings_hash(workspace: Workspace, configuration: Configuration) -> str:
    """Hash of the settings as the agent gets them: another endpoint makes another run, another key does not.

    So does another model that plays the users of the set.
    """
    player = played_by(workspace)
    content = {**configuration.content, **({"simulator": dict(player)} if player else {})}
    return content_hash(Redactor(workspace.environ).value(expand(content, workspace.environ)))


def is_recent(run: Run) -> bool:
    """Whether answers of a run may still stand for the agent of today: what is behind an endpoint leaves no trace."""
    return bool(run.started_at) and datetime.now(UTC) - datetime.fromisoformat(run.started_at) < _ANSWERS_KEEP


def find_run(workspace: Workspace, opened: Opened, options: Options) -> Run:
    """The run to go on with, or a new one.

    A rerun goes on with the newest run of the same set, settings and code that was interrupted or has trials in
    error, if it began within the last day; a clean finished run is left alone, since asking again is what a rerun
    is for.

    Raises:
        UsageError: where the named run is of another set, configuration or code.
    """
    fresh = new_run(workspace, opened)
    return _unfinished(workspace, fresh, options) or workspace.store.create_run(fresh)


def _unfinished(workspace: Workspace, fresh: Run, options: Options) -> Run | None:
    """The run in the store that is gone on with, or None where a new one begins."""
    if options.resume:
        named = workspace.store.run(options.resume)
        if named.identity != fresh.identity:
            raise UsageError(
                f"run {named.name} cannot go on: {_what_changed(named, fresh)} since it began\n"
                "  start a new one without --resume"
            )
        return named
    if not options.fresh:
        for run in filter(is_recent, workspace.store.runs(identity=fresh.identity)[:1]):
            if run.state != "finished" or _has_gaps(workspace, workspace.store.trials(run)):
                return run
    return None


def _has_gaps(workspace: Workspace, trials: list[Trial]) -> bool:
    """Whether an agent or the judge failed in some trial."""
    missing = unjudged(workspace.replay_set.cases, trials, verdicts_of(workspace))
    return bool(missing) or any(trial.error for trial in trials)


def _what_changed(old: Run, new: Run) -> str:
    parts = {
        "the replay set": old.set_sha256 != new.set_sha256,
        "the configuration": old.config_sha256 != new.config_sha256,
        "the environment": old.settings_sha256 != new.settings_sha256,
        "the agent's code": old.fingerprint != new.fingerprint,
        "foldproof": old.foldproof != new.foldproof,
        "the control": old.control != new.control,
    }
    return " and ".join(name for name, changed in parts.items() if changed) + " changed"


async def ask(
    workspace: Workspace, opened: Opened, run: Run, *, cases: tuple[Case, ...], repeats: int, options: Options
) -> RunReport:
    """Ask what is left of a run, keep the records as they come, and score all that the run has."""
    limits = options.limits(workspace.project.limits)
    _check_cost_limit(opened.configuration, limits)
    check_counterparts(workspace, cases, limits)
    done = workspace.store.answered(run)
    planned = plan_trials(
        cases,
        opened.configuration,
        histories=workspace.replay_set.histories,
        repeats=repeats,
        done=done,
        failed={trial.key for trial in workspace.store.trials(run) if trial.error},
        control=opened.control,
    )
    asked = {case.id for case in cases}
    reused = sum(key.case in asked for key in done)
    outcome = _Carried()
    if planned:
        await check_judge(workspace, cases, limits)
        with workspace.store.lock(f"run-{run.name}") as held:
            if not held:
                raise UsageError(
                    f"run {run.name} is being carried out by another process\n  wait for it, or use --fresh"
                )
            plan = Plan(f"fp-{run.name}", planned, opened.configuration.folds)
            outcome = await _carry_out(workspace, opened, run, plan=plan, limits=limits, listener=options.listener)
    # All that the run has of these cases counts, also what an earlier call asked beyond `repeats`.
    trials = [trial for trial in workspace.store.trials(run) if trial.case in asked]
    judging = await _judge(workspace, run, cases, trials, limits=limits, listener=options.listener)
    stopped = outcome.stopped or judging.stopped
    run = workspace.store.set_state(run, "stopped" if stopped else "finished")
    part = len(cases) < len(workspace.replay_set.cases)
    report = report_run(workspace, run, cases, trials, part=part, doubts=(stopped,) if stopped else ())
    return replace(
        report,
        asked=outcome.asked,
        reused=reused,
        stopped=stopped,
        judging=judging,
        cost_usd=total_cost(report.cost_usd, judging.cost_usd),
    )


async def _judge(
    workspace: Workspace, run: Run, cases: tuple[Case, ...], trials: list[Trial], *, limits: Limits, listener: Listener
) -> Judging:
    """Ask the set's judge what it has not said yet: of its own controls, then of these answers."""
    verdicts = verdicts_of(workspace)
    asked = tuple(dict.fromkeys((*unmeasured(cases, verdicts), *unjudged(cases, trials, verdicts))))
    if limits.max_cost_usd is not None:
        limits = replace(limits, max_cost_usd=max(0.0, limits.max_cost_usd - (cost_of(trials) or 0.0)))
    try:
        return await ask_judge(workspace, asked, limits=limits, listener=listener)
    except BaseException:
        workspace.store.set_state(run, "interrupted")
        raise


@dataclass(frozen=True, slots=True)
class _Carried:
    """How many trials were asked, and which limit stopped the run, if one did."""

    asked: int = 0
    stopped: str = ""


async def _carry_out(
    workspace: Workspace, opened: Opened, run: Run, *, plan: Plan, limits: Limits, listener: Listener
) -> _Carried:
    """Run the plan and keep every record."""
    sink = Sink(workspace, run, len(plan.trials), listener)
    workspace.store.set_state(run, "running")
    try:
        async with (
            open_counterparts(workspace, (trial.case for trial in plan.trials)) as counterparts,
            run_trials(plan, opened.agents, limits=limits, counterparts=counterparts) as stream,
        ):
            try:
                async for record in stream:
                    sink.keep([record, *waiting(stream)])
            finally:
                sink.keep(waiting(stream))
    except BaseException:
        workspace.store.set_state(run, "interrupted")
        raise
    return _Carried(sink.done, sink.stopped)


def _check_cost_limit(configuration: Configuration, limits: Limits) -> None:
    if limits.max_cost_usd is not None and configuration.adapter == "http" and "price" not in configuration.model:
        raise UsageError(
            f"configuration '{configuration.name}' has a cost limit of {limits.max_cost_usd} US dollars but no price\n"
            "  add `price: {input: …, output: …}` (US dollars a million tokens) to its `model`"
        )


def select_cases(workspace: Workspace, config: str, options: Options) -> tuple[Case, ...]:
    """The cases that a person asked for; with `failing`, those that did not pass in the newest run that asked all.

    Under a control, those that can have it.

    Raises:
        NothingSelectedError: where none is left.
    """
    cases = fit_cases(workspace.replay_set, workspace.select(options.only), options.control)
    if not options.failing:
        return cases
    runs = [run for run in workspace.store.runs(config=config) if not run.control]
    if not runs:
        raise NothingSelectedError(f"nothing selected: no run of '{config}' yet whose failures could be asked again")
    wanted = {case.id for case in cases}
    whole = (run for run in runs if wanted <= {trial.case for trial in workspace.store.trials(run)})
    newest = next(whole, runs[0])
    scores = score_run(
        cases, workspace.store.trials(newest), verdicts=verdicts_of(workspace), histories=workspace.replay_set.histories
    )
    failing = tuple(case for case in cases if scores[case.id].trials and scores[case.id].outcome != "pass")
    if not failing:
        raise NothingSelectedError(f"nothing selected: every case that run {newest.name} asked passes")
    return failing


def default_repeats(workspace: Workspace, config: str) -> int:
    """Trials a case: two at least for the baseline configuration, so that its noise shows (A/A)."""
    always = workspace.project.repeats.always
    return max(always, 2) if config == workspace.project.baseline else always


async def plan_size(workspace: Workspace, config: str, options: Options) -> tuple[int, int, int]:
    """What a run would do: its cases, the trials it would ask, and those that stand in the store. Nothing is asked."""
    cases = select_cases(workspace, config, options)
    repeats = options.repeats or default_repeats(workspace, config)
    async with open_configuration(workspace, config, control=options.control, yes=True) as opened:
        run = _unfinished(workspace, new_run(workspace, opened), options)
    wanted = {(case.id, repeat) for case in cases for repeat in range(repeats)}
    stored = len(wanted & workspace.store.answered(run)) if run else 0
    return len(cases), len(wanted) - stored, stored


async def run_config(workspace: Workspace, config: str, options: Options) -> RunReport:
    """Run one configuration over the set, going on with an interrupted run where there is one."""
    workspace.configuration(config)
    cases = select_cases(workspace, config, options)
    repeats = options.repeats or default_repeats(workspace, config)
    async with open_configuration(
        workspace, config, control=options.control, yes=options.yes, cassette=options.cassette
    ) as opened:
        run = find_run(workspace, opened, options)
        report = await ask(workspace, opened, run, cases=cases, repeats=repeats, options=options)
    gaps = gap_notes(workspace.replay_set, workspace.select(options.only), options.control)
    found = path_findings(cases, report.trials) if options.control == "live" else ()
    left = (f"{one.id}: {one.reason}" for one in found)
    return replace(report, notes=(*gaps, *left, *record_notes(workspace, report), *judge_notes(report)))
