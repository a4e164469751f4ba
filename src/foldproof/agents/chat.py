"""The `chat` adapter: a small agent of a model, a tool loop, a memory and, by choice, a world to act on."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager, nullcontext
from dataclasses import dataclass, field
from typing import Any

from foldproof.agents.chat_settings import ChatSettings, opening, read_chat_settings
from foldproof.agents.chat_tools import Reading, Toolbox
from foldproof.agents.endpoint import Chat
from foldproof.agents.errors import AgentError
from foldproof.agents.factory import AgentFactory, Setup
from foldproof.agents.http_answers import Completion
from foldproof.agents.memories import Memory, Spent, kind_of, make_memory
from foldproof.agents.memory_tools import MEMORY_TOOLS, memory_tools
from foldproof.agents.model import chat_of, steadiness_notes
from foldproof.agents.protocols import Reply, SessionInfo
from foldproof.agents.remembering import (
    Remembering,
    Shared,
    Talk,
    another_of,
    memory_notes,
    memory_of,
    open_shared,
    resources_of,
)
from foldproof.agents.resuming import past_messages, past_talk
from foldproof.agents.usage import summed
from foldproof.agents.wire.chat import prompt_of
from foldproof.agents.world_tools import World
from foldproof.agents.worlds import Worlds, open_worlds
from foldproof.logs import PastTurn, ToolCall, Turn

Message = dict[str, Any]


@asynccontextmanager
async def open_chat(setup: Setup) -> AsyncIterator[AgentFactory]:
    """The chat agents of a configuration, which share one pool of connections."""
    settings = read_chat_settings(setup)
    async with open_shared() as shared, _worlds_of(setup, settings) as worlds:
        chat_of(setup.model, setup.environ, shared.pool, place=setup.place)
        memory = memory_of(setup, shared)
        settings.check(memory, kind_of(setup.memory), setup.place)
        code = {**settings.digests(memory, setup.root), **(worlds.digests if worlds else {})}
        yield ChatFactory(
            setup,
            settings,
            shared,
            worlds,
            default_folds=int(memory.compacts),
            fingerprint=setup.fingerprint(code),
        )


def _worlds_of(setup: Setup, settings: ChatSettings) -> AbstractAsyncContextManager[Worlds | None]:
    return open_worlds(setup, settings.world, taken=MEMORY_TOOLS) if settings.world else nullcontext()


@dataclass(frozen=True)
class ChatFactory:
    """Makes an agent of its own memory and its own address on the wire."""

    setup: Setup = field(repr=False)
    settings: ChatSettings
    shared: Shared = field(repr=False)
    worlds: Worlds | None
    default_folds: int
    fingerprint: str

    @property
    def notes(self) -> tuple[str, ...]:
        """How steadily the model answers, and what should be known of the memory."""
        return tuple(dict.fromkeys([*steadiness_notes(self.setup.model), *memory_notes(self.setup)]))

    async def make(self, memory_config: Mapping[str, Any], trial: str) -> ChatAgent:
        """An agent with an empty memory.

        Raises:
            UsageError: where the memory cannot be made, or its content would never reach the prompt.
        """
        setup = self.setup
        config = setup.memory_of(memory_config)
        resources = resources_of(setup, self.shared, trial)
        wire_url = resources.tap.wire_url
        chat = chat_of(setup.model, setup.environ, resources.pool, place=setup.place, wire_url=wire_url)
        memory = make_memory(config, resources)
        self.settings.check(memory, kind_of(config), setup.place)
        mind = Mind(chat, self.settings, resources.spent)
        return ChatAgent(memory, mind, self.worlds, user=trial, another=another_of(config, resources))


@dataclass(frozen=True, slots=True)
class Mind:
    """What all conversations of an agent share beside memory and world: the model, the settings, what was spent."""

    chat: Chat
    settings: ChatSettings
    spent: Spent


class ChatAgent(Remembering):
    """A model and a memory, and for each user a world."""

    def __init__(
        self,
        memory: Memory,
        mind: Mind,
        worlds: Worlds | None,
        *,
        user: str = "",
        another: Callable[[str], Memory] | None = None,
    ) -> None:
        super().__init__(memory, mind.spent, user=user, another=another)
        self._mind = mind
        self._worlds = worlds
        self._made: dict[str, World] = {}

    async def start_session(self, info: SessionInfo) -> ChatConversation:
        """A conversation with a fresh context; the memory takes it in when it has ended."""
        talk = await self._begin(info)
        if self._worlds is not None and info.user not in self._made:
            self._made[info.user] = await self._worlds.make()
        tools = memory_tools(talk.memory, self._mind.settings.tools, info.now)
        return ChatConversation(talk.memory, self._mind, Toolbox(tools, self._made.get(info.user)), info.now, talk)

    async def close(self) -> None:
        """Let go of the worlds, and of what the memory holds: of all of it, whichever of them fails."""
        async with AsyncExitStack() as closing:
            closing.push_async_callback(super().close)
            for world in self._made.values():
                closing.push_async_callback(world.close)


@dataclass(slots=True)
class ChatConversation:
    """One session: its turns so far, the exchanges with tools among them, as messages of the API."""

    memory: Memory
    mind: Mind
    tools: Toolbox
    now: str
    talk: Talk
    turns: list[Message] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    async def resume(self, turns: Sequence[PastTurn]) -> None:
        """Go on from these turns, as messages between the system prompt and the user's next one."""
        self.turns += past_messages(turns)
        self.talk.turns += past_talk(turns)
        if self.tools.world is not None and any(turn.calls for turn in turns):
            self.notes.append("the calls of the frozen turns were not made in the world, which is as it begins")

    async def reply(self, message: str) -> Reply:
        """The model's answer; the memory is asked with the user's message.

        The turn is kept only if it was answered, so a retry sends it once.

        Raises:
            AgentError: where the model or the memory fails, or the tool loop does not end.
        """
        reading = Reading(notes=[*self.talk.notes, *self.notes])
        memory, template = "", self.mind.settings.template(self.memory)
        if "memory" in template.places:
            recall = await self.memory.recall(message)
            reading.add(recall)
            memory = recall.text
        head, asked = opening(template, message, memory=memory, now=self.now)
        exchange: list[Message] = []
        calls: list[ToolCall] = []
        for _ in range(self.mind.settings.steps):
            messages = [*head, *self.turns, asked, *exchange]
            done = await self.mind.chat.complete(json.dumps(messages, ensure_ascii=False), self.tools.body)
            reading.usages.append(done.usage)
            reading.notes += done.notes
            if not done.calls:
                answer = {"role": "assistant", "content": done.text}
                self.talk.turns += [Turn("user", message), Turn("agent", done.text)]
                self.turns += [{"role": "user", "content": message}, *exchange, answer]
                prompt = prompt_of({"messages": messages, "tools": self.tools.offered})
                return await self._reply(done, reading, calls, prompt=prompt)
            said = _called(done, f"call_{len(self.turns) + len(exchange)}")
            exchange.append(said)
            for written, sent in zip(done.calls, said["tool_calls"], strict=True):
                calls.append(written.call)
                result = await self.tools.answer(written, reading)
                exchange.append({"role": "tool", "tool_call_id": sent["id"], "content": result})
        raise AgentError(
            f"the tool loop did not end within {self.mind.settings.steps} calls of the model: "
            f"the last one asked for `{calls[-1].name}` once more"
        )

    async def _reply(self, done: Completion, reading: Reading, calls: list[ToolCall], *, prompt: str) -> Reply:
        state = None
        if self.tools.world is not None:
            state, unseen = await self.tools.world.state()
            reading.notes += [f"the state of the world cannot be told: {unseen}"] if unseen else []
        return Reply(
            done.text,
            tool_calls=tuple(calls),
            memory_reads=tuple(reading.items),
            memory_writes=tuple(reading.writes),
            prompt=prompt,
            usage=self.mind.spent.with_answer(summed(reading.usages)),
            notes=tuple(reading.notes),
            state=state,
        )


def _called(done: Completion, spare: str) -> Message:
    """The calls that the model asked for, as a message of the conversation; one without an id gets a spare one."""
    calls = [
        {
            "id": written.id or f"{spare}_{number}",
            "type": "function",
            "function": {"name": written.name, "arguments": _argument_text(written.arguments)},
        }
        for number, written in enumerate(done.calls, 1)
    ]
    return {"role": "assistant", "content": done.text or None, "tool_calls": calls}


def _argument_text(arguments: Any) -> str:  # noqa: ANN401  # any JSON value
    return arguments if isinstance(arguments, str) else json.dumps(arguments or {}, ensure_ascii=False)
