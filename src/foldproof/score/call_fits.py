"""Which calls fit which expected call. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from foldproof.cases.call_text import short, value_text, written_call
from foldproof.cases.expectations import ANY_TOOL, ExpectedCall
from foldproof.logs import ToolCall
from foldproof.score.arguments import Difference, cost, differences


class Fits:
    """The calls that were made, each compared once with each call that is expected."""

    def __init__(self, made: Sequence[ToolCall]) -> None:
        self.made = made
        self._compared: dict[int, tuple[ExpectedCall, dict[int, tuple[Difference, ...]]]] = {}

    def of(self, call: ExpectedCall, *, unclear: bool = False) -> tuple[int, ...]:
        """The places of the calls that fit; with `unclear` also of those that may, since a part cannot be compared."""
        fitting = {
            at
            for one in call.alternatives
            for at, found in self._differences(one).items()
            if all(unclear and item.kind == "unclear" for item in found)
        }
        return tuple(sorted(fitting))

    def nearest(self, call: ExpectedCall) -> tuple[int, tuple[Difference, ...]] | None:
        """The call of an expected tool that differs least, and where; None where no such tool was called."""
        tried = [pair for one in call.alternatives for pair in self._differences(one).items()]
        return min(tried, key=lambda pair: (cost(pair[1]), pair[0]), default=None)

    def label(self, at: int) -> str:
        """How a call that was made stands in a reason."""
        call = self.made[at]
        return short(written_call(call.name, call.args, value_text))

    def _differences(self, one: ExpectedCall) -> dict[int, tuple[Difference, ...]]:
        """By its place, where each call of the expected tool differs."""
        if id(one) not in self._compared:
            compared = {
                at: differences(one, call) for at, call in enumerate(self.made) if one.name in {ANY_TOOL, call.name}
            }
            self._compared[id(one)] = one, compared
        return self._compared[id(one)][1]
