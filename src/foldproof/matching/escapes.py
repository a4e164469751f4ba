"""The escapes of JSON in a text, read as a model reads them. Pure."""

from __future__ import annotations

import re

_ESCAPE = re.compile(r"\\(?:u([0-9a-fA-F]{4})|([nrt\"/\\]))")
_ESCAPED = {"n": "\n", "r": "\r", "t": "\t", '"': '"', "/": "/", "\\": "\\"}


def unescaped(text: str) -> str:
    """A text with the escapes of JSON read: notes that were dumped into a prompt say what they say to a model."""
    if "\\" not in text:
        return text
    read = _ESCAPE.sub(lambda found: chr(int(found[1], 16)) if found[1] else _ESCAPED[found[2]], text)
    return read.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
