"""The stream of `codex exec --json`: events of a thread, without times and without the prompt."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from foldproof.logs.draft import Draft, Result, call_of
from foldproof.logs.formats import Group, LogFormat, Place
from foldproof.logs.imported import ImportedSession
from foldproof.logs.keys import text_in
from foldproof.logs.messages import text_of
from foldproof.logs.reading import LogFile, Record

_TYPES = frozenset({"thread.started", "turn.started", "turn.completed", "turn.failed", "item.started", "item.updated",
                    "item.completed"})  # fmt: skip
Item = dict[str, Any]


def _knows(value: Any) -> bool:  # noqa: ANN401  # any JSON value
    return isinstance(value, dict) and text_in(value.get("type")) in _TYPES


def _places(record: Record, file: LogFile) -> Iterator[Place]:
    if _knows(record.value) or (isinstance(record.value, dict) and record.value.get("type") == "error"):
        yield Place(f"file:{file.number}", file.stem)


def _build(group: Group) -> Iterator[ImportedSession]:
    draft = Draft(group.session, group.tally)
    for found in group.read():
        value, kind = found.value, text_in(found.value.get("type"))
        item, usage = value.get("item"), value.get("usage")
        if kind == "thread.started":
            if draft.entries:
                yield draft.done()  # a resumed thread goes on in the same file
                draft = Draft(group.session, group.tally)
            draft.id = str(value.get("thread_id") or draft.id)
        elif kind == "turn.completed" and isinstance(usage, dict):
            draft.used(usage.get("input_tokens"), usage.get("output_tokens"))
        elif kind == "item.completed" and isinstance(item, dict):
            _item(draft, item)
        else:
            group.tally.aside[str(kind)] += 1
    yield draft.done()


def _item(draft: Draft, item: Item) -> None:
    kind, id_ = text_in(item.get("type")), str(item.get("id") or "")
    if kind == "agent_message":
        draft.say("agent", text_of(item.get("text")), id=id_)
    elif kind == "reasoning":
        draft.say("agent", text_of(item.get("text")), kind="thought")
    elif kind == "command_execution":
        draft.call(call_of("command_execution", {"command": item.get("command")}, id_))
        failed = item.get("exit_code") not in {0, None} if isinstance(item.get("exit_code"), int | None) else True
        draft.answer(Result(id_, text_of(item.get("aggregated_output")), failed))
    elif kind in {"mcp_tool_call", "file_change", "web_search", "todo_list"}:
        args = {name: item[name] for name in ("arguments", "changes", "query", "items", "server") if name in item}
        draft.call(call_of(item.get("tool") or kind, args, id_))
        draft.answer(Result(id_, text_of(item.get("result") or item.get("status")), item.get("status") == "failed"))
    else:
        draft.unknown(f"item {kind}", item)


FORMAT = LogFormat(
    name="codex-exec",
    title="the stream of `codex exec --json`",
    told_by="records `thread.started`, `turn.…`, `item.…`",
    knows=_knows,
    places=_places,
    build=_build,
    limits=(
        "the stream holds no times, no user and not what the user asked",
        "memory operations have no records of their own: they are seen where a tool reads or writes a memory file",
    ),
)
