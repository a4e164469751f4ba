"""What a scripted model was asked: one request, the same record whatever protocol it came by."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple

from foldproof.logs import Role, ToolCall

ModelApi = Literal["chat", "responses", "messages", "embeddings"]


@dataclass(frozen=True, slots=True)
class Said:
    """One message of a request. `answers` is the call whose result it is, for the role `tool`."""

    role: Role
    text: str
    tool_calls: tuple[ToolCall, ...] = ()
    answers: ToolCall | None = None


class ToolResult(NamedTuple):
    """What a tool gave back to the model, with the call that asked for it."""

    call: ToolCall
    text: str


@dataclass(frozen=True, slots=True)
class ModelRequest:
    """One request that a scripted model got.

    `messages` are in reading order, the system prompt first; `texts` are those of an embeddings request, which has no
    messages. `tools` are the names of the tools on offer. `headers` have lower-case names; their values, which may
    hold a key, are left out of the record's own text, so that no failing test prints one.
    """

    api: ModelApi
    body: Mapping[str, Any]
    messages: tuple[Said, ...] = ()
    texts: tuple[str, ...] = ()
    tools: tuple[str, ...] = ()
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)

    @property
    def model_name(self) -> str:
        """The model that was asked for."""
        return str(self.body.get("model", ""))

    @property
    def stream(self) -> bool:
        """Whether the answer was asked for as a stream."""
        return self.body.get("stream") is True

    @property
    def prompt(self) -> str:
        """All text that the model received, a message after the other."""
        return "\n".join(said.text for said in self.messages if said.text) or "\n".join(self.texts)

    @property
    def question(self) -> str:
        """What the user said last; empty where no user said anything."""
        return next((said.text for said in reversed(self.messages) if said.role == "user"), "")

    @property
    def tool_results(self) -> tuple[ToolResult, ...]:
        """What tools gave back since the user said something last, in the order of the messages."""
        found: list[ToolResult] = []
        for said in self.messages:
            if said.role == "user":
                found.clear()
            elif said.answers is not None:
                found.append(ToolResult(said.answers, said.text))
        return tuple(found)
