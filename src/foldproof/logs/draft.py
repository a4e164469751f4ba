"""A session while it is read: results find their calls, repeats are dropped, memory calls are seen as such."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from foldproof.logs.arguments import arguments_of
from foldproof.logs.imported import (
    Called,
    Entry,
    Fold,
    FoldKind,
    ImportedSession,
    MemoryOperation,
    Outcome,
    Said,
    SaidKind,
    Unknown,
)
from foldproof.logs.keys import value_key
from foldproof.logs.memory_calls import memory_operation, memory_text
from foldproof.logs.moments import Moment
from foldproof.logs.talk import MemoryItem, Role, Usage
from foldproof.logs.tally import Tally


@dataclass(frozen=True, slots=True)
class Call:
    """A tool call as one message holds it."""

    name: str
    args: Mapping[str, Any]
    id: str = ""


@dataclass(frozen=True, slots=True)
class Result:
    """The result of a tool call as one message holds it; `call` is the id that it answers."""

    call: str
    text: str
    failed: bool = False
    name: str = ""


@dataclass(frozen=True, slots=True)
class Message:
    """One message in the one shape that all formats are brought into."""

    role: Role
    text: str = ""
    calls: tuple[Call, ...] = ()
    results: tuple[Result, ...] = ()
    kind: SaidKind = "said"
    at: Moment | None = None
    id: str = ""
    thought: str = field(default="", compare=False)
    unknown: tuple[Unknown, ...] = field(default=(), compare=False)

    @property
    def key(self) -> str:
        """The same for the same message sent again; ids and times play no part."""
        calls = [[call.name, str(sorted(call.args.items(), key=str))] for call in self.calls]
        results = [result.text.strip() for result in self.results]
        return value_key([self.role, self.text.strip(), calls, results, [str(part.raw) for part in self.unknown]])


class Draft:
    """Collects one session."""

    def __init__(self, id: str, tally: Tally, *, user: str = "") -> None:  # noqa: A002  # the record's own field
        self.id, self.user, self.tally = id, user, tally
        self.entries: list[Entry] = []
        self.title = ""
        self.model_names: list[str] = []
        self.sidechains: list[ImportedSession] = []
        self.abandoned = 0
        self.outcomes: list[Outcome] = []
        self._calls: dict[str, int] = {}
        self._reads: dict[str, int] = {}
        self._tokens: list[int | None] = [None, None]
        self._sent: list[tuple[str, int]] = []
        self._unsent = 0

    def say(self, role: Role, text: str, *, at: Moment | None = None, kind: SaidKind = "said", id: str = "") -> None:  # noqa: A002
        """Take a message; one without any text is none."""
        if text.strip():
            self.entries.append(Said(role, text, at, kind, id))

    def call(self, call: Call, *, at: Moment | None = None, by: Role = "agent") -> None:
        """Take a tool call, and the memory operation that it is, if it is one.

        The same id twice is one call, unless the first was answered and the second says something else: there are
        models that count their calls from the beginning in every turn.
        """
        place = self._calls.get(call.id) if call.id else None
        known = self.entries[place] if place is not None else None
        if isinstance(known, Called) and known.name and known.result is not None and call.args:
            place = place if (known.name, known.args) == (call.name, call.args) else None
        result: str | None = None
        if place is not None and isinstance(known, Called):
            if known.name or known.args:
                self.tally.repeats += 1
                return
            # Its result stood before it, as in a stored response whose input holds the results of its output.
            self.entries[place] = replace(known, name=call.name, args=call.args, by=by)
            result = known.result
        else:
            if call.id:
                self._calls[call.id] = len(self.entries)
            together = self._is_waiting(by)
            self.entries.append(Called(call.name, call.args, at=at, id=call.id, by=by, together=together))
        if kind := memory_operation(call.name, call.args):
            if kind == "read" and call.id:
                self._reads[call.id] = len(self.entries)
            items = (MemoryItem(result, rank=1),) if kind == "read" and result else ()
            self.entries.append(MemoryOperation(kind, memory_text(call.args), items, call.name, at, call.id))

    def answer(self, result: Result, *, at: Moment | None = None) -> None:
        """Take a result: it goes to the call of its id, in whatever order results come.

        One whose call the log does not hold is kept as a call without arguments.
        """
        place = self._calls.get(result.call) if result.call else self._open(result.name)
        if place is None:
            if result.call:
                self._calls[result.call] = len(self.entries)
            self.entries.append(Called(result.name, {}, result.text, result.failed, at, result.call, by="tool"))
            return
        made = self.entries[place]
        assert isinstance(made, Called)  # noqa: S101  # only places of calls are kept
        if made.result is not None:
            self.tally.repeats += made.result == result.text
            return
        self.entries[place] = replace(made, result=result.text, failed=result.failed)
        if (read := self._reads.get(made.id)) is not None:
            operation = self.entries[read]
            assert isinstance(operation, MemoryOperation)  # noqa: S101  # as above
            self.entries[read] = replace(operation, items=(MemoryItem(result.text, rank=1),))

    def ran(self, call: Call, result: Result | None, *, at: Moment | None = None) -> None:
        """Take a tool run that a span tells: the run of a call that a message told before is no second call."""
        if not call.id:
            waiting = (
                entry for entry in self.entries if isinstance(entry, Called) and entry.id and entry.result is None
            )
            same = (entry.id for entry in waiting if (entry.name, entry.args) == (call.name, call.args))
            call = replace(call, id=next(same, ""))
        self.call(call, at=at)
        if result is not None:
            self.answer(replace(result, call=call.id, name=call.name), at=at)

    def _is_waiting(self, by: Role) -> bool:
        """Whether the entry before is a call of the same speaker that still waits for its result."""
        made = next((entry for entry in reversed(self.entries) if not isinstance(entry, MemoryOperation)), None)
        return isinstance(made, Called) and made.result is None and made.by == by

    def _open(self, name: str) -> int | None:
        """The first call that waits for a result, of this name if one is told: for logs without ids."""
        for place, entry in enumerate(self.entries):
            if isinstance(entry, Called) and entry.result is None and not entry.id and name in {"", entry.name}:
                return place
        return None

    def remember(self, operation: MemoryOperation) -> None:
        """Take a memory operation that is no tool call."""
        self.entries.append(operation)

    def fold(self, kind: FoldKind, *, text: str = "", trigger: str = "", tokens: Any = None,  # noqa: ANN401
             at: Moment | None = None) -> None:  # fmt: skip
        """Take evidence of a fold."""
        self.entries.append(Fold(kind, text, trigger, _whole(tokens), at))

    def unknown(self, kind: object, raw: Any) -> None:  # noqa: ANN401  # any JSON value
        """Keep a record of a kind that nobody knows."""
        self.entries.append(Unknown(str(kind), raw))

    def spoke(self, name: Any) -> None:  # noqa: ANN401  # any JSON value
        """Note the language model that answered."""
        if isinstance(name, str) and name and name not in self.model_names:
            self.model_names.append(name)

    def used(self, tokens_in: Any, tokens_out: Any) -> None:  # noqa: ANN401  # any JSON value
        """Add what one answer used; what is no number adds nothing."""
        for place, tokens in enumerate((_whole(tokens_in), _whole(tokens_out))):
            if tokens is not None:
                self._tokens[place] = (self._tokens[place] or 0) + tokens

    def take(self, message: Message) -> None:
        """Take one message whole: its text, then its calls and results, then what is unknown in it."""
        self.say(message.role, message.thought, at=message.at, kind="thought")
        self.say(message.role, message.text, at=message.at, kind=message.kind, id=message.id)
        for call in message.calls:
            self.call(call, at=message.at, by="user" if message.role == "user" else "agent")
        for result in message.results:
            self.answer(result, at=message.at)
        self.entries.extend(message.unknown)

    def talk(self, messages: Sequence[Message]) -> None:
        """Take the messages of one model call, which usually repeats the whole talk before it.

        What was sent before is dropped and counted. Where the beginning of the talk is no longer sent, that is a fold
        (`trimmed`). Where a later call goes on from an earlier place, the later branch is the talk; a first message
        alone is no such place, since a person may open with the same words twice.
        """
        new = [(message.key, message) for message in self._without_known_systems(messages)]
        keys, known = [key for key, _ in new], [key for key, _ in self._sent]
        shared = _overlap(known, keys)
        prefix = _prefix(known, keys)
        if shared < prefix < len(keys) and prefix > 1:
            self._cut(prefix)
            shared = prefix
        elif prefix == len(keys) and keys:
            shared = prefix
        elif shared and len(known) - shared > self._unsent:
            self._unsent = len(known) - shared
            self.fold("trimmed", text=f"{self._unsent} earlier messages are no longer sent", at=new[0][1].at)
        self.tally.repeats += shared
        for key, message in new[shared:]:
            self._sent.append((key, len(self.entries)))
            self.take(message)

    def _without_known_systems(self, messages: Iterable[Message]) -> list[Message]:
        kept = []
        said = {entry.text for entry in self.entries if isinstance(entry, Said) and entry.role == "system"}
        for message in messages:
            if message.role != "system" or not message.text:
                kept.append(message)
            elif message.text in said:
                self.tally.repeats += 1
            else:
                said.add(message.text)
                self.take(message)
        return kept

    def _cut(self, length: int) -> None:
        """Leave out what was said after the first messages: a later call went another way."""
        self.abandoned += len(self._sent) - length
        first = self._sent[length][1]
        kept = [entry for entry in self.entries[first:] if isinstance(entry, Said) and entry.role == "system"]
        del self._sent[length:]
        self.entries[first:] = kept
        self._calls = {id_: place for id_, place in self._calls.items() if place < first}
        self._reads = {id_: place for id_, place in self._reads.items() if place < first}

    def done(self) -> ImportedSession:
        """The session as it was read."""
        used = Usage(*self._tokens) if any(tokens is not None for tokens in self._tokens) else None
        return ImportedSession(
            id=self.id,
            entries=tuple(self.entries),
            user=self.user,
            title=self.title,
            model_names=tuple(self.model_names),
            usage=used,
            sidechains=tuple(self.sidechains),
            abandoned=self.abandoned,
            outcomes=tuple(self.outcomes),
        )


def call_of(name: Any, args: Any, id: Any = "") -> Call:  # noqa: A002, ANN401  # any JSON values
    """A tool call of a log's own values; arguments may be an object or its JSON text."""
    return Call(name if isinstance(name, str) else "", arguments_of(args), id if isinstance(id, str) else "")


def _whole(value: Any) -> int | None:  # noqa: ANN401  # any JSON value
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else None


def _overlap(known: Sequence[str], new: Sequence[str]) -> int:
    """How many of the last known messages are the first new ones, at most."""
    for length in range(min(len(known), len(new)), 0, -1):
        if known[-length:] == new[:length]:
            return length
    return 0


def _prefix(known: Sequence[str], new: Sequence[str]) -> int:
    length = 0
    for one, other in zip(known, new, strict=False):
        if one != other:
            break
        length += 1
    return length
