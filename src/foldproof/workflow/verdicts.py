"""The verdicts of the set's judge: what is stored of them, what is still to be asked, and what the judge is worth."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from foldproof.cases import Case, JudgePin, Limits
from foldproof.cases.judges import prompt_hash
from foldproof.compare.judge_controls import ControlRates, ControlVerdict, control_rates
from foldproof.compare.settled import load_settled
from foldproof.core import UsageError
from foldproof.judging import Asked, Judge, identity_of, judge_claims, judge_controls, open_judge
from foldproof.record import Calibration, JudgeIdentity, JudgeVerdict, Trial, VerdictWord
from foldproof.score import Verdicts, claims_of
from foldproof.workflow.sink import Listener, Progress
from foldproof.workflow.workspace import Workspace

SETTLED = "judges/settled.json"
"""Where the claims stand that a person settled, beside the replay set."""


@dataclass(frozen=True, slots=True)
class Judging:
    """What asking a judge came to: verdicts now, failures, the limit that ended it, the cost in US dollars."""

    asked: int = 0
    errors: int = 0
    stopped: str = ""
    cost_usd: float | None = None


@dataclass(frozen=True, slots=True)
class Standing:
    """A judge as a report tells of it: who it is, how it did on its controls, and whether labels ever measured it."""

    identity: JudgeIdentity
    controls: ControlRates
    calibration: Calibration | None = None

    @property
    def doubts(self) -> tuple[str, ...]:
        """Why no verdict may rest on this judge; nothing where one may."""
        reasons = [self.controls.may_not_gate]
        if self.calibration is not None and self.calibration.worthless:
            reasons += self.calibration.reasons
        return tuple(f"the judge {self.identity.title} may not gate: {reason}" for reason in reasons if reason)

    @property
    def notes(self) -> tuple[str, ...]:
        """What the reader of a report should know of the judge."""
        told = [f"judge {self.identity.title}: {self.controls}"]
        if self.controls.fooled:
            told.append(f"the judge let a wrong answer pass for: {'; '.join(self.controls.fooled)}")
        if self.calibration is None:
            told.append("the judge was never measured against labelled answers: foldproof judge calibrate LABELS")
        elif not self.calibration.conclusive:
            told.append(f"the judge's calibration is inconclusive: {'; '.join(self.calibration.reasons)}")
        return tuple(told)


def prompt_file(workspace: Workspace, prompt: str) -> Path:
    """Where a prompt stands that the set names."""
    return Path(workspace.replay_set.path).parent / prompt


def settled_file(workspace: Workspace) -> Path:
    """Where the settled claims of the set stand."""
    return Path(workspace.replay_set.path).parent / SETTLED


def judge_of(workspace: Workspace, pin: JudgePin | None = None) -> JudgeIdentity | None:
    """Who the judge of the set is, or that of another `pin`; None where the set names none.

    Raises:
        FileError: where the prompt cannot be read.
    """
    pin = pin or workspace.replay_set.judge
    if pin is None:
        return None
    prompt = prompt_hash(prompt_file(workspace, pin.prompt), workspace.read)
    return identity_of(pin.model, workspace.project.judge, prompt_sha256=prompt)


def verdicts_of(workspace: Workspace, identity: JudgeIdentity | None = None) -> Verdicts:
    """What the set's judge, or another, has said so far, and what a person settled. Nothing is asked.

    A judge that may not gate is barred: what it said is no judgement.

    Raises:
        FileError: where the prompt or the settled claims cannot be read.
    """
    identity = identity or judge_of(workspace)
    if identity is None:
        return Verdicts()
    said = workspace.store.verdicts(identity.sha256)
    settled = {item.claim.sha256: item.settlement for item in load_settled(settled_file(workspace))}
    judge = _standing(workspace, workspace.replay_set.cases, identity, said)
    barred = judge.doubts[0] if judge and judge.doubts else ""
    return Verdicts(identity.title, said, workspace.project.judge.repeats, settled, barred)


def unjudged(cases: Iterable[Case], trials: Sequence[Trial], verdicts: Verdicts) -> tuple[Asked, ...]:
    """What the judge is still to be asked of these trials, each repeat of each claim once."""
    claims = (
        claim
        for case in cases
        if case.asks_judge
        for claim in claims_of(case, (trial for trial in trials if trial.case == case.id))
    )
    return tuple(dict.fromkeys((claim, slot) for claim in claims for slot in verdicts.missing(claim)))


def standing(workspace: Workspace, cases: Iterable[Case], identity: JudgeIdentity | None = None) -> Standing | None:
    """How the judge of these cases did on its controls, as far as that is stored; None where they ask no judge."""
    identity = identity or judge_of(workspace)
    if identity is None:
        return None
    return _standing(workspace, cases, identity, workspace.store.verdicts(identity.sha256))


def _standing(
    workspace: Workspace,
    cases: Iterable[Case],
    identity: JudgeIdentity,
    said: Mapping[str, tuple[JudgeVerdict, ...]],
) -> Standing | None:
    controls = judge_controls(cases)
    if not controls:
        return None
    verdicts = [
        ControlVerdict(control.kind, control.case, control.claim.fact, _first(said.get(control.claim.sha256, ())))
        for control in controls
    ]
    return Standing(identity, control_rates(verdicts), workspace.store.calibration(identity.sha256))


def _first(verdicts: Sequence[JudgeVerdict]) -> VerdictWord | None:
    return next((verdict.verdict for verdict in verdicts if verdict.verdict is not None), None)


def unmeasured(cases: Iterable[Case], verdicts: Verdicts) -> tuple[Asked, ...]:
    """The controls of the judge that are without a verdict. No person settles a control: it is what it is."""
    once = replace(verdicts, repeats=1, settled={})
    claims = (control.claim for control in judge_controls(cases))
    return tuple((claim, 0) for claim in claims if once.missing(claim))


@asynccontextmanager
async def opened_judge(workspace: Workspace, pin: JudgePin | None = None) -> AsyncIterator[Judge]:
    """The judge of the set, or of another `pin`, ready to be asked.

    Raises:
        UsageError: where there is none, or it has no address or no key.
    """
    pin = pin or workspace.replay_set.judge
    if pin is None:
        raise UsageError(
            f"{workspace.replay_set.path}: the set names no judge\n  run: foldproof judge pin --model NAME"
        )
    prompt = workspace.read(prompt_file(workspace, pin.prompt))
    async with open_judge(pin.model, workspace.project.judge, prompt=prompt, environ=workspace.environ) as judge:
        yield judge


async def ask_judge(
    workspace: Workspace, asked: Sequence[Asked], *, limits: Limits, listener: Listener, pin: JudgePin | None = None
) -> Judging:
    """Ask a judge, keeping what it says as it comes; nothing is opened where nothing is to be asked.

    Raises:
        UsageError: where the judge cannot be opened, or the cost limit cannot be held since it has no price.
    """
    if not asked:
        return Judging()
    _check_cost_limit(workspace, limits)
    tally = _Tally(workspace, len(asked), listener)
    async with opened_judge(workspace, pin) as judge:
        stopped = await judge_claims(judge, asked, limits=limits, keep=tally.keep)
    return replace(tally.judging, stopped=stopped)


def _check_cost_limit(workspace: Workspace, limits: Limits) -> None:
    if limits.max_cost_usd is not None and not workspace.project.judge.price:
        raise UsageError(
            f"there is a cost limit of {limits.max_cost_usd} US dollars, but the judge has no price\n"
            "  add `price: {input: …, output: …}` (US dollars a million tokens) to `judge` in foldproof.yaml"
        )


async def check_judge(workspace: Workspace, cases: Iterable[Case], limits: Limits) -> None:
    """See that the judge of these cases can be asked, before any agent is; nothing is sent.

    Raises:
        UsageError: where it cannot.
    """
    if any(case.asks_judge for case in cases):
        _check_cost_limit(workspace, limits)
        async with opened_judge(workspace):
            pass


class _Tally:
    """Keeps verdicts in the store and tells the listener."""

    def __init__(self, workspace: Workspace, total: int, listener: Listener) -> None:
        self._store = workspace.store
        self._listener = listener
        self._total = total
        self.judging = Judging()
        listener(Progress("judge", 0, total, 0))

    def keep(self, verdict: JudgeVerdict) -> None:
        self._store.add_verdicts([verdict])
        known = self.judging
        cost = verdict.usage.cost_usd if verdict.usage else None
        self.judging = Judging(
            known.asked + 1,
            known.errors + (verdict.verdict is None),
            cost_usd=known.cost_usd if cost is None else (known.cost_usd or 0.0) + cost,
        )
        self._listener(Progress("judge", self.judging.asked, self._total, self.judging.errors))
