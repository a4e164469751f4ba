"""Kappa and AC1 against published values, by hand and at their edges."""

import pytest

from foldproof.compare.statistics import Agreement, Interval, cohens_kappa, gwets_ac1


def _pairs(table, labels):
    """The pairs of a square table: rows are the first side's labels, columns the second's."""
    return [
        (one, other)
        for one, row in zip(labels, table, strict=True)
        for other, count in zip(labels, row, strict=True)
        for _ in range(count)
    ]


# 100 abstracts by two abstractors: `cont3x3abstractors` of Gwet's R package irrCAC, whose vignette prints kappa
# 0.7964094 with standard error 0.05891072, and AC1 0.8493305 with 0.04321747.
ABSTRACTORS = _pairs([[13, 0, 0], [0, 20, 7], [0, 4, 56]], ["Ectopic", "AIU", "NIU"])
# The paradox of Feinstein and Cicchetti (1990), J. Clin. Epidemiol. 43:543-549, in the numbers of Gwet (2008).
PARADOX = _pairs([[118, 5], [2, 0]], ["yes", "no"])
PERFECT = [(True, True)] * 25 + [(False, False)] * 25


def test_kappa_of_a_published_table():
    kappa = cohens_kappa(ABSTRACTORS)
    assert (kappa.of, kappa.agreed.share) == (100, 0.89)
    assert kappa.value == pytest.approx(0.7964094, abs=5e-8)
    assert kappa.error == pytest.approx(0.05891072, abs=5e-9)
    assert kappa.asymptotic.low == pytest.approx(0.7964094 - 1.96 * 0.05891072, abs=1e-5)


def test_ac1_of_a_published_table():
    ac1 = gwets_ac1(ABSTRACTORS)
    assert ac1.value == pytest.approx(0.8493305, abs=5e-8)
    assert ac1.error == pytest.approx(0.04321747, abs=5e-9)
    assert ac1.chance == pytest.approx(0.269925)


def test_ac1_holds_where_kappa_breaks_down():
    # By hand: 118 of 125 agree; expected 0.96 * 0.984 + 0.04 * 0.016 = 0.94528 for kappa, 2 * 0.972 * 0.028 for AC1.
    assert cohens_kappa(PARADOX).value == pytest.approx((0.944 - 0.94528) / (1 - 0.94528))
    assert gwets_ac1(PARADOX).value == pytest.approx((0.944 - 0.054432) / (1 - 0.054432))


def test_kappa_of_fifty_that_all_agree_has_an_interval():
    kappa = cohens_kappa(PERFECT)
    assert (kappa.value, kappa.error, kappa.chance) == (1.0, 0.0, 0.5)
    assert kappa.asymptotic == Interval(1.0, 1.0, 1.0)
    # By hand: 50 of 50 is at least 0.025^(1/50) = 0.92887, and (0.92887 - 0.5) / 0.5 = 0.85776.
    assert kappa.interval == kappa.exact == Interval(1.0, pytest.approx(0.85776, abs=5e-6), 1.0)
    assert gwets_ac1(PERFECT) == kappa


def test_the_interval_is_the_wider_of_both():
    kappa = cohens_kappa(ABSTRACTORS)
    assert kappa.interval.low == min(kappa.asymptotic.low, kappa.exact.low)
    assert kappa.interval.high == max(kappa.asymptotic.high, kappa.exact.high)


def test_nothing_to_compare_gives_nothing():
    assert cohens_kappa([]) is None
    assert gwets_ac1([]) is None
    assert gwets_ac1([], labels=("met", "not met")) is None


def test_one_label_only_is_no_agreement_beyond_chance_for_kappa():
    same = [("met", "met")] * 20
    assert cohens_kappa(same) is None
    assert gwets_ac1(same) is None
    named = gwets_ac1(same, labels=("met", "not met"))
    assert (named.value, named.chance, named.agreed.share) == (1.0, 0.0, 1.0)
    assert named.interval.low == pytest.approx(0.025 ** (1 / 20))


def test_a_label_that_nobody_gave_counts_for_ac1():
    two = gwets_ac1(PERFECT)
    three = gwets_ac1(PERFECT, labels=(True, False, "cannot tell"))
    assert (two.chance, three.chance) == (0.5, 0.25)


def test_full_disagreement_is_kept_within_minus_one():
    opposed = cohens_kappa([(True, False), (False, True)] * 4)
    assert opposed.value == -1.0
    assert opposed.interval.low == -1.0
    assert opposed.interval.high < 0.0


def test_the_interval_of_a_small_kappa_does_not_leave_its_range():
    few = Agreement(0.9, 4, Interval(0.95, 0.3, 1.0), 0.5, error=0.4)
    assert few.asymptotic == Interval(0.9, pytest.approx(0.116, abs=1e-3), 1.0)
