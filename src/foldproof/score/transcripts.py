"""A session, or the beginning of one, as the text that a judge reads."""

from __future__ import annotations

import json
from collections.abc import Sequence

from foldproof.score.steps import Step

LONGEST = 60_000
"""Characters of a transcript. A longer session is shortened step by step, with a mark in each, and this is said."""
_LEAST = 200
_ROOM = 40
_GOES_ON = "\n        "
"""How the lines of one step are joined: further in than any line of ours, so that no text can look like a step."""


def beginning(steps: Sequence[Step], length: int) -> Sequence[Step]:
    """The steps up to the agent's step of that number, and what its tools answered; for 0 what came before its first.

    What the user says after the step is no part of it: a correction there would give the answer away.
    """
    own = 0
    for place, step in enumerate(steps):
        own += step.by_agent
        if own > length or (own == length and length and not step.by_agent and step.kind == "said"):
            return steps[:place]
    return steps


def transcript(steps: Sequence[Step]) -> tuple[str, bool]:
    """The steps as lines, each with its number; and whether anything was shortened."""
    whole = "\n".join(_line(step, None) for step in steps)
    if len(whole) <= LONGEST:
        return whole, False
    most = max(_LEAST, LONGEST // len(steps) - _ROOM)
    return "\n".join(_line(step, most) for step in steps), True


def _line(step: Step, most: int | None) -> str:
    text = _GOES_ON.join(_short(step.text, most).splitlines())
    if step.kind == "called":
        args = _short(json.dumps(step.args, ensure_ascii=False, default=str), most)
        answer = text if step.answered else "(the log holds no result)"
        failed = " (failed)" if step.failed else ""
        who = "agent" if step.by_agent else "user"
        return f"[{step.number}] {who} calls {_name(step.name)} {args}\n    result{failed}: {answer}"
    if step.kind == "result":
        return f"[{step.number}] {_name(step.name) or 'tool'} answers{' (failed)' if step.failed else ''}: {text}"
    who = _name(step.speaker) or ("agent" if step.by_agent else "user")
    return f"[{step.number}] {who}{' (thought)' if step.kind == 'thought' else ''}: {text}"


def _name(name: str) -> str:
    return " ".join(name.split())


def _short(text: str, most: int | None) -> str:
    if most is None or len(text) <= most:
        return text
    half = most // 2
    return f"{text[:half]} [... {len(text) - 2 * half:,} characters left out ...] {text[-half:]}"
