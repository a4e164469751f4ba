"""LangGraph: the history of a thread's states (`get_state_history`), checkpoints, and the items of a store.

They come as JSON, or out of a database of checkpoints, which `foldproof.logs.checkpoints` reads.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from foldproof.logs.draft import Draft, Message
from foldproof.logs.formats import Group, LogFormat, Place
from foldproof.logs.imported import ImportedSession, MemoryOperation
from foldproof.logs.messages import messages_in, text_of
from foldproof.logs.moments import Moment, moment_of
from foldproof.logs.reading import LogFile, Record
from foldproof.logs.talk import MemoryItem
from foldproof.logs.tree import Node, walk

Fields = dict[str, Any]


def _fields(value: Any, *path: str) -> Fields:  # noqa: ANN401  # any JSON value
    for name in path:
        value = value.get(name) if isinstance(value, dict) else None
    return value if isinstance(value, dict) else {}


def _state(value: Fields) -> Fields:
    return _fields(value, "values") or _fields(value, "checkpoint", "channel_values")


def _is_state(value: Any) -> bool:  # noqa: ANN401  # any JSON value
    return "thread_id" in _fields(value, "config", "configurable") and (
        isinstance(_fields(value).get("values"), dict | list) or bool(_fields(value, "checkpoint"))
    )


def _is_item(value: Any) -> bool:  # noqa: ANN401  # any JSON value
    return isinstance(value, dict) and isinstance(value.get("namespace"), list) and {"key", "value"} <= value.keys()


def _rows(value: Any) -> Iterator[Fields]:  # noqa: ANN401  # any JSON value
    for item in value if isinstance(value, list) else [value]:
        if _is_state(item) or _is_item(item):
            yield item


def _place(row: Fields) -> str:
    if _is_item(row):
        return "store " + "/".join(map(str, row["namespace"]))
    return "thread " + str(row["config"]["configurable"]["thread_id"])


def _places(record: Record, file: LogFile) -> Iterator[Place]:  # noqa: ARG001  # one signature for all formats
    yield from (Place(name) for name in dict.fromkeys(_place(row) for row in _rows(record.value)))


def _build(group: Group) -> Iterator[ImportedSession]:
    rows = list(group.parts(lambda value: ((_place(row), row) for row in _rows(value))))
    kind, _, name = group.session.partition(" ")
    draft = Draft(name, group.tally)
    if kind == "store":
        _store(draft, name, rows)
        draft.id = group.session
        yield draft.done()
        return
    spaces: dict[str, list[Fields]] = {}
    for row in rows:
        spaces.setdefault(str(row["config"]["configurable"].get("checkpoint_ns") or ""), []).append(row)
        user = _fields(row, "metadata").get("user_id") or row["config"]["configurable"].get("user_id")
        draft.user = draft.user or (str(user) if isinstance(user, str | int) else "")
    for space, states in spaces.items():
        place = Draft(space, group.tally) if space else draft
        _tell(place, states)
        if space:
            draft.sidechains.append(place.done())  # a subgraph keeps checkpoints of its own
    yield draft.done()


def _store(draft: Draft, namespace: str, rows: Sequence[Fields]) -> None:
    for row in rows:
        value = row["value"]
        texts = [text for text in value.values() if isinstance(text, str)] if isinstance(value, dict) else []
        text = texts[0] if len(texts) == 1 else text_of(value)
        at = moment_of(row.get("updated_at")) or moment_of(row.get("created_at"))
        item = MemoryItem(text, str(row["key"]), kind=namespace)
        draft.remember(MemoryOperation("write", text, (item,), f"store {namespace}", at, str(row["key"])))


def _at(row: Fields) -> Moment | None:
    return moment_of(row.get("created_at")) or moment_of(_fields(row, "checkpoint").get("ts"))


def _tell(draft: Draft, rows: Sequence[Fields]) -> None:
    """Follow the states from the first to the newest: each holds the whole list, so only its changes are told."""
    nodes: dict[str, Node[Fields]] = {}
    for number, row in enumerate(rows):
        own = str(row["config"]["configurable"].get("checkpoint_id") or f"state {number}")
        draft.tally.repeats += own in nodes
        step = _fields(row, "metadata").get("step")
        at = _at(row)
        order = (at.order.timestamp() if at else 0.0, step if isinstance(step, int) else number)
        parent = _fields(row, "parent_config", "configurable").get("checkpoint_id")
        nodes.setdefault(own, Node(own, str(parent or ""), order, row))
    walked = walk(list(nodes.values()), lambda *_: False)
    known: dict[str, Message] = {}
    for node in walked.active:
        known = _change(draft, known, node.value)
    left = {name for node in walked.left for name in _messages(node.value)}
    draft.abandoned = len(left - set(known))
    if any(_fields(node.value, "checkpoint") and not _state(node.value) for node in walked.active):
        draft.tally.note("some checkpoints hold no values: write the output of `get_state_history` instead")


def _messages(row: Fields) -> dict[str, Message]:
    """The messages of a state by their ids, or by what they say where they have none."""
    listed = messages_in(_state(row).get("messages"))
    return {message.id or message.key: message for message in listed}


def _change(draft: Draft, known: dict[str, Message], row: Fields) -> dict[str, Message]:
    new, at = _messages(row), _at(row)
    gone = [message for name, message in known.items() if name not in new]
    if gone:
        text = "\n".join(f"{message.role}: {message.text}" for message in gone)
        draft.fold("trimmed", text=text, trigger=str(_fields(row, "metadata").get("source") or ""), at=at)
    for name, message in new.items():
        if name not in known or known[name].key != message.key:
            draft.take(_with_time(message, at))
            if name not in known:
                _used(draft, row, name)
    return new


def _used(draft: Draft, row: Fields, name: str) -> None:
    """Add what the answer of this id used, and note the model that gave it, where LangChain's message tells them."""
    listed = _state(row).get("messages")
    for item in listed if isinstance(listed, list) else ():
        if _fields(item).get("id") == name:
            usage = _fields(item, "usage_metadata")
            draft.used(usage.get("input_tokens"), usage.get("output_tokens"))
            about = _fields(item, "response_metadata")
            draft.spoke(about.get("model_name") or about.get("model"))


def _with_time(message: Message, at: Moment | None) -> Message:
    return message if message.at else replace(message, at=at)


FORMAT = LogFormat(
    name="langgraph",
    title="LangGraph state history, checkpoints and store items",
    told_by="states with `config.configurable.thread_id`, or items with `namespace`, `key`, `value`",
    knows=lambda value: any(True for _ in _rows(value)),
    places=_places,
    build=_build,
    limits=("what is put into a store is not in the checkpoints: export its items too; a read of it is not shown",),
)
