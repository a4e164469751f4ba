"""The signature of an agent function: how it is marked, checked and called."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar

from foldproof.core import UsageError

F = TypeVar("F", bound=Callable[..., Any])
MARK = "__foldproof_agent__"
OPTIONAL = frozenset({"history", "session"})
_NAMED = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)


def agent(function: F) -> F:
    """Mark a function as an agent: `(question, memory_config)`, sync or async, giving a text or a `Reply`.

    It may name `history` (the past sessions) and `session` (a `SessionInfo`) as further parameters; they are
    handed over only where they are named. The function itself is returned, unchanged.

    Raises:
        UsageError: at import, where the function cannot be called that way.
    """
    plan_of(function, f"`@agent` on `{getattr(function, '__qualname__', function)}`")
    setattr(function, MARK, True)
    return function


@dataclass(frozen=True, slots=True)
class CallPlan:
    """How an agent function is called: by position or by name, and with which of the optional parameters."""

    question: str
    memory_config: str
    optional: frozenset[str]

    def arguments(
        self,
        question: str,
        memory_config: dict[str, Any],
        **optional: object,
    ) -> tuple[list[Any], dict[str, Any]]:
        """The positional and the named arguments of one call; a plan's empty name means by position."""
        positional: list[Any] = []
        named: dict[str, Any] = {}
        for name, value in ((self.question, question), (self.memory_config, memory_config)):
            if name:
                named[name] = value
            else:
                positional.append(value)
        named.update({name: value for name, value in optional.items() if name in self.optional})
        return positional, named


def plan_of(function: Any, place: str) -> CallPlan:  # noqa: ANN401  # anything that a user names
    """How the function takes its question and its memory_config.

    Raises:
        UsageError: where it cannot take them, or asks for more than there is.
    """
    wanted = "an agent function takes `(question, memory_config)`, and `history` and `session` where it names them"
    if not callable(function) or inspect.isclass(function):
        raise UsageError(f"{place}: {type(function).__name__} is not a function\n  {wanted}")
    try:
        parameters = list(inspect.signature(function).parameters.values())
    except (TypeError, ValueError) as error:
        raise UsageError(f"{place}: its parameters cannot be read: {error}\n  wrap it: {wanted}") from error
    kinds = {parameter.kind for parameter in parameters}
    optional = frozenset(p.name for p in parameters if p.name in OPTIONAL and p.kind in _NAMED)
    fixed = [
        parameter
        for parameter in parameters
        if parameter.name not in optional
        and parameter.kind not in (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
    ]
    slots, left = _slots(fixed)
    surplus = [parameter.name for parameter in left if parameter.default is inspect.Parameter.empty]
    if surplus:
        raise UsageError(
            f"{place}: nothing is known to hand over for its parameter `{surplus[0]}`\n"
            f"  {wanted}; give `{surplus[0]}` a default"
        )
    names = ["" if parameter.kind is parameter.POSITIONAL_ONLY else parameter.name for parameter in slots]
    if len(names) < 2 and inspect.Parameter.VAR_POSITIONAL in kinds:
        return CallPlan("", "", optional)
    if len(names) == 1 and inspect.Parameter.VAR_KEYWORD in kinds:
        names.append("memory_config")
    if len(names) < 2:
        has = ", ".join(str(parameter) for parameter in parameters) or "nothing"
        raise UsageError(f"{place}: it takes {has}, so the fold under test could not reach it\n  {wanted}")
    return CallPlan(names[0], names[1], optional)


def _slots(fixed: list[inspect.Parameter]) -> tuple[list[inspect.Parameter], list[inspect.Parameter]]:
    """The parameters for the question and the memory_config, by name wherever they stand, else in order."""
    left = [parameter for parameter in fixed if parameter.name not in ("question", "memory_config")]
    by_name = {parameter.name: parameter for parameter in fixed}
    slots = []
    for name in ("question", "memory_config"):
        if name in by_name:
            slots.append(by_name[name])
        elif left:
            slots.append(left.pop(0))
    return slots, left
