"""History files: the past sessions that a memory is built from."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from foldproof.cases.faults import Fault, quoted
from foldproof.cases.json_nodes import read_json
from foldproof.cases.nodes import ReadBytes, data_of, read_bytes, read_text, shown, surrogate_in
from foldproof.cases.writing import write_atomically
from foldproof.core import FileError, Problem, nearest_of
from foldproof.logs import History, Role, Session, Turn, as_lines

_ROLES: dict[str, Role] = {"user": "user", "agent": "agent", "assistant": "agent", "system": "system", "tool": "tool"}
_SESSION_KEYS = ("session", "at", "turns")
_TURN_KEYS = ("role", "text")
_SHAPE = '{"session": "s1", "at": "2026-03-04", "turns": [{"role": "user", "text": "…"}]}'


class _Reader:
    """Collects the sessions of one file and what is wrong with it."""

    def __init__(self, path: Path) -> None:
        self.file = shown(path)
        self.problems: list[Problem] = []
        self.sessions: list[Session] = []
        self.seen: dict[str, int] = {}

    def wrong(self, line: int, message: str, hint: str) -> None:
        self.problems.append(Problem(self.file, line, message, hint, rule="history"))

    def keys(self, value: dict[str, Any], allowed: tuple[str, ...], line: int, what: str) -> None:
        for key in value:
            if key not in allowed:
                self.wrong(line, f"{what} has an unknown field `{key}`", nearest_of(key, allowed))

    def turn(self, value: Any, line: int, what: str) -> Turn:  # noqa: ANN401  # any JSON value
        if not isinstance(value, dict):
            raise Fault(f"{what} must be a mapping, not {quoted(value)}", _SHAPE)
        self.keys(value, _TURN_KEYS, line, what)
        role, text = value.get("role"), value.get("text")
        if not isinstance(role, str) or role not in _ROLES:
            raise Fault(f"{what} has the role {quoted(role)}", nearest_of(str(role), _ROLES))
        if not isinstance(text, str):
            raise Fault(f"{what} has the text {quoted(text)}", "`text` must be a text")
        if surrogate_in(text):
            raise Fault(f"{what} holds half a character (a lone surrogate)", "write the character itself")
        return Turn(_ROLES[role], text)

    def session(self, value: Any, line: int) -> None:  # noqa: ANN401  # any JSON value
        """Take over one session, or say what is wrong with it."""
        try:
            name, at, turns = self.opened(value, line)
        except Fault as fault:
            self.wrong(line, str(fault), fault.hint)
            return
        found: list[Turn] = []
        for number, turn in enumerate(turns, 1):
            try:
                found.append(self.turn(turn, line, f"session '{name}', turn {number},"))
            except Fault as fault:
                self.wrong(line, str(fault), fault.hint)
        self.sessions.append(Session(name, tuple(found), at))

    def opened(self, value: Any, line: int) -> tuple[str, str, list[Any]]:  # noqa: ANN401  # any JSON value
        """The id, the time and the turns of a session."""
        if not isinstance(value, dict):
            raise Fault(f"a session must be a mapping, not {quoted(value)}", _SHAPE)
        name = value.get("session")
        if not isinstance(name, str) or not name or surrogate_in(name):
            raise Fault(f"a session has the id {quoted(name)}", "`session` must be a text of its own in the file")
        self.keys(value, _SESSION_KEYS, line, f"session '{name}'")
        if name in self.seen:
            first = self.seen[name]
            raise Fault(f"session '{name}' stands twice, first in line {first}", "give each session its own id")
        self.seen[name] = line
        at, turns = value.get("at", ""), value.get("turns")
        if not isinstance(at, str) or surrogate_in(at):
            raise Fault(f"session '{name}' has the time {quoted(at)}", "`at` must be a text: an ISO time or another")
        if not isinstance(turns, list):
            raise Fault(f"session '{name}' has the turns {quoted(turns)}", "`turns` must be a list")
        return name, at, turns

    def lines(self, text: str) -> None:
        for number, line in enumerate(text.split("\n"), 1):
            if not line.strip():
                continue
            try:
                value = json.loads(line)
            except json.JSONDecodeError as error:
                self.wrong(number, f"the line is no JSON: {error.msg} at column {error.colno}", "one session a line")
            except (ValueError, RecursionError) as error:  # a number of thousands of digits, brackets without end
                self.wrong(number, f"the line is no JSON: {type(error).__name__}", "one session a line")
            else:
                self.session(value, number)

    def whole(self, text: str) -> None:
        root, problems = read_json(text, self.file)
        self.problems += problems
        if root is None:
            return
        if not isinstance(root.value, list):
            self.wrong(root.line, "the file must hold a list of sessions", f"[{_SHAPE}]")
            return
        for item in root.value:
            self.session(data_of(item), item.line)


def read_history(name: str, path: Path, *, read: ReadBytes = read_bytes) -> History:
    """The history of a file: `.jsonl`, one session a line, or `.json`, a list of sessions.

    The order of the file is kept: it is read as oldest first.

    Raises:
        FileError: with everything that is wrong with the file.
    """
    text = read_text(path, read)
    reader = _Reader(path)
    if path.suffix == ".json":
        reader.whole(text)
    else:
        reader.lines(text)
    if not reader.sessions and not reader.problems:
        reader.wrong(0, "the history holds no session", f"write at least one: {_SHAPE}")
    if reader.problems:
        raise FileError(reader.problems)
    return History(name, tuple(reader.sessions))


def write_history(history: History, path: Path) -> None:
    """Write a history as JSON lines, one session a line.

    Raises:
        UsageError: where the folder cannot be written to.
    """
    write_atomically(path, history_bytes(history))


def history_bytes(history: History) -> bytes:
    """A history as the file that it is written to."""
    lines = [json.dumps(session, ensure_ascii=False) for session in as_lines(history)]
    return "".join(f"{line}\n" for line in lines).encode()
