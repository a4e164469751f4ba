"""Facts as a file writes them."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import PlainValidator, WithJsonSchema

from foldproof.cases.faults import Fault, quoted
from foldproof.cases.wire_types import text_of
from foldproof.core import nearest_of
from foldproof.matching import Fact

FACT_KINDS = ("any", "exact", "judged", "pattern", "number", "date")
"""The keys of a fact that is more than a text."""


def fact_of(value: Any) -> Fact:  # noqa: ANN401  # any value of a file
    """One fact as the file writes it.

    Raises:
        Fault: for anything that is no fact.
    """
    if not isinstance(value, dict):
        return Fact("normalized", text_of(value))
    if len(value) != 1:
        keys = ", ".join(f"`{key}`" for key in value) or "none"
        raise Fault(f"needs exactly one kind of fact, found {keys}", "one fact an item; use `any` for alternatives")
    ((kind, inner),) = value.items()
    if kind not in FACT_KINDS:
        hint = nearest_of(kind, FACT_KINDS)
        if isinstance(inner, str):
            hint += f'\nif it is meant as text, put it in quotes: "{kind}: {inner}"'
        raise Fault(f"has an unknown kind of fact `{kind}`", hint)
    if kind != "any":
        return Fact(kind, text_of(inner))
    if not isinstance(inner, list) or not inner:
        raise Fault(f"needs a list of alternatives under `any`, not {quoted(inner or '')}", "any: [first, second]")
    alternatives = tuple(fact_of(item) for item in inner)
    if any(fact.kind == "any" for fact in alternatives):
        raise Fault("has an `any` inside an `any`", "write all the alternatives in one list")
    return Fact("any", any=alternatives)


def fact_value(fact: Fact) -> Any:  # noqa: ANN401  # a text or a mapping
    """The fact as the file writes it."""
    if fact.kind == "any":
        return {"any": [fact_value(item) for item in fact.any]}
    return fact.text if fact.kind == "normalized" else {fact.kind: fact.text}


_TEXT = {"type": ["string", "number"], "minLength": 1}
_SIMPLE_FACT: dict[str, Any] = {
    "anyOf": [
        _TEXT,
        *(
            {"type": "object", "additionalProperties": False, "required": [kind], "properties": {kind: _TEXT}}
            for kind in FACT_KINDS
            if kind != "any"
        ),
    ]
}
_ANY_FACT: dict[str, Any] = {
    "type": "object",
    "additionalProperties": False,
    "required": ["any"],
    "properties": {"any": {"type": "array", "minItems": 1, "items": _SIMPLE_FACT}},
}
FACT_SCHEMA: dict[str, Any] = {"anyOf": [*_SIMPLE_FACT["anyOf"], _ANY_FACT]}
"""The JSON Schema of one fact."""
WireFact = Annotated[Fact, PlainValidator(fact_of), WithJsonSchema(FACT_SCHEMA)]
