"""The frozen turns of a case, in their order, at a terminal."""

from __future__ import annotations

import json
from typing import Any

from foldproof.report.explained import FrozenRow
from foldproof.report.sheet import Sheet
from foldproof.report.text import BRIEF, inline


def write_frozen(sheet: Sheet, turns: list[FrozenRow]) -> None:
    """The frozen turns before the question, each call with what came back."""
    if turns:
        sheet.line(("frozen before the question:", "quiet"))
    limit = None if sheet.details else BRIEF
    for turn in turns:
        for title, text in frozen_lines(turn):
            sheet.line((f"{title}: ", "quiet"), inline(text, limit), indent=2)


def frozen_lines(turn: FrozenRow) -> list[tuple[str, str]]:
    """One frozen turn in lines: what was said, then each call and its result."""
    said = [(turn.speaker, turn.text)] if turn.text else []
    return [*said, *(("called", f"{_call(call)} -> {_result(call)}") for call in turn.calls)]


def _call(call: dict[str, Any]) -> str:
    return f"{call['name']} {json.dumps(call['args'], ensure_ascii=False)}"


def _result(call: dict[str, Any]) -> str:
    result = call["result"]
    return (result if isinstance(result, str) else json.dumps(result, ensure_ascii=False)) or "nothing"
