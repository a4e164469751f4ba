"""The border to the agents: only what can be recorded, and read again, goes on record."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict
from functools import cache
from typing import TypeVar

from pydantic import TypeAdapter, ValidationError

from foldproof.agents import AgentError, Reply
from foldproof.core import canonical_json
from foldproof.logs import MemoryItem
from foldproof.record import StoreListing

R = TypeVar("R", Reply, StoreListing)


def recordable_reply(answer: Reply | str) -> Reply:
    """The answer as a `Reply` that the store can keep.

    Raises:
        AgentError: where it holds something of another type, or a number that JSON does not have.
    """
    reply = answer if isinstance(answer, Reply) else Reply(answer)
    return _checked(reply, _replies(), "the reply")


def recordable_listing(items: Iterable[MemoryItem]) -> StoreListing:
    """What a memory holds, as a listing that the store can keep.

    Raises:
        AgentError: as `recordable_reply`.
    """
    return _checked(StoreListing(tuple(items)), _listings(), "the list of `memories`")


def _checked(record: R, adapter: TypeAdapter[R], what: str) -> R:
    try:
        content = asdict(record)
        canonical_json(content)
        return adapter.validate_python(content)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        place = ".".join(map(str, first["loc"]))
        raise AgentError(f"{what} cannot be recorded: `{place}` is {first['input']!r}: {first['msg']}") from error
    except (TypeError, ValueError, RecursionError) as error:
        raise AgentError(f"{what} cannot be recorded: {error}") from error


@cache
def _replies() -> TypeAdapter[Reply]:
    return TypeAdapter(Reply)


@cache
def _listings() -> TypeAdapter[StoreListing]:
    return TypeAdapter(StoreListing)
