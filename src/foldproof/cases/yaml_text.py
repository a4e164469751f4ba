"""YAML text that a person likes to read, and that every YAML reader reads alike."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

_SAFE = re.compile(r"[^\W\d_](?:[\w .,;!?()'/+$%€£-]|:(?=[\w/]))*")
_WORDS = frozenset({"y", "n", "yes", "no", "on", "off", "true", "false", "null", "nan", "inf"})
_IN_LIST = re.compile(r"[A-Za-z][A-Za-z0-9_ -]*")
_WIDEST = 100
_ESCAPED = re.compile("[\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff\ud800-\udfff]")


def quoted(text: str) -> str:
    """The text in double quotes, as JSON and YAML both read it."""
    return _ESCAPED.sub(lambda match: f"\\u{ord(match[0]):04x}", json.dumps(text, ensure_ascii=False))


def scalar(value: Any) -> str:  # noqa: ANN401  # a scalar of JSON
    """One scalar. Text stands unquoted only where no reader could take it for anything else."""
    if not isinstance(value, str):
        return json.dumps(value, allow_nan=False)
    plain = _SAFE.fullmatch(value) and value.lower() not in _WORDS and value.isprintable() and not value.endswith(" ")
    return value if plain else quoted(value)


def flow(value: Any) -> str:  # noqa: ANN401  # any JSON value
    """Any value on one line, as JSON and YAML both read it."""
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{quoted(key)}: {flow(item)}" for key, item in value.items()) + "}"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(flow(item) for item in value) + "]"
    return quoted(value) if isinstance(value, str) else scalar(value)


def pair(key: str, value: Any, indent: int = 0) -> list[str]:  # noqa: ANN401  # any JSON value
    """The lines of `key: value` in block form."""
    head = " " * indent + scalar(key) + ":"
    if isinstance(value, Mapping) and value:
        return [head, *(line for inner, item in value.items() for line in pair(inner, item, indent + 2))]
    if isinstance(value, list | tuple) and value:
        if all(isinstance(item, str) and _IN_LIST.fullmatch(item) and scalar(item) == item for item in value):
            line = f"{head} [{', '.join(value)}]"
            if len(line) <= _WIDEST:
                return [line]
        return [head, *(line for item in value for line in entry(item, indent))]
    return [f"{head} {flow(value)}" if isinstance(value, Mapping | list | tuple) else f"{head} {scalar(value)}"]


def entry(value: Any, indent: int = 0) -> list[str]:  # noqa: ANN401  # any JSON value
    """The lines of one list item in block form."""
    dash = " " * indent + "- "
    if isinstance(value, Mapping) and value:
        lines = [line for key, item in value.items() for line in pair(key, item, indent + 2)]
        return [dash + lines[0][indent + 2 :], *lines[1:]]
    return [dash + (flow(value) if isinstance(value, Mapping | list | tuple) else scalar(value))]
