"""The plan is a pure value: cases times repeats, less what is done, each with its memory."""

import pytest

from foldproof.cases import Case, CaseSession, CaseTurn, Configuration, Expectation, ExpectedCall
from foldproof.cases.counterparts import Counterpart, Line, Simulated
from foldproof.matching import Fact
from foldproof.record import TrialKey
from foldproof.run import Plan, control_gap, plan_trials
from foldproof.run.plan import WHOLE

CASES = (Case("b", "?", memory_config={"k": 3, "own": 1}), Case("a", "?", history="h"), Case("c", "?", history="g"))
CONFIGURATION = Configuration("production", {"recall": ""}, memory={"kind": "verbatim", "k": 8})


@pytest.fixture
def planned(history):
    histories = {"h": history("x"), "g": history("x", name="g")}

    def planning(cases=CASES, configuration=CONFIGURATION, **options):
        return plan_trials(cases, configuration, **{"histories": histories, **options})

    return planning


def test_every_case_comes_first_once_in_the_order_of_the_set(planned):
    keys = [trial.key for trial in planned(repeats=2)]
    assert keys == [("b", 0), ("a", 0), ("c", 0), ("b", 1), ("a", 1), ("c", 1)]


def test_what_is_done_is_left_out(planned):
    done = {TrialKey("b", 0), TrialKey("c", 1), TrialKey("gone", 0)}
    assert [trial.key for trial in planned(repeats=2, done=done)] == [("a", 0), ("c", 0), ("b", 1), ("a", 1)]
    assert planned(done={TrialKey(case.id, 0) for case in CASES}) == ()


def test_more_repeats_ask_the_rest_only(planned):
    """B63: a run has one trial of each case, five are wanted."""
    done = {trial.key for trial in planned()}
    again = planned(repeats=5, done=done)
    assert len(again) == 4 * len(CASES)
    assert {trial.repeat for trial in again} == {1, 2, 3, 4}


def test_the_memory_of_a_case_is_overlaid_by_the_configurations(planned):
    first, second, _ = planned()
    assert first.memory_config == {"kind": "verbatim", "k": 8, "own": 1}
    assert second.memory_config == {"kind": "verbatim", "k": 8}
    assert (first.history, second.history.name) == (None, "h")


def test_unplugged_there_is_neither_memory_nor_history(planned):
    for trial in planned(control="unplugged"):
        assert trial.memory_config == {"kind": "none"}
        assert trial.history is None
        assert trial.asked == trial.case.question
        assert trial.unplugged


CALLED = Expectation("tool_called", (ExpectedCall("refund"),))
TAKEN_BACK, ANSWER = Line(CALLED, "No, the other one."), Line(CALLED, "Thanks.")


@pytest.mark.parametrize(
    ("counterpart", "left"),
    [
        (Counterpart((TAKEN_BACK,)), None),
        (Counterpart((TAKEN_BACK,), (ANSWER,)), Counterpart(rules=(ANSWER,))),
        (Counterpart((TAKEN_BACK,), simulated=Simulated("a refund")), Counterpart(simulated=Simulated("a refund"))),
        (Counterpart(rules=(ANSWER,)), Counterpart(rules=(ANSWER,))),
    ],
)
def test_unplugged_a_case_of_one_turn_is_not_corrected_either(planned, counterpart, left):
    turn = CaseTurn("Refund it.", (CALLED,), counterpart)
    case = Case("a", "Refund it.", sessions=(CaseSession((turn,)),))
    (given,) = planned((case,), control="unplugged")
    assert given.case.sessions[0].turns[0].counterpart == left
    (given,) = planned((case,))
    assert given.case is case
    longer = Case("a", "Refund it.", sessions=(CaseSession((turn,)), CaseSession((CaseTurn("And?"),))))
    (given,) = planned((longer,), control="unplugged")
    assert given.case is longer, "what is corrected in one session is to be remembered in the next"


def test_under_the_oracle_the_facts_stand_in_the_message_and_nowhere_else(planned):
    cases = (Case("a", "Which?", expected=(Fact("exact", "raw SQL"),), history="h", memory_config={"k": 3}),)
    agent = Configuration("production", {"python": "a:b"}, memory={"kind": "verbatim"})
    (trial,) = planned(cases, agent, control="oracle")
    assert trial.asked == "What is known:\n- raw SQL\n\nQuestion: Which?"
    assert (trial.memory_config, trial.history, trial.unplugged) == ({"kind": "none"}, None, False)
    (plain,) = planned(cases, agent)
    assert (plain.asked, plain.unplugged, plain.history.name) == ("Which?", False, "h")


def test_the_controls_of_recall_are_a_memory_that_holds_them(planned):
    cases = (Case("a", "Which?", expected=(Fact("normalized", "Postgres 15"),), history="h"),)
    (oracle,) = planned(cases, control="oracle")
    (full,) = planned(cases, control="full")
    assert oracle.asked == full.asked == "Which?"
    assert [turn.text for session in oracle.history.sessions for turn in session.turns] == ["Postgres 15"]
    assert full.history.name == "h"
    assert oracle.memory_config == full.memory_config == WHOLE
    assert oracle.memory_key != full.memory_key


def test_a_case_that_cannot_have_the_control_is_left_out(planned):
    assert [trial.key.case for trial in planned(control="full", repeats=2)] == ["a", "c"] * 2
    pattern = (Case("p", "?", expected=(Fact("pattern", "x+"),)), Case("a", "?", abstain=True))
    assert [trial.key.case for trial in planned(pattern, control="oracle")] == ["a"]
    assert [control_gap(case, "unplugged", histories={}) for case in pattern] == ["", ""]
    assert control_gap(pattern[0], "", histories={}) == ""


@pytest.mark.parametrize("configuration", [CONFIGURATION, Configuration("p", {"python": "a:b"})])
def test_who_is_to_admit_ignorance_is_told_nothing_by_the_oracle(planned, configuration):
    abstaining = (Case("a", "Which?", expected=(Fact("normalized", "not Postgres"),), abstain=True, history="h"),)
    (trial,) = planned(abstaining, configuration, control="oracle")
    assert (trial.asked, trial.memory_config, trial.history) == ("Which?", {"kind": "none"}, None)
    assert trial.unplugged, "it may have nothing to say"


def test_a_memory_of_the_agents_own_is_given_no_history(planned):
    external = Configuration("production", {"recall": ""}, memory={"kind": "external"})
    assert [(trial.history, trial.memory_config["kind"]) for trial in planned(configuration=external)] == [
        (None, "external")
    ] * 3
    own = (Case("a", "?", history="h", memory_config={"kind": "external"}),)
    assert [trial.history.name for trial in planned(own)] == ["h"], "the configuration's kind counts"
    assert [trial.memory_config for trial in planned(configuration=external, control="unplugged")] == [
        {"kind": "none"}
    ] * 3


def test_trials_share_a_memory_where_all_that_makes_it_agrees(planned):
    own, one, other = planned()
    assert one.memory_key == other.memory_key != own.memory_key
    assert Plan("r", planned(repeats=3)).shared == {own.memory_key: 3, one.memory_key: 6}
    renamed = Configuration("candidate", CONFIGURATION.agent, memory=CONFIGURATION.memory)
    assert planned(configuration=renamed)[1].memory_key == one.memory_key


@pytest.mark.parametrize(
    "changed",
    [
        Configuration("production", {"recall": ""}, memory={"kind": "verbatim", "k": 4}),
        Configuration("production", {"recall": ""}, memory={"kind": "verbatim", "k": 8}, folds=2),
        Configuration("production", {"python": "a:b"}, memory={"kind": "verbatim", "k": 8}),
    ],
)
def test_another_configuration_is_another_memory(planned, changed):
    assert planned(configuration=changed)[1].memory_key != planned()[1].memory_key


def test_another_history_is_another_memory(planned, history):
    changed = planned(histories={"h": history("y"), "g": history("x", name="g")})
    assert changed[1].memory_key != planned()[1].memory_key
    assert changed[2].memory_key == planned()[2].memory_key
