"""The tools of a world: its public methods, described by their signatures, called with what a model wrote."""

from __future__ import annotations

import functools
import inspect
import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import anyio

from foldproof.agents.calls import RAISED, call
from foldproof.agents.errors import AgentError, UnsupportedError
from foldproof.agents.threads import Worker
from foldproof.core import UsageError, canonical_json, nearest_of

TOOL_S = 10.0
"""Seconds that one call of a tool may take."""
_OWN = frozenset({"close", "state"})
"""Public methods that are no tools."""
_NAME = re.compile(r"[A-Za-z0-9_]{1,64}")
"""What the chat completions API takes for the name of a tool."""


class ToolError(Exception):
    """Why a call was not carried out, as the model is told it; `noted` says more to the reader of the record."""

    def __init__(self, told: str, noted: str = "") -> None:
        super().__init__(told)
        self.noted = noted or told


@dataclass(frozen=True, slots=True)
class WorldTool:
    """One public method of a world. `schema` describes it as the chat completions API does."""

    name: str
    schema: Mapping[str, Any]
    validator: Any = field(repr=False)

    def read(self, args: Mapping[str, Any]) -> dict[str, Any]:
        """The arguments of a call as the method takes them; JSON types count: "15" is no number.

        Raises:
            ToolError: naming the first that is wrong.
        """
        from pydantic import ValidationError

        try:
            found: dict[str, Any] = self.validator.validate_json(json.dumps(args), strict=True)
        except ValidationError as error:
            first = error.errors(include_url=False)[0]
            place = ".".join(map(str, first["loc"]))
            known = self.schema["function"]["parameters"].get("properties", {})
            if first["type"] == "unexpected_keyword_argument":
                raise ToolError(f"there is no argument '{place}'; {nearest_of(place, known)}") from error
            if first["type"] == "missing_argument":
                raise ToolError(f"the argument `{place}` is missing") from error
            if not place:
                raise ToolError(f"the arguments cannot be read: {first['msg']}") from error
            given = json.dumps(first["input"], ensure_ascii=False, default=str)[:200]
            raise ToolError(f"the argument `{place}` is {given}: {first['msg']}") from error
        return found


def tools_of(made: Any, place: str) -> tuple[WorldTool, ...]:  # noqa: ANN401  # the user's object
    """The tools of a world, in the order in which its class has them, those of its bases first.

    Raises:
        UsageError: where it has none, or one that no model could call.
    """
    kind = type(made)
    written = (name for base in reversed(kind.__mro__[:-1]) for name in vars(base))
    names = [name for name in dict.fromkeys(written) if not name.startswith("_") and name not in _OWN]
    found = tuple(
        _tool(name, getattr(made, name), f"{place}: its method `{name}`") for name in names if _is_method(kind, name)
    )
    if not found:
        raise UsageError(
            f"{place}: {kind.__name__} has no public methods\n"
            "  a world is a class; each public method but `state` and `close` is a tool"
        )
    return found


def _is_method(kind: type, name: str) -> bool:
    found = inspect.getattr_static(kind, name)
    return inspect.isroutine(found) or isinstance(found, staticmethod | classmethod)


def _tool(name: str, method: Any, place: str) -> WorldTool:  # noqa: ANN401  # the user's method
    from pydantic import ConfigDict, TypeAdapter
    from pydantic.errors import PydanticUserError
    from pydantic.json_schema import GenerateJsonSchema

    class Untitled(GenerateJsonSchema):
        def field_title_should_be_set(self, schema: Any) -> bool:  # noqa: ANN401, ARG002  # pydantic's own types
            return False

    def taken(**named: Any) -> dict[str, Any]:  # noqa: ANN401  # any argument
        return named

    if not _NAME.fullmatch(name):
        raise UsageError(f"{place} cannot be a tool\n  allowed: up to 64 letters of English, digits and `_`")
    kinds = {parameter.kind for parameter in inspect.signature(method).parameters.values()}
    if kinds & {inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.VAR_POSITIONAL}:
        raise UsageError(f"{place} has arguments without a name\n  a model names each argument: leave out `/` and `*`")
    try:
        like: Any = functools.wraps(method)(taken)  # the signature and the types of the method, and none of its work
        validator: TypeAdapter[dict[str, Any]] = TypeAdapter(like, config=ConfigDict(strict=True))
        parameters = validator.json_schema(schema_generator=Untitled)
    except (PydanticUserError, NameError, TypeError, ValueError) as error:
        what = str(error).partition("\n")[0]
        raise UsageError(f"{place} has a signature that JSON cannot say: {what}\n  use the types of JSON") from error
    told = inspect.getdoc(method)
    described = {"name": name, **({"description": told} if told else {}), "parameters": parameters}
    return WorldTool(name, {"type": "function", "function": described}, validator)


class World:
    """One world: of one trial and one user, shared by all their sessions. Its tools are called one after the other.

    A call that does not end in time is left behind, and what the world is like cannot be told any more.
    """

    def __init__(self, made: Any, tools: Sequence[WorldTool], worker: Worker) -> None:  # noqa: ANN401  # user's object
        self._made = made
        self._tools = {tool.name: tool for tool in tools}
        self._worker = worker
        self._lost = ""

    @property
    def offered(self) -> list[Mapping[str, Any]]:
        """The tools as the API describes them."""
        return [tool.schema for tool in self._tools.values()]

    async def call(self, name: str, args: Mapping[str, Any]) -> str:
        """What a tool gave back, as the model is to read it: a text as it is, anything else as JSON.

        Raises:
            ToolError: where the arguments do not fit, the method raises, or takes too long.
        """
        if self._lost:
            raise ToolError(self._lost)
        named = self._tools[name].read(args)
        found = await self._do(functools.partial(getattr(self._made, name), **named), f"`{name}`")
        if isinstance(found, str):
            return found
        return "Done." if found is None else json.dumps(_json(found, f"`{name}`"), ensure_ascii=False)

    async def state(self) -> tuple[dict[str, Any] | None, str]:
        """What the world is like now, None where that cannot be told, and why not; empty where it shows none."""
        method = getattr(self._made, "state", None)
        if self._lost or not callable(method):
            return None, self._lost
        try:
            found = _json(await self._do(method, "`state`"), "`state`")
        except ToolError as error:
            return None, error.noted
        if not isinstance(found, dict):
            return None, f"`state` gave {type(found).__name__}, where an object is expected"
        return found, ""

    async def close(self) -> None:
        """Let the world go."""
        try:
            if callable(getattr(self._made, "close", None)) and not self._lost:
                await self._do(self._made.close, "`close`")
        finally:
            self._worker.stop()

    async def _do(self, method: Callable[[], Any], what: str) -> Any:  # noqa: ANN401  # the user's method
        with anyio.move_on_after(TOOL_S):
            try:
                return await call(self._worker, method)
            except (AgentError, UnsupportedError, UsageError) as error:
                raised = error.__cause__ or error
                told = str(raised.args[0]) if raised.args else ""
                noted = str(error).removeprefix(RAISED)
                raise ToolError(told if " " in told else f"{type(raised).__name__}: {told}", noted) from error
        self._lost = f"{what} gave no result within {TOOL_S:g} s"
        raise ToolError(self._lost)


def _json(value: Any, what: str) -> Any:  # noqa: ANN401  # any value
    """A value as JSON: records, dates, sets and the like become what JSON has."""
    from pydantic_core import PydanticSerializationError, to_jsonable_python

    try:
        found = to_jsonable_python(value)
        canonical_json(found)
    except (PydanticSerializationError, TypeError, ValueError, RecursionError) as error:
        raise ToolError(f"{what} gave what JSON cannot say: {error}") from error
    return found
