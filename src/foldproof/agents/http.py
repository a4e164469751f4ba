"""The `http` adapter: any endpoint that speaks OpenAI's chat completions."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from typing import Any

from foldproof.agents.endpoint import (
    Chat,
    Endpoint,
    base_of,
    headers_of,
    is_address,
    message_json,
    price_of,
    settings_json,
)
from foldproof.agents.errors import UnsupportedError
from foldproof.agents.factory import AgentFactory, Setup
from foldproof.agents.pool import Pool
from foldproof.agents.protocols import Reply, SessionInfo
from foldproof.agents.resuming import past_messages
from foldproof.core import UsageError, nearest_of
from foldproof.logs import History, PastTurn

_SETTINGS = ("http", "history", "headers", "api_key_env", "memory_field")
_ROLES = {"user": "user", "agent": "assistant", "system": "system", "tool": "user"}
"""A bare tool turn has no call that it answers, and endpoints refuse such a message: it is sent as the user's."""


@asynccontextmanager
async def open_http(setup: Setup) -> AsyncIterator[AgentFactory]:
    """The agents of one endpoint, which share one connection pool."""
    pool = Pool()
    chat = _chat_of(setup, pool)
    try:
        yield HttpFactory(setup, chat, _history_of(setup), _memory_field_of(setup), setup.fingerprint({}))
    finally:
        await pool.close()


@dataclass(frozen=True)
class HttpFactory:
    """Makes agents of an endpoint: each only holds the messages to send."""

    setup: Setup = field(repr=False)
    chat: Chat
    history: str
    memory_field: str
    fingerprint: str
    default_folds: int = 0

    @property
    def notes(self) -> tuple[str, ...]:
        """What the endpoint is not told."""
        return ("`history: omit`: histories are not sent to the endpoint",) if self.history == "omit" else ()

    async def make(self, memory_config: Mapping[str, Any], trial: str) -> HttpAgent:
        """An agent with no messages yet.

        Raises:
            UsageError: for a memory that the endpoint cannot be told of: it would be asked as if there were none.
        """
        if self.memory_field:
            told = json.dumps(self.setup.memory_of(memory_config), ensure_ascii=False)
            return HttpAgent(self._chat(trial), self.history == "messages", f",{json.dumps(self.memory_field)}:{told}")
        if memory_config and memory_config.get("kind") not in ("none", "external"):
            raise UsageError(_untold(self.setup, "a case's `memory_config`"))
        return HttpAgent(self._chat(trial), self.history == "messages", "")

    def _chat(self, trial: str) -> Chat:
        """The endpoint, told where its own calls of a model are listened to, where somebody does."""
        told = self.setup.watch.tap(trial).headers
        endpoint = self.chat.endpoint
        if not told:
            return self.chat
        return replace(self.chat, endpoint=replace(endpoint, headers={**endpoint.headers, **told}))


class HttpAgent:
    """The endpoint as seen by one trial."""

    def __init__(self, chat: Chat, takes_history: bool, memory: str) -> None:
        self._chat = chat
        self._memory = memory
        self._takes_history = takes_history
        self._past: tuple[str, ...] = ()

    async def ingest(self, history: History) -> None:
        """Keep the turns as messages, to be sent before the question."""
        if not self._takes_history:
            raise UnsupportedError("`history: omit`")
        turns = (turn for session in history.sessions for turn in session.turns)
        self._past = tuple(message_json(_ROLES[turn.role], turn.text) for turn in turns)

    async def start_session(self, info: SessionInfo) -> HttpConversation:
        """A conversation that opens with the history, where it is that of the user."""
        return HttpConversation(self._chat, info.user, self._memory, [] if info.label else list(self._past))

    async def snapshot(self) -> tuple[str, ...]:
        """The messages of the history."""
        if not self._takes_history:
            raise UnsupportedError("`history: omit`")
        return self._past

    async def restore(self, snapshot: tuple[str, ...]) -> None:
        """Take over the messages of a history."""
        self._past = snapshot


@dataclass(slots=True)
class HttpConversation:
    """The messages so far, each as its JSON text, so that none is written twice."""

    chat: Chat
    user: str
    memory: str
    messages: list[str]

    async def resume(self, turns: Sequence[PastTurn]) -> None:
        """Go on from these turns, as messages after the history."""
        self.messages += (json.dumps(message, ensure_ascii=False) for message in past_messages(turns))

    async def reply(self, message: str) -> Reply:
        """The endpoint's answer; the exchange is kept only if it worked, so a retry sends it once."""
        asked = [*self.messages, message_json("user", message)]
        done = await self.chat.complete(f"[{','.join(asked)}]", f',"user":{json.dumps(self.user)}{self.memory}')
        # The text alone: a tool call that nobody answers would make the next request invalid.
        self.messages = [*asked, message_json("assistant", done.text)]
        calls = tuple(written.call for written in done.calls)
        # What we sent is no prompt: the agent behind the address may send its model something else.
        return Reply(done.text, tool_calls=calls, usage=done.usage, notes=done.notes)


def _chat_of(setup: Setup, pool: Pool) -> Chat:
    setup.allow(*_SETTINGS)
    url = setup.agent["http"]
    if not is_address(url):
        raise UsageError(
            f"{setup.place}: the agent's `http` is {url!r}, where a URL is expected\n"
            "  for instance http://localhost:8000/v1"
        )
    model = setup.model
    given = setup.agent.get("headers", model.get("headers"))
    named = setup.agent.get("api_key_env", model.get("api_key_env"))
    headers, redact = headers_of(given, named, setup.environ, setup.place)
    endpoint = Endpoint(base_of(url), headers, redact, pool)
    return Chat(endpoint, settings_json(model, setup.place), price_of(model.get("price"), setup.place))


def _history_of(setup: Setup) -> str:
    history = setup.agent.get("history", "omit")
    if history not in ("omit", "messages"):
        raise UsageError(f"{setup.place}: `history` is {history!r}\n  {nearest_of(str(history), ('messages', 'omit'))}")
    return str(history)


def _memory_field_of(setup: Setup) -> str:
    """The field of the request's body that carries the memory_config, or nothing.

    Raises:
        UsageError: where the configuration has a memory that the endpoint would never hear of: a change of it
            would pass without having been tried.
    """
    name = setup.agent.get("memory_field", "")
    if not isinstance(name, str) or name in ("messages", "user", *setup.model):
        free = "name a field of the body that is free, for instance memory_config"
        raise UsageError(f"{setup.place}: `memory_field` is {name!r}\n  {free}")
    if setup.memory and not name and setup.memory.get("kind") != "external":
        raise UsageError(_untold(setup, "the configuration's `memory`"))
    return name


def _untold(setup: Setup, what: str) -> str:
    return (
        f"{setup.place}: {what} does not reach the endpoint, since a chat completion has no place for it\n"
        "  name the field of the body that your server reads it from: `memory_field: memory_config` beside `http`\n"
        "  or leave the memory out, and give each configuration an address or `headers` of its own"
    )
