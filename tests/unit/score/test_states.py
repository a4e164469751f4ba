"""End states against what is expected of them: which differ, where, and in what."""

from __future__ import annotations

from dataclasses import replace

import pytest

from foldproof.cases import Case, CaseSession, CaseTurn, Expectation
from foldproof.cases.expectation_wire import expectation_of
from foldproof.core import REDACTED
from foldproof.logs import MemoryItem
from foldproof.matching import Fact
from foldproof.record import StoreListing, Trial, TurnRecord
from foldproof.score import Records, score_trial
from foldproof.score.conditions import condition_holds
from foldproof.score.states import NO_STATE, judge_state

REFUND = {"id": "R1", "order_id": 5310, "method": "store_credit", "amount": 39.5}
SHOP = {"orders": [5310], "refunds": [REFUND], "note": "Dented at the rim.", "open": True}


def verdict(expected, state=SHOP):
    found = judge_state(expectation_of({"state": expected}), state)
    return found.outcome, found.reason


@pytest.mark.parametrize(
    "expected",
    [
        {"refunds": [{"order_id": 5310, "method": "store_credit"}]},
        {"refunds": [{}]},
        {"refunds": [{"order_id": 5310.0, "amount": {"value": 39, "tolerance": 1}}]},
        {"refunds": [{"method": {"any_of": ["gift_card", "store_credit"]}}]},
        {"refunds": [{"id": {"matches": "^R[0-9]+$"}}], "note": {"contains": "dented"}},
        {"is": SHOP, "mode": "exact"},
        {"is": {**SHOP, "note": {"contains": "rim"}}, "mode": "exact"},
    ],
)
def test_a_state_that_holds_what_is_expected(expected):
    assert verdict(expected) == ("held", "")


@pytest.mark.parametrize(
    ("expected", "reason"),
    [
        (
            {"refunds": [{"order_id": 5310, "method": "card"}]},
            'refunds[0].method: value (expected the text "card", found the text "store_credit")',
        ),
        ({"refunds": [{"order_id": "5310"}]}, 'refunds[0].order_id: type (expected the text "5310", found the number'),
        ({"refunds": [{"reason": "dent"}]}, 'refunds[0].reason: missing (expected the text "dent")'),
        ({"callbacks": []}, "callbacks: missing (expected list []"),
        ({"refunds": []}, "refunds[0]: extra (found the object {"),
        ({"refunds": [{}, {"order_id": 4021}]}, 'refunds[1]: missing (expected object {"order_id": 4021})'),
        ({"note": "dented at the rim."}, "note: case (expected"),
        ({"open": 1}, "open: type (expected the number 1, found true)"),
        ({"note": {"contains": "handle"}}, "note: value (expected a text that contains 'handle', found"),
        (
            {"refunds": [{"amount": {"value": 30, "tolerance": 1}}]},
            "refunds[0].amount: value (expected the number 30±1",
        ),
        ({"refunds": [{"id": {"any_of": [1, 2]}}]}, "refunds[0].id: type (expected one of <1 | 2>"),
        ({"is": {"refunds": [{"order_id": 5310}]}, "mode": "exact"}, "refunds[0].id: extra"),
    ],
)
def test_a_difference_names_its_path_and_kind(expected, reason):
    outcome, told = verdict(expected)
    assert outcome == "missed"
    assert told.startswith(f"the state differs in {reason}")


def test_many_differences_are_told_by_the_first():
    outcome, told = verdict({str(number): number for number in range(9)})
    assert outcome == "missed"
    assert told.endswith(" and 4 more")


def test_a_state_that_cannot_be_seen_is_an_error_and_never_a_pass():
    for expected in ({"refunds": []}, {"is": {"a": None}, "mode": "exact"}):
        assert verdict(expected, None) == ("error", NO_STATE)
    score = score_trial(Case("a", "Refund.", expect=(expectation_of({"state": {"a": 1}}),)), Trial("a", 0, "done"))
    assert (score.outcome, score.error) == ("error", f"expectation 'state: a=1' was not judged: {NO_STATE}")


def test_a_redacted_part_is_an_error_where_it_alone_makes_the_difference():
    state = {"key": REDACTED, "refunds": []}
    assert verdict({"key": "k1"}, state)[0] == "error"
    assert verdict({"key": "k1", "refunds": [{}]}, state)[0] == "missed"
    assert verdict({"refunds": []}, state) == ("held", "")


def test_B39_another_path_to_the_same_end_state():
    state = expectation_of({"state": {"refunds": [{"order_id": 5310}]}})
    way = expectation_of({"tool_called": "check_eligibility(order_id=5310)"})
    trial = Trial("a", 0, "Refunded.", tool_calls=(), state=SHOP)
    assert score_trial(Case("a", "Refund.", expect=(state,)), trial).outcome == "pass"
    assert score_trial(Case("a", "Refund.", expect=(state, way)), trial).outcome == "fail"
    assert score_trial(Case("a", "Refund.", expect=(state,)), replace(trial, state={"refunds": []})).outcome == "fail"


STATE = Expectation("state", state={"refunds": [{"order_id": 5310, "method": "store_credit"}]})
SAYS, ASKS = "Refund me in store credit.", "Refund order 5310."
EMPTY, FULL = StoreListing(()), StoreListing((MemoryItem("refund_method: store credit", id="n1"),))


def two_sessions(state, **second):
    sessions = (CaseSession((CaseTurn(SAYS),)), CaseSession((CaseTurn(ASKS, (STATE,)),)))
    kept = second.pop("kept", EMPTY)
    first = TurnRecord(1, 1, SAYS, answer="Noted.", store_written=kept.sha256, store_kept=kept.sha256)
    last = TurnRecord(2, 1, ASKS, answer="Done.", tool_calls=(), state=state, **second)
    ends = {"store_written": EMPTY.sha256, "store_kept": EMPTY.sha256}
    trial = Trial("a", 0, "Done.", turns=(first, last), tool_calls=(), state={"refunds": []}, **ends)
    listings = {listing.sha256: listing for listing in (EMPTY, FULL)}
    return score_trial(Case("a", ASKS, sessions=sessions), trial, records=Records({}, listings.get)).facts[0]


@pytest.mark.parametrize(
    ("state", "second", "owner"),
    [
        ({"refunds": [{"order_id": 5310, "method": "card"}]}, {"prompt": "?", "memory_reads": ()}, "write"),
        (
            {"refunds": [{"order_id": 5310, "method": "card"}]},
            {"prompt": "?", "memory_reads": (), "kept": FULL},
            "retrieve",
        ),
        (
            {"refunds": [{"order_id": 5310, "method": "card"}]},
            {"prompt": "store credit", "memory_reads": FULL.items, "kept": FULL},
            "use",
        ),
        ({"refunds": []}, {"prompt": "?", "memory_reads": ()}, "write"),
        ({}, {"prompt": "?", "memory_reads": ()}, "write"),
        ({"refunds": [{"order_id": True, "method": "store_credit"}]}, {"prompt": "?", "memory_reads": ()}, None),
        ({"refunds": [REFUND, REFUND]}, {"prompt": "?", "memory_reads": ()}, None),
    ],
)
def test_who_lost_what_a_state_lacks(state, second, owner):
    score = two_sessions(state, **second)
    assert score.outcome == "missed"
    assert (score.loss.owner if score.loss else None) == owner


def test_a_turn_is_held_against_its_own_state():
    assert two_sessions(SHOP).outcome == "held"
    assert two_sessions({"refunds": []}).outcome == "missed"
    assert two_sessions(None).outcome == "error"


def test_a_forbidden_fact_beside_a_state_has_its_own_owner():
    case = Case("a", ASKS, forbidden=(Fact("normalized", "card"),), expect=(STATE,))
    assert score_trial(case, Trial("a", 0, "To your card.", state=SHOP)).outcome == "fail"


def test_what_a_user_says_next_may_depend_on_the_state():
    turn = TurnRecord(1, 1, "Refund it.", state=SHOP)
    made = expectation_of({"state": {"refunds": [{"order_id": 5310}]}})
    assert condition_holds(made, turn) is True
    assert condition_holds(made, replace(turn, state={"refunds": []})) is False
    assert condition_holds(made, replace(turn, state=None)) is None


@pytest.mark.parametrize(
    ("prompt", "owner"),
    [
        ("[system]\nHelp.\n\n[user]\nRefund.\n\n[tools]\ncreate_refund: to a card or as store credit", "retrieve"),
        ("[system]\nYou know: store credit.\n\n[tools]\ncreate_refund: to a card", "use"),
    ],
)
def test_the_tools_on_offer_tell_nothing_of_the_user(prompt, owner):
    state = {"refunds": [{"order_id": 5310, "method": "card"}]}
    assert two_sessions(state, prompt=prompt, memory_reads=(), kept=FULL).loss.owner == owner
