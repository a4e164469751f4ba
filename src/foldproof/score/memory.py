"""What is expected of the memory in a turn, against what it read, wrote and lists. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from foldproof.cases import Expectation
from foldproof.cases.call_text import short
from foldproof.core import REDACTED
from foldproof.logs import MemoryItem
from foldproof.matching import Fact, Text, match_fact
from foldproof.score.made import calls_made
from foldproof.score.memory_steps import writes_of
from foldproof.score.turns import JudgedTurn
from foldproof.score.writing import DELETES

NOT_LISTED = "the agent does not list its memory"
NOT_READ = "the agent does not show what it read from its memory"
NOT_WRITTEN = "the agent shows no writes, and does not list its memory"
REDACTED_ITEM = "a part of an item was redacted, and the fact may stand in it"
Fits = Literal["yes", "no", "unknown"]


@dataclass(frozen=True, slots=True)
class MemoryVerdict:
    """What became of one expectation about the memory; `reason` is empty where it is held."""

    outcome: Literal["held", "missed", "error"]
    reason: str = ""


def judge_memory(item: Expectation, turn: JudgedTurn) -> MemoryVerdict:
    """What became of an expectation about the memory. What cannot be seen is an error, never a pass.

    In a session whose context was not fresh it is an error too: what the agent knows from an earlier conversation says
    nothing of its memory.
    """
    if turn.leaked:
        return MemoryVerdict("error", f"the context was not fresh: {turn.leaked}")
    return _JUDGES[item.kind](item, turn)


def _read(item: Expectation, turn: JudgedTurn) -> MemoryVerdict:
    told = [turn.trial.memory_reads, *(seen.memory_reads for seen in turn.trial.seen)]
    reads = next((items for items in told if items is not None), None)
    if reads is None:
        return MemoryVerdict("error", NOT_READ)
    given = [read for read in reads if not read.dropped]
    return _verdict(item, given, f"it stands in none of the {len(given)} items that were read")


def _written(item: Expectation, turn: JudgedTurn) -> MemoryVerdict:
    writes = writes_of(turn.trial, calls_made(turn.case, turn.trial))
    known = [write for write in writes or () if write.kind.casefold() not in DELETES]
    found = _verdict(item, known, f"it stands in none of the {len(known)} writes of this turn")
    if found.outcome == "held":
        return found
    record = turn.record
    if record is None or record.before is None or record.ended is None:
        return MemoryVerdict("error", NOT_WRITTEN) if writes is None else found
    added = _added(record.before, record.ended)
    listed = _verdict(item, added, f"it stands in no write of this turn, nor in the {len(added)} items that came in")
    return found if found.outcome == "error" and listed.outcome == "missed" else listed


def _added(before: Sequence[MemoryItem], after: Sequence[MemoryItem]) -> list[MemoryItem]:
    """The items that a listing has more often than an earlier one; ids and scores play no part."""
    had = Counter((item.text, item.kind) for item in before)
    found = []
    for item in after:
        key = (item.text, item.kind)
        if had[key]:
            had[key] -= 1
        else:
            found.append(item)
    return found


def _held(item: Expectation, turn: JudgedTurn) -> MemoryVerdict:
    if turn.record is None or turn.record.after is None:
        return MemoryVerdict("error", NOT_LISTED)
    items = turn.record.after
    return _verdict(item, items, f"it stands in none of the {len(items)} items after the session")


def _lacking(item: Expectation, turn: JudgedTurn) -> MemoryVerdict:
    if turn.record is None or turn.record.after is None:
        return MemoryVerdict("error", NOT_LISTED)
    holding = [one for one in turn.record.after if _fits(item, one) == "yes"]
    if holding:
        return MemoryVerdict("missed", f"it stands in the memory after the session: '{short(holding[0].text)}'")
    if any(REDACTED in one.text for one in turn.record.after):
        return MemoryVerdict("error", REDACTED_ITEM)
    return MemoryVerdict("held")


_JUDGES: dict[str, Callable[[Expectation, JudgedTurn], MemoryVerdict]] = {
    "memory_read": _read,
    "memory_write": _written,
    "store_has": _held,
    "store_lacks": _lacking,
}


def _verdict(item: Expectation, items: Iterable[MemoryItem], missed: str) -> MemoryVerdict:
    """Whether one of the items holds what is expected."""
    known = list(items)
    fits = [_fits(item, one) for one in known]
    if "yes" in fits:
        return MemoryVerdict("held")
    if "unknown" in fits:
        return MemoryVerdict("error", "an item says it, and the agent does not tell of which kind it is")
    if any(REDACTED in one.text for one in known):
        return MemoryVerdict("error", REDACTED_ITEM)
    return MemoryVerdict("missed", missed)


def _fits(expected: Expectation, item: MemoryItem) -> Fits:
    """Whether an item holds the fact, or is of the `kind` and holds every other value."""
    text = Text(item.text)
    if expected.fact is not None:
        return "yes" if match_fact(expected.fact, text).held else "no"
    values = [value for key, value in expected.fields.items() if key != "kind"]
    if not all(match_fact(Fact("normalized", value), text).held for value in values):
        return "no"
    kind = expected.fields.get("kind")
    if kind is None or item.kind.casefold() == kind.casefold():
        return "yes"
    return "no" if item.kind else "unknown"
