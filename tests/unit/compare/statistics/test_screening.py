"""The rates of a judge and the corrected pass rate against published values, by hand and at their edges."""

import pytest

from foldproof.compare.statistics import Corrected, Rates, clopper_pearson, rogan_gladen, true_rates


def _known(sensitivity, specificity):
    """Rates known to a ten-thousandth, from so many labels that they hold no doubt."""
    return Rates(round(sensitivity * 10**4) * 10**6, 10**10, round(specificity * 10**4) * 10**6, 10**10)


def test_the_rates_of_labelled_answers():
    pairs = [(True, True)] * 7 + [(True, False)] + [(False, False)] * 3 + [(False, True)] * 2
    rates = true_rates(pairs)
    assert rates == Rates(hits=7, positives=8, refusals=3, negatives=5)
    assert rates.sensitivity == clopper_pearson(7, 8)
    assert rates.specificity == clopper_pearson(3, 5)
    assert rates.false_passes == clopper_pearson(2, 5)
    assert rates.youden == pytest.approx(7 / 8 + 3 / 5 - 1)


@pytest.mark.parametrize("rates", [Rates(0, 0, 0, 0), Rates(3, 3, 0, 0), Rates(0, 0, 3, 3)])
def test_without_labels_of_both_kinds_nothing_is_known(rates):
    assert rates.youden is None
    assert None in {rates.sensitivity, rates.specificity}
    corrected = rogan_gladen(5, 10, rates=rates)
    assert (corrected.share, corrected.low, corrected.high, corrected.clamped) == (None, 0.0, 1.0, False)
    assert "no labels of both kinds" in corrected.reason


@pytest.mark.parametrize(
    ("passes", "of", "sensitivity", "specificity", "per_100"),
    [
        # The examples of `epi.prev` in R's epiR, which takes sensitivity and specificity as known: brucellosis in a
        # herd, Helicobacter pylori of Moujaber et al. (2008), tuberculosis in three herds.
        (23, 150, 0.96, 0.89, 5.1),
        (6, 151, 0.964, 0.927, 0.0),
        (8, 210, 0.60, 0.90, 0.0),
        (12, 189, 0.65, 0.95, 2.25),
        (7, 124, 0.70, 0.99, 6.73),
    ],
)
def test_rogan_gladen_of_published_examples(passes, of, sensitivity, specificity, per_100):
    corrected = rogan_gladen(passes, of, rates=_known(sensitivity, specificity))
    assert 100 * corrected.share == pytest.approx(per_100, abs=0.05 if per_100 == 5.1 else 0.005)
    assert corrected.clamped == (per_100 == 0.0)
    assert corrected.low <= corrected.share <= corrected.high
    assert corrected.reason == ""


def test_the_variance_holds_the_doubt_of_all_samples():
    # By hand: p = .6 of 100, se = .9 of 50, sp = .8 of 50, J = .7, share = .4 / .7 = 4/7.
    corrected = rogan_gladen(60, 100, rates=Rates(45, 50, 40, 50))
    assert corrected.share == pytest.approx(4 / 7)
    variance = (0.0024 + (4 / 7) ** 2 * 0.0018 + (3 / 7) ** 2 * 0.0032) / 0.49
    assert corrected.error == pytest.approx(variance**0.5)
    known = rogan_gladen(60, 100, rates=_known(0.9, 0.8))
    assert known.error == pytest.approx(0.0024**0.5 / 0.7, rel=1e-6)
    assert corrected.high - corrected.low > known.high - known.low


@pytest.mark.parametrize(
    ("passes", "of", "rates", "low", "high"),
    [
        # Carried out apart from this code, step by step, after the script that the authors published with their paper.
        (60, 100, Rates(45, 50, 40, 50), 0.39626, 0.74317),
        (27, 650, Rates(50, 100, 199, 200), 0.02746, 0.11458),
    ],
)
def test_the_interval_of_lang_and_reiczigel(passes, of, rates, low, high):
    corrected = rogan_gladen(passes, of, rates=rates)
    assert (corrected.low, corrected.high) == (pytest.approx(low, abs=5e-6), pytest.approx(high, abs=5e-6))


def test_a_perfect_judge_corrects_nothing():
    corrected = rogan_gladen(30, 40, rates=Rates(10**9, 10**9, 10**9, 10**9))
    assert corrected.share == 0.75
    assert not corrected.clamped


@pytest.mark.parametrize(("passes", "share"), [(0, 0.0), (40, 1.0)])
def test_what_leaves_the_range_is_clamped_and_said(passes, share):
    corrected = rogan_gladen(passes, 40, rates=Rates(27, 30, 24, 30))
    assert (corrected.share, corrected.clamped) == (share, True)
    assert not 0 <= corrected.plain <= 1
    assert 0 <= corrected.low <= share <= corrected.high <= 1


def test_a_judge_that_hardly_tells_right_from_wrong_corrects_nothing():
    weak = rogan_gladen(5, 10, rates=Rates(16, 30, 16, 30))
    assert (weak.share, weak.plain, weak.error) == (None, None, None)
    assert "Youden's J is 0.07, below 0.1" in weak.reason
    assert rogan_gladen(5, 10, rates=Rates(20, 30, 20, 30)).share is not None


def test_without_answers_there_is_no_share():
    assert rogan_gladen(0, 0, rates=Rates(27, 30, 24, 30)) == Corrected(None, reason="there are no answers")


def test_a_handful_of_labels_leaves_everything_open():
    corrected = rogan_gladen(3, 10, rates=Rates(2, 10, 1, 1))
    assert corrected.share is not None
    assert (corrected.low, corrected.high) == (0.0, 1.0)
