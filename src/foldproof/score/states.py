"""What is expected of an end state, against the one that was shown. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from foldproof.cases import Expectation
from foldproof.score.arguments import Difference, state_differences

NO_STATE = "the agent does not show the state of its world"
_LISTED = 5


@dataclass(frozen=True, slots=True)
class StateVerdict:
    """What became of one expectation about an end state; `reason` is empty where it is held."""

    outcome: Literal["held", "missed", "error"]
    reason: str = ""


def judge_state(item: Expectation, state: Mapping[str, Any] | None) -> StateVerdict:
    """What became of an expectation about an end state. One that cannot be seen is an error, never a pass.

    A part that was redacted, or can be read two ways, is an error too where nothing else differs.
    """
    if state is None:
        return StateVerdict("error", NO_STATE)
    found = state_differences(item.state or {}, state, exact=item.mode == "exact")
    if not found:
        return StateVerdict("held")
    clear = [one for one in found if one.kind != "unclear"]
    return StateVerdict("missed" if clear else "error", f"the state differs in {_told(clear or list(found))}")


def _told(found: list[Difference]) -> str:
    more = f" and {len(found) - _LISTED} more" if len(found) > _LISTED else ""
    return "; ".join(map(str, found[:_LISTED])) + more
