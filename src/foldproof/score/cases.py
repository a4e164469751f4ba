"""The score of a case over its trials."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Literal

from foldproof.cases import Case
from foldproof.logs import History
from foldproof.record import Trial
from foldproof.score.evidence import Records
from foldproof.score.trials import UNJUDGED, TrialScore, score_trial
from foldproof.score.verdicts import Verdicts

CaseOutcome = Literal["pass", "fail", "flaky", "error"]


@dataclass(frozen=True, slots=True)
class CaseScore:
    """The trials of one case, by repetition."""

    id: str
    case_class: str
    trials: tuple[TrialScore, ...]

    @property
    def errors(self) -> int:
        """Trials without a judgement."""
        return sum(trial.outcome == "error" for trial in self.trials)

    @property
    def passes(self) -> int:
        """Trials that passed."""
        return sum(trial.outcome == "pass" for trial in self.trials)

    @property
    def judged(self) -> int:
        """Trials with a judgement."""
        return len(self.trials) - self.errors

    @property
    def outcome(self) -> CaseOutcome:
        """`error` where no trial could be judged, `flaky` where those that could be disagree."""
        if self.judged == 0:
            return "error"
        if 0 < self.passes < self.judged:
            return "flaky"
        return "pass" if self.passes else "fail"

    @property
    def leaked(self) -> bool:
        """Whether in one of the trials what one user said was shown to another."""
        return any(trial.leaked for trial in self.trials)

    @property
    def majority(self) -> bool:
        """Whether more than half of the judged trials passed."""
        return 2 * self.passes > self.judged


def score_case(
    case: Case,
    trials: Iterable[Trial],
    *,
    records: Records | None = None,
    verdicts: Verdicts = UNJUDGED,
    histories: Mapping[str, History] | None = None,
    cut_off: bool = False,
) -> CaseScore:
    """Score every trial of a case, in the order of repetition; with `records`, say who lost what they miss.

    `verdicts`, `histories` and `cut_off` as in `score_trial`.
    """
    ordered = sorted(trials, key=lambda trial: trial.repeat)
    scores = (
        score_trial(case, trial, records=records, verdicts=verdicts, histories=histories, cut_off=cut_off)
        for trial in ordered
    )
    return CaseScore(case.id, case.case_class, tuple(scores))


def score_run(
    cases: Iterable[Case],
    trials: Iterable[Trial],
    *,
    records: Records | None = None,
    verdicts: Verdicts = UNJUDGED,
    histories: Mapping[str, History] | None = None,
    cut_off: bool = False,
) -> dict[str, CaseScore]:
    """Score recorded trials; one entry a case, in the order of the set, whatever order the trials came in.

    Judged facts are what the stored `verdicts` say, and `histories` tell what was redacted before it was answered.

    A case without any trial has an entry without trials, whose outcome is `error`. Trials of cases that are
    not among `cases` are left out. `cut_off` says that the memory was cut off in this run.
    """
    by_case: dict[str, list[Trial]] = defaultdict(list)
    for trial in trials:
        by_case[trial.case].append(trial)
    return {
        case.id: score_case(
            case, by_case[case.id], records=records, verdicts=verdicts, histories=histories, cut_off=cut_off
        )
        for case in cases
    }
