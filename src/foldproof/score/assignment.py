"""Who gets which: the largest assignment of expectations to calls, so that none takes what another one needs. Pure."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Sequence


def assign(fits: Sequence[Iterable[int]]) -> list[int | None]:
    """For each expectation the call that serves it, or None; no call serves two.

    `fits` holds for each expectation the calls that would do. As many expectations as possible are served (augmenting
    paths, H. W. Kuhn 1955), an earlier one before a later one, whatever order the calls stand in.
    """
    wanted = [tuple(calls) for calls in fits]
    serving: list[int | None] = [None] * len(wanted)
    owner: dict[int, int] = {}
    for first in range(len(wanted)):
        came: dict[int, int] = {}
        free = _free_call(first, wanted, owner, came)
        while free is not None:  # back along the path, each expectation takes the call that it asked for
            asking = came[free]
            left = serving[asking]
            owner[free], serving[asking] = asking, free
            free = left
    return serving


def _free_call(first: int, wanted: Sequence[Sequence[int]], owner: dict[int, int], came: dict[int, int]) -> int | None:
    """A call that nobody has, reached from `first` by asking the owners of taken ones; `came` is the way there."""
    asking = deque([first])
    while asking:
        place = asking.popleft()
        for call in wanted[place]:
            if call in came:
                continue
            came[call] = place
            if call not in owner:
                return call
            asking.append(owner[call])
    return None
