"""The wire models of a labels file: what stands in it, before it becomes records."""

from __future__ import annotations

import re
from typing import Annotated, Any

from pydantic import BeforeValidator, Field, WithJsonSchema

from foldproof.cases.faults import Fault, quoted
from foldproof.cases.nodes import FORMAT
from foldproof.cases.schemas import file_schema
from foldproof.cases.wire import class_of
from foldproof.cases.wire_types import Count, Flag, Text, Version, Wire, text_of

EVERY = "all"
"""Stands for all classes together, so that none can be called so."""
_HASH = re.compile(r"[0-9a-f]{64}")
_LABELLER = re.compile(r"[A-Za-z0-9][\w.@-]{0,39}")


def _hash(value: Any) -> str:  # noqa: ANN401  # any value of a file
    text = text_of(value)
    if not _HASH.fullmatch(text):
        raise Fault(f"cannot be {quoted(text)}", "write the 64 hex digits that `foldproof label` writes")
    return text


def labeller_of(value: Any) -> str:  # noqa: ANN401  # any value of a file
    """The name of one who labels: short, and safe to print.

    Raises:
        Fault: for anything else.
    """
    text = text_of(value)
    if not _LABELLER.fullmatch(text):
        raise Fault(
            f"cannot be {quoted(text)}", "allowed: a letter or digit, then up to 39 letters, digits, `.`, `_`, `@`, `-`"
        )
    return text


def line_class_of(value: Any) -> str:  # noqa: ANN401  # any value of a file
    """The name of a class of lines.

    Raises:
        Fault: for what is no name of a class, or stands for all of them.
    """
    name = class_of(value)
    if name == EVERY:
        raise Fault(f"cannot be the class '{EVERY}', which stands for all classes together", "give it another name")
    return name


LineHash = Annotated[str, BeforeValidator(_hash), WithJsonSchema({"type": "string", "pattern": "^[0-9a-f]{64}$"})]
Labeller = Annotated[
    str, BeforeValidator(labeller_of), WithJsonSchema({"type": ["string", "number"], "minLength": 1, "maxLength": 40})
]


LineClass = Annotated[
    str,
    BeforeValidator(line_class_of),
    WithJsonSchema({"type": "string", "pattern": "^[a-z][a-z0-9_-]{0,39}$", "not": {"const": EVERY}}),
]


class ProbeWire(Wire):
    """A forced choice: what an agent would do that still knows the line."""

    question: Text
    choices: list[Text] = Field(min_length=2)
    right: Text


class LabelWire(Wire):
    """One labelled line."""

    document: Text
    sha256: LineHash
    number: Count = 1
    line_class: LineClass = Field(alias="class")
    by: dict[Labeller, LineClass] = Field(default_factory=dict)
    settled: Flag = False
    key: Annotated[list[Text], Field(min_length=1)] = Field(default_factory=list)
    probe: ProbeWire | None = None
    replaces: LineHash | None = None


class LabelsWire(Wire):
    """The labels file."""

    foldproof: Version = FORMAT
    own: Flag = False
    labels: list[LabelWire] = Field(min_length=1)


def labels_schema() -> dict[str, Any]:
    """The schema of a labels file, JSON Schema draft 2020-12."""
    return file_schema(LabelsWire, "foldproof-labels-1")
