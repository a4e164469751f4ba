"""The gate: fixed counts; an error never helps, and what was not asked is undecided."""

import pytest

from foldproof.cases import Requirement
from foldproof.compare import gate_scores

ALL, TWO_OF_THREE = Requirement(), Requirement(2, 3)


@pytest.fixture
def gated(scores):
    def gating(requirement, *letters, size=None, **options):
        cases = scores(**{f"q{number}": told for number, told in enumerate(letters)})
        sizes = {"semantic": len(letters) if size is None else size}
        (entry,) = gate_scores({"semantic": requirement}, cases, sizes=sizes, **options)
        return entry

    return gating


@pytest.mark.parametrize(
    ("letters", "ok", "got"),
    [
        (["P", "P", "PP"], True, 3),
        (["P", "P", "F"], False, 2),
        (["P", "P", "PPF"], False, 2),  # every trial of every case
        (["P", "P", "PE"], None, 2),
        (["P", "P", "E"], None, 2),
        (["P", "P", ""], None, 2),
        (["P", "F", "E"], False, 1),
        (["P", "P", "FE"], False, 2),
    ],
)
def test_all_needs_every_trial_of_every_case(gated, letters, ok, got):
    entry = gated(ALL, *letters)
    assert (entry.ok, entry.got, entry.need, entry.of) == (ok, got, 3, 3)


@pytest.mark.parametrize(
    ("letters", "ok", "got"),
    [
        (["P", "P", "P"], True, 3),
        (["P", "P", "F"], True, 2),
        (["P", "F", "F"], False, 1),
        (["P", "PPF", "F"], True, 2),  # the majority of trials
        (["P", "PFF", "F"], False, 1),
        (["P", "PF", "F"], False, 1),  # half is no majority
        (["P", "P", "E"], None, 2),  # enough pass, yet nothing with an error is a pass
        (["P", "E", "F"], None, 1),
        (["F", "E", "F"], False, 0),
        (["P", "FFE", "F"], False, 1),  # what is judged has failed for good
    ],
)
def test_a_count_needs_the_majority_of_trials_of_enough_cases(gated, letters, ok, got):
    entry = gated(TWO_OF_THREE, *letters)
    assert (entry.ok, entry.got, entry.need, entry.of) == (ok, got, 2, 3)


@pytest.mark.parametrize(
    ("requirement", "letters", "ok"),
    [
        (ALL, ["P", "P"], None),
        (ALL, ["P", "F"], False),
        (TWO_OF_THREE, ["P", "P"], None),
        (TWO_OF_THREE, ["F", "F"], False),
    ],
)
def test_a_case_that_was_not_asked_leaves_its_class_undecided(gated, requirement, letters, ok):
    entry = gated(requirement, *letters, size=3)
    assert (entry.ok, entry.unasked) == (ok, 1)
    assert gated(ALL, "P", "P", size=2).unasked == 0


def test_what_counts_against_a_class_is_named(gated):
    entry = gated(ALL, "P", "F", "PE", "E")
    assert (entry.failed, entry.unjudged, entry.waived) == (("q1",), ("q2", "q3"), ())
    assert str(entry) == "semantic: 1 of 4 cases pass, 4 needed"


def test_a_waived_failure_counts_as_a_pass(gated):
    entry = gated(ALL, "P", "F", waived={"q1", "q0"})
    assert (entry.ok, entry.got, entry.failed, entry.waived) == (True, 2, (), ("q1",))
    assert gated(ALL, "P", "F", waived={"q0"}).ok is False


def test_a_waiver_covers_what_failed_and_no_error_alone(gated):
    entry = gated(ALL, "P", "FE", waived={"q1"})
    assert (entry.ok, entry.unjudged, entry.waived) == (True, (), ("q1",))  # the error makes the verdict inconclusive
    assert gated(ALL, "P", "E", waived={"q1"}).ok is None
    assert gated(ALL, "P", "PE", waived={"q1"}).ok is None


def test_a_vacuous_case_never_counts_as_a_pass(gated):
    entry = gated(ALL, "P", "P", vacuous=("q1",))
    assert (entry.ok, entry.got, entry.unjudged) == (None, 1, ("q1",))
    assert gated(ALL, "P", "F", vacuous=("q1",)).ok is False
    assert gated(ALL, "P", "P", vacuous=("other",)).ok is True


def test_classes_are_held_apart_and_one_without_cases_asks_nothing(scores):
    cases = scores(a=("P", "safety"), b=("F", "semantic"), c=("F", "ungated"))
    entries = gate_scores(
        {"safety": ALL, "semantic": ALL, "empty": ALL, "zero": ALL},
        cases,
        sizes={"safety": 1, "semantic": 1, "ungated": 1, "zero": 0},
    )
    assert [(entry.case_class, entry.ok) for entry in entries] == [("safety", True), ("semantic", False)]
