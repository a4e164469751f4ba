"""Laws of the statistics: what must hold of every count."""

from itertools import pairwise
from math import isclose

from hypothesis import given
from hypothesis import strategies as st

from foldproof.compare.statistics import (
    Rates,
    clopper_pearson,
    cohens_kappa,
    gwets_ac1,
    mcnemar,
    pass_hat_k,
    rogan_gladen,
    sign_flip,
    wilson,
)

COUNTS = st.integers(1, 300).flatmap(lambda of: st.tuples(st.integers(0, of), st.just(of)))
CHANGES = st.lists(st.tuples(st.sampled_from("abcdefg"), st.sampled_from([-1, 0, 1])), max_size=25)
LABELS = st.sampled_from(["met", "not met", "cannot tell"])
PAIRS = st.lists(st.tuples(LABELS, LABELS), max_size=40)
RATES = st.tuples(COUNTS, COUNTS).map(lambda told: Rates(*told[0], *told[1]))


def _close(one, other):
    return isclose(one, other, rel_tol=1e-9, abs_tol=1e-9)


@given(COUNTS)
def test_intervals_hold_their_share_and_mirror_failures(counts):
    passes, of = counts
    for interval in (wilson(passes, of), clopper_pearson(passes, of)):
        assert 0 <= interval.low <= interval.share <= interval.high <= 1
    for make in (wilson, clopper_pearson):
        here, there = make(passes, of), make(of - passes, of)
        assert _close(here.low, 1 - there.high)
        assert _close(here.high, 1 - there.low)


@given(COUNTS)
def test_one_more_pass_moves_both_bounds_up(counts):
    passes, of = counts
    for make in (wilson, clopper_pearson):
        here, next_one = make(passes, of + 1), make(passes + 1, of + 1)
        assert here.low < next_one.low
        assert here.high < next_one.high or next_one.high == 1.0


@given(st.lists(st.sampled_from([-1, 0, 1]), max_size=30))
def test_sign_flip_with_a_cluster_a_pair_is_mcnemar(changes):
    found = sign_flip((str(number), change) for number, change in enumerate(changes))
    assert _close(found.p_value, mcnemar(changes.count(-1), changes.count(1)))


@given(CHANGES)
def test_sign_flip_is_a_chance_that_no_sign_changes(changes):
    found = sign_flip(changes)
    assert found.least <= found.p_value <= 1
    assert found.moved <= found.clusters == len({cluster for cluster, _ in changes})
    assert sign_flip((cluster, -change) for cluster, change in changes) == found
    assert sign_flip(reversed(changes)) == found


@given(st.lists(COUNTS, max_size=10))
def test_more_repeats_in_a_row_are_never_likelier(outcomes):
    most = min((of for _, of in outcomes), default=0)
    chances = [pass_hat_k(outcomes, k) for k in range(1, most + 1)]
    assert all(0 <= later <= earlier <= 1 for earlier, later in pairwise(chances))


@given(PAIRS)
def test_agreement_is_symmetric_and_in_its_range(pairs):
    swapped = [(other, one) for one, other in pairs]
    for measure in (cohens_kappa, gwets_ac1):
        found, back = measure(pairs), measure(swapped)
        assert (found is None) == (back is None)
        if found is not None:
            assert _close(found.value, back.value)
            assert _close(found.error, back.error)
            assert -1 <= found.interval.low <= found.value <= found.interval.high <= 1 + 1e-9
            assert found.interval.low < found.interval.high


@given(PAIRS)
def test_labels_that_agree_throughout_come_to_one(pairs):
    same = [(one, one) for one, _ in pairs]
    for measure in (cohens_kappa, gwets_ac1):
        found = measure(same)
        assert found is None or (_close(found.value, 1.0) and found.exact.low < 1.0)


@given(COUNTS, RATES)
def test_a_corrected_share_lies_in_its_interval(counts, rates):
    corrected = rogan_gladen(*counts, rates=rates)
    assert (corrected.share is None) == bool(corrected.reason)
    assert 0 <= corrected.low <= corrected.high <= 1
    if corrected.share is not None:
        assert corrected.low <= corrected.share <= corrected.high
        assert corrected.clamped == (not 0 <= corrected.plain <= 1)


@given(COUNTS, RATES)
def test_more_passes_never_correct_to_a_lower_share(counts, rates):
    passes, of = counts
    one, more = (rogan_gladen(count, of + 1, rates=rates) for count in (passes, passes + 1))
    assert one.share is None or one.share <= more.share
