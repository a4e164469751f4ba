"""Cases with sessions: every form, what is refused with its line, what is doubted, and how they are written back."""

import json

import jsonschema
import pytest
import yaml

from foldproof.cases import Case, Expectation, append_cases, dump_set, lint_set, load_set, replay_set_schema
from foldproof.cases.sessions import before_its_time
from foldproof.matching import Fact
from foldproof.score.trials import expectation_labels

DESIGN = """cases:
- id: credit
  class: preference
  sessions:
  - at: day 1
    turns:
    - user: "From now on, refund me in store credit."
      expect:
      - memory_write: {kind: preference, refund_method: store_credit}
    - user: Thanks.
    maintain: true
  - at: day 4
    turns:
    - user: Refund the kettle.
      expect:
      - memory_read: store credit
      - tool_called: create_refund(order_id=5310, method=store_credit)
      - reply_mentions: store credit
      - reply_mentions: store credit
      - store_has: {any: [store credit, shop credit]}
      - store_lacks: card
  expected_facts: [kettle refund]
"""


def one(turn, **case):
    """A set of one case with one session of one turn, whose `expect` is given."""
    more = "".join(f"  {key}: {value}\n" for key, value in case.items())
    return f"cases:\n- id: a\n  sessions:\n  - turns:\n    - user: Refund it.\n      expect:\n      - {turn}\n{more}"


def test_a_case_with_sessions_loads(load):
    (case,) = load(DESIGN).cases
    first, second = case.sessions
    assert (first.at, first.maintain, [turn.user for turn in first.turns]) == (
        "day 1",
        True,
        ["From now on, refund me in store credit.", "Thanks."],
    )
    assert (second.at, second.maintain, case.question) == ("day 4", False, "Refund the kettle.")
    assert first.turns[0].expect[0].fields == {"kind": "preference", "refund_method": "store_credit"}
    assert (first.looks_at_store, second.looks_at_store) == (True, True)
    assert case.asks_calls
    assert [fact.label for fact in case.mentions] == ["kettle refund", "store credit", "store credit"]


def test_labels_open_with_the_turn_and_none_stands_twice(load):
    (case,) = load(DESIGN).cases
    assert expectation_labels(case) == [
        "s1.t1 memory_write: kind=preference, refund_method=store_credit",
        "s2.t1 memory_read: store credit",
        "s2.t1 tool_called: create_refund(order_id=5310, method=store_credit)",
        "s2.t1 reply_mentions: store credit",
        "s2.t1 reply_mentions: store credit (2)",
        "s2.t1 store_has: any: store credit | shop credit",
        "s2.t1 store_lacks: card",
    ]


def test_a_number_that_stands_in_a_fact_makes_no_two_labels_alike():
    said = [Expectation("reply_mentions", fact=Fact("normalized", text)) for text in ("kit", "kit", "kit (2)", "kit")]
    labels = expectation_labels(Case("a", "Which?", expect=tuple(said)))
    assert labels == [f"reply_mentions: kit{more}" for more in ("", " (2)", " (2) (2)", " (3)")]


def test_each_turn_is_a_question_of_its_own(load):
    (case,) = load(DESIGN).cases
    assert [(part.question, part.at, len(part.expect), len(part.expected)) for part in case.parts] == [
        ("From now on, refund me in store credit.", "day 1", 1, 0),
        ("Thanks.", "day 1", 0, 0),
        ("Refund the kettle.", "day 4", 6, 1),
    ]
    assert case.part_names == ("s1.t1", "s1.t2", "s2.t1")
    plain = Case("a", "q")
    assert (plain.parts, plain.part_names) == ((plain,), ("",))


def test_it_is_written_back_the_same(load, tmp_path):
    replay_set = load(DESIGN)
    dump_set(replay_set, tmp_path / "copy.yaml")
    again = load_set(tmp_path / "copy.yaml")
    assert (again.cases, again.sha256) == (replay_set.cases, replay_set.sha256)
    path = tmp_path / "set.json"
    path.write_text('{"cases": []}', "utf-8")
    append_cases(path, replay_set.cases)
    assert load_set(path).cases == replay_set.cases
    assert "question" not in json.loads(path.read_text("utf-8"))["cases"][0]


@pytest.mark.parametrize(
    "change",
    [
        ("at: day 4", "at: day 5"),
        ("    maintain: true\n", ""),
        ("Refund the kettle.", "Refund the pot."),
        ("memory_read", "store_has"),
        ("refund_method", "refund_way"),
    ],
)
def test_what_is_asked_and_expected_is_part_of_the_hash(load, change):
    old, new = change
    assert old in DESIGN
    assert load(DESIGN.replace(old, new)).sha256 != load(DESIGN).sha256


def test_the_order_of_arguments_is_no_part_of_the_hash(load):
    other = DESIGN.replace("order_id=5310, method=store_credit", "method=store_credit, order_id=5310")
    assert load(other).sha256 == load(DESIGN).sha256


def test_the_schema_knows_both_forms():
    schema = jsonschema.Draft202012Validator(replay_set_schema())
    schema.validate(yaml.safe_load(DESIGN))
    for wrong in (
        one("memory_read: x", question="q"),
        "cases:\n- id: a\n",
        "cases:\n- id: a\n  sessions: []\n",
        "cases:\n- id: a\n  sessions: [{turns: []}]\n",
        "cases:\n- id: a\n  question: q\n  expect: [{memory_read: x}]\n",
        one("memory_write: {}"),
        one("memory_write: {any: 1, kind: x}"),
    ):
        assert not schema.is_valid(yaml.safe_load(wrong)), wrong


@pytest.mark.parametrize(
    ("text", "line", "message", "hint"),
    [
        (one("memory_read: x", question="q"), 8, "has `question` beside `sessions`", "keep one of the two"),
        (one("memory_read: x", at="day 1"), 8, "has `at` beside `sessions`", "write it in the session"),
        (one("memory_read: x", expect="[]"), 8, "has `expect` beside `sessions`", "write it in the turn"),
        ("cases:\n- id: a\n  expected_facts: [x]\n", 2, "lacks the field `question`", "add it, or `sessions`"),
        ("cases:\n- id: a\n  sessions: []\n", 3, "must be more than empty", "at least one"),
        ("cases:\n- id: a\n  sessions:\n  - turns: []\n", 4, "must be more than empty", "at least one"),
        ("cases:\n- id: a\n  sessions:\n  - turns:\n    - expect: []\n", 5, "lacks the field `user`", "add it"),
        (one("memory_raed: x"), 7, "unknown kind of expectation `memory_raed`", "did you mean `memory_read`?"),
        (one("state: x"), 7, "needs a mapping under `state`, not 'x'", "state: {refunds:"),
        (one("memory_read: {judged: x}"), 7, "has a judged fact under `memory_read`", "match it"),
        (one("memory_write: {any: [a, {judged: x}]}"), 7, "has a judged fact under `memory_write`", "match it"),
        (one("memory_write: {}"), 7, "has an empty `memory_write`", "kind: preference"),
        (one("memory_write: {way: '...'}"), 7, "has a value under `way` that cannot be matched", ""),
        (one("memory_write: {way: [a]}"), 7, "must be a text, not a list", ""),
        (one("memory_write: {any: [a], kind: x}"), 7, "needs exactly one kind of fact", ""),
        (one("store_has: '...'"), 7, "", ""),
        (one("reply_omits: x"), 0, "has no expected facts, only forbidden ones", ""),
        (one("store_lacks: x"), 0, "has no expected facts, only forbidden ones", ""),
        ("cases:\n- id: a\n  sessions: [{turns: [{user: x}]}]\n", 0, "has no expected facts", ""),
        (
            one("reply_mentions: x").replace("user:", "user: x\n    - user:") + "  forbidden_facts: [x]\n",
            0,
            "",
            "remove",
        ),
    ],
)
def test_what_is_no_session_is_told_with_its_line(problems, text, line, message, hint):
    (found,) = problems(text)
    assert message in found.message
    assert hint in found.hint
    assert not line or found.line == line


def test_the_same_fact_may_be_forbidden_in_another_turn(load, problems):
    both = one("reply_mentions: credit\n      - reply_omits: credit")
    assert [found.rule for found in problems(both)] == ["expected-and-forbidden"]
    apart = one("reply_mentions: credit\n    - user: Forget it.\n      expect:\n      - reply_omits: credit")
    assert len(load(apart).cases[0].parts) == 2


@pytest.mark.parametrize(
    ("times", "early"),
    [
        (["day 1", "day 4"], None),
        (["day 4", "day 1"], 1),
        (["day 9", "day 10", "Day 10"], None),
        (["day 1", "", "day 3", "day 2"], 3),
        (["2026-03-01", "2026-02-28"], 1),
        (["2026-03-01", "2026-03-01"], None),
        (["2026-03-01T10:00+02:00", "2026-03-01T09:00Z"], None),
        (["2026-03-01T10:00+02:00", "2026-03-01T07:59Z"], 1),
        (["2026-03-01T10:00", "2026-03-01T09:00"], 1),
        (["2026-03-01T10:00", "2026-03-01"], None),
        (["2026-03-01T10:00", "2026-03-01T09:00Z"], None),
        (["day 4", "2026-03-01"], None),
        (["tomorrow", "today"], None),
        (["2026-13-01", "2026-01-01"], None),
        (["12:61", "12:00"], None),
        ([], None),
        (["", ""], None),
    ],
)
def test_times_are_held_against_each_other_where_they_can_be(load, times, early):
    (case,) = load(DESIGN).cases
    sessions = [type(case.sessions[0])(case.sessions[0].turns, at) for at in times]
    assert before_its_time(sessions) == early


def test_a_session_before_an_earlier_one_is_refused_with_its_line(problems):
    (found,) = problems(DESIGN.replace("day 4", "day 0"))
    assert (found.line, found.rule) == (12, "session-order")
    assert "has session 2 at 'day 0', which is before an earlier one" in found.message


def rules(replay_set):
    return {found.rule for found in lint_set(replay_set)}


def test_a_case_that_looks_only_at_the_memory_is_warned_about(load):
    assert "store-only" in rules(load(one("store_has: credit\n      - memory_read: credit")))
    assert "store-only" not in rules(load(one("store_has: credit\n      - reply_mentions: credit")))
    assert "store-only" not in rules(load(one("store_has: credit", expected_facts="[credit]")))
    assert "silence-passes" in rules(load(one("no_tool_called: refund")))
    assert "silence-passes" not in rules(load(one("tool_called: refund")))


def test_a_fact_in_the_message_of_its_own_turn_is_warned_about(load):
    asked = one("reply_mentions: refund it")
    assert "fact-in-question" in rules(load(asked))
    assert "fact-in-question" not in rules(load(DESIGN))


def test_what_a_session_says_need_not_stand_in_the_history(load, write):
    write('{"session": "s1", "turns": [{"role": "user", "text": "I like tea."}]}\n', "h.jsonl")
    head = "histories: {h: h.jsonl}\n"
    said = one("reply_mentions: store credit", history="h").replace("Refund it.", "Use store credit.")
    assert "unstated" not in rules(load(head + said))
    assert "unstated" in rules(load(head + said.replace("Use store credit.", "Refund it.")))


def test_two_cases_with_the_same_messages_are_told(load):
    case = DESIGN.split("cases:\n")[1]
    assert "questions-alike" in rules(load(DESIGN + case.replace("credit\n  class", "other\n  class")))


def test_a_line_that_is_not_known_is_that_of_what_holds_it():
    case = Case("a", "q", lines={"": 1, "sessions": 2, "sessions.0": 3}, expected=(Fact("normalized", "x"),))
    assert [case.line(key) for key in ("sessions.0.turns.1", "sessions.4", "source", "")] == [3, 2, 1, 1]
