"""Turns that an agent did not live through, in the shapes in which it is told them."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import Any

from foldproof.logs import PastTurn, Turn


def past_messages(turns: Iterable[PastTurn]) -> Iterator[dict[str, Any]]:
    """The turns as messages of the chat completions API: calls that were made at once in one message, then results.

    Every call needs an id, which its result names too.
    """
    for turn in turns:
        if turn.role == "user":
            yield {"role": "user", "content": turn.text}
            continue
        said: dict[str, Any] = {"role": "assistant", "content": turn.text or None}
        if turn.calls:
            said["tool_calls"] = [
                {
                    "id": made.id,
                    "type": "function",
                    "function": {
                        "name": made.call.name,
                        "arguments": json.dumps(dict(made.call.args), ensure_ascii=False),
                    },
                }
                for made in turn.calls
            ]
        yield said
        yield from ({"role": "tool", "tool_call_id": made.id, "content": made.text} for made in turn.calls)


def past_lines(turns: Iterable[PastTurn]) -> list[dict[str, Any]]:
    """The turns as the protocol of programs has them."""
    found = []
    for turn in turns:
        calls = [
            {"id": made.id, "name": made.call.name, "args": dict(made.call.args), "result": made.result}
            for made in turn.calls
        ]
        found.append({"role": turn.role, "text": turn.text, **({"calls": calls} if calls else {})})
    return found


def past_talk(turns: Iterable[PastTurn]) -> list[Turn]:
    """What was said in the turns, for a memory to take in when the session has ended; what tools gave back is not."""
    return [Turn(turn.role, turn.text) for turn in turns if turn.text]
