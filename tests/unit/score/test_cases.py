"""The score of a case over its trials, and of a run in the order of its set."""

import pytest

from foldproof.cases import Case
from foldproof.matching import Fact
from foldproof.record import Trial, TrialError
from foldproof.score import score_case, score_run

CASE = Case("q1", "?", "safety", expected=(Fact("normalized", "gastritis"),))
TRIALS = {"P": "gastritis", "F": "nothing", "E": None}


def _trials(letters, case="q1"):
    return [
        Trial(case, repeat, error=TrialError("agent", "broke"))
        if TRIALS[letter] is None
        else Trial(case, repeat, TRIALS[letter])
        for repeat, letter in enumerate(letters)
    ]


@pytest.mark.parametrize(
    ("letters", "outcome", "majority", "counts"),
    [
        ("", "error", False, (0, 0, 0)),
        ("E", "error", False, (0, 0, 1)),
        ("P", "pass", True, (1, 1, 0)),
        ("F", "fail", False, (0, 1, 0)),
        ("PF", "flaky", False, (1, 2, 0)),
        ("PPF", "flaky", True, (2, 3, 0)),
        ("PFF", "flaky", False, (1, 3, 0)),
        ("PE", "pass", True, (1, 1, 1)),
        ("FE", "fail", False, (0, 1, 1)),
        ("PFE", "flaky", False, (1, 2, 1)),
    ],
)
def test_the_outcome_of_trials(letters, outcome, majority, counts):
    """B52: an error stays in the count, and is neither a pass nor a fail."""
    score = score_case(CASE, _trials(letters))
    assert (score.outcome, score.majority) == (outcome, majority)
    assert (score.passes, score.judged, score.errors) == counts
    assert len(score.trials) == len(letters)
    assert (score.id, score.case_class) == ("q1", "safety")


def test_trials_come_by_repetition():
    score = score_case(CASE, reversed(_trials("PFE")))
    assert [trial.outcome for trial in score.trials] == ["pass", "fail", "error"]
    assert [trial.repeat for trial in score.trials] == [0, 1, 2]


def test_cases_come_in_the_order_of_the_set():
    """B65: whatever the order in which the trials came in."""
    cases = [Case(case_id, "?", expected=CASE.expected) for case_id in ("c", "a", "b", "none")]
    trials = [*_trials("P", "a"), *_trials("F", "b"), *_trials("E", "c"), *_trials("P", "unknown")]
    forwards, backwards = score_run(cases, trials), score_run(cases, trials[::-1])
    assert list(forwards) == list(backwards) == ["c", "a", "b", "none"]
    assert forwards == backwards
    assert [score.outcome for score in forwards.values()] == ["error", "pass", "fail", "error"]
    assert forwards["none"].trials == ()
