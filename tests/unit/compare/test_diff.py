"""The diff of two scored runs, and of two configurations."""

import pytest

from foldproof.compare import FactChange, config_differences, diff_scores
from foldproof.compare.diff import count_owners, lost_facts
from foldproof.score import CaseScore, FactScore, Loss, TrialScore


@pytest.mark.parametrize(
    ("before", "after", "change"),
    [
        ("P", "P", "kept"),
        ("PP", "P", "kept"),
        ("P", "F", "lost"),
        ("F", "PP", "recovered"),
        ("F", "FF", "failing"),
        ("PF", "P", "flaky"),
        ("P", "PF", "flaky"),
        (None, "P", "new"),
        (None, "F", "new"),
        (None, "PF", "new"),
        (None, "E", "error"),
        ("P", "E", "error"),
        ("P", "PE", "error"),
        ("E", "P", "error"),
        ("PE", "P", "error"),
        ("", "P", "error"),
        ("P", "", "error"),
    ],
)
def test_each_change_has_its_name(scores, before, after, change):
    (found,) = diff_scores(scores(q=before) if before is not None else {}, scores(q=after))
    assert found.change == change
    assert found.before == (None if before is None else scores(q=before)["q"].outcome)
    assert (found.after, found.trials) == (scores(q=after)["q"].outcome, len(after))


def test_what_only_one_side_has_is_new_or_gone(scores):
    changes = diff_scores(scores(a="P", b=("F", "safety")), scores(c="P", a="P"))
    assert [(change.id, change.change) for change in changes] == [("c", "new"), ("a", "kept"), ("b", "gone")]
    assert (changes[2].case_class, changes[2].before, changes[2].after) == ("safety", "fail", None)


def test_a_vacuous_case_is_told_whatever_became_of_it(scores):
    changes = diff_scores(scores(a="P", b="P"), scores(a="F", b="P"), vacuous=("a",))
    assert [change.change for change in changes] == ["vacuous", "kept"]


def test_the_first_error_is_told(scores):
    (change,) = diff_scores(scores(q="P"), scores(q="PEE"))
    assert change.error == "agent: broke"
    assert diff_scores(scores(q="P"), scores(q="F"))[0].error == ""


def test_the_worst_of_the_trials_is_told_fact_by_fact(scores):
    (change,) = diff_scores(scores(q=("P", "semantic", ("x", "y"))), scores(q=("PFF", "semantic", ("x", "y"))))
    assert change.facts == tuple(
        FactChange(name, "expected", "held", "missed", bad=2, trials=3, reason="why", owner="unknown") for name in "xy"
    )
    assert [fact.ok for fact in change.facts] == [False, False]


def test_a_fact_that_held_has_no_owner(scores):
    (change,) = diff_scores(scores(q="FP"), scores(q="PP"))
    assert change.facts == (FactChange("fact", "expected", "missed", "held", bad=0, trials=2),)
    assert change.facts[0].ok


def _abstaining(*trials):
    """A case that may admit ignorance or hold its fact; each trial is told by its outcome and that of its two facts."""
    return {
        "q": CaseScore(
            "q",
            "semantic",
            tuple(
                TrialScore(n, outcome, (FactScore("admits", "expectation", admits), FactScore("f", "expected", fact)))
                for n, (outcome, admits, fact) in enumerate(trials)
            ),
        )
    }


ADMITTED, SAID, WRONG = ("pass", "held", "missed"), ("pass", "missed", "held"), ("fail", "missed", "missed")


def test_what_a_passing_trial_did_not_need_is_not_bad():
    (change,) = diff_scores(_abstaining(SAID), _abstaining(ADMITTED, SAID))
    assert change.change == "kept"
    assert [(fact.bad, fact.trials, fact.ok, fact.owner, fact.reason) for fact in change.facts] == [
        (0, 2, True, None, "")
    ] * 2
    (change,) = diff_scores(_abstaining(SAID), _abstaining(ADMITTED, WRONG, SAID))
    assert [(fact.bad, fact.after, fact.ok, fact.owner) for fact in change.facts] == [
        (1, "missed", False, "unknown")
    ] * 2


@pytest.mark.parametrize("trials", [(ADMITTED, SAID), (SAID, ADMITTED), (ADMITTED, WRONG), (WRONG, SAID)])
def test_no_fact_of_a_run_differs_from_itself(trials):
    (change,) = diff_scores(_abstaining(*trials), _abstaining(*trials))
    assert [fact.before for fact in change.facts] == [fact.after for fact in change.facts]


def test_a_fact_that_was_not_judged_is_not_ok_and_has_no_owner(scores):
    (change,) = diff_scores({}, scores(q="E"))
    assert change.facts == (FactChange("fact", "expected", None, "error", bad=1, trials=1),)
    assert not change.facts[0].ok


def test_a_fact_that_is_new_to_a_case_has_no_before(scores):
    (change,) = diff_scores(scores(q=("P", "semantic", ("x",))), scores(q=("P", "semantic", ("x", "y"))))
    assert [fact.before for fact in change.facts] == ["held", None]
    assert not FactChange("x", "expected", "held", None).ok


@pytest.mark.parametrize(
    ("before", "after", "told"),
    [
        ({}, {}, ()),
        ({"a": {"b": {"c": 1}}}, {"a": {"b": {"c": 1}}}, ()),
        ({"memory": {"k": 8, "kind": "x"}}, {"memory": {"k": 4, "kind": "x"}}, ("memory.k: 8 -> 4",)),
        ({"memory": {}}, {"memory": {"k": 4}}, ("memory.k: (none) -> 4",)),
        ({"m": {"k": 4}}, {}, ("m.k: 4 -> (none)",)),
        ({"folds": None, "model": {}}, {}, ()),
        ({"folds": None}, {"folds": 0}, ("folds: (none) -> 0",)),
        ({"b": 1, "a": "x"}, {"b": 2, "a": "y"}, ("a: x -> y", "b: 1 -> 2")),
        ({"k": 8}, {"k": "8"}, ('k: 8 -> "8"',)),
        ({"k": 1}, {"k": True}, ("k: 1 -> true",)),
        ({"k": 1}, {"k": 1.0}, ("k: 1 -> 1.0",)),
        ({"k": "(none)"}, {}, ('k: "(none)" -> None',)),
        ({"k": ["a", 1]}, {"k": ["a", 2]}, ('k: ["a",1] -> ["a",2]',)),
        ({"a": 1}, {"a": {"b": 1}}, ("a: 1 -> (none)", "a.b: (none) -> 1")),
    ],
)
def test_what_differs_between_two_configurations(before, after, told):
    assert config_differences(before, after) == told


def _lossy(owners):
    """Scores of one case whose only fact each trial lost at the given owner."""
    trials = tuple(
        TrialScore(
            repeat,
            "pass" if owner == "-" else "fail",
            (FactScore("5F", "expected", "held" if owner == "-" else "missed", loss=_loss(owner)),),
        )
        for repeat, owner in enumerate(owners)
    )
    return {"q": CaseScore("q", "semantic", trials)}


def _loss(owner):
    return Loss(owner, f"why {owner}", ()) if owner not in {"-", ""} else None


@pytest.mark.parametrize(
    ("owners", "owner"),
    [
        (["fold"], "fold"),
        (["use", "fold", "use"], "use"),
        (["use", "fold"], "fold"),  # of equals the earliest stage
        (["unknown", "use"], "use"),
        (["unknown"], "unknown"),
        (["", ""], "unknown"),
        (["-", "retrieve"], "retrieve"),
        (["-"], None),
    ],
)
def test_the_owner_is_that_of_most_trials(owners, owner):
    [change] = diff_scores(_lossy("-"), _lossy(owners))
    [fact] = change.facts
    assert fact.owner == owner
    assert fact.why == ("" if owner is None or owners == ["", ""] else f"why {owner}")


def test_owners_are_counted_in_the_order_of_the_stages():
    changes = diff_scores(_lossy("-"), _lossy(["fold"]))
    assert [fact.fact for fact in lost_facts(changes[0])] == ["5F"]
    assert lost_facts(diff_scores(_lossy(["fold"]), _lossy(["fold"]))[0]) == ()
    assert lost_facts(diff_scores({}, _lossy(["fold"]))[0]) == ()
    assert count_owners(["use", "fold", None, "unknown", "fold"]) == {"fold": 2, "use": 1, "unknown": 1}


def test_a_fact_that_was_wrong_before_or_is_not_judged_was_not_lost():
    before = {"q": CaseScore("q", "safety", (TrialScore(0, "pass", (FactScore("5F", "expected", "missed"),)),))}
    assert lost_facts(diff_scores(before, _lossy(["fold"]))[0]) == ()
    error = (FactScore("5F", "expected", "error"),)
    flaky = {"q": CaseScore("q", "safety", (TrialScore(0, "fail", error), TrialScore(1, "pass", error)))}
    assert lost_facts(diff_scores(_lossy("-"), flaky)[0]) == ()
