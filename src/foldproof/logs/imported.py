"""What an importer gives: sessions whose talk, tool calls, memory operations and folds are told apart."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, fields, is_dataclass, replace
from typing import Any, Literal, TypeVar

from foldproof.core import Redactor
from foldproof.logs.moments import Moment
from foldproof.logs.talk import MemoryItem, Role, Usage

SaidKind = Literal["said", "context", "command", "thought", "interim"]
"""`said` is talk. `context` is put in by the program (environment, reminders, instructions), `command` is a command of
the program and its output, `thought` is reasoning, `interim` is what an agent says between two steps."""
FoldKind = Literal["boundary", "summary", "compacted", "trimmed"]
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Said:
    """One message of a session; only the kind `said` is talk. `speaker` is the agent's name, where a log tells it."""

    role: Role
    text: str
    at: Moment | None = None
    kind: SaidKind = "said"
    id: str = ""
    speaker: str = ""


@dataclass(frozen=True, slots=True)
class Called:
    """One tool call with its result, which is None where the log holds none.

    `by` is who called; `tool` where the log holds the result alone, and what was called stands in the message before.
    `together` says that it was made before the result of the call before it was known: both belong to one step.
    """

    name: str
    args: Mapping[str, Any] = field(default_factory=dict)
    result: str | None = None
    failed: bool = False
    at: Moment | None = None
    id: str = ""
    by: Role = "agent"
    together: bool = False


@dataclass(frozen=True, slots=True)
class MemoryOperation:
    """One read or write of a memory that the log shows; `via` is the tool, span or channel that did it."""

    kind: Literal["read", "write"]
    text: str = ""
    items: tuple[MemoryItem, ...] = ()
    via: str = ""
    at: Moment | None = None
    id: str = ""


@dataclass(frozen=True, slots=True)
class Fold:
    """One place where a context was folded: its boundary, its summary, what replaced it, or messages no longer sent."""

    kind: FoldKind
    text: str = ""
    trigger: str = ""
    tokens: int | None = None
    at: Moment | None = None


@dataclass(frozen=True, slots=True)
class Unknown:
    """A record of a kind that the importer does not know, as it stands in the log."""

    kind: str
    raw: Any


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a log itself tells of how a session ended: a label or a score, by its name there."""

    name: str
    value: bool | float | str


Entry = Said | Called | MemoryOperation | Fold | Unknown


@dataclass(frozen=True, slots=True)
class ImportedSession:
    """One conversation of a log, in the order in which it happened.

    `user` is empty where the log tells none. `sidechains` are the talks of sub-agents, apart from the session's own.
    `abandoned` counts messages of edited or regenerated branches, which are left out. `outcomes` are the log's own
    labels; nothing vouches for them.
    """

    id: str
    entries: tuple[Entry, ...] = ()
    user: str = ""
    title: str = ""
    model_names: tuple[str, ...] = ()
    usage: Usage | None = None
    sidechains: tuple[ImportedSession, ...] = ()
    abandoned: int = 0
    outcomes: tuple[Outcome, ...] = ()

    @property
    def started(self) -> Moment | None:
        """The time of the first entry that has one."""
        return next((entry.at for entry in self.entries if not isinstance(entry, Unknown) and entry.at), None)

    def said(self, role: Role | None = None) -> Iterator[Said]:
        """The talk, of one role or of all; nothing that a program put in."""
        for entry in self.entries:
            if isinstance(entry, Said) and entry.kind == "said" and role in {None, entry.role}:
                yield entry

    def of_kind(self, kind: type[T]) -> list[T]:
        """The entries of one class, in order."""
        return [entry for entry in self.entries if isinstance(entry, kind)]


def redacted(session: ImportedSession, redactor: Redactor) -> ImportedSession:
    """The session with every text in it cleaned of secrets, and of halves of characters, which no file can hold."""
    cleaned = _cleaned(session, redactor)
    assert isinstance(cleaned, ImportedSession)  # noqa: S101  # a record stays what it is
    return cleaned


def _cleaned(value: Any, redactor: Redactor) -> Any:  # noqa: ANN401  # any part of a record
    if isinstance(value, str):
        return redactor(value if value.isascii() else value.encode("utf-8", "replace").decode())
    if isinstance(value, Moment) or value is None:
        return value  # what was read as a time has no room for a secret
    if isinstance(value, Mapping):
        return _written(redactor.value(dict(value)), redactor) if value else value
    if isinstance(value, list):
        return _written(redactor.value(value), redactor)
    if isinstance(value, tuple):
        return tuple([_cleaned(item, redactor) for item in value])
    if is_dataclass(value) and not isinstance(value, type):
        return _record(value, redactor)
    return value


def _record(value: Any, redactor: Redactor) -> Any:  # noqa: ANN401  # any record
    """A record with its texts cleaned; itself where nothing had to change, as with most of them."""
    changed: dict[str, Any] = {}
    for name in _names_of(type(value)):
        held = getattr(value, name)
        clean = _cleaned(held, redactor)
        if clean is not held:
            changed[name] = clean
    return replace(value, **changed) if changed else value


_NAMES: dict[type, tuple[str, ...]] = {}


def _names_of(kind: type) -> tuple[str, ...]:
    """The fields of a class of records; they are looked up for every entry of a log."""
    if kind not in _NAMES:
        _NAMES[kind] = tuple(part.name for part in fields(kind))
    return _NAMES[kind]


def _written(value: Any, redactor: Redactor) -> Any:  # noqa: ANN401  # any JSON value
    """A clean JSON value as a file can hold it. Keys are cleaned too: a log may use a token as a key."""
    if isinstance(value, str):
        return value.encode("utf-8", "replace").decode()
    if isinstance(value, list):
        return [_written(item, redactor) for item in value]
    if isinstance(value, dict):
        return {_cleaned(str(key), redactor): _written(item, redactor) for key, item in value.items()}
    return value
