"""Cases with a frozen prefix: every form, what is refused with its line, how they are written back; and `user`."""

import json
from dataclasses import replace

import jsonschema
import pytest
import yaml

from foldproof.cases import CutFrom, append_cases, dump_set, lint_set, load_set, replay_set_schema
from foldproof.cases.frozen import frozen_value, past_turn_of
from foldproof.compare import asked_hash
from foldproof.logs import AnsweredCall, PastTurn, ToolCall, with_ids

DESIGN = """cases:
- id: replay-1188
  class: episodic
  frozen:
  - user: I want to return the blender from order #4021.
  - agent: I can help. Was the item damaged, or is this a change of mind?
  - user: "It arrived cracked. Also I'm traveling, contact me by email only."
  - agent: "Understood: damaged item, and we'll use email."
  user: So what do I do now?
  expect:
  - tool_called: check_eligibility(order_id=4021)
  - no_tool_called: schedule_callback
  - reply_mentions: email
  cut_from: {session: 58f2, turn: 5}
""".replace("order #4021.", "order 4021.")
CALLS = """cases:
- id: a
  frozen:
  - user: Where is it?
  - agent: Let me look.
    calls:
    - call: check_order(order_id=4021)
      result: {status: delivered, days: 3}
    - call: {name: "look up", args: {q: blender}}
      result: ""
      id: x1
  - calls:
    - {call: log, result: null}
  - agent: It was delivered.
  user: And now?
  expected_facts: [refund]
"""


def turns(text):
    """A set of one case with this prefix, one turn a line."""
    items = "".join(f"  - {line}\n" for line in text.splitlines())
    return f"cases:\n- id: a\n  frozen:\n{items}  user: q\n  expected_facts: [x]\n"


def test_the_case_of_the_design_loads(load):
    (case,) = load(DESIGN).cases
    assert [turn.role for turn in case.frozen] == ["user", "agent", "user", "agent"]
    assert case.frozen[3] == PastTurn("agent", "Understood: damaged item, and we'll use email.")
    assert (case.question, case.asks_as, case.cut_from) == ("So what do I do now?", "user", CutFrom("58f2", 5))
    assert case.parts == (case,)


def test_calls_stand_with_their_results_and_those_of_one_turn_together(load):
    (case,) = load(CALLS).cases
    assert case.frozen[1:] == (
        PastTurn(
            "agent",
            "Let me look.",
            (
                AnsweredCall(ToolCall("check_order", {"order_id": 4021}), {"status": "delivered", "days": 3}),
                AnsweredCall(ToolCall("look up", {"q": "blender"}), "", "x1"),
            ),
        ),
        PastTurn("agent", "", (AnsweredCall(ToolCall("log"), None),)),
        PastTurn("agent", "It was delivered."),
    )
    assert [made.text for turn in case.frozen for made in turn.calls] == [
        '{"status": "delivered", "days": 3}',
        "",
        "null",
    ]


def test_each_call_gets_an_id_and_keeps_its_own():
    made = [AnsweredCall(ToolCall("a"), 1), AnsweredCall(ToolCall("b"), 2, "call_1"), AnsweredCall(ToolCall("c"), 3)]
    (turn,) = with_ids([PastTurn("agent", "", tuple(made))])
    assert [one.id for one in turn.calls] == ["call_2", "call_1", "call_3"]


@pytest.mark.parametrize("text", [DESIGN, CALLS, CALLS.replace("user: And", "question: And")])
def test_it_is_written_back_the_same(load, tmp_path, text):
    replay_set = load(text)
    dump_set(replay_set, tmp_path / "copy.yaml")
    again = load_set(tmp_path / "copy.yaml")
    assert (again.cases, again.sha256) == (replay_set.cases, replay_set.sha256)
    path = tmp_path / "set.json"
    path.write_text('{"cases": []}', "utf-8")
    append_cases(path, replay_set.cases)
    assert load_set(path).cases == replay_set.cases


def test_user_is_another_way_to_write_question_and_stays(load, tmp_path):
    asked = load("cases:\n- id: a\n  question: q\n  expected_facts: [x]\n")
    said = load("cases:\n- id: a\n  user: q\n  expected_facts: [x]\n")
    assert replace(said.cases[0], asks_as="question") == asked.cases[0]
    assert said.sha256 == asked.sha256
    assert asked_hash(said.cases[0], said) == asked_hash(asked.cases[0], asked)
    path = tmp_path / "set.json"
    path.write_text('{"cases": []}', "utf-8")
    append_cases(path, said.cases)
    assert json.loads(path.read_text("utf-8"))["cases"] == [
        {"id": "a", "class": "semantic", "user": "q", "expected_facts": ["x"]}
    ]


@pytest.mark.parametrize(
    "change",
    [
        ("Where is it?", "Where was it?"),
        ("order_id=4021", "order_id=4022"),
        ("days: 3", "days: 4"),
        ("id: x1", "id: x2"),
        ("And now?", "And then?"),
    ],
)
def test_what_stands_before_the_question_is_part_of_what_is_asked(load, change):
    old, new = change
    assert old in CALLS
    one, other = load(CALLS), load(CALLS.replace(old, new))
    assert one.sha256 != other.sha256
    assert asked_hash(one.cases[0], one) != asked_hash(other.cases[0], other)


def test_the_order_of_arguments_is_no_part_of_the_hash(load):
    both = CALLS.replace("order_id=4021", "order_id=4021, kind=web")
    assert load(both).sha256 == load(CALLS.replace("order_id=4021", "kind=web, order_id=4021")).sha256


def test_the_schema_knows_the_forms():
    schema = jsonschema.Draft202012Validator(replay_set_schema())
    for right in (DESIGN, CALLS, "cases:\n- id: a\n  user: q\n"):
        schema.validate(yaml.safe_load(right))
    for wrong in (
        "cases:\n- id: a\n  frozen: []\n  user: q\n",
        "cases:\n- id: a\n  user: q\n  question: q\n",
        "cases:\n- id: a\n  user: q\n  cut_from: {session: s, turn: 1}\n",
        "cases:\n- id: a\n  frozen: [{user: q}]\n  sessions: [{turns: [{user: q}]}]\n",
        turns("{user: q, agent: a}"),
        turns("{calls: []}"),
        turns("{calls: [{call: x}]}"),
        turns("{calls: [{result: x}]}"),
        turns("{}"),
        turns("{tool: x}"),
    ):
        assert not schema.is_valid(yaml.safe_load(wrong)), wrong


@pytest.mark.parametrize(
    ("text", "line", "message", "hint"),
    [
        ("cases:\n- id: a\n  user: q\n  question: q\n", 3, "has `user` beside `question`", "keep one of the two"),
        ("cases:\n- id: a\n  expected_facts: [x]\n", 2, "lacks the field `question`", "add it, or `sessions`"),
        ("cases:\n- id: a\n  frozen: [{agent: hi}]\n", 2, "lacks the field `user`", "after the frozen turns"),
        ("cases:\n- id: a\n  frozen: []\n  user: q\n", 3, "must be more than empty", "at least one"),
        (
            "cases:\n- id: a\n  frozen: [{agent: x}]\n  sessions: [{turns: [{user: x}]}]\n",
            3,
            "has `frozen` beside `sessions`",
            "that is graded under `user:`",
        ),
        (
            "cases:\n- id: a\n  user: q\n  sessions: [{turns: [{user: x}]}]\n",
            3,
            "has `user` beside `sessions`",
            "the turns of the sessions ask",
        ),
        (
            "cases:\n- id: a\n  user: q\n  cut_from: {session: s, turn: 1}\n",
            4,
            "has `cut_from` without `frozen`",
            "write the prefix",
        ),
        (
            DESIGN.replace("turn: 5", "turn: 0"),
            14,
            "`cut_from.turn` must be a whole number of at least 1",
            "the least is 1",
        ),
        (DESIGN.replace("turn: 5", "turn: five"), 14, "of at least 1, not 'five'", "write digits, without quotes"),
        (turns("hello"), 4, "`frozen[1]` must be a turn, not 'hello'", "`user: …`"),
        (turns("{}"), 4, "`frozen[1]` must be a turn, not nothing", "`user: …`"),
        (turns("{user: a, agent: b}"), 4, "is a turn of the user and of the agent", "one item for each"),
        (turns("user: a\nagnet: b"), 5, "has an unknown field `agnet`", "did you mean `agent`?"),
        (turns("user: a\ntool: b"), 5, "has `tool`, a result without its call", "in the agent's turn"),
        (turns("user: a\nagent: {}"), 5, "must be a text", ""),
        (turns("user: ''\nagent: a"), 4, "is empty", ""),
        (turns("user: a\n{agent: b, calls: []}"), 5, "needs a list of calls, not nothing", "one item a call"),
        (turns("user: a\n{calls: x}"), 5, "needs a list of calls, not 'x'", "one item a call"),
        (turns("user: a\n{calls: [x]}"), 5, "has the call 'x' without a result", "`result: …`"),
        (turns("user: a\n{calls: [{call: x}]}"), 5, "has the call x without a result", '`result: ""`'),
        (turns("user: a\n{calls: [{call: x, result: }]}"), 5, "has the call x without a result", '`result: ""`'),
        (turns("user: a\n{calls: [{result: x}]}"), 5, "has a result without its call", "`call: name(arg=value)`"),
        (turns("user: a\n{calls: [{call: x, res: y}]}"), 5, "the unknown field `res`", "did you mean `result`?"),
        (turns("user: a\n{calls: [{call: 'x(', result: y}]}"), 5, "cannot read the call 'x('", ""),
        (turns("user: a\n{calls: [{call: {args: {}}, result: y}]}"), 5, "has a call with `args`", "name: …"),
        (turns("user: a\n{calls: [{call: {}, result: y}]}"), 5, "has a call with nothing", "name: …"),
        (turns("user: a\n{calls: [{call: {name: x, args: 1}, result: y}]}"), 5, "needs a mapping under `args`", ""),
        (turns("agent: a\nuser: b"), 5, "`frozen[2]` ends with a turn of the user", "under `user:` of the case"),
        (turns("{calls: [{call: x, result: y}]}\nagent: b"), 4, "begins with a call that nobody asked for", "greet"),
        (
            turns("user: a\n{calls: [{call: x, result: y, id: i}]}\n{calls: [{call: x, result: y, id: i}]}"),
            5,
            "has the call id 'i' twice",
            "its own id",
        ),
    ],
)
def test_what_is_no_prefix_is_told_with_its_line(problems, text, line, message, hint):
    (found,) = problems(text)
    assert message in found.message
    assert hint in found.hint
    assert found.line == line


@pytest.mark.parametrize("text", ["agent: Hello!\nuser: a\nagent: b", "agent: Hello!", "user: a\nuser: b\nagent: c"])
def test_an_agent_may_greet_first_and_a_user_may_speak_twice(load, text):
    assert len(load(turns(text)).cases[0].frozen) == len(text.splitlines())


def test_a_number_that_json_does_not_have_stays_a_text():
    assert past_turn_of({"calls": [{"call": "x", "result": [float("1e3"), ".inf"]}]}).calls[0].result == [
        1000.0,
        ".inf",
    ]
    with pytest.raises(ValueError, match="which JSON does not have"):
        past_turn_of({"calls": [{"call": "x", "result": float("nan")}]})


def test_a_call_that_no_line_can_say_is_written_as_a_mapping():
    odd = PastTurn("agent", "", (AnsweredCall(ToolCall("a (b", {"x": (1, 2)}), "ok"), AnsweredCall(ToolCall("c"), 1)))
    assert frozen_value([odd]) == [
        {"calls": [{"call": {"name": "a (b", "args": {"x": [1, 2]}}, "result": "ok"}, {"call": "c", "result": 1}]}
    ]
    odder = PastTurn("agent", "", (AnsweredCall(ToolCall("a b"), "ok"),))
    assert frozen_value([odder])[0]["calls"][0]["call"] == {"name": "a b"}


def rules(replay_set):
    return {found.rule for found in lint_set(replay_set)}


def test_what_the_prefix_says_need_not_stand_in_the_history(load, write):
    write('{"session": "s1", "turns": [{"role": "user", "text": "I like tea."}]}\n', "h.jsonl")
    head = "histories: {h: h.jsonl}\n"
    case = DESIGN + "  history: h\n"
    assert "unstated" not in rules(load(head + case))
    assert "unstated" in rules(load(head + case.replace("email", "mail").replace("mentions: mail", "mentions: email")))
    assert "unstated" not in rules(load(head + CALLS.replace("[refund]", "[delivered]") + "  history: h\n"))


def test_the_same_question_after_another_prefix_is_another_question(load):
    other = CALLS.replace("- id: a", "- id: b").replace("Where is it?", "Is it insured, and who pays for that?")
    assert "questions-alike" not in rules(load(CALLS + other.removeprefix("cases:\n")))
    assert "questions-alike" in rules(load(CALLS + CALLS.replace("- id: a", "- id: b").removeprefix("cases:\n")))
