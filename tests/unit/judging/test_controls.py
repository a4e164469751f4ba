"""B49: wrong answers are made from a case's own fact by rule; only the stated one says it."""

import pytest

from foldproof.cases import Case
from foldproof.judging import judge_controls
from foldproof.matching import Fact, match_fact


def case(*facts, forbidden=(), name="a"):
    judged = tuple(Fact("judged", text) for text in facts)
    return Case(name, "q?", expected=(Fact("normalized", "x1"), *judged),
                forbidden=tuple(Fact("judged", text) for text in forbidden))  # fmt: skip


def by_kind(*cases):
    return {control.kind: control.claim.answer for control in judge_controls(cases)}


def test_B49_each_judged_fact_has_four_wrong_answers_and_one_that_states_it():
    found = judge_controls([case("names Postgres 15"), case("is kind", name="b", forbidden=["is rude"])])
    assert [(control.case, control.claim.fact) for control in found][::5] == [
        ("a", "names Postgres 15"),
        ("b", "is kind"),
        ("b", "is rude"),
    ]
    assert [control.kind for control in found[:5]] == ["stated", "vague", "wrong", "negated", "pleading"]
    assert len(found) == 15


@pytest.mark.parametrize(
    ("fact", "wrong"),
    [
        ("names Postgres 15.", "names Postgres 16"),
        ("room 099, floor 3", "room 100, floor 4"),
        ("is kind", "pays in cash"),
    ],
)
def test_B49_a_wrong_answer_has_other_numbers_or_the_fact_of_another_case(fact, wrong):
    answer = by_kind(case(fact), case("pays in cash.", name="b"))
    found = [control for control in judge_controls([case(fact), case("pays in cash.", name="b")])
             if control.kind == "wrong" and control.case == "a"]  # fmt: skip
    assert [control.claim.answer for control in found] == [f"That is an easy one: {wrong}."]
    assert not match_fact(Fact("normalized", fact), found[0].claim.answer).held
    assert "stated" in answer


def test_B49_without_a_number_and_without_another_fact_there_is_no_wrong_one():
    assert by_kind(case("is kind")).keys() == {"stated", "vague", "negated", "pleading"}
    assert by_kind(case("is kind"), case("Is kind!", name="b")).keys() == {"stated", "vague", "negated", "pleading"}


def test_B49_only_the_stated_answer_says_the_fact():
    answers = by_kind(case("names Postgres 15"))
    fact = Fact("normalized", "names Postgres 15")
    assert match_fact(fact, answers["stated"]).held
    for kind in ("vague", "wrong", "pleading"):
        assert not match_fact(fact, answers[kind]).held
    assert "false: names Postgres 15" in answers["negated"]


def test_a_case_without_a_judged_fact_has_no_control_and_a_claim_is_made_once():
    assert judge_controls([Case("a", "q", expected=(Fact("normalized", "x1"),))]) == ()
    twice = judge_controls([case("is kind 5"), case("is kind 5", name="b")])
    assert {control.case for control in twice} == {"a"}
    assert len(twice) == 5


@pytest.mark.parametrize("fact", [".", "...!", "1" * 5000, "9" * 40, "{0} {x}"])
def test_a_fact_of_any_shape_has_its_controls(fact):
    answers = by_kind(case(fact))
    assert {"stated", "vague", "negated", "pleading"} <= answers.keys()
    assert fact.strip("!.") in answers["stated"]
    assert answers.get("wrong") != answers["stated"]
