"""The page of `import logs`: the counts, what is broken, what the log cannot show."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from foldproof.report.imports import ImportDocument
from foldproof.report.pages.readings import write_reading
from foldproof.report.sheet import Sheet, write_list
from foldproof.report.text import inline

_USERS = 8


def write_import(sheet: Sheet, document: ImportDocument) -> None:
    """What was written, one row a count, then broken lines, limits and what to do next."""
    if not document.written:
        sheet.line("nothing was written; --to FILE.jsonl writes the history")
    for path in document.written:
        sheet.line("wrote ", (inline(path), "strong"))
    write_reading(sheet, document, _counts(document))
    write_list(sheet, "what this log cannot show, and what is left in it", [inline(note) for note in document.notes])
    write_list(sheet, "next", [inline(command) for command in document.next])


def _counts(document: ImportDocument) -> Iterator[tuple[str, int, str]]:
    yield "sessions", document.sessions, _sessions(document)
    yield "users", len([user for user in document.users if user]), _users(document.users)
    for role in ("user", "agent", "tool", "system"):
        if role in {"user", "agent"} or role in document.turns:
            yield f"turns of {role}", document.turns.get(role, 0), ""
    yield "tool calls", document.tool_calls, f"{document.unanswered} without a result" if document.unanswered else ""
    yield "memory reads", document.memory_reads, ""
    yield "memory writes", document.memory_writes, ""
    yield "folds", sum(document.folds.values()), _told(document.folds)
    yield "sidechains", document.sidechains, "talks of sub-agents, kept apart" if document.sidechains else ""
    yield "no talk", sum(document.aside.values()), _told(document.aside)
    yield "left branches", document.abandoned, "messages that were edited or regenerated" if document.abandoned else ""
    yield "repeats dropped", document.repeats, ""
    yield "broken lines", document.broken, ""
    yield "unknown kinds", sum(document.unknown.values()), _told(document.unknown)


def _sessions(document: ImportDocument) -> str:
    counts = ((document.without_time, "without a time"), (document.naive_times, "whose time has no zone"),
              (document.silent, "without a turn to write"))  # fmt: skip
    return ", ".join(f"{count} {what}" for count, what in counts if count)


def _users(users: Mapping[str, int]) -> str:
    told = [f"{inline(user) or '(not told)'}: {count}" for user, count in users.items()]
    more = [f"{len(told) - _USERS} more"] if len(told) > _USERS else []
    return ", ".join(told[:_USERS] + more)


def _told(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{inline(name)}: {count}" for name, count in counts.items())
