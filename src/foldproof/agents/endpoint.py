"""An OpenAI-compatible server: where it is, what is sent with each call, how its answers and failures are read."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

from foldproof.agents.errors import AgentError, TransientError
from foldproof.agents.http_answers import Completion, Price, completion_of, failure_of
from foldproof.agents.pool import Pool
from foldproof.core import Redactor, UsageError

OWN_SETTINGS = frozenset({"name", "base_url", "price", "api_key_env", "headers"})
"""What `model` holds for foldproof itself: everything else is sent as it is."""
USUAL_KEY = "OPENAI_API_KEY"
_ROUTE = "/chat/completions"


@dataclass(frozen=True)
class Endpoint:
    """One server with its headers, reached through a pool of connections; `url` ends before the route.

    `usual_key` is the variable that a key is read from where none is named, for messages; empty where there is none.
    """

    url: str
    headers: Mapping[str, str] = field(repr=False)
    redact: Redactor = field(repr=False)
    pool: Pool = field(repr=False)
    usual_key: str = USUAL_KEY

    async def post(self, route: str, body: str) -> bytes:
        """The body of a 2xx.

        Raises:
            AgentError: whatever goes wrong, without the key; `TransientError` where it may pass.
        """
        import aiohttp  # half a second to import, wanted only here

        url = self.url + route
        try:
            answer = await self.pool.post(url, body.encode("utf-8", "replace"), self.headers)
        except (aiohttp.ClientSSLError, aiohttp.InvalidURL) as error:
            raise self.safe(AgentError(f"no connection to {url}: {error}")) from error
        except (aiohttp.ClientError, TimeoutError, ConnectionError) as error:
            raise self.safe(TransientError(f"no answer from {url}: {type(error).__name__}: {error}")) from error
        if not 200 <= answer.status < 300:
            failure = failure_of(answer.status, answer.headers, answer.body)
            if answer.status == 401 and "Authorization" not in self.headers:
                names = f"neither `{self.usual_key}` nor `api_key_env`" if self.usual_key else "no `api_key_env`"
                failure.args = (f"{failure} (no key was sent: {names} gives one)",)
            raise self.safe(failure)
        return answer.body

    def safe(self, error: AgentError) -> AgentError:
        """The error without any secret in its text."""
        error.args = tuple(self.redact(str(part)) for part in error.args)
        return error


@dataclass(frozen=True)
class Chat:
    """The chat completions of an endpoint, with the settings that go with every call as the rest of a JSON object."""

    endpoint: Endpoint
    settings: str
    price: Price | None

    async def complete(self, messages: str, more: str = "") -> Completion:
        """One answer to these messages, a JSON array; `more` is further parts of the body, each after a comma.

        Raises:
            AgentError: as `Endpoint.post`, and where the answer cannot be read or is empty.
        """
        body = await self.endpoint.post(_ROUTE, f'{{"messages":{messages}{more}{self.settings}}}')
        try:
            return completion_of(body, self.price)
        except AgentError as error:
            raise self.endpoint.safe(error) from None


def message_json(role: str, text: str) -> str:
    """One message as JSON text."""
    return json.dumps({"role": role, "content": text}, ensure_ascii=False)


def base_of(url: str) -> str:
    """A base URL as it was written, with or without the route of the chat completions, without it."""
    return url.rstrip("/").removesuffix(_ROUTE)


def is_address(url: Any) -> bool:  # noqa: ANN401  # any value of a file
    """Whether this is a URL that can be called."""
    if not isinstance(url, str):
        return False
    try:
        parts = urlsplit(url)
        return parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:  # a bracket that does not close, a port that is no number
        return False


def headers_of(
    given: Any,  # noqa: ANN401  # any value of a file
    key_variable: Any,  # noqa: ANN401  # any value of a file
    environ: Mapping[str, str],
    place: str,
    *,
    usual: str = USUAL_KEY,
) -> tuple[dict[str, str], Redactor]:
    """The headers of each call, the key among them, and what keeps them out of messages.

    Without `api_key_env` the key is that of the variable `usual`; where that is not set, none is sent.

    Raises:
        UsageError: where they are no map of texts, or the variable is not set.
    """
    extra = given or {}
    if not isinstance(extra, Mapping) or not all(isinstance(value, str) for value in extra.values()):
        raise UsageError(f"{place}: `headers` is a map of names to texts")
    key = environ.get(usual if key_variable is None else str(key_variable), "")
    if key_variable is not None and not key:
        raise UsageError(
            f"{place}: the environment variable `{key_variable}` of `api_key_env` is not set\n"
            "  set it, or write it into `.env` beside foldproof.yaml"
        )
    secrets = (key, *(value.removeprefix("Bearer ") for value in extra.values()))
    headers = {"Content-Type": "application/json", **({"Authorization": f"Bearer {key}"} if key else {}), **extra}
    return headers, Redactor(environ, secrets)


def settings_json(settings: Mapping[str, Any], place: str) -> str:
    """A model's settings as the rest of a JSON object, written once for all calls.

    Raises:
        UsageError: where an answer is to be streamed: it is read as a whole.
    """
    sent = {name: value for name, value in settings.items() if name not in OWN_SETTINGS}
    if "name" in settings:
        sent = {"model": settings["name"], **sent}
    if sent.get("stream"):
        raise UsageError(f"{place}: `stream` cannot be used: an answer is read as a whole\n  leave it out")
    text = json.dumps(sent, ensure_ascii=False)[1:-1]
    return f",{text}" if text else ""


def price_of(price: Any, place: str) -> Price | None:  # noqa: ANN401  # any value of a file
    """The price of a model, or None where it has none.

    Raises:
        UsageError: where it is not two numbers from 0.
    """
    if price is None:
        return None
    if not isinstance(price, Mapping) or set(price) != {"input", "output"}:
        raise UsageError(
            f"{place}: the model's `price` is {price!r}\n"
            "  write {input: 0.15, output: 0.60}, in US dollars per million tokens"
        )
    for name, value in price.items():
        if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 <= value < 1e9:
            text = f"{place}: the model's `price.{name}` is {value!r}, where a number from 0 is expected"
            raise UsageError(text)
    return Price(float(price["input"]), float(price["output"]))
