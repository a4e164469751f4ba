"""The border to foreign Python code: how it is called, and how it fails."""

from __future__ import annotations

import inspect
import sysconfig
import traceback
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from foldproof.agents.errors import AgentError, TransientError, UnsupportedError
from foldproof.agents.protocols import Reply
from foldproof.agents.shapes import items_of, state_of, status_may_pass
from foldproof.agents.threads import Worker
from foldproof.core import UsageError
from foldproof.logs import MemoryItem

_NOT_THEIRS = (
    str(Path(__file__).parents[1]),
    *(sysconfig.get_paths()[name] for name in ("stdlib", "platstdlib", "purelib", "platlib")),
)


RAISED = "the agent raised "
"""How the message opens of what foreign code raised."""


async def call(worker: Worker, function: Callable[..., Any], *args: Any, **named: Any) -> Any:  # noqa: ANN401  # foreign code
    """The result of an agent's function, sync or async; a sync one runs in the worker's thread.

    Raises:
        AgentError: for whatever the function raises, with its kind and the place in its code; the original is
            the cause. `TransientError` where it may pass; `UnsupportedError` and `UsageError` as they are.
    """
    try:
        if inspect.iscoroutinefunction(function):
            return await function(*args, **named)
        result = await worker.run(function, args, named)
        return await result if inspect.isawaitable(result) else result
    except (AgentError, UnsupportedError, UsageError):
        raise
    except (Exception, SystemExit) as error:  # the agent-call border: whatever it raises, the run goes on
        raise as_agent_error(error) from error


def as_agent_error(error: BaseException) -> AgentError:
    """An exception of foreign code as an agent's failure: `Kind: message (file:line)`, the place in their code."""
    frames = [
        frame for frame in traceback.extract_tb(error.__traceback__) if not frame.filename.startswith(_NOT_THEIRS)
    ]
    place = f" ({frames[-1].filename}:{frames[-1].lineno})" if frames else ""
    text = f"{RAISED}{type(error).__name__}: {error}{place}"
    response = getattr(error, "response", None)
    status = getattr(error, "status_code", None) or getattr(response, "status_code", None)
    passing = isinstance(status, int) and status_may_pass(status)
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
        if name.startswith("memory_") and value is not None:
            changes[name] = _items(value, f"the agent's `Reply.{name}`")
        elif value is not None and not isinstance(value, tuple):
            changes[name] = tuple(value)
    state_of(answer.state, "the agent's `Reply.state`")
    reads = changes.get("memory_reads", answer.memory_reads)
    if reads and all(item.rank == 0 for item in reads):
        changes["memory_reads"] = tuple(replace(item, rank=rank) for rank, item in enumerate(reads, 1))
    return replace(answer, **changes) if changes else answer


def _items(value: Any, place: str) -> tuple[MemoryItem, ...]:  # noqa: ANN401  # whatever the agent returned
    """Memory items as an agent gives them: items, texts, or mappings with a `text`."""
    if isinstance(value, str) or not isinstance(value, Sequence):
        raise AgentError(f"{place} is {type(value).__name__}, where a list of `MemoryItem` or `str` is expected")
    return tuple(item if isinstance(item, MemoryItem) else _item(item, place) for item in value)


def _item(value: Any, place: str) -> MemoryItem:  # noqa: ANN401  # whatever the agent returned
    if not isinstance(value, str | dict):
        raise AgentError(f"{place} holds {type(value).__name__}, where a `MemoryItem` or a `str` is expected")
    [item] = items_of([value], place) or ()
    return item
