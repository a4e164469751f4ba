"""Claude Code sessions: JSON lines whose order is a tree."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any

from foldproof.logs.draft import Draft, Result
from foldproof.logs.formats import Found, Group, LogFormat, Place
from foldproof.logs.imported import ImportedSession, MemoryOperation, SaidKind
from foldproof.logs.keys import text_in, value_key
from foldproof.logs.messages import message_of, text_of
from foldproof.logs.moments import Moment, moment_of
from foldproof.logs.reading import LogFile, Record
from foldproof.logs.talk import MemoryItem
from foldproof.logs.tally import Tally
from foldproof.logs.tree import Node, walk

_TALK = frozenset({"user", "assistant", "system"})
_ASIDE = frozenset({"file-history-snapshot", "queue-operation", "attachment", "progress", "last-prompt", "custom-title",
                    "ai-title", "agent-name", "permission-mode", "pr-link", "mode"})  # fmt: skip
_COMMANDS = ("<command-name>", "<command-message>", "<command-args>", "<local-command-", "<bash-", "Caveat: ",
             "[Request interrupted by user", "<task-notification>", "<user-memory-input>")  # fmt: skip
_REMINDER = re.compile(r"<system-reminder>(.*?)</system-reminder>", re.DOTALL)
_MEMORY_FILES = re.compile(r"\b(?:CLAUDE(?:\.local)?|MEMORY)\.md\b")
_FOREIGN, _TITLE = "title of a session that is not here", "title"
Line = dict[str, Any]


def _knows(value: Any) -> bool:  # noqa: ANN401  # any JSON value
    if not isinstance(value, dict):
        return False
    kind = text_in(value.get("type"))
    if kind == "summary":
        return "leafUuid" in value
    return kind in _TALK | _ASIDE and ("sessionId" in value or "snapshot" in value)


def _places(record: Record, file: LogFile) -> Iterator[Place]:
    value = record.value
    if not isinstance(value, dict):
        return
    if value.get("type") == "summary" and "leafUuid" in value:
        yield Place(f"file:{file.number}", loose=True)
        yield Place(f"file:{file.number}")
    elif isinstance(value.get("sessionId"), str):
        yield Place(value["sessionId"])
    elif text_in(value.get("type")) in _ASIDE:
        yield Place(f"file:{file.number}")


def _build(group: Group) -> Iterator[ImportedSession]:
    tally = group.tally
    mains: list[Node[Line]] = []
    sides: list[Node[Line]] = []
    draft, last = Draft(group.session, tally), 0.0
    for value in _once(group.read(), tally):
        kind = text_in(value.get("type"))
        if kind == "summary":
            tally.aside[_FOREIGN] += 1
        elif not value.get("uuid") and kind not in _TALK:
            _take(draft, value, set())  # no part of the tree
        else:
            # A record whose time cannot be read stands where it was written: right after the one before it.
            at = moment_of(value.get("timestamp"))
            last = at.order.timestamp() if at else last
            node = _node(value, (last, len(mains) + len(sides)))
            (sides if value.get("isSidechain") is True else mains).append(node)
    _title(draft, group, {node.id for node in mains})
    _tell(draft, mains)
    for name, nodes in _by_agent(sides).items():
        side = Draft(name, tally)
        _tell(side, nodes)
        draft.sidechains.append(side.done())
    yield draft.done()


def _once(found: Iterator[Found], tally: Tally) -> Iterator[Line]:
    """Every record but those that stand twice: a resumed session repeats the older one's."""
    seen: set[str] = set()
    for record in found:
        if not record.value.get("uuid"):
            yield record.value
            continue
        key = value_key([record.value.get(name) for name in ("uuid", "type", "message", "content")])
        if key in seen:
            tally.repeats += 1
        else:
            seen.add(key)
            yield record.value


def _node(value: Line, order: tuple[float, int]) -> Node[Line]:
    # The `logicalParentUuid` of a boundary is not followed: what was said beside that parent would count as left.
    parent = value.get("parentUuid") or ""
    return Node(str(value.get("uuid") or f"line-{order[1]}"), str(parent), order, value)


def _title(draft: Draft, group: Group, ids: set[str]) -> None:
    """A title counts where its leaf is in this session: titles of other sessions are written into the same file."""
    for found in group.read_loose():
        if text_in(found.value.get("leafUuid")) in ids:
            draft.title = text_of(found.value.get("summary"))
            group.tally.aside[_FOREIGN] -= 1
            group.tally.aside[_TITLE] += 1


def _by_agent(sides: Sequence[Node[Line]]) -> dict[str, list[Node[Line]]]:
    """The records of each sub-agent; those without its id are told apart by where their chain begins."""
    parents = {node.id: node.parent for node in sides}
    found: dict[str, list[Node[Line]]] = {}
    for node in sides:
        top, seen = node.id, {node.id}
        while parents[top] in parents and parents[top] not in seen:
            top = parents[top]
            seen.add(top)
        agent = node.value.get("agentId")
        found.setdefault(agent if isinstance(agent, str) and agent else f"sidechain of {top}", []).append(node)
    return found


def _tell(draft: Draft, nodes: Sequence[Node[Line]]) -> None:
    walked = walk(nodes, _belongs)
    answers: set[str] = set()
    for node in walked.active:
        _take(draft, node.value, answers)
    draft.abandoned = sum(node.value.get("type") in {"user", "assistant"} for node in walked.left)


def _belongs(node: Node[Line], parent: Node[Line]) -> bool:
    """Parallel calls: a result beside the next call, or a further part of the same answer. A redo is neither."""
    if _results_only(node.value) or node.value.get("type") == "system":
        return True
    own, above = node.value.get("message"), parent.value.get("message")
    same = isinstance(own, dict) and isinstance(above, dict) and own.get("id") == above.get("id")
    return bool(same and isinstance(own, dict) and own.get("id"))


def _results_only(value: Line) -> bool:
    message = value.get("message")
    content = message.get("content") if isinstance(message, dict) else None
    blocks = content if isinstance(content, list) else []
    return bool(blocks) and all(isinstance(block, dict) and block.get("type") == "tool_result" for block in blocks)


def _take(draft: Draft, value: Line, answers: set[str]) -> None:
    at, kind = moment_of(value.get("timestamp")), text_in(value.get("type"))
    message = value.get("message")
    content = message.get("content") if isinstance(message, dict) else None
    if kind in _ASIDE:
        draft.tally.aside[kind] += 1  # some of them stand between two messages of the tree
    elif kind not in _TALK:
        draft.unknown(value.get("type"), value)
    elif kind == "system":
        _system(draft, value, at)
    elif not isinstance(message, dict) or not isinstance(content, str | list):
        draft.unknown(f"{kind} without content", value)
    elif kind == "assistant":
        _assistant(draft, value, message, at=at, answers=answers)
    elif value.get("isCompactSummary") is True:
        draft.fold("summary", text=text_of(content), at=at)
    else:
        _user(draft, value, content, at)


def _system(draft: Draft, value: Line, at: Moment | None) -> None:
    if value.get("subtype") == "compact_boundary":
        about = value.get("compactMetadata")
        about = about if isinstance(about, dict) else {}
        draft.fold("boundary", text=text_of(value.get("content")), trigger=text_of(about.get("trigger")),
                   tokens=about.get("preTokens"), at=at)  # fmt: skip
    else:
        draft.say("system", text_of(value.get("content")), at=at, kind="context")


def _assistant(draft: Draft, value: Line, message: Line, *, at: Moment | None, answers: set[str]) -> None:
    failed = value.get("isApiErrorMessage") is True
    answer = str(message.get("id") or value.get("requestId") or value.get("uuid"))
    usage = message.get("usage")
    if answer not in answers and isinstance(usage, dict) and not failed:
        # One answer may be several records, each with the usage of the whole.
        answers.add(answer)
        cached = (usage.get("cache_creation_input_tokens"), usage.get("cache_read_input_tokens"))
        draft.used(usage.get("input_tokens"), usage.get("output_tokens"))
        for tokens in cached:
            draft.used(tokens, None)
    if not failed:
        draft.spoke(message.get("model"))
    blocks = message["content"] if isinstance(message["content"], list) else [message["content"]]
    for block in blocks:
        kind = text_in(block.get("type")) if isinstance(block, dict) else "text"
        if kind in {"thinking", "redacted_thinking"}:
            draft.say("agent", text_of(block.get("thinking")), at=at, kind="thought")
        elif found := message_of({"role": "assistant", "content": [block]}):
            said: SaidKind = "command" if failed else "said"
            draft.say("agent", found.text, at=at, kind=said, id=str(value.get("uuid", "")))
            for call in found.calls:
                draft.call(call, at=at)
            draft.entries.extend(found.unknown)


def _user(draft: Draft, value: Line, content: Any, at: Moment | None) -> None:  # noqa: ANN401  # any JSON value
    meta = value.get("isMeta") is True
    blocks = content if isinstance(content, list) else [content]
    for block in blocks:
        if isinstance(block, dict) and block.get("type") == "tool_result":
            call, copy = block.get("tool_use_id"), value.get("toolUseResult")
            text = text_of(block.get("content")) or (copy if isinstance(copy, str) else "")
            draft.answer(Result(str(call or ""), text, failed=block.get("is_error") is True), at=at)
        elif found := message_of({"role": "user", "content": [block]}):
            _said(draft, found.text, at=at, meta=meta, id=str(value.get("uuid", "")))
            draft.entries.extend(found.unknown)


def _said(draft: Draft, text: str, *, at: Moment | None, meta: bool, id: str) -> None:  # noqa: A002  # as Said.id
    """What a person typed, apart from what the program put around it."""
    for reminder in _REMINDER.findall(text):
        draft.say("system", reminder.strip(), at=at, kind="context")
        if files := _MEMORY_FILES.search(reminder):
            shown = (MemoryItem(reminder.strip()),)
            draft.remember(MemoryOperation("read", items=shown, via=f"reminder with {files[0]}", at=at))
    typed = _REMINDER.sub("", text)
    kind: SaidKind = "said"
    if typed.lstrip().startswith(_COMMANDS):
        kind = "command"
    elif meta:
        kind = "context"
    draft.say("user", typed.strip() if typed != text else typed, at=at, kind=kind, id=id)
    if kind == "command" and typed.lstrip().startswith("<user-memory-input>"):
        draft.remember(MemoryOperation("write", re.sub(r"</?user-memory-input>", "", typed).strip(), via="#", at=at))


FORMAT = LogFormat(
    name="claude-code",
    title="Claude Code sessions (projects/…/SESSION.jsonl)",
    told_by="records with `sessionId`, `uuid` and `type`",
    knows=_knows,
    places=_places,
    build=_build,
    limits=(
        "the log names no user: all of its sessions are taken as one person's",
        "memory operations have no records of their own: they are seen where a tool reads or writes a memory file",
    ),
)
