"""How a compactor may be written in the project file, and on the command line."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

from pydantic import BeforeValidator, WithJsonSchema

from foldproof.cases.addresses import Addresses, command_of, module_of, url_of
from foldproof.cases.faults import Fault
from foldproof.cases.wire_types import text_of
from foldproof.core import UsageError

_FORMS = (
    "allowed: `python:module:name`, `{command: [node, compact.mjs]}`, `{http: http://…}`, `{config: NAME}`, "
    "`{summary: plain}`, or the name of a kind"
)
_COMPACTORS = Addresses(
    "compactor",
    {
        "python": lambda value: module_of(value, "compactor", "my_compactor:shorten"),
        "command": command_of,
        "http": url_of,
        "config": text_of,
        "summary": text_of,
    },
    _FORMS,
)
_SCHEMA: dict[str, Any] = {"anyOf": [{"type": "string", "minLength": 1}, {"type": "object", "minProperties": 1}]}
Declared = Annotated[dict[str, Any], BeforeValidator(_COMPACTORS.read), WithJsonSchema(_SCHEMA)]
"""A compactor: the first key is its kind, the first value what that is given; further settings follow."""


def compactor_named(text: str) -> Mapping[str, Any]:
    """The compactor that a text of the command line stands for, as in the project file: `head`, `python:module:name`.

    Raises:
        UsageError: where it stands for none.
    """
    try:
        return _COMPACTORS.read(text)
    except Fault as fault:
        raise UsageError(f"a compactor {fault}\n  {fault.hint}") from None
