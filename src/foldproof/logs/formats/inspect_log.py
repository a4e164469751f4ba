"""Inspect logs: an archive of samples (`.eval`), or one document with its samples (`.json`, `inspect log dump`)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from foldproof.logs.draft import Draft
from foldproof.logs.formats import Group, LogFormat, Place
from foldproof.logs.imported import ImportedSession, Outcome
from foldproof.logs.messages import messages_in
from foldproof.logs.moments import moment_of
from foldproof.logs.reading import LogFile, Record

_REFERENCE = "attachment://"
_DEEPEST = 40
Fields = dict[str, Any]


def _fields(value: Any, *path: str) -> Fields:  # noqa: ANN401  # any JSON value
    for name in path:
        value = value.get(name) if isinstance(value, dict) else None
    return value if isinstance(value, dict) else {}


def _is_sample(value: Any) -> bool:  # noqa: ANN401  # any JSON value
    return isinstance(value, dict) and {"id", "epoch", "input"} <= value.keys()


def _knows(value: Any) -> bool:  # noqa: ANN401  # any JSON value
    return _is_sample(value) or bool(_fields(value, "eval").get("task") and "status" in value)


def _places(record: Record, file: LogFile) -> Iterator[Place]:
    if _knows(record.value):
        yield Place(file.label(record))


def _build(group: Group) -> Iterator[ImportedSession]:
    for found in group.read():
        if _is_sample(found.value):
            yield _session(group, found.value)
            continue
        listed = found.value.get("samples")
        if not listed:
            group.tally.note("a log without samples: only its header was written")
        for item in listed if isinstance(listed, list) else ():
            if _is_sample(item):
                yield _session(group, item)
            else:
                group.tally.strange("sample")


def _session(group: Group, item: Fields) -> ImportedSession:
    user = _fields(item, "metadata").get("user_id")
    name = f"{item['id']}-epoch-{item['epoch']}"
    draft = Draft(name, group.tally, user=str(user) if isinstance(user, str | int) else "")
    attachments = _fields(item, "attachments")
    asked, first = item.get("messages"), moment_of(item.get("started_at"))
    if not asked:
        asked = item["input"] if isinstance(item["input"], list) else [{"role": "user", "content": item["input"]}]
        asked = [*asked, *_output(item)]
    for number, message in enumerate(messages_in(_filled(asked, attachments))):
        draft.take(message if number or message.at else replace(message, at=first))
    if item.get("error"):
        group.tally.aside["samples with an error"] += 1
    for scorer, score in _fields(item, "scores").items():
        value = _fields(score).get("value")
        if isinstance(value, bool | int | float | str):
            draft.outcomes.append(Outcome(scorer, value))
    for model_name, usage in _fields(item, "model_usage").items():
        draft.spoke(model_name)
        draft.used(_fields(usage).get("input_tokens"), _fields(usage).get("output_tokens"))
    return draft.done()


def _output(item: Fields) -> list[Any]:
    choices = _fields(item, "output").get("choices")
    first = choices[0] if isinstance(choices, list) and choices else {}
    return [message] if (message := _fields(first, "message")) else []


def _filled(value: Any, attachments: Fields, depth: int = 0) -> Any:  # noqa: ANN401  # any JSON value
    """The value with the long texts put back that stand apart as attachments."""
    if isinstance(value, str) and value.startswith(_REFERENCE):
        return attachments.get(value.removeprefix(_REFERENCE), value)
    if depth < _DEEPEST and isinstance(value, list):
        return [_filled(part, attachments, depth + 1) for part in value]
    if depth < _DEEPEST and isinstance(value, dict):
        return {key: _filled(part, attachments, depth + 1) for key, part in value.items()}
    return value


FORMAT = LogFormat(
    name="inspect",
    title="Inspect logs (.eval, .json)",
    told_by="`eval`, `status` and `samples`, or samples with `id`, `epoch` and `input`",
    knows=_knows,
    places=_places,
    build=_build,
    limits=("memory reads and writes are seen only where they are tool calls with a name that says so",),
)
