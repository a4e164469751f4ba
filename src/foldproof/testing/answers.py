"""What a scripted model answers: texts, tool calls and failures, before a protocol has given them its shape."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

from foldproof.core import canonical_json, content_hash
from foldproof.logs import ToolCall
from foldproof.testing.asked import ModelRequest

Finish = Literal["", "length", "filter"]
_PIECE = re.compile(r"\s*\S{1,8}|\s+")


@dataclass(frozen=True, slots=True)
class ModelFailure:
    """An HTTP status with an error body in the provider's own shape.

    `kind` is the provider's name for it; empty gives the one that goes with the status. A status of 200 is sent
    with the error body all the same: some gateways do that.
    """

    status: int = 500
    message: str = "The scripted model fails, as its rule says."
    kind: str = ""
    headers: Mapping[str, str] = field(default_factory=dict)
    latency_s: float = 0.0


@dataclass(frozen=True, slots=True)
class ModelReply:
    """An answer: text, tool calls, or both; with neither it is an empty answer.

    `finish` says that the text was cut at the limit of tokens (`length`) or by a filter (`filter`); otherwise the
    reason follows from the answer. `latency_s` is waited before it, `pace_s` between the events of a stream.
    After `breaks_after` events a stream ends: with `failure` as its last event, or cut off where there is none.
    An answer that is no stream breaks in the middle of its body.
    """

    text: str = ""
    tool_calls: tuple[ToolCall, ...] = ()
    finish: Finish = ""
    headers: Mapping[str, str] = field(default_factory=dict)
    latency_s: float = 0.0
    pace_s: float = 0.0
    breaks_after: int | None = None
    failure: ModelFailure | None = None


Answer = str | ToolCall | Sequence[ToolCall] | ModelReply | ModelFailure
Rule = Callable[[ModelRequest], Answer]


class RefusedError(Exception):
    """A request that the provider would refuse: its status, and what is wrong with it."""

    def __init__(self, message: str, status: int = 400, kind: str = "") -> None:
        super().__init__(message)
        self.failure = ModelFailure(status, message, kind)


@dataclass(frozen=True, slots=True)
class Exchange:
    """A request with its reply. `label` is a hash that no other request of this model has: ids are made of it."""

    request: ModelRequest
    reply: ModelReply
    label: str

    def call_id(self, prefix: str, at: int) -> str:
        """The id of the reply's tool call at a position."""
        return f"{prefix}{content_hash([self.label, at])[:24]}"

    @property
    def input_tokens(self) -> int:
        """Tokens of the prompt, as `pieces_of` counts them."""
        return len(pieces_of(self.request.prompt))

    @property
    def output_tokens(self) -> int:
        """Tokens of the text and of the calls."""
        written = [self.reply.text, *(call.name + canonical_json(call.args) for call in self.reply.tool_calls)]
        return sum(len(pieces_of(text)) for text in written)


def reply_from(answer: Answer, limit: int | None) -> ModelReply | ModelFailure:
    """What a rule returned as a reply or a failure; a text is cut at `limit` tokens, where a limit was asked for.

    Raises:
        TypeError: for anything that a rule may not return.
    """
    reply: object = answer
    if isinstance(answer, ToolCall):
        reply = ModelReply(tool_calls=(answer,))
    elif isinstance(answer, str):
        reply = ModelReply(answer)
    elif isinstance(answer, (list, tuple)) and answer and all(isinstance(call, ToolCall) for call in answer):
        reply = ModelReply(tool_calls=tuple(answer))
    if isinstance(reply, ModelFailure):
        return reply
    if not isinstance(reply, ModelReply):
        raise TypeError(
            f"a rule returned {reply!r}; it returns a text, a ToolCall, several of them, a ModelReply or a ModelFailure"
        )
    pieces = pieces_of(reply.text)
    if limit is not None and len(pieces) > limit:
        return replace(reply, text="".join(pieces[:limit]), tool_calls=(), finish="length")
    return reply


def pieces_of(text: str) -> list[str]:
    """The text in pieces of a word or less, which together are the text again: the tokens of a scripted model."""
    return _PIECE.findall(text)


def in_turn(*answers: Answer) -> Rule:
    """A rule that gives these answers one after the other, whatever is asked; asked once more, it is an error.

    For one client at a time: which of two requests in flight gets which answer is not said.
    """
    left = iter(answers)

    def rule(request: ModelRequest) -> Answer:
        for answer in left:
            return answer
        raise LookupError(f"the script has {len(answers)} answers, and was asked once more: {request.question!r}")

    return rule
