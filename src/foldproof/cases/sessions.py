"""The records of a case's sessions: what the user says in each, and what is expected of the replies."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any

from foldproof.cases.counterparts import Counterpart, counterpart_value
from foldproof.cases.expectation_values import expectation_content, expectation_value
from foldproof.cases.expectations import ABOUT_STORE, Expectation

_DAY = re.compile(r"day (\d{1,9})")


@dataclass(frozen=True, slots=True)
class CaseTurn:
    """One message of the user, who answers the reply to it, if anybody does, and what is expected in the end."""

    user: str
    expect: tuple[Expectation, ...] = ()
    counterpart: Counterpart | None = None


@dataclass(frozen=True, slots=True)
class CaseSession:
    """One conversation with its own fresh context; only the memory persists to the next.

    `at` is the time at which it takes place, as it was written, or empty. With `maintain` the memory is folded after
    it. `user` is the label of who speaks, empty for the user without one.
    """

    turns: tuple[CaseTurn, ...]
    at: str = ""
    maintain: bool = False
    user: str = ""

    @property
    def looks_at_store(self) -> bool:
        """Whether the listing of the memory around this session is needed to judge it."""
        return any(item.kind in ABOUT_STORE for turn in self.turns for item in turn.expect)


def turn_name(session: int, turn: int) -> str:
    """How a turn stands in scores, reports and messages; both numbers from 1."""
    return f"s{session}.t{turn}"


def sessions_value(sessions: Sequence[CaseSession], *, hashed: bool = False) -> list[dict[str, Any]]:
    """The sessions as the file writes them; with `hashed`, as the hash of a set knows them."""
    written = expectation_content if hashed else expectation_value
    found = []
    for session in sessions:
        turns: list[dict[str, Any]] = []
        for turn in session.turns:
            expect = [written(item) for item in turn.expect]
            answered = counterpart_value(turn.counterpart, hashed=hashed)
            turns.append({"user": turn.user, **answered, **({"expect": expect} if expect else {})})
        value: dict[str, Any] = {"user": session.user, "at": session.at, "turns": turns}
        value["maintain"] = session.maintain
        found.append({key: item for key, item in value.items() if item})
    return found


def before_its_time(sessions: Sequence[CaseSession]) -> int | None:
    """The place of a session that lies before an earlier one; None where none does, or they cannot be compared.

    Times are comparable where all are days (`day 4`), all dates, or all times with a zone, or all without one.
    """
    read = (_day, _date, _zoned, _naive)
    for reader in read:
        found = [(place, reader(session.at)) for place, session in enumerate(sessions) if session.at]
        if any(moment is None for _, moment in found):
            continue
        latest: Any = None
        for place, moment in found:
            if latest is not None and moment < latest:
                return place
            latest = moment
        return None
    return None


def _day(text: str) -> int | None:
    match = _DAY.fullmatch(text.strip().casefold())
    return int(match[1]) if match else None


def _date(text: str) -> date | None:
    try:
        return date.fromisoformat(text.strip())
    except ValueError:
        return None


def _time(text: str) -> datetime | None:
    try:
        return datetime.fromisoformat(text.strip()) if ":" in text else None
    except ValueError:
        return None


def _zoned(text: str) -> datetime | None:
    found = _time(text)
    return found if found is not None and found.tzinfo is not None else None


def _naive(text: str) -> datetime | None:
    found = _time(text)
    return found if found is not None and found.tzinfo is None else None
