"""The document of `triage`: how many cases fall in each bucket, which were chosen and why, and each case."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from pydantic import Field

from foldproof.cases import DRAFT, Case, ReplaySet, Requirement
from foldproof.compare.choice import Chosen
from foldproof.compare.triage import ANSWERABLE, BUCKETS, Bucket, Doubt, Triaged
from foldproof.report.explained import Document, RunInfo, SetInfo, set_info
from foldproof.report.text import counted
from foldproof.score import Owner


class BucketRow(Document):
    """How many cases fall in one bucket: those that somebody asked in a log, and the others."""

    bucket: Bucket
    logged: int
    others: int


class TriagedCase(Document):
    """One case, its bucket and the reason; `chosen` says why it was chosen, empty where it was not."""

    id: str
    case_class: str = Field(validation_alias="class", serialization_alias="class")
    question: str
    bucket: Bucket
    reason: str
    doubt: Doubt | None = Field(default=None, description="why it is undecided; null where it is not")
    owner: Owner | None = Field(default=None, description="who lost what is missing; null outside the backlog")
    chosen: str = ""
    facts: list[str]
    source: list[str]
    user: str = Field(description="who asked it; the session or the history where that is not told")
    topic: str = Field(description="the word of it that most of the questions share")
    logged: bool = Field(description="whether somebody asked it in a log")
    asked: int
    draft: bool = Field(description="whether nobody has confirmed yet what it expects")


class TriageDocument(Document):
    """The document of `foldproof triage`. Every case stands in one bucket, and the counts add up to all of them."""

    schema_name: Literal["foldproof/triage/1"] = Field(
        default="foldproof/triage/1", validation_alias="schema", serialization_alias="schema"
    )
    config: str
    set: SetInfo
    verdict: Literal["pass", "inconclusive"]
    reasons: list[str]
    summary: str = Field(description="the counts in one sentence")
    counts: list[BucketRow]
    keep: int = Field(description="cases that were chosen and keep their class")
    canaries: int = Field(description="cases that were chosen as canaries")
    cases: list[TriagedCase] = Field(description="in the order of the set")
    chosen: list[str] = Field(description="the ids of the chosen cases, in the order in which they were taken")
    gate: dict[str, str] = Field(default={}, description="the gate that was written; empty where every case is a draft")
    runs: list[RunInfo]
    written: list[str] = Field(default=[], description="the sets and their histories")
    notes: list[str] = Field(default=[])
    next: list[str] = Field(default=[], description="what to do next")


@dataclass(frozen=True, slots=True)
class AskedBy:
    """Who asked a case, about what, and how often."""

    user: str
    topic: str
    asked: int


def triage_document(
    replay_set: ReplaySet,
    triaged: Sequence[Triaged],
    *,
    config: str,
    chosen: Sequence[Chosen],
    asked_by: Mapping[str, AskedBy],
    runs: Iterable[RunInfo],
    notes: Iterable[str],
    stopped: Iterable[str] = (),
) -> TriageDocument:
    """The document of sorted cases: a pass where something is answerable and every trial that matters was judged.

    A case that is flaky, or expects nothing, is undecided and told; it makes nothing inconclusive. `stopped` are the
    limits that ended one of the runs: fewer trials speak for its cases than were wanted.
    """
    why = {one.id: one.why for one in chosen}
    canaries = sum(one.canary for one in chosen)
    reasons = [*dict.fromkeys(stopped), *_reasons(triaged)]
    cases = [_row(one, replay_set.case(one.id), asked_by[one.id], why.get(one.id, "")) for one in triaged]
    counts = _counts(cases)
    return TriageDocument(
        config=config,
        set=set_info(replay_set),
        verdict="inconclusive" if reasons else "pass",
        reasons=reasons,
        summary=_summary(counts, len(chosen) - canaries, canaries),
        counts=counts,
        keep=len(chosen) - canaries,
        canaries=canaries,
        cases=cases,
        chosen=[one.id for one in chosen],
        runs=list(runs),
        notes=list(notes),
    )


def _row(one: Triaged, case: Case, asked_by: AskedBy, why: str) -> TriagedCase:
    return TriagedCase(
        id=one.id,
        case_class=one.case_class,
        question=case.question,
        bucket=one.bucket,
        reason=one.reason,
        doubt=one.doubt,
        owner=one.owner,
        chosen=why,
        facts=[fact.label for fact in case.expected],
        source=[str(source) for source in case.source],
        user=asked_by.user,
        topic=asked_by.topic,
        logged=case.logged is not None,
        asked=asked_by.asked,
        draft=DRAFT in case.tags,
    )


def _reasons(triaged: Sequence[Triaged]) -> list[str]:
    errors = [one for one in triaged if one.doubt == "error"]
    reasons = []
    if errors:
        told = f"{errors[0].id}: {errors[0].reason}"
        reasons.append(f"{len(errors)} of {len(triaged)} cases could not be judged; the first: {told}")
    if not any(one.bucket in ANSWERABLE for one in triaged):
        reasons.append("no case fails without the memory and passes with it")
    return reasons


def _counts(cases: Iterable[TriagedCase]) -> list[BucketRow]:
    found = Counter((case.bucket, case.logged) for case in cases)
    return [BucketRow(bucket=name, logged=found[name, True], others=found[name, False]) for name in BUCKETS]


def _summary(counts: Sequence[BucketRow], keep: int, canaries: int) -> str:
    """As: 200 logged; 120 need no memory, 50 answerable, 30 not; kept 10 and 10 canaries."""
    logged = [row.logged for row in counts]
    others = [row.others for row in counts]
    told = [f"{sum(logged)} logged; {_sorted(counts, logged)}"] if any(logged) else []
    if any(others):
        beside = f"beside them {sum(others)} that nobody asked" if any(logged) else counted(sum(others), "case")
        told.append(f"{beside}: {_sorted(counts, others)}" if any(logged) else f"{beside}; {_sorted(counts, others)}")
    return f"{'; '.join(told)}; kept {keep} and {canaries} canar{'y' if canaries == 1 else 'ies'}"


def _sorted(counts: Sequence[BucketRow], numbers: Sequence[int]) -> str:
    by_bucket = dict(zip((row.bucket for row in counts), numbers, strict=True))
    needless = by_bucket["needs no memory"]
    answerable = sum(by_bucket[name] for name in ANSWERABLE)
    lost = by_bucket["backlog"] + by_bucket["broken"]
    told = f"{needless} need{'s' * (needless == 1)} no memory, {answerable} answerable, {lost} not"
    return f"{told}, {by_bucket['undecided']} undecided" if by_bucket["undecided"] else told


def gate_texts(gate: Mapping[str, Requirement]) -> dict[str, str]:
    """The gate as a file writes it."""
    return {name: str(need) for name, need in gate.items()}
