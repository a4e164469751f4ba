"""Marks by which importers know a value again."""

from __future__ import annotations

import hashlib
import json
from typing import Any


def value_key(value: Any) -> str:  # noqa: ANN401  # any JSON value
    """The same short text for the same value. Unlike a content hash it takes NaN too, which logs do hold."""
    text = json.dumps(value, sort_keys=True, separators=(",", ":"), default=str)
    return hashlib.blake2b(text.encode(), digest_size=16).hexdigest()


def text_in(value: Any) -> str:  # noqa: ANN401  # any JSON value
    """A text as it is, and nothing for what is none: kinds and ids of broken records may be anything."""
    return value if isinstance(value, str) else ""
