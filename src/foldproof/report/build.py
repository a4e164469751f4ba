"""From the records of the stages to documents. Pure: nothing is read, nothing is run, nothing is asked the time."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from foldproof.cases import ReplaySet
from foldproof.compare import (
    Baseline,
    CaseChange,
    ChangeFigures,
    Check,
    ClassGate,
    RunFigures,
    RunVerdict,
    run_figures,
)
from foldproof.compare.corrections import correction_rates
from foldproof.compare.diff import count_owners, lost_facts, owner_of
from foldproof.compare.disputed import key_figures, unguarded
from foldproof.compare.statistics import SignFlip
from foldproof.compare.verdict import MEANING
from foldproof.core import Problem
from foldproof.record import Run, Trial
from foldproof.report.benchmarks import key_rows, recall_part
from foldproof.report.controls import ControlsPart
from foldproof.report.corrections import correction_rows
from foldproof.report.documents import (
    BaselineDocument,
    CaseRow,
    CheckDocument,
    ComparedCase,
    CompareDocument,
    ComparedRun,
    FactRow,
    GateRow,
    HistoryTestRow,
    LintDocument,
    PassRateRow,
    ProblemRow,
    RunDocument,
    ScoredCase,
)
from foldproof.report.explained import RunInfo, SetInfo, TrialFactRow, TrialRow, data_info, set_info
from foldproof.score import CaseScore, FactScore, TrialScore


def run_info(run: Run, *, asked: int = 0, reused: int = 0, cost_usd: float | None = None) -> RunInfo:
    """Which run it is; `asked` trials were asked now, `reused` stood in the store."""
    return RunInfo(
        config=run.config,
        run=run.name,
        control=run.control,
        state=run.state,
        started_at=run.started_at,
        asked=asked,
        reused=reused,
        cost_usd=cost_usd,
    )


def check_document(
    check: Check,
    replay_set: ReplaySet,
    *,
    before: RunInfo,
    after: RunInfo,
    differs: Iterable[str],
    beside_memory: Iterable[str],
    controls: ControlsPart | None = None,
) -> CheckDocument:
    """The document of a check; the verdict and its reasons are the check's own. Disputed cases stand apart."""
    disputed = replay_set.disputed
    settled = [change for change in check.cases if change.id not in disputed]
    return CheckDocument(
        verdict=check.verdict,
        reasons=list(check.reasons),
        set=set_info(replay_set),
        before=before,
        after=after,
        differs=list(differs),
        beside_memory=list(beside_memory),
        gate=_gate_rows(check.gate),
        cases=case_rows(settled, replay_set),
        noise=list(check.noise),
        notes=list(check.notes),
        p_value=check.p_value,
        smallest_drop=check.smallest_drop,
        by_history=_history_test(check.by_history),
        rate_before=_rate(check.before),
        rate_after=_rate(check.after),
        corrections_before=correction_rows(check.corrected_before),
        corrections_after=correction_rows(check.corrected_after),
        owners=_owners(settled),
        meaning=MEANING,
        controls=controls,
        disputed=case_rows((change for change in check.cases if change.id in disputed), replay_set),
        keys=key_rows(check.keys),
    )


def _rate(figures: RunFigures | None) -> PassRateRow | None:
    if figures is None:
        return None
    return PassRateRow(
        passed=figures.passed,
        judged=figures.judged,
        unjudged=figures.unjudged,
        low=figures.rate.low if figures.rate else None,
        high=figures.rate.high if figures.rate else None,
        pass_hat=list(figures.pass_hat),
    )


def _history_test(found: SignFlip | None) -> HistoryTestRow | None:
    if found is None:
        return None
    return HistoryTestRow(p_value=found.p_value, histories=found.clusters, moved=found.moved, least=found.least)


def case_rows(changes: Iterable[CaseChange], replay_set: ReplaySet) -> list[CaseRow]:
    """The rows of compared cases; a case that the set no longer has is shown without its question."""
    questions = {case.id: case.question for case in replay_set.cases}
    return [
        CaseRow(
            id=change.id,
            case_class=change.case_class,
            question=questions.get(change.id, ""),
            change=change.change,
            before=change.before,
            after=change.after,
            trials=change.trials,
            facts=[
                FactRow(
                    fact=fact.fact,
                    kind=fact.role,
                    before=fact.before,
                    after=fact.after,
                    outcome=fact.after,
                    owner=fact.owner,
                    bad=fact.bad,
                    trials=fact.trials,
                    reason=fact.reason,
                    why=fact.why,
                )
                for fact in change.facts
            ],
            error=change.error,
        )
        for change in changes
    ]


def _gate_rows(gate: Iterable[ClassGate]) -> list[GateRow]:
    return [
        GateRow(
            case_class=entry.case_class,
            need=entry.need,
            got=entry.got,
            of=entry.of,
            ok=entry.ok,
            failed=list(entry.failed),
            unjudged=list(entry.unjudged),
            waived=list(entry.waived),
        )
        for entry in gate
    ]


def run_document(
    info: RunInfo,
    scores: Mapping[str, CaseScore],
    *,
    replay_set: ReplaySet,
    verdict: RunVerdict,
    trials: Iterable[Trial],
    notes: Iterable[str] = (),
) -> RunDocument:
    """The document of one run, with the answers of its trials; `notes` are the run's and the caller's.

    Disputed cases stand apart, and neither they nor drafts are in the figures.
    """
    trials = tuple(trials)
    settled = {name: score for name, score in scores.items() if name not in replay_set.disputed}
    counted = {name: score for name, score in settled.items() if name not in replay_set.drafts}
    return RunDocument(
        verdict=verdict.verdict,
        reasons=list(verdict.reasons),
        set=set_info(replay_set),
        run=info,
        gate=_gate_rows(verdict.gate),
        cases=_scored_cases(settled.values(), replay_set, trials),
        notes=[*notes, *unguarded(replay_set)],
        owners=count_owners(owner_of(bad)[0] for case in settled.values() for bad in _missed(case)),
        rate=None if info.control else _rate(run_figures(counted)),
        corrections=correction_rows(correction_rates(replay_set.cases, scores)),
        disputed=_scored_cases((score for name, score in scores.items() if name not in settled), replay_set, trials),
        keys=[] if info.control else key_rows(key_figures(replay_set, scores)),
        recall=None if info.control else recall_part(replay_set, trials),
    )


def _missed(case: CaseScore) -> Iterator[list[FactScore]]:
    """Each fact of a case in the trials that failed, as far as it was not right in them."""
    for scores in zip(*(trial.facts for trial in case.trials if trial.outcome == "fail"), strict=True):
        yield [score for score in scores if not score.ok]


def _scored_cases(scores: Iterable[CaseScore], replay_set: ReplaySet, trials: Iterable[Trial]) -> list[ScoredCase]:
    questions = {case.id: case.question for case in replay_set.cases}
    answers: dict[tuple[str, int], str] = {trial.key: trial.answer for trial in trials}
    return [
        ScoredCase(
            id=score.id,
            case_class=score.case_class,
            question=questions.get(score.id, ""),
            outcome=score.outcome,
            trials=[trial_row(trial, answers.get((score.id, trial.repeat), "")) for trial in score.trials],
        )
        for score in scores
    ]


def trial_row(score: TrialScore, answer: str) -> TrialRow:
    """One trial with its answer."""
    facts = [
        TrialFactRow(
            fact=fact.fact,
            kind=fact.role,
            outcome=fact.outcome,
            ok=fact.ok,
            spans=list(fact.spans),
            reason=fact.reason,
            owner=fact.loss.owner if fact.loss else None,
            why=fact.loss.reason if fact.loss else "",
        )
        for fact in score.facts
    ]
    return TrialRow(
        repeat=score.repeat,
        outcome=score.outcome,
        error=score.error,
        facts=facts,
        answer=answer,
        corrected=score.corrected,
        faults=list(score.faults),
    )


def compared_run(
    info: RunInfo,
    scores: Mapping[str, CaseScore],
    *,
    figures: RunFigures,
    changes: Iterable[CaseChange],
    against: ChangeFigures,
) -> ComparedRun:
    """One column of a comparison: the figures of the run, its `changes` against the first, and their figures.

    `of` counts every case that was asked for: an error stays in the count.
    """
    changed = tuple(changes)
    k = len(figures.pass_hat)
    return ComparedRun(
        run=info,
        passed=sum(score.outcome == "pass" for score in scores.values()),
        of=len(scores),
        rate_low=figures.rate.low if figures.rate else None,
        rate_high=figures.rate.high if figures.rate else None,
        pass_hat_k=figures.pass_hat[-1] if k > 1 else None,
        k=k if k > 1 else None,
        pass_hat=list(figures.pass_hat),
        lost=[change.id for change in changed if change.change == "lost"],
        recovered=[change.id for change in changed if change.change == "recovered"],
        p_value=against.p_value,
        smallest_drop=against.smallest_drop,
        by_history=_history_test(against.by_history),
        owners=_owners(changed),
    )


def _owners(changes: Iterable[CaseChange]) -> dict[str, int]:
    return count_owners(fact.owner for change in changes for fact in lost_facts(change))


def compare_document(
    replay_set: ReplaySet, runs: Sequence[tuple[ComparedRun, Mapping[str, CaseScore]]]
) -> CompareDocument:
    """Runs side by side, the first being what the others are compared with; a case without a trial is an error."""
    first = runs[0][1] if runs else {}
    return CompareDocument(
        set=set_info(replay_set),
        runs=[column for column, _ in runs],
        cases=[
            ComparedCase(
                id=score.id,
                case_class=score.case_class,
                outcomes=[scores[score.id].outcome if score.id in scores else "error" for _, scores in runs],
            )
            for score in first.values()
        ],
    )


def baseline_document(
    baseline: Baseline,
    replay_set: ReplaySet,
    *,
    file: str,
    accepted: bool,
    changes: Iterable[CaseChange] = (),
    noise: Iterable[str] = (),
    warnings: Iterable[str] = (),
    replaces: str = "",
) -> BaselineDocument:
    """The document of a baseline that stands in `file`, or that accepting would put there.

    The set that it names is the one that was asked, which may be older than the one at hand.
    """
    return BaselineDocument(
        file=file,
        run=baseline.run,
        config=baseline.config,
        set=SetInfo(
            name=baseline.set_name,
            sha256=baseline.set_sha256,
            cases=len(baseline.cases),
            data=data_info(replay_set.data) if baseline.set_sha256 == replay_set.sha256 else None,
        ),
        accepted=accepted,
        replaces=replaces,
        changes=case_rows(changes, replay_set),
        noise=list(noise),
        vacuous=list(baseline.vacuous),
        warnings=list(warnings),
    )


def lint_document(problems: Iterable[Problem], replay_set: ReplaySet | None = None) -> LintDocument:
    """The document of all that is wrong, sorted by place; without a set where it does not load."""
    rows = [
        ProblemRow(
            file=problem.file,
            line=problem.line,
            severity=problem.severity,
            rule=problem.rule,
            message=problem.message,
            hint=problem.hint,
        )
        for problem in sorted(problems)
    ]
    errors = sum(row.severity == "error" for row in rows)
    return LintDocument(
        errors=errors,
        warnings=len(rows) - errors,
        problems=rows,
        set=set_info(replay_set) if replay_set else None,
    )
