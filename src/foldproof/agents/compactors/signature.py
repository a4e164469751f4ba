"""The signature of a compactor function: how it is marked, checked and called."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar

from foldproof.core import UsageError

F = TypeVar("F", bound=Callable[..., Any])
WANTED = "a compactor function takes `(text)` or `(text, budget)`, or `messages` in place of `text`"
_NAMED = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)
_VARIADIC = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
_LIST = re.compile(r"(?:\w+\.)*(?:list|List|Sequence|MutableSequence|Iterable|tuple|Tuple)\b(?:\[(?P<of>.*)\])?")


def compactor(function: F) -> F:
    """Mark a function as a compactor: `(text)` or `(text, budget)`, sync or async, giving the shorter text.

    In place of `text` it may take `messages`, a list of `{"role", "content"}`, and give such a list. `budget` is in
    tokens, four UTF-8 bytes each, and is handed over only where it is named. It may give a `Compacted` to say more
    than the text. The function itself is returned, unchanged.

    Raises:
        UsageError: at import, where the function cannot be called that way.
    """
    plan_of(function, f"`@compactor` on `{getattr(function, '__qualname__', function)}`")
    return function


@dataclass(frozen=True, slots=True)
class CompactorPlan:
    """How a compactor function is called: the name of what takes the text, empty for by position, and with what."""

    given: str
    takes_messages: bool
    takes_budget: bool

    def arguments(self, text: str, budget: int) -> tuple[list[Any], dict[str, Any]]:
        """The positional and the named arguments of one call."""
        what: Any = messages_of(text) if self.takes_messages else text
        named: dict[str, Any] = {"budget": budget} if self.takes_budget else {}
        if not self.given:
            return [what], named
        return [], {self.given: what, **named}


def plan_of(function: Any, place: str) -> CompactorPlan:  # noqa: ANN401  # anything that a user names
    """How the function takes its text, and whether it is told a budget.

    Raises:
        UsageError: where it takes no text, or asks for more than there is.
    """
    if not callable(function) or inspect.isclass(function):
        raise UsageError(f"{place}: {type(function).__name__} is not a function\n  {WANTED}")
    try:
        parameters = list(inspect.signature(function).parameters.values())
    except (TypeError, ValueError) as error:
        raise UsageError(f"{place}: its parameters cannot be read: {error}\n  wrap it: {WANTED}") from error
    takes_budget = any(one.name == "budget" and one.kind in _NAMED for one in parameters)
    left = [one for one in parameters if one.kind not in _VARIADIC and not (one.name == "budget" and takes_budget)]
    if not left:
        if any(one.kind is one.VAR_POSITIONAL for one in parameters):
            return CompactorPlan("", takes_messages=False, takes_budget=takes_budget)
        has = ", ".join(str(one) for one in parameters) or "nothing"
        raise UsageError(f"{place}: it takes {has}, so there is no text to hand over\n  {WANTED}")
    first = next((one for one in left if one.name in ("text", "messages")), left[0])
    surplus = [one.name for one in left if one is not first and one.default is one.empty]
    if surplus:
        raise UsageError(
            f"{place}: nothing is known to hand over for its parameter `{surplus[0]}`\n"
            f"  {WANTED}; give `{surplus[0]}` a default"
        )
    name = "" if first.kind is first.POSITIONAL_ONLY else first.name
    return CompactorPlan(name, _is_messages(first, place), takes_budget)


def _is_messages(parameter: inspect.Parameter, place: str) -> bool:
    """Whether a parameter is a list of messages: by its name, else by its annotation."""
    written = parameter.annotation
    if parameter.name == "messages":
        return True
    if written is parameter.empty or parameter.name == "text":
        return False
    listed = _LIST.fullmatch(written if isinstance(written, str) else inspect.formatannotation(written))
    if listed and listed["of"] and listed["of"].split(",")[0].strip() == "str":
        raise UsageError(
            f"{place}: its parameter `{parameter.name}` is a list of texts, and a document is one text\n  {WANTED}"
        )
    return listed is not None


def messages_of(text: str) -> list[dict[str, str]]:
    """A text as messages: each line that is not blank as one of the user's."""
    return [{"role": "user", "content": line} for line in text.splitlines() if line.strip()]
