"""The controls beside a candidate: effective retention by class, and what they found of each case."""

import pytest

from foldproof.compare import ControlScores, control_findings, effective_retention
from foldproof.score import CaseScore, FactScore, TrialScore


@pytest.fixture
def retention(scores):
    """The retention of cases of which each side is told in letters: `retention(a=("P", "F", "P"))`."""

    def making(full=None, **cases):
        sides = [{name: told[side] for name, told in cases.items() if told[side]} for side in range(3)]
        candidate, unplugged, oracle = (scores(**side) for side in sides)
        return effective_retention(candidate, ControlScores(unplugged, oracle, scores(**(full or {}))))

    return making


def test_the_share_is_what_the_memory_adds_out_of_what_it_could(retention):
    (row,) = retention(
        a=("P", "F", "P"),
        b=("F", "F", "P"),
        c=("P", "P", "P"),
        d=("P", "F", "P"),
        full={"a": "P", "b": "F", "d": "P"},
    )
    assert (row.case_class, row.of, row.candidate, row.unplugged, row.oracle) == ("semantic", 4, 3, 1, 4)
    assert row.share == (3 - 1) / (4 - 1)
    assert (row.full, row.full_of, row.reason) == (2, 3, "")


def test_classes_stand_in_the_order_of_the_cases(retention):
    rows = retention(
        a=(("P", "safety"), ("F", "safety"), ("P", "safety")),
        b=("F", "F", "P"),
        c=(("F", "safety"), ("F", "safety"), ("P", "safety")),
    )
    assert [(row.case_class, row.of, row.share) for row in rows] == [("safety", 2, 0.5), ("semantic", 1, 0.0)]


@pytest.mark.parametrize(("unplugged", "oracle"), [("F", "F"), ("P", "P"), ("P", "F")])
def test_where_the_oracle_helps_no_more_it_is_not_defined(retention, unplugged, oracle):
    (row,) = retention(a=("P", unplugged, oracle))
    assert row.share is None
    assert row.reason == "not defined: the facts in the prompt help no more than no memory at all"


def test_it_is_forced_into_no_bounds(retention):
    better = retention(a=("P", "F", "F"), b=("P", "F", "P"))
    worse = retention(a=("F", "P", "P"), b=("F", "F", "P"))
    assert (better[0].share, worse[0].share) == (2.0, -1.0)


@pytest.mark.parametrize("letters", ["E", "PE", "PF", ""])
def test_a_candidate_passes_only_where_every_trial_does(retention, letters):
    (row,) = (
        retention(a=("P", "F", "P"), b=((letters, "semantic"), "F", "P"))
        if letters
        else retention(a=("P", "F", "P"), b=(("", "semantic"), "F", "P"))
    )
    assert (row.candidate, row.of, row.share) == (1, 2, 0.5), "it stays in the count"


@pytest.mark.parametrize(("unplugged", "oracle"), [("E", "P"), ("F", "E"), ("FE", "P"), ("F", "FE")])
def test_a_control_without_a_judgement_leaves_the_class_without_a_share(retention, unplugged, oracle):
    (row,) = retention(a=("P", unplugged, oracle), b=("P", "F", "P"))
    assert (row.of, row.share, row.unjudged) == (2, None, ("a",))
    assert row.reason == "not known: the controls of a could not be judged"


def test_a_control_that_was_not_asked_is_not_known(scores, score):
    asked = scores(a="P")
    never = {"a": CaseScore("a", "semantic", ())}
    (row,) = effective_retention(asked, ControlScores(never, scores(a="P")))
    assert (row.share, row.unjudged) == (None, ("a",))


def test_a_pass_of_a_control_is_settled_by_no_error(retention):
    (row,) = retention(a=("F", "F", "PE"))
    assert (row.oracle, row.unjudged, row.share) == (1, (), 0.0)


def test_a_case_without_an_oracle_is_not_counted(retention):
    (row,) = retention(a=("P", "F", "P"), b=("F", "F", ""))
    assert (row.of, row.share) == (1, 1.0)
    assert retention(b=("F", "F", "")) == ()


def test_findings_name_the_case_and_why(scores):
    found = control_findings(
        ControlScores(
            scores(free="P", a="F", away="E"),
            scores(free="P", bad="F", slow="P", unread="E"),
            scores(bad="F", slow="F", free="P"),
        )
    )
    assert [(row.id, row.control, row.finding, row.reason) for row in found] == [
        ("free", "unplugged", "vacuous", "passes with the memory cut off"),
        ("bad", "oracle", "broken", "missed 'fact'"),
        ("slow", "full", "overlooked", "missed 'fact'"),
        ("away", "unplugged", "unjudged", "agent: broke"),
        ("unread", "oracle", "unjudged", "agent: broke"),
    ]


@pytest.mark.parametrize(
    ("full", "candidate", "finding"),
    [
        ({}, {}, "broken"),
        ({"a": "F"}, {"a": "F"}, "broken"),
        ({"a": "P"}, {}, "unheeded"),
        ({}, {"a": "FP"}, "unheeded"),
    ],
)
def test_a_case_that_passes_otherwise_is_not_broken(scores, full, candidate, finding):
    found = control_findings(ControlScores({}, scores(a="F"), scores(**full)), scores(**candidate))
    assert [row.finding for row in found] == [finding]


@pytest.mark.parametrize(("oracle", "finding"), [("P", True), ("FP", True), ("PE", True), ("E", False), ("FE", False)])
def test_overlooked_needs_an_oracle_that_passed(scores, oracle, finding):
    found = control_findings(ControlScores({}, scores(a=oracle), scores(a="F")))
    assert (("a", "full", "overlooked") in [(row.id, row.control, row.finding) for row in found]) is finding


@pytest.mark.parametrize("oracle", [{}, {"a": CaseScore("a", "semantic", ())}])
def test_without_an_oracle_nothing_was_overlooked(scores, oracle):
    found = control_findings(ControlScores({}, oracle, scores(a="F")))
    assert "overlooked" not in {row.finding for row in found}


def test_a_case_that_passes_now_and_then_is_not_broken(scores):
    assert control_findings(ControlScores({}, scores(a="FP"), scores(a="FP"))) == ()


def test_a_control_that_was_not_asked_says_so():
    (row,) = control_findings(ControlScores(oracle={"a": CaseScore("a", "semantic", ())}))
    assert (row.finding, row.reason) == ("unjudged", "not asked")


def test_a_forbidden_fact_is_told_as_said(scores):
    facts = (FactScore("Ghent", "expected", "held"), FactScore("Paris", "forbidden", "held"))
    score = CaseScore("a", "semantic", (TrialScore(0, "fail", facts),))
    (row,) = control_findings(ControlScores(oracle=scores(a="P"), full={"a": score}))
    assert (row.finding, row.reason) == ("overlooked", "says 'Paris'")
