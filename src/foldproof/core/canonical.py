"""One spelling for a value, so that equal content has an equal hash on every machine."""

from __future__ import annotations

from typing import Any


def canonical_json(value: Any) -> str:  # noqa: ANN401  # any JSON value
    """JSON with sorted keys, no spaces and text as it is.

    Raises:
        ValueError: for NaN and infinities, which JSON does not have.
        TypeError: for a value that JSON cannot hold.
    """
    import json

    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False)


def content_hash(value: Any) -> str:  # noqa: ANN401  # any JSON value
    """SHA-256 of the canonical JSON, 64 hex digits. A lone surrogate is hashed by its escape."""
    import hashlib

    return hashlib.sha256(canonical_json(value).encode("utf-8", "backslashreplace")).hexdigest()
