"""The `http` adapter: any endpoint that speaks OpenAI's chat completions."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from foldproof.agents.errors import AgentError, TransientError, UnsupportedError
from foldproof.agents.factory import AgentFactory, Setup
from foldproof.agents.http_answers import Price, failure_of, reply_of
from foldproof.agents.protocols import Reply, SessionInfo
from foldproof.core import Redactor, UsageError, nearest_of
from foldproof.logs import History

if TYPE_CHECKING:
    from aiohttp import ClientSession

_SETTINGS = ("http", "history", "headers", "api_key_env", "memory_field")
_NOT_SENT = frozenset({"name", "base_url", "price"})
_ROLES = {"user": "user", "agent": "assistant", "system": "system", "tool": "user"}
"""A bare tool turn has no call that it answers, and endpoints refuse such a message: it is sent as the user's."""


@asynccontextmanager
async def open_http(setup: Setup) -> AsyncIterator[AgentFactory]:
    """The agents of one endpoint, which share one connection pool."""
    endpoint = _endpoint_of(setup)
    try:
        yield HttpFactory(setup, endpoint, _history_of(setup), _memory_field_of(setup), setup.fingerprint({}))
    finally:
        await endpoint.close()


@dataclass(frozen=True)
class HttpFactory:
    """Makes agents of an endpoint: each only holds the messages to send."""

    setup: Setup = field(repr=False)
    endpoint: Endpoint
    history: str
    memory_field: str
    fingerprint: str
    default_folds: int = 0

    @property
    def notes(self) -> tuple[str, ...]:
        """What the endpoint is not told."""
        return ("`history: omit`: histories are not sent to the endpoint",) if self.history == "omit" else ()

    async def make(self, memory_config: Mapping[str, Any], trial: str) -> HttpAgent:  # noqa: ARG002  # a request keeps nothing
        """An agent with no messages yet.

        Raises:
            UsageError: for a memory that the endpoint cannot be told of: it would be asked as if there were none.
        """
        if self.memory_field:
            told = json.dumps(self.setup.memory_of(memory_config), ensure_ascii=False)
            return HttpAgent(self.endpoint, self.history == "messages", f",{json.dumps(self.memory_field)}:{told}")
        if memory_config and memory_config.get("kind") not in ("none", "external"):
            raise UsageError(_untold(self.setup, "a case's `memory_config`"))
        return HttpAgent(self.endpoint, self.history == "messages", "")


class HttpAgent:
    """The endpoint as seen by one trial."""

    def __init__(self, endpoint: Endpoint, takes_history: bool, memory: str) -> None:
        self._endpoint = endpoint
        self._memory = memory
        self._takes_history = takes_history
        self._past: tuple[str, ...] = ()

    async def ingest(self, history: History) -> None:
        """Keep the turns as messages, to be sent before the question."""
        if not self._takes_history:
            raise UnsupportedError("`history: omit`")
        turns = (turn for session in history.sessions for turn in session.turns)
        self._past = tuple(_message(_ROLES[turn.role], turn.text) for turn in turns)

    async def start_session(self, info: SessionInfo) -> HttpConversation:
        """A conversation that opens with the history."""
        return HttpConversation(self._endpoint, info.user, self._memory, list(self._past))

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

    endpoint: Endpoint
    user: str
    memory: str
    messages: list[str]

    async def reply(self, message: str) -> Reply:
        """The endpoint's answer; the exchange is kept only if it worked, so a retry sends it once."""
        asked = [*self.messages, _message("user", message)]
        reply = await self.endpoint.complete(f"[{','.join(asked)}]", self.user, self.memory)
        # The text alone: a tool call that nobody answers would make the next request invalid.
        self.messages = [*asked, _message("assistant", reply.text)]
        return reply


@dataclass
class Endpoint:
    """One chat completions URL with its settings and its connection pool, opened with the first call.

    The number of connections has no limit of its own: the run's concurrency is the limit. There is no
    time-out either: the run cancels what takes too long.
    """

    url: str
    headers: Mapping[str, str] = field(repr=False)
    settings: str
    price: Price | None
    redact: Redactor = field(repr=False)
    _session: ClientSession | None = field(default=None, repr=False)

    async def complete(self, messages: str, user: str, memory: str = "") -> Reply:
        """One answer to these messages, a JSON array; `memory` is a further part of the body, or nothing.

        Raises:
            AgentError: whatever goes wrong, without the key; `TransientError` where it may pass.
        """
        import aiohttp  # half a second to import, wanted only here

        if self._session is None:
            self._session = aiohttp.ClientSession(
                connector=aiohttp.TCPConnector(limit=0),
                timeout=aiohttp.ClientTimeout(total=None, sock_connect=30),
                headers=self.headers,
                cookie_jar=aiohttp.DummyCookieJar(),
            )
        body = f'{{"messages":{messages},"user":{json.dumps(user)}{memory}{self.settings}}}'.encode("utf-8", "replace")
        try:
            async with self._session.post(self.url, data=body, allow_redirects=False) as response:
                answer = await response.read()
                if not 200 <= response.status < 300:
                    raise self._safe(failure_of(response.status, response.headers, answer))
        except (aiohttp.ClientSSLError, aiohttp.InvalidURL) as error:
            raise self._safe(AgentError(f"no connection to {self.url}: {error}")) from error
        except (aiohttp.ClientError, TimeoutError, ConnectionError) as error:
            text = f"no answer from {self.url}: {type(error).__name__}: {error}"
            raise self._safe(TransientError(text)) from error
        try:
            return reply_of(answer, messages, self.price)
        except AgentError as error:
            raise self._safe(error) from None

    async def close(self) -> None:
        """Close the connections."""
        if self._session is not None:
            await self._session.close()
            self._session = None

    def _safe(self, error: AgentError) -> AgentError:
        error.args = tuple(self.redact(str(part)) for part in error.args)
        return error


def _message(role: str, text: str) -> str:
    return json.dumps({"role": role, "content": text}, ensure_ascii=False)


def _endpoint_of(setup: Setup) -> Endpoint:
    setup.allow(*_SETTINGS)
    url = setup.agent["http"]
    if not isinstance(url, str) or not _is_address(url):
        raise UsageError(
            f"{setup.place}: the agent's `http` is {url!r}, where a URL is expected\n"
            "  for instance http://localhost:8000/v1"
        )
    url = url.rstrip("/")
    if not url.endswith("/chat/completions"):
        url += "/chat/completions"
    given = setup.agent.get("headers") or {}
    if not isinstance(given, Mapping) or not all(isinstance(value, str) for value in given.values()):
        raise UsageError(f"{setup.place}: `headers` is a map of names to texts")
    named = setup.agent.get("api_key_env")
    key = setup.environ.get("OPENAI_API_KEY" if named is None else str(named), "")
    if named is not None and not key:
        raise UsageError(f"{setup.place}: the environment variable `{named}` of `api_key_env` is not set")
    headers = {"Content-Type": "application/json", **({"Authorization": f"Bearer {key}"} if key else {}), **given}
    secrets = (key, *(value.removeprefix("Bearer ") for value in given.values()))
    return Endpoint(url, headers, _settings_of(setup), _price_of(setup), Redactor(setup.environ, secrets))


def _is_address(url: str) -> bool:
    try:
        parts = urlsplit(url)
        return parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:  # a bracket that does not close, a port that is no number
        return False


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


def _settings_of(setup: Setup) -> str:
    """The model's settings as the rest of a JSON object, written once for all calls."""
    settings = {name: value for name, value in setup.model.items() if name not in _NOT_SENT}
    if "name" in setup.model:
        settings = {"model": setup.model["name"], **settings}
    if settings.get("stream"):
        raise UsageError(f"{setup.place}: `stream` cannot be used: an answer is read as a whole\n  leave it out")
    text = json.dumps(settings, ensure_ascii=False)[1:-1]
    return f",{text}" if text else ""


def _price_of(setup: Setup) -> Price | None:
    price = setup.model.get("price")
    if price is None:
        return None
    if not isinstance(price, Mapping) or set(price) != {"input", "output"}:
        raise UsageError(
            f"{setup.place}: the model's `price` is {price!r}\n"
            "  write {input: 0.15, output: 0.60}, in US dollars per million tokens"
        )
    for name, value in price.items():
        if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 <= value < 1e9:
            text = f"{setup.place}: the model's `price.{name}` is {value!r}, where a number from 0 is expected"
            raise UsageError(text)
    return Price(float(price["input"]), float(price["output"]))
