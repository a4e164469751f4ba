"""A correction is judged by what follows it: what is right done, what was wrong not done again."""

from dataclasses import replace

import pytest

from foldproof.cases import Case, CaseSession, CaseTurn, Expectation, ExpectedCall
from foldproof.cases.counterparts import Counterpart, Line
from foldproof.cases.expectations import CallCount
from foldproof.core import REDACTED
from foldproof.logs import MemoryItem, ModelCall, Seen, ToolCall
from foldproof.matching import Fact
from foldproof.record import Trial, TrialError, TurnRecord
from foldproof.score import Records, score_trial
from foldproof.score.conditions import condition_holds

ASKS, SAYS = "Refund my order.", "No, the other one, the blender."
WRONG, RIGHT = (ToolCall("create_refund", {"order_id": number}) for number in (4021, 4022))
AFTER = Expectation("tool_called", (ExpectedCall("create_refund", {"order_id": 4021}),))
CALLS = Expectation("tool_called", (ExpectedCall("create_refund", {"order_id": 4022}),))
MENTIONS = Expectation("reply_mentions", fact=Fact("normalized", "blender"))
SENT, HIDDEN = Expectation("tool_called", (ExpectedCall("send", {"to": "Ada"}),)), ToolCall("send", {"to": REDACTED})
NAMES = ["tool_called: create_refund(order_id=4022)", "reply_mentions: blender",
         "correction after tool_called: create_refund(order_id=4021)"]  # fmt: skip


def case_of(*, after=AFTER, expect=(CALLS, MENTIONS), **who):
    counterpart = Counterpart(**{"corrections": (Line(after, SAYS),), **who})
    return Case("a", ASKS, sessions=(CaseSession((CaseTurn(ASKS, tuple(expect), counterpart),)),))


def attempt(calls=(), answer="The blender.", *, at=1, user=ASKS, speaker="case", **more):
    shown = None if calls is None else tuple(calls)
    return TurnRecord(1, 1, user, answer=answer, tool_calls=shown, attempt=at, speaker=speaker, **more)


def corrected(calls=(), answer="The blender.", *, at=2, **more):
    return attempt(calls, answer, at=at, user=SAYS, speaker="correction", **more)


def score(*turns, case=None, **more):
    last = turns[-1]
    trial = Trial("a", 0, last.answer, tool_calls=last.tool_calls, turns=turns, **more)
    return score_trial(case or case_of(), trial, records=Records())


def told(found):
    return {fact.fact: (fact.outcome, fact.reason) for fact in found.facts}


def test_a_correction_that_is_heeded_passes():
    found = score(attempt([WRONG], "Refunded the kettle."), corrected([RIGHT], "Refunded the blender."))
    assert (found.outcome, found.corrected, [fact.fact for fact in found.facts]) == ("pass", True, NAMES)
    assert [fact.outcome for fact in found.facts] == ["held"] * 3


def test_a_first_try_that_is_right_needs_none():
    found = score(attempt([RIGHT], close="silent"))
    assert (found.outcome, found.corrected) == ("pass", False)


def test_neither_right_nor_wrong_is_never_corrected():
    found = score(attempt([], "Which order?", close="silent"))
    assert (found.outcome, found.corrected) == ("fail", False)
    assert told(found)[NAMES[2]] == (
        "missed",
        "it was never corrected: 'tool_called: create_refund(order_id=4021)' did not come about",
    )
    assert told(found)[NAMES[0]] == ("missed", "no call was made")


def test_an_apology_without_an_act_is_told():
    found = score(attempt([WRONG]), corrected([], "So sorry! I have refunded the blender."))
    assert (found.outcome, found.corrected) == ("fail", True)
    assert told(found) == {
        NAMES[0]: ("missed", "after the correction, no call was made"),
        NAMES[1]: ("held", "'blender' stands in the text"),
        NAMES[2]: ("held", ""),
    }


@pytest.mark.parametrize("calls", [[WRONG], [RIGHT, WRONG]])
def test_the_corrected_call_must_not_be_made_again(calls):
    found = score(attempt([WRONG]), corrected(calls))
    assert found.outcome == "fail"
    assert told(found)[NAMES[2]] == ("missed", "the corrected call was made again: create_refund(order_id=4021)")
    assert str(found.facts[2].loss) == "lost at use (it had just been corrected)"
    other = told(found)[NAMES[0]]
    assert other[0] == ("held" if RIGHT in calls else "missed")
    assert RIGHT in calls or other[1].startswith("after the correction, the nearest call, create_refund(order_id=4021)")


def test_a_general_condition_does_not_forbid_the_call_that_is_expected():
    loose = case_of(after=Expectation("tool_called", (ExpectedCall("create_refund"),)))
    assert score(attempt([WRONG]), corrected([RIGHT]), case=loose).outcome == "pass"
    found = score(attempt([WRONG]), corrected([RIGHT, WRONG]), case=loose)
    assert told(found)["correction after tool_called: create_refund"][1].startswith("the corrected call was made again")


def test_a_correction_of_words_is_heeded_by_what_is_expected():
    words = case_of(after=Expectation("reply_mentions", fact=Fact("normalized", "kettle")), expect=[MENTIONS])
    assert score(attempt(None, "The kettle."), corrected(None, "The blender."), case=words).outcome == "pass"
    assert score(attempt(None, "The kettle."), corrected(None, "The kettle."), case=words).outcome == "fail"


def test_what_cannot_be_seen_is_an_error():
    found = score(attempt([WRONG]), corrected(None), case=case_of(expect=[MENTIONS]))
    assert (found.outcome, found.corrected) == ("error", None)
    assert told(found)[NAMES[2]] == ("error", "the agent does not show its tool calls")
    found = score(attempt([WRONG]), corrected([HIDDEN]), case=case_of(after=SENT, expect=[MENTIONS]))
    assert (found.outcome, "a part of a call was redacted" in found.error) == ("error", True)
    failed = Trial("a", 0, error=TrialError("agent", "gone"), turns=(attempt([WRONG]),))
    found = score_trial(case_of(), failed)
    assert ([fact.fact for fact in found.facts], found.corrected) == (NAMES, None)


def test_the_calls_may_be_seen_on_the_wire_in_each_attempt():
    seen = [
        (Seen("wire", (ModelCall(f"{said}\n", f"re {at}", (call,)),)),)
        for at, (said, call) in enumerate([(ASKS, WRONG), (SAYS, RIGHT)])
    ]
    found = score(attempt(None, "re 0", seen=seen[0]), corrected(None, "blender, re 1", seen=seen[1]))
    assert found.outcome == "pass"


def test_another_correction_that_was_said_is_enough():
    lines = (Line(AFTER, SAYS), Line(Expectation("tool_called", (ExpectedCall("cancel"),)), "Do not cancel."))
    case = case_of(corrections=lines)
    found = score(attempt([WRONG]), corrected([], "The blender."), case=case)
    assert told(found)["correction after tool_called: cancel"] == ("held", "")
    both = [attempt([WRONG]), corrected([ToolCall("cancel")]),
            attempt([RIGHT], at=3, user="Do not cancel.", speaker="correction")]  # fmt: skip
    assert score(*both, case=case).outcome == "pass"
    both[2] = replace(both[2], tool_calls=(RIGHT, WRONG))
    assert told(score(*both, case=case))[NAMES[2]][0] == "missed", "also what follows the next correction"


def test_corrections_in_the_same_words_each_take_back_what_came_before_them():
    third = Expectation("tool_called", (ExpectedCall("create_refund", {"order_id": 4023}),))
    case = case_of(corrections=(Line(AFTER, SAYS), Line(third, SAYS)))
    wrong_too = ToolCall("create_refund", {"order_id": 4023})
    found = score(attempt([WRONG]), corrected([wrong_too]), corrected([RIGHT], at=3), case=case)
    assert found.outcome == "pass"
    found = score(attempt([WRONG]), corrected([wrong_too]), corrected([wrong_too, RIGHT], at=3), case=case)
    assert [fact.outcome for fact in found.facts] == ["held", "held", "held", "missed"]


def test_a_correction_that_asks_for_a_call_takes_none_back():
    never = Expectation("tool_called", (ExpectedCall("create_refund"),), count=CallCount(0, 0))
    case = case_of(after=never, expect=(MENTIONS,))
    assert score(attempt([], "Hm."), corrected([WRONG]), case=case).outcome == "pass"
    assert score(attempt([], "Hm."), corrected([WRONG], "Hm."), case=case).outcome == "fail"


def test_a_correction_that_came_too_late_for_the_limit_of_turns_says_so():
    last = attempt([WRONG], close="limit")
    assert told(score(last))[NAMES[2]] == ("missed", "it was never corrected: the limit of turns was reached before")
    assert told(score(replace(last, tool_calls=())))[NAMES[2]][1].endswith("did not come about")


def test_a_script_counts_all_calls_and_the_last_reply():
    rules = (Line(Expectation("reply_mentions", fact=Fact("normalized", "which")), "The second."),)
    case = case_of(corrections=(), rules=rules)
    turns = [
        attempt([RIGHT], "Which one is it?", memory_reads=(MemoryItem("x"),)),
        attempt([], "The blender.", at=2, user="The second.", speaker="rule", memory_reads=(MemoryItem("y"),)),
    ]
    found = score(*turns, case=case)
    assert (found.outcome, found.corrected, [fact.fact for fact in found.facts]) == ("pass", None, NAMES[:2])
    silent = score(replace(turns[0], answer="Which blender?"), replace(turns[1], answer="Done."), case=case)
    assert told(silent)[NAMES[1]][0] == "missed"
    forbids = case_of(corrections=(), rules=rules, expect=[Expectation("no_tool_called", CALLS.calls), MENTIONS])
    assert score(*turns, case=forbids).outcome == "fail"
    hidden = score(turns[0], replace(turns[1], tool_calls=None), case=case)
    assert hidden.outcome == "error"


def test_reads_of_all_replies_count_and_none_may_be_hidden():
    reads = Expectation("memory_read", fact=Fact("normalized", "blender"))
    rules = (Line(Expectation("reply_mentions", fact=Fact("normalized", "which")), "The second."),)
    case = case_of(corrections=(), rules=rules, expect=[reads, MENTIONS])
    first = attempt([], "Which one?", memory_reads=(MemoryItem("the blender"),))
    last = attempt([], "The blender.", at=2, user="The second.", speaker="rule", memory_reads=())
    assert score(first, last, case=case).outcome == "pass"
    assert score(first, replace(last, memory_reads=None), case=case).outcome == "error"


@pytest.mark.parametrize(
    "turns",
    [
        [attempt([WRONG]), corrected([RIGHT], at=3)],
        [corrected([RIGHT], at=2)],
        [replace(attempt([WRONG]), turn=2)],
        [attempt([WRONG]), replace(corrected([RIGHT]), session=2)],
    ],
)
def test_a_record_with_other_turns_than_the_case_is_not_judged(turns):
    assert score(*turns).error == "the record has other turns than the case"


def test_a_turn_without_a_counterpart_has_one_record():
    plain = Case("a", ASKS, sessions=(CaseSession((CaseTurn(ASKS, (MENTIONS,)),)),))
    assert score(attempt([]), case=plain).outcome == "pass"
    assert score(attempt([]), corrected([]), case=plain).error == "the record has other turns than the case"


@pytest.mark.parametrize(
    ("kind", "fact", "answer", "holds"),
    [
        ("reply_mentions", "blender", "The blender.", True),
        ("reply_mentions", "blender", "The kettle.", False),
        ("reply_mentions", "blender", "Not the blender.", False),
        ("reply_omits", "blender", "The kettle.", True),
        ("reply_omits", "blender", "The blender.", False),
    ],
)
def test_a_condition_on_the_reply(kind, fact, answer, holds):
    item = Expectation(kind, fact=Fact("normalized", fact))
    assert condition_holds(item, attempt(None, answer)) is holds


def test_a_condition_on_a_date_that_can_be_read_two_ways():
    item = Expectation("reply_omits", fact=Fact("date", "2026-03-04"))
    assert condition_holds(item, attempt(None, "On 03/04/2026.")) is None


def test_a_condition_on_the_calls():
    assert condition_holds(AFTER, attempt([WRONG])) is True
    assert condition_holds(AFTER, attempt([RIGHT])) is False
    assert condition_holds(AFTER, attempt(None)) is None
    assert condition_holds(SENT, attempt([HIDDEN])) is None
    assert condition_holds(Expectation("no_tool_called", AFTER.calls), attempt([RIGHT])) is True


def test_the_second_correction_of_the_same_words_has_a_label_of_its_own():
    lines = (Line(AFTER, SAYS), Line(AFTER, "Really, the blender."))
    found = score(attempt([RIGHT]), case=case_of(corrections=lines))
    assert [fact.fact for fact in found.facts][2:] == [NAMES[2], f"{NAMES[2]} (2)"]


def test_a_condition_on_the_state():
    item = Expectation("state", state={"refunds": [{"order_id": 4021}]})
    assert condition_holds(item, attempt(state={"refunds": [{"order_id": 4021}]})) is True
    assert condition_holds(item, attempt(state={"refunds": []})) is False
    assert condition_holds(item, attempt()) is None
