"""The verdict of a check: pass, blocked or inconclusive, with its reasons. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import date
from typing import Literal

from foldproof.cases import STRICT_CLASSES, ReplaySet, Requirement
from foldproof.compare.corrections import CorrectionRate, correction_rates
from foldproof.compare.diff import CaseChange, diff_scores
from foldproof.compare.disputed import KeyFigures, key_figures, unguarded
from foldproof.compare.figures import RunFigures, change_figures, run_figures
from foldproof.compare.gate import ClassGate, gate_scores
from foldproof.compare.statistics import SignFlip
from foldproof.record.records import Control
from foldproof.score import CaseScore

Verdict = Literal["pass", "blocked", "inconclusive"]
_LISTED = 5
_PLAIN = frozenset({"kept", "lost", "recovered", "failing", "flaky"})
_TOLD_IN_VAIN = {
    "oracle": "these fail with their facts in the prompt, so they are broken or beyond the agent",
    "full": "these fail with the whole history in the prompt",
    "live": "these fail where the user's messages are said anew in place of the frozen turns",
}
MEANING = "a pass means that the named facts survived; it says nothing of helpfulness, format or speed"


@dataclass(frozen=True, slots=True)
class Check:
    """The outcome of a check.

    `reasons` say why the verdict is what it is, the weightiest first; `notes` are for the reader and decide
    nothing. Nor do the figures: `p_value` is McNemar's, `smallest_drop` the fewest losses that this set could tell from
    noise, `by_history` the test that takes cases of one history as one (`ChangeFigures`), `before` and `after` are the
    figures of the two runs, `corrected_before` and `corrected_after` what corrections did in them, `keys` what the
    disputed keys of the set allow in the run after.
    """

    verdict: Verdict
    reasons: tuple[str, ...]
    gate: tuple[ClassGate, ...]
    cases: tuple[CaseChange, ...]
    noise: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    p_value: float | None = None
    smallest_drop: int | None = None
    by_history: SignFlip | None = None
    before: RunFigures | None = None
    after: RunFigures | None = None
    corrected_before: tuple[CorrectionRate, ...] = ()
    corrected_after: tuple[CorrectionRate, ...] = ()
    keys: tuple[KeyFigures, ...] = ()


@dataclass(frozen=True, slots=True)
class Evidence:
    """The scored runs that a verdict rests on.

    `baseline` are the accepted answers scored with the facts of today, `before` the production configuration
    asked again, `after` the candidate. `gone` are the cases, with their class, that only the baseline has.
    `doubts` are reasons why no verdict may rest on it: a run that ended before its plan, a control that could not
    be judged. `unlike` are reasons why the sides cannot be held against each other at all: not even what failed says
    anything then. `notes` are for the reader.
    """

    baseline: Mapping[str, CaseScore]
    before: Mapping[str, CaseScore]
    after: Mapping[str, CaseScore]
    vacuous: Collection[str] = ()
    gone: Mapping[str, str] = field(default_factory=dict)
    doubts: tuple[str, ...] = ()
    unlike: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class RunVerdict:
    """What a single run comes to, with the gate that it was held against; the weightiest reason first."""

    verdict: Verdict
    reasons: tuple[str, ...]
    gate: tuple[ClassGate, ...] = ()


def judge_run(
    replay_set: ReplaySet, scores: Mapping[str, CaseScore], *, part: bool = False, doubts: Collection[str] = ()
) -> RunVerdict:
    """Hold one run against the gate of its set.

    Of a `part` that a person chose, every case must pass, since fixed counts are counts of the whole. Otherwise a
    case that was not asked leaves its class undecided. `doubts` are reasons why no verdict may rest on the run. Drafts
    and disputed cases decide nothing.
    """
    gate: Mapping[str, Requirement] = replay_set.gate
    sizes, scores = _gated_sizes(replay_set), _without(replay_set.ungated, scores)
    if part:
        sizes = Counter(score.case_class for score in scores.values())
        gate = {name: Requirement() for name in sizes}
    held = gate_scores(gate, scores, sizes=sizes)
    blocked = (*_leaks(scores), *_blocked(held))
    undecided = (*doubts, *_unjudged(scores, "cases"), *_undecided(held, scores))
    verdict: Verdict = "blocked" if blocked else "inconclusive" if undecided else "pass"
    return RunVerdict(verdict, (*blocked, *undecided), held)


def judge_control(
    scores: Mapping[str, CaseScore], *, control: Control = "unplugged", doubts: Collection[str] = ()
) -> RunVerdict:
    """What a control comes to.

    Unplugged it passes where no case does, since none may pass without a memory; the others pass where every case
    does in some trial.
    """
    if control == "unplugged":
        named = [score.id for score in scores.values() if score.passes]
        told = "these pass with the memory cut off, so they test nothing"
    else:
        named = [score.id for score in scores.values() if score.trials and not score.passes and not score.errors]
        told = _TOLD_IN_VAIN[control]
    reasons = [f"{told}: {', '.join(named)}"] if named else []
    reasons += [*doubts, *_unjudged(scores, "cases")]
    if not scores:
        reasons.append("no case was asked")
    return RunVerdict("inconclusive" if reasons else "pass", tuple(reasons))


def judge_check(replay_set: ReplaySet, evidence: Evidence, *, today: date) -> Check:
    """Decide a check. The statistics are shown beside the verdict and play no part in it.

    A baseline that cannot be compared with, one that does not reproduce, or a canary that fails before the change
    comes first: then nothing can be said of the candidate. What has failed for good blocks; what could not be decided,
    on either side, makes the verdict inconclusive.
    """
    waivers, notes = _active_waivers(replay_set, today)
    whole, sizes = evidence, _gated_sizes(replay_set)
    if ungated := replay_set.ungated:
        before, after = _without(ungated, whole.before), _without(ungated, whole.after)
        evidence = replace(whole, baseline=_without(ungated, whole.baseline), before=before, after=after)
    notes += unguarded(replay_set)
    if drafts := replay_set.drafts:
        notes = [*notes, f"nobody has confirmed these drafts, so they decide nothing: {_named(sorted(drafts))}"]
    gate = gate_scores(replay_set.gate, evidence.after, sizes=sizes, waived=waivers, vacuous=evidence.vacuous)
    unsure = [*evidence.unlike, *_not_reproduced(replay_set, evidence)]
    leaks = _leaks(evidence.after)
    blocked = _blocked(gate)
    undecided = [
        *evidence.doubts,
        *_unjudged(evidence.after, "cases"),
        *_unjudged(evidence.before, "cases of the run before"),
        *_undecided(gate, evidence.after),
    ]
    verdict: Verdict = "pass"
    if leaks:
        verdict = "blocked"
    elif unsure or (undecided and not blocked):
        verdict = "inconclusive"
    elif blocked:
        verdict = "blocked"
    cases = _all_changes(whole)
    figures = change_figures(_all_changes(evidence), {case.id: case.history for case in replay_set.cases})
    return Check(
        verdict,
        (*leaks, *unsure, *blocked, *undecided),
        gate,
        cases,
        noise=tuple(score.id for score in evidence.baseline.values() if score.outcome == "flaky"),
        notes=(*evidence.notes, *notes),
        p_value=figures.p_value,
        smallest_drop=figures.smallest_drop,
        by_history=figures.by_history,
        before=run_figures(evidence.before),
        after=run_figures(evidence.after),
        corrected_before=correction_rates(replay_set.cases, evidence.before),
        corrected_after=correction_rates(replay_set.cases, evidence.after),
        keys=key_figures(replay_set, whole.after),
    )


def _gated_sizes(replay_set: ReplaySet) -> Counter[str]:
    """How many cases of each class the gate counts."""
    return Counter(case.case_class for case in replay_set.cases if not case.ungated)


def _without(ungated: Collection[str], scores: Mapping[str, CaseScore]) -> Mapping[str, CaseScore]:
    return {case_id: score for case_id, score in scores.items() if case_id not in ungated}


def _leaks(scores: Mapping[str, CaseScore]) -> tuple[str, ...]:
    """That users were not kept apart. It weighs more than any count, and no waiver takes it away."""
    named = [score.id for score in scores.values() if score.leaked]
    return (f"what one user said was shown to another: {_named(named)}",) if named else ()


def _blocked(gate: Iterable[ClassGate]) -> tuple[str, ...]:
    return tuple(f"{entry} (against it: {', '.join(entry.failed)})" for entry in gate if entry.ok is False)


def _all_changes(evidence: Evidence) -> tuple[CaseChange, ...]:
    """The diff of the two runs, with what is new to the baseline and what is gone from it marked so."""
    cases = [
        replace(case, change="new") if case.id not in evidence.baseline and case.change in _PLAIN else case
        for case in diff_scores(evidence.before, evidence.after, vacuous=evidence.vacuous)
    ]
    gone = [CaseChange(case_id, name, "gone", None, None) for case_id, name in evidence.gone.items()]
    return (*cases, *gone)


def _active_waivers(replay_set: ReplaySet, today: date) -> tuple[frozenset[str], list[str]]:
    classes = {case.id: case.case_class for case in replay_set.cases}
    allowed = [waiver for waiver in replay_set.waivers if classes[waiver.case] not in STRICT_CLASSES]
    notes = [
        f"the waiver of '{waiver.case}' ended on {waiver.until} and no longer counts"
        if waiver.until < today
        else f"'{waiver.case}' is waived until {waiver.until}: {waiver.reason}"
        for waiver in allowed
    ]
    return frozenset(waiver.case for waiver in allowed if waiver.until >= today), notes


def _not_reproduced(replay_set: ReplaySet, evidence: Evidence) -> list[str]:
    strict = {name for name, requirement in replay_set.gate.items() if requirement.need is None} | {"canary"}
    differing = {
        score.id: f"{score.id} ({accepted.outcome} when accepted, {score.outcome} now)"
        for case_id, score in evidence.before.items()
        if (accepted := evidence.baseline.get(case_id)) is not None
        and score.case_class in strict
        and score.trials
        and accepted.outcome not in ("flaky", score.outcome)
    }
    canaries = [
        score.id
        for score in evidence.before.values()
        if score.case_class == "canary" and score.outcome != "pass" and score.trials and score.id not in differing
    ]
    reasons = []
    if evidence.before and not evidence.before.keys() & evidence.baseline.keys():
        reasons.append(
            "the baseline holds none of these questions, so there is nothing to compare with: accept a new one"
        )
    if differing:
        told = _named(differing.values())
        reasons.append(f"the baseline does not reproduce, so nothing can be said of the candidate: {told}")
    if canaries:
        told = _named(canaries)
        reasons.append(f"a canary does not pass before the change, so the run is not to be trusted: {told}")
    return reasons


def _named(names: Iterable[str]) -> str:
    """The names; of many the first few, and how many more there are."""
    listed = list(names)
    more = [f"{len(listed) - _LISTED} more"] if len(listed) > _LISTED else []
    return ", ".join([*listed[:_LISTED], *more])


def _unjudged(scores: Mapping[str, CaseScore], what: str) -> list[str]:
    errors = [score for score in scores.values() if score.errors]
    unasked = [score.id for score in scores.values() if not score.trials]
    reasons = []
    if errors:
        told = next(f"{score.id}: {trial.error}" for score in errors for trial in score.trials if trial.error)
        reasons.append(f"{len(errors)} of {len(scores)} {what} could not be judged; the first: {told}")
    if unasked:
        reasons.append(f"{len(unasked)} of {len(scores)} {what} were not asked: {_named(unasked)}")
    return reasons


def _undecided(gate: tuple[ClassGate, ...], after: Mapping[str, CaseScore]) -> list[str]:
    reasons = []
    for entry in gate:
        vacuous = [case_id for case_id in entry.unjudged if not after[case_id].errors and after[case_id].trials]
        if vacuous:
            reasons.append(f"{entry.case_class}: {', '.join(vacuous)} pass without any memory, so they show nothing")
        if entry.unasked:
            reasons.append(f"{entry.case_class}: {entry.unasked} of {entry.of} cases were not asked")
    return reasons if gate else [*reasons, "no case was held against a gate"]
