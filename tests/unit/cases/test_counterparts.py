"""Cases that a live counterpart goes on with: every form, what is refused with its line, and how they are written."""

import jsonschema
import pytest
import yaml

from foldproof.cases import Case, CaseSession, CaseTurn, dump_set, lint_set, load_set, replay_set_schema
from foldproof.cases.contents import case_value
from foldproof.cases.counterparts import Counterpart, Simulated, counterpart_value
from foldproof.score.trials import expectation_labels

DESIGN = """cases:
- id: correction-blender
  class: episodic
  user: Refund my order.
  at: day 2
  correction: {after: "tool_called: create_refund(order_id=4021)", say: "No, the other one, the blender."}
  expect:
  - tool_called: create_refund(order_id=4022)
  - reply_mentions: blender
"""
SCRIPTED = """cases:
- id: a
  question: Refund it.
  correction:
    after:
      tool_called: refund(id=1)
    say: The other one.
  counterpart:
  - when: "reply_mentions: which order"
    say: The blender.
  - {when: {reply_omits: blender}, say: "Are you there?", times: 2}
  expect: [{tool_called: refund}]
"""
SIMULATED = """cases:
- id: a
  sessions:
  - turns:
    - user: Hello.
      simulated:
        goal: Get the blender refunded.
        persona: a hurried customer
        knows: [order 4021, "the total is 24.90"]
        corrections: [{after: "tool_called: refund(id=1)", say: "No, the blender."}]
        turns: 5
      expect: [{tool_called: refund}]
"""


def turn_of(case):
    ((turn,),) = (session.turns for session in case.sessions)
    return turn


def test_a_correction_is_one_session_of_one_turn(load):
    (case,) = load(DESIGN).cases
    turn = turn_of(case)
    assert (turn.user, case.sessions[0].at, case.question, case.expect) == (
        "Refund my order.",
        "day 2",
        "Refund my order.",
        (),
    )
    (line,) = turn.counterpart.corrections
    assert (line.when.label, line.say, turn.counterpart.most) == (
        "tool_called: create_refund(order_id=4021)",
        "No, the other one, the blender.",
        2,
    )
    assert (case.corrects, case.simulated, case.answered) == (True, False, turn)
    assert (case.line("sessions.0.turns.0.expect.1"), case.parts[0].line("expect.1")) == (9, 9)


def test_labels_have_no_turn_and_end_with_the_corrections(load):
    (case,) = load(DESIGN).cases
    assert expectation_labels(case) == [
        "tool_called: create_refund(order_id=4022)",
        "reply_mentions: blender",
        "correction after tool_called: create_refund(order_id=4021)",
    ]
    two = load(SIMULATED.replace("    - user: Hello.", "    - user: Hi.\n    - user: Hello.")).cases[0]
    assert expectation_labels(two) == ["s1.t2 tool_called: refund", "s1.t2 correction after tool_called: refund(id=1)"]


def test_rules_are_a_list_or_have_a_limit(load):
    (case,) = load(SCRIPTED).cases
    who = turn_of(case).counterpart
    assert [(line.when.label, line.say, line.times) for line in who.rules] == [
        ("reply_mentions: which order", "The blender.", 1),
        ("reply_omits: blender", "Are you there?", 2),
    ]
    assert (who.turns, who.most) == (0, 5)
    limited = SCRIPTED.replace("  counterpart:\n  - when", "  counterpart:\n    turns: 3\n    rules:\n    - when")
    limited = limited.replace("\n    say: The bl", "\n      say: The bl").replace("  - {when", "    - {when")
    who = turn_of(load(limited).cases[0]).counterpart
    assert (len(who.rules), who.turns, who.most) == (2, 3, 3)


def test_a_simulated_user_is_told_its_goal_and_what_it_knows(load):
    (case,) = load(SIMULATED).cases
    who = turn_of(case).counterpart
    knows = ("order 4021", "the total is 24.90")
    assert who.simulated == Simulated("Get the blender refunded.", "a hurried customer", knows)
    assert (who.corrections[0].say, who.most, case.simulated) == ("No, the blender.", 5, True)
    assert list(who.words) == ["No, the blender.", "Get the blender refunded.", "a hurried customer", *knows]
    plain = load(SIMULATED.replace("        turns: 5\n", "")).cases[0]
    assert turn_of(plain).counterpart.most == 8


LABELLED = """cases:
- id: a
  sessions:
  - user: bob
    turns:
    - user: Refund it.
      correction: {after: "tool_called: refund(id=1)", say: The other one.}
      expect: [{tool_called: refund}]
"""


@pytest.mark.parametrize("text", [DESIGN, SCRIPTED, SIMULATED, LABELLED])
def test_what_is_written_reads_back_the_same(load, tmp_path, text):
    replay_set = load(text)
    dump_set(replay_set, tmp_path / "again.yaml")
    again = load_set(tmp_path / "again.yaml")
    assert again.cases == replay_set.cases
    assert again.sha256 == replay_set.sha256


def test_a_case_is_written_as_short_as_it_can_be(load):
    (case,) = load(DESIGN).cases
    assert case_value(case) == {
        "id": "correction-blender",
        "class": "episodic",
        "at": "day 2",
        "user": "Refund my order.",
        "correction": {
            "after": {"tool_called": "create_refund(order_id=4021)"},
            "say": "No, the other one, the blender.",
        },
        "expect": [{"tool_called": "create_refund(order_id=4022)"}, {"reply_mentions": "blender"}],
    }
    kept = SIMULATED.replace("[{tool_called: refund}]", "[{tool_called: refund}, {memory_read: blender}]")
    assert "sessions" in case_value(load(kept).cases[0])


def test_one_case_has_one_hash_however_it_is_written(load):
    long = """cases:
- id: correction-blender
  class: episodic
  sessions:
  - at: day 2
    turns:
    - user: Refund my order.
      correction:
        after: {tool_called: {name: create_refund, args: {order_id: 4021}}}
        say: "No, the other one, the blender."
      expect:
      - tool_called: create_refund(order_id=4022)
      - reply_mentions: blender
"""
    one = load(DESIGN).sha256
    assert load(DESIGN.replace("  user: Refund", "  question: Refund")).sha256 == one
    assert load(long).sha256 == one
    assert load(DESIGN.replace("the blender", "the kettle")).sha256 != one
    assert load(DESIGN.replace("4021", "4020")).sha256 != one


def test_a_turn_without_a_counterpart_writes_no_key():
    assert counterpart_value(None) == {}
    bare = CaseTurn("x", (), Counterpart(simulated=Simulated("g")))
    value = case_value(Case("a", "x", sessions=(CaseSession((bare,)),)))
    assert value == {"id": "a", "class": "semantic", "question": "x", "simulated": {"goal": "g"}}


def replaced(old, new, text=SCRIPTED):
    assert old in text
    return text.replace(old, new)


WHEN = '"reply_mentions: which order"'
END = "  expect: [{tool_called: refund}]\n"
OTHER = 'correction: {after: "tool_called: f", say: x}\n'


@pytest.mark.parametrize(
    ("text", "line", "message", "hint"),
    [
        (replaced(WHEN, "which order"), 9,
         "`counterpart.rules[1].when` must be an expectation, not 'which order'", "write it as in `expect`"),
        (replaced(WHEN, '"reply_mentons: x"'), 9,
         "`counterpart.rules[1].when` has an unknown kind of expectation `reply_mentons`", "did you mean `reply_ment"),
        (replaced(WHEN, '"memory_read: x"'), 9, "which is for the turns of `sessions`", ""),
        (replaced(WHEN, "{reply_mentions: {judged: polite}}"), 9,
         "has a judged fact under `reply_mentions`, which no judge is asked about", "match it"),
        (replaced(WHEN, '{reply_mentions: "..."}'), 9, "has a fact that cannot be matched", ""),
        (replaced("times: 2", "times: 1001"), 11,
         "`counterpart.rules[2].times` is '1001', and no talk is that long", "allowed: 1 to 1000"),
        (replaced("        turns: 5", f"        turns: 1{'0' * 30}", SIMULATED), 11,
         "no talk is that long", "2 to 1000"),
        (replaced("times: 2", "times: 0"), 11, "`counterpart.rules[2].times` must be a whole number of at least 1", ""),
        (replaced("        turns: 5", "        turns: 1", SIMULATED), 11,
         "`sessions[1].turns[1].simulated.turns` must be a whole number of at least 2", ""),
        (replaced("    say: The other one.\n", ""), 4, "lacks the field `say` in `correction`", "add it"),
        (replaced(END, f"{END}  simulated: {{goal: g}}\n"), 2,
         ": it has `correction` beside `simulated`", "a simulated user has `corrections` of its own"),
        (replaced("        goal: Get the blender refunded.\n", "", SIMULATED), 6, "lacks the field `goal`", "add it"),
        (replaced("      expect:", '      counterpart: [{when: "tool_called: f", say: x}]\n      expect:',
                  SIMULATED), 5,
         ": `sessions[1].turns[1]` has `counterpart` beside `simulated`", "keep one of the two"),
        (replaced("  sessions:", f"  {OTHER}  sessions:", SIMULATED), 3,
         "has `correction` beside `sessions`", "write it in the turn that it goes on with"),
        (replaced("  at: day 2\n", "  frozen:\n  - user: Hi.\n  - agent: Hello.\n", DESIGN), 8,
         "has `correction` beside `frozen`", "to go on from there, write `sessions`"),
        (f"cases:\n- id: a\n  question: q\n  {OTHER}", 2, "has no expected facts", ""),
    ],
)  # fmt: skip
def test_what_cannot_be_is_refused_with_its_line(problems, text, line, message, hint):
    (problem,) = problems(text)
    assert (problem.line, message in problem.message, hint in problem.hint) == (line, True, True), problem


@pytest.mark.parametrize("text", [DESIGN, SCRIPTED, SIMULATED])
def test_the_schema_knows_every_form(text):
    schema = replay_set_schema()
    jsonschema.validate(yaml.safe_load(text), schema)
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(yaml.safe_load(text.replace("say: ", "says: ")), schema)


def doubts(load, text):
    return [(problem.line, problem.message) for problem in lint_set(load(text)) if problem.rule == "corrects-the-right"]


def test_a_correction_that_takes_back_the_right_call_is_doubted(load):
    loose = DESIGN.replace("create_refund(order_id=4021)", "create_refund")
    assert doubts(load, DESIGN) == []
    assert doubts(load, loose) == [
        (6, "case 'correction-blender' corrects every call of create_refund, the expected one too")
    ]
    other = loose.replace('after: "tool_called: create_refund', 'after: "reply_mentions: kettle')
    assert doubts(load, other) == []


def test_what_the_user_may_say_counts_as_stated(load, write):
    write('{"session": "s1", "turns": [{"role": "user", "text": "Hi."}]}\n', "h.jsonl")
    text = DESIGN.replace("cases:", "histories: {h: h.jsonl}\ncases:").replace("  class:", "  history: h\n  class:")
    assert "unstated" not in {problem.rule for problem in lint_set(load(text))}
    assert "unstated" in {problem.rule for problem in lint_set(load(text.replace("one, the blender.", "one.")))}
