"""Leaving the frozen path: a different tool, a question instead of an action, no call where one was."""

import pytest

from foldproof.cases import Case
from foldproof.compare import departure, path_findings
from foldproof.compare.departures import Departure
from foldproof.logs import AnsweredCall, ModelCall, PastTurn, Seen, ToolCall
from foldproof.record import Trial, TrialError, TurnRecord

LOOK = ToolCall("check_order", {"order_id": 4021})
PREFIX = (
    PastTurn("agent", "Hello!", (AnsweredCall(ToolCall("greet"), ""),)),
    PastTurn("user", "Return the blender from order 4021."),
    PastTurn("agent", "", (AnsweredCall(LOOK, "delivered"),)),
    PastTurn("agent", "Was it damaged?"),
    PastTurn("user", "It was."),
    PastTurn("agent", "Understood."),
)
CASE = Case("replay-1188", "So what now?", case_class="episodic", frozen=PREFIX)


def turn(number, calls=(), answer="Done.", **more):
    return TurnRecord(1, number, f"message {number}", answer=answer, tool_calls=calls, **more)


def trial(*turns, **more):
    return Trial("replay-1188", 0, tool_calls=(), turns=turns, **more)


@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [
        (turn(1, (LOOK,)), turn(2), None),
        (turn(1, (ToolCall("check_order", {"order_id": "4021", "fast": True}),)), turn(2), None),
        (turn(1, (ToolCall("check_order"),)), turn(2), None),
        (turn(1, (LOOK, LOOK)), turn(2), None),
        (turn(1, (ToolCall("search_memory", {"query": "x"}), LOOK)), turn(2), None),
        (turn(1, (LOOK,), "Shall I go on?"), turn(2, answer="Anything else?"), None),
        (turn(1), turn(2), (2, "no call", "makes no call where check_order was called")),
        (turn(1, answer='Which order? "'), turn(2), (2, "asks back", "asks back where check_order was called")),
        (turn(1, answer="どの注文ですか？"), turn(2), (2, "asks back", "asks back where check_order was called")),
        (
            turn(1, (ToolCall("search_memory"),)),
            turn(2),
            (2, "no call", "makes no call where check_order was called"),
        ),
        (turn(1, (ToolCall("refund"),)), turn(2), (2, "other tool", "calls refund where check_order was called")),
        (
            turn(1, (LOOK, ToolCall("refund"))),
            turn(2),
            (2, "other tool", "calls check_order and refund where check_order was called"),
        ),
        (
            turn(1, (ToolCall("check_order", {"order_id": 4022}),)),
            turn(2),
            (2, "other arguments", "calls check_order with order_id=4022 where it was 4021"),
        ),
        (turn(1, (LOOK,)), turn(2, (LOOK,)), (4, "further call", "calls check_order where nothing was called")),
        (
            turn(1, None),
            turn(2),
            (2, "unseen", "the agent does not show its tool calls, so whether it leaves the frozen path is not known"),
        ),
    ],
)
def test_the_first_turn_that_does_another_thing(first, second, expected):
    found = departure(CASE, trial(first, second, turn(3, (ToolCall("whatever"),))))
    assert (found and (found.turn, found.kind, found.told)) == expected


def test_texts_are_compared_loosely_and_long_ones_not_at_all():
    then = ToolCall("write", {"to": "Ann Lee", "body": "x" * 100})
    case = Case("replay-1188", "q", frozen=(PastTurn("user", "a"), PastTurn("agent", "", (AnsweredCall(then, ""),))))
    assert departure(case, trial(turn(1, (ToolCall("write", {"to": "ann  LEE.", "body": "y" * 100}),)))) is None
    assert departure(case, trial(turn(1, (ToolCall("write", {"to": "Bob", "body": ""}),)))) == Departure(
        1, "a", "other arguments", 'calls write with to="Bob" where it was "Ann Lee"'
    )


def test_calls_that_only_the_wire_shows_are_compared():
    seen = Seen("wire", (ModelCall("user: message 1", "Done.", (LOOK,)),))
    assert departure(CASE, trial(turn(1, None, seen=(seen,)), turn(2))) is None


def test_each_case_that_leaves_its_path_is_a_finding():
    (found,) = path_findings([CASE, Case("plain", "q")], [trial(turn(1), turn(2)), Trial("plain", 0), Trial("gone", 0)])
    assert (found.id, found.case_class, found.control, found.finding) == (
        "replay-1188",
        "episodic",
        "live",
        "departed",
    )
    assert found.reason == (
        "replay misleads from turn 2 on: after 'Return the blender from order 4021.' it makes no call where "
        "check_order was called; let a simulated user answer what it really does (`simulated`)"
    )
    assert path_findings([CASE], [trial(turn(1, (LOOK,)), turn(2), turn(3))]) == ()


def test_what_cannot_be_seen_is_no_finding_of_a_path():
    broken = TrialError("agent", "boom")
    (unseen,) = path_findings([CASE], [trial(turn(1, None))])
    assert (unseen.finding, "does not show" in unseen.reason) == ("unjudged", True)
    (early,) = path_findings([CASE], [trial(turn(1, (LOOK,)), error=broken)])
    assert (early.finding, early.reason) == ("unjudged", "agent: boom")
    assert path_findings([CASE], [trial(turn(1, (LOOK,)), turn(2), turn(3), error=broken)]) == ()
    (left,) = path_findings([CASE], [trial(turn(1), error=broken)])
    assert left.finding == "departed"
