"""A frozen prefix as a file writes it: the turns before the one that is graded, each call with its result."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any

from pydantic import PlainValidator, WithJsonSchema

from foldproof.cases.call_text import json_text, read_call, written_call
from foldproof.cases.faults import Fault, quoted
from foldproof.cases.nodes import Plain, resolve
from foldproof.cases.wire_types import text_of
from foldproof.core import nearest_of
from foldproof.logs import AnsweredCall, PastTurn, ToolCall

_TURN_KEYS = ("user", "agent", "calls")
_CALL_KEYS = ("call", "result", "id")
_RESULT_KEYS = frozenset({"result", "results", "tool", "tool_result"})
_TURN = "write what the user said as `user: …`, what the agent said as `agent: …`, its calls under `calls:`"
_CALL = "write `call: name(arg=value)` and `result: …`"


@dataclass(frozen=True, slots=True)
class CutFrom:
    """Where a frozen prefix was cut: the session, and which message of the user is graded, from 1."""

    session: str
    turn: int


def past_turn_of(value: Any) -> PastTurn:  # noqa: ANN401  # any value of a file
    """One item of a frozen prefix as the file writes it.

    Raises:
        Fault: for anything that is none, a call without a result or a result without its call among it.
    """
    if not isinstance(value, dict) or not value:
        raise Fault(f"must be a turn, not {quoted(value or '')}", _TURN)
    for key in value:
        if key in _TURN_KEYS:
            continue
        if key in _RESULT_KEYS:
            hint = f"a result stands with the call that it answers, in the agent's turn: {_CALL}"
            raise Fault(f"has `{key}`, a result without its call", hint)
        raise Fault(f"has an unknown field `{key}`", nearest_of(str(key), _TURN_KEYS))
    if "user" in value:
        if len(value) > 1:
            raise Fault("is a turn of the user and of the agent", "write one item for each, in their order")
        return PastTurn("user", text_of(value["user"]))
    calls = value.get("calls", [])
    if not isinstance(calls, list) or ("calls" in value and not calls):
        raise Fault(f"needs a list of calls, not {quoted(calls or '')}", f"{_CALL} as one item a call")
    said = text_of(value["agent"]) if "agent" in value else ""
    return PastTurn("agent", said, tuple(map(_answered, calls)))


def _answered(value: Any) -> AnsweredCall:  # noqa: ANN401  # any value of a file
    if not isinstance(value, dict):
        raise Fault(f"has the call {quoted(value)} without a result", _CALL)
    for key in value:
        if key not in _CALL_KEYS:
            raise Fault(f"has a call with the unknown field `{key}`", nearest_of(str(key), _CALL_KEYS))
    if "call" not in value:
        raise Fault("has a result without its call", _CALL)
    call = _call(value["call"])
    result = value.get("result", Plain())
    if isinstance(result, Plain) and not result:
        raise Fault(f"has the call {call.name} without a result", 'write what came back; `result: ""` for nothing')
    return AnsweredCall(call, _json(result), text_of(value["id"]) if "id" in value else "")


def _call(value: Any) -> ToolCall:  # noqa: ANN401  # any value of a file
    if not isinstance(value, dict):
        return ToolCall(*read_call(text_of(value)))
    if not value.keys() <= {"name", "args"} or "name" not in value:
        fields = ", ".join(f"`{key}`" for key in value) or "nothing"
        raise Fault(f"has a call with {fields}", "write `call: {name: …, args: {…}}`")
    args = value.get("args", {})
    if not isinstance(args, dict):
        raise Fault(f"needs a mapping under `args`, not {quoted(args)}", "args: {order_id: 4021}")
    return ToolCall(text_of(value["name"]), _json(args))


def _json(value: Any) -> Any:  # noqa: ANN401  # any value of a file
    """The JSON value that is meant."""
    if isinstance(value, dict):
        return {str(key): _json(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_json(item) for item in value]
    found = resolve(value)
    if isinstance(found, float) and not math.isfinite(found):
        raise Fault(f"has the value {quoted(found)}, which JSON does not have", "write a JSON value, or a text")
    return found


def frozen_value(turns: Sequence[PastTurn], *, hashed: bool = False) -> list[dict[str, Any]]:
    """The prefix as the file writes it; with `hashed`, as the hash of a set knows it."""
    found: list[dict[str, Any]] = []
    for turn in turns:
        if turn.role == "user":
            found.append({"user": turn.text})
            continue
        calls = [_answered_value(made, hashed=hashed) for made in turn.calls]
        found.append({**({"agent": turn.text} if turn.text else {}), **({"calls": calls} if calls else {})})
    return found


def _answered_value(made: AnsweredCall, *, hashed: bool) -> dict[str, Any]:
    call = _as_mapping(made.call) if hashed else _call_value(made.call)
    return {"call": call, "result": _plain(made.result), **({"id": made.id} if made.id else {})}


def _call_value(call: ToolCall) -> Any:  # noqa: ANN401  # a text or a mapping
    """The call in one line, where that reads back as the same."""
    line = written_call(call.name, call.args) if call.args else call.name
    try:
        name, args = read_call(line)
    except Fault:
        return _as_mapping(call)
    return line if name == call.name and json_text(args) == json_text(call.args) else _as_mapping(call)


def _as_mapping(call: ToolCall) -> dict[str, Any]:
    return {"name": call.name, "args": _plain(call.args)} if call.args else {"name": call.name}


def _plain(value: Any) -> Any:  # noqa: ANN401  # any JSON value
    if isinstance(value, Mapping):
        return {key: _plain(item) for key, item in value.items()}
    return [_plain(item) for item in value] if isinstance(value, list | tuple) else value


def prefix_faults(turns: Sequence[PastTurn]) -> Iterator[tuple[int, str, str]]:
    """What is wrong with a prefix as a whole: the place of the turn, what it is, and what to do."""
    if turns and turns[-1].role == "user":
        hint = "what the user says last stands under `user:` of the case; what the agent answered to this is missing"
        yield len(turns) - 1, "ends with a turn of the user", hint
    opened = next((at for at, turn in enumerate(turns) if turn.role == "user"), len(turns))
    early = next((at for at, turn in enumerate(turns[:opened]) if turn.calls), None)
    if early is not None:
        hint = "write what the user asked for before it; an agent may greet first, and no more"
        yield early, "begins with a call that nobody asked for", hint
    ids = Counter(made.id for turn in turns for made in turn.calls if made.id)
    for at, turn in enumerate(turns):
        for made in turn.calls:
            if ids[made.id] > 1:
                yield at, f"has the call id '{made.id}' twice", "give each call its own id, or none"
                ids[made.id] = 0


_TEXT = {"type": ["string", "number"], "minLength": 1}
_ONE_CALL = {
    "anyOf": [
        {"type": "string", "minLength": 1},
        {
            "type": "object",
            "additionalProperties": False,
            "required": ["name"],
            "properties": {"name": _TEXT, "args": {"type": "object"}},
        },
    ]
}
_ANSWERED = {
    "type": "object",
    "additionalProperties": False,
    "required": ["call", "result"],
    "properties": {"call": _ONE_CALL, "result": {}, "id": _TEXT},
}
_SCHEMA = {
    "anyOf": [
        {"type": "object", "additionalProperties": False, "required": ["user"], "properties": {"user": _TEXT}},
        {
            "type": "object",
            "additionalProperties": False,
            "minProperties": 1,
            "properties": {"agent": _TEXT, "calls": {"type": "array", "minItems": 1, "items": _ANSWERED}},
        },
    ]
}
WirePastTurn = Annotated[PastTurn, PlainValidator(past_turn_of), WithJsonSchema(_SCHEMA)]
