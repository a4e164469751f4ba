"""The wire models of the replay set: what stands in the file, before it becomes records."""

from __future__ import annotations

import re
from typing import Annotated, Any

from pydantic import BeforeValidator, ConfigDict, Field, WithJsonSchema

from foldproof.cases.aged_facts import WireAgedFact, WireDay
from foldproof.cases.counterpart_wire import AnsweredWire
from foldproof.cases.expectation_wire import WireExpectation, WireTurnExpectation
from foldproof.cases.facts import WireFact
from foldproof.cases.faults import Fault, quoted
from foldproof.cases.forgetting import MEANS, Means
from foldproof.cases.frozen import WirePastTurn
from foldproof.cases.nodes import FORMAT
from foldproof.cases.wire_types import Count, Flag, FreeMapping, Text, Version, Wire, text_of
from foldproof.core import nearest_of

_ID = re.compile(r"[^\s/\x00-\x1f\x7f]{1,120}")
_CLASS = re.compile(r"[a-z][a-z0-9_-]{0,39}")
_NAME = re.compile(r"[^\s/\x00-\x1f\x7f]{1,80}")


def _case_id(value: Any) -> str:  # noqa: ANN401  # any value of a file
    text = text_of(value)
    if not _ID.fullmatch(text):
        raise Fault(f"cannot be {quoted(text)}", "allowed: 1 to 120 characters, no white space, no `/`")
    return text


def class_of(value: Any) -> str:  # noqa: ANN401  # any value of a file
    """The name of a class, in small letters so that `Safety` cannot slip past the rules of `safety`."""
    text = text_of(value)
    if not _CLASS.fullmatch(text):
        raise Fault(
            f"cannot be the class {quoted(text)}",
            "allowed: a small letter, then up to 39 small letters, digits, `-`, `_`",
        )
    return text


def _history_name(value: Any) -> str:  # noqa: ANN401  # any value of a file
    text = text_of(value)
    if not _NAME.fullmatch(text):
        raise Fault(f"cannot be {quoted(text)}", "allowed: 1 to 80 characters, no white space, no `/`")
    return text


def _meaning(value: Any) -> Means:  # noqa: ANN401  # any value of a file
    text = text_of(value)
    for known in MEANS:
        if text == known:
            return known
    allowed = ", ".join(f"`{name}`" for name in MEANS)
    raise Fault(f"cannot be {quoted(text)}", f"{nearest_of(text, MEANS)}\nallowed, the weakest first: {allowed}")


def _sha256(value: Any) -> str:  # noqa: ANN401  # any value of a file
    text = text_of(value)
    if not re.fullmatch(r"[0-9a-f]{64}", text):
        raise Fault(f"cannot be {quoted(text)}", "a SHA-256 is 64 digits of 0 to 9 and a to f; `sha256sum` prints it")
    return text


_NAME_SCHEMA = {"type": ["string", "number"], "pattern": r"^[^\s/]+$", "minLength": 1, "maxLength": 120}
CaseId = Annotated[str, BeforeValidator(_case_id), WithJsonSchema(_NAME_SCHEMA)]
ClassName = Annotated[
    str, BeforeValidator(class_of), WithJsonSchema({"type": "string", "pattern": "^[a-z][a-z0-9_-]{0,39}$"})
]
UserLabel = Annotated[str, BeforeValidator(_history_name), WithJsonSchema({**_NAME_SCHEMA, "maxLength": 80})]
HistoryName = Annotated[str, BeforeValidator(_history_name), WithJsonSchema({**_NAME_SCHEMA, "maxLength": 80})]
Meaning = Annotated[Means, BeforeValidator(_meaning), WithJsonSchema({"enum": list(MEANS)})]


Sha256 = Annotated[str, BeforeValidator(_sha256), WithJsonSchema({"type": "string", "pattern": "^[0-9a-f]{64}$"})]


class TurnWire(AnsweredWire):
    """One message of the user in a session."""

    user: Text
    expect: list[WireTurnExpectation] = Field(default_factory=list)


class SessionWire(Wire):
    """One session of a case."""

    user: UserLabel = ""
    at: Text = ""
    turns: list[TurnWire] = Field(min_length=1)
    maintain: Flag = False


class CutFromWire(Wire):
    """The message of a recorded session that a frozen prefix was cut before."""

    session: Text
    turn: Count


class LoggedWire(Wire):
    """Where the question was really asked, and how often."""

    user: Text = ""
    session: Text = ""
    day: WireDay | None = None
    asked: Count = 1


class BystanderWire(Wire):
    """Another user whose facts must survive; the user without a label where none is named."""

    user: UserLabel = ""
    facts: list[WireFact] = Field(min_length=1)


class ForgetWire(Wire):
    """What must be forgotten in a case with sessions."""

    after: Count | None = None
    means: Meaning
    facts: list[WireFact] = Field(min_length=1)
    derived: list[WireFact] = Field(default_factory=list)
    retain: list[WireFact] = Field(default_factory=list)
    bystander: BystanderWire | None = None


class CaseWire(AnsweredWire):
    """One case: a question, or sessions. That it is one of the two the loader checks, whose message tells more."""

    model_config = ConfigDict(
        json_schema_extra={
            "oneOf": [{"required": ["question"]}, {"required": ["user"]}, {"required": ["sessions"]}],
            "not": {"required": ["sessions", "frozen"]},
            "dependentRequired": {"cut_from": ["frozen"]},
        }
    )

    id: CaseId
    case_class: ClassName = Field("semantic", alias="class")
    history: Text = ""
    frozen: Annotated[list[WirePastTurn], Field(min_length=1)] = Field(default_factory=list)
    question: Text = ""
    user: Text = ""
    sessions: Annotated[list[SessionWire], Field(min_length=1)] = Field(default_factory=list)
    at: Text = ""
    expected_facts: list[WireAgedFact] = Field(default_factory=list)
    forbidden_facts: list[WireFact] = Field(default_factory=list)
    expect: list[WireExpectation] = Field(default_factory=list)
    cut_from: CutFromWire | None = None
    source: list[Text] = Field(default_factory=list)
    valid_from: WireDay | None = None
    reviewed: WireDay | None = None
    memory_config: FreeMapping = Field(default_factory=dict)
    forget: ForgetWire | None = None
    abstain: Flag = False
    logged: LoggedWire | None = None
    tags: list[Text] = Field(default_factory=list)


class JudgeWire(Wire):
    """The judge that judged facts name."""

    model: Text
    prompt: Text
    sha256: Text = ""


class WaiverWire(Wire):
    """One written exception from the gate."""

    case: Text
    reason: Text
    until: Text


class DataWire(Wire):
    """The published data that a set was made of."""

    name: Text
    sha256: Sha256
    quarantine: Sha256 = ""


class HeadWire(Wire):
    """The replay set without its cases."""

    foldproof: Version = FORMAT
    name: Text = ""
    judge: JudgeWire | None = None
    gate: dict[ClassName, Text] | None = None
    histories: dict[HistoryName, Text] = Field(default_factory=dict)
    waivers: list[WaiverWire] = Field(default_factory=list)
    review_after_days: Count | None = None
    data: DataWire | None = None


class SetWire(HeadWire):
    """The replay set as the JSON Schema describes it."""

    cases: list[CaseWire] = Field(min_length=1)
