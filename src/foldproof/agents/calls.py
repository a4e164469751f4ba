"""The border to foreign Python code: how an agent's functions are recognised, called, and how they fail."""
from __future__ import annotations

import asyncio
import contextvars
import inspect
import threading
import traceback
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, TypeVar

from foldproof.agents.errors import AgentError, TransientError, UnsupportedError
from foldproof.agents.protocols import Reply
from foldproof.core import UsageError

F = TypeVar("F", bound=Callable[..., Any])
MARK = "__foldproof_agent__"
OPTIONAL = frozenset({"history", "session"})
_PASSING_STATUS = frozenset({408, 409, 429})
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
        self, question: str, memory_config: Any, **optional: Any  # noqa: ANN401  # handed on as they are
    ) -> tuple[list[Any], dict[str, Any]]:
        """The positional and the named arguments of one call; a plan's empty name means by position."""
        positional, named = [], {}
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


async def call(function: Callable[..., Any], *args: Any, **named: Any) -> Any:  # noqa: ANN401  # foreign code
    """The result of an agent's function, sync or async.

    A sync function runs in a thread of its own, so that it never stops the others; a cancelled call leaves
    that thread behind, which ends with the process at the latest.

    Raises:
        AgentError: for whatever the function raises, with its kind and the place in its code; the original is
            the cause. `TransientError` where it may pass; `UnsupportedError` and `UsageError` as they are.
    """
    try:
        if inspect.iscoroutinefunction(inspect.unwrap(function)):
            result = function(*args, **named)
        else:
            result = await _in_thread(function, args, named)
        return await result if inspect.isawaitable(result) else result
    except (AgentError, UnsupportedError, UsageError):
        raise
    except (Exception, SystemExit) as error:  # the agent-call border: whatever it raises, the run goes on
        raise as_agent_error(error) from error


async def _in_thread(function: Callable[..., Any], args: tuple[Any, ...], named: dict[str, Any]) -> Any:  # noqa: ANN401
    # Not anyio.to_thread: its threads are no daemons, so one agent that never returns would keep the
    # process alive after the run has ended with a time-out.
    loop = asyncio.get_running_loop()
    future: asyncio.Future[tuple[bool, Any]] = loop.create_future()
    context = contextvars.copy_context()

    def settle(outcome: tuple[bool, Any]) -> None:
        if not future.done():
            future.set_result(outcome)

    def work() -> None:
        try:
            outcome = (True, context.run(function, *args, **named))
        except BaseException as error:  # noqa: BLE001  # carried to the caller, which raises it
            outcome = (False, error)
        try:
            loop.call_soon_threadsafe(settle, outcome)
        except RuntimeError:
            return  # the loop is closed: nobody waits any more

    threading.Thread(target=work, name="foldproof agent", daemon=True).start()
    good, value = await future
    if good:
        return value
    raise value


def as_agent_error(error: BaseException) -> AgentError:
    """An exception of foreign code as an agent's failure: `Kind: message (file:line)`."""
    frames = traceback.extract_tb(error.__traceback__)
    place = f" ({frames[-1].filename}:{frames[-1].lineno})" if frames else ""
    text = f"the agent raised {type(error).__name__}: {error}{place}"
    response = getattr(error, "response", None)
    status = getattr(error, "status_code", None) or getattr(response, "status_code", None)
    passing = isinstance(status, int) and (status in _PASSING_STATUS or 500 <= status < 600)
    if passing or isinstance(error, (ConnectionError, TimeoutError)):
        return TransientError(text)
    return AgentError(text)


def as_reply(answer: Any) -> Reply:  # noqa: ANN401  # whatever the agent returned
    """The agent's answer as a `Reply`: sequences become tuples, memory reads without ranks are ranked in order.

    Raises:
        AgentError: naming the type, where it is neither text nor `Reply`.
    """
    if isinstance(answer, str):
        return Reply(answer)
    if not isinstance(answer, Reply):
        raise AgentError(f"the agent returned {type(answer).__name__}, where a `str` or a `Reply` is expected")
    if not isinstance(answer.text, str):
        raise AgentError(f"the agent's `Reply.text` is {type(answer.text).__name__}, where a `str` is expected")
    changes: dict[str, Any] = {}
    for name in ("tool_calls", "memory_reads", "memory_writes", "notes"):
        value = getattr(answer, name)
        if value is not None and not isinstance(value, tuple):
            changes[name] = tuple(value)
    reads = changes.get("memory_reads", answer.memory_reads)
    if reads and all(item.rank == 0 for item in reads):
        changes["memory_reads"] = tuple(replace(item, rank=rank) for rank, item in enumerate(reads, 1))
    return replace(answer, **changes) if changes else answer
