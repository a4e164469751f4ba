"""Laws of the diff: a run does not differ from itself, and turning the sides turns the changes."""

from hypothesis import given
from hypothesis import strategies as st

from foldproof.compare import config_differences, diff_scores
from foldproof.core import canonical_json
from foldproof.score import CaseScore, FactScore, TrialScore

FACT = {"pass": "held", "fail": "missed", "error": "error"}
TRIALS = st.lists(st.sampled_from(["pass", "fail", "error", "pass", "fail"]), max_size=3)
SIDE = st.dictionaries(st.sampled_from("abcdef"), TRIALS).map(
    lambda told: {
        case_id: CaseScore(
            case_id,
            "semantic",
            tuple(TrialScore(n, o, (FactScore("f", "expected", FACT[o]),)) for n, o in enumerate(outcomes)),
        )
        for case_id, outcomes in told.items()
    }
)
ADMISSION = st.sampled_from([("pass", "held", "missed"), ("pass", "missed", "held"), ("pass", "held", "held"),
                             ("fail", "missed", "missed"), ("error", "error", "error")])  # fmt: skip
"""The outcome of a trial that may admit ignorance instead, and those of its two facts."""
ABSTAINING = st.dictionaries(st.sampled_from("abc"), st.lists(ADMISSION, max_size=4)).map(
    lambda told: {
        case_id: CaseScore(
            case_id,
            "semantic",
            tuple(
                TrialScore(n, outcome, (FactScore("a", "expectation", admits), FactScore("f", "expected", fact)))
                for n, (outcome, admits, fact) in enumerate(trials)
            ),
        )
        for case_id, trials in told.items()
    }
)
TURNED = {"lost": {"recovered"}, "recovered": {"lost"}, "new": {"gone"}, "gone": {"new", "error"}}


@given(SIDE | ABSTAINING)
def test_a_run_does_not_differ_from_itself(side):
    changes = diff_scores(side, side)
    assert {change.change for change in changes} <= {"kept", "failing", "flaky", "error"}
    assert [change.id for change in changes] == list(side)
    for change in changes:
        assert [fact.before for fact in change.facts] == [fact.after for fact in change.facts]


@given(SIDE | ABSTAINING, SIDE | ABSTAINING)
def test_turning_the_sides_turns_the_changes(before, after):
    there = {change.id: change for change in diff_scores(before, after)}
    back = {change.id: change for change in diff_scores(after, before)}
    assert there.keys() == back.keys() == before.keys() | after.keys()
    for case_id, change in there.items():
        other = back[case_id]
        assert (change.before, change.after) == (other.after, other.before)
        # A case that could not be judged is an error before it is new.
        unasked = change.change == "error" and case_id not in before
        assert other.change in ({"gone"} if unasked else TURNED.get(change.change, {change.change}))
        if other.change == "error" and change.change == "gone":
            assert before[case_id].errors or not before[case_id].trials


@given(SIDE, SIDE)
def test_every_case_of_either_side_stands_once(before, after):
    ids = [change.id for change in diff_scores(before, after)]
    assert ids == [*after, *(case_id for case_id in before if case_id not in after)]


@given(ABSTAINING, ABSTAINING)
def test_no_fact_is_bad_in_a_trial_that_passed(before, after):
    for change in diff_scores(before, after):
        if change.change == "gone":
            continue
        trials = after[change.id].trials
        for fact in change.facts:
            assert fact.bad == sum(not trial.passed for trial in trials)
            assert fact.trials == len(trials)


@given(SIDE | ABSTAINING, SIDE | ABSTAINING)
def test_lost_and_recovered_have_a_fact_to_show(before, after):
    for change in diff_scores(before, after):
        if change.change == "lost":
            assert any(fact.owner for fact in change.facts)
        if change.change in ("kept", "recovered"):
            assert all(fact.ok and fact.owner is None for fact in change.facts)


CONFIG = st.recursive(
    st.none() | st.booleans() | st.integers(0, 2) | st.sampled_from(["1", "x", "(none)"]),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.sampled_from("abc"), inner, max_size=3),
    max_leaves=6,
)
CONTENT = st.dictionaries(st.sampled_from(["agent", "model", "memory"]), CONFIG)


def _bare(value):
    """The content without what is not set."""
    if isinstance(value, dict):
        kept = {key: _bare(item) for key, item in value.items()}
        return {key: item for key, item in kept.items() if item not in (None, {})}
    return value


@given(CONTENT, CONTENT)
def test_two_configurations_differ_exactly_where_something_is_told(one, other):
    told = config_differences(one, other)
    assert (told == ()) == (canonical_json(_bare(one)) == canonical_json(_bare(other)))
    assert len(config_differences(other, one)) == len(told)
    for line in told:
        before, arrow, after = line.partition(": ")[2].partition(" -> ")
        assert arrow
        assert before != after
