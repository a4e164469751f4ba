"""Triage: which bucket a case falls in, by how it does without a memory, with it, and with its facts told. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from foldproof.cases import Case
from foldproof.compare.diff import diff_scores
from foldproof.compare.retention import is_settled, why_failed
from foldproof.score import CaseScore, Owner

Bucket = Literal["needs no memory", "keep", "canary", "backlog", "broken", "undecided"]
"""It passes unplugged; fails so and passes with the memory; the same, and was chosen as a canary; passes only where it
is told its facts; fails even then; or nobody can say."""
BUCKETS: tuple[Bucket, ...] = ("needs no memory", "keep", "canary", "backlog", "broken", "undecided")
ANSWERABLE: frozenset[Bucket] = frozenset({"keep", "canary"})
Doubt = Literal["no fact", "error", "flaky", "no oracle"]
"""Why a case is undecided: it expects nothing, a trial was not judged, its trials disagree, it can have no oracle."""


@dataclass(frozen=True, slots=True)
class Triaged:
    """A case with its bucket and the reason. `doubt` is there where it is undecided, `owner` where it is backlog.

    `stable` says that it is answerable and passed with the memory in each of two trials or more.
    """

    id: str
    case_class: str
    bucket: Bucket
    reason: str
    doubt: Doubt | None = None
    owner: Owner | None = None
    stable: bool = False


def triage_case(
    unplugged: CaseScore, *, memory: CaseScore | None = None, oracle: CaseScore | None = None, gap: str = ""
) -> Triaged:
    """The bucket of one case: exactly one, and `undecided` wherever a trial that matters was not judged.

    What passes unplugged needs no score with the memory, and what passes with it no oracle; None is a score that was
    not asked for. `gap` says why the case can have no oracle. A case that its memory passes is not broken, though an
    oracle fails it. An error in place of a trial leaves the bucket as it is, or makes it undecided.
    """
    case_id, name = unplugged.id, unplugged.case_class
    if unplugged.passes:
        return Triaged(case_id, name, "needs no memory", "passes with the memory cut off")
    if not is_settled(unplugged):
        return _unjudged(unplugged, "with the memory cut off")
    if memory is None or memory.errors or not memory.trials:
        return _unjudged(memory or unplugged, "with the memory")
    return _failing_unplugged(memory, oracle, gap)


def _failing_unplugged(memory: CaseScore, oracle: CaseScore | None, gap: str) -> Triaged:
    """The bucket of a case that fails unplugged, and whose every trial with the memory was judged."""
    case_id, name = memory.id, memory.case_class
    trials = f"{memory.passes} of {len(memory.trials)} trials"
    if memory.outcome == "flaky":
        return Triaged(case_id, name, "undecided", f"passes {trials} with the memory", "flaky")
    if memory.passes:
        told = f"fails with the memory cut off, passes {trials} with it"
        return Triaged(case_id, name, "keep", told, stable=len(memory.trials) > 1)
    if oracle is None and gap:
        return Triaged(case_id, name, "undecided", f"fails with the memory, and has no oracle: {gap}", "no oracle")
    if oracle is None or not is_settled(oracle):
        return _unjudged(oracle or memory, "with its facts told")
    if not oracle.passes:
        told = f"fails with its facts in the prompt: {why_failed(oracle.trials[0])}"
        return Triaged(case_id, name, "broken", told)
    owner, told = _lost_by(memory)
    return Triaged(case_id, name, "backlog", told, owner=owner)


def expects_nothing(case: Case) -> Triaged:
    """The triage of a draft of which nobody has said yet what its answer must hold."""
    told = "expects nothing yet: no fact could be drafted"
    return Triaged(case.id, case.case_class, "undecided", told, "no fact")


def _unjudged(score: CaseScore, when: str) -> Triaged:
    error = next((trial.error for trial in score.trials if trial.error), "not asked")
    return Triaged(score.id, score.case_class, "undecided", f"not judged {when}: {error}", "error")


def _lost_by(memory: CaseScore) -> tuple[Owner, str]:
    """Who lost the first of the facts that are missing, and how; of trials that differ, the owner of most."""
    (change,) = diff_scores({}, {memory.id: memory})
    lost = next((fact for fact in change.facts if not fact.ok), None)
    if lost is None:
        return "unknown", "fails as a whole"
    owner = lost.owner or "unknown"
    told = f"'{lost.fact}' lost at {owner}" if owner != "unknown" else f"'{lost.fact}' lost, owner unknown"
    return owner, f"{told}: {lost.why or lost.reason}" if lost.why or lost.reason else told
