"""The controls beside a candidate: what they show of each case, and the effective retention of each class. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Literal

from foldproof.score import CaseScore, TrialScore

Scores = Mapping[str, CaseScore]
ControlName = Literal["unplugged", "oracle", "full", "live"]
Finding = Literal["vacuous", "broken", "unheeded", "overlooked", "departed", "unjudged"]
"""What a control found of a case: it passes with no memory; it fails with its facts in the prompt; the same, though it
passes with its memory or the whole history; it fails with the whole history there, though it passed with the facts
alone; live it leaves the path of its frozen turns; the control itself could not be judged."""


@dataclass(frozen=True, slots=True)
class ControlScores:
    """The scored controls of one configuration, each with the cases that can have it."""

    unplugged: Scores = field(default_factory=dict)
    oracle: Scores = field(default_factory=dict)
    full: Scores = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ControlFinding:
    """What a control found of one case, with the reason."""

    id: str
    case_class: str
    control: ControlName
    finding: Finding
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Retention:
    """What the memory adds in one class, out of what it could add.

    `of` cases have both the unplugged control and the oracle; the counts are of cases that pass. `unjudged` are
    those whose unplugged control or oracle has no judgement: while there is one, the share is not known. `full` of
    `full_of` cases pass with the whole history in the prompt.
    """

    case_class: str
    of: int
    candidate: int
    unplugged: int
    oracle: int
    full: int = 0
    full_of: int = 0
    unjudged: tuple[str, ...] = ()

    @property
    def share(self) -> float | None:
        """(candidate − unplugged) / (oracle − unplugged), or None where that is not known or not defined.

        At most 1 where the candidate passes no more than the oracle, 0 or more where it passes no fewer than
        without a memory; neither is forced.
        """
        if self.unjudged or self.oracle <= self.unplugged:
            return None
        return (self.candidate - self.unplugged) / (self.oracle - self.unplugged)

    @property
    def reason(self) -> str:
        """Why there is no share, or empty where there is one."""
        if self.unjudged:
            return f"not known: the controls of {', '.join(self.unjudged)} could not be judged"
        if self.oracle <= self.unplugged:
            return "not defined: the facts in the prompt help no more than no memory at all"
        return ""


def effective_retention(candidate: Scores, controls: ControlScores) -> tuple[Retention, ...]:
    """The retention of each class that has a case with both controls, in the order of the cases.

    A candidate passes a case only where every trial does, so an error counts as a case that was not kept. A control
    passes where any trial does: it asks what can be. An error in a control leaves its class without a share, and
    never makes one better.
    """
    both = [score for score in candidate.values() if score.id in controls.unplugged and score.id in controls.oracle]
    by_class: dict[str, list[CaseScore]] = {}
    for score in both:
        by_class.setdefault(score.case_class, []).append(score)
    return tuple(_retention(name, scores, controls) for name, scores in by_class.items())


def _retention(name: str, scores: list[CaseScore], controls: ControlScores) -> Retention:
    full = [controls.full[score.id] for score in scores if score.id in controls.full]
    return Retention(
        name,
        len(scores),
        candidate=sum(score.passes == len(score.trials) > 0 for score in scores),
        unplugged=sum(controls.unplugged[score.id].passes > 0 for score in scores),
        oracle=sum(controls.oracle[score.id].passes > 0 for score in scores),
        full=sum(score.passes > 0 for score in full),
        full_of=len(full),
        unjudged=tuple(
            score.id
            for score in scores
            if not (is_settled(controls.unplugged[score.id]) and is_settled(controls.oracle[score.id]))
        ),
    )


def is_settled(score: CaseScore) -> bool:
    """Whether further trials could not change what is said: one passed, or all were judged and none did."""
    return score.passes > 0 or (bool(score.trials) and not score.errors)


def control_findings(controls: ControlScores, candidate: Scores | None = None) -> tuple[ControlFinding, ...]:
    """What the controls found of the cases: vacuous ones first, then failing and unjudged ones.

    `candidate` has the scores of the configuration itself: a case that it passes is not broken.
    """
    return (*_vacuous(controls), *_failing(controls, candidate or {}), *_unjudged(controls))


def _vacuous(controls: ControlScores) -> Iterator[ControlFinding]:
    for score in controls.unplugged.values():
        if score.passes:
            yield ControlFinding(score.id, score.case_class, "unplugged", "vacuous", "passes with the memory cut off")


def _failing(controls: ControlScores, candidate: Scores) -> Iterator[ControlFinding]:
    passing = {score.id for scores in (controls.full, candidate) for score in scores.values() if score.passes}
    for score in controls.oracle.values():
        if is_settled(score) and not score.passes:
            yield _failed(score, "oracle", "unheeded" if score.id in passing else "broken")
    enough = {score.id for score in controls.oracle.values() if score.passes}
    for score in controls.full.values():
        if is_settled(score) and not score.passes and score.id in enough:
            yield _failed(score, "full", "overlooked")


def _failed(score: CaseScore, control: ControlName, finding: Finding) -> ControlFinding:
    return ControlFinding(score.id, score.case_class, control, finding, why_failed(score.trials[0]))


def why_failed(trial: TrialScore) -> str:
    """What the first answer did not have right, fact by fact."""
    wrong = [
        f"{'says' if fact.role == 'forbidden' else fact.outcome} '{fact.fact}'" for fact in trial.facts if not fact.ok
    ]
    return "; ".join(wrong)


def _unjudged(controls: ControlScores) -> Iterator[ControlFinding]:
    sides: tuple[tuple[ControlName, Scores], ...] = (
        ("unplugged", controls.unplugged),
        ("oracle", controls.oracle),
        ("full", controls.full),
    )
    for control, scores in sides:
        for score in scores.values():
            if not is_settled(score):
                reason = next((trial.error for trial in score.trials if trial.error), "not asked")
                yield ControlFinding(score.id, score.case_class, control, "unjudged", reason)
