"""The document of `sessions cut`: the case that was cut, or where a session can be cut."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

from pydantic import Field

from foldproof.cases import Cut, Point
from foldproof.cases.contents import case_value
from foldproof.report.explained import Document


class PointEntry(Document):
    """One message of the user in a session."""

    turn: int
    text: str
    fault: str = Field(default="", description="why no case can be cut there; empty where one can")


class CutDocument(Document):
    """The document of `foldproof sessions cut`."""

    schema_name: Literal["foldproof/cut/1"] = Field(
        default="foldproof/cut/1", validation_alias="schema", serialization_alias="schema"
    )
    session: str
    source: str = Field(description="the log or the run that the session is from")
    case: dict[str, Any] | None = Field(default=None, description="the case as the set has it; none without a turn")
    written: str = Field(default="", description="the set that it was added to")
    begun: bool = Field(default=False, description="whether that set was not there before")
    points: list[PointEntry] = Field(default=[], description="every message of the user, where no turn was named")
    notes: list[str] = Field(default=[], description="what a person should know before the case counts")
    next: list[str] = Field(default=[], description="what to do next")


def cut_document(
    cut: Cut, *, session: str, source: str, notes: Sequence[str] = (), written: str = "", begun: bool = False
) -> CutDocument:
    """The document of a case that was cut; `notes` are those of its source, `written` the set that it was added to.

    `begun` says that the set was not there before.
    """
    hint = "look at each expectation: it says what the agent did; then take the tag `draft` out"
    told = [*cut.notes, *notes]
    return CutDocument(
        session=session,
        source=source,
        case=case_value(cut.case),
        written=written,
        begun=begun,
        notes=told,
        next=[hint],
    )


def points_document(points: Sequence[Point], *, session: str, source: str, notes: Sequence[str] = ()) -> CutDocument:
    """The document of where a session can be cut; `notes` are those of its source."""
    entries = [PointEntry(turn=point.turn, text=point.text, fault=point.fault) for point in points]
    fit = [point.turn for point in points if not point.fault]
    hint = [f"foldproof sessions cut … --turn {fit[-1]}"] if fit else []
    return CutDocument(session=session, source=source, points=entries, notes=list(notes), next=hint)
