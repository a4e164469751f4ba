"""Value types that the wire models of both files share. Unquoted scalars arrive as `Plain`."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, ConfigDict, WithJsonSchema

from foldproof.cases.faults import Fault, quoted
from foldproof.cases.nodes import FORMAT, Plain, resolve


class Wire(BaseModel):
    """The base of all wire models: nothing unknown, nothing converted unseen."""

    model_config = ConfigDict(extra="forbid", frozen=True, populate_by_name=False, defer_build=True)


def text_of(value: Any) -> str:  # noqa: ANN401  # any value of a file
    """A text as it was written; never empty.

    Raises:
        Fault: for anything that is no text.
    """
    if isinstance(value, str):
        if not value.strip():
            raise Fault("is empty", "write a text, or leave the field out")
        return str(value)
    raise Fault(f"must be a text, not {quoted(value)}", "put it in quotes if it is meant as text")


def _flag(value: Any) -> bool:  # noqa: ANN401  # any value of a file
    found = resolve(value)
    if isinstance(found, bool):
        return found
    raise Fault(f"must be true or false, not {quoted(value)}", "write `true` or `false`, without quotes")


def whole(value: Any, least: int) -> int:  # noqa: ANN401  # any value of a file
    """A whole number of at least `least`."""
    found = resolve(value)
    if isinstance(found, int) and not isinstance(found, bool) and found >= least:
        return found
    small = isinstance(found, int) and not isinstance(found, bool)
    hint = f"the least is {least}" if small else "write digits, without quotes"
    raise Fault(f"must be a whole number of at least {least}, not {quoted(value)}", hint)


def amount(value: Any, *, zero: bool = False) -> float:  # noqa: ANN401  # any value of a file
    """A number above zero, or from zero on."""
    found = resolve(value)
    if isinstance(found, int | float) and not isinstance(found, bool) and (found > 0 or (zero and found == 0)):
        try:
            return float(found)
        except OverflowError:
            pass  # larger than any float: refused with the rest
    range_text = "from 0 on" if zero else "above 0"
    raise Fault(f"must be a number {range_text}, not {quoted(value)}", "write it without quotes and unit")


def _free(value: Any) -> Any:  # noqa: ANN401  # any value of a file
    if isinstance(value, Plain) and not value:
        raise Fault("is empty", "write `{}`, or leave the field out")
    return resolve(value)


def _version(value: Any) -> int:  # noqa: ANN401  # any value of a file
    if resolve(value) == FORMAT and not isinstance(resolve(value), bool):
        return FORMAT
    raise Fault(f"must be {FORMAT}, not {quoted(value)}", f"write `foldproof: {FORMAT}`")


_TEXT_SCHEMA = {"type": ["string", "number"], "minLength": 1}
Text = Annotated[str, BeforeValidator(text_of), WithJsonSchema(_TEXT_SCHEMA)]
Version = Annotated[int, BeforeValidator(_version), WithJsonSchema({"const": FORMAT})]
Flag = Annotated[bool, BeforeValidator(_flag)]
Count = Annotated[
    int, BeforeValidator(lambda value: whole(value, 1)), WithJsonSchema({"type": "integer", "minimum": 1})
]
CountFromZero = Annotated[
    int, BeforeValidator(lambda value: whole(value, 0)), WithJsonSchema({"type": "integer", "minimum": 0})
]
Amount = Annotated[float, BeforeValidator(amount), WithJsonSchema({"type": "number", "exclusiveMinimum": 0})]
AmountFromZero = Annotated[
    float,
    BeforeValidator(lambda value: amount(value, zero=True)),
    WithJsonSchema({"type": "number", "minimum": 0}),
]
FreeMapping = Annotated[dict[str, Any], BeforeValidator(_free)]
