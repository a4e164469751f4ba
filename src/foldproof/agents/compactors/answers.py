"""What compactors answer, in any of their forms, as a `Compacted`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from foldproof.agents.errors import AgentError, TransientError
from foldproof.agents.shapes import may_pass, usage_of
from foldproof.compaction import Compacted
from foldproof.logs import Usage

WHO = "the compactor"


def compacted_of(answer: Mapping[str, Any]) -> Compacted:
    """The answer of a program or of an address: `text`, and where it says so `unsafe`, `notes`, `usage`.

    Raises:
        AgentError: where it says that it failed, or gives no text; `TransientError` where it may pass; as `checked`.
    """
    if answer.get("error"):
        told = answer["error"] if isinstance(answer["error"], str) else repr(answer["error"])
        passing = answer.get("transient") is True or may_pass(told)
        raise (TransientError if passing else AgentError)(f"{WHO} failed: {told}")
    text = answer.get("text")
    if not isinstance(text, str):
        keys = ", ".join(f"`{key}`" for key in answer) or "nothing"
        held = f"`text` is {type(text).__name__}" if "text" in answer else f"it holds {keys}"
        raise AgentError(f'{WHO} answered no text: {held}, where {{"text": "…"}} is expected')
    usage = usage_of(answer.get("usage"), "input_tokens", "output_tokens")
    return checked(Compacted(text, unsafe=answer.get("unsafe", ""), notes=answer.get("notes", ()), usage=usage))


def checked(found: Any) -> Compacted:  # noqa: ANN401  # whatever foreign code gave
    """A `Compacted` as rounds can record it: what is false in place of a text or of notes is none.

    Raises:
        AgentError: where it is none, naming the first field that holds something else: an `unsafe: true` that was
            dropped would pass for safe.
    """
    if not isinstance(found, Compacted):
        raise AgentError(f"{WHO} gave {type(found).__name__}, where a `Compacted` is expected")
    notes: Any = found.notes or ()
    listed = isinstance(notes, list | tuple) and all(isinstance(note, str) for note in notes)
    for name, value, holds, wanted in (
        ("text", found.text, isinstance(found.text, str), "a text"),
        ("unsafe", found.unsafe, not found.unsafe or isinstance(found.unsafe, str), "a text"),
        ("error", found.error, not found.error or isinstance(found.error, str), "a text"),
        ("notes", notes, listed, "a list of texts"),
        ("usage", found.usage, found.usage is None or isinstance(found.usage, Usage), "a `foldproof.logs.Usage`"),
    ):
        if not holds:
            raise AgentError(f"{WHO}'s `{name}` is {value!r:.200}, where {wanted} is expected")
    return replace(found, unsafe=found.unsafe or "", error=found.error or "", notes=tuple(notes))


def compacted_from(value: Any, *, messages: bool) -> Compacted:  # noqa: ANN401  # whatever a function gave
    """What a function gave: a text, a `Compacted`, a mapping as a program answers, or with `messages` a list of those.

    Raises:
        AgentError: naming the type, where it is anything else; as `compacted_of` for a mapping, as `checked`.
    """
    if isinstance(value, Compacted):
        return checked(value)
    if isinstance(value, str):
        return Compacted(value)
    if isinstance(value, Mapping):
        return compacted_of(value)
    if messages and isinstance(value, Sequence) and not isinstance(value, bytes):
        return Compacted("\n".join(_content_of(part) for part in value))
    wanted = "a list of messages, a `str`" if messages else "a `str`"
    raise AgentError(f"{WHO} returned {type(value).__name__}, where {wanted} or a `Compacted` is expected")


def _content_of(message: Any) -> str:  # noqa: ANN401  # whatever a function gave
    """The text of one message; of content in parts those that are text.

    Raises:
        AgentError: where it has none.
    """
    if isinstance(message, str):
        return message
    content = message.get("content") if isinstance(message, Mapping) else getattr(message, "content", None)
    if isinstance(content, str):
        return content
    if isinstance(content, Sequence) and not isinstance(content, bytes):
        texts = [part.get("text") for part in content if isinstance(part, Mapping)]
        return "".join(text for text in texts if isinstance(text, str))
    raise AgentError(f'{WHO} returned a message without text: {message!r:.200}; {{"role", "content"}} is expected')
