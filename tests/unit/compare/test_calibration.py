"""A judge is measured on what it decided; what it could not is counted beside."""

import pytest

from foldproof.compare.calibration import measure_judge


def heard(met=(0, 0), not_met=(0, 0), **others):
    pairs = [("met", "met")] * met[0] + [("met", "not met")] * met[1]
    pairs += [("not met", "not met")] * not_met[0] + [("not met", "met")] * not_met[1]
    for word, (positive, negative) in others.items():
        name = word.replace("_", " ")
        pairs += [("met", name)] * positive + [("not met", name)] * negative
    return pairs


def test_the_rates_agreement_and_the_corrected_share_of_one_table():
    # Sensitivity .9, specificity .8, J .7; of 100 answers 60 pass: (.6 + .8 - 1) / .7 = .571
    found = measure_judge(heard(met=(45, 5), not_met=(40, 10)), [True] * 60 + [False] * 40)
    assert (found.rates.sensitivity.share, found.rates.specificity.share) == (0.9, 0.8)
    assert found.rates.youden == pytest.approx(0.7)
    assert found.prevalence.share == pytest.approx(0.4 / 0.7)
    # Agreement .85; by chance .5 * .55 + .5 * .45 = .5
    assert found.kappa.value == pytest.approx(0.7)
    # The mean share of `met` is .525: by chance 2 * .525 * .475 = .49875
    assert found.ac1.value == pytest.approx((0.85 - 0.49875) / (1 - 0.49875))
    assert (found.reasons, found.worthless) == ((), False)


def test_what_is_not_decided_is_no_label_and_stays_in_the_count():
    found = measure_judge(heard(met=(29, 0), not_met=(30, 0), cannot_tell=(5, 0), failed=(0, 3), disagrees=(2, 0)), [])
    assert (found.rates.positives, found.rates.negatives) == (29, 30)
    assert found.counts.total() == 69
    assert "29 labelled `met`" in found.reasons[0]
    assert found.worthless is False


@pytest.mark.parametrize(
    ("pairs", "told", "worthless"),
    [
        (heard(met=(30, 0), not_met=(30, 0)), (), False),
        (heard(met=(30, 0), not_met=(29, 0)), ("too few labels",), False),
        (heard(met=(30, 0)), ("too few labels",), False),
        ([], ("too few labels",), False),
        (heard(met=(20, 10), not_met=(12, 18)), ("hardly tells right from wrong: Youden's J is 0.07",), True),
        (heard(met=(5, 5), not_met=(5, 5)), ("too few labels", "hardly tells right from wrong"), False),
    ],
)
def test_why_nothing_can_be_concluded(pairs, told, worthless):
    found = measure_judge(pairs, [])
    assert len(found.reasons) == len(told)
    assert all(part in reason for part, reason in zip(told, found.reasons, strict=True))
    assert found.worthless is worthless


def test_a_limit_that_ended_the_asking_comes_first():
    found = measure_judge(heard(met=(30, 0), not_met=(30, 0)), [], stopped="the cost limit is reached")
    assert found.reasons == ("the cost limit is reached",)
