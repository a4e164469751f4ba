"""What an OpenAI-compatible endpoint answered: a completion, a failure that may pass, or one that will not."""

from __future__ import annotations

import json
import math
import re
import time
from collections.abc import Mapping
from email.utils import parsedate_to_datetime
from typing import Any, NamedTuple

from foldproof.agents.errors import AgentError, TransientError
from foldproof.agents.shapes import may_pass, status_may_pass, usage_of
from foldproof.logs import ToolCall, Usage, arguments_of

_FINISH_NOTES = {
    "length": "the answer was cut off at the model's limit of output tokens",
    "content_filter": "the endpoint's content filter cut the answer",
}
# What OpenAI, llama.cpp, vLLM, Ollama and others say to a prompt that is too long.
_TOO_LONG = re.compile(
    r"context (?:length|limit|window|size)|maximum context|exceeds? the (?:available|model'?s?) (?:maximum )?context"
    r"|(?:prompt|input) (?:is )?too (?:long|many tokens)|input length .{0,40}exceeds",
    re.IGNORECASE,
)


class Price(NamedTuple):
    """US dollars per million tokens."""

    input: float
    output: float

    def of(self, usage: Usage) -> Usage:
        """The usage with its cost, where both counts are known."""
        if usage.input_tokens is None or usage.output_tokens is None:
            return usage
        cost = (usage.input_tokens * self.input + usage.output_tokens * self.output) / 1e6
        return Usage(usage.input_tokens, usage.output_tokens, cost)


class WrittenCall(NamedTuple):
    """A tool call as the model wrote it. `id` is empty where the model gave none."""

    id: str
    name: str
    arguments: Any

    @property
    def call(self) -> ToolCall:
        """The call as it is recorded."""
        return ToolCall(self.name, arguments_of(self.arguments))


class Completion(NamedTuple):
    """One answer of a model: its text, the tools it wants called, and remarks for the reader of the record."""

    text: str
    calls: tuple[WrittenCall, ...] = ()
    usage: Usage | None = None
    notes: tuple[str, ...] = ()


def failure_of(status: int, headers: Mapping[str, str], body: bytes) -> AgentError:
    """The failure that a status other than 2xx means, with the endpoint's own message.

    408, 409, 425, 429 and 5xx may pass; a used-up quota does not, though it comes as a 429, nor does a prompt that
    is too long, whatever it comes as.
    """
    message, code = _message_of(body)
    text = f"the endpoint answered {status}" + (f": {message}" if message else "")
    if code == "context_length_exceeded" or (status < 500 and status != 429 and _TOO_LONG.search(message)):
        return AgentError(f"the prompt does not fit the model's context: {text}")
    if code == "insufficient_quota":
        return AgentError(text)
    if status_may_pass(status):
        return TransientError(text, retry_after(headers))
    return AgentError(text)


def completion_of(body: bytes, price: Price | None) -> Completion:
    """The answer in a 200's body.

    Raises:
        AgentError: where the body holds an error, no JSON, no choice or an empty answer; `TransientError` where
            that error may pass.
    """
    try:
        data = json.loads(body)
    except (ValueError, RecursionError) as error:
        raise AgentError(f"the endpoint answered 200 with what is not JSON: {_text(body)[:500]!r}") from error
    if not isinstance(data, dict):
        raise AgentError(f"the endpoint answered 200 with {_text(body)[:500]!r}, where an object is expected")
    if data.get("error"):
        message, code = _message_of(body)
        text = f"the endpoint answered 200 with an error: {message}"
        raise (TransientError if may_pass(f"{message} {code}") else AgentError)(text)
    choices = data.get("choices")
    choice = choices[0] if isinstance(choices, list) and choices else None
    said = choice.get("message") if isinstance(choice, dict) else None
    if not isinstance(choice, dict) or not isinstance(said, dict):
        raise AgentError(f"the endpoint answered 200 without a choice that holds a message: {_text(body)[:500]!r}")
    calls = _calls_of(said)
    text = _content_of(said.get("content"))
    notes = [note for reason, note in _FINISH_NOTES.items() if choice.get("finish_reason") == reason]
    if not text and isinstance(refusal := said.get("refusal"), str):
        text = refusal
        notes.append("the model refused")
    if not text.strip() and not calls:
        reason = choice.get("finish_reason")
        raise AgentError(f"the endpoint answered 200 with an empty text (finish_reason {json.dumps(reason)})")
    usage = usage_of(data.get("usage"), "prompt_tokens", "completion_tokens")
    if usage is not None and price is not None:
        usage = price.of(usage)
    return Completion(text, calls, usage, tuple(notes))


def retry_after(headers: Mapping[str, str]) -> float | None:
    """Seconds that the server asks to wait, from `Retry-After-Ms` or `Retry-After` (seconds, or an HTTP date)."""
    for name, scale in (("Retry-After-Ms", 0.001), ("Retry-After", 1.0)):
        value = headers.get(name)
        if value is None:
            continue
        try:
            seconds = float(value) * scale
        except ValueError:
            seconds = _seconds_until(value)
        if math.isfinite(seconds):
            return max(0.0, seconds)
    return None


def _seconds_until(date: str) -> float:
    try:
        return parsedate_to_datetime(date).timestamp() - time.time()
    except (ValueError, TypeError, OverflowError):
        return math.nan


def _calls_of(message: Mapping[str, Any]) -> tuple[WrittenCall, ...]:
    found = message.get("tool_calls")
    calls = []
    for part in found if isinstance(found, list) else []:
        function = part.get("function") if isinstance(part, dict) else None
        if isinstance(function, dict) and isinstance(function.get("name"), str):
            given = part.get("id")
            calls.append(
                WrittenCall(given if isinstance(given, str) else "", function["name"], function.get("arguments"))
            )
    return tuple(calls)


def _content_of(content: Any) -> str:  # noqa: ANN401  # any JSON value
    if isinstance(content, str):
        return content
    parts = content if isinstance(content, list) else []
    texts = [part.get("text") for part in parts if isinstance(part, dict)]
    return "".join(text for text in texts if isinstance(text, str))


def _message_of(body: bytes) -> tuple[str, str]:
    """The message and the code of an error body, OpenAI's shape or any other; at most 500 characters."""
    text = _text(body).strip()
    try:
        data = json.loads(text)
    except (ValueError, RecursionError):
        return text[:500], ""
    error = data.get("error", data) if isinstance(data, dict) else data
    if isinstance(error, dict):
        code = str(error.get("code") or error.get("type") or "")
        for name in ("message", "detail", "error"):
            if isinstance(error.get(name), str) and error[name]:
                return error[name][:500], code
        return text[:500], code
    return (error if isinstance(error, str) else text)[:500], ""


def _text(body: bytes) -> str:
    return body.decode("utf-8", "replace")
