"""LoCoMo: long talks of two people in numbered sessions; the questions about them are no talk."""

from __future__ import annotations

from collections.abc import Iterator

from foldproof.logs.draft import Draft
from foldproof.logs.formats import Group, LogFormat, Place
from foldproof.logs.imported import ImportedSession
from foldproof.logs.locomo import Fields, session_keys, session_time, talk_of, turn_role, turn_text
from foldproof.logs.reading import LogFile, Record


def _places(record: Record, file: LogFile) -> Iterator[Place]:
    if talk_of(record.value):
        yield Place(file.label(record))


def _build(group: Group) -> Iterator[ImportedSession]:
    for found in group.read():
        value = found.value
        talk = talk_of(value)
        name = str(value.get("sample_id") or group.session)
        questions = value.get("qa")
        group.tally.aside["questions of the benchmark"] += len(questions) if isinstance(questions, list) else 0
        sessions = session_keys(talk)
        group.tally.aside["dates without a session"] += _unmet(talk, {key for _, key in sessions})
        for count, key in sessions:
            draft = Draft(f"{name}-{count}", group.tally, user=name)
            _session(draft, talk, key)
            yield draft.done()


def _unmet(talk: Fields, sessions: set[str]) -> int:
    dated = (str(key).removesuffix("_date_time") for key in talk if str(key).endswith("_date_time"))
    return sum(key not in sessions for key in dated)


def _session(draft: Draft, talk: Fields, key: str) -> None:
    at = session_time(talk.get(f"{key}_date_time"))
    turns = talk[key] if isinstance(talk[key], list) else []
    for turn in turns:
        if not isinstance(turn, dict):
            draft.unknown("turn", turn)
            continue
        draft.say(turn_role(turn, talk), turn_text(turn), at=at, id=str(turn.get("dia_id") or ""))


FORMAT = LogFormat(
    name="locomo",
    title="LoCoMo conversations",
    told_by="`speaker_a` and `session_N`",
    knows=lambda value: bool(talk_of(value)),
    places=_places,
    build=_build,
    limits=(
        "two people talk and neither is an agent: `speaker_a` is taken as the user, `speaker_b` as the agent",
        "each conversation is of other people and becomes a user of its own",
        "it holds no tool calls and no memory operations",
        "its questions, summaries and observations are left out: they are no talk",
    ),
)
