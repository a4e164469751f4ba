"""The document of `import logs`: what was read, what was written, what the log cannot show."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from foldproof.cases.import_logs import LogImport
from foldproof.report.explained import Document


class BrokenLine(Document):
    """One line of a log that cannot be read."""

    file: str
    line: int
    message: str


class ImportDocument(Document):
    """The document of `foldproof import logs`."""

    schema_name: Literal["foldproof/import/1"] = Field(
        default="foldproof/import/1", validation_alias="schema", serialization_alias="schema"
    )
    format: str
    title: str
    told_by: str = Field(description="what the format was known by")
    written: list[str]
    sessions: int
    silent: int = Field(default=0, description="sessions without a turn that would be written")
    users: dict[str, int] = Field(description="sessions a user; under the empty text those whose user is not told")
    turns: dict[str, int] = Field(description="what was said, by role")
    aside: dict[str, int] = Field(description="what stands in the log but is no talk, by kind")
    tool_calls: int
    unanswered: int = Field(description="tool calls without a result")
    memory_reads: int
    memory_writes: int
    folds: dict[str, int] = Field(description="evidence of folds, by kind")
    sidechains: int = Field(description="talks of sub-agents, kept apart")
    abandoned: int = Field(description="messages of edited or regenerated branches, left out")
    repeats: int = Field(description="repeats that were dropped")
    naive_times: int = Field(description="sessions whose time has no zone")
    without_time: int = Field(description="sessions without a time")
    broken: int = Field(description="lines that cannot be read")
    broken_lines: list[BrokenLine] = Field(description="the first of them")
    unknown: dict[str, int] = Field(description="records of unknown kinds, by kind")
    pseudonyms: dict[str, int] | None = Field(
        default=None, description="what was replaced by pseudonyms, by kind; null where personal data was left as it is"
    )
    notes: list[str] = Field(default=[], description="what the log cannot show")
    next: list[str] = Field(default=[], description="what to do next")


def import_document(
    report: LogImport, *, written: list[str], following: list[str], key_note: str = ""
) -> ImportDocument:
    """The document of an import. `written` are its files as the command names them, `following` what to do next.

    `key_note` says which key the pseudonyms were made with.
    """
    tally = report.tally
    if report.pseudonyms is None:
        kept = ["personal data is left as it is; secrets are replaced by [redacted]"]
    else:
        told = ", ".join(f"{kind} {count}" for kind, count in report.pseudonyms.items()) or "none was found"
        kept = [f"personal data is replaced by pseudonyms ({told}); secrets by [redacted]", key_note]
    return ImportDocument(
        format=report.format,
        title=report.title,
        told_by=report.told_by,
        written=written,
        sessions=tally.sessions,
        silent=report.silent,
        users=report.users,
        turns=_sorted(tally.turns),
        aside=_sorted(tally.aside),
        tool_calls=tally.tool_calls,
        unanswered=tally.unanswered,
        memory_reads=tally.memory_reads,
        memory_writes=tally.memory_writes,
        folds=_sorted(tally.folds),
        sidechains=tally.sidechains,
        abandoned=tally.abandoned,
        repeats=tally.repeats,
        naive_times=tally.naive_times,
        without_time=tally.without_time,
        broken=tally.broken,
        broken_lines=[BrokenLine(file=file, line=line, message=told) for file, line, told, *_ in tally.problems],
        unknown=_sorted(tally.unknown),
        pseudonyms=report.pseudonyms,
        notes=[*tally.notes, *kept],
        next=following,
    )


def _sorted(counts: dict[str, int]) -> dict[str, int]:
    return {name: count for name, count in sorted(counts.items()) if count}
