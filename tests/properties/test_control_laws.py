"""Laws of the controls: an error never helps, the share keeps its bounds, nothing is said of a partial retrieval."""

from hypothesis import assume, given
from hypothesis import strategies as st

from foldproof.compare import ControlScores, Retention, effective_retention
from foldproof.logs import MemoryItem
from foldproof.record import StoreListing, Trial
from foldproof.score import CaseScore, TrialScore
from foldproof.score.retrieval import whole_reads

CASES = {f"{name}-{number}": name for name in ("safety", "semantic") for number in range(3)}
TRIALS = st.lists(st.sampled_from(["pass", "pass", "fail", "error"]), max_size=3)
CLEAN = st.lists(st.sampled_from(["pass", "fail"]), min_size=1, max_size=2)
ERROR = TrialScore(99, "error", error="agent: broke")


def _score(case_id, outcomes):
    return CaseScore(case_id, CASES[case_id], tuple(TrialScore(at, told) for at, told in enumerate(outcomes)))


def _side(trials):
    some = st.dictionaries(st.sampled_from(sorted(CASES)), trials) | st.fixed_dictionaries(dict.fromkeys(CASES, trials))
    return some.map(lambda told: {case_id: _score(case_id, outcomes) for case_id, outcomes in told.items()})


SIDES = st.tuples(*[_side(TRIALS) | _side(CLEAN)] * 4)


def _rows(candidate, unplugged, oracle, full):
    rows = effective_retention(candidate, ControlScores(unplugged, oracle, full))
    return {row.case_class: row for row in rows}


def _with_error(scores, case_id, *, instead):
    score = scores[case_id]
    kept = score.trials[:-1] if instead else score.trials
    return {**scores, case_id: CaseScore(score.id, score.case_class, (*kept, ERROR))}


@given(SIDES)
def test_there_is_a_share_or_a_reason_and_never_both(sides):
    for row in _rows(*sides).values():
        assert (row.share is None) == bool(row.reason)
        assert row.of > 0
        assert all(0 <= count <= row.of for count in (row.candidate, row.unplugged, row.oracle, row.full_of))
        assert row.full <= row.full_of


@given(st.integers(1, 9).flatmap(lambda of: st.tuples(st.just(of), *[st.integers(0, of)] * 3)))
def test_the_share_keeps_its_bounds(counts):
    row = Retention("semantic", *counts)
    if row.oracle <= row.unplugged:
        assert row.share is None
        return
    assert (row.share <= 1) == (row.candidate <= row.oracle)
    assert (row.share >= 0) == (row.candidate >= row.unplugged)
    assert (row.share == 1) == (row.candidate == row.oracle)
    assert (row.share == 0) == (row.candidate == row.unplugged)


@given(SIDES, st.sampled_from([0, 1, 2]), st.booleans(), st.data())
def test_an_error_stays_in_the_count_and_never_improves_the_share(sides, side, instead, data):
    """Also where it takes the place of a trial that passed or failed, on whichever side."""
    assume(sides[side])
    case_id = data.draw(st.sampled_from(sorted(sides[side])))
    before = _rows(*sides)
    changed = [*sides]
    changed[side] = _with_error(sides[side], case_id, instead=instead)
    after = _rows(*changed)
    assert {name: row.of for name, row in after.items()} == {name: row.of for name, row in before.items()}
    for name, row in after.items():
        was = before[name].share
        if side == 0 and was is not None:
            assert row.share is not None
            assert row.share <= was
        elif side > 0:
            assert row.share in (None, was)


ITEMS = st.lists(st.integers(0, 4), max_size=4)


@given(st.lists(st.tuples(st.sampled_from("ab"), st.none() | ITEMS, st.none() | ITEMS), max_size=6))
def test_untested_is_never_said_where_one_trial_read_less_than_the_store_holds(told):
    stores, trials = {}, []
    for at, (case, reads, items) in enumerate(told):
        store = None if items is None else StoreListing(tuple(MemoryItem(f"item {number}") for number in items))
        if store is not None:
            stores[store.sha256] = store
        read = None if reads is None else tuple(MemoryItem(f"item {number}", score=1.0) for number in reads)
        trials.append(Trial(case, at, memory_reads=read, store_kept=store and store.sha256))
    found = whole_reads(trials, stores.get)
    less = {case for case, reads, items in told if reads is not None and items is not None and len(reads) < len(items)}
    assert not less & set(found.whole)
    assert bool(found.note) == bool(found.whole)
    assert not set(found.whole) & set(found.part)
