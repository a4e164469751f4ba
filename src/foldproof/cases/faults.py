"""Wire-model errors as problems that a person can act on."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, get_args

from pydantic import BaseModel, ValidationError

from foldproof.cases.nodes import Node, line_at
from foldproof.core import Problem, nearest_of

if TYPE_CHECKING:
    from pydantic_core import ErrorDetails

_SHAPES = {
    "list_type": ("a list", "one item a line, each after a dash"),
    "dict_type": ("a mapping", "`key: value`, one a line"),
    "too_short": ("more than empty", "write at least one"),
    "model_type": ("a mapping", "`key: value`, one a line"),
}
_LONGEST_VALUE = 60


class Fault(ValueError):  # noqa: N818  # raised inside the wire models only; people see a Problem
    """What is wrong with a value, and what is allowed or to be done."""

    def __init__(self, message: str, hint: str) -> None:
        super().__init__(message)
        self.hint = hint


def quoted(value: Any) -> str:  # noqa: ANN401  # any JSON value
    """A value as messages show it: short, in quotes."""
    if value is None or value == "":
        return "nothing"
    if isinstance(value, dict):
        return "a mapping"
    if isinstance(value, list):
        return "a list"
    text = str(value).lower() if isinstance(value, bool) else str(value)
    text = text if len(text) <= _LONGEST_VALUE else text[: _LONGEST_VALUE - 1] + "…"
    return f"'{text}'"


def fields_of(model: type[BaseModel]) -> list[str]:
    """The names that a file may use for a model's fields."""
    return [info.alias or name for name, info in model.model_fields.items()]


def _models_in(annotation: Any) -> Iterator[type[BaseModel]]:  # noqa: ANN401  # any type annotation
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        yield annotation
    for argument in get_args(annotation):
        yield from _models_in(argument)


def _model_at(model: type[BaseModel], path: Sequence[str | int]) -> type[BaseModel]:
    for part in path:
        for name, info in model.model_fields.items():
            if part == (info.alias or name):
                model = next(_models_in(info.annotation), model)
    return model


def path_text(path: Sequence[str | int]) -> str:
    """A path as messages name it: `waivers[2].until`; items count from 1."""
    text = ""
    for part in path:
        text += f"[{part + 1}]" if isinstance(part, int) else f".{part}" if text else part
    return text


def problems_of(
    error: ValidationError, model: type[BaseModel], *, file: str, node: Node, subject: str
) -> list[Problem]:
    """The problems behind a validation error. `subject` opens each message, for instance `case 'late-refund'`."""
    problems = []
    for item in error.errors(include_url=False):
        path = tuple(part for part in item["loc"] if part != "[key]")
        message, hint, rule = _told(item, model, path)
        problems.append(Problem(file, line_at(node, path), f"{subject}{message}", hint, rule=rule))
    return problems


def _told(item: ErrorDetails, model: type[BaseModel], path: tuple[str | int, ...]) -> tuple[str, str, str]:
    """Message, hint and rule of one error."""
    owner = _model_at(model, path[:-1])
    inside = f" in `{path_text(path[:-1])}`" if len(path) > 1 else ""
    kind = item["type"]
    if kind == "extra_forbidden":
        hint = nearest_of(str(path[-1]), fields_of(owner))
        return f" has an unknown field `{path[-1]}`{inside}", hint, "unknown-field"
    if kind == "missing":
        return f" lacks the field `{path[-1]}`{inside}", "add it", "missing-field"
    fault = item.get("ctx", {}).get("error")
    where = f"`{path_text(path)}`" if path else "it"
    if isinstance(fault, Fault):
        return f": {where} {fault}", fault.hint, "value"
    shape, how = _SHAPES.get(kind, (str(item["msg"]), "see the documentation of the file format"))
    return f": {where} must be {shape}, not {quoted(item['input'])}", how, "value"
