"""The judged facts of a run, each with what the judge said and quoted. Pure."""

from __future__ import annotations

from typing import NamedTuple

from foldproof.report.documents import RunDocument, ScoredCase

_JUDGED = "judged: "


class JudgedLine(NamedTuple):
    """One judged fact of a case and what became of it; trials of which the same is told are one line."""

    case: str
    fact: str
    told: str


def judged_lines(document: RunDocument) -> list[JudgedLine]:
    """Every judged fact of a run, in the order of the cases."""
    return [line for case in document.cases for line in judged_of_case(case)]


def judged_of_case(case: ScoredCase) -> list[JudgedLine]:
    """The judged facts of one case; of a trial in error none was judged."""
    lines = [
        JudgedLine(case.id, fact.fact.removeprefix(_JUDGED), fact.reason)
        for trial in case.trials
        for fact in trial.facts
        if fact.fact.startswith(_JUDGED) and fact.reason
    ]
    return list(dict.fromkeys(lines))
