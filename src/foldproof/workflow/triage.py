"""Triage: cases sorted by how an agent does on them without its memory, with it, and with their facts told."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import date
from pathlib import Path

from foldproof.cases import DRAFT, Case, ReplaySet, Requirement, check_new_set, dump_new_sets, shown
from foldproof.cases.case_checks import is_empty
from foldproof.cases.gates import proposed_gate
from foldproof.compare import (
    ANSWERABLE,
    Answerable,
    Chosen,
    Triaged,
    choose_cases,
    expects_nothing,
    triage_case,
)
from foldproof.core import UsageError
from foldproof.logs.topics import topics_of
from foldproof.run import control_gap
from foldproof.score import CaseScore
from foldproof.workflow.control import Control, asked_now, less, recent_run, run_control
from foldproof.workflow.control_cases import wording_note
from foldproof.workflow.run_reports import RunReport, judge_notes, record_notes
from foldproof.workflow.running import Options, ask, open_configuration
from foldproof.workflow.workspace import Workspace

BACKLOG = "backlog"
"""The tag of cases that no memory of the present answers; beside it stands the stage that lost them."""
_REPEATS = 3
_UNPLUGGED = (
    'an error with the memory cut off leaves a case undecided: let the agent take `{"kind": "none"}` as its '
    "memory_config, and answer without one"
)
_WITHOUT_MODEL = (
    "`recall` has no model, so it knows nothing without a memory: what everybody knows counts as lost at `case`"
)


@dataclass(frozen=True, slots=True)
class Origin:
    """Where a case comes from: the user (else the session, else the history), the topic, and how often it was asked.

    `ago` are the turns after the earliest one that it rests on, None where it names no source. What is `disputed` is
    never chosen.
    """

    user: str
    topic: str
    asked: int
    ago: int | None
    disputed: bool = False


@dataclass(frozen=True, slots=True)
class TriageReport:
    """Every case of the set, in its order, with its bucket; and the runs that this rests on.

    `chosen` are the answerable cases that were chosen, in the order in which they were taken; `left_out` more could
    have been.
    """

    config: str
    triaged: tuple[Triaged, ...]
    origins: Mapping[str, Origin]
    runs: tuple[RunReport, ...]
    notes: tuple[str, ...]
    chosen: tuple[Chosen, ...] = ()
    left_out: int = 0


@dataclass(frozen=True, slots=True)
class Written:
    """What triage wrote: the files, and the gate of the set, empty while all of its cases are drafts."""

    files: tuple[Path, ...]
    gate: Mapping[str, Requirement]


async def triage_cases(workspace: Workspace, config: str, options: Options) -> TriageReport:
    """Ask each case without the memory, those that fail then with it, and those that fail even so with the facts told.

    The answers of a run that began within the last day are used again. Drafts that expect nothing are not asked.

    Raises:
        UsageError: where the memory of the configuration cannot be cut off.
    """
    cases = workspace.select(options.only)
    askable = tuple(case for case in cases if not is_empty(case))
    unplugged = await run_control(workspace, config, options, cases=askable) if askable else Control()
    if unplugged.note:
        raise UsageError(f"nothing can be sorted: {unplugged.note}\n  triage needs runs without the memory")
    left = less(workspace, options, asked_now(unplugged))
    asked = tuple(case for case in askable if _fails(unplugged.scores[case.id]))
    memory = await _with_memory(workspace, config, left, asked) if asked else None
    scores = memory.scores if memory else {}
    failing = tuple(case for case in asked if _fails(scores.get(case.id)))
    gaps = {case.id: control_gap(case, "oracle", histories=workspace.replay_set.histories) for case in failing}
    told = tuple(case for case in failing if not gaps[case.id])
    left = less(workspace, left, memory if memory and memory.asked else None)
    oracle = await run_control(workspace, config, left, cases=told, control="oracle") if told else Control()
    triaged = tuple(
        expects_nothing(case)
        if is_empty(case)
        else triage_case(
            unplugged.scores[case.id],
            memory=scores.get(case.id),
            oracle=oracle.scores.get(case.id),
            gap=gaps.get(case.id, ""),
        )
        for case in cases
    )
    runs = tuple(report for report in (unplugged.report, memory, oracle.report) if report is not None)
    return TriageReport(config, triaged, _origins(workspace.replay_set), runs, _notes(workspace, config, runs))


async def _with_memory(workspace: Workspace, config: str, options: Options, cases: tuple[Case, ...]) -> RunReport:
    quiet = replace(options, only=(), failing=False, resume="", control="")
    async with open_configuration(workspace, config, yes=options.yes, cassette=options.cassette) as opened:
        run = recent_run(workspace, opened, quiet)
        return await ask(workspace, opened, run, cases=cases, repeats=options.repeats or _REPEATS, options=quiet)


def _fails(score: CaseScore | None) -> bool:
    """Whether all of its trials were judged, and none passed: only then it matters what the next run says."""
    return score is not None and score.outcome == "fail" and not score.errors


def _notes(workspace: Workspace, config: str, runs: tuple[RunReport, ...]) -> tuple[str, ...]:
    configuration = workspace.configuration(config)
    found: list[str] = [_WITHOUT_MODEL] if configuration.adapter == "recall" else []
    if any(report.run.control == "unplugged" and any(s.errors for s in report.scores.values()) for report in runs):
        found.append(_UNPLUGGED)
    for report in runs:
        found += wording_note(configuration, report.run.control)
        found += () if report.run.control else (*report.run.notes, *record_notes(workspace, report))
        if report.reused:
            answers = "1 answer" if report.reused == 1 else f"{report.reused} answers"
            found.append(f"{answers} of run {report.run.name} stood in the store")
    return tuple(dict.fromkeys((*found, *judge_notes(*runs))))


def _origins(replay_set: ReplaySet) -> dict[str, Origin]:
    """The origin of every case; a twin that was proposed beside a logged question has the user of that."""
    of_history: dict[str, str] = {}
    for case in replay_set.cases:
        if case.logged is not None and case.history:
            of_history.setdefault(case.history, case.logged.user or case.logged.session)
    topics = topics_of([case.question for case in replay_set.cases])
    found = {}
    for case, topic in zip(replay_set.cases, topics, strict=True):
        logged = case.logged
        user = (logged.user or logged.session) if logged else of_history.get(case.history, case.history)
        asked = logged.asked if logged else 1
        found[case.id] = Origin(user, topic, asked, _ago(case, replay_set), case.id in replay_set.disputed)
    return found


def _ago(case: Case, replay_set: ReplaySet) -> int | None:
    if not case.source:
        return None
    turns = [
        (session.id, number)
        for session in replay_set.histories[case.history].sessions
        for number in range(1, len(session.turns) + 1)
    ]
    first = min(turns.index((source.session, source.turn)) for source in case.source)
    return len(turns) - first - 1


def with_choice(report: TriageReport, most: int) -> TriageReport:
    """The report with up to `most` of its answerable cases chosen; what was chosen as a canary falls in that bucket."""
    answerable = [
        Answerable(
            one.id,
            one.case_class,
            report.origins[one.id].user,
            report.origins[one.id].topic,
            report.origins[one.id].asked,
            report.origins[one.id].ago,
            one.stable,
        )
        for one in report.triaged
        if one.bucket in ANSWERABLE and not report.origins[one.id].disputed
    ]
    chosen = choose_cases(answerable, most)
    canaries = {one.id for one in chosen if one.canary}
    triaged = tuple(replace(one, bucket="canary") if one.id in canaries else one for one in report.triaged)
    return replace(report, triaged=triaged, chosen=chosen, left_out=len(answerable) - len(chosen))


def check_chosen(to: Path, *, confirmed: bool, environ: Mapping[str, str]) -> None:
    """Refuse what `write_chosen` would refuse, as far as it can be known before anything is asked.

    Raises:
        UsageError: where a file is there already, or cases are confirmed where `CI` is set.
    """
    if confirmed and environ.get("CI", "").lower() not in ("", "0", "false"):
        raise UsageError("cases are not confirmed in CI (`CI` is set): a person says what an answer must hold")
    for place in (to, _beside(to)):
        check_new_set(place)


def _beside(to: Path) -> Path:
    """Where the backlog of a set stands."""
    return to.with_name(f"{to.stem}-{BACKLOG}{to.suffix}")


def write_chosen(
    workspace: Workspace, report: TriageReport, *, to: Path, confirmed: date | None = None, environ: Mapping[str, str]
) -> Written:
    """Write the chosen cases as a set, with its histories, and the backlog as another one beside it.

    `confirmed` is the day on which a person says that what the chosen cases expect is right: they are no drafts then,
    and the gate counts them.

    Raises:
        UsageError: where nothing was chosen, a file is there already, or cases are confirmed where `CI` is set.
    """
    if not report.chosen:
        raise UsageError(
            "nothing to write: no case fails without the memory and passes with it\n  look at the table without --to"
        )
    check_chosen(to, confirmed=confirmed is not None, environ=environ)
    whole = workspace.replay_set
    cases = [_as_chosen(whole.case(one.id), one, confirmed) for one in report.chosen]
    gate = proposed_gate(case.case_class for case in cases if not case.ungated)
    kept = {case.id for case in cases if case.case_class == whole.case(case.id).case_class and case.case_class in gate}
    chosen = _part(whole, cases, to, gate=gate)
    chosen = replace(chosen, waivers=tuple(waiver for waiver in whole.waivers if waiver.case in kept))
    sets = {to: (chosen, _comment(report, drafts=bool(chosen.drafts)))}
    lost = [_as_backlog(whole.case(one.id), one) for one in report.triaged if one.bucket == "backlog"]
    if lost:
        place = _beside(to)
        sets[place] = (_part(whole, lost, place, gate={}), _backlog_comment(report, place))
    return Written(dump_new_sets(sets), gate)


def _part(whole: ReplaySet, cases: list[Case], to: Path, *, gate: Mapping[str, Requirement]) -> ReplaySet:
    """A set of some cases, with the histories that they need and the judge of the whole."""
    judge = whole.judge
    if judge is not None:
        prompt = os.path.relpath(Path(whole.path).parent / judge.prompt, to.parent)
        judge = replace(judge, prompt=Path(prompt).as_posix())
    names = {case.history for case in cases if case.history}
    histories = {name: history for name, history in whole.histories.items() if name in names}
    return replace(
        whole,
        name=to.stem,
        path=str(to),
        cases=tuple(cases),
        gate=gate,
        sha256="",
        histories=histories,
        waivers=(),
        judge=judge,
        gate_declared=bool(gate),
    )


def _as_chosen(case: Case, chosen: Chosen, confirmed: date | None) -> Case:
    """The case as it stands in the set: a canary keeps the name of its class as a tag."""
    tags = [tag for tag in case.tags if confirmed is None or tag != DRAFT]
    if chosen.canary and case.case_class != "canary":
        tags.append(case.case_class)
    reviewed = confirmed if confirmed is not None and DRAFT in case.tags else case.reviewed
    name = "canary" if chosen.canary else case.case_class
    return replace(case, case_class=name, tags=tuple(dict.fromkeys(tags)), reviewed=reviewed)


def _as_backlog(case: Case, triaged: Triaged) -> Case:
    kept = (tag for tag in case.tags if not tag.startswith("lost-at-"))
    return replace(case, tags=tuple(dict.fromkeys((*kept, BACKLOG, f"lost-at-{triaged.owner}"))))


def _comment(report: TriageReport, *, drafts: bool) -> str:
    canaries = sum(one.canary for one in report.chosen)
    told = f"Chosen by foldproof triage on '{report.config}': {len(report.chosen)} cases, {canaries} of them canaries."
    after = "The counts of the gate are proposals: write what you decide on."
    if drafts:
        after = "No gate counts a case with the tag `draft`: look at each, change what is wrong, then confirm them."
    return f"{told}\n{after}"


def _backlog_comment(report: TriageReport, place: Path) -> str:
    return (
        f"What '{report.config}' does not remember, by foldproof triage. No regression: it never did.\n"
        f"Ask another memory: foldproof run CONFIG --set {shown(place)}"
    )
