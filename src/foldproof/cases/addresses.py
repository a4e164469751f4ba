"""How something outside is named in a file: an agent, a compactor; by code, program, address or the name of a kind."""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from foldproof.cases.faults import Fault, quoted
from foldproof.cases.nodes import resolve
from foldproof.cases.wire_types import text_of

PLUGIN = re.compile(r"[A-Za-z][A-Za-z0-9_-]{0,79}")
_PYTHON = re.compile(r"[^\W\d]\w*(?:\.[^\W\d]\w*)*:[^\W\d]\w*(?:\.[^\W\d]\w*)*")


@dataclass(frozen=True, slots=True)
class Addresses:
    """How one noun is named: its kinds whose value is checked, each with its check, and all forms in words.

    What comes of it is a mapping whose first key is the kind and whose first value is what the kind is given, empty
    where there is nothing; further settings follow. A kind without a check is a plugin's, or one that takes settings.
    """

    noun: str
    checks: Mapping[str, Callable[[Any], Any]]
    forms: str

    def read(self, value: Any) -> dict[str, Any]:  # noqa: ANN401  # any value of a file
        """The mapping that a value of a file stands for.

        Raises:
            Fault: for anything that names nothing.
        """
        if isinstance(value, dict):
            return self._mapping(value)
        text = text_of(value) if isinstance(value, str) else ""
        if text.startswith(("http://", "https://")):
            return {"http": url_of(text)}
        kind, colon, rest = text.partition(":")
        if colon and kind in self.checks:
            return {kind: self.checks[kind](rest)}
        if not PLUGIN.fullmatch(text):
            raise Fault(f"cannot be {quoted(value)}", self.forms)
        return {text: ""}

    def _mapping(self, value: dict[str, Any]) -> dict[str, Any]:
        if not value:
            raise Fault(f"names no {self.noun}", self.forms)
        named = [key for key in value if key in self.checks]
        if len(named) > 1:
            raise Fault(f"names two {self.noun}s, `{named[0]}` and `{named[1]}`", "keep one of the two")
        kind = named[0] if named else next(iter(value))
        if not PLUGIN.fullmatch(kind):
            raise Fault(f"cannot be {quoted(kind)}", self.forms)
        main = self.checks[kind](value[kind]) if named else resolve(value[kind])
        found = {kind: main if main is not None else ""}
        found.update({key: resolve(item) for key, item in value.items() if key != kind})
        return found


def module_of(value: Any, noun: str = "agent", instance: str = "my_agent:run_agent") -> str:  # noqa: ANN401  # any value of a file
    """`module:name`, as it was written.

    Raises:
        Fault: for anything else.
    """
    text = text_of(value)
    if not _PYTHON.fullmatch(text):
        raise Fault(f"names the Python {noun} {quoted(text)}", f"write `python:module:name`: python:{instance}")
    return text


def command_of(value: Any) -> list[str]:  # noqa: ANN401  # any value of a file
    """A program and its arguments; a text is split as a shell splits it.

    Raises:
        Fault: for anything else.
    """
    if isinstance(value, str):
        try:
            value = shlex.split(value)
        except ValueError:
            raise Fault(f"has the command {quoted(value)}, whose quotes do not close", "close them") from None
    if not isinstance(value, list) or not value or not all(isinstance(part, str) for part in value) or not value[0]:
        raise Fault(f"has the command {quoted(value or '')}", "write the program and its arguments: [node, agent.js]")
    return [str(part) for part in value]


def url_of(value: Any) -> str:  # noqa: ANN401  # any value of a file
    """A web address, or one that begins with a variable.

    Raises:
        Fault: for anything else.
    """
    text = text_of(value)
    if not text.startswith(("http://", "https://", "${")):
        raise Fault(f"has the address {quoted(text)}", "write it in full: http://localhost:8000/v1")
    return text
