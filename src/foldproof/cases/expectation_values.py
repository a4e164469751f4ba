"""Expectations written as a file has them, so that they read back the same."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from foldproof.cases.call_text import json_text, read_call, written_call
from foldproof.cases.expectations import ArgumentCheck, CallCount, Expectation, ExpectedCall, is_check, nearly_check
from foldproof.cases.facts import fact_value
from foldproof.cases.faults import Fault


def expectation_value(expectation: Expectation) -> dict[str, Any]:
    """The expectation as the file writes it."""
    if expectation.fact is not None:
        return {expectation.kind: fact_value(expectation.fact)}
    if expectation.fields:
        return {expectation.kind: dict(expectation.fields)}
    if expectation.state is not None:
        return {expectation.kind: _state_value(expectation, expectation.state)}
    calls = [call_value(call) for call in expectation.calls]
    if expectation.kind == "tool_order":
        return {expectation.kind: calls if expectation.order == "strict" else {"calls": calls, "order": "any"}}
    if expectation.count is None:
        return {expectation.kind: calls[0]}
    call = calls[0] if isinstance(calls[0], dict) else _as_mapping(expectation.calls[0])
    return {expectation.kind: {**call, "count": _count_value(expectation.count)}}


def _state_value(expectation: Expectation, state: Mapping[str, Any]) -> dict[str, Any]:
    """The end state, under `is` where it has a mode or would be taken to be written so."""
    value = {key: _argument_value(item) for key, item in state.items()}
    if expectation.mode == "exact":
        return {"is": value, "mode": "exact"}
    return {"is": value} if "is" in value and set(value) <= {"is", "mode"} else value


def _count_value(count: CallCount) -> int | dict[str, int]:
    if count.most is None:
        return {"min": count.least}
    return count.least if count.least == count.most else {"min": count.least, "max": count.most}


def call_value(call: ExpectedCall) -> Any:  # noqa: ANN401  # a text or a mapping
    """The call as the file writes it: in one line where that says it all."""
    if call.any_of:
        return {"any_of": [call_value(item) for item in call.any_of]}
    line = written_call(call.name, call.args) if call.args else call.name
    return line if call.mode == "subset" and _says(line, call) else _as_mapping(call)


def _says(line: str, call: ExpectedCall) -> bool:
    """Whether a line reads back as the call: it has no check, and no name that needs quotes."""
    try:
        name, args = read_call(line)
    except Fault:
        return False
    return name == call.name and json_text(args) == json_text(call.args)


def _as_mapping(call: ExpectedCall) -> dict[str, Any]:
    value: dict[str, Any] = {"name": call.name}
    if call.args:
        value["args"] = {key: _argument_value(item) for key, item in call.args.items()}
    return value if call.mode == "subset" else {**value, "mode": call.mode}


def _argument_value(value: Any) -> Any:  # noqa: ANN401  # an argument or a check of one
    if isinstance(value, Mapping):
        keys = list(value)
        if is_check(keys) or nearly_check(keys):
            return {"value": value}
        return {key: _argument_value(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_argument_value(item) for item in value]
    if not isinstance(value, ArgumentCheck):
        return value
    if value.kind == "value":
        return {"value": value.value, "tolerance": value.tolerance}
    if value.fact is not None:
        return {value.kind: value.fact.text if value.kind == "matches" else fact_value(value.fact)}
    return {"any_of": [_argument_value(item) for item in value.any_of]}


def expectation_content(expectation: Expectation) -> dict[str, Any]:
    """What the hash of a set knows of an expectation: calls as mappings, in which the order of arguments is none."""
    if expectation.fact is not None or expectation.fields or expectation.state is not None:
        return expectation_value(expectation)
    calls = [[_as_mapping(call) for call in item.alternatives] for item in expectation.calls]
    count = None if expectation.count is None else _count_value(expectation.count)
    return {expectation.kind: calls, "order": expectation.order, "count": count}
