"""The arguments of a call against what is expected of them: typed JSON, compared part by part. Pure."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Literal
from unicodedata import normalize

from foldproof.cases.call_text import json_text, short
from foldproof.cases.expectations import ArgumentCheck, ExpectedCall, argument_text
from foldproof.core import REDACTED
from foldproof.logs import RAW, ToolCall
from foldproof.matching import Fact, match_fact

DifferenceKind = Literal["missing", "type", "value", "extra", "case", "unclear"]
_COST: dict[DifferenceKind, int] = {"unclear": 0, "case": 1, "type": 2, "value": 3, "extra": 3, "missing": 4}
"""How far each kind puts a call from what is expected: which call is nearest, and so told of, is decided by the sum."""


@dataclass(frozen=True, slots=True)
class Difference:
    """Where a call differs from what is expected.

    `place` is the argument, with the way into it (`order.items[2]`). `unclear` says that the call cannot be compared
    there, since a part of it was redacted or can be read two ways.
    """

    place: str
    kind: DifferenceKind
    told: str

    def __str__(self) -> str:
        return f"{self.place}: {self.kind} ({self.told})"


def differences(expected: ExpectedCall, made: ToolCall) -> tuple[Difference, ...]:
    """Where the arguments of a call differ from those expected of it; the names of the tools are not compared."""
    found = [*_stated(expected.args, made.args, "")]
    if expected.mode == "exact":
        found += _extra(expected.args, made.args, "")
    if found and set(made.args) == {RAW}:
        told = f"the arguments are no JSON object: {short(json_text(made.args[RAW]))}"
        return tuple(Difference(item.place, item.kind, told) for item in found)
    return tuple(found)


def cost(found: tuple[Difference, ...]) -> int:
    """How far a call is from what is expected."""
    return sum(_COST[item.kind] for item in found)


def _stated(expected: Mapping[str, Any], called: Mapping[str, Any], place: str) -> Iterator[Difference]:
    for key, value in expected.items():
        if key in called:
            yield from _compare(value, called[key], f"{place}{key}")
        else:
            yield Difference(f"{place}{key}", "missing", f"expected {_wanted(value)}")


def _extra(expected: Mapping[str, Any], called: Mapping[str, Any], place: str) -> Iterator[Difference]:
    for key, value in called.items():
        if key not in expected:
            yield Difference(f"{place}{key}", "extra", f"called with {_shown(value)}, which is not expected")


def _compare(expected: Any, called: Any, place: str) -> Iterator[Difference]:  # noqa: ANN401  # JSON values
    if isinstance(expected, ArgumentCheck):
        yield from _check(expected, called, place)
    elif _type_of(expected) != _type_of(called):
        yield _differs(place, "type", expected, called)
    elif isinstance(expected, Mapping):
        yield from _stated(expected, called, f"{place}.")
        yield from _extra(expected, called, f"{place}.")
    elif isinstance(expected, list | tuple):
        if len(expected) != len(called):
            yield _differs(place, "value", expected, called)
            return
        for index, (item, other) in enumerate(zip(expected, called, strict=True)):
            yield from _compare(item, other, f"{place}[{index}]")
    elif isinstance(expected, str):
        yield from _text(expected, called, place)
    elif expected != called:
        yield _differs(place, "value", expected, called)


def _text(expected: str, called: str, place: str) -> Iterator[Difference]:
    wanted, given = normalize("NFC", expected), normalize("NFC", called)
    if wanted == given:
        return
    if REDACTED in given:
        yield Difference(place, "unclear", f"a part of it was redacted; expected {_wanted(expected)}")
    else:
        yield _differs(place, "case" if wanted.casefold() == given.casefold() else "value", expected, called)


def _check(check: ArgumentCheck, called: Any, place: str) -> Iterator[Difference]:  # noqa: ANN401  # any JSON value
    if check.fact is not None:
        yield from _fact(check, check.fact, called, place)
    elif check.kind == "value":
        if _type_of(called) != _type_of(check.value):
            yield _differs(place, "type", check, called)
        elif not _within(check, called):
            yield _differs(place, "value", check, called)
    else:
        tried = [tuple(_compare(item, called, place)) for item in check.any_of]
        if all(tried):
            nearest = min(tried, key=cost)
            yield _differs(place, nearest[0].kind, check, called)


def _within(check: ArgumentCheck, called: float) -> bool:
    """Whether a number lies within the tolerance, both as they are written in decimals, so that 1.1 is 0.1 from 1."""
    if isinstance(called, float) and not math.isfinite(called):
        return False
    away = abs(_exact(check.value) - _exact(called))
    return away <= _exact(check.tolerance)


def _exact(number: float) -> Fraction:
    return Fraction(repr(number)) if isinstance(number, float) else Fraction(number)


def _fact(check: ArgumentCheck, fact: Fact, called: Any, place: str) -> Iterator[Difference]:  # noqa: ANN401  # JSON
    if not isinstance(called, str):
        yield _differs(place, "type", check, called)
        return
    match = match_fact(fact, called)
    if match.held:
        return
    if REDACTED in called or match.unsure:
        yield Difference(place, "unclear", f"{_shown(called)} may hold it, or not; expected {_wanted(check)}")
    else:
        yield _differs(place, "value", check, called)


def _differs(place: str, kind: DifferenceKind, expected: Any, called: Any) -> Difference:  # noqa: ANN401  # JSON values
    return Difference(place, kind, f"expected {_wanted(expected)}, called with {_shown(called)}")


def _type_of(value: Any) -> str:  # noqa: ANN401  # any value
    """The JSON type of a value; true is no number, and 12.0 is as good a number as 12."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "truth value"
    for name, kind in (("number", int | float), ("text", str), ("object", Mapping), ("list", list | tuple)):
        if isinstance(value, kind):
            return name
    return type(value).__name__


def _wanted(value: Any) -> str:  # noqa: ANN401  # an argument or a check of one
    if isinstance(value, ArgumentCheck):
        if value.fact is not None:
            text = value.fact.text if value.kind == "matches" else value.fact.label
            return f"a text that {value.kind} '{text}'"
        return f"{'the number' if value.kind == 'value' else 'one of'} {argument_text(value)}"
    return _shown(value) if not isinstance(value, Mapping | list) else f"{_type_of(value)} {argument_text(value)}"


def _shown(value: Any) -> str:  # noqa: ANN401  # any value
    kind = _type_of(value)
    text = short(json_text(value))
    return text if kind in {"null", "truth value"} else f"the {kind} {text}"
