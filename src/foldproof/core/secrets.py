"""Keeps secrets out of everything that is stored or shown."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from typing import Any

REDACTED = "[redacted]"
"""What stands in the place of a secret."""
_NAMES = re.compile(r"(?:^|_)(?:KEY|TOKEN|SECRET|CREDENTIALS?)$|(?:APIKEY|PASSWORD|PASSWD)$")
_SHAPES = re.compile(
    r"\b(?:sk|pk|rk)-(?=[A-Za-z_-]*\d)[A-Za-z0-9_-]{16,}"
    r"|\bgh[pousr]_[A-Za-z0-9]{20,}"
    r"|\bgithub_pat_[A-Za-z0-9_]{20,}"
    r"|(?<=://)[^/\s:@]{1,200}:[^/\s@]{1,200}(?=@)"
    r"|\bAKIA[0-9A-Z]{16}\b"
    r"|\bAIza[A-Za-z0-9_-]{30,}"
    r"|\bhf_[A-Za-z0-9]{20,}"
    r"|\bxox[abprs]-[A-Za-z0-9-]{10,}"
    r"|(?i:(?<=bearer )(?=[A-Za-z._~+/-]*\d)[A-Za-z0-9._~+/-]{16,}=*)"
)
_SHORTEST = 8


class Redactor:
    """Replaces secrets in text by `[redacted]`.

    A secret is the value of an environment variable whose name says so (`…_KEY`, `…_TOKEN`, …), a value named
    with `also`, or text in the shape of a well-known key. Values under 8 characters are left alone, since
    replacing them would tear ordinary words.
    """

    def __init__(self, environ: Mapping[str, str] | None = None, also: tuple[str, ...] = ()) -> None:
        source = os.environ if environ is None else environ
        values = {value for name, value in source.items() if _NAMES.search(name.upper())} | set(also)
        known = sorted((value for value in values if len(value) >= _SHORTEST), key=len, reverse=True)
        self._known = re.compile("|".join(map(re.escape, known))) if known else None

    def __call__(self, text: str) -> str:
        """The text without the secrets that are known."""
        if self._known is not None:
            text = self._known.sub(REDACTED, text)
        return _SHAPES.sub(REDACTED, text)

    def value(self, value: Any) -> Any:  # noqa: ANN401  # any JSON value
        """A JSON value with every text in it cleaned; the keys of objects stay."""
        if isinstance(value, str):
            return self(value)
        if isinstance(value, list):
            return [self.value(item) for item in value]
        if isinstance(value, dict):
            return {key: self.value(item) for key, item in value.items()}
        return value
