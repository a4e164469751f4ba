"""The export of ChatGPT: `conversations.json`, each conversation a tree with a current node."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from foldproof.logs.draft import Call, Draft, Result
from foldproof.logs.formats import Group, LogFormat, Place
from foldproof.logs.imported import ImportedSession, MemoryOperation
from foldproof.logs.messages import json_in, role_of, text_of
from foldproof.logs.moments import Moment, moment_of
from foldproof.logs.reading import LogFile, Record
from foldproof.logs.talk import MemoryItem

_THOUGHTS = frozenset({"thoughts", "reasoning_recap"})
_TEXTS = {"code": "text", "execution_output": "text", "tether_quote": "text", "tether_browsing_display": "result",
          "reasoning_recap": "content", "system_error": "text", "sonic_webpage": "text"}  # fmt: skip
Fields = dict[str, Any]


def _knows(value: Any) -> bool:  # noqa: ANN401  # any JSON value
    return isinstance(value, dict) and isinstance(value.get("mapping"), dict)


def _places(record: Record, file: LogFile) -> Iterator[Place]:
    if _knows(record.value):
        yield Place(_id(record.value) or file.label(record))


def _id(value: Fields) -> str:
    return str(value.get("conversation_id") or value.get("id") or "")


def _build(group: Group) -> Iterator[ImportedSession]:
    newest: Fields | None = None
    for found in group.read():
        if newest is not None:
            group.tally.repeats += 1  # the same conversation in an older export
        if newest is None or _updated(found.value) >= _updated(newest):
            newest = found.value
    if newest is None:
        return
    draft = Draft(group.session, group.tally)
    draft.title = text_of(newest.get("title"))
    path, others = _path(newest)
    for message in path:
        _take(draft, message)
    draft.abandoned = sum(_role(message) in {"user", "agent"} and _shown(message) for message in others)
    yield draft.done()


def _updated(value: Fields) -> float:
    at = moment_of(value.get("update_time") or value.get("create_time"))
    return at.order.timestamp() if at else 0.0


def _path(value: Fields) -> tuple[list[Fields], list[Fields]]:
    """The messages from the root to the current node, and those of edited or regenerated branches."""
    nodes = {str(name): node for name, node in value["mapping"].items() if isinstance(node, dict)}
    current = str(value.get("current_node") or "")
    if current not in nodes:
        current = max(nodes, key=lambda name: _updated(_message(nodes[name])), default="")
    names: list[str] = []
    while current in nodes and current not in names:
        names.append(current)
        current = str(nodes[current].get("parent") or "")
    chosen = set(names)
    others = [_message(node) for name, node in nodes.items() if name not in chosen]
    path = [_message(nodes[name]) for name in reversed(names)]
    return [message for message in path if message], [message for message in others if message]


def _message(node: Fields) -> Fields:
    found = node.get("message")
    return found if isinstance(found, dict) else {}


def _part(message: Fields, name: str) -> Fields:
    found = message.get(name)
    return found if isinstance(found, dict) else {}


def _role(message: Fields) -> str:
    return role_of(_part(message, "author").get("role")) or ""


def _shown(message: Fields) -> bool:
    return _part(message, "metadata").get("is_visually_hidden_from_conversation") is not True


def _take(draft: Draft, message: Fields) -> None:
    content, at = _part(message, "content"), moment_of(message.get("create_time"))
    kind = str(content.get("content_type", ""))
    if kind == "user_editable_context":
        texts = (content.get("user_profile"), content.get("user_instructions"))
        draft.say("user", "\n".join(text_of(text) for text in texts if text), at=at, kind="context")
    elif kind == "model_editable_context":
        held = text_of(content.get("model_set_context"))
        if held.strip():
            draft.remember(MemoryOperation("read", items=(MemoryItem(held),), via="model_set_context", at=at))
    elif kind == "thoughts":
        thoughts = content.get("thoughts")
        for thought in thoughts if isinstance(thoughts, list) else ():
            draft.say("agent", text_of(_part({"_": thought}, "_").get("content")), at=at, kind="thought")
    elif kind in {"text", "multimodal_text"} or kind in _TEXTS:
        _talk(draft, message, _text(content, kind), at)
    else:
        draft.unknown(f"content {kind}", message)


def _text(content: Fields, kind: str) -> str:
    if kind in _TEXTS:
        return text_of(content.get(_TEXTS[kind]))
    parts = content.get("parts")
    told = []
    for part in parts if isinstance(parts, list) else ():
        named = part.get("content_type") if isinstance(part, dict) else None
        told.append(f"[{named}]" if named and "text" not in part else text_of(part))
    return "\n".join(text for text in told if text)


def _talk(draft: Draft, message: Fields, text: str, at: Moment | None) -> None:
    role, recipient = role_of(_part(message, "author").get("role")), str(message.get("recipient") or "all")
    name, id_ = str(_part(message, "author").get("name") or ""), str(message.get("id") or "")
    if role == "agent":
        draft.spoke(_part(message, "metadata").get("model_slug"))
    if role is None:
        draft.unknown(f"role {_part(message, 'author').get('role')}", message)
    elif role == "tool":
        draft.answer(Result("", text, name=name), at=at)
    elif role == "agent" and recipient != "all":
        args = json_in(text)
        draft.call(Call(recipient, args if isinstance(args, dict) else {"text": text}), at=at)
    elif role == "agent" and _part(message, "content").get("content_type") in _THOUGHTS:
        draft.say(role, text, at=at, kind="thought")
    else:
        draft.say(role, text, at=at, kind="said" if _shown(message) else "context", id=id_)


FORMAT = LogFormat(
    name="chatgpt",
    title="the export of ChatGPT (conversations.json)",
    told_by="conversations with a `mapping` of nodes",
    knows=_knows,
    places=_places,
    build=_build,
    limits=(
        "the export names no user: all of its conversations are taken as one person's",
        "memories have no ids, and one that was deleted still appears as written: a forget cannot be shown",
        "the export counts no tokens",
    ),
)
