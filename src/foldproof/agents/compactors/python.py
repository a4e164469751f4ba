"""The compactor `python`: a function of the user's own, or an object with a method `compact`."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import replace
from types import TracebackType
from typing import Any, Self

from foldproof.agents.calls import RAISED, call
from foldproof.agents.compactors.answers import WHO, compacted_from
from foldproof.agents.compactors.setup import CompactorSetup
from foldproof.agents.compactors.signature import WANTED, CompactorPlan, plan_of
from foldproof.agents.errors import AgentError
from foldproof.agents.python_code import importable, load
from foldproof.agents.threads import Worker
from foldproof.compaction import Compacted
from foldproof.core import UsageError

UNTOLD = "the compactor function takes no `budget`: it is not told how long the text may be"


class PythonCompactor:
    """A function as a compactor: each round is one call, a sync one in a thread of its own.

    The module is imported when it is entered, from the project's folder.
    """

    def __init__(self, settings: Mapping[str, Any], setup: CompactorSetup) -> None:
        setup.allow(settings, "python")
        self.name = setup.name
        self._setup = setup
        self._named = str(settings.get("python", ""))
        self._stack = ExitStack()
        self._function: Any = None
        self._plan = CompactorPlan("", takes_messages=False, takes_budget=False)

    async def __aenter__(self) -> Self:
        """Import what was named.

        Raises:
            UsageError: where there is no such thing, or it cannot be called with a text.
        """
        with ExitStack() as stack:
            stack.enter_context(importable(self._setup.root))
            what = f"the compactor `python:{self._named}`"
            thing = load(self._setup, self._named, what=what, form="python:module:name")
            place = f"{self._setup.place}: `python:{self._named}`"
            self._function = _function_of(thing, place)
            self._plan = plan_of(self._function, place)
            self._stack = stack.pop_all()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Take the project's folder off the import path."""
        self._stack.close()

    async def compact(self, text: str, budget: int) -> Compacted:
        """What the function gives.

        Raises:
            AgentError: for whatever it raises, and for what is no text.
        """
        args, named = self._plan.arguments(text, budget)
        try:
            value = await call(Worker(), self._function, *args, **named)
        except AgentError as error:
            error.args = tuple(str(part).replace(RAISED, f"{WHO} raised ", 1) for part in error.args)
            raise
        found = compacted_from(value, messages=self._plan.takes_messages)
        return found if self._plan.takes_budget else replace(found, notes=(*found.notes, UNTOLD))


def _function_of(thing: Any, place: str) -> Any:  # noqa: ANN401  # whatever the user named
    """The function to call: the thing itself, or the `compact` of an object, or of a class that is made with nothing.

    Raises:
        UsageError: where the class cannot be made so.
    """
    if not hasattr(thing, "compact"):
        return thing
    if not inspect.isclass(thing):
        return thing.compact
    try:
        inspect.signature(thing).bind()
    except TypeError as error:
        raise UsageError(f"{place}: the class cannot be made without arguments: {error}\n  {WANTED}") from error
    try:
        made: Any = thing()
    except (Exception, SystemExit) as error:  # the agent-call border: making it runs the user's code
        raise UsageError(f"{place}: making it fails with {type(error).__name__}: {error}\n  {WANTED}") from error
    return made.compact
