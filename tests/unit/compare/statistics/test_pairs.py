"""Tests of paired outcomes against published values, by hand and at their edges."""

import pytest

from foldproof.compare.statistics import SignFlip, mcnemar, sign_flip, smallest_drop


@pytest.mark.parametrize(
    ("lost", "recovered", "p_value"),
    [
        (0, 0, 1.0),
        (1, 0, 1.0),
        (5, 0, 0.0625),
        (6, 0, 0.03125),
        (0, 6, 0.03125),
        (3, 3, 1.0),
        (8, 2, 0.109375),
        (1, 9, 0.021484375),
    ],
)
def test_mcnemar(lost, recovered, p_value):
    assert mcnemar(lost, recovered) == pytest.approx(p_value)
    assert mcnemar(recovered, lost) == mcnemar(lost, recovered)


@pytest.mark.parametrize(
    ("lost", "recovered", "p_value", "places"),
    [
        # Fagerland, Lydersen and Laake (2013), BMC Med. Res. Methodol. 13:91, table 6, the exact conditional test, of
        # their tables 2 (airway hyper-responsiveness of 21 children) and 3 (complications of 161 patients).
        (1, 7, 0.0703, 4),
        (6, 16, 0.0525, 4),
        # The vignette of R's exact2x2 (Fay 2010), "Exact McNemar's test and matching confidence intervals".
        (9, 2, 0.06543, 5),
        # The approval ratings of Agresti (1990), Categorical Data Analysis, p. 350, by R's binom.test(86, 236).
        (150, 86, 3.716e-05, 8),
    ],
)
def test_mcnemar_of_published_examples(lost, recovered, p_value, places):
    assert round(mcnemar(lost, recovered), places) == p_value


def test_mcnemar_of_many_pairs():
    assert 0 <= mcnemar(3000, 2000) < 1e-40
    assert mcnemar(2500, 2500) == 1.0


@pytest.mark.parametrize(("pairs", "drop"), [(0, None), (5, None), (6, 6), (30, 6), (10_000, 6)])
def test_the_smallest_drop_that_would_show(pairs, drop):
    assert smallest_drop(pairs) == drop


def _of(**totals):
    """Pairs that come to these totals, each cluster with a pair that did not change."""
    return [(name, 0) for name in totals] + [
        (name, 1 if total > 0 else -1) for name, total in totals.items() for _ in range(abs(total))
    ]


@pytest.mark.parametrize(
    ("totals", "p_value", "clusters", "moved"),
    [
        ({}, 1.0, 0, 0),
        ({"a": 0, "b": 0}, 1.0, 2, 0),
        ({"a": -7}, 1.0, 1, 1),
        # By hand: of the eight patterns of 3, 2, 1 only the two of one sign reach 6.
        ({"a": -3, "b": -2, "c": -1}, 2 / 8, 3, 3),
        # -3 -2 +1 = -4; 4 or more: +-6 and +-4, of which there are one pattern each and sign.
        ({"a": -3, "b": -2, "c": 1}, 4 / 8, 3, 3),
        ({"a": 5, "b": 5, "c": 5, "d": 5, "e": 5, "f": 5, "g": 0}, 2 / 64, 7, 6),
    ],
)
def test_sign_flip_by_hand(totals, p_value, clusters, moved):
    assert sign_flip(_of(**totals)) == SignFlip(p_value, clusters, moved)


def test_the_sign_flip_test_of_fishers_reading_of_darwin():
    # Fisher (1935), The Design of Experiments, section 21: Darwin's 15 pairs of maize, in eighths of an inch. The sum
    # is 314; of the 32,768 sign patterns 863 reach it on one side.
    darwin = [49, -67, 8, 16, 6, 23, 28, 41, 14, 29, 56, 24, 75, 60, -48]
    found = sign_flip([(f"pair {number}", difference) for number, difference in enumerate(darwin)])
    assert found.p_value == 2 * 863 / 32768


def test_what_moves_within_a_cluster_and_balances_says_nothing():
    assert sign_flip([("a", 1), ("a", -1), ("b", -1)]) == SignFlip(1.0, 2, 1)


def test_the_least_p_value_that_so_many_clusters_could_give():
    assert [SignFlip(1.0, moved, moved).least for moved in (0, 1, 2, 6)] == [1.0, 1.0, 0.5, 0.03125]


def test_shared_histories_count_as_one():
    """Ten losses are far from chance if they are independent, and may be one event if they share two histories."""
    assert mcnemar(10, 0) < 0.01
    assert sign_flip([("acme", -1)] * 5 + [("globex", -1)] * 5).p_value == 0.5


def test_sign_flip_is_that_of_scipy():
    stats = pytest.importorskip("scipy.stats", reason="scipy comes with the extra `dev`")
    totals = {"a": -4, "b": 2, "c": -1, "d": -1, "e": 3, "f": -5, "g": -2}
    theirs = stats.permutation_test((list(totals.values()),), sum, permutation_type="samples", n_resamples=10_000)
    assert sign_flip(_of(**totals)).p_value == pytest.approx(theirs.pvalue)
