"""The documents of the holdout: counts by class and a verdict, and the log of its openings. No question, no answer."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Literal

from pydantic import Field

from foldproof.cases import LogEntry
from foldproof.compare import RunVerdict
from foldproof.report.explained import DataInfo, Document
from foldproof.score import CaseScore


class HoldoutClass(Document):
    """The cases of one class: how many passed, and what the gate asked, null where it asks nothing."""

    case_class: str = Field(validation_alias="class", serialization_alias="class")
    cases: int
    passed: int
    failed: int = Field(description="failing or flaky")
    unjudged: int
    need: int | None = None
    ok: bool | None = None


class HoldoutDocument(Document):
    """The document of `foldproof holdout run`."""

    schema_name: Literal["foldproof/holdout/1"] = Field(
        default="foldproof/holdout/1", validation_alias="schema", serialization_alias="schema"
    )
    verdict: Literal["pass", "blocked", "inconclusive"]
    reasons: list[str]
    config: str
    set_sha256: str
    data: DataInfo | None = Field(default=None, description="the benchmark's data, where the set was made of one")
    classes: list[HoldoutClass]
    errors: dict[str, int] = Field(default={}, description="trials without an answer, by the kind of error")
    opening: int = Field(description="how often the set was opened, this time included")
    most_openings: int | None = None
    log: str
    notes: list[str] = Field(default=[])
    shown: dict[str, Any] | None = Field(
        default=None, description="a document `foldproof/run/1` with questions and answers, where they were asked for"
    )


class HoldoutEntry(Document):
    """One line of the log."""

    number: int
    act: Literal["sealed", "opened", "judged"]
    who: str
    at: str
    commit: str
    config: str = ""
    verdict: str = ""


class HoldoutLogDocument(Document):
    """The document of `foldproof holdout log`."""

    schema_name: Literal["foldproof/holdout-log/1"] = Field(
        default="foldproof/holdout-log/1", validation_alias="schema", serialization_alias="schema"
    )
    ok: bool
    log: str
    problems: list[str]
    entries: list[HoldoutEntry]
    openings: int
    most_openings: int | None = None


def holdout_classes(scores: Mapping[str, CaseScore], verdict: RunVerdict) -> list[HoldoutClass]:
    """The counts of each class, in the order of the gate and then of the cases."""
    gates = {row.case_class: row for row in verdict.gate}
    names = dict.fromkeys((*gates, *(score.case_class for score in scores.values())))
    rows = []
    for name in names:
        outcomes = [score.outcome for score in scores.values() if score.case_class == name]
        gate = gates.get(name)
        passed, failed = outcomes.count("pass"), outcomes.count("fail") + outcomes.count("flaky")
        rows.append(
            HoldoutClass(
                case_class=name,
                cases=gate.of if gate else len(outcomes),
                passed=passed,
                failed=failed,
                unjudged=(gate.of if gate else len(outcomes)) - passed - failed,
                need=gate.need if gate else None,
                ok=gate.ok if gate else None,
            )
        )
    return rows


def holdout_reasons(verdict: RunVerdict, classes: Sequence[HoldoutClass]) -> list[str]:
    """Why the verdict is what it is, without the name of a case."""
    if verdict.verdict == "pass":
        return []
    told = [str(row) for row in verdict.gate if row.ok is False]
    unjudged = sum(row.unjudged for row in classes)
    if unjudged:
        told.append(f"{unjudged} cases have no judgement")
    return told or ["the reason names cases: see it with --show"]


def holdout_entries(entries: Iterable[LogEntry]) -> list[HoldoutEntry]:
    """The lines of a log as its document has them."""
    return [
        HoldoutEntry(
            number=entry.number,
            act=entry.act,
            who=entry.who,
            at=entry.at,
            commit=entry.commit,
            config=str(entry.details.get("config", "")),
            verdict=str(entry.details.get("verdict", "")),
        )
        for entry in entries
    ]
