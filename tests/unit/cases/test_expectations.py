"""The `expect:` list of a case: every form, what is refused, what is doubted, and how it is written back."""

import json

import jsonschema
import pytest
import yaml

from foldproof.cases import Case, append_cases, dump_set, lint_set, load_set, replay_set_schema
from foldproof.cases.contents import case_value
from foldproof.cases.expectations import ArgumentCheck, CallCount, Expectation, ExpectedCall
from foldproof.matching import Fact


def one(items, head="", **case):
    """A set of one case with these expectations."""
    lines = "".join(f"  {line}\n" for line in items.splitlines())
    more = "".join(f"  {key}: {value}\n" for key, value in case.items())
    return f"{head}cases:\n- id: a\n  question: Refund the kettle.\n{more}  expect:\n{lines}"


def called(name="f", args=None, **more):
    return Expectation("tool_called", (ExpectedCall(name, args or {}),), **more)


@pytest.mark.parametrize(
    ("text", "expected", "label"),
    [
        ("tool_called: f", called(), "tool_called: f"),
        ("tool_called: f()", called(), "tool_called: f"),
        ("tool_called: '*'", called("*"), "tool_called: *"),
        (
            "tool_called: create_refund(order_id=5310, method=store_credit)",
            called("create_refund", {"order_id": 5310, "method": "store_credit"}),
            "tool_called: create_refund(order_id=5310, method=store_credit)",
        ),
        (
            "tool_called: {name: git push, args: {force: no, n: 15, s: '15', t: true, e: }}",
            called("git push", {"force": "no", "n": 15, "s": "15", "t": True, "e": None}),
            'tool_called: git push(force=no, n=15, s="15", t=true, e=null)',
        ),
        (
            "tool_called: {name: f, mode: exact}",
            Expectation("tool_called", (ExpectedCall("f", mode="exact"),)),
            "tool_called: f, exactly",
        ),
        (
            "tool_called: {name: f, args: {a: 1}, mode: subset, count: 2}",
            called(args={"a": 1}, count=CallCount(2, 2)),
            "tool_called: f(a=1), exactly 2",
        ),
        ("tool_called: {name: f, count: {min: 2}}", called(count=CallCount(2)), "tool_called: f, at least 2"),
        ("tool_called: {name: f, count: {max: 3}}", called(count=CallCount(1, 3)), "tool_called: f, 1 to 3"),
        (
            "tool_called: {name: f, count: {min: 0, max: 3}}",
            called(count=CallCount(0, 3)),
            "tool_called: f, at most 3",
        ),
        (
            "tool_called: {any_of: [f, 'g(a=1)', {name: h}]}",
            Expectation(
                "tool_called",
                (ExpectedCall(any_of=(ExpectedCall("f"), ExpectedCall("g", {"a": 1}), ExpectedCall("h"))),),
            ),
            "tool_called: any of f | g(a=1) | h",
        ),
        (
            "tool_called: {any_of: [f, g], count: 2}",
            Expectation(
                "tool_called",
                (ExpectedCall(any_of=(ExpectedCall("f"), ExpectedCall("g"))),),
                count=CallCount(2, 2),
            ),
            "tool_called: any of f | g, exactly 2",
        ),
        (
            "no_tool_called: schedule_callback",
            Expectation("no_tool_called", (ExpectedCall("schedule_callback"),)),
            "no_tool_called: schedule_callback",
        ),
        (
            "tool_order: [look_up, 'refund(id=1)']",
            Expectation("tool_order", (ExpectedCall("look_up"), ExpectedCall("refund", {"id": 1}))),
            "tool_order: look_up > refund(id=1)",
        ),
        (
            "tool_order: {calls: [f, g], order: any}",
            Expectation("tool_order", (ExpectedCall("f"), ExpectedCall("g")), order="any"),
            "tool_order: f & g",
        ),
        (
            "tool_order: {calls: [f, g], order: strict}",
            Expectation("tool_order", (ExpectedCall("f"), ExpectedCall("g"))),
            "tool_order: f > g",
        ),
        (
            "reply_mentions: {any: [store credit, gift card]}",
            Expectation(
                "reply_mentions",
                fact=Fact("any", any=(Fact("normalized", "store credit"), Fact("normalized", "gift card"))),
            ),
            "reply_mentions: any: store credit | gift card",
        ),
        (
            "reply_omits: {exact: MongoDB}",
            Expectation("reply_omits", fact=Fact("exact", "MongoDB")),
            "reply_omits: exact: MongoDB",
        ),
        (
            (
                "tool_called: {name: f, args: {a: {value: 12.5, tolerance: 0.01}, b: {matches: 'dent(ed)?'},"
                " c: {contains: {number: 15}}, d: {any_of: [card, {contains: credit}]}, e: {value: {matches: x}}}}"
            ),
            called(
                args={
                    "a": ArgumentCheck("value", 12.5, 0.01),
                    "b": ArgumentCheck("matches", fact=Fact("pattern", "dent(ed)?")),
                    "c": ArgumentCheck("contains", fact=Fact("number", "15")),
                    "d": ArgumentCheck(
                        "any_of", any_of=("card", ArgumentCheck("contains", fact=Fact("normalized", "credit")))
                    ),
                    "e": {"matches": "x"},
                }
            ),
            (
                "tool_called: f(a=12.5±0.01, b=<matches dent(ed)?>, c=<contains number: 15>,"
                ' d=<card | <contains credit>>, e={"matches": "x"})'
            ),
        ),
        (
            "tool_called: {name: f, args: {a: {b: [1, {matches: x}]}, c: {value: 3}, d: {}}}",
            called(args={"a": {"b": [1, ArgumentCheck("matches", fact=Fact("pattern", "x"))]}, "c": 3, "d": {}}),
            'tool_called: f(a={"b": [1, "<matches x>"]}, c=3, d={})',
        ),
        (
            "state: {refunds: [{order_id: 5310, method: store_credit}], open: true}",
            Expectation("state", state={"refunds": [{"order_id": 5310, "method": "store_credit"}], "open": True}),
            'state: refunds=[{"order_id": 5310, "method": "store_credit"}], open=true',
        ),
        (
            "state: {is: {total: {value: 24.9, tolerance: 0.01}}, mode: exact}",
            Expectation("state", state={"total": ArgumentCheck("value", 24.9, 0.01)}, mode="exact"),
            "state: total=24.9±0.01, exactly",
        ),
        (
            "state: {is: {is: {contains: dent}}}",
            Expectation("state", state={"is": ArgumentCheck("contains", fact=Fact("normalized", "dent"))}),
            "state: is=<contains dent>",
        ),
        (
            "state: {refunds: [], by: {}}",
            Expectation("state", state={"refunds": [], "by": {}}),
            "state: refunds=[], by={}",
        ),
    ],
)
def test_every_form_of_an_expectation(load, tmp_path, text, expected, label):
    positive = "" if not expected.silent else "\n- tool_called: other"
    replay_set = load(one(f"- {text}{positive}"))
    found = replay_set.cases[0].expect[0]
    assert repr(found) == repr(expected)  # 1, 1.0 and true are told apart
    assert found.label == label
    jsonschema.Draft202012Validator(replay_set_schema()).validate(yaml.safe_load(one(f"- {text}{positive}")))
    dump_set(replay_set, tmp_path / "again.yaml")
    again = load_set(tmp_path / "again.yaml")
    assert repr(again.cases) == repr(replay_set.cases)
    assert again.sha256 == replay_set.sha256
    as_json = tmp_path / "again.json"
    as_json.write_text('{"name": "replay", "cases": []}', "utf-8")
    append_cases(as_json, replay_set.cases)
    assert repr(load_set(as_json).cases[0].expect) == repr(replay_set.cases[0].expect)


@pytest.mark.parametrize(
    ("text", "message", "hint"),
    [
        (
            "tool_caled: f",
            "has an unknown kind of expectation `tool_caled`",
            "did you mean `tool_called`?\nallowed: `t",
        ),
        ("zzz: f", "has an unknown kind of expectation `zzz`", "allowed: `tool_called`, `no_tool_called`, "),
        (
            "memory_write: f",
            "has the expectation `memory_write`, which is for the turns of `sessions`",
            "allowed: `tool_",
        ),
        ("state: f", "needs a mapping under `state`, not 'f'", "state: {refunds: [{order_id: 5310"),
        ("state: {}", "needs a mapping under `state`, not nothing", "state: {refunds:"),
        ("state: {is: [1]}", "needs a mapping under `state`, not a list", "state: {refunds:"),
        (
            "state: {is: {a: 1}, mode: all}",
            "has the unknown mode 'all'",
            "`subset` (further keys are welcome), `exact`",
        ),
        ("state: {a: {b: {matchs: x}}}", "has an argument with the unknown check `matchs`", "did you mean `matches`?"),
        ("refund", "must be an expectation, not 'refund'", "write `tool_called: name(arg=value)`"),
        ("{tool_called: f, count: 2}", "needs exactly one kind of expectation, found `tool_called`, `count`", "{name:"),
        ("{}", "needs exactly one kind of expectation, found none", ""),
        ("tool_called: f(5310)", "at character 7, '=' is expected after the argument '5310'", "name=value"),
        ("tool_called: f(a=1", "at character 6, the bracket of the arguments is not closed", "needs quotes around it"),
        ("tool_called:", "is empty", ""),
        ("tool_called: [f]", "must be a call, not a list", ""),
        ("tool_called: {args: {a: 1}}", "lacks the `name` of the tool", ""),
        ("tool_called: {name: f, arg: {a: 1}}", "has an unknown field `arg`", "did you mean `args`?"),
        ("state: {refunds: [], mode: exact}", "has `mode` beside the keys of a `state`", "under `is`"),
        ("tool_called: {name: f, mode: exactly}", "has the unknown mode 'exactly'", "`subset`"),
        ("tool_called: {name: f, args: [1]}", "needs a mapping under `args`, not a list", ""),
        ("tool_called: {name: f, args: }", "needs a mapping under `args`, not nothing", ""),
        ("tool_called: {name: f, count: 0}", "must be a whole number of at least 1, not '0'", ""),
        ("tool_called: {name: f, count: {}}", "has an empty `count`", ""),
        ("tool_called: {name: f, count: {min: 0}}", "has a `count` that asks for nothing", "`max`"),
        ("tool_called: {name: f, count: {min: 3, max: 2}}", "must be a whole number of at least 3, not '2'", ""),
        ("tool_called: {name: f, count: {most: 2}}", "has an unknown field `most`", "`max`"),
        ("tool_called: {any_of: []}", "needs a list of calls under `any_of`", ""),
        ("tool_called: {any_of: f}", "needs a list of calls under `any_of`, not 'f'", ""),
        ("tool_called: {any_of: [f], name: g}", "has `any_of` beside other keys of a call", ""),
        ("tool_called: {any_of: [{any_of: [f]}]}", "has an `any_of` inside an `any_of`", ""),
        ("no_tool_called: {name: f, count: 2}", "has an unknown field `count`", ""),
        ("tool_order: [f]", "needs a list of at least two calls, not a list", ""),
        ("tool_order: f", "needs a list of at least two calls, not 'f'", ""),
        ("tool_order: {calls: [f, g], order: loose}", "has the unknown order 'loose'", "`strict`"),
        ("tool_order: {calls: [f, g], ordr: any}", "has an unknown field `ordr`", "did you mean `order`?"),
        (
            "tool_called: {name: f, args: {a: {match: x}}}",
            "unknown check `match`",
            "did you mean `matches`?\nan object",
        ),
        ("tool_called: {name: f, args: {a: {matches: x, contains: y}}}", "is checked by `matches`, `contains`", ""),
        ("tool_called: {name: f, args: {a: {tolerance: 1}}}", "is checked by `tolerance`", "`value` (with"),
        ("tool_called: {name: f, args: {a: {matches: x, tolerance: 1}}}", "checked by `matches`, `tolerance`", ""),
        ("tool_called: {name: f, args: {a: {value: x, tolerance: 1}}}", "has a `tolerance` around 'x'", ""),
        ("tool_called: {name: f, args: {a: {value: true, tolerance: 1}}}", "has a `tolerance` around 'true'", ""),
        ("tool_called: {name: f, args: {a: {value: 1, tolerance: -1}}}", "must be a number from 0 on, not '-1'", ""),
        ("tool_called: {name: f, args: {a: {matches: '('}}}", "cannot be matched: the pattern '('", "RE2"),
        ("tool_called: {name: f, args: {a: {contains: '...'}}}", "cannot be matched: the fact '...'", "exact"),
        ("tool_called: {name: f, args: {a: {contains: {judged: kind}}}}", "has an argument that is judged", ""),
        (
            "reply_mentions: {judged: it is kind}",
            "a judged fact under `reply_mentions`, which no judge",
            "expected_facts",
        ),
        ("reply_omits: {judged: it is rude}", "judged fact under `reply_omits`, which no judge", "forbidden_facts"),
        ("tool_called: {name: f, args: {a: {contains: {any: [{judged: x}]}}}}", "has an argument that is judged", ""),
        ("tool_called: {name: f, args: {a: {any_of: []}}}", "needs a list under `any_of`, not nothing", ""),
        ("reply_mentions: {exakt: x}", "has an unknown kind of fact `exakt`", "did you mean `exact`?"),
        ("reply_mentions: '...'", "the fact '...' has no letter or digit", ""),
        ("reply_omits: {pattern: '('}", "the pattern '(' does not compile", ""),
    ],
)
def test_what_is_no_expectation_is_told_with_its_line(problems, text, message, hint):
    found = problems(one(f"- tool_called: first\n- {text}"))
    assert [item.line for item in found] == [6]
    assert message in found[0].message
    assert hint in found[0].hint
    assert found[0].hint


@pytest.mark.parametrize("text", ["tool_caled: f", "tool_called: {name: f, arg: {}}", "tool_order: [f]"])
def test_what_the_loader_refuses_the_schema_refuses(text):
    schema = jsonschema.Draft202012Validator(replay_set_schema())
    assert not schema.is_valid(yaml.safe_load(one(f"- {text}")))


def test_all_that_is_wrong_is_told_at_once(problems):
    found = problems(one("- tool_caled: f\n- tool_called: f(\n- reply_mentions: '...'\n- tool_called: ok"))
    assert [item.line for item in found] == [5, 6]  # the shape first; what is wrong with well-formed facts comes after
    assert all(item.message.startswith("case 'a': `expect[") for item in found)


def test_a_list_that_is_none(problems):
    (found,) = problems("cases:\n- id: a\n  question: q\n  expect: f\n")
    assert (found.line, found.message) == (4, "case 'a': `expect` must be a list, not 'f'")


@pytest.mark.parametrize(
    "kind", ["tool_called: f", "tool_order: [f, g]", "reply_mentions: credit", "no_tool_called: f"]
)
def test_a_case_may_have_expectations_only(load, kind):
    case = load(one(f"- {kind}")).cases[0]
    assert (case.expected, len(case.expect)) == ((), 1)


@pytest.mark.parametrize(("more", "ok"), [({}, False), ({"expected_facts": "[b]"}, True), ({"abstain": "true"}, True)])
def test_what_the_reply_omits_is_not_enough(problems, load, more, ok):
    text = one("- reply_omits: MongoDB", **more)
    if ok:
        assert load(text).cases[0].expect
    else:
        (found,) = problems(text)
        assert found.rule == "no-expected-facts"
        assert "silence would pass it" in found.message


def test_an_empty_list_asserts_nothing(problems):
    (found,) = problems("cases:\n- id: a\n  question: q\n  expect: []\n")
    assert found.rule == "no-expected-facts"


@pytest.mark.parametrize(
    ("items", "line"),
    [
        ("- tool_called: f(a=1)\n- no_tool_called: f", 5),
        ("- tool_called: f(a=1, b=2)\n- no_tool_called: f(a=1)", 5),
        ("- no_tool_called: '*'\n- tool_called: f", 6),
        ("- no_tool_called: f\n- tool_order: [g, f]", 6),
        ("- no_tool_called: {any_of: [f, g]}\n- tool_called: {any_of: [f, g]}", 6),
        ("- reply_mentions: Credit\n- reply_omits: credit", 5),
    ],
)
def test_what_is_expected_and_forbidden_too_is_an_error(problems, items, line):
    (found,) = problems(one(items))
    assert (found.line, found.rule) == (line, "expected-and-forbidden")


@pytest.mark.parametrize(
    "items",
    [
        "- tool_called: f(a=1)\n- no_tool_called: f(a=2)",
        "- tool_called: f(a=1)\n- no_tool_called: f(a='1')",
        "- tool_called: f(a=1)\n- no_tool_called: f(a=1, b=2)",
        "- tool_called: f\n- no_tool_called: {name: f, mode: exact}",
        "- tool_called: {any_of: [f, g]}\n- no_tool_called: f",
        "- tool_called: {name: f, count: {min: 0, max: 2}}\n- no_tool_called: f\n- reply_mentions: x",
        "- reply_mentions: credit\n- reply_omits: card",
    ],
)
def test_twin_what_can_be_met_loads(load, items):
    assert load(one(items)).cases[0].expect


def test_a_mention_that_is_forbidden_by_the_case(problems):
    (found,) = problems(one("- reply_mentions: credit", forbidden_facts="[credit]"))
    assert (found.line, found.rule) == (6, "expected-and-forbidden")


def rules(replay_set):
    ignored = {"no-gate", "set-size", "not-gated"}
    return [(problem.line, problem.rule) for problem in lint_set(replay_set) if problem.rule not in ignored]


@pytest.mark.parametrize(
    ("items", "found"),
    [
        ("- no_tool_called: f", [(4, "silence-passes")]),
        ("- no_tool_called: f\n- reply_omits: card", [(4, "silence-passes")]),
        ("- tool_called: {name: f, count: {min: 0, max: 1}}", [(4, "silence-passes")]),
        ("- no_tool_called: f\n- tool_called: g", []),
        ("- no_tool_called: f\n- reply_mentions: credit", []),
        ("- tool_called: refund(item=kettle)", []),  # an argument of the question is to be handed over
        ("- reply_mentions: kettle", [(5, "fact-in-question")]),
        ("- reply_mentions: 'yes'", [(5, "common-word")]),
        ("- reply_mentions: Postgres 15\n- reply_mentions: Postgres", [(6, "fact-subsumed")]),
        ("- reply_mentions: no MongoDB\n- reply_omits: MongoDB", []),
        ("- reply_mentions: {exact: MongoDB now}\n- reply_omits: MongoDB", [(5, "forbidden-in-expected")]),
    ],
)
def test_what_the_linter_doubts(load, items, found):
    assert rules(load(one(items))) == found


@pytest.mark.parametrize("more", [{"expected_facts": "[credit]"}, {"abstain": "true"}])
def test_beside_what_must_be_said_silence_does_not_pass(load, more):
    assert "silence-passes" not in [rule for _, rule in rules(load(one("- no_tool_called: f", **more)))]


def test_a_mention_that_the_history_does_not_say(write, load):
    write(json.dumps({"session": "s1", "turns": [{"role": "user", "text": "store credit"}]}), "h.jsonl")
    text = one("- reply_mentions: store credit\n- reply_mentions: gift card", "histories: {h: h.jsonl}\n", history="h")
    assert rules(load(text)) == [(8, "unstated")]


def test_the_order_of_arguments_and_the_form_play_no_part_in_the_hash(load):
    texts = ["f(a=1, b=x)", "f(b=x, a=1)", "{name: f, args: {b: x, a: 1}}"]
    assert len({load(one(f"- tool_called: {text}")).sha256 for text in texts}) == 1


@pytest.mark.parametrize(
    "other",
    ["f(a='1', b=x)", "{name: f, args: {a: 1, b: x}, mode: exact}", "{name: f, args: {a: 1, b: x}, count: 1}"],
)
def test_what_is_expected_is_part_of_the_hash(load, other):
    assert load(one(f"- tool_called: {other}")).sha256 != load(one("- tool_called: f(a=1, b=x)")).sha256


def test_the_order_that_is_asked_for_is_part_of_the_hash(load):
    strict, loose = (load(one(f"- tool_order: {{calls: [f, g], order: {order}}}")) for order in ("strict", "any"))
    assert strict.sha256 != loose.sha256


def test_a_case_without_expectations_is_written_as_before():
    assert "expect" not in case_value(Case("a", "?", expected=(Fact("normalized", "x"),)))


def test_a_call_whose_name_needs_quotes_is_written_as_a_mapping():
    case = Case("a", "?", expect=(called("git push", {"a": 1}), called("f", {"a b": 1}), called("f")))
    assert case_value(case)["expect"] == [
        {"tool_called": {"name": "git push", "args": {"a": 1}}},
        {"tool_called": {"name": "f", "args": {"a b": 1}}},
        {"tool_called": "f"},
    ]
