"""Laws of calls: order, what is added, errors, the assignment, and what a call reads as."""

from itertools import permutations

from hypothesis import given
from hypothesis import strategies as st

from foldproof.cases import Case, Expectation, ExpectedCall
from foldproof.cases.call_text import read_call, written_call
from foldproof.cases.expectation_values import expectation_value
from foldproof.cases.expectation_wire import expectation_of
from foldproof.cases.expectations import ArgumentCheck, CallCount
from foldproof.logs import ToolCall
from foldproof.matching import Fact
from foldproof.record import Trial, TrialError
from foldproof.score import match_calls, score_case, score_trial
from foldproof.score.assignment import assign
from foldproof.score.calls import judge_calls

VALUES = st.sampled_from([1, "1", True, 1.0, None, "x", "X", "key [redacted]", [1], {"k": 1}, {"k": "1"}])
ARGS = st.dictionaries(st.sampled_from("ab"), VALUES, max_size=2)
MADE = st.lists(st.builds(ToolCall, st.sampled_from("fg"), ARGS), max_size=5)
CHECKS = st.sampled_from(
    [
        ArgumentCheck("value", 1, 0.5),
        ArgumentCheck("matches", fact=Fact("pattern", "^[xX]$")),
        ArgumentCheck("contains", fact=Fact("normalized", "x")),
        ArgumentCheck("any_of", any_of=(1, "x")),
    ]
)
ONE = st.builds(
    ExpectedCall,
    st.sampled_from(["f", "g", "*"]),
    st.dictionaries(st.sampled_from("ab"), VALUES | CHECKS, max_size=2),
    st.sampled_from(["subset", "exact"]),
)
CALLS = ONE | st.lists(ONE, min_size=1, max_size=2).map(lambda calls: ExpectedCall(any_of=tuple(calls)))
COUNTS = st.none() | st.sampled_from([CallCount(1, 1), CallCount(2), CallCount(0, 1), CallCount(1, 2)])
UNORDERED = st.one_of(
    st.builds(lambda call, count: Expectation("tool_called", (call,), count=count), CALLS, COUNTS),
    st.builds(lambda call: Expectation("no_tool_called", (call,)), CALLS),
    st.builds(lambda *calls: Expectation("tool_order", calls, order="any"), CALLS, CALLS),
)
ORDERED = st.builds(lambda *calls: Expectation("tool_order", calls), CALLS, CALLS)
LISTS = st.lists(UNORDERED | ORDERED, min_size=1, max_size=4)


@given(st.lists(UNORDERED, min_size=1, max_size=4), MADE, st.randoms())
def test_the_order_of_the_calls_plays_no_part_where_none_is_asked_for(expected, made, random):
    shuffled = random.sample(made, len(made))
    one, other = judge_calls(expected, made), judge_calls(expected, shuffled)
    assert [item.outcome for item in one] == [item.outcome for item in other]


@given(LISTS, MADE, st.integers(0, 5))
def test_a_call_of_another_tool_breaks_nothing(expected, made, place):
    named = [item for item in expected if all(one.name != "*" for call in item.calls for one in call.alternatives)]
    before = [item.outcome for item in judge_calls(named, made)]
    after = [*made[:place], ToolCall("unrelated", {"a": 1}), *made[place:]]
    assert [item.outcome for item in judge_calls(named, after)] == before


@given(LISTS, MADE, ARGS)
def test_a_further_argument_breaks_no_subset(expected, made, args):
    loose = [
        item
        for item in expected
        if item.kind == "tool_called"
        and (item.count is None or item.count.most is None)
        and all(one.mode == "subset" for one in item.calls[0].alternatives)
    ]
    more = [ToolCall(call.name, {**args, "z": 1, **call.args}) for call in made]
    for before, after in zip(judge_calls(loose, made), judge_calls(loose, more), strict=True):
        if before.outcome == "held" and len(loose) == 1:
            assert after.outcome == "held"


@given(LISTS, MADE)
def test_outcome_and_reasons_agree(expected, made):
    match = match_calls(expected, made)
    assert match.ok == (not match.reasons)
    assert match.ok <= (not match.missing and not match.forbidden)
    assert match == match_calls(expected, made)
    for place, call in match.pairs:
        assert 0 <= place < len(expected)
        assert 0 <= call < len(made)
    verdicts = judge_calls(expected, made)
    assert len(match.reasons) == sum(item.outcome != "held" for item in verdicts)
    assert all((item.reason == "") == (item.outcome == "held") for item in verdicts)
    own = [call for place, call in match.pairs if expected[place].kind == "tool_called" and not expected[place].count]
    assert len(own) == len(set(own))  # no call serves two


@given(LISTS, MADE)
def test_a_call_that_is_forbidden_is_the_opposite_of_one_that_is_expected(expected, made):
    for item in expected:
        for call in item.calls:
            one = judge_calls([Expectation("tool_called", (call,))], made)[0].outcome
            other = judge_calls([Expectation("no_tool_called", (call,))], made)[0].outcome
            assert {"held": "missed", "missed": "held", "error": "error"}[one] == other


@given(LISTS, MADE, st.booleans())
def test_an_error_never_passes(expected, made, unseen):
    case = Case("a", "?", expect=tuple(expected))
    broken = Trial("a", 1, "x", tool_calls=tuple(made), error=TrialError("agent", "broke"))
    assert score_trial(case, broken).outcome == "error"
    hidden = Trial("a", 2, "x", tool_calls=None)
    assert score_trial(case, hidden).outcome == "error"
    seen = Trial("a", 0, "x", tool_calls=tuple(made))
    alone, beside = score_case(case, [seen]), score_case(case, [seen, hidden if unseen else broken])
    assert (alone.passes, alone.judged) == (beside.passes, beside.judged)
    assert beside.errors == alone.errors + 1


def largest(fits, calls):
    """The most expectations that can be served, by trying every order of the calls."""
    padded = [*calls, *[None] * len(fits)]
    tries = set(permutations(padded, len(fits))) if fits else {()}
    return max(sum(got in fit for got, fit in zip(tried, fits, strict=True)) for tried in tries)


@given(st.lists(st.sets(st.integers(0, 3)), max_size=4))
def test_the_assignment_is_the_largest(fits):
    found = assign(fits)
    served = [call for call in found if call is not None]
    assert len(served) == len(set(served)) == largest(fits, range(4))
    assert all(call is None or call in fit for call, fit in zip(found, fits, strict=True))


@given(st.lists(st.sets(st.integers(0, 3)), max_size=4), st.permutations(range(4)))
def test_who_is_served_does_not_depend_on_the_names_of_the_calls(fits, names):
    renamed = [sorted(names[call] for call in fit) for fit in fits]
    assert [call is None for call in assign(fits)] == [call is None for call in assign(renamed)]


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=6,
).filter(lambda value: "\\ud" not in ascii(value))


@given(st.dictionaries(st.from_regex(r"[a-z_][a-z0-9_.-]{0,8}", fullmatch=True), JSON, max_size=3))
def test_a_call_that_is_written_reads_back_the_same(args):
    name, found = read_call(written_call("f", args))
    assert (name, repr(found)) == ("f", repr(args))


@given(st.text(alphabet="f(a=1,)[]{}:'\" \\\nx-.", max_size=20))
def test_any_text_is_a_call_or_a_value_error(text):
    try:
        name, args = read_call(text)
    except ValueError as fault:
        told = str(fault)
    else:
        told = ""
        assert read_call(written_call(name, args)) == (name, args)
    assert not told or told.startswith("cannot read the call ")


@given(LISTS)
def test_an_expectation_that_is_written_reads_back_the_same(expected):
    for item in expected:
        assert repr(expectation_of(expectation_value(item))) == repr(item)


@given(st.dictionaries(st.sampled_from(["matches", "value", "contains", "any_of", "tolerance", "match", "b"]), JSON))
def test_an_object_that_looks_like_a_check_is_written_so_that_it_is_none(value):
    item = Expectation("tool_called", (ExpectedCall("git push", {"a": value}),))
    assert repr(expectation_of(expectation_value(item))) == repr(item)
    assert match_calls(item, [ToolCall("git push", {"a": value})]).ok
