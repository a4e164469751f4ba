"""Laws of live counterparts: what was told is never invented, and the two rates never count more than there is."""

from hypothesis import given
from hypothesis import strategies as st

from foldproof.cases import Case, CaseSession, CaseTurn, Expectation, ExpectedCall
from foldproof.cases.counterparts import Counterpart, Line
from foldproof.compare.corrections import correction_rates
from foldproof.logs import ToolCall
from foldproof.record import Trial, TurnRecord
from foldproof.score import CaseScore, score_trial
from foldproof.score.simulated import unknown_values

PIECES = ["I", "want", "Order", "4021", "from", "Anna", "on", "2026-03-04", "for", "$1,234.50", ".", "!", "77"]
WORDS = st.lists(st.sampled_from([*PIECES, "\n"]))
TEXTS = st.one_of(st.text(max_size=60), WORDS.map(" ".join))
WRONG, RIGHT = (ToolCall("refund", {"id": number}) for number in (1, 2))
AFTER, EXPECTED = (Expectation("tool_called", (ExpectedCall("refund", {"id": number}),)) for number in (1, 2))
LINE = Line(AFTER, "No.")
CASE = Case("a", "x", sessions=(CaseSession((CaseTurn("x", (EXPECTED,), Counterpart((LINE,))),)),))
CALLS = st.one_of(st.none(), st.lists(st.sampled_from([WRONG, RIGHT, ToolCall("look_up")]), max_size=3).map(tuple))


@given(TEXTS, TEXTS)
def test_what_was_told_is_never_invented(text, more):
    assert unknown_values(text, text) == []
    assert unknown_values(text, f"{more}\n\n{text}") == []


@given(TEXTS, TEXTS)
def test_to_know_more_never_makes_more_unknown(text, known):
    assert set(unknown_values(text, known)) <= set(unknown_values(text, ""))


def trial(repeat, first, then):
    turns = [TurnRecord(1, 1, "x", answer="y", tool_calls=first)]
    if then is not None:
        turns.append(TurnRecord(1, 1, LINE.say, answer="y", tool_calls=then, attempt=2, speaker="correction"))
    return Trial("a", repeat, "y", tool_calls=turns[-1].tool_calls, turns=tuple(turns))


@given(st.lists(st.tuples(CALLS, CALLS), max_size=6))
def test_the_counts_add_up(given_calls):
    trials = [score_trial(CASE, trial(at, *calls)) for at, calls in enumerate(given_calls)]
    rates = correction_rates([CASE], {"a": CaseScore("a", "semantic", tuple(trials))})
    for rate in rates:
        assert rate.trials + rate.errors == len(trials)
        assert rate.first_try + rate.corrected <= rate.trials
        assert rate.after <= rate.corrected
        assert rate.first_try + rate.after == sum(one.passed for one in trials)


@given(CALLS, CALLS)
def test_a_corrected_trial_passes_only_with_the_right_call_and_without_the_wrong_one(first, then):
    found = score_trial(CASE, trial(0, first, then if then is not None else ()))
    assert found.passed == (then is not None and RIGHT in then and WRONG not in then)
