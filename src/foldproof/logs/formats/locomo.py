"""LoCoMo: long talks of two people in numbered sessions; the questions about them are no talk."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import datetime
from typing import Any

from foldproof.logs.draft import Draft
from foldproof.logs.formats import Group, LogFormat, Place
from foldproof.logs.imported import ImportedSession
from foldproof.logs.messages import text_of
from foldproof.logs.moments import Moment, moment_of
from foldproof.logs.reading import LogFile, Record
from foldproof.logs.talk import Role

_SESSION = re.compile(r"session_(\d{1,6})")
Fields = dict[str, Any]


def _talk(value: Any) -> Fields:  # noqa: ANN401  # any JSON value
    """The part that holds the sessions: `conversation`, or in the older layout the record itself."""
    if not isinstance(value, dict):
        return {}
    inner = value.get("conversation", value)
    return inner if isinstance(inner, dict) and "speaker_a" in inner else {}


def _places(record: Record, file: LogFile) -> Iterator[Place]:
    if _talk(record.value):
        yield Place(file.label(record))


def _build(group: Group) -> Iterator[ImportedSession]:
    for found in group.read():
        value = found.value
        talk = _talk(value)
        name = str(value.get("sample_id") or group.session)
        questions = value.get("qa")
        group.tally.aside["questions of the benchmark"] += len(questions) if isinstance(questions, list) else 0
        sessions = sorted((int(match[1]), key) for key in talk if (match := _SESSION.fullmatch(str(key))))
        group.tally.aside["dates without a session"] += _unmet(talk, {key for _, key in sessions})
        for count, key in sessions:
            draft = Draft(f"{name}-{count}", group.tally, user=name)
            _session(draft, talk, key)
            yield draft.done()


def _unmet(talk: Fields, sessions: set[str]) -> int:
    dated = (str(key).removesuffix("_date_time") for key in talk if str(key).endswith("_date_time"))
    return sum(key not in sessions for key in dated)


def _session(draft: Draft, talk: Fields, key: str) -> None:
    at, user = _time(talk.get(f"{key}_date_time")), talk.get("speaker_a")
    turns = talk[key] if isinstance(talk[key], list) else []
    for turn in turns:
        if not isinstance(turn, dict):
            draft.unknown("turn", turn)
            continue
        text = text_of(turn.get("text") or turn.get("clean_text"))
        if caption := text_of(turn.get("blip_caption")):
            text = f"{text}\n[image: {caption}]".strip()
        role: Role = "user" if turn.get("speaker") == user else "agent"
        draft.say(role, text, at=at, id=str(turn.get("dia_id") or ""))


def _time(value: Any) -> Moment | None:  # noqa: ANN401  # any JSON value
    """`1:56 pm on 8 May, 2023`, without a zone since none is told."""
    if not isinstance(value, str):
        return None
    try:
        at = datetime.strptime(value.strip().lower(), "%I:%M %p on %d %B, %Y")  # noqa: DTZ007  # no zone is told
    except ValueError:
        return moment_of(value)
    return Moment(value, at)


FORMAT = LogFormat(
    name="locomo",
    title="LoCoMo conversations",
    told_by="`speaker_a` and `session_N`",
    knows=lambda value: bool(_talk(value)),
    places=_places,
    build=_build,
    limits=(
        "two people talk and neither is an agent: `speaker_a` is taken as the user, `speaker_b` as the agent",
        "each conversation is of other people and becomes a user of its own",
        "it holds no tool calls and no memory operations",
        "its questions, summaries and observations are left out: they are no talk",
    ),
)
