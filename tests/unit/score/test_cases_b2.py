# the tests carry the numbers of CASES.md as they are written there
"""The rows of CASES.md B-2, by number, each with its twin on the other side."""

from __future__ import annotations

import pytest

from foldproof.cases import Case, Expectation, ExpectedCall
from foldproof.logs import ToolCall
from foldproof.matching import Fact
from foldproof.record import Trial, TrialError
from foldproof.score import match_calls, score_trial


def exact(name, **args):
    return {"name": name, "args": args, "mode": "exact"}


def made(**args):
    return [ToolCall("f", args)]


def scored(case, answer="done", **trial):
    return score_trial(case, Trial("a", 0, answer, **trial))


def expecting(*items):
    return Case("a", "Refund it.", expect=items)


REFUND = Expectation("tool_called", (ExpectedCall("refund", {"order_id": 4021}),))
NO_REFUND = Expectation("no_tool_called", (ExpectedCall("refund"),))


def test_B11_composed_and_decomposed_letters_are_equal_in_arguments_too():
    composed, decomposed = "caf\u00e9", "cafe\u0301"
    assert match_calls(exact("f", a=composed), made(a=decomposed)).ok
    assert match_calls(exact("f", a=decomposed), made(a=composed)).ok
    assert not match_calls(exact("f", a=composed), made(a="cafe")).ok


def test_B24_a_number_and_its_text_differ_in_type():
    match = match_calls("f(n=15)", made(n="15"))
    assert not match.ok
    assert 'n: type (expected the number 15, called with the text "15")' in match.reasons[0]
    assert not match_calls('f(n="15")', made(n=15)).ok


def test_B24_twin_either_where_either_is_asked_for():
    assert match_calls("f(n=15)", made(n=15)).ok
    either = {"name": "f", "args": {"n": {"any_of": [15, "15"]}}}
    assert match_calls(either, made(n="15")).ok
    assert match_calls(either, made(n=15)).ok
    assert not match_calls(either, made(n="16")).ok


def test_B25_whole_floats_and_integers_are_equal():
    assert match_calls("f(n=[12.0, 15.0])", made(n=[12, 15])).ok
    assert match_calls("f(n=[12, 15])", made(n=[12.0, 15.0])).ok
    assert not match_calls("f(n=[12.0, 15.0])", made(n=[12, 15.5])).ok
    assert not match_calls("f(n=9007199254740993)", made(n=9007199254740992.0)).ok  # no float holds the first


@pytest.mark.parametrize(("number", "truth"), [(1, True), (0, False)])
def test_B26_a_number_is_no_truth_value(number, truth):
    for expected, called in ((number, truth), (truth, number)):
        match = match_calls(exact("f", n=expected), made(n=called))
        assert not match.ok
        assert "n: type" in match.reasons[0]
    assert match_calls(exact("f", n=truth), made(n=truth)).ok
    assert match_calls(exact("f", n=number), made(n=number)).ok


def test_B28_the_order_of_keys_plays_no_part_at_any_depth():
    expected = exact("f", a={"x": 1, "y": {"p": [{"u": 1, "v": 2}], "q": 2}}, b=2)
    assert match_calls(expected, [ToolCall("f", {"b": 2, "a": {"y": {"q": 2, "p": [{"v": 2, "u": 1}]}, "x": 1}})]).ok
    assert not match_calls(
        expected, [ToolCall("f", {"b": 2, "a": {"y": {"q": 2, "p": [{"v": 1, "u": 2}]}, "x": 1}})]
    ).ok


def test_B29_a_stated_argument_that_is_missing_fails():
    for expected in ("f(id=A, reason=x)", exact("f", id="A", reason="x")):
        assert 'reason: missing (expected the text "x")' in match_calls(expected, made(id="A")).reasons[0]
        assert not match_calls(expected, made()).ok
        assert match_calls(expected, made(id="A", reason="x")).ok


def test_B30_an_extra_optional_argument_of_null():
    """Subset, the default, lets it pass; exact does not."""
    assert match_calls("f(id=A)", made(id="A", note=None)).ok
    match = match_calls(exact("f", id="A"), made(id="A", note=None))
    assert not match.ok
    assert "note: extra (called with null, which is not expected)" in match.reasons[0]


def test_B32_no_call_where_one_is_expected():
    match = match_calls("f(a=1)", [])
    assert (match.ok, match.pairs) == (False, ())
    assert match.reasons == ("tool_called: f(a=1): no call was made",)
    assert scored(expecting(REFUND), tool_calls=()).outcome == "fail"


def test_B32_twin_no_arguments_and_none():
    assert match_calls(exact("f"), made()).ok
    assert not match_calls(exact("f"), made(a=1)).ok


def test_B33_an_empty_list_of_expectations_is_never_a_pass():
    for calls in ([], [ToolCall("rm", {"path": "/"})]):
        match = match_calls([], calls)
        assert (match.ok, match.reasons) == (False, ("nothing is asserted: name at least one call",))
    assert scored(Case("a", "?"), tool_calls=(ToolCall("rm"),)).error == "nothing is asserted: silence would pass"


def test_B33_twin_what_must_not_be_called_is_forbidden():
    rule = {"no_tool_called": "rm"}
    assert match_calls(rule, [ToolCall("rm", {"path": "/"})]).forbidden == (ToolCall("rm", {"path": "/"}),)
    assert match_calls(rule, [ToolCall("ls")]).ok


@pytest.mark.parametrize("text", ['{"a": 1}', ' {"a":1.0}\n'])
def test_B36_arguments_as_json_text_are_read(text):
    assert match_calls("f(a=1)", [{"name": "f", "args": text}]).ok
    assert match_calls(exact("f", a=1), [{"name": "f", "args": text}]).ok


@pytest.mark.parametrize("text", ["{'a': 1}", "[1]", "1", "a=1", '{"a": 1', "[" * 100_000, 5, ["a"]])
def test_B36_arguments_that_are_no_object_fail_and_do_not_crash(text):
    match = match_calls("f(a=1)", [{"name": "f", "args": text}])
    assert not match.ok
    assert "the arguments are no JSON object" in match.reasons[0]
    assert match_calls("f", [{"name": "f", "args": text}]).ok


def test_B36_an_argument_that_is_the_text_of_an_object_is_a_text():
    match = match_calls("f(a={x: 1})", made(a='{"x": 1}'))
    assert not match.ok
    assert "a: type (expected object" in match.reasons[0]
    assert match_calls("""f(a='{"x": 1}')""", made(a='{"x": 1}')).ok


@pytest.mark.parametrize(
    ("expected", "called", "ok"),
    [(15, 15, True), (15, 16, False), ("x", "X", False), (True, False, False), ({"k": [1]}, {"k": [1]}, True)],
)
def test_B37_the_reason_agrees_with_the_outcome_and_swaps_nothing(expected, called, ok):
    match = match_calls(exact("f", a=expected), made(a=called))
    assert match.ok is ok
    assert (match.reasons == ()) is ok
    if not ok:
        reason = match.reasons[0]
        wanted, given = (f"{word} " for word in ("expected", "called with"))
        assert reason.index(wanted) < reason.index(given)
        told = {15: "the number 15", 16: "the number 16", "x": 'the text "x"', "X": 'the text "X"'}
        assert f"{wanted}{told.get(expected, 'true')}" in reason
        assert f"{given}{told.get(called, 'false')}" in reason


def test_B37_what_order_means():
    """In order with other calls between; `any` asks for all of them in whichever."""
    strict, loose = ({"tool_order": {"calls": ["f", "g"], "order": order}} for order in ("strict", "any"))
    assert [match_calls(strict, calls).ok for calls in (["f", "x", "g"], ["g", "f"], ["f"])] == [True, False, False]
    assert [match_calls(loose, calls).ok for calls in (["f", "x", "g"], ["g", "f"], ["f"])] == [True, True, False]


def test_B38_a_required_call_that_was_not_made_fails_the_case():
    """Whatever else holds."""
    case = Case("a", "?", expected=(Fact("normalized", "human"),), expect=(REFUND,))
    said = "I have handed you over to a human."
    assert scored(case, said, tool_calls=()).outcome == "fail"
    assert scored(case, said, tool_calls=(ToolCall("refund", {"order_id": 4021}),)).outcome == "pass"
    assert scored(case, "done", tool_calls=(ToolCall("refund", {"order_id": 4021}),)).outcome == "fail"


def test_B39_another_path_passes_where_only_the_outcome_is_asserted():
    path = expecting(Expectation("tool_order", (ExpectedCall("look_up"), ExpectedCall("refund"))))
    outcome = expecting(REFUND, Expectation("reply_mentions", fact=Fact("normalized", "refunded")))
    other = (ToolCall("list_orders"), ToolCall("refund", {"order_id": 4021}))
    assert scored(outcome, "Refunded.", tool_calls=other).outcome == "pass"
    assert scored(path, "Refunded.", tool_calls=other).outcome == "fail"
    assert [fact.fact for fact in scored(path, tool_calls=other).facts] == ["tool_order: look_up > refund"]
    assert [fact.fact.partition(":")[0] for fact in scored(outcome, tool_calls=other).facts] == [
        "tool_called",
        "reply_mentions",
    ]


def test_B56_what_must_not_be_called_needs_an_agent_that_ran():
    """And calls that can be seen: else there is no judgement."""
    case = expecting(NO_REFUND)
    assert scored(case, tool_calls=()).outcome == "pass"
    assert scored(case, tool_calls=(ToolCall("look_up"),)).outcome == "pass"
    assert scored(case, tool_calls=(ToolCall("refund"),)).outcome == "fail"
    assert scored(case, tool_calls=None).outcome == "error"
    assert scored(case, "", error=TrialError("agent", "broke"), tool_calls=()).outcome == "error"
