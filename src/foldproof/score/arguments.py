"""The arguments of a call, or an end state, against what is expected: typed JSON, compared part by part. Pure."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
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
    """Where a call or a state differs from what is expected.

    `place` is the argument, with the way into it (`order.items[2]`). `unclear` says that it cannot be compared
    there, since a part of it was redacted or can be read two ways. `wanted` is the value that is expected there.
    """

    place: str
    kind: DifferenceKind
    told: str
    wanted: Any = field(default=None, compare=False, repr=False)

    def __str__(self) -> str:
        return f"{self.place}: {self.kind} ({self.told})"


@dataclass(frozen=True, slots=True)
class _Way:
    """How values are compared; `verb` says how one was found.

    `open` objects may have further keys, at any depth. Of `listed` lists each item that is missing or too many is a
    difference of its own.
    """

    verb: str = "called with"
    open: bool = False
    listed: bool = False


_CALL = _Way()


def differences(expected: ExpectedCall, made: ToolCall) -> tuple[Difference, ...]:
    """Where the arguments of a call differ from those expected of it; the names of the tools are not compared."""
    found = [*_stated(expected.args, made.args, "", _CALL)]
    if expected.mode == "exact":
        found += _extra(expected.args, made.args, "", _CALL)
    if found and set(made.args) == {RAW}:
        told = f"the arguments are no JSON object: {short(json_text(made.args[RAW]))}"
        return tuple(Difference(item.place, item.kind, told) for item in found)
    return tuple(found)


def state_differences(expected: Mapping[str, Any], found: Mapping[str, Any], *, exact: bool) -> tuple[Difference, ...]:
    """Where an end state differs from the one that is expected.

    Its objects may have further keys, at any depth, unless they are to be `exact`; a list must have the same items in
    the same order.
    """
    way = _Way("found", open=not exact, listed=True)
    return tuple(_object(expected, found, "", way))


def cost(found: tuple[Difference, ...]) -> int:
    """How far a call is from what is expected."""
    return sum(_COST[item.kind] for item in found)


def _object(expected: Mapping[str, Any], found: Mapping[str, Any], place: str, way: _Way) -> Iterator[Difference]:
    yield from _stated(expected, found, place, way)
    if not way.open:
        yield from _extra(expected, found, place, way)


def _stated(expected: Mapping[str, Any], found: Mapping[str, Any], place: str, way: _Way) -> Iterator[Difference]:
    for key, value in expected.items():
        if key in found:
            yield from _compare(value, found[key], f"{place}{key}", way)
        else:
            yield Difference(f"{place}{key}", "missing", f"expected {_wanted(value)}", value)


def _extra(expected: Mapping[str, Any], found: Mapping[str, Any], place: str, way: _Way) -> Iterator[Difference]:
    for key, value in found.items():
        if key not in expected:
            yield Difference(f"{place}{key}", "extra", f"{way.verb} {_shown(value)}, which is not expected")


def _compare(expected: Any, found: Any, place: str, way: _Way) -> Iterator[Difference]:  # noqa: ANN401  # JSON values
    if isinstance(expected, ArgumentCheck):
        yield from _check(expected, found, place, way)
    elif _type_of(expected) != _type_of(found):
        yield _differs(place, "type", expected, found, way=way)
    elif isinstance(expected, Mapping):
        yield from _object(expected, found, f"{place}.", way)
    elif isinstance(expected, list | tuple):
        yield from _items(expected, found, place, way)
    elif isinstance(expected, str):
        yield from _text(expected, found, place, way)
    elif expected != found:
        yield _differs(place, "value", expected, found, way=way)


def _items(expected: Sequence[Any], found: Sequence[Any], place: str, way: _Way) -> Iterator[Difference]:
    if len(expected) != len(found) and not way.listed:
        yield _differs(place, "value", expected, found, way=way)
        return
    for index, (item, other) in enumerate(zip(expected, found, strict=False)):
        yield from _compare(item, other, f"{place}[{index}]", way)
    for index, item in enumerate(expected[len(found) :], len(found)):
        yield Difference(f"{place}[{index}]", "missing", f"expected {_wanted(item)}", item)
    for index, item in enumerate(found[len(expected) :], len(expected)):
        yield Difference(f"{place}[{index}]", "extra", f"{way.verb} {_shown(item)}, which is not expected")


def _text(expected: str, found: str, place: str, way: _Way) -> Iterator[Difference]:
    wanted, given = normalize("NFC", expected), normalize("NFC", found)
    if wanted == given:
        return
    if REDACTED in given:
        yield Difference(place, "unclear", f"a part of it was redacted; expected {_wanted(expected)}")
    else:
        kind: DifferenceKind = "case" if wanted.casefold() == given.casefold() else "value"
        yield _differs(place, kind, expected, found, way=way)


def _check(check: ArgumentCheck, found: Any, place: str, way: _Way) -> Iterator[Difference]:  # noqa: ANN401  # JSON
    if check.fact is not None:
        yield from _fact(check, check.fact, found, place=place, way=way)
    elif check.kind == "value":
        if _type_of(found) != _type_of(check.value):
            yield _differs(place, "type", check, found, way=way)
        elif not _within(check, found):
            yield _differs(place, "value", check, found, way=way)
    else:
        tried = [tuple(_compare(item, found, place, way)) for item in check.any_of]
        if all(tried):
            nearest = min(tried, key=cost)
            yield _differs(place, nearest[0].kind, check, found, way=way)


def _within(check: ArgumentCheck, found: float) -> bool:
    """Whether a number lies within the tolerance, both as they are written in decimals, so that 1.1 is 0.1 from 1."""
    if isinstance(found, float) and not math.isfinite(found):
        return False
    away = abs(_exact(check.value) - _exact(found))
    return away <= _exact(check.tolerance)


def _exact(number: float) -> Fraction:
    return Fraction(repr(number)) if isinstance(number, float) else Fraction(number)


def _fact(check: ArgumentCheck, fact: Fact, found: Any, *, place: str, way: _Way) -> Iterator[Difference]:  # noqa: ANN401  # JSON
    if not isinstance(found, str):
        yield _differs(place, "type", check, found, way=way)
        return
    match = match_fact(fact, found)
    if match.held:
        return
    if REDACTED in found or match.unsure:
        yield Difference(place, "unclear", f"{_shown(found)} may hold it, or not; expected {_wanted(check)}")
    else:
        yield _differs(place, "value", check, found, way=way)


def _differs(place: str, kind: DifferenceKind, expected: Any, found: Any, *, way: _Way) -> Difference:  # noqa: ANN401  # JSON
    return Difference(place, kind, f"expected {_wanted(expected)}, {way.verb} {_shown(found)}", expected)


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
