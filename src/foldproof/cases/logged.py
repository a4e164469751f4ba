"""Where a question comes from that somebody really asked: who asked it in a log, where, when, and how often."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from typing import Any


@dataclass(frozen=True, slots=True)
class Logged:
    """A question of a log. It plays no part in the identity of a set.

    `user` and `session` are empty where the log does not tell them, `day` is the last on which it was asked. `asked`
    counts how often it stands there, nearly the same words included.
    """

    user: str = ""
    session: str = ""
    day: date | None = None
    asked: int = 1


def logged_value(logged: Logged) -> dict[str, Any]:
    """The record as a file writes it, without what is not known."""
    value = {
        "user": logged.user,
        "session": logged.session,
        "day": logged.day.isoformat() if logged.day else "",
        "asked": logged.asked,
    }
    return {key: item for key, item in value.items() if item}
