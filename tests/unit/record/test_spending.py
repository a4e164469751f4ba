"""Cost and time against their limits."""

import pytest

from foldproof.cases import Limits
from foldproof.logs import Usage
from foldproof.record.spending import Spending


def spending(doing="", spent=0.0, **limits):
    return Spending(Limits(**limits), unpriced="nobody tells", doing=doing, spent=spent)


def test_cost_counts_up_to_its_limit_and_what_was_spent_before_counts_too():
    used = spending(max_cost_usd=2.0, spent=0.5)
    used.count(Usage(cost_usd=1.0), answered=True)
    assert used.limit_reached() == ""
    used.count(Usage(cost_usd=0.5), answered=False)
    assert used.limit_reached() == "the cost limit is reached: 2.0000 of 2.0 US dollars"


@pytest.mark.parametrize("usage", [None, Usage()])
def test_a_cost_that_is_not_told_cannot_be_held(usage):
    used, free = spending(max_cost_usd=2.0), spending()
    used.count(usage, answered=False)
    assert used.limit_reached() == ""
    for one in (used, free):
        one.count(usage, answered=True)
    assert used.limit_reached() == "the cost limit of 2.0 US dollars cannot be held: nobody tells"
    assert free.limit_reached() == ""


def test_the_time_counts_from_its_making():
    assert spending(max_time_s=0.0, doing="judging").limit_reached() == "the time limit is reached while judging: 0.0 s"
    assert spending(max_time_s=3600.0).limit_reached() == ""
