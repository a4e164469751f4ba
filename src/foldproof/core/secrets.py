"""Keeps secrets out of everything that is stored or shown."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Mapping
from typing import Any
from urllib.parse import quote

from foldproof.core.secret_places import MARK, dashed, kind_of, named, without_places
from foldproof.core.secret_shapes import hints, places, shapes

REDACTED = MARK
"""What stands in the place of a secret: always the same, so that the same text stays the same text."""
_NAMES = re.compile(r"(?:^|_)(?:KEY|TOKEN|SECRET|CREDENTIALS?)$|(?:APIKEY|PASSWORD|PASSWD)$")
_SHORTEST = 8
_BRIEF = 6
"""Texts of fewer characters hold no secret that could be told from a word."""
_FIELDS = (("key", "value"), ("name", "value"), ("header", "value"))


class Redactor:
    """Replaces secrets in text by `[redacted]`.

    A secret is the value of an environment variable whose name says so (`…_KEY`, `…_TOKEN`, …), a value named
    with `also`, text in the shape of a well-known key, or what stands behind a name that says so (`password=`, a
    header, the credentials of an address). Values of variables under 8 characters are left alone, since replacing them
    would tear ordinary words. What was cleaned can be cleaned again without harm. A secret in another form (encoded,
    cut in two) is not recognised.
    """

    def __init__(self, environ: Mapping[str, str] | None = None, also: tuple[str, ...] = ()) -> None:
        source = os.environ if environ is None else environ
        values = {value for name, value in source.items() if _NAMES.search(name.upper())} | set(also)
        whole = {value for value in values if len(value) >= _SHORTEST}
        # The same value inside of JSON text and of an address.
        known = whole | {json.dumps(value)[1:-1] for value in whole} | {quote(value, safe="") for value in whole}
        raw = sorted((value.encode("utf-8", "surrogateescape") for value in known), key=len, reverse=True)
        self._known = re.compile(b"|".join(map(re.escape, raw))) if raw else None

    def __call__(self, text: str) -> str:
        """The text without the secrets that are known."""
        if len(text) < _BRIEF:
            return text
        raw = text.encode("utf-8", "surrogatepass")
        clean = raw if self._known is None else self._known.sub(REDACTED.encode(), raw)
        if hints().search(clean):
            clean = shapes().sub(_shape, clean)
            for name, head, value in places():
                clean = without_places(clean, name, head, value)
        return text if clean is raw else clean.decode("utf-8", "surrogatepass")

    def value(self, value: Any) -> Any:  # noqa: ANN401  # any JSON value
        """A JSON value with every text in it cleaned; the keys of objects stay, and tell of their values.

        An object of `key` and `value` (an attribute of a span, a header), and a pair of two texts are read as such.
        """
        if isinstance(value, str):
            return self(value)
        if isinstance(value, list | tuple):
            pair = len(value) == 2 and isinstance(value[0], str) and isinstance(value[1], str)
            if pair and kind_of(value[0]):
                return [self(value[0]), self.under(value[0], value[1])]
            return [self.value(item) for item in value]
        if isinstance(value, dict):
            return {key: self.under(name_of(value, key), item) for key, item in value.items()}
        return value

    def under(self, name: str, value: Any) -> Any:  # noqa: ANN401  # any JSON value
        """A JSON value that stands under a name, which may say that every text below it is a secret."""
        kind = kind_of(name)
        if not kind:
            return self.value(value)
        if isinstance(value, str):
            return named(name, self(value))
        if isinstance(value, int) and not isinstance(value, bool) and kind == "password":
            return REDACTED if abs(value) > 999 else value
        if isinstance(value, list):
            return [self.under(name, item) for item in value]
        if isinstance(value, dict):
            return {key: self.under(key if kind_of(key) else name, item) for key, item in value.items()}
        return value


def name_of(fields: Mapping[Any, Any], key: Any) -> str:  # noqa: ANN401  # keys of any object
    """The name of what stands under a key: the key, or its neighbour's text where the object is `{key, value}`."""
    for told, held in _FIELDS:
        if key == held and isinstance(fields.get(told), str):
            return str(fields[told])
    return str(key)


def _shape(found: Any) -> bytes:  # noqa: ANN401  # google-re2 has no types
    if found["dashed"] is not None and not dashed(found["dashed"]):
        return bytes(found.group())
    return (found["edge"] or b"") + REDACTED.encode()
