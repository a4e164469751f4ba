"""Reading what a judge replied: a verdict, or the reason why there is none. A reply is never guessed at."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from foldproof.logs import Usage
from foldproof.record import VerdictWord

_THOUGHT = re.compile(r"<(think|thinking|reasoning)>.*?(?:</\1>|\Z)", re.DOTALL | re.IGNORECASE)
_THOUGHT_END = re.compile(r"</(?:think|thinking|reasoning)>", re.IGNORECASE)
_OPENING = re.compile(
    r"[\s*_\"'`]*(not[ _-]met|cannot tell|can't tell|met|no|yes)"
    r"(?=[*_\"'`]*(?:[.,;:!]|\s*\n|\s*\Z|\s+[-\u2013\u2014]))",
    re.IGNORECASE,
)
"""A verdict in plain words: followed by an end, so that "No one can tell" is none."""
_WORDS: dict[str, VerdictWord] = {
    "met": "met",
    "yes": "met",
    "not met": "not met",
    "no": "not met",
    "cannot tell": "cannot tell",
    "can't tell": "cannot tell",
}
_SHOWN = 160
_TRIES = 1_000
"""Braces at which an object is looked for; a verdict stands behind a few."""


class JudgeError(Exception):
    """The judge gave no verdict: that is no judgement, neither met nor not met. The text says why.

    `usage` is what its reply cost, None where nobody tells.
    """

    usage: Usage | None = None


@dataclass(frozen=True, slots=True)
class Reading:
    """What a reply says: the verdict, the passage it rests on, and why."""

    verdict: VerdictWord
    quotation: str = ""
    reason: str = ""


def read_reply(reply: str) -> Reading:
    """The verdict of a reply.

    It is read as JSON as it stands. Only where it is none, thoughts (`<think>`) are left out and the JSON object is
    looked for in the prose around it; where there is none either, the reply counts by the word that it opens with,
    never by one that it holds: "No, although … yes" is a no, and "Yesterday" is nothing.

    Raises:
        JudgeError: for a reply without a verdict, with two, or with one that nobody asked for.
    """
    if not reply.strip():
        raise JudgeError("the judge replied nothing")
    whole = _json_of(reply.strip())
    if whole is not None:
        return _reading(whole, reply)
    said = _THOUGHT_END.split(_THOUGHT.sub("", reply))[-1].strip()  # some servers swallow the mark that opens it
    if not said:
        raise JudgeError(f"the judge thought and gave no verdict: {_short(reply)}")
    found = [_reading(value, reply) for value in _objects_in(said) if "verdict" in value]
    if len({reading.verdict for reading in found}) > 1:
        raise JudgeError(f"the judge gave two verdicts: {_short(said)}")
    if found:
        return found[-1]
    if "{" not in said and (opening := _OPENING.match(said)):
        return Reading(_word_of(opening[1]) or "cannot tell", "", said)
    raise JudgeError(f"the judge gave no verdict: {_short(said)}")


def _reading(value: Any, reply: str) -> Reading:  # noqa: ANN401  # any JSON value
    if not isinstance(value, dict) or "verdict" not in value:
        raise JudgeError(f"the judge gave no verdict: {_short(reply)}")
    verdict = _word_of(value["verdict"]) if isinstance(value["verdict"], str) else None
    if verdict is None:
        given = repr(value["verdict"])[:_SHOWN]
        raise JudgeError(f"the judge gave the verdict {given}; allowed: met, not met, cannot tell")
    quotation, reason = (text if isinstance(text := value.get(name), str) else "" for name in ("quotation", "reason"))
    return Reading(verdict, quotation, reason)


def _word_of(word: str) -> VerdictWord | None:
    return _WORDS.get(" ".join(re.split(r"[\s_-]+", word.strip().lower().replace("\u2019", "'"))))


def _json_of(text: str) -> Any:  # noqa: ANN401  # any JSON value
    """The value of a text that is JSON as a whole, None for any other."""
    try:
        return json.loads(text, object_pairs_hook=_once)
    except (ValueError, RecursionError):
        return None


def _objects_in(text: str) -> Iterator[dict[str, Any]]:
    """The JSON objects in a text, one after the other; one inside another is a part of it."""
    decoder = json.JSONDecoder(object_pairs_hook=_once)
    at = text.find("{")
    for _ in range(_TRIES):
        if at < 0:
            return
        try:
            value, end = decoder.raw_decode(text, at)
        except json.JSONDecodeError as error:
            if error.pos >= len(text) or error.msg.startswith("Unterminated"):
                return  # cut off: what stands inside is not what was meant
            end = at + 1
        except (ValueError, RecursionError):  # a number of thousands of digits, brackets without end
            return
        else:
            yield value
        at = text.find("{", end)


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """An object; a key that stands twice with two values says nothing.

    Raises:
        JudgeError: for such a key.
    """
    found = dict(pairs)
    for key, value in pairs if len(found) < len(pairs) else ():
        if value != found[key]:
            both = " and ".join(repr(one)[:_SHOWN] for one in (value, found[key]))
            raise JudgeError(f"the judge gave `{key[:_SHOWN]}` twice: {both}")
    return found


def _short(text: str) -> str:
    """A reply as an error quotes it."""
    line = " ".join(text.split())
    return repr(line if len(line) <= _SHOWN else line[: _SHOWN - 1] + "…")
