"""The faults of a simulated user, each beside a twin that has none, and which of them decide a trial."""

from dataclasses import replace

import pytest

from foldproof.cases import Case, CaseSession, CaseTurn, Expectation, ExpectedCall
from foldproof.cases.counterparts import Counterpart, Line, Simulated
from foldproof.matching import Fact
from foldproof.record import Trial, TurnRecord
from foldproof.score import score_trial
from foldproof.score.simulated import unknown_values

USER = Simulated("Get the blender of order 4022 refunded.", "a hurried customer", ("bought on 2026-03-04",))
MENTIONS = Expectation("reply_mentions", fact=Fact("normalized", "blender refunded"))
LINE = Line(Expectation("reply_mentions", fact=Fact("normalized", "kettle")), "No, the other one, the blender.")
OPENS = "Hello, I want a refund."


def case_of(*before, expect=(MENTIONS,), corrections=(LINE,)):
    turn = CaseTurn(OPENS, tuple(expect), Counterpart(corrections, simulated=USER))
    return Case("a", OPENS, sessions=(CaseSession((*before, turn)),))


def talk(*said, last="Blender refunded.", close="done", goal_met=True, turn=1):
    """Records in which the user says these texts after the first; a text with a mark is a correction."""
    turns = [TurnRecord(1, turn, OPENS, answer="Which one do you mean?")]
    for at, text in enumerate(said, 2):
        speaker = "correction" if text == f"{LINE.say}!" else "simulated"
        turns.append(TurnRecord(1, turn, text.removesuffix("!"), answer="Hm.", attempt=at, speaker=speaker))
    turns[-1] = replace(turns[-1], answer=last, close=close, goal_met=goal_met)
    return tuple(turns)


def score(turns, case=None):
    return score_trial(case or case_of(), Trial("a", 0, turns[-1].answer, turns=turns))


def test_a_user_who_keeps_to_what_it_was_told_has_no_fault():
    found = score(talk("Order 4022, bought on March 4, 2026. The blender."))
    assert (found.outcome, found.faults) == ("pass", ())
    failed = score(talk("Order 4022.", last="Refunded something."))
    assert (failed.outcome, failed.faults) == ("fail", ())


def test_a_made_up_value_voids_a_trial_that_fails():
    found = score(talk("Order 9999.", last="There is no such order."))
    message = "it said '9999' in s1.t1.a2, which it was not told and the agent did not say"
    assert (found.outcome, found.faults) == ("error", (message,))
    assert found.error == f"counterpart: the simulated user decided it: {message}"
    assert [fact.outcome for fact in found.facts] == ["missed", "missed"], "what was found stays in sight"


def test_one_that_decides_nothing_is_a_note():
    found = score(talk("Order 4022. Greetings from Anna.", last="Blender refunded."))
    assert (found.outcome, len(found.faults)) == ("pass", 1)
    assert "'Anna'" in found.faults[0]


def test_a_made_up_value_that_is_what_was_asked_for_voids_a_pass():
    asks = Expectation("reply_mentions", fact=Fact("normalized", "voucher 77"))
    case = case_of(expect=[asks], corrections=())
    found = score(talk("Give me voucher 77.", last="Here is voucher 77."), case)
    assert (found.outcome, "'77'" in found.error) == ("error", True)
    assert score(talk("Give me a voucher.", last="Here is voucher 77."), case).outcome == "pass"


def test_what_the_agent_said_is_known():
    turns = talk("Order 5310 it is.", last="Refused.")
    found = score((replace(turns[0], answer="Is it order 5310?"), *turns[1:]))
    assert (found.outcome, found.faults) == ("fail", ())


@pytest.mark.parametrize(
    ("turns", "why"),
    [
        (talk(last="Which one do you mean?", goal_met=None), "the agent had asked it something"),
        (talk("Fine.", last="Which one?", goal_met=False), "the agent had asked it something"),
    ],
)
def test_a_user_who_leaves_a_question_unanswered_ends_early(turns, why):
    found = score(turns)
    assert (found.outcome, why in found.error) == ("error", True)
    assert score((*turns[:-1], replace(turns[-1], answer="I cannot do that."))).outcome == "fail"
    assert score((*turns[:-1], replace(turns[-1], goal_met=True))).outcome == "fail", "it has what it wants"


def test_a_user_who_asks_for_nothing_of_its_goal_ends_early():
    turn = CaseTurn("Hello.", (MENTIONS,), Counterpart(simulated=Simulated("Get the blender back.")))
    case = Case("a", "Hello.", sessions=(CaseSession((turn,)),))
    found = score((TurnRecord(1, 1, "Hello.", answer="Hello.", close="done"),), case)
    assert (found.outcome, "nothing of its goal had been asked" in found.error) == ("error", True)
    asked = TurnRecord(1, 1, "Where are the blenders?", answer="Sorry.", close="done")
    assert score((asked,), case).outcome == "fail"
    assert score((replace(asked, user="Hello.", answer="The blender is refunded."),), case).outcome == "error"


def test_an_early_end_that_decides_nothing_is_a_note():
    found = score(talk("x", last="Blender refunded. Anything else?", goal_met=None))
    assert (found.outcome, len(found.faults)) == ("pass", 1)


def test_a_paraphrased_correction_voids_even_a_pass():
    found = score(talk("No, I mean the other one: the blender, please.", last="Blender refunded."))
    assert found.outcome == "error"
    assert "it said the correction 'No, the other one, the blender.' in other words in s1.t1.a2" in found.error


def test_a_correction_that_is_said_before_its_time_too():
    turns = talk("x", last="Blender refunded.")
    found = score((turns[0], replace(turns[1], user=LINE.say)))
    assert (found.outcome, "by itself, before 'reply_mentions: kettle' came about" in found.error) == ("error", True)


def test_after_it_was_said_word_for_word_to_repeat_it_is_a_note_at_most():
    again = "No, the other one, the blender, I said."
    found = score(talk(f"{LINE.say}!", again, last="Blender refunded."))
    assert (found.outcome, len(found.faults), found.corrected) == ("pass", 1, True)
    assert score(talk(f"{LINE.say}!", LINE.say, last="Blender refunded.")).faults == ()
    assert score(talk(f"{LINE.say}!", again, last="No.")).outcome == "error"
    assert score(talk("The blender.", last="Blender refunded.")).faults == (), "too little of it to be the correction"


TAKEN = "it said 'kettle' in s1.t1.a3, which the correction 'No, the other one, the blender.' had taken back"


def test_a_user_who_takes_a_correction_back_misleads_the_agent():
    found = score(talk(f"{LINE.say}!", "I want the kettle.", last="The kettle is refunded."))
    assert (found.outcome, found.faults) == ("error", (TAKEN,))
    for words in ("Not the kettle!", "I want what I said."):
        assert score(talk(f"{LINE.say}!", words, last="The kettle is refunded.")).outcome == "fail"
    assert score(talk("I want the kettle.", last="No.")).outcome == "fail", "nothing was corrected yet"


def test_the_arguments_that_a_correction_takes_back_are_values_of_it():
    args = {"order_id": 4021, "method": "card", "urgent": True, "to": {"city": "Ghent"}, "note": "..."}
    line = replace(LINE, when=Expectation("tool_called", (ExpectedCall("refund", args),)))
    case = case_of(corrections=(line,))
    turns = talk(f"{LINE.say}!", "The 4021, true, to Ghent.", last="No.")
    turns = (
        replace(turns[0], answer="Is it 4021?", tool_calls=()),
        *(replace(one, tool_calls=()) for one in turns[1:]),
    )
    found = score(turns, case)
    assert [fault for fault in found.faults if "taken back" in fault] == [
        "it said '4021' in s1.t1.a3, which the correction 'No, the other one, the blender.' had taken back"
    ]
    assert score((*turns[:2], replace(turns[2], user="By card.")), case).outcome == "error"


def test_a_user_who_says_the_same_three_times_is_stuck():
    found = score(talk("Please.", "please", "Please!?", last="No."))
    assert (found.outcome, found.faults) == ("error", ("it said the same for the 3rd time in s1.t1.a4: 'Please!?'",))
    assert score(talk("Please.", "Please.", last="No.")).outcome == "fail"
    assert score(talk("Please.", "Please.", "Please.", last="Blender refunded.")).outcome == "pass"
    assert len(score(talk(*["Please."] * 5, last="Blender refunded.")).faults) == 1


def test_a_trial_that_fails_before_the_fault_fails():
    before = CaseTurn("Who am I?", (Expectation("reply_mentions", fact=Fact("normalized", "Ada")),))
    case = case_of(before)
    later = talk("Order 9999.", last="No.", turn=2)
    first = TurnRecord(1, 1, "Who am I?", answer="Nobody.")
    assert score((first, *later), case).outcome == "fail"
    assert score((replace(first, answer="Ada."), *later), case).outcome == "error"


def test_what_was_said_earlier_in_the_session_is_known():
    case = case_of(CaseTurn("My order is 9999.", ()))
    turns = (TurnRecord(1, 1, "My order is 9999.", answer="Noted."), *talk("Order 9999.", last="No.", turn=2))
    assert score(turns, case).outcome == "fail"


@pytest.mark.parametrize(
    ("text", "known", "values"),
    [
        ("order #4021, please", "order 4021", []),
        ("order 4021", "order 4022", ["4021"]),
        ("It was $1,234.50.", "1234.5", []),
        ("on March 4, 2026", "2026-03-04", []),
        ("on March 4", "2026-03-04", []),
        ("on March 5, 2026", "2026-03-04", ["5", "2026", "March"]),
        ("I asked Anna about it.", "ask for help", ["Anna"]),
        ("I asked Anna about it.", "Anna helps", []),
        ("Anna told me.", "x", []),
        ("It is mine. Anna told me.", "x", []),
        ("Well, I am Mr Miller.", "x", ["Miller"]),
        ("Well, I am in PM mode, OK.", "x", []),
        ("Yes, I'll wait, and I’ve all I need; please do it ASAP.", "x", []),
        ("Say it to Anna's mother, Anna.", "x", ["Anna's", "Anna"]),
        ("Das ist meine Bestellung und nicht die Lampe.", "x", []),
        ("Das ist meine Bestellung 77 und nicht die Lampe.", "x", ["77"]),
        ("What do you mean?", "", []),
    ],
)
def test_which_values_are_unknown(text, known, values):
    assert unknown_values(text, known) == values


def test_nobody_is_at_fault_where_no_model_plays():
    rules = Counterpart(rules=(Line(MENTIONS, "Order 9999."),))
    case = Case("a", OPENS, sessions=(CaseSession((CaseTurn(OPENS, (MENTIONS,), rules),)),))
    turns = (TurnRecord(1, 1, OPENS, answer="Blender refunded."),
             TurnRecord(1, 1, "Order 9999.", answer="No.", attempt=2, speaker="rule"))  # fmt: skip
    assert (score(turns, case).outcome, score(turns, case).faults) == ("fail", ())
