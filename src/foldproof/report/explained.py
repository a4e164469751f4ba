"""The document of `explain` with its rows, and what it shares with the others."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from foldproof.cases import BenchmarkData, ReplaySet
from foldproof.logs import Source
from foldproof.record.records import Close, Speaker
from foldproof.score import Owner, Presence, Stage
from foldproof.score.trials import FactOutcome, FactRole, TrialOutcome


class Document(BaseModel):
    """What every machine-readable document has in common: no unknown fields, names as in the file."""

    model_config = ConfigDict(extra="forbid", populate_by_name=True, serialize_by_alias=True, defer_build=True)


class DataInfo(Document):
    """The published data that a set was made of."""

    name: str
    sha256: str
    quarantine: str = Field(default="", description="sha256 of the list of wrong keys; empty where none was given")


class SetInfo(Document):
    """The replay set: its name, content hash and number of cases."""

    name: str
    sha256: str
    cases: int
    flag: str = Field(default="", description="the option that names the set, where no project file does")
    data: DataInfo | None = Field(default=None, description="the benchmark's data, where the set was made of one")


def data_info(data: BenchmarkData | None) -> DataInfo | None:
    """What a set was imported from; None where it was not."""
    return None if data is None else DataInfo(name=data.name, sha256=data.sha256, quarantine=data.quarantine)


def set_info(replay_set: ReplaySet) -> SetInfo:
    """Which set was asked."""
    return SetInfo(
        name=replay_set.name,
        sha256=replay_set.sha256,
        cases=len(replay_set.cases),
        data=data_info(replay_set.data),
    )


class RunInfo(Document):
    """A run: its number, configuration, control, state, and how many trials were asked now or stood in the store."""

    config: str
    run: str
    control: str = ""
    state: str = ""
    started_at: str = ""
    asked: int = 0
    reused: int = 0
    cost_usd: float | None = None


class TrialFactRow(Document):
    """One fact in one answer; `spans` are half-open offsets into the answer."""

    fact: str
    kind: FactRole
    outcome: FactOutcome
    ok: bool
    spans: list[tuple[int, int]] = []
    reason: str = ""
    owner: Owner | None = Field(default=None, description="who lost it; null where it is right or was not judged")
    why: str = Field(default="", description="how the owner lost it, or why the owner cannot be named")


class TrialRow(Document):
    """One trial and its score."""

    repeat: int
    outcome: TrialOutcome
    error: str = ""
    facts: list[TrialFactRow]
    answer: str = ""
    corrected: bool | None = Field(
        default=None,
        description="whether a live counterpart corrected the agent; null where the case has no correction",
    )
    faults: list[str] = Field(default=[], description="what a simulated user did wrong, whether it decided anything")


class ItemRow(Document):
    """One memory item; rank from 1 where it was retrieved."""

    text: str
    id: str = ""
    kind: str = ""
    rank: int = 0
    score: float | None = None
    facts: list[str] = Field(default=[], description="labels of the case's facts that stand in this item")
    user: str = ""
    dropped: str = Field(default="", description="why this candidate was not given, empty where it was")


class SightingRow(Document):
    """A fact at one stage: whether it stands there, who showed the stage, where and in which words."""

    stage: Stage
    presence: Presence
    source: str = ""
    place: str = ""
    text: str = ""
    gone: str = Field(default="", description="what a degraded fact has lost: negation, number, binding")


class TraceRow(Document):
    """The way of one fact through the stages, and who lost it."""

    fact: str
    kind: FactRole
    owner: Owner | None = Field(description="null where nothing is wrong")
    why: str = ""
    degraded: bool = False
    stages: list[SightingRow]


class CallRow(Document):
    """One call of a model that was seen beside the adapter."""

    source: Source
    during: Literal["building", "answering"]
    api: str = ""
    model_name: str = ""
    prompt: str
    answer: str = ""
    tool_calls: list[dict[str, Any]] = []
    status: int = 200
    error: str = ""
    input_tokens: int | None = None
    output_tokens: int | None = None
    duration_s: float = 0.0


class ListingRow(Document):
    """What the memory listed of one user after a session, and after its maintenance; null where that was not seen."""

    user: str = Field(default="", description="the label of the user, empty for the one without")
    ended: list[ItemRow] | None = None
    after: list[ItemRow] | None = None


class TurnRow(Document):
    """One turn of a session; null where it could not be seen, `fresh` also where there was nothing to see."""

    name: str
    whose: str = Field(default="", description="the label of the user whose session it is, empty for the one without")
    at: str = ""
    user: str
    answer: str = ""
    fresh: bool | None = Field(default=None, description="whether no earlier conversation stood in its prompt")
    speaker: Speaker = Field(default="case", description="who chose what the user says")
    close: Close = Field(default="", description="why a live counterpart said nothing more")
    goal_met: bool | None = Field(default=None, description="what a simulated user thinks of its goal in the end")
    facts: list[TrialFactRow] = Field(default=[], description="what is expected in this turn")
    tool_calls: list[dict[str, Any]] | None = None
    memory_reads: list[ItemRow] | None = None
    memory_writes: list[ItemRow] | None = None
    prompt: str | None = None
    state: dict[str, Any] | None = Field(default=None, description="the state of the agent's world after this turn")
    listings: list[ListingRow] = Field(
        default=[], description="what the memory held of each user after the session, where that is judged"
    )


class ExplainedTrialRow(Document):
    """Everything recorded of one trial; null where it could not be seen."""

    score: TrialRow
    error_type: str = ""
    traceback: str = ""
    prompt: str | None = None
    prompt_facts: list[str] = []
    memory_reads: list[ItemRow] | None = None
    reads_source: str = Field(default="", description="who showed `memory_reads`: adapter, otel, wire, or empty")
    memory_writes: list[ItemRow] | None = None
    store_written: list[ItemRow] | None = None
    store_kept: list[ItemRow] | None = None
    tool_calls: list[dict[str, Any]] | None = None
    traces: list[TraceRow] = []
    calls: list[CallRow] = []
    turns: list[TurnRow] = Field(default=[], description="the turns of a case with sessions, in order")
    state: dict[str, Any] | None = Field(default=None, description="the state of the agent's world after the answer")
    disagreements: list[str] = Field(default=[], description="where two sources show different things")
    nearest: dict[str, str] = Field(default={}, description="for each missed fact the nearest words of the answer")
    input_tokens: int | None = None
    output_tokens: int | None = None
    notes: list[str] = []
    log: str = ""
    attempts: int = 1
    duration_s: float = 0.0


class FrozenRow(Document):
    """One turn of a frozen prefix, as it was handed to the agent."""

    speaker: Literal["user", "agent"]
    text: str = ""
    calls: list[dict[str, Any]] = Field(default=[], description="name, args and result of each call")


class ExplainDocument(Document):
    """The document of `foldproof explain`."""

    schema_name: Literal["foldproof/explain/1"] = Field(
        default="foldproof/explain/1", validation_alias="schema", serialization_alias="schema"
    )
    run: RunInfo
    id: str
    case_class: str = Field(validation_alias="class", serialization_alias="class")
    question: str
    frozen: list[FrozenRow] = Field(default=[], description="what stood before the question, word for word")
    source: list[str] = []
    forget: dict[str, Any] | None = Field(default=None, description="what must be forgotten, as the file writes it")
    trials: list[ExplainedTrialRow]
    note: str = ""
