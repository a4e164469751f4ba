"""The documents of `foldproof judge`: what is pinned, how the judge was measured, where two judges differ."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Literal

from pydantic import Field

from foldproof.cases import JudgePin
from foldproof.compare.calibration import Heard, Measured
from foldproof.compare.judge_controls import STATED, ControlRates
from foldproof.compare.settled import Said
from foldproof.compare.statistics import Agreement, Corrected, Interval
from foldproof.record import Claim, JudgeIdentity, VerdictWord
from foldproof.report.explained import Document


class JudgeInfo(Document):
    """Who a judge is: everything that makes its verdicts beside what is judged."""

    name: str
    title: str = Field(description="how reports tell judges apart")
    sha256: str = Field(description="hash of it all")
    prompt_sha256: str
    protocol: str
    parameters: dict[str, Any] = Field(description="what goes with every question")


class ControlsOfJudge(Document):
    """A judge against answers made from the facts by rule; of these only the stated ones say the fact."""

    wrong_passed: int = Field(description="wrong answers that the judge let pass")
    wrong: int
    stated_passed: int
    stated: int
    kinds: dict[str, tuple[int, int]] = Field(description="passed and asked, by the kind of answer")
    unjudged: int = Field(description="controls without a verdict")
    fooled: list[str] = Field(description="the facts of which a wrong answer passed, as `case: fact`")
    may_gate: bool
    why_not: str = ""


class JudgePart(Document):
    """The judge that a run or a check rests on."""

    judge: JudgeInfo
    controls: ControlsOfJudge
    calibrated: bool = Field(description="whether labelled answers measured it, and enough of them")


class JudgePinDocument(Document):
    """The document of `foldproof judge pin`."""

    schema_name: Literal["foldproof/judge-pin/1"] = Field(
        default="foldproof/judge-pin/1", validation_alias="schema", serialization_alias="schema"
    )
    set_file: str
    prompt: str = Field(description="the file of the prompt, as the set names it")
    judge: JudgeInfo
    written: list[str] = Field(description="the files that were changed; none where the judge was pinned already")


class RateRow(Document):
    """A rate with its exact interval (Clopper-Pearson, 95 %)."""

    hits: int
    of: int
    share: float | None
    low: float | None
    high: float | None


class AgreementRow(Document):
    """A coefficient of agreement with its interval (95 %)."""

    value: float
    low: float
    high: float


class PrevalenceRow(Document):
    """The share of the set's own answers that the judge says met, corrected for its errors (Rogan and Gladen).

    The interval has the doubt of both samples in it: of these answers, and of the labelled ones.
    """

    passed: int
    of: int
    share: float | None
    error: float | None = Field(description="standard error, with the variance of both samples")
    low: float
    high: float
    clamped: bool = Field(default=False, description="the formula fell outside of 0 and 1")
    reason: str = ""


class JudgeCalibrationDocument(Document):
    """The document of `foldproof judge calibrate`."""

    schema_name: Literal["foldproof/judge-calibration/1"] = Field(
        default="foldproof/judge-calibration/1", validation_alias="schema", serialization_alias="schema"
    )
    judge: JudgeInfo
    conclusive: bool
    reasons: list[str] = Field(description="why it is inconclusive")
    labels: int
    counts: dict[str, dict[str, int]] = Field(description="by label, then by what the judge said")
    true_positives: RateRow
    true_negatives: RateRow
    youden: float | None
    kappa: AgreementRow | None
    ac1: AgreementRow | None
    prevalence: PrevalenceRow
    controls: ControlsOfJudge | None = Field(description="null where the set has no judged fact to make controls of")
    asked: int = Field(description="questions that were asked now; the others stood in the store")
    first_error: str = ""


class SideRow(Document):
    """One judge's side of a disagreement."""

    judge: str
    verdict: VerdictWord
    quotation: str = ""
    reason: str = ""


class DisagreementRow(Document):
    """A claim on which two judges differ, and what a person decided; null where nobody has."""

    id: str
    case: str
    question: str
    fact: str
    answer: str
    old: SideRow
    new: SideRow
    settled: Literal["met", "not met"] | None


class JudgeReconciliationDocument(Document):
    """The document of `foldproof judge reconcile`."""

    schema_name: Literal["foldproof/judge-reconciliation/1"] = Field(
        default="foldproof/judge-reconciliation/1", validation_alias="schema", serialization_alias="schema"
    )
    verdict: Literal["accepted", "blocked", "inconclusive"]
    reasons: list[str]
    old: str
    new: JudgeInfo
    agreed: int
    disagreements: list[DisagreementRow]
    controls: ControlsOfJudge | None
    written: list[str] = Field(default=[])
    asked: int = Field(default=0, description="questions that were asked now; the others stood in the store")
    next: list[str] = Field(default=[], description="what to do next")


def judge_info(identity: JudgeIdentity) -> JudgeInfo:
    """Who a judge is."""
    return JudgeInfo(
        name=identity.name,
        title=identity.title,
        sha256=identity.sha256,
        prompt_sha256=identity.prompt_sha256,
        protocol=identity.protocol,
        parameters=dict(identity.parameters),
    )


def controls_of_judge(controls: ControlRates) -> ControlsOfJudge:
    """How a judge did on its controls."""
    rates = controls.rates
    return ControlsOfJudge(
        wrong_passed=rates.negatives - rates.refusals,
        wrong=rates.negatives,
        stated_passed=rates.hits,
        stated=rates.positives,
        kinds={kind: (controls.passed[kind], controls.of[kind]) for kind in sorted(controls.of) if kind != STATED},
        unjudged=controls.unjudged,
        fooled=list(controls.fooled),
        may_gate=not controls.may_not_gate,
        why_not=controls.may_not_gate,
    )


def judge_part(identity: JudgeIdentity, controls: ControlRates, *, calibrated: bool) -> JudgePart:
    """The judge as the document of a run or a check holds it."""
    return JudgePart(judge=judge_info(identity), controls=controls_of_judge(controls), calibrated=calibrated)


def pin_document(pin: JudgePin, identity: JudgeIdentity, *, set_file: str, written: Iterable[str]) -> JudgePinDocument:
    """The document of a pinned judge."""
    return JudgePinDocument(set_file=set_file, prompt=pin.prompt, judge=judge_info(identity), written=list(written))


def calibration_document(
    identity: JudgeIdentity,
    measured: Measured,
    *,
    controls: ControlRates | None,
    asked: int = 0,
    first_error: str = "",
) -> JudgeCalibrationDocument:
    """The document of a calibration."""
    rates = measured.rates
    return JudgeCalibrationDocument(
        judge=judge_info(identity),
        conclusive=not measured.reasons,
        reasons=list(measured.reasons),
        labels=measured.counts.total(),
        counts=_counts(measured.counts),
        true_positives=_rate(rates.hits, rates.positives, rates.sensitivity),
        true_negatives=_rate(rates.refusals, rates.negatives, rates.specificity),
        youden=rates.youden,
        kappa=_agreement(measured.kappa),
        ac1=_agreement(measured.ac1),
        prevalence=_prevalence(measured.passed, measured.of, measured.prevalence),
        controls=controls_of_judge(controls) if controls else None,
        asked=asked,
        first_error=first_error,
    )


def reconciliation_document(
    old: str,
    new: JudgeIdentity,
    *,
    rows: Iterable[DisagreementRow],
    agreed: int,
    undecided: Iterable[str],
    accepted: bool,
    controls: ControlRates | None,
) -> JudgeReconciliationDocument:
    """The document of two judges on the accepted answers."""
    disagreements = list(rows)
    left = [row for row in disagreements if row.settled is None]
    reasons = [f"{len(left)} of {len(disagreements)} disagreements are not settled"] if left else []
    return JudgeReconciliationDocument(
        verdict="accepted" if accepted else "blocked" if left else "inconclusive",
        reasons=[*reasons, *undecided],
        old=old,
        new=judge_info(new),
        agreed=agreed,
        disagreements=disagreements,
        controls=controls_of_judge(controls) if controls else None,
    )


def disagreement_row(
    case: str, claim: Claim, *, old: Said, new: Said, settled: Literal["met", "not met"] | None
) -> DisagreementRow:
    """One claim on which two judges differ."""
    return DisagreementRow(
        id=claim.id,
        case=case,
        question=claim.question,
        fact=claim.fact,
        answer=claim.answer,
        old=_side(old),
        new=_side(new),
        settled=settled,
    )


def _side(said: Said) -> SideRow:
    return SideRow(judge=said.judge, verdict=said.verdict, quotation=said.quotation, reason=said.reason)


def _counts(counts: Mapping[tuple[str, Heard], int]) -> dict[str, dict[str, int]]:
    found: dict[str, dict[str, int]] = {"met": {}, "not met": {}}
    for (label, heard), count in sorted(counts.items()):
        found[label][heard] = count
    return found


def _rate(hits: int, of: int, interval: Interval | None) -> RateRow:
    share, low, high = (interval.share, interval.low, interval.high) if interval else (None, None, None)
    return RateRow(hits=hits, of=of, share=share, low=low, high=high)


def _agreement(found: Agreement | None) -> AgreementRow | None:
    return None if found is None else AgreementRow(value=found.value, low=found.interval.low, high=found.interval.high)


def _prevalence(passed: int, of: int, found: Corrected) -> PrevalenceRow:
    return PrevalenceRow(
        passed=passed,
        of=of,
        share=found.share,
        error=found.error,
        low=found.low,
        high=found.high,
        clamped=found.clamped,
        reason=found.reason,
    )
