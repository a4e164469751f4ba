"""What stands around every compactor: its failures become the round's error, its time has an end."""

from __future__ import annotations

from contextlib import AbstractAsyncContextManager, nullcontext
from typing import Any

import anyio

from foldproof.agents.calls import RAISED, as_agent_error
from foldproof.agents.compactors.answers import WHO
from foldproof.agents.error_texts import is_error_text
from foldproof.agents.errors import AgentError, TransientError, UnsupportedError
from foldproof.agents.waiting import delay_s, worth_waiting
from foldproof.compaction import Compacted, Compactor
from foldproof.core import UsageError

_SHOWN = 300


class Guarded:
    """A compactor that never raises for what goes wrong in it, but for a mistake in how it was declared.

    A failure that may pass is tried again, `retries` times. An error message that is not in the text that was handed
    over is an error, not a text of which everything was lost; an empty text is a text.
    """

    def __init__(self, inner: Compactor, *, timeout_s: float, retries: int) -> None:
        self._inner = inner
        self._timeout_s = timeout_s
        self._retries = retries
        serial = getattr(inner, "serial", False) is True
        self._turn: AbstractAsyncContextManager[Any] = anyio.Lock() if serial else nullcontext()

    @property
    def name(self) -> str:
        """That of the compactor."""
        return self._inner.name

    async def compact(self, text: str, budget: int) -> Compacted:
        """What the compactor gives, or its error.

        Raises:
            UsageError: where it cannot be used as it was declared.
        """
        async with self._turn:
            found = await self._found(text, budget)
        said = found.text.strip()
        if not found.error and said not in text and is_error_text(said):
            return Compacted("", error=f"{WHO} gave an error message in place of a text: {said[:_SHOWN]!r}")
        return found

    async def _found(self, text: str, budget: int) -> Compacted:
        attempts = 0
        while True:
            attempts += 1
            try:
                with anyio.fail_after(self._timeout_s):
                    return await self._called(text, budget)
            except TransientError as error:
                if attempts <= self._retries and worth_waiting(error.retry_after_s, self._timeout_s):
                    await anyio.sleep(delay_s(attempts, error.retry_after_s))
                    continue
                times = f"{attempts} attempts" if attempts > 1 else "one attempt"
                return Compacted("", error=f"{error} (given up after {times})")
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
            found: Any = await self._inner.compact(text, budget)
        except (AgentError, UsageError):
            raise
        except UnsupportedError as error:
            raise AgentError(str(error)) from error
        except Exception as error:  # the agent-call border: whatever a plugin raises, the rounds go on
            failure = as_agent_error(error)
            failure.args = tuple(str(part).replace(RAISED, f"{WHO} raised ", 1) for part in failure.args)
            raise failure from error
        if not isinstance(found, Compacted) or not isinstance(found.text, str):
            raise AgentError(f"{WHO} gave {type(found).__name__}, where a `Compacted` with a text is expected")
        return found
