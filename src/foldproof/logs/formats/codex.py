"""Codex rollouts: JSON lines of `{timestamp, type, payload}`, one session a file."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

from foldproof.logs.draft import Draft, Result, call_of
from foldproof.logs.formats import Group, LogFormat, Place
from foldproof.logs.imported import ImportedSession
from foldproof.logs.keys import text_in
from foldproof.logs.messages import json_in, message_of, text_of
from foldproof.logs.moments import Moment, moment_of
from foldproof.logs.reading import LogFile, Record

_TYPES = frozenset({"session_meta", "turn_context", "response_item", "event_msg", "compacted"})
_CONTEXT = ("<environment_context>", "<user_instructions>", "<permissions", "<INSTRUCTIONS>", "<collaboration_mode>",
            "# AGENTS.md instructions", "<apps_instructions>", "<skills_instructions>", "<skill>")  # fmt: skip
_COMMANDS = ("<turn_aborted>", "<user_shell_command>", "<subagent_notification>")
_REQUEST = "## My request for Codex:"
_QUIET = frozenset({"task_started", "task_complete", "turn_started", "turn_complete", "exec_command_begin",
                    "exec_command_end", "exec_command_output_delta", "patch_apply_begin", "patch_apply_end",
                    "web_search_begin", "web_search_end", "mcp_tool_call_begin", "mcp_tool_call_end",
                    "agent_reasoning_section_break", "thread_name_updated", "item_completed", "warning", "error",
                    "stream_error", "background_event", "entered_review_mode", "exited_review_mode"})  # fmt: skip
_OUTPUTS = frozenset({"function_call_output", "custom_tool_call_output", "local_shell_call_output"})
Payload = dict[str, Any]


def _knows(value: Any) -> bool:  # noqa: ANN401  # any JSON value
    return isinstance(value, dict) and text_in(value.get("type")) in _TYPES and isinstance(value.get("payload"), dict)


def _places(record: Record, file: LogFile) -> Iterator[Place]:
    if isinstance(record.value, dict) and ("payload" in record.value or text_in(record.value.get("type")) in _TYPES):
        yield Place(f"file:{file.number}", file.stem)


def _build(group: Group) -> Iterator[ImportedSession]:
    draft = Draft(group.session, group.tally)
    twins = Counter(text for found in group.read() if (text := _message_text(found.value)))
    compacted = sum(found.value.get("type") == "compacted" for found in group.read())
    totals: dict[str, Any] = {}
    named = False
    for found in group.read():
        value = found.value
        payload, kind, at = value.get("payload"), text_in(value.get("type")), moment_of(value.get("timestamp"))
        if not isinstance(payload, dict) or kind not in _TYPES:
            draft.unknown(kind, value)
        elif kind == "session_meta":
            # A forked session repeats the one that it came from after its own.
            draft.id = draft.id if named else str(payload.get("session_id") or payload.get("id") or draft.id)
            named = True
        elif kind == "turn_context":
            draft.spoke(payload.get("model"))
        elif kind == "compacted":
            draft.fold("compacted", text=_replaced(payload), at=at)
        elif kind == "response_item":
            _item(draft, payload, at)
        else:
            compacted = _event(draft, payload, at=at, twins=twins, compacted=compacted)
            totals = _totals(payload) or totals
    draft.used(totals.get("input_tokens"), totals.get("output_tokens"))
    yield draft.done()


def _message_text(value: Payload) -> str:
    payload = value.get("payload")
    if value.get("type") != "response_item" or not isinstance(payload, dict):
        return ""
    if payload.get("type") == "reasoning":
        return _thought(payload).strip()
    found = message_of(payload) if payload.get("type") == "message" else None
    return _without_pictures(found.text) if found else ""


def _without_pictures(text: str) -> str:
    return "\n".join(line for line in text.split("\n") if line != "[input_image]").strip()


def _replaced(payload: Payload) -> str:
    """The summary, and below it what stands in the place of the older talk."""
    history = payload.get("replacement_history")
    kept = [found for item in (history if isinstance(history, list) else ()) if (found := message_of(item))]
    return "\n".join([text_of(payload.get("message")), *(f"{item.role}: {item.text}" for item in kept)]).strip()


def _totals(payload: Payload) -> dict[str, Any]:
    """The running totals, which are repeated: the last ones are the session's."""
    info = payload.get("info") if payload.get("type") == "token_count" else None
    totals = info.get("total_token_usage") if isinstance(info, dict) else None
    return totals if isinstance(totals, dict) else {}


def _item(draft: Draft, payload: Payload, at: Moment | None) -> None:
    kind = text_in(payload.get("type"))
    if kind == "message":
        _message(draft, payload, at)
    elif kind == "reasoning":
        draft.say("agent", _thought(payload), at=at, kind="thought")
    elif kind in {"function_call", "custom_tool_call"}:
        args = payload.get("arguments") if kind == "function_call" else {"input": payload.get("input")}
        draft.call(call_of(payload.get("name"), args, payload.get("call_id")), at=at)
    elif kind in {"local_shell_call", "web_search_call", "tool_search_call"}:
        name = str(kind).removesuffix("_call")
        draft.call(call_of(name, payload.get("action"), payload.get("call_id") or payload.get("id")), at=at)
    elif kind in _OUTPUTS:
        text, failed = _output(payload.get("output"))
        draft.answer(Result(str(payload.get("call_id") or ""), text, failed), at=at)
    elif kind in {"compaction", "compaction_summary", "context_compaction"}:
        draft.fold("compacted", text="(encrypted)", at=at)
    elif kind == "ghost_snapshot":
        draft.tally.aside["ghost_snapshot"] += 1
    else:
        draft.unknown(f"response_item {kind}", payload)


def _message(draft: Draft, payload: Payload, at: Moment | None) -> None:
    found = message_of(payload)
    if found is None:
        draft.unknown(f"message of role {payload.get('role')}", payload)
        return
    if found.role == "system":
        draft.say("system", found.text, at=at, kind="context")
    elif found.role == "user":
        _typed(draft, found.text, at)
    else:
        kind = payload.get("phase") == "commentary"
        draft.say(found.role, found.text, at=at, kind="interim" if kind else "said")
    draft.entries.extend(found.unknown)


def _typed(draft: Draft, text: str, at: Moment | None) -> None:
    start = text.lstrip()
    if start.startswith(_CONTEXT):
        draft.say("user", text, at=at, kind="context")
    elif start.startswith(_COMMANDS):
        draft.say("user", text, at=at, kind="command")
    elif start.startswith("# Context from my IDE setup") and _REQUEST in text:
        around, _, typed = text.partition(_REQUEST)
        draft.say("user", around.strip(), at=at, kind="context")
        draft.say("user", typed.strip(), at=at)
    else:
        draft.say("user", text, at=at)


def _thought(payload: Payload) -> str:
    return text_of(payload.get("summary") or payload.get("content") or "")


def _output(value: Any) -> tuple[str, bool]:  # noqa: ANN401  # any JSON value
    """The text of a result; 0.40 writes it as the JSON of `{output, metadata.exit_code}`."""
    inner = json_in(value)
    if isinstance(inner, dict) and "output" in inner:
        about = inner.get("metadata")
        code = about.get("exit_code") if isinstance(about, dict) else 0
        return text_of(inner["output"]), code not in {0, None} if isinstance(code, int | None) else False
    if isinstance(inner, dict) and "content" in inner:
        return text_of(inner["content"]), inner.get("success") is False
    return text_of(value), False


def _event(draft: Draft, payload: Payload, *, at: Moment | None, twins: Counter[str], compacted: int) -> int:
    """One event. Messages are told twice, as an event and as an item: the event counts where no item says the same."""
    kind = text_in(payload.get("type"))
    if kind in {"user_message", "agent_message", "agent_reasoning"}:
        text = text_of(payload.get("message") or payload.get("text"))
        if twins[text.strip()] > 0:
            twins[text.strip()] -= 1
            draft.tally.repeats += 1
        elif kind == "user_message":
            _typed(draft, text, at)
        else:
            draft.say("agent", text, at=at, kind="said" if kind == "agent_message" else "thought")
    elif kind == "context_compacted":
        if compacted > 0:
            draft.tally.repeats += 1
            return compacted - 1
        draft.fold("compacted", at=at)
    elif kind == "turn_aborted":
        draft.say("user", f"({text_of(payload.get('reason')) or 'interrupted'})", at=at, kind="command")
    elif kind in _QUIET or kind == "token_count":
        draft.tally.aside[str(kind)] += 1
    else:
        draft.unknown(f"event {kind}", payload)
    return compacted


FORMAT = LogFormat(
    name="codex",
    title="Codex rollouts (sessions/…/rollout-….jsonl)",
    told_by="records `{timestamp, type, payload}`",
    knows=_knows,
    places=_places,
    build=_build,
    limits=(
        "the log names no user: all of its sessions are taken as one person's",
        "memory operations have no records of their own: they are seen where a tool reads or writes a memory file",
    ),
)
