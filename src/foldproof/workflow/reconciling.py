"""Reconciling a change of judge, which is a fold too: old and new on the accepted answers, a person between them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from foldproof.cases import JudgePin, load_set, shown
from foldproof.cases.judges import judge_problems, prompt_hash
from foldproof.cases.save import set_judge
from foldproof.compare import Baseline, load_baseline, save_baseline
from foldproof.compare.judged import judged_of
from foldproof.compare.settled import Said, SettledClaim, load_settled, save_settled
from foldproof.core import FileError, UsageError, nearest_of
from foldproof.record import Claim, JudgeIdentity, VerdictWord
from foldproof.score import Verdicts, claims_of
from foldproof.workflow.running import Options
from foldproof.workflow.verdicts import (
    Judging,
    Standing,
    ask_judge,
    judge_of,
    settled_file,
    standing,
    unmeasured,
    verdicts_of,
)
from foldproof.workflow.workspace import Workspace, need_project

SIDES = ("old", "new", "met", "not-met")


@dataclass(frozen=True, slots=True)
class Disagreement:
    """A claim on which the two judges differ. `settled` is what a person decided, None where nobody has."""

    case: str
    claim: Claim
    old: Said
    new: Said
    settled: SettledClaim | None = None


@dataclass(frozen=True, slots=True)
class Reconciliation:
    """Two judges on the accepted answers.

    `agreed` counts the claims on which both say the same; `failed` are those of which the new one has no verdict, with
    the reason. `accepted` says that the new judge is pinned now, and its verdicts stand in the baseline.
    """

    old: str
    new: JudgeIdentity
    disagreements: tuple[Disagreement, ...]
    agreed: int
    failed: tuple[tuple[str, Claim, str], ...]
    standing: Standing | None
    judging: Judging
    accepted: bool = False
    written: tuple[Path, ...] = ()

    @property
    def open(self) -> tuple[Disagreement, ...]:
        """The disagreements that nobody has settled yet."""
        return tuple(item for item in self.disagreements if item.settled is None)

    @property
    def undecided(self) -> tuple[str, ...]:
        """Why nothing can be said of the new judge."""
        reasons = [self.judging.stopped] if self.judging.stopped else []
        if self.failed:
            case, claim, why = self.failed[0]
            told = f"{case}, '{claim.fact}': {why}"
            reasons.append(f"the new judge has no verdict on {len(self.failed)} accepted answers; the first: {told}")
        return (*reasons, *(self.standing.doubts if self.standing else ()))


@dataclass(frozen=True, slots=True)
class Proposed:
    """The judge that is to be: its name, the file of its prompt, and what a person settles, by the id of the claim."""

    name: str
    prompt: str = ""
    settle: Mapping[str, str] = field(default_factory=dict)


async def reconcile_judge(
    workspace: Workspace, proposed: Proposed, *, options: Options, environ: Mapping[str, str]
) -> Reconciliation:
    """Hold a new judge against the verdicts that were accepted, and pin it once every disagreement is settled.

    Raises:
        FileError: for a name that may mean another model tomorrow, and a prompt that cannot be read.
        UsageError: where there is nothing to reconcile, and where something would be written in CI.
    """
    need_project(workspace)
    baseline = _baseline(workspace)
    pin = _pin(workspace, proposed)
    new = judge_of(workspace, pin)
    assert new is not None  # noqa: S101  # a pin was given
    if new.title == baseline.judge:
        raise UsageError(f"the baseline holds the verdicts of this very judge: {new.title}\n  there is nothing to do")
    claims = _claims(workspace, baseline)
    before = _own(verdicts_of(workspace, new))
    wanted = [(claim, slot) for _, claim in claims for slot in before.missing(claim)]
    asked = tuple(dict.fromkeys((*unmeasured(workspace.replay_set.cases, before), *wanted)))
    limits = options.limits(workspace.project.limits)
    judging = await ask_judge(workspace, asked, limits=limits, listener=options.listener, pin=pin)
    report = replace(_compared(workspace, baseline, claims, new), judging=judging)
    if proposed.settle:
        _refuse_in_ci(environ)
        report = _settle(workspace, report, proposed.settle)
    if report.open or report.undecided:
        return report
    _refuse_in_ci(environ)
    return _accepted(workspace, report, baseline, pin)


def _own(verdicts: Verdicts) -> Verdicts:
    """What the judge itself says, whatever a person settled, and whatever it is worth."""
    return replace(verdicts, settled={}, barred="")


def _baseline(workspace: Workspace) -> Baseline:
    path = workspace.project.baseline_file
    if not path.exists():
        raise UsageError(
            "no baseline was accepted yet, so there are no verdicts that a new judge could be held against\n"
            "  pin it: foldproof judge pin --model NAME"
        )
    baseline = load_baseline(path)
    if not baseline.judge:
        raise UsageError(
            f"{shown(path)} holds no verdict of a judge, so there is nothing to reconcile\n"
            "  pin it: foldproof judge pin --model NAME"
        )
    gone = sorted(baseline.cases - baseline.scores(workspace.replay_set).keys())
    if gone:
        raise UsageError(
            f"{len(gone)} accepted cases have changed or are gone since: {', '.join(gone)}\n"
            "  accept a new baseline under the old judge first: one change at a time"
        )
    return baseline


def _pin(workspace: Workspace, proposed: Proposed) -> JudgePin:
    """The new judge, pinned by the prompt as it stands now."""
    there = workspace.replay_set.judge
    prompt = proposed.prompt or (there.prompt if there else "")
    folder = Path(workspace.replay_set.path).parent
    pin = JudgePin(proposed.name, prompt)
    if wrong := judge_problems(pin, folder, file=shown(workspace.replay_set.path), line=0):
        raise FileError(wrong)
    return replace(pin, sha256=prompt_hash(folder / prompt))


def _claims(workspace: Workspace, baseline: Baseline) -> tuple[tuple[str, Claim], ...]:
    """Every claim of the accepted answers with its case, each once."""
    found: dict[Claim, str] = {}
    for case in workspace.replay_set.cases:
        for claim in claims_of(case, (trial for trial in baseline.answers if trial.case == case.id)):
            found.setdefault(claim, case.id)
    return tuple((case, claim) for claim, case in found.items())


def _compared(
    workspace: Workspace, baseline: Baseline, claims: tuple[tuple[str, Claim], ...], new: JudgeIdentity
) -> Reconciliation:
    old = baseline.verdicts(workspace.replay_set)
    fresh = _own(verdicts_of(workspace, new))
    settled = {item.claim.sha256: item for item in load_settled(settled_file(workspace))}
    disagreements: list[Disagreement] = []
    failed: list[tuple[str, Claim, str]] = []
    agreed = 0
    for case, claim in claims:
        before, after = old.word(claim), fresh.word(claim)
        if after is None:
            if claim.sha256 not in settled:
                failed.append((case, claim, fresh.ruling(claim).reason))
        elif before is None or before == after:
            agreed += before is not None
        else:
            sides = (Said(old.judge, before, old.quotation(claim)), _said(fresh, claim, after))
            disagreements.append(Disagreement(case, claim, *sides, settled.get(claim.sha256)))
    return Reconciliation(
        old.judge,
        new,
        tuple(disagreements),
        agreed,
        tuple(failed),
        standing(workspace, workspace.replay_set.cases, new),
        Judging(),
    )


def _said(verdicts: Verdicts, claim: Claim, word: VerdictWord) -> Said:
    return Said(verdicts.judge, word, verdicts.quotation(claim), verdicts.reason(claim))


def _settle(workspace: Workspace, report: Reconciliation, settle: Mapping[str, str]) -> Reconciliation:
    """Keep what a person decided, all of it or nothing.

    Raises:
        UsageError: for a claim on which the judges do not differ, and for what is no decision.
    """
    by_id = {item.claim.id: item for item in report.disagreements}
    for name in settle:
        if name not in by_id:
            raise UsageError(f"no disagreement '{name}' between the two judges\n  {nearest_of(name, by_id)}")
    decided = {name: _decided(by_id[name], side) for name, side in settle.items()}
    path = settled_file(workspace)
    kept = {item.claim.id: item for item in load_settled(path)}
    save_settled(path, {**kept, **decided}.values())
    disagreements = tuple(
        replace(item, settled=decided.get(item.claim.id, item.settled)) for item in report.disagreements
    )
    return replace(report, disagreements=disagreements, written=(path,))


def _decided(item: Disagreement, side: str) -> SettledClaim:
    said = {"old": item.old.verdict, "new": item.new.verdict}.get(side, side.replace("-", " "))
    if said in {"met", "not met"}:
        return SettledClaim(item.case, item.claim, "met" if said == "met" else "not met", item.old, item.new)
    if side == "new":
        raise UsageError(
            f"'{item.claim.id}={side}': the new judge cannot tell, which decides nothing\n"
            "  settle it as `old`, `met` or `not-met`"
        )
    raise UsageError(f"'{item.claim.id}={side}' is no decision\n  {nearest_of(side, SIDES)}")


def _accepted(workspace: Workspace, report: Reconciliation, baseline: Baseline, pin: JudgePin) -> Reconciliation:
    """Pin the new judge, and put its verdicts and those of a person in the place of the old ones."""
    path = Path(workspace.replay_set.path)
    set_judge(path, pin)
    pinned = replace(workspace, replay_set=load_set(path))
    verdicts = verdicts_of(pinned)
    same = baseline.set_sha256 == workspace.replay_set.sha256
    fresh = replace(
        baseline,
        judge=report.new.title,
        judged=judged_of(pinned.replay_set.cases, baseline.answers, verdicts),
        set_sha256=pinned.replay_set.sha256 if same else baseline.set_sha256,
    )
    save_baseline(fresh, workspace.project.baseline_file, pinned.replay_set)
    written = (*report.written, path, workspace.project.baseline_file)
    return replace(report, accepted=True, written=written)


def _refuse_in_ci(environ: Mapping[str, str]) -> None:
    if environ.get("CI", "").lower() not in ("", "0", "false"):
        raise UsageError(
            "a judge is not accepted in CI (`CI` is set), nor is anything settled there: a person does that\n"
            "  run `foldproof judge reconcile` on your machine and commit the files"
        )
