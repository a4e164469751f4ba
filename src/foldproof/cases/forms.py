"""Which form a case has: a question, by choice after a frozen prefix, or sessions; and what cannot go with it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from foldproof.cases.counterparts import ANSWERED_BY

_BESIDE_SESSIONS = {
    "question": "keep one of the two: the turns of the sessions ask",
    "user": "keep one of the two: the turns of the sessions ask",
    "frozen": "write the turns of the prefix as those of a session, or keep the one turn that is graded under `user:`",
    "at": "write it in the session that takes place then",
    "expect": "write it in the turn whose reply it is about",
    **dict.fromkeys(ANSWERED_BY, "write it in the turn that it goes on with"),
}
_Found = tuple[str, str, str, str]
"""The key, or "" for the case; what is wrong, what to do, the rule."""


def form_faults(data: Mapping[str, Any]) -> Iterator[_Found]:
    """What is wrong with the form of a case, before its fields are read."""
    if "cut_from" in data and "frozen" not in data:
        hint = "it tells where a `frozen:` prefix was cut; write the prefix, or leave it out"
        yield "cut_from", "has `cut_from` without `frozen`", hint, "form"
    if "forget" in data and "sessions" not in data:
        hint = "what is taken back in one session is looked for in later ones: write `sessions`"
        yield "forget", "has `forget` without `sessions`", hint, "forget"
    for key in ANSWERED_BY:
        if key in data and "frozen" in data:
            hint = "a frozen prefix is followed by one graded decision; to go on from there, write `sessions`"
            yield key, f"has `{key}` beside `frozen`", hint, "form"
    if "sessions" in data:
        for key, hint in _BESIDE_SESSIONS.items():
            if key in data:
                yield key, f"has `{key}` beside `sessions`", hint, "question-and-sessions"
    elif "question" in data and "user" in data:
        yield "user", "has `user` beside `question`", "keep one of the two: both are what the user says", "form"
    elif "question" not in data and "user" not in data:
        hint = "add it, or `sessions`" if "frozen" not in data else "add it: what the user says after the frozen turns"
        yield "", f"lacks the field `{'user' if 'frozen' in data else 'question'}`", hint, "missing-field"
