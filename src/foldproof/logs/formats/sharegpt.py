"""ShareGPT: `{id, conversations: [{from, value}]}` and its variants."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from foldproof.logs.draft import Draft
from foldproof.logs.formats import Group, LogFormat, Place
from foldproof.logs.imported import ImportedSession
from foldproof.logs.messages import messages_in, text_of
from foldproof.logs.reading import LogFile, Record

_LISTS = ("conversations", "items", "conversation")


def _turns(value: Any) -> list[Any] | None:  # noqa: ANN401  # any JSON value
    if not isinstance(value, dict):
        return None
    lists = (value.get(name) for name in _LISTS)
    return next((found for found in lists if isinstance(found, list) and _has_speakers(found)), None)


def _has_speakers(turns: list[Any]) -> bool:
    return any(isinstance(turn, dict) and "from" in turn and "value" in turn for turn in turns)


def _places(record: Record, file: LogFile) -> Iterator[Place]:
    if _turns(record.value) is not None:
        yield Place(file.label(record))


def _build(group: Group) -> Iterator[ImportedSession]:
    for found in group.read():
        name = found.value.get("id")
        draft = Draft(str(name) if isinstance(name, str | int) else group.session, group.tally)
        draft.say("system", text_of(found.value.get("system")))
        for message in messages_in(_turns(found.value)):
            draft.take(message)
        yield draft.done()


FORMAT = LogFormat(
    name="sharegpt",
    title="ShareGPT conversations",
    told_by="`conversations` of `{from, value}`",
    knows=lambda value: _turns(value) is not None,
    places=_places,
    build=_build,
    limits=(
        "the format has no users, no times, no model and no token counts",
        "ids that end in `_0`, `_1` may be halves of one talk; each is kept as a session of its own",
        "memory reads and writes are seen only where they are tool calls with a name that says so",
    ),
)
