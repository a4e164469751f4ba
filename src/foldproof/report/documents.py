"""The machine-readable documents: what `--json` prints, and what every other report is rendered from.

Each has a name with a version in `schema`; its JSON Schema is shipped. A field is added freely, a changed or
removed one makes a new version.
"""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field

from foldproof.compare.diff import Change
from foldproof.report.benchmarks import KeyRow, RecallPart
from foldproof.report.cliff import CliffDocument
from foldproof.report.controls import ControlsPart
from foldproof.report.corrections import CorrectionRow
from foldproof.report.coverage import CoverageDocument
from foldproof.report.cuts import CutDocument
from foldproof.report.explained import Document, ExplainDocument, RunInfo, SetInfo, TrialRow
from foldproof.report.grades import GradeDocument
from foldproof.report.holdout import HoldoutDocument, HoldoutLogDocument
from foldproof.report.imports import ImportDocument
from foldproof.report.judges import JudgeCalibrationDocument, JudgePart, JudgePinDocument, JudgeReconciliationDocument
from foldproof.report.labels import LabelAgreementDocument, LabellingDocument
from foldproof.report.mined import MineDocument
from foldproof.report.triage import TriageDocument
from foldproof.score import Owner
from foldproof.score.cases import CaseOutcome
from foldproof.score.trials import FactOutcome, FactRole

VerdictWord = Literal["pass", "blocked", "inconclusive"]


class GateRow(Document):
    """What the gate asked of a class and what it got; `ok` is null where it could not be decided."""

    case_class: str = Field(validation_alias="class", serialization_alias="class")
    need: int
    got: int
    of: int
    ok: bool | None
    failed: list[str] = Field(default=[])
    unjudged: list[str] = Field(default=[])
    waived: list[str] = Field(default=[])


class FactRow(Document):
    """One fact: before, after, and who lost it."""

    fact: str
    kind: FactRole
    before: FactOutcome | None
    after: FactOutcome | None
    outcome: FactOutcome | None
    owner: Owner | None
    bad: int = Field(description="trials after in which the fact was not right")
    trials: int
    reason: str = ""
    why: str = Field(default="", description="how the owner lost it, or why the owner cannot be named")


class CaseRow(Document):
    """One case before and after."""

    id: str
    case_class: str = Field(validation_alias="class", serialization_alias="class")
    question: str = ""
    change: Change
    before: CaseOutcome | None
    after: CaseOutcome | None
    trials: int
    facts: list[FactRow]
    error: str = ""


class PassRateRow(Document):
    """How many of the judged cases of a run pass; informs only."""

    passed: int
    judged: int
    unjudged: int = Field(default=0, description="cases without a judged trial, which the rate leaves out")
    low: float | None = Field(description="lower bound of the Wilson interval (95 %) of the rate; null without a case")
    high: float | None = Field(description="upper bound of the same")
    pass_hat: list[float] = Field(default=[], description="pass^1 to pass^k, k trials being judged of every case")


class HistoryTestRow(Document):
    """A sign-flip test that takes the cases of one history as one; informs only."""

    p_value: float
    histories: int = Field(description="histories, and cases without one, that were compared")
    moved: int = Field(description="those of them in which losses and recoveries do not balance")
    least: float = Field(description="the smallest p-value that so many could give")


class CheckDocument(Document):
    """The document of `foldproof check`."""

    schema_name: Literal["foldproof/check/1"] = Field(
        default="foldproof/check/1", validation_alias="schema", serialization_alias="schema"
    )
    verdict: VerdictWord
    reasons: list[str]
    set: SetInfo
    before: RunInfo
    after: RunInfo
    differs: list[str]
    beside_memory: list[str] = Field(description="the part of `differs` that is not the memory")
    gate: list[GateRow]
    cases: list[CaseRow]
    noise: list[str] = Field(description="cases whose accepted trials disagree with each other")
    notes: list[str]
    p_value: float | None = Field(description="exact McNemar test of lost against recovered; informs only")
    smallest_drop: int | None = Field(description="fewest losses that this set tells from noise")
    by_history: HistoryTestRow | None = Field(
        default=None, description="null where nothing changed, all cases share one history, or no two share one"
    )
    rate_before: PassRateRow | None = None
    rate_after: PassRateRow | None = None
    corrections_before: list[CorrectionRow] = Field(default=[])
    corrections_after: list[CorrectionRow] = Field(default=[])
    owners: dict[str, int] = Field(default={}, description="how many facts each owner lost against the baseline")
    meaning: str
    controls: ControlsPart | None = Field(default=None, description="those of the candidate, where they were asked for")
    disputed: list[CaseRow] = Field(default=[], description="cases whose key is disputed; they decide nothing")
    keys: list[KeyRow] = Field(default=[], description="what the disputed keys allow, in the run after")
    recall_before: RecallPart | None = None
    recall_after: RecallPart | None = None
    judge: JudgePart | None = Field(default=None, description="who judged; null where no case asks a judge")


class ScoredCase(Document):
    """One case of a run with all its trials."""

    id: str
    case_class: str = Field(validation_alias="class", serialization_alias="class")
    question: str = ""
    outcome: CaseOutcome
    trials: list[TrialRow]


class RunDocument(Document):
    """The document of `foldproof run` and `foldproof rescore`."""

    schema_name: Literal["foldproof/run/1"] = Field(
        default="foldproof/run/1", validation_alias="schema", serialization_alias="schema"
    )
    verdict: VerdictWord
    reasons: list[str]
    set: SetInfo
    run: RunInfo
    gate: list[GateRow]
    cases: list[ScoredCase]
    notes: list[str] = Field(default=[])
    owners: dict[str, int] = Field(default={}, description="how many facts that are not right each owner lost")
    rate: PassRateRow | None = Field(default=None, description="null for a control")
    corrections: list[CorrectionRow] = Field(default=[])
    disputed: list[ScoredCase] = Field(default=[], description="cases whose key is disputed; they decide nothing")
    keys: list[KeyRow] = Field(default=[], description="what the disputed keys allow")
    recall: RecallPart | None = Field(default=None, description="null where no case shows whether its source was given")
    judge: JudgePart | None = Field(default=None, description="who judged; null where no case asks a judge")


class BaselineDocument(Document):
    """The document of `foldproof baseline accept` and `foldproof baseline show`."""

    schema_name: Literal["foldproof/baseline/1"] = Field(
        default="foldproof/baseline/1", validation_alias="schema", serialization_alias="schema"
    )
    file: str
    run: str
    config: str
    set: SetInfo
    accepted: bool = Field(description="whether the file now holds this baseline")
    replaces: str = Field(default="", description="the run whose baseline it replaces, or empty")
    changes: list[CaseRow] = Field(default=[])
    noise: list[str] = Field(default=[])
    vacuous: list[str] = Field(default=[])
    warnings: list[str] = Field(default=[])
    controls: ControlsPart | None = Field(default=None, description="those of the run, where they were asked for")


class ComparedRun(Document):
    """One run of a comparison; the numbers inform only."""

    run: RunInfo
    passed: int
    of: int
    rate_low: float | None
    rate_high: float | None
    pass_hat_k: float | None = Field(default=None, description="pass^k for the largest k, where that is above 1")
    k: int | None = None
    pass_hat: list[float] = Field(default=[], description="pass^1 to pass^k, k trials being judged of every case")
    lost: list[str]
    recovered: list[str]
    p_value: float
    smallest_drop: int | None = Field(default=None, description="fewest losses that these cases tell from noise")
    by_history: HistoryTestRow | None = None
    owners: dict[str, int] = Field(default={}, description="how many facts each owner lost against the first run")


class ComparedCase(Document):
    """One case over the runs, in their order."""

    id: str
    case_class: str = Field(validation_alias="class", serialization_alias="class")
    outcomes: list[CaseOutcome]


class CompareDocument(Document):
    """The document of `foldproof compare`."""

    schema_name: Literal["foldproof/compare/1"] = Field(
        default="foldproof/compare/1", validation_alias="schema", serialization_alias="schema"
    )
    set: SetInfo
    runs: list[ComparedRun]
    cases: list[ComparedCase]


class ProblemRow(Document):
    """One thing that is wrong with a file."""

    file: str
    line: int
    severity: Literal["error", "warning"]
    rule: str
    message: str
    hint: str


class LintDocument(Document):
    """The document of `foldproof lint`."""

    schema_name: Literal["foldproof/lint/1"] = Field(
        default="foldproof/lint/1", validation_alias="schema", serialization_alias="schema"
    )
    errors: int
    warnings: int
    problems: list[ProblemRow]
    set: SetInfo | None = None


class Finding(Document):
    """One thing that `foldproof doctor` looked at."""

    name: str
    ok: bool | None = Field(description="null where it is optional and absent")
    detail: str
    remedy: str = ""


class DoctorDocument(Document):
    """The document of `foldproof doctor`."""

    schema_name: Literal["foldproof/doctor/1"] = Field(
        default="foldproof/doctor/1", validation_alias="schema", serialization_alias="schema"
    )
    ok: bool
    findings: list[Finding]


class MatchDocument(Document):
    """The document of `foldproof match`."""

    schema_name: Literal["foldproof/match/1"] = Field(
        default="foldproof/match/1", validation_alias="schema", serialization_alias="schema"
    )
    fact: str
    text: str = ""
    outcome: Literal["held", "missed", "negated"]
    spans: list[tuple[int, int]] = Field(description="half-open offsets of the hits in `text`")
    nearest: str = ""
    reason: str = ""


class FilesDocument(Document):
    """The document of commands that write files: `init`, `import`, `export`."""

    schema_name: Literal["foldproof/files/1"] = Field(
        default="foldproof/files/1", validation_alias="schema", serialization_alias="schema"
    )
    command: str
    written: list[str]
    notes: list[str] = Field(default=[])
    next: list[str] = Field(default=[], description="the commands to type next")


class PlanDocument(Document):
    """The document of `foldproof run --dry-run`: what would be asked."""

    schema_name: Literal["foldproof/plan/1"] = Field(
        default="foldproof/plan/1", validation_alias="schema", serialization_alias="schema"
    )
    config: str
    cases: int
    trials: int = Field(description="trials that would be asked")
    stored: int = Field(default=0, description="trials that stand in the store already")


class DemoDocument(Document):
    """The document of `foldproof demo`: one check a candidate."""

    schema_name: Literal["foldproof/demo/1"] = Field(
        default="foldproof/demo/1", validation_alias="schema", serialization_alias="schema"
    )
    folder: str
    checks: list[CheckDocument]
    next: list[str]


class ErrorDocument(Document):
    """What `--json` prints where a command fails before it has a document of its own."""

    schema_name: Literal["foldproof/error/1"] = Field(
        default="foldproof/error/1", validation_alias="schema", serialization_alias="schema"
    )
    exit_code: int
    kind: str
    message: str


DOCUMENTS: dict[str, type[Document]] = {
    "baseline": BaselineDocument,
    "check": CheckDocument,
    "cliff": CliffDocument,
    "compare": CompareDocument,
    "coverage": CoverageDocument,
    "cut": CutDocument,
    "demo": DemoDocument,
    "doctor": DoctorDocument,
    "error": ErrorDocument,
    "explain": ExplainDocument,
    "files": FilesDocument,
    "grade": GradeDocument,
    "holdout": HoldoutDocument,
    "holdout-log": HoldoutLogDocument,
    "import": ImportDocument,
    "judge-calibration": JudgeCalibrationDocument,
    "judge-pin": JudgePinDocument,
    "judge-reconciliation": JudgeReconciliationDocument,
    "label-agreement": LabelAgreementDocument,
    "labelling": LabellingDocument,
    "lint": LintDocument,
    "match": MatchDocument,
    "mine": MineDocument,
    "plan": PlanDocument,
    "run": RunDocument,
    "triage": TriageDocument,
}
"""Every document by its name; the schema of each is shipped as `schemas/NAME-1.schema.json`."""


def document_schema(name: str) -> dict[str, Any]:
    """The JSON Schema (draft 2020-12) of a document, as it is shipped."""
    schema = DOCUMENTS[name].model_json_schema(by_alias=True, mode="serialization")
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **schema}
