"""Calls against what is expected of them: forms, counts, orders, checks of arguments, reasons."""

import pytest

from foldproof import ToolCall, match_calls
from foldproof.cases.expectations import ArgumentCheck, CallCount, Expectation, ExpectedCall
from foldproof.matching import Fact
from foldproof.score.calls import judge_calls

REFUND = "refund(order_id=4021, method=store_credit)"


def args_of(**args):
    return {"name": "f", "args": args}


@pytest.mark.parametrize(
    ("expected", "made", "ok"),
    [
        # names alone, and any tool
        (["f"], ["f(a=1)"], True),
        (["f()"], ["f(a=1)"], True),
        (["f"], ["g()"], False),
        (["*"], ["g()"], True),
        (["*(a=1)"], ["g(a=2)", "h(a=1)"], True),
        (["*(a=1)"], ["g(a=2)", "h()"], False),
        # modes
        ([{"name": "f", "mode": "exact"}], ["f()"], True),
        ([{"name": "f", "mode": "exact"}], ["f(a=1)"], False),
        ([{"name": "f", "args": {"a": 1}, "mode": "exact"}], ["f(a=1)"], True),
        ([{"name": "f", "args": {"a": 1}, "mode": "exact"}], ["f(a=1, b=2)"], False),
        # objects are equal in full, lists in order
        (["f(a={x: 1})"], ["f(a={x: 1})"], True),
        (["f(a={x: 1})"], ["f(a={x: 1, y: 2})"], False),
        (["f(a={x: 1, y: 2})"], ["f(a={x: 1})"], False),
        (["f(a={})"], ["f(a={})"], True),
        (["f(a={})"], ["f(a=[])"], False),
        (["f(a=[1, 2])"], ["f(a=[1, 2])"], True),
        (["f(a=[1, 2])"], ["f(a=[2, 1])"], False),
        (["f(a=[1, 2])"], ["f(a=[1, 2, 3])"], False),
        # null
        (["f(a=null)"], ["f(a=null)"], True),
        (["f(a=null)"], ["f()"], False),
        (["f(a=null)"], ["f(a=0)"], False),
        (["f(a=false)"], ["f(a=null)"], False),
        # several, each with a call of its own
        (["f", "f"], ["f()", "f()"], True),
        (["f", "f"], ["f()"], False),
        (["f", "f(a=1)"], ["f(a=1)", "f(a=2)"], True),
        (["f", "f(a=1)"], ["f(a=2)", "f(a=1)"], True),
        (["f", "f(a=1)"], ["f(a=1)"], False),
        # one of several
        ([{"any_of": ["f(a=1)", "g"]}], ["g()"], True),
        ([{"any_of": ["f(a=1)", "g"]}], ["f(a=2)"], False),
        ([{"any_of": ["f", "g"]}, "g"], ["g()", "f()"], True),
        ([{"any_of": ["f", "g"]}, "g"], ["g()"], False),
        # forbidden
        ([{"no_tool_called": "f"}], [], True),
        ([{"no_tool_called": "f"}], ["g()"], True),
        ([{"no_tool_called": "f"}], ["f()"], False),
        ([{"no_tool_called": "f(a=1)"}], ["f(a=2)"], True),
        ([{"no_tool_called": "f(a=1)"}], ["f(a=1, b=2)"], False),
        ([{"no_tool_called": {"any_of": ["f", "g"]}}], ["g()"], False),
        ([{"no_tool_called": "*"}], [], True),
        ([{"no_tool_called": "*"}], ["f()"], False),
        ([{"tool_called": "f"}, {"no_tool_called": "g"}], ["f()"], True),
        ([{"tool_called": "f"}, {"no_tool_called": "g"}], ["f()", "g()"], False),
        # counts look at every call that fits and take none away
        ([{"name": "f", "count": 2}], ["f()", "f(a=1)"], True),
        ([{"name": "f", "count": 2}], ["f()"], False),
        ([{"name": "f", "count": 2}], ["f()", "f()", "f()"], False),
        ([{"name": "f", "count": 2}, "f(a=1)"], ["f()", "f(a=1)"], True),
        ([{"name": "f", "count": {"min": 2}}], ["f()", "f()", "f()"], True),
        ([{"name": "f", "count": {"min": 2}}], ["f()"], False),
        ([{"name": "f", "count": {"max": 2}}], ["f()", "f()", "f()"], False),
        ([{"name": "f", "count": {"max": 2}}], [], False),
        ([{"name": "f", "count": {"min": 0, "max": 1}}], [], True),
        ([{"name": "f", "count": {"min": 0, "max": 1}}], ["f()", "f()"], False),
        ([{"name": "*", "count": 1}], ["f()"], True),
        ([{"name": "*", "count": 1}], ["f()", "g()"], False),
        # orders
        ([{"tool_order": ["f", "g"]}], ["f()", "g()"], True),
        ([{"tool_order": ["f", "g"]}], ["h()", "f()", "h()", "g()"], True),
        ([{"tool_order": ["f", "g"]}], ["g()", "f()"], False),
        ([{"tool_order": ["f", "g"]}], ["g()", "f()", "g()"], True),
        ([{"tool_order": ["f", "f"]}], ["f()"], False),
        ([{"tool_order": ["f", "f"]}], ["f()", "f()"], True),
        ([{"tool_order": ["f", "f(a=1)"]}], ["f(a=1)", "f(a=1)"], True),
        ([{"tool_order": ["f", "f(a=1)"]}], ["f(a=1)", "f(a=2)"], False),
        ([{"tool_order": {"calls": ["f", "g"], "order": "any"}}], ["g()", "f()"], True),
        ([{"tool_order": {"calls": ["f", "g"], "order": "any"}}], ["g()"], False),
        ([{"tool_order": {"calls": ["f", "f(a=1)"], "order": "any"}}], ["f(a=1)", "f()"], True),
        ([{"tool_order": ["f", {"any_of": ["g", "h"]}]}], ["f()", "h()"], True),
    ],
)
def test_expected_and_made(expected, made, ok):
    match = match_calls(expected, made)
    assert match.ok is ok
    assert bool(match.reasons) is not ok
    assert bool(match.missing or match.forbidden) is not ok


@pytest.mark.parametrize(
    ("check", "fits", "differs"),
    [
        ({"value": 12.5, "tolerance": 0.01}, [12.5, 12.51, 12.49], [12.52, "12.5", True, None, float("nan"), 10**400]),
        ({"value": 1, "tolerance": 0.1}, [1, 1.1, 0.9], [1.11, float("inf")]),
        ({"value": 10**30, "tolerance": 0}, [10**30], [10**30 + 1]),
        ({"matches": "dent(ed)?"}, ["arrived dented"], ["Dent", "", 5, None, ["dented"]]),
        ({"matches": "^A-[0-9]+$"}, ["A-17"], ["A-17b"]),
        ({"contains": "store credit"}, ["Refund as STORE credit."], ["not store credit", "store card", 15]),
        ({"contains": "15"}, ["15 kits"], ["150 kits", 15]),  # B1 holds in arguments too
        ({"contains": {"number": "1234.5"}}, ["$1,234.50"], ["$1,234"]),
        ({"any_of": ["card", {"contains": "credit"}]}, ["card", "a credit"], ["cash", 5]),
        ({"any_of": [15, "15"]}, [15, "15", 15.0], [16, "16", True]),
        ({"value": {"matches": "x"}}, [{"matches": "x"}], ["x"]),
        ({"value": "a"}, ["a"], ["b"]),
        ({"id": {"matches": "^A"}, "n": 1}, [{"n": 1, "id": "A1"}], [{"n": 1, "id": "B1"}, {"id": "A1"}]),
        ([{"matches": "^A"}, 2], [["A1", 2]], [["A1", 3], ["B", 2]]),
    ],
)
def test_checks_of_an_argument(check, fits, differs):
    for value in fits:
        assert match_calls(args_of(a=check), [ToolCall("f", {"a": value})]).ok, value
        assert not match_calls({"no_tool_called": args_of(a=check)}, [ToolCall("f", {"a": value})]).ok, value
    for value in differs:
        assert not match_calls(args_of(a=check), [ToolCall("f", {"a": value})]).ok, value
        assert match_calls({"no_tool_called": args_of(a=check)}, [ToolCall("f", {"a": value})]).ok, value


@pytest.mark.parametrize(
    ("expected", "made", "reason"),
    [
        (REFUND, [], f"tool_called: {REFUND}: no call was made"),
        ("refund", ["look_up()"], "tool_called: refund: no such tool was called; called: look_up"),
        (
            "refund",
            ["Refund()", "g()"],
            "tool_called: refund: no such tool was called; the nearest, Refund, differs from refund in letter case",
        ),
        (
            "f",
            [f"g{n}()" for n in range(7)],
            "tool_called: f: no such tool was called; called: g0, g1, g2, g3, g4 and 2 more",
        ),
        (
            REFUND,
            ["refund(order_id=4021)", 'refund(order_id="4022", method=card)'],
            (
                f"tool_called: {REFUND}: the nearest call, refund(order_id=4021), differs in method: missing (expected"
                ' the text "store_credit")'
            ),
        ),
        (
            "f(a=15)",
            ['f(a="15")'],
            (
                'tool_called: f(a=15): the nearest call, f(a="15"), differs in a: type (expected the number 15, called'
                ' with the text "15")'
            ),
        ),
        (
            "f(a=15)",
            ["f(a=16)"],
            (
                "tool_called: f(a=15): the nearest call, f(a=16), differs in a: value (expected the number 15, called"
                " with the number 16)"
            ),
        ),
        (
            "f(a=card)",
            ["f(a=Card)"],
            (
                'tool_called: f(a=card): the nearest call, f(a=Card), differs in a: case (expected the text "card",'
                ' called with the text "Card")'
            ),
        ),
        (
            {"name": "f", "args": {"a": 1}, "mode": "exact"},
            ["f(a=1, b=null)"],
            (
                "tool_called: f(a=1), exactly: the nearest call, f(a=1, b=null), differs in b: extra (called with null,"
                " which is not expected)"
            ),
        ),
        (
            "f(o={x: [1, true]})",
            ["f(o={x: [1, 1], y: 2})"],
            (
                'tool_called: f(o={"x": [1, true]}): the nearest call, f(o={"x": [1, 1], "y": 2}), differs in o.x[1]:'
                " type (expected true, called with the number 1); o.y: extra (called with the number 2, which is not"
                " expected)"
            ),
        ),
        (
            "f(o=[1])",
            ["f(o=[])"],
            (
                "tool_called: f(o=[1]): the nearest call, f(o=[]), differs in o: value (expected list [1], called with"
                " the list [])"
            ),
        ),
        (
            args_of(a={"any_of": [1, 2]}),
            ["f(a='2')"],
            (
                'tool_called: f(a=<1 | 2>): the nearest call, f(a="2"), differs in a: type (expected one of <1 | 2>,'
                ' called with the text "2")'
            ),
        ),
        (
            args_of(a={"matches": "x+"}),
            ["f(a=y)"],
            (
                "tool_called: f(a=<matches x+>): the nearest call, f(a=y), differs in a: value (expected a text that"
                " matches 'x+', called with the text \"y\")"
            ),
        ),
        (
            args_of(a={"contains": "x"}),
            ["f(a=y)"],
            (
                "tool_called: f(a=<contains x>): the nearest call, f(a=y), differs in a: value (expected a text that"
                " contains 'x', called with the text \"y\")"
            ),
        ),
        (
            args_of(a={"value": 1, "tolerance": 0.5}),
            ["f(a=2)"],
            (
                "tool_called: f(a=1±0.5): the nearest call, f(a=2), differs in a: value (expected the number 1±0.5,"
                " called with the number 2)"
            ),
        ),
        (
            ["f", "f"],
            ["f(a=1)"],
            (
                "tool_called: f: each call that fits serves another expectation: f(a=1); a call that is expected twice"
                " is made twice"
            ),
        ),
        ({"no_tool_called": "f"}, ["f(a=1)", "g()"], "no_tool_called: f: called: f(a=1)"),
        (
            {"name": "f", "count": 1},
            ["f()", "f()"],
            "tool_called: f, exactly 1: 2 calls fit, exactly 1 expected",
        ),
        (
            {"name": "f", "args": {"a": 1}, "count": 2},
            ["f(a=1)", "f(a=2)"],
            "tool_called: f(a=1), exactly 2: 1 call fits, exactly 2 expected",
        ),
        (
            {"name": "f", "count": {"min": 2}},
            [],
            "tool_called: f, at least 2: no calls fit, at least 2 expected; no call was made",
        ),
        (
            {"tool_order": ["f", "g"]},
            ["g()", "f()"],
            "tool_order: f > g: step 2, g: called, but not after step 1, f",
        ),
        ({"tool_order": ["f", "g"]}, ["g()"], "tool_order: f > g: step 1, f: no such tool was called; called: g"),
        (
            {"tool_order": {"calls": ["f", "g"], "order": "any"}},
            ["f()"],
            "tool_order: f & g: step 2, g: no such tool was called; called: f",
        ),
    ],
)
def test_the_reason_names_what_differs_in_the_nearest_call(expected, made, reason):
    match = match_calls(expected, made)
    assert match.reasons == (reason,)


def test_places_of_the_pairs():
    expected = [{"no_tool_called": "x"}, "f", "f(a=1)", {"name": "f", "count": 2}, {"tool_order": ["g", "f"]}]
    match = match_calls(expected, ["g()", "f(a=1)", "f(a=2)"])
    assert match.ok
    assert match.pairs == ((1, 2), (2, 1), (3, 1), (3, 2), (4, 0), (4, 1))
    match = match_calls([{"no_tool_called": "f"}, "h"], ["f()", "g()"])
    assert (match.pairs, match.forbidden) == ((), (ToolCall("f"),))
    assert [item.label for item in match.missing] == ["tool_called: h"]


@pytest.mark.parametrize(
    ("expected", "made"),
    [
        ("f(a=1)", [{"name": "f", "args": '{"a": 1}'}]),
        ("f(a=1)", [{"name": "f", "args": {"a": 1}}]),
        ("f", [{"name": "f"}]),
        ([ToolCall("f", {"a": 1})], [ToolCall("f", {"a": 1, "b": 2})]),
        (ToolCall("f", {"a": {"matches": "x"}}), [ToolCall("f", {"a": {"matches": "x"}})]),
        (Expectation("tool_called", (ExpectedCall("f"),)), ["f"]),
        ({"tool_called": {"name": "f", "args": {"a": (1, 2)[0]}}}, [ToolCall("f", {"a": 1})]),
        ({"any_of": ["f", "g"]}, ["g"]),
        ({"name": "f", "args": {"a": [1]}}, [ToolCall("f", {"a": (1,)})]),
    ],
)
def test_whichever_way_expected_and_made_are_given(expected, made):
    assert match_calls(expected, made).ok


@pytest.mark.parametrize(
    ("expected", "made", "told"),
    [
        ("f(", [], "the expectation cannot read the call 'f('"),
        ("f", ["g("], "cannot read the call 'g('"),
        ({"tool_caled": "f"}, [], "did you mean `tool_called`"),
        ({"args": {}}, [], "unknown kind of expectation `args`"),
        ({"name": "f", "args": {"a": float("nan")}}, [], "which JSON does not have"),
        ({"name": "f", "args": {"a": object()}}, [], "which JSON does not have"),
        ([5], [], "an expectation of a call is int"),
        ({"reply_mentions": "x"}, [], "`reply_mentions`, which is about the reply"),
        ({"state": {"a": 1}}, [], "`state`, which is about the end state"),
        ("f", [5], "a call is int"),
        ("f", [{"args": {}}], "a call is dict"),
        ("f", None, "the agent does not show its tool calls"),
    ],
)
def test_what_cannot_be_read_is_a_value_error(expected, made, told):
    with pytest.raises(ValueError, match=r"\n  ") as caught:
        match_calls(expected, made)
    assert told in str(caught.value)


def judged(expected, *made):
    """The outcomes of single expectations, each judged by itself."""
    return [judge_calls([item], made)[0].outcome for item in expected]


def test_a_redacted_argument_is_not_judged():
    """Neither a pass nor a fail, where it makes the difference."""
    called = ToolCall("f", {"a": "key [redacted]", "b": 1})
    fact = ArgumentCheck("contains", fact=Fact("normalized", "secret"))
    wanted = ExpectedCall("f", {"a": "key sk-1"})
    for kind in ("tool_called", "no_tool_called"):
        unclear = [
            Expectation(kind, (wanted,)),
            Expectation(kind, (ExpectedCall("f", {"a": fact}),)),
            Expectation(kind, (ExpectedCall("f", {"a": ArgumentCheck("any_of", any_of=(fact, "x"))}),)),
        ]
        assert judged(unclear, called) == ["error"] * 3
    assert "redacted" in judge_calls([Expectation("tool_called", (wanted,))], [called])[0].reason
    clear = [
        Expectation("tool_called", (ExpectedCall("f"),)),
        Expectation("tool_called", (ExpectedCall("f", {"a": "key [redacted]"}),)),
        Expectation("tool_called", (ExpectedCall("f", {"a": "x", "b": 2}),)),
        Expectation("tool_called", (ExpectedCall("f", {"a": 5}),)),
        Expectation("no_tool_called", (ExpectedCall("f"),)),
        Expectation("no_tool_called", (ExpectedCall("f", {"a": "x", "b": 2}),)),
    ]
    assert judged(clear, called) == ["held", "held", "missed", "missed", "missed", "held"]
    order = Expectation("tool_order", (ExpectedCall("g"), wanted))
    assert judged([order], ToolCall("g"), called) == ["error"]
    assert judged([order], called, ToolCall("g")) == ["missed"]
    assert not match_calls(order, [ToolCall("g"), called]).ok


@pytest.mark.parametrize(
    ("least", "most", "outcome"),
    [(1, 1, "error"), (1, 3, "held"), (2, 2, "error"), (1, None, "held"), (2, None, "error"), (3, None, "error"),
     (4, None, "missed"), (0, 0, "missed"), (2, 3, "error")],
)  # fmt: skip
def test_a_count_over_redacted_calls(least, most, outcome):
    made = [ToolCall("f", {"a": "x"}), ToolCall("f", {"a": "[redacted]"}), ToolCall("f", {"a": "[redacted] 2"})]
    item = Expectation("tool_called", (ExpectedCall("f", {"a": "x"}),), count=CallCount(least, most))
    assert judge_calls([item], made)[0].outcome == outcome


def test_only_what_surely_is_forbidden_is_named():
    made = [ToolCall("f", {"a": "[redacted]"}), ToolCall("f", {"a": "x"})]
    match = match_calls({"no_tool_called": "f(a=x)"}, made)
    assert match.forbidden == (made[1],)
    assert match.reasons == ("no_tool_called: f(a=x): called: f(a=x)",)


def test_a_date_that_can_be_read_two_ways_is_not_judged():
    expected = args_of(a={"contains": {"date": "2026-03-04"}})
    item = match_calls(expected, [ToolCall("f", {"a": "on 03/04/2026"})])
    assert "can be read two ways" in item.reasons[0]
    assert not match_calls({"no_tool_called": expected}, [ToolCall("f", {"a": "on 03/04/2026"})]).ok
    assert match_calls({"no_tool_called": expected}, [ToolCall("f", {"a": "on 7 May 2026"})]).ok


def test_arguments_that_are_no_object():
    call = {"name": "f", "args": "order 4021"}
    assert match_calls("f", [call]).ok
    assert match_calls("f(a=4021)", [call]).reasons == (
        (
            "tool_called: f(a=4021): the nearest call, f(_raw=order 4021), differs in a: missing (the arguments are no"
            ' JSON object: "order 4021")'
        ),
    )
    assert not match_calls({"name": "f", "mode": "exact"}, [call]).ok
    assert match_calls("f(_raw=order 4021)", [call]).ok


def test_a_value_that_json_does_not_have_is_of_another_type():
    match = match_calls("f(a=1)", [ToolCall("f", {"a": {1, 2}})])
    assert "a: type (expected the number 1, called with the set <set>)" in match.reasons[0]
    assert match_calls("f", [ToolCall("f", {"a": {1, 2}})]).ok


def test_deep_and_long_arguments_are_no_trouble():
    deep = []
    for _ in range(5000):
        deep = [deep]
    match = match_calls("f(a=1)", [ToolCall("f", {"a": deep}), ToolCall("f", {"a": "x" * 10_000})])
    assert not match.ok
    assert len(match.reasons[0]) < 1000
    many = [ToolCall("f", {"n": n}) for n in range(300)]
    assert match_calls([f"f(n={n})" for n in reversed(range(300))], many).ok
