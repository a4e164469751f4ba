"""Whether a session began with a fresh context, as far as its prompts show it. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Literal

from foldproof.matching import Text
from foldproof.matching.escapes import unescaped
from foldproof.record import TurnRecord

_GAP = " … "
"""What stands where a text was taken out; the matcher has no token for it."""
_LEAST_WORDS = 4
"""Words of a message from which on its standing in a prompt is no chance."""
_BETWEEN = 3
"""Words that may stand between a message and its reply: the name of a role, and marks around it."""


def seen_before(turns: Sequence[TurnRecord], at: int, store: Sequence[str] | None) -> int | None:
    """The earlier session whose words stand in the prompt of a turn; 0 where none does, None where nobody can say.

    What the memory gave for the session may stand there, and what was said in the session itself.
    Where the agent does not show what it retrieved, `store`, the memory's listing before the session, stands for it;
    where that cannot be seen either, words in the prompt may come from the memory, and nothing is said.
    What other users said is not looked for here: no memory may give that, so it is a matter of the score.
    """
    turn = turns[at]
    session = [other for other in turns[: at + 1] if other.session == turn.session]
    own = [text for other in session for text in (other.user, other.answer)]
    told = list(_told([other for other in turns if other.user_id == turn.user_id], turn.session, own))
    prompts = list(_prompts(turn))
    if not told or not prompts:
        return None
    shown = [_reads(other) for other in session]
    reads = [text for texts in shown if texts is not None for text in texts]
    given = reads if all(texts is not None for texts in shown) else store
    unsure = False
    for prompt in prompts:
        padded = Text(prompt).padded
        for number, words, reply in told:
            found = _unexplained(words, reply, prompt=padded, given=given or (), store=store or ())
            if found == "yes":
                return None if given is None else number
            unsure = unsure or found == "unknown"
    return None if unsure else 0


def _told(turns: Sequence[TurnRecord], session: int, own: Sequence[str]) -> Iterator[tuple[int, str, str]]:
    """What the user said in earlier sessions and not in this one, long enough to tell something, with the reply."""
    said = [Text(text).padded for text in own]
    for turn in turns:
        words = Text(turn.user).padded
        if turn.session < session and len(words.split()) >= _LEAST_WORDS and not any(words in text for text in said):
            yield turn.session, words, Text(turn.answer).padded


def _prompts(turn: TurnRecord) -> Iterator[str]:
    """The prompts of a turn: the agent's own word for it, and what was seen beside it with the user's message."""
    if turn.prompt is not None:
        yield from dict.fromkeys((turn.prompt, unescaped(turn.prompt)))
    asked = Text(turn.user).padded
    for call in (call for seen in turn.seen for call in seen.calls):
        yield from (text for text in dict.fromkeys((call.prompt, unescaped(call.prompt))) if asked in Text(text).padded)


def _reads(turn: TurnRecord) -> list[str] | None:
    told = [turn.memory_reads, *(seen.memory_reads for seen in turn.seen)]
    known = [items for items in told if items is not None]
    return [item.text for item in known[0] if not item.dropped] if known else None


def _unexplained(
    words: str, reply: str, *, prompt: str, given: Sequence[str], store: Sequence[str]
) -> Literal["yes", "no", "unknown"]:
    """Whether a message stands in a prompt otherwise than the memory gave it, whole or in pieces that make it up.

    Once more than it was said to be read it may stand there where the memory holds it: as a core of the memory does
    beside a search. Then only the reply that followed it tells the conversation from the memory.
    """
    left = _without(words, prompt, given)
    items = [Text(text).padded for text in given]
    pieces = sorted((item for item in items if item.strip() and item in words and item != words), key=len, reverse=True)
    rest = words
    for piece in pieces:
        rest = rest.replace(piece, _GAP)
    if words not in left or not rest.replace(_GAP.strip(), "").strip():
        return "no"
    if left == prompt or _followed(words, reply, left) or words in _without(words, left, store):
        return "yes"
    return "unknown"


def _without(words: str, prompt: str, items: Sequence[str]) -> str:
    """A prompt with every item that holds a message taken out once."""
    for text in items:
        item = Text(text).padded
        if words in item:
            prompt = prompt.replace(item, _GAP, 1)
    return prompt


def _followed(words: str, reply: str, prompt: str) -> bool:
    """Whether the reply to a message follows it in a prompt, with no more between them than the name of a role."""
    parts = prompt.split(words)[1:]
    return bool(reply.strip()) and any(
        reply.split() in ([*part.split()][at : at + len(reply.split())] for at in range(_BETWEEN + 1)) for part in parts
    )
