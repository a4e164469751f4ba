"""The document of `coverage`: how much of what users asked the cases of a set ask too, and what is new."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from pydantic import Field

from foldproof.cases.coverage import COVERS, Coverage
from foldproof.logs.traffic import Traffic
from foldproof.report.explained import Document
from foldproof.report.imports import BrokenLine


class CoverageSet(Document):
    """The set that is held against the traffic."""

    name: str
    path: str
    sha256: str
    cases: int


class CoverageTopic(Document):
    """What was asked about one topic."""

    topic: str = Field(description="the word of its questions that most questions share")
    asked: int = Field(description="how often something was asked about it")
    users: int = Field(description="users who did; 0 where the log tells none")
    covered: int = Field(description="of what was asked, how much a case asks too")
    cases: list[str] = Field(description="cases that cover one of its questions, or ask with its word")
    example: str = Field(description="the most asked of its questions that no case covers, else of all")
    example_asked: int
    earlier: int | None = Field(description="how often its word was asked with before; null where that is unknown")


class CoverageCase(Document):
    """How often what a case asks was asked."""

    id: str
    case_class: str = Field(validation_alias="class", serialization_alias="class")
    asked: int
    earlier: int | None = Field(description="the same before the window; null where nothing is known of that time")
    nearest: str = Field(description="the question most like it; empty where none shares a word with it")
    likeness: float = Field(description="how alike the two are, from 0 to 1")


class CoverageDocument(Document):
    """The document of `foldproof coverage`."""

    schema_name: Literal["foldproof/coverage/1"] = Field(
        default="foldproof/coverage/1", validation_alias="schema", serialization_alias="schema"
    )
    format: str
    title: str
    told_by: str = Field(description="what the format was known by")
    set: CoverageSet
    read: int = Field(description="lines, or records of a log whose lines are no exchanges")
    said: int = Field(description="messages of users in them")
    since: str = Field(description="the first day that counts; empty where every day does")
    questions: int = Field(description="messages that ask something, within the time that counts")
    asked: int = Field(description="of them, those that were looked at: all, or a draw. What follows counts these")
    covered: int = Field(description="those that a case asks too")
    wordless: int = Field(description="those without a word of their own, which can be compared with nothing")
    likeness: float = Field(description="how alike a question and a case must be, at least")
    earlier_questions: int = Field(description="messages that ask something before that time")
    earlier_asked: int = Field(description="of them, those that were looked at")
    topics: list[CoverageTopic] = Field(description="by traffic")
    cases: list[CoverageCase] = Field(description="in the order of the set")
    left_out: dict[str, str] = Field(description="cases that are not compared, each with the reason")
    broken: int = Field(description="lines that cannot be read")
    broken_lines: list[BrokenLine] = Field(description="the first of them")
    notes: list[str] = Field(default=[], description="what the log and the comparison cannot show")
    next: list[str] = Field(default=[], description="what to do next")


def coverage_document(
    coverage: Coverage,
    traffic: Traffic,
    *,
    replay_set: CoverageSet,
    notes: Sequence[str] = (),
    following: Sequence[str] = (),
) -> CoverageDocument:
    """The document of a coverage. `notes` are those of the command, `following` what to do next."""
    return CoverageDocument(
        format=traffic.format.name,
        title=traffic.format.title,
        told_by=traffic.why,
        set=replay_set,
        read=traffic.lines,
        said=traffic.said,
        since=traffic.since,
        questions=traffic.found,
        asked=coverage.asked,
        covered=coverage.covered,
        wordless=coverage.wordless,
        likeness=COVERS,
        earlier_questions=traffic.earlier_found,
        earlier_asked=traffic.earlier_drawn,
        topics=[
            CoverageTopic(
                topic=one.topic,
                asked=one.asked,
                users=one.users,
                covered=one.covered,
                cases=list(one.cases),
                example=one.example,
                example_asked=one.example_asked,
                earlier=one.earlier,
            )
            for one in coverage.topics
        ],
        cases=[
            CoverageCase(
                id=one.case,
                case_class=one.case_class,
                asked=one.asked,
                earlier=one.earlier,
                nearest=one.nearest,
                likeness=round(one.likeness, 2),
            )
            for one in coverage.cases
        ],
        left_out=dict(coverage.left_out),
        broken=traffic.broken,
        broken_lines=[BrokenLine(file=file, line=line, message=told) for file, line, told in traffic.problems],
        notes=[*traffic.notes, *_notes(traffic), *notes],
        next=list(following),
    )


def _notes(traffic: Traffic) -> Sequence[str]:
    """What the numbers do not show."""
    notes = ["questions are compared by their words: the same in other words counts as not covered"]
    if traffic.drawn < traffic.found:
        notes.append(f"every number below the draw counts its {traffic.drawn} questions, not all {traffic.found}")
    if traffic.timeless:
        notes.append(f"{traffic.timeless} questions without a time are left out")
    return notes
