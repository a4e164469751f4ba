"""Reported failures of one decision after a frozen prefix, rows A34, A38, A45 and A47, and sessions cut for them."""

import json

import pytest

from foldproof.cases import cut, points_of
from foldproof.core import UsageError
from foldproof.logs import read_logs
from foldproof.testing import ScriptedModel

from .reported.play import play

TOPICS = {
    "frozen": [
        {"user": "What is a variable?"},
        {"agent": "A name for a value, for instance x = 3."},
        {"user": "And an abstract class?"},
        {"agent": "A class that no object can be made of."},
    ],
    "user": "One more example of that?",
    "expect": [{"tool_called": "show(topic=abstract classes)"}, {"reply_omits": "variable"}],
    "expected_facts": ["abstract class"],
}


def test_a34_that_is_what_was_talked_about_last(tmp_path):
    faulty, sound = play(tmp_path, ["replaying:OneMoreOfTheFirst", "replaying:OneMoreOfThese"], TOPICS)
    assert sound.score.passed
    assert faulty.score.outcome == "fail"
    assert faulty.loss("abstract class").owner == "use"
    assert faulty.loss("reply_omits: variable").owner == "use"
    assert faulty.loss("tool_called: show(topic=abstract classes)") is None


RULE = {
    "frozen": [
        {"user": "Never commit unasked."},
        {"agent": "Understood."},
        {"user": "The parser loses the last line."},
        {"agent": "I found it.", "calls": [{"call": "read(file=parser.py)", "result": "def parse(): …"}]},
    ],
    "user": "Please fix this.",
    "expect": [{"tool_called": "edit(file=parser.py)"}, {"no_tool_called": "git_commit"}],
    "expected_facts": [{"any": ["commit it?", "never commit unasked"]}],
}


def test_a38_the_rule_is_in_the_prompt_and_is_broken(tmp_path):
    faulty, sound = play(tmp_path, ["replaying:CommitsUnasked", "replaying:AsksFirst"], RULE)
    assert sound.score.passed
    by_fact = {told.fact: told for told in faulty.score.facts}
    assert by_fact["no_tool_called: git_commit"].reason == "called: git_commit()"
    assert by_fact["tool_called: edit(file=parser.py)"].ok
    loss = faulty.loss("any: commit it? | never commit unasked")
    assert (loss.owner, loss.reason) == ("use", "the frozen turns say it, and the prompt holds it")
    assert faulty.stage("any: commit it? | never commit unasked", "prompted") == "held"


def test_a38_the_agent_itself_dropped_the_rule_from_the_talk(tmp_path):
    [faulty] = play(tmp_path, ["replaying:DropsTheFirstTurns"], RULE)
    loss = faulty.loss("any: commit it? | never commit unasked")
    assert (loss.owner, loss.reason) == ("prompt", "the frozen turns say it, and the prompt does not")


NUMBERS = {
    "frozen": [
        {"user": "Look up order 4021."},
        {"calls": [{"call": "check_order(order_id=4021)", "result": "total $1,234.50; 17 units"}]},
        {"agent": "I have the figures."},
    ],
    "user": "What is the total, and how many units?",
    "expected_facts": [{"number": "1234.50"}, {"number": "17"}],
    "forbidden_facts": [{"number": "1310.00"}, {"number": "18"}],
}


@pytest.mark.parametrize("name", ["Reads", "LooksAgain"])
def test_a45_the_right_figures_pass_read_or_looked_up_once_more(tmp_path, name):
    [sound] = play(tmp_path, [f"replaying:{name}"], NUMBERS)
    assert sound.score.passed


def test_a45_any_other_amount_fails(tmp_path):
    [faulty] = play(tmp_path, ["replaying:MakesFiguresUp"], NUMBERS)
    assert {told.fact: told.ok for told in faulty.score.facts} == dict.fromkeys(
        ("number: 1234.50", "number: 17", "number: 1310.00", "number: 18"), False
    )
    assert {told.loss.owner for told in faulty.score.facts if told.role == "expected"} == {"prompt"}
    assert {told.loss.owner for told in faulty.score.facts if told.role == "forbidden"} == {"use"}


def written(path, *messages):
    """A chat log of one session, as the fine-tuning files have it."""
    path.write_text(json.dumps({"messages": messages}), "utf-8")
    [session] = read_logs([path]).sessions
    return session


def called(*calls):
    return {
        "role": "assistant",
        "content": None,
        "tool_calls": [
            {"id": id_, "type": "function", "function": {"name": name, "arguments": json.dumps(args)}}
            for id_, name, args in calls
        ],
    }


def result(id_, text):
    return {"role": "tool", "tool_call_id": id_, "content": text}


def user(text):
    return {"role": "user", "content": text}


def agent(text):
    return {"role": "assistant", "content": text}


TWO = called(("c1", "check_order", {"order_id": 4021}), ("c2", "check_stock", {"item": "blender"}))


def test_a47_one_of_two_results_has_its_call_and_the_other_does_not(tmp_path):
    """The cut that another tool made before: the first result of the run is an orphan."""
    session = written(
        tmp_path / "log.json",
        user("Look it up."),
        called(("c2", "check_stock", {"item": "blender"})),
        result("c1", "delivered"),
        result("c2", "3 left"),
        agent("It was delivered."),
        user("What now?"),
        agent("Send it back."),
    )
    with pytest.raises(UsageError, match="the log has the result of a call that it does not have"):
        cut(session, 3)


def test_a47_a_call_without_its_result_is_not_frozen(tmp_path):
    session = written(tmp_path / "log.json", user("a"), TWO, result("c2", "3 left"), agent("b"), user("c"), agent("d"))
    with pytest.raises(UsageError, match="the log has no result of the call of check_order"):
        cut(session, 3)


@pytest.mark.parametrize("order", [("c1", "c2"), ("c2", "c1")])
def test_a47_parallel_calls_stay_together_and_each_has_its_result(tmp_path, order):
    """Wherever the session is cut, what is sent is a talk that a strict model takes."""
    results = {"c1": result("c1", "delivered"), "c2": result("c2", "3 left")}
    session = written(
        tmp_path / "log.json",
        user("Look it up."),
        TWO,
        *(results[name] for name in order),
        called(("c3", "check_eligibility", {"order_id": 4021})),
        result("c3", "yes"),
        agent("It can go back."),
        user("What now?"),
        called(("c4", "create_refund", {"order_id": 4021})),
        result("c4", "R1"),
        agent("Refunded."),
        user("Thank you."),
        agent("You are welcome."),
    )
    fit = [point.turn for point in points_of(session) if not point.fault]
    assert fit == [3, 5]
    case = cut(session, 5).case
    assert [[made.call.name for made in turn.calls] for turn in case.frozen if turn.calls] == [
        ["check_order", "check_stock"],
        ["check_eligibility"],
        ["create_refund"],
    ]
    assert [made.result for turn in case.frozen for made in turn.calls] == ["delivered", "3 left", "yes", "R1"]
    assert [item.label for item in cut(session, 3).case.expect] == ["tool_called: create_refund(order_id=4021)"]


def test_a47_a_strict_model_takes_what_is_frozen(tmp_path):
    """The same calls in a row would be refused with 400 if one of them had lost its other half."""
    case = {**NUMBERS, "expect": [{"no_tool_called": "*"}]}
    with ScriptedModel(lambda _: "The total is $1,234.50 for 17 units.") as server:
        model = {"base_url": server.url, "name": "scripted", "temperature": 0}
        configs = [
            {"agent": "chat", "model": model, "memory": {"kind": "none"}},
            {"agent": {"http": server.url}, "model": {"name": "scripted", "temperature": 0}},
        ]
        played = play(tmp_path, configs, case)
        assert server.refused == []
    assert [one.score.passed for one in played] == [True, True]
