"""The arguments of a tool call as agents, models and logs write them."""

from __future__ import annotations

import json
from typing import Any

RAW = "_raw"
"""The one argument of a call whose arguments are neither an object nor the text of one."""


def arguments_of(value: Any) -> dict[str, Any]:  # noqa: ANN401  # any JSON value
    """The arguments of a tool call: an object, or its JSON text; what is neither is kept as `{"_raw": …}`."""
    if value is None or value == "":
        return {}
    if isinstance(value, str):
        try:
            parsed = json.loads(value)
        except (ValueError, RecursionError):
            return {RAW: value}
        return parsed if isinstance(parsed, dict) else {RAW: value}
    return value if isinstance(value, dict) else {RAW: value}
