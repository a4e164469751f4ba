"""pass^k by hand."""

import pytest

from foldproof.compare.statistics import pass_hat_k


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
