"""A fair choice of many: everybody before anybody twice, then topics, then weeks. Seeded, and the same every time."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_MIX = (0x9E3779B97F4A7C15, 0xBF58476D1CE4E5B9, 0x94D049BB133111EB)


def mixed(numbers: NDArray[np.uint64], seed: int) -> NDArray[np.uint64]:
    """A number as good as drawn by lot for each number, the same for the same seed (splitmix64, Steele et al. 2014).

    It hangs on nothing but the two: a question keeps its lot when the log grows.
    """
    import numpy as np

    with np.errstate(over="ignore"):
        found = numbers + np.uint64((seed * _MIX[0] + _MIX[0]) % 2**64)
        found = (found ^ (found >> np.uint64(30))) * np.uint64(_MIX[1])
        found = (found ^ (found >> np.uint64(27))) * np.uint64(_MIX[2])
    return found ^ (found >> np.uint64(31))


def fair_order(
    lots: NDArray[np.uint64], *, user: NDArray[Any], topic: NDArray[Any], week: NDArray[Any]
) -> NDArray[Any]:
    """The indices in the order in which they are taken; any beginning of it is as fair as it can be.

    No user has two more than another who still has some; of one user no topic has two more than another that still has
    some, and of one topic no week. What is left open between users is shared between topics, then weeks. Lots decide
    the rest.
    """
    import numpy as np

    by_lot = np.argsort(lots, kind="stable")  # every later sort keeps this order, so that lots decide what is left open
    users, topics, weeks = (np.unique(column[by_lot], return_inverse=True)[1] for column in (user, topic, week))
    weekly = _rank(_pair(_pair(users, topics), weeks))
    topical = _rank(_pair(users, topics), weekly)
    turn = _rank(users, topical)
    between_weeks = _rank(_pair(_pair(turn, topics), weeks))
    between_topics = _rank(_pair(turn, topics), between_weeks)
    return by_lot[_sorted(_pair(turn, between_topics))]


def _pair(one: NDArray[np.int64], other: NDArray[np.int64]) -> NDArray[np.int64]:
    """One number for two, which sorts as the two do."""
    return one * (int(other.max(initial=0)) + 1) + other


def _sorted(numbers: NDArray[np.int64]) -> NDArray[np.int64]:
    """The indices that sort the numbers; equal ones stay as they stand.

    With its place in it each number is another, and may be sorted in the way that is several times as fast.
    """
    import numpy as np

    count = len(numbers)
    if int(numbers.max(initial=0)) >= 2**62 // max(count, 1):
        return np.argsort(numbers, kind="stable")
    return np.argsort(numbers * count + np.arange(count))


def _rank(group: NDArray[np.int64], order: NDArray[np.int64] | None = None) -> NDArray[np.int64]:
    """The place of each within its group, from 0, by `order`; equal ones as they stand."""
    import numpy as np

    by = _sorted(group if order is None else _pair(group, order))
    taken = group[by]
    new = np.ones(len(by), bool)
    new[1:] = taken[1:] != taken[:-1]
    starts = np.flatnonzero(new)
    ranks = np.empty(len(by), np.int64)
    ranks[by] = np.arange(len(by)) - np.repeat(starts, np.diff(np.append(starts, len(by))))
    return ranks
