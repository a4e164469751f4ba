"""What each channel of a turn shows: the reply, the calls, what was retrieved, the prompt, the store. Pure."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Literal

from foldproof.logs import MemoryItem, ToolCall
from foldproof.logs.prompts import without_tools
from foldproof.matching import Text
from foldproof.matching.escapes import unescaped
from foldproof.record import TurnRecord
from foldproof.score.conditions import turn_calls
from foldproof.score.turns import JudgedTurn

Channel = Literal["reply", "calls", "retrieved", "prompt", "store"]
Said = tuple[str, str]
"""Where a text stands, and the text."""
_GAP = " … "
_LEAST_WORDS = 4
"""Words of a message from which on every place where it stands is its own."""


def shown_in(channel: Channel, turn: JudgedTurn, *, passed_over: bool = True) -> list[Said] | None:
    """What one turn shows in a channel, with all that a live counterpart said in it; None where a part is unseen.

    With `passed_over`, what was retrieved has the candidates too that were not given in the end. The store is shown by
    whole sessions, and not here.
    """
    found: list[Said] = []
    for record in turn.attempts:
        shown = _shown(channel, record, turn, passed_over=passed_over)
        if shown is None:
            return None
        found += shown
    return found


def _shown(channel: Channel, record: TurnRecord, turn: JudgedTurn, *, passed_over: bool) -> list[Said] | None:
    if channel == "reply":
        return [("the reply", record.answer)]
    if channel == "calls":
        calls = turn_calls(record)
        return None if calls is None else [(f"the call of {call.name}", _words(call)) for call in calls]
    if channel == "prompt":
        return [("the prompt", _without_own(without_tools(text), turn)) for text in prompts_of(record)] or None
    items = reads_of_turn(record)
    return None if items is None else [(_place(item), item.text) for item in items if passed_over or not item.dropped]


def messages_of(turn: JudgedTurn) -> list[str]:
    """What the user said in a turn: more than one message where a live counterpart went on with it."""
    return [record.user for record in turn.attempts]


def reads_of_turn(turn: TurnRecord) -> tuple[MemoryItem, ...] | None:
    """What was retrieved for a turn, and passed over, by the source that knows best; None where nobody shows it."""
    told = [turn.memory_reads, *(seen.memory_reads for seen in turn.seen)]
    return next((items for items in told if items is not None), None)


def prompts_of(turn: TurnRecord) -> list[str]:
    """The prompts of a turn: the agent's own word for it, and what was seen beside it with the user's message."""
    asked = Text(turn.user).padded
    seen = [call.prompt for seen in turn.seen for call in seen.calls]
    theirs = [prompt for prompt in seen if any(asked in Text(text).padded for text in (prompt, unescaped(prompt)))]
    prompts = [*([turn.prompt] if turn.prompt is not None else []), *theirs]
    return list(dict.fromkeys(text for prompt in prompts for text in (prompt, unescaped(prompt))))


def prepared(text: str) -> Text:
    """A text made ready to be matched: a listing comes again after every session, mostly the same."""
    return (_item if len(text) <= _LONGEST_ITEM else _prompt)(text)


_LONGEST_ITEM = 2000
_item = lru_cache(maxsize=8192)(Text)
_prompt = lru_cache(maxsize=16)(Text)  # long texts come again for the next fact, and not after that


def stored(turns: Sequence[JudgedTurn], user: str) -> Iterator[tuple[int, bool, tuple[MemoryItem, ...] | None]]:
    """What the memory listed of a user, by label: each session's number, whether its maintenance is over, the items."""
    for turn in turns:
        for listing in turn.record.listings if turn.record else ():
            if listing.user == user and turn.record:
                yield turn.record.session, False, listing.ended
                yield turn.record.session, True, listing.after


def _words(call: ToolCall) -> str:
    return " ".join([call.name, *(f"{name}: {_text_of(value)}." for name, value in call.args.items())])


def _text_of(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)


def _without_own(prompt: str, turn: JudgedTurn) -> str:
    """A prompt without what was said in this very session: that did not come from the memory.

    A few words may stand elsewhere by chance: of those the last place alone is theirs.
    """
    own = {text.strip() for text in (turn.case.question, *turn.said, *turn.answered)} - {""}
    for text in sorted(own, key=len, reverse=True):
        places = -1 if len(text.split()) >= _LEAST_WORDS else 1
        prompt = _GAP.join(prompt.rsplit(text, places))
    return prompt


def _place(item: MemoryItem) -> str:
    name = f"rank {item.rank}" if item.rank else item.id or "an item"
    return f"what was retrieved ({name}{f', {item.dropped}' if item.dropped else ''})"
