"""Handing a frozen prefix to a conversation: whole and word for word, or the question is not asked."""

from __future__ import annotations

from collections.abc import Sequence
from copy import deepcopy

from foldproof.agents import AgentError, Conversation, UnsupportedError
from foldproof.agents.protocols import Resumes
from foldproof.logs import PastTurn, with_ids

_HOW = (
    "a conversation takes them with a method `resume(turns)`, a program with the step `resume`; "
    "for an agent that has neither, write the user's turns as `sessions`, which it then lives through"
)


async def hand_over(conversation: Conversation, turns: Sequence[PastTurn]) -> None:
    """Let a fresh conversation go on from these turns; nothing where there are none.

    Raises:
        AgentError: where it cannot take them. What it would answer without them is no answer to the case.
    """
    if not turns:
        return
    why = "its conversation has no method `resume`"
    if isinstance(conversation, Resumes):
        try:
            # A copy: what an agent does with the arguments of a call must not reach the other trials of the case.
            await conversation.resume(deepcopy(with_ids(turns)))
        except UnsupportedError as error:
            why = str(error)
        else:
            return
    raise AgentError(f"the frozen turns cannot be handed to the agent: {why}; {_HOW}")
