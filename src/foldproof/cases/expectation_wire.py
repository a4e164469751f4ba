"""Expectations as a file writes them: read, with what is wrong about one of them named."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from typing import Annotated, Any

from pydantic import PlainValidator, WithJsonSchema

from foldproof.cases.call_text import read_call
from foldproof.cases.expectations import (
    CHECK_KEYS,
    EXPECTATION_KINDS,
    MEMORY_KINDS,
    ArgumentCheck,
    CallCount,
    Expectation,
    ExpectationKind,
    ExpectedCall,
    is_check,
    nearly_check,
)
from foldproof.cases.facts import FACT_KINDS, FACT_SCHEMA, fact_of
from foldproof.cases.faults import Fault, quoted
from foldproof.cases.nodes import Plain, resolve
from foldproof.cases.wire_types import amount, text_of, whole
from foldproof.core import nearest_of
from foldproof.matching import Fact, check_fact

_CALL_KEYS = ("name", "args", "mode", "any_of")
_HOW = "write `tool_called: name(arg=value)`"
_STATE = "state: {refunds: [{order_id: 5310, method: store_credit}]}"


def expectation_of(value: Any) -> Expectation:  # noqa: ANN401  # any value of a file
    """One expectation of a question as the file writes it.

    Raises:
        Fault: for anything that is no expectation.
    """
    return _read(value, EXPECTATION_KINDS)


def turn_expectation_of(value: Any) -> Expectation:  # noqa: ANN401  # any value of a file
    """One expectation of a session's turn as the file writes it: it may look at the memory too.

    Raises:
        Fault: for anything that is no expectation.
    """
    return _read(value, (*EXPECTATION_KINDS, *MEMORY_KINDS))


def _read(value: Any, kinds: tuple[ExpectationKind, ...]) -> Expectation:  # noqa: ANN401  # any value of a file
    if not isinstance(value, dict):
        raise Fault(f"must be an expectation, not {quoted(value)}", _HOW)
    if len(value) != 1:
        keys = ", ".join(f"`{key}`" for key in value) or "none"
        hint = "one expectation an item; what belongs to a call stands in it: `tool_called: {name: …, count: 2}`"
        raise Fault(f"needs exactly one kind of expectation, found {keys}", hint)
    ((kind, inner),) = value.items()
    allowed = ", ".join(f"`{name}`" for name in kinds)
    for known in kinds:
        if kind == known:
            return _READERS[known](known, inner)
    if kind in MEMORY_KINDS:
        raise Fault(f"has the expectation `{kind}`, which is for the turns of `sessions`", f"allowed: {allowed}")
    near = nearest_of(str(kind), kinds)
    hint = f"{near}\nallowed: {allowed}" if near.startswith("did you mean") else f"allowed: {allowed}"
    raise Fault(f"has an unknown kind of expectation `{kind}`", hint)


def _called(kind: ExpectationKind, value: Any) -> Expectation:  # noqa: ANN401  # any value of a file
    if not isinstance(value, dict) or "count" not in value:
        return Expectation(kind, (call_of(value),))
    rest = {key: item for key, item in value.items() if key != "count"}
    return Expectation(kind, (call_of(rest),), count=_count(value["count"]))


def _not_called(kind: ExpectationKind, value: Any) -> Expectation:  # noqa: ANN401  # any value of a file
    return Expectation(kind, (call_of(value),))


def _ordered(kind: ExpectationKind, value: Any) -> Expectation:  # noqa: ANN401  # any value of a file
    order = "strict"
    if isinstance(value, dict) and "calls" in value:
        _refuse_unknown(value, ("calls", "order"))
        order = text_of(value.get("order", "strict"))
        value = value["calls"]
    if not isinstance(value, list) or len(value) < 2:  # an order takes two
        raise Fault(f"needs a list of at least two calls, not {quoted(value)}", "tool_order: [look_up, refund]")
    if order not in ("any", "strict"):
        raise Fault(f"has the unknown order '{order}'", "allowed: `strict` (as listed), `any`")
    return Expectation(kind, tuple(map(call_of, value)), order="any" if order == "any" else "strict")


def _about_reply(kind: ExpectationKind, value: Any) -> Expectation:  # noqa: ANN401  # any value of a file
    fact = fact_of(value)
    if fact.kind == "judged":
        raise Fault(
            f"has a judged fact under `{kind}`, which no judge is asked about",
            "match it, or write it under `expected_facts` or `forbidden_facts`: a judge reads the last reply",
        )
    return Expectation(kind, fact=fact)


def _state(kind: ExpectationKind, value: Any) -> Expectation:  # noqa: ANN401  # any value of a file
    """An end state, or `{is: …, mode: exact}`."""
    mode = "subset"
    if isinstance(value, dict) and "is" in value and set(value) <= {"is", "mode"}:
        mode = text_of(value.get("mode", "subset"))
        value = value["is"]
    elif isinstance(value, dict) and value.get("mode") in ("subset", "exact"):
        raise Fault(f"has `mode` beside the keys of a `{kind}`", "write the state under `is`: {is: {…}, mode: exact}")
    if mode not in ("subset", "exact"):
        raise Fault(f"has the unknown mode '{mode}'", "allowed: `subset` (further keys are welcome), `exact`")
    if not isinstance(value, dict) or not value:
        raise Fault(f"needs a mapping under `{kind}`, not {quoted(value or '')}", _STATE)
    state = {str(key): argument_of(item) for key, item in value.items()}
    return Expectation(kind, state=state, mode="exact" if mode == "exact" else "subset")


def _about_memory(kind: ExpectationKind, value: Any) -> Expectation:  # noqa: ANN401  # any value of a file
    fact = fact_of(value)
    if any(item.kind == "judged" for item in (fact, *fact.any)):
        raise Fault(
            f"has a judged fact under `{kind}`", "match it: a text, `any`, `exact`, `pattern`, `number`, `date`"
        )
    return Expectation(kind, fact=fact)


def _written(kind: ExpectationKind, value: Any) -> Expectation:  # noqa: ANN401  # any value of a file
    if not isinstance(value, dict) or any(key in FACT_KINDS for key in value):
        return _about_memory(kind, value)
    if not value:
        raise Fault(f"has an empty `{kind}`", "memory_write: {kind: preference, refund_method: store_credit}")
    fields = {str(key): text_of(item) for key, item in value.items()}
    for key, text in fields.items():
        if key != "kind" and (wrong := check_fact(Fact("normalized", text))):
            what, _, how = wrong.partition("\n")
            raise Fault(f"has a value under `{key}` that cannot be matched: {what}", how.strip())
    return Expectation(kind, fields=fields)


_READERS: dict[ExpectationKind, Callable[[ExpectationKind, Any], Expectation]] = {
    "tool_called": _called,
    "no_tool_called": _not_called,
    "tool_order": _ordered,
    "reply_mentions": _about_reply,
    "reply_omits": _about_reply,
    "state": _state,
    "memory_write": _written,
    "memory_read": _about_memory,
    "store_has": _about_memory,
    "store_lacks": _about_memory,
}


def call_of(value: Any) -> ExpectedCall:  # noqa: ANN401  # any value of a file
    """One expected call: a text `name(arg=value)`, a mapping with `name`, or one with `any_of`.

    Raises:
        Fault: for anything that is no call.
    """
    if isinstance(value, str):
        return ExpectedCall(*read_call(text_of(value)))
    if not isinstance(value, dict):
        raise Fault(f"must be a call, not {quoted(value)}", _HOW)
    _refuse_unknown(value, _CALL_KEYS)
    if "any_of" in value:
        return _any_of(value)
    if "name" not in value:
        raise Fault("lacks the `name` of the tool", "add it: {name: create_refund, args: {order_id: 4021}}")
    mode = text_of(value.get("mode", "subset"))
    if mode not in ("subset", "exact"):
        raise Fault(f"has the unknown mode '{mode}'", "allowed: `subset` (further arguments are welcome), `exact`")
    args = value.get("args", {})
    if not isinstance(args, dict):
        raise Fault(f"needs a mapping under `args`, not {quoted(args)}", "args: {order_id: 4021}")
    checked = {str(key): argument_of(item) for key, item in args.items()}
    return ExpectedCall(text_of(value["name"]), checked, "exact" if mode == "exact" else "subset")


def _any_of(value: dict[str, Any]) -> ExpectedCall:
    if len(value) > 1:
        raise Fault("has `any_of` beside other keys of a call", "write name, args and mode in each alternative")
    given = value["any_of"]
    if not isinstance(given, list) or not given:
        raise Fault(f"needs a list of calls under `any_of`, not {quoted(given or '')}", "any_of: [refund, credit]")
    calls = tuple(map(call_of, given))
    if any(call.any_of for call in calls):
        raise Fault("has an `any_of` inside an `any_of`", "write all the alternatives in one list")
    return ExpectedCall(any_of=calls)


def _refuse_unknown(value: dict[str, Any], known: tuple[str, ...]) -> None:
    for key in value:
        if key not in known:
            raise Fault(f"has an unknown field `{key}`", nearest_of(str(key), known))


def _count(value: Any) -> CallCount:  # noqa: ANN401  # any value of a file
    if not isinstance(value, dict):
        times = whole(value, 1)
        return CallCount(times, times)
    _refuse_unknown(value, ("min", "max"))
    if not value:
        raise Fault("has an empty `count`", "count: 2, or count: {min: 1, max: 3}")
    least = whole(value["min"], 0) if "min" in value else 1
    most = whole(value["max"], max(1, least)) if "max" in value else None
    if least == 0 and most is None:
        raise Fault("has a `count` that asks for nothing", "give it a `max`, or a `min` of at least 1")
    return CallCount(least, most)


def argument_of(value: Any) -> Any:  # noqa: ANN401  # any value of a file
    """One argument: a JSON value, in which a mapping such as `{matches: …}` is a check.

    Raises:
        Fault: for a check that is none, and for what is no JSON value.
    """
    if isinstance(value, list):
        return [argument_of(item) for item in value]
    if not isinstance(value, dict):
        return _literal(value)
    keys = [str(key) for key in value]
    if is_check(keys):
        return _check(value)
    if near := nearly_check(keys):
        hint = f"did you mean `{near}`?\nan object that is meant as it stands is written `{{value: {{…}}}}`"
        raise Fault(f"has an argument with the unknown check `{keys[0]}`", hint)
    return {str(key): argument_of(item) for key, item in value.items()}


def _check(value: dict[str, Any]) -> Any:  # noqa: ANN401  # a check, or the value that `value` holds
    kinds = [key for key in CHECK_KEYS if key in value]
    if len(kinds) != 1 or ("tolerance" in value and kinds != ["value"]):
        found = ", ".join(f"`{key}`" for key in value)
        hint = "allowed: `value` (with `tolerance`), `matches`, `contains` or `any_of`"
        raise Fault(f"has an argument that is checked by {found}", hint)
    (kind,) = kinds
    if kind == "value":
        return _near_value(value)
    if kind == "any_of":
        given = value["any_of"]
        if not isinstance(given, list) or not given:
            raise Fault(f"needs a list under `any_of`, not {quoted(given or '')}", "any_of: [card, store_credit]")
        return ArgumentCheck("any_of", any_of=tuple(map(argument_of, given)))
    if kind == "matches":
        return ArgumentCheck("matches", fact=_usable(Fact("pattern", text_of(value["matches"]))))
    return ArgumentCheck("contains", fact=_usable(fact_of(value["contains"])))


def _near_value(value: dict[str, Any]) -> Any:  # noqa: ANN401  # a check, or the value itself
    found = _literal(value["value"])
    if "tolerance" not in value:
        return found
    if isinstance(found, bool) or not isinstance(found, int | float):
        raise Fault(f"has a `tolerance` around {quoted(found)}, which is no number", "write a number, without quotes")
    return ArgumentCheck("value", found, amount(value["tolerance"], zero=True))


def _usable(fact: Fact) -> Fact:
    if any(item.kind == "judged" for item in (fact, *fact.any)):
        raise Fault("has an argument that is judged", "match it: `contains`, `matches`, or a plain value")
    if wrong := check_fact(fact):
        what, _, how = wrong.partition("\n")
        raise Fault(f"has an argument that cannot be matched: {what}", how.strip())
    return fact


def _literal(value: Any) -> Any:  # noqa: ANN401  # any value of a file
    """A JSON value as it is meant, with nothing in it taken for a check."""
    if isinstance(value, dict):
        return {str(key): _literal(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_literal(item) for item in value]
    found = resolve(value) if isinstance(value, Plain) else value
    if found is None or isinstance(found, str | bool | int) or (isinstance(found, float) and math.isfinite(found)):
        return found
    raise Fault(f"has the argument {quoted(found)}, which JSON does not have", "write a JSON value")


_CALL_TEXT = {"type": "string", "minLength": 1}
_ONE_CALL: dict[str, Any] = {
    "type": "object",
    "additionalProperties": False,
    "required": ["name"],
    "properties": {
        "name": {"type": ["string", "number"], "minLength": 1},
        "args": {"type": "object"},
        "mode": {"enum": ["subset", "exact"]},
    },
}
_CALL = {
    "anyOf": [
        _CALL_TEXT,
        _ONE_CALL,
        {
            "type": "object",
            "additionalProperties": False,
            "required": ["any_of"],
            "properties": {"any_of": {"type": "array", "minItems": 1, "items": {"anyOf": [_CALL_TEXT, _ONE_CALL]}}},
        },
    ]
}
_TIMES = {
    "anyOf": [
        {"type": "integer", "minimum": 1},
        {
            "type": "object",
            "additionalProperties": False,
            "minProperties": 1,
            "properties": {"min": {"type": "integer", "minimum": 0}, "max": {"type": "integer", "minimum": 1}},
        },
    ]
}


def _counted(shape: dict[str, Any]) -> dict[str, Any]:
    return {**shape, "properties": {**shape["properties"], "count": _TIMES}} if "properties" in shape else shape


_CALLS = {"type": "array", "minItems": 2, "items": _CALL}
_SHAPES: dict[ExpectationKind, dict[str, Any]] = {
    "tool_called": {"anyOf": [_counted(shape) for shape in _CALL["anyOf"]]},
    "no_tool_called": _CALL,
    "tool_order": {
        "anyOf": [
            _CALLS,
            {
                "type": "object",
                "additionalProperties": False,
                "required": ["calls"],
                "properties": {"calls": _CALLS, "order": {"enum": ["any", "strict"]}},
            },
        ]
    },
    "reply_mentions": FACT_SCHEMA,
    "reply_omits": FACT_SCHEMA,
    "state": {"type": "object", "minProperties": 1},
    "memory_write": {
        "anyOf": [
            *FACT_SCHEMA["anyOf"],
            {
                "type": "object",
                "minProperties": 1,
                "propertyNames": {"not": {"enum": list(FACT_KINDS)}},
                "additionalProperties": {"type": ["string", "number"], "minLength": 1},
            },
        ]
    },
    "memory_read": FACT_SCHEMA,
    "store_has": FACT_SCHEMA,
    "store_lacks": FACT_SCHEMA,
}


def _schema(kinds: Iterable[ExpectationKind]) -> dict[str, Any]:
    return {
        "anyOf": [
            {"type": "object", "additionalProperties": False, "required": [kind], "properties": {kind: _SHAPES[kind]}}
            for kind in kinds
        ]
    }


EXPECTATION_SCHEMA = _schema(EXPECTATION_KINDS)
"""The JSON Schema of one expectation of a question."""
WireExpectation = Annotated[Expectation, PlainValidator(expectation_of), WithJsonSchema(EXPECTATION_SCHEMA)]
WireTurnExpectation = Annotated[Expectation, PlainValidator(turn_expectation_of), WithJsonSchema(_schema(_SHAPES))]
