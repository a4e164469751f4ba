"""Each sign is found where it is, and its twin, in which nothing is wrong, is left alone."""

import time

import pytest

from foldproof.logs import Called, Said
from foldproof.score.signs import KINDS, Sign, find_signs, most_telling, quoted

from .talks import agent, call, steps, user

LONG_QUESTION = "How many clients will receive the sunset awning design this year, in all?"
TERMINAL = Called("terminal", {}, "exitcode: 1 (execution failed)", failed=True, by="tool")


def found(*entries):
    return [(sign.kind, sign.step) for sign in find_signs(steps(*entries)) if sign.kind != "first act"]


SIGNS = {
    "the user corrects": [
        (user("Refund it."), call("refund", order_id=4021), agent("Refunded."), user("I meant the other order.")),
        ("user correction", 3),
    ],
    "a no that answers nothing is a correction": [
        (user("Refund it."), agent("I refunded the lamp."), user("No, the blender.")),
        ("user correction", 2),
    ],
    "a number of the user's is said differently": [
        (user("It is order #4021."), agent("Order 4022 is on its way.")),
        ("contradiction", 2),
    ],
    "a number of the user's is called with differently": [
        (user("It is order #4021."), call("refund", order_id=4022)),
        ("contradiction", 2),
    ],
    "a day": [(user("I arrive on May 3rd."), agent("Booked for May 5.")), ("contradiction", 2)],
    "a count": [(user("A table for 3 people."), agent("Booked for 4 people.")), ("contradiction", 2)],
    "data are made up": [(user("What did it cost?"), agent("Here is a simulated price.")), ("made up", 2)],
    "a placeholder is sent": [(user("Look it up."), call("get", key="YOUR_API_KEY")), ("made up", 2)],
    "an error is passed over": [
        (user("Refund it."), call("refund", "Error: no such order", id=1), agent("It has been refunded.")),
        ("ignored error", 3),
    ],
    "a tool fails": [(user("Refund it."), call("refund", "{}", True), agent("Sorry, that failed.")), ("tool error", 2)],
    "code fails": [(user("Run it."), agent("```x```", "Coder"), TERMINAL), ("tool error", 2)],
    "an error stands in the answer": [(user("Refund it."), call("refund", '{"error": "x"}')), ("tool error", 2)],
    "the agent asks for a number that it has": [
        (user("Refund order 4021."), agent("What is your order number?")),
        ("asked again", 2),
    ],
    "the agent asks for an address that it has": [
        (user("I am ada@example.com."), agent("Could you give me your email address?")),
        ("asked again", 2),
    ],
    "the agent asks the same again": [
        (user("It broke."), agent("Was the package damaged on arrival?"), user("Yes"),
         agent("Was the package damaged on arrival?")),
        ("asked again", 4),
    ],
    "values come from nowhere": [(user("How many?"), agent("Seattle 737,015, Colville 4,965.")), ("unsourced", 2)],
    "the same call again": [
        (user("Find it."), call("find", "none", q="x"), call("find", "none", q="x"), agent("I found none.")),
        ("same again", 3),
    ],
    "the same words again": [(user("Go."), agent("I look.", "A"), agent("I wait.", "B"), agent("I look.", "A")),
                             ("same again", 4)],
}  # fmt: skip


@pytest.mark.parametrize("name", SIGNS)
def test_a_sign_is_found(name):
    entries, sign = SIGNS[name]
    assert sign in found(*entries)


CLEAN = {
    "a no to a question": (user("It broke."), agent("Was it a gift?"), user("No, I bought it.")),
    "a no that thanks": (user("Hi"), agent("Anything else I can do."), user("No thanks.")),
    "a correction before the agent did anything": (user("No, I meant the lamp."),),
    "the user's own number": (user("It is order #4021."), call("look", order_id=4021), agent("Order 4021 is here.")),
    "one of two numbers": (user("Orders: order 4021 and order 4022."), agent("Order 4022 is here.")),
    "a number that a tool gave": (user("Is order 4021 here?"), call("look", "order 4077"), agent("Order 4077 is.")),
    "a number of another thing": (user("It is order 4021."), agent("The fee is 900.")),
    "a year": (user("It was in order 2019."), agent("In order 2020 came next.")),
    "arguments that are no numbers": (user("Order 4021."), call("look", order="4021", on=True, year=2020, x=1.5)),
    "what the user wished to be simulated": (user("Simulate a game."), agent("I simulate a game.")),
    "an error that is admitted": (user("Refund it."), agent("Sorry, I could not refund it.")),
    "a first question": (user("It broke."), agent("Was the package damaged on arrival?")),
    "a question that is not answered yet": (
        user("It broke."), agent("Was the package damaged on arrival?"),
        agent("Was the package damaged on arrival?", "B"),
    ),
    "a short question twice": (user("It broke."), agent("Why?"), user("It fell."), agent("Why?")),
    "a number nobody gave": (user("Refund it."), agent("What is your order number?")),
    "a number the user asks for": (user("Hi"), agent("May I have your phone number?")),
    "values that a tool gave": (user("How many?"), call("look", "737,015 and 4,965"), agent("737015 and 4965.")),
    "one value, which may be a sum": (user("How many are 700 and 37?"), agent("737.")),
    "a call again after the user spoke": (
        user("Look."), call("look", "a", q="x"), agent("a."), user("And now?"), call("look", "a", q="x"), agent("b.")
    ),
    "a call without arguments": (user("Look."), call("look", "a"), call("look", "a")),
    "a thought": (user("Go."), Said("agent", "Let us assume 12345 and 67890.", kind="thought"), agent("Hm.")),
}  # fmt: skip


@pytest.mark.parametrize("name", CLEAN)
def test_nothing_is_found_where_nothing_is_wrong(name):
    assert found(*CLEAN[name]) == []


def test_a_failure_that_was_mended_is_not_passed_over():
    mended = (call("refund", "Error: busy"), call("refund", "ok"), agent("It has been refunded."))
    other = (call("refund", "Error: busy"), call("look", "ok"), agent("It has been refunded."))
    asked = (call("refund", "Error: busy"), user("And?"), agent("It has been refunded."))
    twice = (call("refund", "Error: busy"), agent("It has been refunded."), agent("I have sent it."))
    kinds = [[kind for kind, _ in found(user("Refund it."), *more)] for more in (mended, other, asked, twice)]
    assert ["ignored error" in told for told in kinds] == [False, True, False, True]
    assert kinds[3].count("ignored error") == 1


def test_a_tool_of_the_users_is_not_the_agents_error():
    assert found(user("I toggle it."), agent("Go on."), Called("toggle", {}, "Error: x", by="user")) == []
    assert found(Called("terminal", {}, "Error: x", by="tool")) == []


def test_a_message_that_hands_on_the_request_is_no_act():
    brief = agent(f"The task: {LONG_QUESTION} Last time a simulated answer, 12345 and 67890, was given.", "Lead")
    assert found(user(LONG_QUESTION), brief) == []
    assert ("made up", 2) in found(user("How many?"), agent("How many? Here is a simulated answer.", "Lead"))


def test_without_any_sign_the_first_act_is_where_to_begin():
    def first(*entries):
        return [(sign.kind, sign.step) for sign in find_signs(steps(*entries))]

    brief = agent(f"The task: {LONG_QUESTION}", "Lead")
    assert first(user("Hi"), agent("Hello."), call("look")) == [("first act", 3)]
    assert first(user("Hi"), agent("Hello."), agent("```x```")) == [("first act", 3)]
    assert first(user(LONG_QUESTION), brief, agent("I look.", "Coder")) == [("first act", 3)]
    assert first(user(LONG_QUESTION), brief) == [("first act", 2)]
    assert first(user("Hi"), Said("agent", "Hm.", kind="thought")) == [("first act", 2)]
    assert first(user("Hi")) == []


def test_the_most_trusted_kind_comes_first_then_the_earliest_step():
    signs = [Sign(kind, step, step, "") for kind in reversed(KINDS) for step in (5, 2)]
    assert most_telling(signs) == Sign("user correction", 2, 2, "")
    assert most_telling(signs[:2]) == Sign("first act", 2, 2, "")
    assert most_telling([]) is None


def test_a_sign_shows_where_it_is_seen_and_quotes_it():
    (sign,) = find_signs(steps(user("Refund it."), agent("I refunded the lamp."), user("I meant  the\nblender.")))
    assert (sign.step, sign.shown_at, sign.quote) == (2, 3, "I meant the blender.")
    assert quoted("x" * 400) == "x" * 160 + " …"


def test_a_step_holds_one_sign_of_a_kind():
    told = find_signs(steps(user("It is order 4021, account 77777."), agent("Order 4022, account 88888.")))
    assert [(sign.kind, sign.step) for sign in told] == [("contradiction", 2), ("unsourced", 2)]


HOSTILE = [" " * 60_000, "1 " * 30_000, "1" * 60_000, "a" * 60_000, "a." * 30_000, "?" * 60_000, "a?" * 5_000,
           "what is " * 9_000, "has been a" * 6_000, "\n" * 60_000]  # fmt: skip


@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_texts_take_no_long_time(text):
    begun = time.process_time()
    find_signs(steps(user(f"order {text} 4021"), agent(text), user(text), agent(f"{text}?"), call("x", text, q=text)))
    assert time.process_time() - begun < 3


def test_a_contradiction_names_what_was_said_where_that_is_little():
    for count, told in ((2, "1000, 1001"), (11, "11 others")):
        said = [user(f"And order #{1000 + number}.") for number in range(count)]
        [sign] = find_signs(steps(*said, agent("I refund order #4021.")))
        assert (sign.kind, sign.quote) == ("contradiction", f"order 4021, but the user said {told}")
