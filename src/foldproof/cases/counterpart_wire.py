"""Counterparts as a file writes them: read, with what is wrong about one of them named."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import BeforeValidator, Field, GetJsonSchemaHandler, PlainValidator, WithJsonSchema, model_validator
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema

from foldproof.cases.counterparts import Counterpart, Line, Simulated
from foldproof.cases.expectation_wire import EXPECTATION_SCHEMA, expectation_of
from foldproof.cases.expectations import Expectation
from foldproof.cases.faults import Fault, quoted
from foldproof.cases.wire_types import Text, Wire, whole
from foldproof.matching import check_fact

_HOW = 'write it as in `expect`: "tool_called: name(arg=value)", "reply_mentions: which order"'


def condition_of(value: Any) -> Expectation:  # noqa: ANN401  # any value of a file
    """What the agent must have done for a line to be said: an expectation, as a mapping or in one text.

    Raises:
        Fault: for anything that is none, and for what can only be judged once the run is over.
    """
    if isinstance(value, str):
        kind, colon, rest = value.partition(":")
        if not colon:
            raise Fault(f"must be an expectation, not {quoted(value)}", _HOW)
        value = {kind.strip(): rest.strip()}
    found = expectation_of(value)
    for fact in [] if found.fact is None else [found.fact, *found.fact.any]:
        if wrong := check_fact(fact):
            what, _, how = wrong.partition("\n")
            raise Fault(f"has a fact that cannot be matched: {what}", how.strip())
    return found


_CONDITION = {"anyOf": [{"type": "string", "minLength": 1}, *EXPECTATION_SCHEMA["anyOf"]]}
Condition = Annotated[Expectation, PlainValidator(condition_of), WithJsonSchema(_CONDITION)]


def _bounded(value: Any, least: int) -> int:  # noqa: ANN401  # any value of a file
    found = whole(value, least)
    if found > MOST:
        raise Fault(f"is {quoted(value)}, and no talk is that long", f"allowed: {least} to {MOST}")
    return found


MOST = 1000
"""How often a user may speak in one turn of a case: an agent that never stops must not keep a trial for ever."""
_TURNS_SCHEMA = {"type": "integer", "minimum": 2, "maximum": MOST}
Turns = Annotated[int, BeforeValidator(lambda value: _bounded(value, 2)), WithJsonSchema(_TURNS_SCHEMA)]
"""A limit of turns: with one the user would never answer."""
_TIMES_SCHEMA = {"type": "integer", "minimum": 1, "maximum": MOST}
Times = Annotated[int, BeforeValidator(lambda value: _bounded(value, 1)), WithJsonSchema(_TIMES_SCHEMA)]


class CorrectionWire(Wire):
    """What the user says once the agent has done the wrong thing."""

    after: Condition
    say: Text


class RuleWire(Wire):
    """What the user says once the agent has done something."""

    when: Condition
    say: Text
    times: Times = 1


class ScriptWire(Wire):
    """The rules of a scripted user; a list alone has no limit but its rules."""

    rules: list[RuleWire] = Field(min_length=1)
    turns: Turns | None = None

    @model_validator(mode="before")
    @classmethod
    def _list_alone(cls, value: Any) -> Any:  # noqa: ANN401  # any value of a file
        return {"rules": value} if isinstance(value, list) else value

    @classmethod
    def __get_pydantic_json_schema__(cls, schema: CoreSchema, handler: GetJsonSchemaHandler) -> JsonSchemaValue:
        made = handler(schema)
        mapping = handler.resolve_ref_schema(made)
        whole = dict(mapping)
        mapping.clear()
        mapping.update({"anyOf": [whole["properties"]["rules"], whole]})
        return made


class SimulatedWire(Wire):
    """A user that a model plays."""

    goal: Text
    persona: Text = ""
    knows: list[Text] = Field(default_factory=list)
    corrections: list[CorrectionWire] = Field(default_factory=list)
    turns: Turns | None = None


class AnsweredWire(Wire):
    """What says who answers the agent: part of a case, and of a turn of its sessions."""

    correction: CorrectionWire | None = None
    counterpart: ScriptWire | None = None
    simulated: SimulatedWire | None = None

    @model_validator(mode="before")
    @classmethod
    def _one_user(cls, value: Any) -> Any:  # noqa: ANN401  # any value of a file
        for key in ("correction", "counterpart"):
            if isinstance(value, dict) and key in value and "simulated" in value:
                hint = "a simulated user has `corrections` of its own, and answers without rules: keep one of the two"
                raise Fault(f"has `{key}` beside `simulated`", hint)
        return value


def counterpart_of(wire: AnsweredWire) -> Counterpart | None:
    """The record of who answers the agent, None where nobody does."""
    if (user := wire.simulated) is not None:
        corrections = tuple(Line(item.after, item.say) for item in user.corrections)
        return Counterpart(corrections, (), Simulated(user.goal, user.persona, tuple(user.knows)), user.turns or 0)
    if wire.correction is None and wire.counterpart is None:
        return None
    script = wire.counterpart
    return Counterpart(
        () if wire.correction is None else (Line(wire.correction.after, wire.correction.say),),
        () if script is None else tuple(Line(item.when, item.say, item.times) for item in script.rules),
        turns=(script.turns or 0) if script else 0,
    )
