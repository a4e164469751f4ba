"""The largest assignment: nobody takes what another one needs."""

import pytest

from foldproof.score.assignment import assign


@pytest.mark.parametrize(
    ("fits", "serving"),
    [
        ([], []),
        ([[]], [None]),
        ([[0]], [0]),
        ([[0], [0]], [0, None]),
        ([[0, 1], [0]], [1, 0]),
        ([[0], [0, 1]], [0, 1]),
        ([[0, 1], [0, 2], [0]], [1, 2, 0]),
        ([[0, 1], [1, 2], [0], [1]], [None, 2, 0, 1]),
        ([[0, 1], [0, 1], [0, 1]], [0, 1, None]),
    ],
)
def test_who_gets_which(fits, serving):
    found = assign(fits)
    if serving.count(None) and None in found:
        assert found.count(None) == serving.count(None)
    else:
        assert found == serving


def test_a_long_chain_of_moves_is_no_trouble():
    chain = [[n, n + 1] for n in range(3000)] + [[0]]
    assert assign(chain) == [*range(1, 3001), 0]
