"""The diff of two scored runs, question by question and fact by fact. Pure."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from foldproof.core import canonical_json
from foldproof.score import CaseScore, FactScore, Owner
from foldproof.score.attribution import OWNERS
from foldproof.score.cases import CaseOutcome
from foldproof.score.trials import FactOutcome, FactRole

Change = Literal["kept", "lost", "recovered", "failing", "new", "gone", "flaky", "error", "vacuous"]


@dataclass(frozen=True, slots=True)
class FactChange:
    """One fact before and after.

    `outcome` is the worst of the trials after; `bad` of `trials` trials after did not have it right. `owner`
    is None where nothing was lost, `why` says how; of trials that differ, the owner of most, of equals the
    earliest.
    """

    fact: str
    role: FactRole
    before: FactOutcome | None
    after: FactOutcome | None
    bad: int = 0
    trials: int = 0
    reason: str = ""
    owner: Owner | None = None
    why: str = ""

    @property
    def ok(self) -> bool:
        """Whether every trial after had this fact right."""
        return self.bad == 0 and self.after is not None


@dataclass(frozen=True, slots=True)
class CaseChange:
    """One case before and after; an outcome is None where the side does not have the case."""

    id: str
    case_class: str
    change: Change
    before: CaseOutcome | None
    after: CaseOutcome | None
    trials: int = 0
    facts: tuple[FactChange, ...] = ()
    error: str = ""


def diff_scores(
    before: Mapping[str, CaseScore], after: Mapping[str, CaseScore], *, vacuous: Collection[str] = ()
) -> tuple[CaseChange, ...]:
    """Compare two scored runs: the cases of `after` in their order, then those that only `before` has.

    The diff of a run with itself has only kept, failing, flaky, error and vacuous; swapping the two swaps lost
    with recovered and new with gone, but that a case which could not be judged is an error before it is new.
    """
    changes = [_compare(before.get(case_id), score, vacuous) for case_id, score in after.items()]
    gone = [
        CaseChange(score.id, score.case_class, "gone", score.outcome, None)
        for case_id, score in before.items()
        if case_id not in after
    ]
    return (*changes, *gone)


def _compare(before: CaseScore | None, after: CaseScore, vacuous: Collection[str]) -> CaseChange:
    error = next((trial.error for trial in after.trials if trial.error), "")
    return CaseChange(
        after.id,
        after.case_class,
        "vacuous" if after.id in vacuous else _change(before, after),
        before.outcome if before else None,
        after.outcome,
        len(after.trials),
        _facts(before, after),
        error,
    )


def _change(before: CaseScore | None, after: CaseScore) -> Change:
    if after.errors or not after.trials:
        return "error"
    if before is None:
        return "new"
    if before.errors or not before.trials:
        return "error"
    if "flaky" in {before.outcome, after.outcome}:
        return "flaky"
    changes: dict[tuple[CaseOutcome, CaseOutcome], Change] = {
        ("pass", "pass"): "kept",
        ("pass", "fail"): "lost",
        ("fail", "pass"): "recovered",
        ("fail", "fail"): "failing",
    }
    return changes[before.outcome, after.outcome]


def _facts(before: CaseScore | None, after: CaseScore) -> tuple[FactChange, ...]:
    earlier = _by_fact(before)
    changes = []
    for position, scores in enumerate(_by_fact(after)):
        former = _bad_first(earlier[position], before) if before and position < len(earlier) else []
        bad = _bad(scores, after)
        worst = _bad_first(scores, after)[0]
        changes.append(
            FactChange(
                worst.fact,
                worst.role,
                former[0].outcome if former else None,
                worst.outcome,
                len(bad),
                len(scores),
                worst.reason if bad else "",
                *owner_of(bad),
            )
        )
    return tuple(changes)


def lost_facts(change: CaseChange) -> tuple[FactChange, ...]:
    """The facts of a case that were right in every trial before and are not right in some trial after."""
    if change.change not in {"lost", "flaky"}:
        return ()
    return tuple(
        fact
        for fact in change.facts
        if fact.bad > 0
        and fact.after != "error"
        and fact.before is not None
        and FactScore(fact.fact, fact.role, fact.before).ok
    )


def count_owners(owners: Iterable[Owner | None]) -> dict[str, int]:
    """How many losses each owner has, in the order of the stages; an owner without one is left out."""
    counts = Counter(owner for owner in owners if owner is not None)
    return {owner: counts[owner] for owner in (*OWNERS, "unknown") if counts[owner]}


def owner_of(bad: Sequence[FactScore]) -> tuple[Owner | None, str]:
    """Who lost a fact over the trials that miss it, and how; what could not be judged was not lost."""
    missing = [score for score in bad if score.outcome != "error"]
    losses = [score.loss for score in missing if score.loss is not None]
    if not losses:
        return ("unknown" if missing else None), ""
    counts = Counter(loss.owner for loss in losses)
    order = [*OWNERS, "unknown"]
    owner = min(counts, key=lambda name: (-counts[name], order.index(name)))
    return owner, next(loss.reason for loss in losses if loss.owner == owner)


def _by_fact(score: CaseScore | None) -> list[tuple[FactScore, ...]]:
    """The scores of each fact over the trials; the facts of a case stand in the same order in every trial."""
    return list(zip(*(trial.facts for trial in score.trials), strict=True)) if score else []


def _bad(scores: tuple[FactScore, ...], case: CaseScore) -> list[FactScore]:
    """What was wrong. In a trial that passed nothing is: an admission may have made up for a missing fact."""
    return [score for score, trial in zip(scores, case.trials, strict=True) if not score.ok and not trial.passed]


def _bad_first(scores: tuple[FactScore, ...], case: CaseScore) -> list[FactScore]:
    return [*_bad(scores, case), *scores]


def config_differences(before: Mapping[str, Any], after: Mapping[str, Any]) -> tuple[str, ...]:
    """What differs between two configurations, as `memory.k: 8 -> 4`, sorted."""
    old, new = _flat(before), _flat(after)
    differing = [key for key in sorted(old.keys() | new.keys()) if old.get(key) != new.get(key)]
    return tuple(f"{key}: {_difference(old.get(key), new.get(key))}" for key in differing)


def _flat(value: Mapping[str, Any], prefix: str = "") -> dict[str, str]:
    """The values that are set, by their path, each as JSON: there 1, "1" and true differ as they do to an agent."""
    flat: dict[str, str] = {}
    for key, item in value.items():
        name = f"{prefix}{key}"
        if isinstance(item, Mapping) and item:
            flat |= _flat(item, f"{name}.")
        elif item not in (None, {}):
            flat[name] = canonical_json(item)
    return flat


def _difference(old: str | None, new: str | None) -> str:
    plain = [_shown(side) for side in (old, new)]
    return " -> ".join(plain if plain[0] != plain[1] else map(str, (old, new)))


def _shown(side: str | None) -> str:
    """A text without its quotes, other values as JSON."""
    if side is None:
        return "(none)"
    value = json.loads(side)
    return value if isinstance(value, str) else side
