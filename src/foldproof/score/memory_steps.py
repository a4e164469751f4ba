"""What an agent wrote into its memory in a turn, whoever shows it: calls of tools that are a memory count too. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable

from foldproof.logs import MemoryItem, ToolCall
from foldproof.logs.memory_calls import memory_operation
from foldproof.record import Trial, TurnRecord

_DELETES = re.compile(r"(?:^|_)(?:delete|remove|forget|clear)(?:$|_)")


def writes_of(shown: Trial | TurnRecord, calls: Iterable[ToolCall] | None) -> tuple[MemoryItem, ...] | None:
    """The writes that a record shows, by the source that knows best; None where nobody shows any.

    Where neither the agent nor a source beside it tells of writes, calls of tools that are known to write into a memory
    do. That there was no such call proves nothing: a memory may be written without one.
    """
    told = [shown.memory_writes, *(seen.memory_writes for seen in shown.seen)]
    known = next((items for items in told if items is not None), None)
    return known if known is not None else tuple(_called(calls or ())) or None


def _called(calls: Iterable[ToolCall]) -> Iterable[MemoryItem]:
    for call in calls:
        if memory_operation(call.name, call.args) == "write":
            said = "; ".join(f"{name}: {value}" for name, value in call.args.items() if name != "kind")
            kind = "delete" if _DELETES.search(call.name.lower()) else str(call.args.get("kind", ""))
            yield MemoryItem(said, kind=kind)
