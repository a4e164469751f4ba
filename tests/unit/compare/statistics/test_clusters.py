"""A proportion over clusters, with its interval."""

import pytest
from scipy import stats

from foldproof.compare.statistics import clustered, wilson
from foldproof.compare.statistics.clusters import _t95


def test_nothing_has_no_share():
    assert clustered([]) is None
    assert clustered([(0, 0)]) is None


def test_of_one_cluster_nothing_is_known_beyond_it():
    found = clustered([(3, 4), (0, 0)])
    assert (found.share, found.low, found.high) == (0.75, 0.0, 1.0)


def test_clusters_that_differ_as_a_whole_count_as_one_thing_each():
    together = clustered([(4, 4), (0, 4)] * 10)
    alone = wilson(40, 80)
    assert together.share == 0.5
    assert together.high - together.low > 1.8 * (alone.high - alone.low)


def test_clusters_that_are_alike_count_no_more_than_their_members():
    counts = [(1, 2)] * 30 + [(2, 2), (0, 2)] * 2
    found, alone = clustered(counts), wilson(34, 68)
    assert found.high - found.low >= alone.high - alone.low


def test_all_or_nothing_still_leaves_room_for_doubt():
    every, none = clustered([(3, 3)] * 10), clustered([(0, 3)] * 10)
    assert (every.share, every.high, none.low) == (1.0, 1.0, 0.0)
    assert every.low == pytest.approx(1 - none.high)
    uneven = clustered([(3, 3)] * 9 + [(30, 30)])
    assert uneven.low < every.low


def test_the_formula_by_hand():
    # p = 7/10; residuals 2 - 1.4, 4 - 3.5, 1 - 2.1; m/(m-1) = 3/2; variance = 1.5 (.36 + .25 + 1.21) / 100
    found = clustered([(2, 2), (4, 5), (1, 3)])
    size = 0.21 / (1.5 * 1.82 / 100)
    t = stats.t.ppf(0.975, 2)
    spread = t * t / size
    half = t * (0.21 / size + spread / (4 * size)) ** 0.5 / (1 + spread)
    assert found.high == pytest.approx((0.7 + spread / 2) / (1 + spread) + half)


@pytest.mark.parametrize("freedom", [1, 2, 3, 4, 7, 20, 200])
def test_the_quantile_of_t(freedom):
    assert _t95(freedom) == pytest.approx(stats.t.ppf(0.975, freedom), rel=0.003)
