"""The document of `explain`: in which stage's record each fact of a case still stands. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any, Protocol

from foldproof.cases import Case
from foldproof.logs import MemoryItem
from foldproof.matching import Fact, Text, match_fact, match_many
from foldproof.record import StoreListing, Trial
from foldproof.report.build import trial_row
from foldproof.report.documents import ExplainDocument, ExplainedTrialRow, ItemRow, RunInfo
from foldproof.score import TrialScore


class Evidence(Protocol):
    """One trial with its score and what its memory held before and after the folds, None where it was not seen."""

    @property
    def trial(self) -> Trial:
        """The recorded trial."""
        ...

    @property
    def score(self) -> TrialScore:
        """Its score."""
        ...

    @property
    def written(self) -> StoreListing | None:
        """What the memory held before the folds."""
        ...

    @property
    def kept(self) -> StoreListing | None:
        """What the memory held after the folds."""
        ...


def explain_document(info: RunInfo, case: Case, trials: Iterable[Evidence], *, note: str = "") -> ExplainDocument:
    """Everything that a run recorded of one case, and the facts that stand in each part of it.

    A fact stands where it is held; in a negation it does not. Judged facts are looked for in nothing but the
    answer. Null stays null: what could not be seen is not guessed.
    """
    facts = [fact for fact in map(_without_judged, (*case.expected, *case.forbidden)) if fact is not None]
    return ExplainDocument(
        run=info,
        id=case.id,
        case_class=case.case_class,
        question=case.question,
        source=[str(source) for source in case.source],
        trials=[_trial(item, case, facts) for item in trials],
        note=note,
    )


def _without_judged(fact: tuple[str, Fact] | Fact) -> Fact | None:
    raise NotImplementedError
