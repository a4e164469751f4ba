"""Server-sent events: the parts of a streamed answer."""

from __future__ import annotations

import re
from typing import Any, NamedTuple

from foldproof.agents.wire.foreign import json_in

_LINE = re.compile(r"\r\n|\n|\r")
_BLANK = re.compile(r"(?>\r\n|\n|\r){2}")
END = "[DONE]"
"""The data of the last event of a chat completion."""


class Event(NamedTuple):
    """One event: its name, empty where it has none, and its data, JSON where it is that, else text."""

    name: str
    data: Any


def events_of(text: str) -> list[Event]:
    """The events of a stream as far as it came; a last one that no blank line ends counts too."""
    events = []
    name, data = "", list[str]()
    for line in [*_LINE.split(text.removeprefix("\ufeff")), ""]:
        if not line:
            if data:
                whole = "\n".join(data)
                parsed = json_in(whole)
                events.append(Event(name, whole if parsed is None else parsed))
            name, data = "", []
            continue
        field, _, value = line.partition(":")
        value = value.removeprefix(" ")
        if field == "data":
            data.append(value)
        elif field == "event":
            name = value
    return events


def pieces_of(text: str) -> list[str]:
    """A stream in the pieces that a server sends: each event with the blank line that ends it."""
    ends = [match.end() for match in _BLANK.finditer(text)]
    starts = [0, *ends]
    return [piece for start, end in zip(starts, [*ends, len(text)], strict=True) if (piece := text[start:end])]
