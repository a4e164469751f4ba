"""A model that is asked for a summary, and what it may give in place of one."""

from __future__ import annotations

from collections.abc import Callable

from foldproof.agents.endpoint import Chat, message_json
from foldproof.agents.errors import AgentError
from foldproof.agents.http_answers import Completion
from foldproof.agents.memories.placeholders import summary_fault
from foldproof.logs import Usage


async def summarized(chat: Chat, said: str, spend: Callable[[Usage | None], None]) -> Completion:
    """What the model writes when it is told this. `spend` hears what it used, also for what is no summary.

    Raises:
        AgentError: where the model fails, or gives an empty text, a refusal, an error message or a placeholder.
    """
    done = await chat.complete(f"[{message_json('user', said)}]")
    spend(done.usage)
    fault = "a refusal" if "the model refused" in done.notes else summary_fault(done.text)
    if fault:
        raise AgentError(f"the model gave {fault}: {done.text.strip()[:300]!r}")
    return done
