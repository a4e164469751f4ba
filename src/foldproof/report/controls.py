"""The controls as part of a document: what they found, and the effective retention of each class."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from pydantic import Field

from foldproof.compare import ControlFinding, Retention
from foldproof.compare.retention import ControlName, Finding
from foldproof.report.explained import Document, RunInfo


class RetentionRow(Document):
    """What the memory adds in one class, out of what it could add; the counts are of cases that pass."""

    case_class: str = Field(validation_alias="class", serialization_alias="class")
    of: int = Field(description="cases that have both the unplugged control and the oracle")
    unplugged: int
    candidate: int
    oracle: int
    full: int
    full_of: int = Field(description="those of them that have the full context")
    unjudged: list[str] = Field(default=[], description="cases whose unplugged control or oracle has no judgement")
    retention: float | None = Field(
        description="(candidate - unplugged) / (oracle - unplugged), null where `reason` says why"
    )
    reason: str = Field(default="", description="why there is no retention")


class FindingRow(Document):
    """What one control found of one case."""

    id: str
    case_class: str = Field(validation_alias="class", serialization_alias="class")
    control: ControlName
    finding: Finding
    reason: str = ""


class ControlsPart(Document):
    """The controls beside a configuration. They inform; of what they find only a vacuous case leaves the gate."""

    config: str
    runs: list[RunInfo]
    retention: list[RetentionRow]
    findings: list[FindingRow]
    notes: list[str] = Field(default=[])


def controls_part(
    config: str,
    runs: Iterable[RunInfo],
    *,
    retention: Iterable[Retention],
    findings: Iterable[ControlFinding],
    notes: Iterable[str],
) -> ControlsPart:
    """The controls of a configuration, as a document holds them."""
    return ControlsPart(
        config=config,
        runs=list(runs),
        retention=[
            RetentionRow(
                case_class=entry.case_class,
                of=entry.of,
                unplugged=entry.unplugged,
                candidate=entry.candidate,
                oracle=entry.oracle,
                full=entry.full,
                full_of=entry.full_of,
                unjudged=list(entry.unjudged),
                retention=entry.share,
                reason=entry.reason,
            )
            for entry in retention
        ],
        findings=[
            FindingRow(
                id=found.id,
                case_class=found.case_class,
                control=found.control,
                finding=found.finding,
                reason=found.reason,
            )
            for found in findings
        ],
        notes=list(notes),
    )


def retention_word(row: RetentionRow) -> str:
    """The share with the counts that it is made of, or why there is none."""
    if row.retention is None:
        return row.reason
    return f"{row.retention:.2f} = ({row.candidate} - {row.unplugged}) / ({row.oracle} - {row.unplugged})"


def retention_counts(row: RetentionRow) -> tuple[str, str, str, str]:
    """The counts as they are shown: unplugged, the memory itself, oracle, full context."""
    full = f"{row.full} of {row.full_of}" if row.full_of else "-"
    return f"{row.unplugged} of {row.of}", f"{row.candidate} of {row.of}", f"{row.oracle} of {row.of}", full


HEADINGS: dict[Finding, str] = {
    "vacuous": "vacuous: these pass with the memory cut off, so they test nothing and count for nothing",
    "broken": "broken, or beyond the agent: these fail with their facts in the prompt",
    "unheeded": "unheeded: these fail with their bare facts in the prompt, and pass with the memory or the history",
    "overlooked": "overlooked: these fail with the whole history in the prompt, though its facts alone were enough",
    "departed": "replay misleads: on the same messages of the user these leave the path of their frozen turns",
    "unjudged": "not judged: of these a control says nothing",
}
"""What each finding means, over the cases of which it was made."""
RETENTION = "effective retention = (the memory - unplugged) / (oracle - unplugged), in cases that pass"


def findings_of(part: ControlsPart, finding: Finding) -> Sequence[FindingRow]:
    """The findings of one kind, in their order."""
    return [row for row in part.findings if row.finding == finding]
