"""A judge may gate where it tells stated facts from wrong answers, and the rate of those that pass is told."""

import pytest

from foldproof.compare.judge_controls import ControlVerdict, control_rates


def rates(**words):
    kinds = {"stated": "stated", "vague": "vague", "wrong": "wrong"}
    return control_rates(
        ControlVerdict(kinds[kind], f"case{at}", "is kind", word)
        for kind, said in words.items()
        for at, word in enumerate(said)
    )


def test_a_sound_judge_may_gate_and_its_rate_is_told():
    found = rates(stated=["met", "met"], vague=["not met", "cannot tell"], wrong=["met", "not met"])
    assert found.may_not_gate == ""
    assert str(found) == (
        "it lets 1 of 4 wrong answers pass (vague 0 of 2, wrong 1 of 2) and 2 of 2 that state the fact"
    )
    assert found.fooled == ("case0: is kind",)


def test_what_has_no_verdict_counts_for_nothing_and_is_told():
    found = rates(stated=["met"], wrong=["not met", None])
    assert (found.of["wrong"], found.unjudged) == (1, 1)
    assert str(found).endswith("; on 1 it gave no verdict")
    assert str(rates(stated=[None], wrong=[None])) == "it gave no verdict on any of the 2 answers made to measure it"


@pytest.mark.parametrize(
    ("words", "why"),
    [
        ({}, "never measured"),
        ({"stated": ["met"]}, "never measured"),
        ({"wrong": ["not met"]}, "never measured"),
        ({"stated": [None], "wrong": [None]}, "never measured"),
        ({"stated": ["met"], "wrong": ["met"]}, "does not tell"),
        ({"stated": ["not met"], "wrong": ["not met"]}, "does not tell"),
        ({"stated": ["met"] * 20, "wrong": ["met"] * 19 + ["not met"]}, "does not tell"),
        ({"stated": ["met"] * 20, "wrong": ["met"] * 18 + ["not met"] * 2}, ""),
    ],
)
def test_a_judge_that_does_not_tell_them_apart_may_not_gate(words, why):
    found = rates(**words).may_not_gate
    assert why in found
    assert bool(found) is bool(why)
