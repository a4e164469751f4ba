"""Intervals of a proportion against published values and at their edges."""

import pytest

from foldproof.compare.statistics import clopper_pearson, wilson


@pytest.mark.parametrize(
    ("passes", "of", "low", "high"),
    [
        (8, 10, 0.4902, 0.9433),
        (5, 10, 0.2366, 0.7634),
        (0, 10, 0.0, 0.2775),
        (10, 10, 0.7225, 1.0),
        (1, 1, 0.2065, 1.0),
        (950, 1000, 0.9347, 0.9619),
        # Newcombe (1998), Statistics in Medicine 17:857-872, table I, method 3.
        (81, 263, 0.2553, 0.3662),
        (15, 148, 0.0624, 0.1605),
        (0, 20, 0.0, 0.1611),
        (1, 29, 0.0061, 0.1718),
    ],
)
def test_wilson(passes, of, low, high):
    interval = wilson(passes, of)
    assert interval.share == passes / of
    assert (interval.low, interval.high) == (pytest.approx(low, abs=5e-5), pytest.approx(high, abs=5e-5))


@pytest.mark.parametrize(
    ("passes", "of", "low", "high"),
    [
        # Newcombe (1998), Statistics in Medicine 17:857-872, table I, method 5.
        (81, 263, 0.2527, 0.3676),
        (15, 148, 0.0578, 0.1617),
        (0, 20, 0.0, 0.1684),
        (1, 29, 0.0009, 0.1776),
        # By hand: 0.025 ^ (1/50), and 0.975 and 0.025 of a single one.
        (50, 50, 0.92887, 1.0),
        (0, 1, 0.0, 0.975),
        (1, 1, 0.025, 1.0),
        # Far beyond what a float holds of a binomial coefficient.
        (4990, 10_000, 0.48916, 0.50885),
    ],
)
def test_clopper_pearson(passes, of, low, high):
    interval = clopper_pearson(passes, of)
    assert interval.share == passes / of
    assert (interval.low, interval.high) == (pytest.approx(low, abs=5e-5), pytest.approx(high, abs=5e-5))


@pytest.mark.parametrize("interval", [wilson, clopper_pearson])
def test_of_nothing_there_is_no_interval(interval):
    assert interval(0, 0) is None


@pytest.mark.parametrize("interval", [wilson, clopper_pearson])
def test_an_interval_holds_its_share_for_every_count(interval):
    for of in range(1, 40):
        for passes in range(of + 1):
            found = interval(passes, of)
            assert 0 <= found.low <= found.share <= found.high <= 1


def test_the_exact_interval_is_that_of_scipy():
    stats = pytest.importorskip("scipy.stats", reason="scipy comes with the extra `dev`")
    for passes, of in [(0, 7), (3, 7), (7, 7), (1, 250), (199, 400), (1234, 5000)]:
        theirs = stats.binomtest(passes, of).proportion_ci(method="exact")
        ours = clopper_pearson(passes, of)
        assert (ours.low, ours.high) == (pytest.approx(theirs.low, abs=1e-10), pytest.approx(theirs.high, abs=1e-10))
