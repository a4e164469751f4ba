"""What the disputed cases of a set come to, and whether a run is above what its wrong keys allow. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from foldproof.cases import DISPUTED, DISPUTED_SOURCE, DRAFT, STRICT_CLASSES, Case, ReplaySet
from foldproof.score import CaseScore


@dataclass(frozen=True, slots=True)
class KeyFigures:
    """The judged cases of one tag, or of the whole set (`name` is empty), and how far their keys can be trusted.

    `passed` of `cases` pass. `wrong` of the cases have a key that is said to be wrong, of which `passed_wrong` pass:
    to pass them is to say what is not so. Where only the source of a case is disputed, its key counts as right.
    """

    name: str
    cases: int
    passed: int
    wrong: int
    passed_wrong: int

    @property
    def ceiling(self) -> int:
        """The most cases that can pass without agreeing with a wrong key."""
        return self.cases - self.wrong

    @property
    def above(self) -> bool:
        """Whether more pass than that: keys are right that are said to be wrong, or the run agrees with errors."""
        return self.passed > self.ceiling


def key_figures(replay_set: ReplaySet, scores: Mapping[str, CaseScore]) -> tuple[KeyFigures, ...]:
    """The figures of the whole set, then by tag; nothing where no key is disputed, and no tag without a wrong key."""
    judged = [case for case in replay_set.cases if (score := scores.get(case.id)) is not None and score.judged]
    tags = sorted({tag for case in judged for tag in case.tags if tag != DRAFT and not tag.startswith(DISPUTED)})
    groups = [("", judged), *((tag, [case for case in judged if tag in case.tags]) for tag in tags)]
    return tuple(figures for name, cases in groups if (figures := _figures(name, cases, scores)).wrong)


def unguarded(replay_set: ReplaySet) -> tuple[str, ...]:
    """What a verdict must say of disputed cases whose class must not be lost: a pass says nothing of them."""
    strict = [case for case in replay_set.cases if DISPUTED in case.tags and case.case_class in STRICT_CLASSES]
    told = ", ".join(f"{case.id} ({case.case_class})" for case in strict)
    return (f"no gate guards these cases, since they are disputed: {told}",) if told else ()


def _figures(name: str, cases: Iterable[Case], scores: Mapping[str, CaseScore]) -> KeyFigures:
    passed = {case.id: scores[case.id].outcome == "pass" for case in cases}
    wrong = [case.id for case in cases if DISPUTED in case.tags and DISPUTED_SOURCE not in case.tags]
    return KeyFigures(name, len(passed), sum(passed.values()), len(wrong), sum(passed[case_id] for case_id in wrong))
