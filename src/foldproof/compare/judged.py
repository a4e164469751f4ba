"""The verdicts of a judge as a baseline keeps them, beside the answers that they are of."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from foldproof.cases import Case
from foldproof.record import Claim, JudgeVerdict, Trial, TrialKey
from foldproof.score import Verdicts, claims_of


class JudgedEntry(BaseModel):
    """What the judge said of one judged fact in one accepted answer."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True, defer_build=True)

    fact: str
    verdict: Literal["met", "not met"]
    quotation: str = Field(default="", description="the part of the answer that a `met` rests on")


Judged = Mapping[TrialKey, tuple[JudgedEntry, ...]]


def judged_entries(case: Case, trial: Trial, verdicts: Verdicts) -> tuple[JudgedEntry, ...]:
    """The verdicts on an answer; a fact without one is left out."""
    found = []
    for claim in claims_of(case, [trial]):
        word = verdicts.word(claim)
        if word in {"met", "not met"}:
            quotation = verdicts.quotation(claim) if word == "met" else ""
            found.append(JudgedEntry(fact=claim.fact, verdict=word, quotation=quotation))
    return tuple(found)


def judged_of(cases: Iterable[Case], trials: Iterable[Trial], verdicts: Verdicts) -> Judged:
    """The verdicts on the answers of a run, by trial; nothing for a trial whose case asks no judge."""
    by_id = {case.id: case for case in cases}
    found = {trial.key: judged_entries(by_id[trial.case], trial, verdicts) for trial in trials if trial.case in by_id}
    return {key: entries for key, entries in found.items() if entries}


def accepted_verdicts(
    cases: Iterable[Case], answers: Iterable[Trial], *, judge: str, judged: Judged, beside: Verdicts
) -> Verdicts:
    """What is known of the claims of accepted answers: what was accepted, and what the same judge said `beside` it.

    Another judge's verdicts are left out: two judges are never mixed. What was accepted counts whatever the judge is
    worth by now: a person agreed to it.
    """
    by_id = {case.id: case for case in cases}
    known: dict[str, tuple[JudgeVerdict, ...]] = dict(beside.said) if judge in {"", beside.judge} else {}
    for trial in answers:
        if trial.case not in by_id:
            continue
        for entry in judged.get(trial.key, ()):
            claim = Claim(by_id[trial.case].question, entry.fact, trial.answer)
            verdict = JudgeVerdict(judge, claim, entry.verdict, entry.quotation)
            known[claim.sha256] = tuple(replace(verdict, slot=slot) for slot in range(beside.repeats))
    return replace(beside, judge=judge or beside.judge, said=known, barred="")
