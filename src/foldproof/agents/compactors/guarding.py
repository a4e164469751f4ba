"""What stands around every compactor: its failures become the round's error, its time has an end."""

from __future__ import annotations

from contextlib import AbstractAsyncContextManager, nullcontext
from typing import Any

import anyio

from foldproof.agents.calls import RAISED, as_agent_error
from foldproof.agents.compactors.answers import WHO, checked
from foldproof.agents.error_texts import is_error_text
from foldproof.agents.errors import AgentError, UnsupportedError
from foldproof.agents.waiting import patiently
from foldproof.compaction import Compacted, Compactor
from foldproof.core import UsageError

_SHOWN = 300


class Guarded:
    """A compactor that never raises for what goes wrong in it, but for a mistake in how it was declared.

    A failure that may pass is tried again, `retries` times. An error message that is not in the text that was handed
    over is an error, not a text of which everything was lost; an empty text is a text.
    """

    def __init__(self, inner: Compactor, name: str, *, timeout_s: float, retries: int) -> None:
        self.name = name
        self._inner = inner
        self._timeout_s = timeout_s
        self._retries = retries
        serial = getattr(inner, "serial", False) is True
        self._turn: AbstractAsyncContextManager[Any] = anyio.Lock() if serial else nullcontext()

    async def compact(self, text: str, budget: int) -> Compacted:
        """What the compactor gives, or its error.

        Raises:
            UsageError: where it cannot be used as it was declared.
        """
        async with self._turn:
            return without_error_text(await self._found(text, budget), text)

    async def _found(self, text: str, budget: int) -> Compacted:
        try:
            return await patiently(lambda: self._called(text, budget), timeout_s=self._timeout_s, retries=self._retries)
        except AgentError as error:
            return Compacted("", error=str(error))
        except TimeoutError:
            return Compacted("", error=f"{WHO} gave no text within {self._timeout_s:g} s")

    async def _called(self, text: str, budget: int) -> Compacted:
        """One call of what may be foreign code.

        Raises:
            AgentError: for whatever it raises; `TransientError` where it may pass.
            UsageError: as it is.
        """
        try:
            return checked(await self._inner.compact(text, budget))
        except (AgentError, UsageError):
            raise
        except UnsupportedError as error:
            raise AgentError(str(error)) from error
        except (Exception, SystemExit) as error:  # the agent-call border: whatever a plugin raises, the rounds go on
            failure = as_agent_error(error)
            failure.args = tuple(str(part).replace(RAISED, f"{WHO} raised ", 1) for part in failure.args)
            raise failure from error


def without_error_text(found: Compacted, given: str) -> Compacted:
    """What a compactor gave; an error where that is an error message which is not in the text it was given."""
    said = found.text.strip()
    if found.error or not is_error_text(said) or said in given:
        return found
    return Compacted("", error=f"{WHO} gave an error message in place of a text: {said[:_SHOWN]!r}", usage=found.usage)
