"""Questions, with or without their answers: a table (CSV, TSV) or JSON lines."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from foldproof.logs.draft import Draft
from foldproof.logs.formats import Asked, FlatShape, Group, LogFormat, Place
from foldproof.logs.imported import ImportedSession
from foldproof.logs.keys import value_key
from foldproof.logs.moments import moment_of
from foldproof.logs.reading import LogFile, Record

_QUESTION = ("question", "query", "prompt", "q")
_ANSWER = ("answer", "response", "reply", "expected", "output", "a")
_USER = ("user", "user_id")
_SESSION = ("session", "session_id", "conversation_id", "thread_id")
_TIME = ("at", "time", "timestamp", "date", "created_at")
Row = dict[str, Any]


def _cell(row: Row, names: tuple[str, ...]) -> Any:  # noqa: ANN401  # any JSON value
    return next((row[name] for name in names if name in row), None)


def _text(value: Any) -> str:  # noqa: ANN401  # any JSON value
    """A cell as text: numbers of JSON as they are written, everything else nothing."""
    if isinstance(value, str):
        return value
    return str(value) if isinstance(value, int | float) and not isinstance(value, bool) else ""


def _knows(value: Any) -> bool:  # noqa: ANN401  # any JSON value
    if not isinstance(value, dict) or any(isinstance(value.get(name), list | dict) for name in ("messages", "vars")):
        return False
    return isinstance(_cell(value, _QUESTION), str) and "haystack_sessions" not in value


def _places(record: Record, file: LogFile) -> Iterator[Place]:
    value = record.value
    if isinstance(value, dict) and _cell(value, _QUESTION) is not None:
        user, session = _text(_cell(value, _USER)), _text(_cell(value, _SESSION))
        yield Place(value_key([user, session]) if session else file.label(record))


def _build(group: Group) -> Iterator[ImportedSession]:
    draft: Draft | None = None
    for found in group.read():
        row = found.value
        question, answer = _text(_cell(row, _QUESTION)), _text(_cell(row, _ANSWER))
        if not question.strip():
            group.tally.wrong(found.file, found.line, "the row has no question")
            continue
        if draft is None:
            name = _text(_cell(row, _SESSION)) or _text(row.get("id")) or group.session
            draft = Draft(name, group.tally, user=_text(_cell(row, _USER)))
        at = moment_of(_cell(row, _TIME))
        draft.say("user", question, at=at)
        draft.say("agent", answer, at=at)
    if draft is not None:
        yield draft.done()


def _reader() -> Callable[[bytes], Asked | None]:
    import msgspec

    unset = msgspec.UNSET
    texts = [(name, str | msgspec.UnsetType, unset) for name in (_QUESTION[0], *_USER, *_SESSION)]
    times = [(name, str | int | float | msgspec.UnsetType, unset) for name in _TIME]
    decode: Callable[[bytes], Any] = msgspec.json.Decoder(msgspec.defstruct("Row", [*texts, *times], gc=False)).decode

    def cell(row: Any, names: tuple[str, ...], none: Any) -> Any:  # noqa: ANN401  # the type made above
        return next((value for name in names if (value := getattr(row, name)) is not unset), none)

    def asked(raw: bytes) -> Asked | None:
        try:
            row = decode(raw)
        except (ValueError, RecursionError):
            return None
        if row.question is unset or not row.question.strip():
            return None
        return row.question, cell(row, _USER, ""), cell(row, _SESSION, ""), cell(row, _TIME, None)

    return asked


def _odd(value: Any) -> list[Asked]:  # noqa: ANN401  # any JSON value
    question = _text(_cell(value, _QUESTION)) if isinstance(value, dict) else ""
    if not question.strip():
        return []
    return [(question, _text(_cell(value, _USER)), _text(_cell(value, _SESSION)), _cell(value, _TIME))]


FORMAT = LogFormat(
    name="questions",
    title="questions and answers as a table (CSV, TSV) or JSON lines",
    told_by="a column or key `question`",
    knows=_knows,
    places=_places,
    build=_build,
    limits=("the file holds no tool calls and no memory operations",),
    general=True,
    flat=FlatShape(_reader, _odd),
)
