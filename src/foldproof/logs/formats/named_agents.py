"""Talks of several agents who are told apart by name, one document a talk: the shape of Who&When."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from foldproof.logs.draft import Draft
from foldproof.logs.formats import Group, LogFormat, Place
from foldproof.logs.imported import Called, ImportedSession, Outcome, Said, SaidKind
from foldproof.logs.keys import text_in
from foldproof.logs.messages import role_of, text_of
from foldproof.logs.reading import LogFile, Record

_QUESTION, _HISTORY = "question", "history"
_OUTCOMES = ("is_correct", "is_corrected", "success")
_TERMINAL = re.compile(r"\bterminal\b|\bexecutor\b", re.IGNORECASE)
_FAILED = re.compile(r"\bexit ?code:? *-?[1-9]|\bexecution failed\b", re.IGNORECASE)
_SPLIT = re.compile(r"(?<=[a-z])(?=[A-Z])|_")


def _knows(value: Any) -> bool:  # noqa: ANN401  # any JSON value
    if not isinstance(value, dict) or not isinstance(value.get(_HISTORY), list) or not value[_HISTORY]:
        return False
    items = value[_HISTORY]
    return isinstance(value.get(_QUESTION), str) and all(
        isinstance(item, dict) and isinstance(item.get("role"), str) and "content" in item for item in items
    )


def _places(record: Record, file: LogFile) -> Iterator[Place]:
    if _knows(record.value):
        yield Place(file.label(record))


def _build(group: Group) -> Iterator[ImportedSession]:
    for found in group.read():
        value = found.value
        draft = Draft(group.session, group.tally)
        if role_of(text_in(value[_HISTORY][0].get("role"))) != "user":
            draft.say("user", value[_QUESTION], id=_QUESTION)
        for number, item in enumerate(value[_HISTORY]):
            _take(draft, item, str(number))
        told = [Outcome(name, value[name]) for name in _OUTCOMES if isinstance(value.get(name), bool)]
        draft.outcomes.extend(told)
        yield draft.done()


def _take(draft: Draft, item: dict[str, Any], place: str) -> None:
    """One message. Its place in the list is its id: findings on it are named by that."""
    text, role = text_of(item["content"]), item["role"]
    name = text_in(item.get("name")) or role
    if "name" not in item and role_of(role) == "user":
        draft.say("user", text, id=place)
        return
    speaker, aside = _apart(name)
    if _TERMINAL.search(_SPLIT.sub(" ", speaker)):
        # What a terminal ran stands in the message before, so it is a result whose call the log does not show apart.
        draft.entries.append(Called(speaker, {}, text, bool(_FAILED.search(text)), id=place, by="tool"))
    else:
        kind: SaidKind = "thought" if aside == "thought" else "said"
        draft.entries.append(Said("agent", text, None, kind, place, speaker))


def _apart(name: str) -> tuple[str, str]:
    """A name, and what stands in brackets behind it: `Orchestrator (thought)`."""
    head, bracket, aside = name.rstrip().rpartition("(")
    return (head.strip(), aside[:-1]) if bracket and aside.endswith(")") else (name, "")


FORMAT = LogFormat(
    name="named-agents",
    title="talks of several agents by name (Who&When)",
    told_by="`question` with a `history` of `{role, content}`",
    knows=_knows,
    places=_places,
    build=_build,
    limits=(
        "the format has no users, no times, no model and no token counts",
        "what a terminal ran stands in the message before it, so tool calls are results without arguments",
    ),
)
