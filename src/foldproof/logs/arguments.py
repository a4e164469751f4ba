"""The arguments of a tool call as agents, models and logs write them."""

from __future__ import annotations

import json
import math
from typing import Any

RAW = "_raw"
"""The one argument of a call whose arguments are neither an object nor the text of one."""
_DEEPEST = 50


def arguments_of(value: Any) -> dict[str, Any]:  # noqa: ANN401  # any JSON value
    """The arguments of a tool call: an object, or its JSON text; what is neither is kept as `{"_raw": …}`.

    So is what no record can hold, as its text: a number that JSON does not have, or objects nested too deeply.
    """
    if value is None or value == "":
        return {}
    found = _object_in(value)
    if found is None:
        found = {RAW: value}
    return found if _is_recordable(found, _DEEPEST) else {RAW: _text_of(value)}


def _object_in(value: Any) -> dict[str, Any] | None:  # noqa: ANN401  # any JSON value
    if isinstance(value, str):
        try:
            value = json.loads(value)
        except (ValueError, RecursionError):
            return None
    return value if isinstance(value, dict) else None


def _is_recordable(value: Any, levels: int) -> bool:  # noqa: ANN401  # any JSON value
    """Whether a value holds only numbers that JSON has, and is nested so far that it can be read again."""
    if isinstance(value, dict | list):
        inner = value.values() if isinstance(value, dict) else value
        return levels > 0 and all(_is_recordable(item, levels - 1) for item in inner)
    return not isinstance(value, float) or math.isfinite(value)


def _text_of(value: Any) -> str:  # noqa: ANN401  # any JSON value
    try:
        return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)
    except RecursionError:
        return "[nested too deeply]"
