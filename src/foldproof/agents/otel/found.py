"""What one span turns out to be: a call of a model, a tool at work, a retrieval, a write into a memory."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from foldproof.agents.otel.messages import Called, Message
from foldproof.agents.otel.spans import Span
from foldproof.logs import MemoryItem, ModelCall, Usage

Hidden = Literal["", "no messages", "messages that were cut", "messages without their text"]
"""Why a prompt is not whole; empty where it is."""
Role = Literal["memory", "retriever", "reranker"]
"""Who searched: a memory, a retriever of documents, or a reranker among what these found."""


@dataclass(frozen=True, slots=True)
class ModelSpan:
    """A call of a model. Where `prompt` is not whole it is empty, and `hidden` says why."""

    span: Span
    prompt: str
    answer: str
    calls: tuple[Called, ...]
    usage: Usage | None
    model_name: str
    operation: str
    stream: bool = False
    hidden: Hidden = ""

    @property
    def call(self) -> ModelCall:
        """The call as it is recorded; a status is known only where the span names it."""
        status = 200 if not self.span.error else 0
        kind = str(self.span.attributes.get("error.type", ""))
        return ModelCall(
            self.prompt,
            self.answer,
            tuple(made.call for made in self.calls),
            self.usage,
            self.model_name,
            self.operation,
            stream=self.stream,
            status=int(kind) if self.span.error and kind.isdecimal() and len(kind) == 3 else status,
            error=self.span.error,
            duration_s=seconds_of(self.span),
        )


@dataclass(frozen=True, slots=True)
class ToolSpan:
    """A tool at work: the call that it answers."""

    span: Span
    called: Called

    @property
    def call(self) -> ModelCall:
        """The call by itself, for a record in which no model's call holds it."""
        return ModelCall(
            "",
            tool_calls=(self.called.call,),
            api="execute_tool",
            error=self.span.error,
            status=0 if self.span.error else 200,
            duration_s=seconds_of(self.span),
        )


@dataclass(frozen=True, slots=True)
class Retrieval:
    """A search of a memory or a store of documents: what it returned, in its order; None where that is not shown.

    A reranker is one too: `among` are the documents that it was handed, empty where they are not shown.
    """

    span: Span
    items: tuple[MemoryItem, ...] | None
    role: Role = "memory"
    among: tuple[MemoryItem, ...] = ()


@dataclass(frozen=True, slots=True)
class Writing:
    """A write into a memory: what was written; None where that is not shown."""

    span: Span
    items: tuple[MemoryItem, ...] | None


Finding = ModelSpan | ToolSpan | Retrieval | Writing


def hidden_of(prompt: Sequence[Message], *, cut: bool) -> Hidden:
    """Why a prompt is not whole. An assistant may say nothing; of anybody else's empty message the text is missing."""
    if cut:
        return "messages that were cut"
    if not any(message.texts or message.calls for message in prompt):
        return "no messages"
    empty = any(not message.texts and not message.calls and message.role != "assistant" for message in prompt)
    return "messages without their text" if empty else ""


def seconds_of(span: Span) -> float:
    """How long it took."""
    return round(max(0, span.end_ns - span.start_ns) / 1e9, 6)
