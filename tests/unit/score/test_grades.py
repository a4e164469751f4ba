"""The grade of a session, the counts over sessions, and what they come to."""

import pytest

from foldproof.logs import Outcome, Said
from foldproof.score.divergence import Divergence
from foldproof.score.grades import Ruling, grade_session, reach_of, ruling_of, scale_of, tally_of, verdict_of

from .talks import agent, call, steps, user

TALK = steps(
    user("Refund order #4021."),
    agent("I look."),
    call("look", order_id=4021),
    call("refund", order_id=4022),
    agent("Refunded."),
    user("I meant the other order."),
    agent("Sorry."),
)
NOT_MET = Ruling("not met", "judge", reason="the wrong order")


def graded(verdict, divergence=None, talk=TALK):
    return grade_session("s", talk, ruling=Ruling(verdict), divergence=divergence)


def test_a_judged_divergence_is_where_it_failed():
    found = Divergence(3, (2, 3), {2: "open", 3: "lost"})
    grade = grade_session("s", TALK, ruling=NOT_MET, divergence=found, user="ada", questions=3, shortened=True)
    assert (grade.steps, grade.turns, grade.bad_turns) == (7, 2, 1)
    assert (grade.failure.step, grade.failure.by, grade.failure.message, grade.failure.turn) == (4, "judge", 0, 1)
    assert (grade.failure.label, grade.failure.last_good) == ("refund", "look")
    assert grade.failure.quote == 'refund {"order_id": 4022}'
    assert (grade.user, grade.questions, grade.shortened, grade.judged) == ("ada", 3, True, True)
    assert (grade.sign.kind, grade.sign.step, grade.agrees) == ("user correction", 5, False)


def test_the_message_to_cut_at_is_counted_as_in_an_imported_history():
    late = steps(user("Hi"), agent("Hello."), call("look"), Said("agent", "Hm.", kind="interim"), user("Order 4021."),
                 call("refund", order_id=4022))  # fmt: skip
    assert graded("not met", talk=late).failure.message == 3
    assert graded("not met", talk=late[:2]).failure.message == 0, "nothing stands before the first message"


def test_judge_and_locator_can_agree():
    assert graded("not met", Divergence(4, (3, 4))).agrees is True


def test_without_a_judged_step_the_signs_are_first_aid():
    for grade in (graded("not met"), graded("unknown"), graded("not met", Divergence(None, (0, 5)))):
        assert (grade.failure.by, grade.failure.step, grade.agrees) == ("signs", 5, None)


def test_a_session_that_met_its_goal_has_no_failure_whatever_its_signs():
    grade = graded("met")
    assert (grade.failure, grade.sign.kind, grade.bad_turns) == (None, "user correction", 1)


def test_a_session_without_a_step_of_the_agent_has_no_place():
    grade = graded("not met", talk=steps(user("Hello?")))
    assert (grade.failure, grade.sign, grade.turns, grade.bad_turns) == (None, None, 0, 0)


def test_where_the_agent_began_there_is_no_message_to_cut_at():
    grade = graded("not met", talk=steps(agent("Here is a simulated price.")))
    assert (grade.failure.message, grade.failure.last_good, grade.bad_turns) == (0, "(start)", 1)


def test_the_first_act_is_no_bad_turn():
    talk = steps(user("Hi"), agent("Hello."))
    told = [graded(verdict, talk=talk) for verdict in ("not met", "unknown", "met")]
    assert {(grade.sign.kind, grade.bad_turns) for grade in told} == {("first act", 0)}
    assert [bool(grade.failure) for grade in told] == [True, False, False]


def test_the_most_trusted_signs_are_kept_in_order_and_all_are_counted():
    calls = [call("f", "Error: x", n=number) for number in range(30)]
    grade = graded("unknown", talk=steps(user("Go."), *calls, agent("It has been sent.")))
    assert (len(grade.signs), grade.signs_found) == (20, 31)
    assert [sign.step for sign in grade.signs] == [*range(2, 21), 32]


@pytest.mark.parametrize(
    ("values", "verdict"),
    [
        ([1.0], "met"), ([True], "met"), (["C"], "met"), ([True, True], "met"),
        ([0], "not met"), ([False], "not met"), (["I"], "not met"), ([True, False], "not met"),
        ([0.5], "cannot tell"), (["maybe"], "cannot tell"), ([True, "maybe"], "cannot tell"),
    ],
)  # fmt: skip
def test_a_label_of_the_log_is_a_verdict_where_it_says_yes_or_no(values, verdict):
    told = [Outcome("other", False), *(Outcome("reward", value) for value in values)]
    ruling = ruling_of(told, "reward")
    assert (ruling.verdict, ruling.by) == (verdict, "outcome")
    assert ruling.reason.startswith("reward: ")


def test_a_session_without_the_label_has_no_verdict():
    assert ruling_of([Outcome("other", True)], "reward") == Ruling(
        "unknown", reason="the log holds no `reward` for this session"
    )


@pytest.mark.parametrize(
    ("value", "scale"),
    [(1, None), (0.0, None), (True, None), ("pass", None), ("nan", None), (5, 5.0), ("4", 4.0), (-1, -1.0)],
)
def test_a_value_beyond_a_yes_or_a_no_is_of_a_scale(value, scale):
    assert scale_of([Outcome("other", 9), Outcome("stars", value)], "stars") == scale


def test_a_failure_to_judge_says_nothing_about_reach():
    assert [reach_of(word) for word in ("met", "not met", "cannot tell", None)] == [
        "lost", "open", "cannot tell", "cannot tell",
    ]  # fmt: skip


def test_sessions_are_counted_with_those_that_nobody_could_judge():
    doubted = Divergence(3, (2, 3), {}, ("a doubt",))
    tally = tally_of([graded("met"), graded("not met", doubted), graded("not met"), graded("error"), graded("unknown")])
    assert (tally.sessions, tally.unjudged, dict(tally.verdicts)) == (
        5, 2, {"met": 1, "not met": 2, "error": 1, "unknown": 1},
    )  # fmt: skip
    assert (tally.turns, tally.bad_turns) == (10, 5)
    assert (tally.compared, tally.agreed, tally.doubted) == (1, 0, 1)
    assert tally.transitions == {("look", "refund", "judge"): 1, ("refund", "reply", "signs"): 3}
    assert tally.signs["user correction"] == 5


@pytest.mark.parametrize(
    ("verdicts", "need", "word"),
    [
        ([], None, "inconclusive"),
        (["met", "not met"], None, "pass"),
        (["met", "error"], None, "inconclusive"),
        (["met", "cannot tell"], None, "inconclusive"),
        (["met", "met", "error"], 2, "pass"),
        (["met", "not met", "error"], 2, "inconclusive"),
        (["met", "not met", "not met"], 2, "blocked"),
    ],
)
def test_a_failure_to_judge_never_makes_a_pass(verdicts, need, word):
    told, why = verdict_of(tally_of([graded(verdict) for verdict in verdicts]), need)
    assert (told, bool(why)) == (word, True)
