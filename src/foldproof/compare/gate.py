"""The gate: fixed counts, decided in advance. Pure."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass

from foldproof.cases import Requirement
from foldproof.score import CaseScore


@dataclass(frozen=True, slots=True)
class ClassGate:
    """What the gate asked of a class and what it got.

    `got` of `of` cases passed, waived ones included. `failed` are the cases that count against it, `unjudged`
    those with a trial that could not be judged. With `ok` None the class could not be decided: it would pass
    or fail by what is unjudged, or not all of its cases were asked.
    """

    case_class: str
    need: int
    got: int
    of: int
    ok: bool | None
    failed: tuple[str, ...] = ()
    unjudged: tuple[str, ...] = ()
    waived: tuple[str, ...] = ()

    @property
    def unasked(self) -> int:
        """Cases of the class that no trial was asked of."""
        return self.of - self.got - len(self.failed) - len(self.unjudged)

    def __str__(self) -> str:
        return f"{self.case_class}: {self.got} of {self.of} cases pass, {self.need} needed"


def gate_scores(
    gate: Mapping[str, Requirement],
    scores: Mapping[str, CaseScore],
    *,
    sizes: Mapping[str, int],
    waived: Collection[str] = (),
    vacuous: Collection[str] = (),
) -> tuple[ClassGate, ...]:
    """Hold scored cases against the gate, class by class; `sizes` are the cases of each class in the whole set.

    An `all` class needs every trial of every case, a counted one the majority of trials of enough cases. An
    error never helps: judged trials alone decide what has failed for good, and a class that an error or a
    case that was not asked could still turn is undecided. A vacuous case shows nothing, so it counts as
    unjudged. A class without cases asks nothing.
    """
    return tuple(
        _gate_class(name, requirement, scores, size=sizes[name], waived=waived, vacuous=vacuous)
        for name, requirement in gate.items()
        if sizes.get(name)
    )


def _gate_class(
    name: str,
    requirement: Requirement,
    scores: Mapping[str, CaseScore],
    *,
    size: int,
    waived: Collection[str],
    vacuous: Collection[str],
) -> ClassGate:
    asked = [score for score in scores.values() if score.case_class == name]
    strict = requirement.need is None
    need = size if requirement.need is None else requirement.need
    lost = [score.id for score in asked if score.judged and not _passes(score, strict=strict)]
    forgiven = [case_id for case_id in lost if case_id in waived]
    failed = [case_id for case_id in lost if case_id not in forgiven]
    open_still = (score.id for score in asked if score.errors or not score.trials or score.id in vacuous)
    unjudged = [case_id for case_id in open_still if case_id not in lost]
    got = len(asked) - len(failed) - len(unjudged)
    reachable = size - len(failed)
    ok: bool | None = None
    if reachable < need:
        ok = False
    elif not unjudged and len(asked) == size:
        ok = True
    return ClassGate(name, need, got, size, ok, tuple(failed), tuple(unjudged), tuple(forgiven))


def _passes(score: CaseScore, *, strict: bool) -> bool:
    return score.passes == score.judged if strict else score.majority
