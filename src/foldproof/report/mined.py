"""The document of `mine`: what was read, what each step left, and the questions that were chosen."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from pydantic import Field

from foldproof.logs.mining import Mined
from foldproof.report.explained import Document
from foldproof.report.imports import BrokenLine


class MinedQuestion(Document):
    """One question that a user asked."""

    question: str
    user: str = Field(description="empty where the log tells none")
    session: str
    day: str = Field(description="the day on which it was asked last; empty where the log tells no time")
    topic: str = Field(description="the word of it that most of the questions share")
    asked: int = Field(description="how often it stands in the log in these words")
    alike: int = Field(description="how often it stands there in nearly these words")


class DrafterPart(Document):
    """What a model proposed as facts of the drafts, and what of it held."""

    config: str = Field(description="the configuration whose model was asked")
    model_name: str
    host: str = Field(description="where questions, answers and the talk before them were sent")
    prompt: str = Field(description="the version of the prompt")
    asked: int = Field(description="answers of the log that it was asked about")
    proposed: int
    held: int = Field(description="proposals that stand word for word in the answer and in what was known before")
    shortened: int = Field(description="of them, those of which only some words in a row do: these were taken")
    refused: dict[str, int] = Field(description="the others, which were dropped, by why")
    failed: int = Field(description="times that it gave no answer that can be read")
    first_error: str
    stopped: str = Field(description="why it was not asked about every answer; empty where it was")


class MineDocument(Document):
    """The document of `foldproof mine`."""

    schema_name: Literal["foldproof/mine/1"] = Field(
        default="foldproof/mine/1", validation_alias="schema", serialization_alias="schema"
    )
    format: str
    title: str
    told_by: str = Field(description="what the format was known by")
    read: int = Field(description="lines, or records of a log whose lines are no exchanges")
    said: int = Field(description="messages of users in them")
    dropped: dict[str, int] = Field(description="messages that are no candidates, by why")
    questions: int = Field(description="messages that ask something, within the time that counts")
    exact: int = Field(description="of them, those in the same words as another")
    distinct: int
    compared: int = Field(description="distinct questions that were compared with each other: all, or a fair draw")
    near: int = Field(description="of them, those that nearly say what another says")
    chosen: list[MinedQuestion]
    users: int = Field(description="users among the chosen")
    topics: dict[str, int] = Field(description="topics of the chosen")
    since: str = Field(default="", description="the first day that counts; empty where every day does")
    seed: int
    broken: int = Field(description="lines that cannot be read")
    broken_lines: list[BrokenLine] = Field(description="the first of them")
    drafted: int | None = Field(
        default=None, description="cases that expect something of the past; null where no drafts were asked for"
    )
    from_answer: list[str] = Field(default=[], description="questions whose case expects words of the answer alone")
    without: list[str] = Field(default=[], description="questions whose case expects nothing yet")
    written: list[str] = Field(default=[], description="the set and its histories")
    drafter: DrafterPart | None = Field(default=None, description="null where no model was asked")
    notes: list[str] = Field(default=[], description="what the log cannot show, and what was done to it")
    next: list[str] = Field(default=[], description="what to do next")


def mine_document(mined: Mined, *, notes: Sequence[str] = (), following: Sequence[str] = ()) -> MineDocument:
    """The document of what was mined. `notes` are those of the command, `following` what to do next."""
    return MineDocument(
        format=mined.format.name,
        title=mined.format.title,
        told_by=mined.why,
        read=mined.lines,
        said=mined.said,
        dropped=mined.dropped,
        questions=mined.found,
        exact=mined.exact,
        distinct=mined.distinct,
        compared=mined.compared,
        near=mined.near,
        chosen=[
            MinedQuestion(
                question=one.text,
                user=one.user,
                session=one.session,
                day=one.day,
                topic=one.topic,
                asked=one.asked,
                alike=one.alike,
            )
            for one in mined.questions
        ],
        users=mined.users,
        topics=mined.topics,
        since=mined.since,
        seed=mined.seed,
        broken=mined.broken,
        broken_lines=[BrokenLine(file=file, line=line, message=told) for file, line, told in mined.problems],
        notes=[*mined.notes, *notes],
        next=list(following),
    )
