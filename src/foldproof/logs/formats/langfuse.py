"""Langfuse: traces with observations, sessions, or rows of observations; camelCase or snake_case."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from foldproof.logs.draft import Draft, Message, Result, call_of
from foldproof.logs.formats import Group, LogFormat, Place
from foldproof.logs.formats.retrieved import items_of
from foldproof.logs.imported import ImportedSession, MemoryOperation
from foldproof.logs.messages import json_in, messages_in, text_of
from foldproof.logs.moments import Moment, moment_of
from foldproof.logs.reading import LogFile, Record

_KINDS = frozenset({"SPAN", "GENERATION", "EVENT", "AGENT", "TOOL", "CHAIN", "RETRIEVER", "EVALUATOR", "EMBEDDING",
                    "GUARDRAIL"})  # fmt: skip
_NO_OBSERVATIONS = "some traces come without observations: their tool calls and memory operations cannot be shown"
Row = dict[str, Any]


def _text(row: Row, name: str) -> str:
    found = _field(row, name)
    return found if isinstance(found, str) else ""


def _field(row: Row, name: str) -> Any:  # noqa: ANN401  # any JSON value
    """A field under its camelCase name, its snake_case one, or lower-cased as in a table; nothing where it is empty."""
    snake = "".join(f"_{letter.lower()}" if letter.isupper() else letter for letter in name)
    found = (row.get(key) for key in (name, snake, name.lower()))
    return next((value for value in found if value is not None and value != ""), None)


def _is_observation(row: Any) -> bool:  # noqa: ANN401  # any JSON value
    return isinstance(row, dict) and str(row.get("type", "")).upper() in _KINDS and bool(_text(row, "traceId"))


def _is_trace(row: Any) -> bool:  # noqa: ANN401  # any JSON value
    if not isinstance(row, dict) or not _text(row, "id"):
        return False
    told = sum(_field(row, name) is not None or name in row for name in ("input", "output", "sessionId", "userId"))
    return isinstance(row.get("observations"), list) or (told >= 3 and _field(row, "timestamp") is not None)


def _rows(value: Any) -> Iterator[Row]:  # noqa: ANN401  # any JSON value
    """The traces and observations of a record, those of a session or of a page of the API too."""
    if isinstance(value, list):
        for item in value:
            yield from _rows(item)
    elif _is_observation(value) or _is_trace(value):
        yield value
    elif isinstance(value, dict):
        for name in ("traces", "data"):
            for item in value[name] if isinstance(value.get(name), list) else ():
                if _is_observation(item) or _is_trace(item):
                    yield item


def _trace(row: Row) -> str:
    return _text(row, "traceId") if _is_observation(row) else _text(row, "id")


def _places(record: Record, file: LogFile) -> Iterator[Place]:  # noqa: ARG001  # one signature for all formats
    sessions: dict[str, str] = {}
    for row in _rows(record.value):
        sessions[_trace(row)] = sessions.get(_trace(row)) or _text(row, "sessionId")
    yield from (Place(trace, session) for trace, session in sessions.items())


def _build(group: Group) -> Iterator[ImportedSession]:
    traces: dict[str, Row] = {}
    observations: dict[str, dict[str, Row]] = {}
    for row in group.parts(lambda value: ((_trace(item), item) for item in _rows(value))):
        inner = [row] if _is_observation(row) else row.get("observations")
        if not _is_observation(row):
            group.tally.repeats += _trace(row) in traces
            traces.setdefault(_trace(row), row)
        known = observations.setdefault(_trace(row), {})
        for item in inner if isinstance(inner, list) else ():
            if isinstance(item, dict):
                group.tally.repeats += str(item.get("id")) in known
                known.setdefault(str(item.get("id")), item)
    users: dict[str, list[str]] = {}
    names: dict[str, str] = {}
    for trace, rows in observations.items():
        told = [*([traces[trace]] if trace in traces else []), *rows.values()]
        user = next((found for row in told if (found := _text(row, "userId"))), "")
        names.setdefault(user, next((found for row in told if (found := _text(row, "sessionId"))), group.session))
        users.setdefault(user, []).append(trace)
    for user, members in users.items():
        draft = Draft(names[user], group.tally, user=user)
        for trace in sorted(members, key=lambda name: _began(traces.get(name), observations[name])):
            _tell(draft, traces.get(trace), list(observations[trace].values()))
        yield draft.done()


def _at(row: Row) -> Moment | None:
    return moment_of(_field(row, "startTime")) or moment_of(_field(row, "timestamp"))


def _began(trace: Row | None, rows: dict[str, Row]) -> float:
    times = [at.order.timestamp() for row in (*([trace] if trace else []), *rows.values()) if (at := _at(row))]
    return min(times, default=0.0)


def _tell(draft: Draft, trace: Row | None, rows: Sequence[Row]) -> None:
    ordered = sorted(enumerate(rows), key=lambda pair: (at.order.timestamp() if (at := _at(pair[1])) else 0.0, pair[0]))
    talking = False
    for _, row in ordered:
        talking = _take(draft, row) or talking
    if not rows:
        draft.tally.note(_NO_OBSERVATIONS)
    if not talking:
        # No call of a model is recorded: what went into the trace and came out is all there is.
        root = trace or next((row for _, row in ordered if _field(row, "parentObservationId") is None), {})
        draft.talk(_messages(root))


def _take(draft: Draft, row: Row) -> bool:
    """Take one observation; whether it was talk."""
    kind, at = str(row.get("type", "")).upper(), _at(row)
    if kind == "GENERATION":
        messages = _messages(row)
        draft.talk(messages)
        draft.spoke(row.get("model") or _field(row, "providedModelName"))
        usage = next((row[name] for name in ("usageDetails", "usage_details", "usage") if row.get(name)), None)
        if isinstance(usage, dict):
            draft.used(usage.get("input"), usage.get("output"))
        return bool(messages)
    if kind == "TOOL":
        failed = str(row.get("level", "")).upper() == "ERROR"
        output = row.get("output") if row.get("output") is not None else _field(row, "statusMessage")
        result = None if output is None else Result("", text_of(output), failed)
        draft.ran(call_of(row.get("name"), row.get("input")), result, at=at)
    elif kind == "RETRIEVER":
        asked = json_in(row.get("input"))
        texts = [text for text in asked.values() if isinstance(text, str)] if isinstance(asked, dict) else []
        query = texts[0] if texts else text_of(asked)
        draft.remember(MemoryOperation("read", query, items_of(row.get("output")), str(row.get("name", "")), at))
    else:
        draft.tally.aside[f"{kind.lower() or 'other'} observations"] += 1
    return False


def _messages(row: Row) -> list[Message]:
    """Input as messages, or as one text of the user; output as the agent's. Both may be JSON text."""
    asked, answered = json_in(row.get("input")), json_in(row.get("output"))
    found = messages_in(asked) if isinstance(asked, dict | list) else []
    if not found and asked not in (None, "", {}, []):
        texts = [text for text in asked.values() if isinstance(text, str)] if isinstance(asked, dict) else []
        found = [Message("user", texts[0] if len(texts) == 1 else text_of(asked))]
    answer = messages_in(answered) if isinstance(answered, dict | list) else []
    if not answer and answered not in (None, "", {}, []):
        answer = [Message("agent", text_of(answered))]
    if isinstance(answered, dict) and isinstance(answered.get("messages"), list):
        answer = answer[-1:]  # a state: all of the talk, of which the last is the answer
    return [message if message.at else replace(message, at=_at(row)) for message in (*found, *answer)]


FORMAT = LogFormat(
    name="langfuse",
    title="Langfuse traces, sessions and observations",
    told_by="traces with `sessionId` and `userId`, or observations with `traceId` and `type`",
    knows=lambda value: any(True for _ in _rows(value)),
    places=_places,
    build=_build,
    limits=(
        "memory writes are seen only where they are tool calls with a name that says so",
        "older SDKs record tools as plain spans, which cannot be told from others",
    ),
)
