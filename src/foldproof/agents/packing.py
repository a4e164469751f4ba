"""Bodies as they travel over HTTP, unpacked within a bound."""

from __future__ import annotations

import zlib

MOST_BYTES = 64 * 1024 * 1024
"""How large a body may be that is held, packed or not. Nothing that a model says comes near it."""
CODINGS = ("gzip", "x-gzip", "deflate")
_ANY_HEADER = 32 + zlib.MAX_WBITS
_NO_HEADER = -zlib.MAX_WBITS


class PackedError(ValueError):
    """A body that is packed in a way that is not known, or is not what it says, or is too large."""


def unpacked(raw: bytes, coding: str, most: int) -> bytes:
    """The body without its content coding; of one that was cut, what can be read.

    Raises:
        PackedError: where it cannot be unpacked, or has more than `most` bytes then.
    """
    coding = coding.strip().lower()
    if coding in ("", "identity") or not raw:
        return raw
    if coding not in CODINGS:
        raise PackedError(f"it is packed as {coding!r}, which is not read")
    found = _inflated(raw, most, _ANY_HEADER)
    if found is None and coding == "deflate":  # some servers leave the header away
        found = _inflated(raw, most, _NO_HEADER)
    if found is None:
        raise PackedError(f"it says that it is packed as {coding!r}, and is not")
    if len(found) > most:
        raise PackedError(f"it has more than {megabytes(most)} once it is unpacked")
    return found


def megabytes(size: int) -> str:
    """A bound in words."""
    return f"{size // 1024**2} MB"


def _inflated(raw: bytes, most: int, window: int) -> bytes | None:
    """At most one byte more than the bound; None where the bytes are not packed so."""
    try:
        return zlib.decompressobj(window).decompress(raw, most + 1)
    except zlib.error:
        return None
