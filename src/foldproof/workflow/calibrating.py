"""Calibrating the set's judge: against labelled answers, and against wrong answers made from the set's own facts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from foldproof.cases.labels import Labelled, read_labels
from foldproof.compare import load_baseline
from foldproof.compare.calibration import Heard, Measured, measure_judge
from foldproof.core import UsageError
from foldproof.record import Calibration, Claim, JudgeIdentity
from foldproof.score import Verdicts
from foldproof.workflow.running import Options
from foldproof.workflow.verdicts import Judging, Standing, ask_judge, judge_of, standing, unmeasured, verdicts_of
from foldproof.workflow.workspace import Workspace


@dataclass(frozen=True, slots=True)
class CalibrationReport:
    """A judge measured. `standing` is None where the set has no judged fact, so that no control could be made."""

    identity: JudgeIdentity
    measured: Measured
    standing: Standing | None
    judging: Judging
    first_error: str = ""


async def calibrate_judge(workspace: Workspace, labels: Path, *, options: Options) -> CalibrationReport:
    """Ask the set's judge about every labelled answer and every control; what it has said before is not asked again.

    Raises:
        FileError: with everything that is wrong with the labels.
        UsageError: where the set names no judge, or it cannot be opened.
    """
    identity = judge_of(workspace)
    if identity is None:
        path = workspace.replay_set.path
        raise UsageError(f"{path}: the set names no judge to be measured\n  run: foldproof judge pin --model NAME")
    known = read_labels(labels)
    before = _unsettled(verdicts_of(workspace))
    claims = [(_claim(one), slot) for one in known for slot in before.missing(_claim(one))]
    asked = tuple(dict.fromkeys((*claims, *unmeasured(workspace.replay_set.cases, before))))
    limits = options.limits(workspace.project.limits)
    judging = await ask_judge(workspace, asked, limits=limits, listener=options.listener)
    after = _unsettled(verdicts_of(workspace))
    measured = measure_judge(
        ((one.label, _heard(after, _claim(one))) for one in known),
        list(_own_verdicts(workspace, after)),
        stopped=judging.stopped,
    )
    errors = (said.error for one in known for said in after.said.get(_claim(one).sha256, ()) if said.error)
    return CalibrationReport(
        identity, measured, standing(workspace, workspace.replay_set.cases), judging, next(errors, "")
    )


def keep_calibration(workspace: Workspace, report: CalibrationReport, *, document: Mapping[str, Any]) -> None:
    """Keep the result under the judge that it is of, so that runs can tell of it.

    A result that says nothing takes the place of none that does: else a few labels, or a judge that does not reply,
    would let a judge gate again that was found worthless.
    """
    now = datetime.now(UTC).isoformat(timespec="seconds")
    reasons, worthless = report.measured.reasons, report.measured.worthless
    known = workspace.store.calibration(report.identity.sha256)
    if reasons and not worthless and known is not None and (known.conclusive or known.worthless):
        return
    workspace.store.set_calibration(Calibration(report.identity.sha256, document, reasons, worthless, now))


def _claim(labelled: Labelled) -> Claim:
    return Claim(labelled.question, labelled.fact, labelled.answer)


def _unsettled(verdicts: Verdicts) -> Verdicts:
    """The judge's own verdicts: what a person settled says nothing of the judge."""
    return Verdicts(verdicts.judge, verdicts.said, verdicts.repeats)


def _heard(verdicts: Verdicts, claim: Claim) -> Heard:
    if word := verdicts.word(claim):
        return word
    words = {said.verdict for said in verdicts.said.get(claim.sha256, ()) if said.verdict is not None}
    return "disagrees" if len(words) > 1 else "failed"


def _own_verdicts(workspace: Workspace, verdicts: Verdicts) -> Iterator[bool]:
    """The judge's verdicts on the accepted answers, each expected fact of each trial; none without a baseline."""
    path = workspace.project.baseline_file
    if not path.exists():
        return
    baseline = load_baseline(path)
    known = baseline.verdicts(workspace.replay_set, verdicts)
    if known.judge != verdicts.judge:
        return
    expected = {
        case.id: [Claim(case.question, fact.text, "") for fact in case.expected if fact.kind == "judged"]
        for case in workspace.replay_set.cases
    }
    for trial in baseline.answers:
        for claim in expected.get(trial.case, ()):
            word = known.word(Claim(claim.question, claim.fact, trial.answer))
            if word in {"met", "not met"}:
                yield word == "met"
