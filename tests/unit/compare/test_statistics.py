"""Statistics against known values and at their edges."""

import pytest

from foldproof.compare.statistics import mcnemar, pass_hat_k, smallest_drop, wilson


@pytest.mark.parametrize(
    ("passes", "of", "low", "high"),
    [
        (8, 10, 0.4902, 0.9433),
        (5, 10, 0.2366, 0.7634),
        (0, 10, 0.0, 0.2775),
        (10, 10, 0.7225, 1.0),
        (1, 1, 0.2065, 1.0),
        (950, 1000, 0.9347, 0.9619),
    ],
)
def test_wilson(passes, of, low, high):
    interval = wilson(passes, of)
    assert interval.share == passes / of
    assert (interval.low, interval.high) == (pytest.approx(low, abs=5e-5), pytest.approx(high, abs=5e-5))
    assert 0 <= interval.low <= interval.share <= interval.high <= 1


def test_wilson_of_nothing():
    assert wilson(0, 0) is None


def test_wilson_holds_its_share_for_every_count():
    for of in range(1, 60):
        for passes in range(of + 1):
            interval = wilson(passes, of)
            assert 0 <= interval.low <= interval.share <= interval.high <= 1


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


def test_mcnemar_of_many_pairs():
    assert 0 <= mcnemar(3000, 2000) < 1e-40
    assert mcnemar(2500, 2500) == 1.0


@pytest.mark.parametrize(
    ("outcomes", "k", "chance"),
    [
        ([(2, 4)], 1, 0.5),
        ([(2, 4)], 2, 1 / 6),
        ([(2, 4)], 3, 0.0),
        ([(4, 4), (0, 4)], 4, 0.5),
        ([(3, 3), (1, 2)], 3, 1.0),
        ([(1, 1)], 2, None),
        ([], 1, None),
    ],
)
def test_pass_hat_k(outcomes, k, chance):
    assert pass_hat_k(outcomes, k) == (None if chance is None else pytest.approx(chance))


@pytest.mark.parametrize(("pairs", "drop"), [(0, None), (5, None), (6, 6), (30, 6), (10_000, 6)])
def test_the_smallest_drop_that_would_show(pairs, drop):
    assert smallest_drop(pairs) == drop
