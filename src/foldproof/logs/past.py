"""What was said and done in a conversation that an agent is to go on with: its turns, each call with its result."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass, replace
from itertools import count
from typing import Any, Literal

from foldproof.logs.talk import ToolCall


@dataclass(frozen=True, slots=True)
class AnsweredCall:
    """A tool call with what came back: a text, or any JSON value. `id` is empty where none was written."""

    call: ToolCall
    result: Any
    id: str = ""

    @property
    def text(self) -> str:
        """The result as a model reads it."""
        return self.result if isinstance(self.result, str) else json.dumps(self.result, ensure_ascii=False)


@dataclass(frozen=True, slots=True)
class PastTurn:
    """One step of a conversation: what the user said, or what the agent said and the calls that it made with it.

    The `calls` of one step were made at once, before any of their results was known. An agent that said nothing has
    the text "".
    """

    role: Literal["user", "agent"]
    text: str = ""
    calls: tuple[AnsweredCall, ...] = ()


def with_ids(turns: Iterable[PastTurn]) -> tuple[PastTurn, ...]:
    """The turns with an id for every call: its own, else `call_1`, `call_2`, … as far as those are free."""
    known = tuple(turns)
    taken = {made.id for turn in known for made in turn.calls}
    free = (name for number in count(1) if (name := f"call_{number}") not in taken)
    return tuple(
        replace(turn, calls=tuple(made if made.id else replace(made, id=next(free)) for made in turn.calls))
        for turn in known
    )
