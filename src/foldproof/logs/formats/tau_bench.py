"""tau-bench trajectories and tau2 simulations."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from foldproof.logs.draft import Draft
from foldproof.logs.formats import Group, LogFormat, Place
from foldproof.logs.imported import ImportedSession, Outcome
from foldproof.logs.messages import message_of, text_of
from foldproof.logs.moments import moment_of
from foldproof.logs.reading import LogFile, Record

_VOICE = "voice runs hold chunks of speech (`ticks`): only what was written down of them is taken"
Fields = dict[str, Any]


def _fields(value: Any, *path: str) -> Fields:  # noqa: ANN401  # any JSON value
    for name in path:
        value = value.get(name) if isinstance(value, dict) else None
    return value if isinstance(value, dict) else {}


def _is_run(value: Any) -> bool:  # noqa: ANN401  # any JSON value
    if not isinstance(value, dict) or "task_id" not in value:
        return False
    return any(isinstance(value.get(name), list) for name in ("traj", "messages", "ticks"))


def _runs(value: Any) -> list[Fields]:  # noqa: ANN401  # any JSON value
    if isinstance(value, dict) and isinstance(value.get("simulations"), list):
        value = value["simulations"]
    return [run for run in (value if isinstance(value, list) else [value]) if _is_run(run)]


def _name(run: Fields, number: int) -> str:
    own = run.get("id")
    return str(own) if isinstance(own, str) and own else f"{run['task_id']}-trial-{run.get('trial', number)}"


def _places(record: Record, file: LogFile) -> Iterator[Place]:
    if _runs(record.value):
        yield Place(file.label(record))


def _build(group: Group) -> Iterator[ImportedSession]:
    for found in group.read():
        for number, run in enumerate(_runs(found.value)):
            user = _fields(run, "info", "task").get("user_id")
            draft = Draft(_name(run, number), group.tally, user=user if isinstance(user, str) else "")
            listed = next(run[name] for name in ("traj", "messages", "ticks") if isinstance(run.get(name), list))
            if isinstance(run.get("ticks"), list) and not run.get("messages"):
                group.tally.note(_VOICE)
                _ticks(draft, run["ticks"])
            else:
                _messages(draft, run, listed)
            reached = run.get("reward", _fields(run, "reward_info").get("reward"))
            if isinstance(reached, bool | int | float):
                draft.outcomes.append(Outcome("reward", reached))
            yield draft.done()


def _messages(draft: Draft, run: Fields, listed: list[Any]) -> None:
    first = moment_of(run.get("start_time")) or moment_of(run.get("timestamp"))
    places = [(item.get("turn_idx"), item) for item in listed if isinstance(item, dict)]
    numbered = [(place, item) for place, item in places if isinstance(place, int)]
    if len(numbered) == len(listed):
        listed = [item for _, item in sorted(numbered, key=lambda pair: pair[0])]
    for item in listed:
        told = dict(item) if isinstance(item, dict) else {}
        if told.get("role") == "tool" and not told.get("tool_call_id"):
            told["tool_call_id"] = told.get("id")  # tau2: a tool's message has the id of its call
        found = message_of(told)
        if found is None:
            draft.unknown("message", item)
            continue
        draft.take(replace(found, at=found.at or (first if not draft.entries else None)))
        usage = _fields(told, "usage")
        draft.used(usage.get("prompt_tokens"), usage.get("completion_tokens"))


def _ticks(draft: Draft, ticks: list[Any]) -> None:
    draft.tally.aside["ticks"] += len(ticks)
    for tick in ticks:
        at = moment_of(_fields(tick).get("timestamp"))
        for name in ("user_chunk", "agent_chunk"):
            chunk = _fields(tick, name)
            if found := message_of({"role": "user" if name == "user_chunk" else "assistant", **chunk}):
                draft.take(replace(found, text=text_of(chunk.get("content")), at=at))


FORMAT = LogFormat(
    name="tau-bench",
    title="tau-bench trajectories and tau2 simulations",
    told_by="`task_id` with `traj`, `messages` or `ticks`, alone or in `simulations`",
    knows=lambda value: bool(_runs(value)),
    places=_places,
    build=_build,
    limits=(
        "the users are simulated; tau2 names none",
        "memory reads and writes are seen only where they are tool calls with a name that says so",
    ),
)
