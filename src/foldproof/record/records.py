"""The typed records that a run yields. Everything after the run reads these and nothing else."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from functools import cached_property
from typing import Any, Literal, NamedTuple

from foldproof.core import content_hash
from foldproof.logs import MemoryItem, Seen, ToolCall, Usage

RunState = Literal["running", "finished", "interrupted", "stopped"]
"""`stopped` means that a cost or time limit ended the run before its plan was done."""
ErrorKind = Literal["agent", "memory", "timeout", "transport", "empty", "error text", "counterpart"]
"""Who failed: the agent, its memory while it was built, the clock, the connection, an answer that is none, or who
answers the agent."""
Speaker = Literal["case", "correction", "rule", "simulated"]
"""Who chose what the user says: the turn of the case itself, a line of its counterpart, or a model."""
Close = Literal["", "silent", "limit", "done"]
"""Why the user says nothing more in a turn: no line fits, the limit of turns, the simulated user is done. Empty where
that was not to be decided."""
Control = Literal["", "unplugged", "oracle", "full", "live"]
"""Empty for a run of the memory itself; `live` where the messages of frozen turns were said anew. Else the memory
was cut off, and nothing, the expected facts or the whole history stood in the prompt."""


class TrialKey(NamedTuple):
    """Which trial of a run: the case and the repetition, from 0."""

    case: str
    repeat: int


@dataclass(frozen=True, slots=True)
class TrialError:
    """Why a trial has no answer that can be judged. `type` is the exception's name, or empty."""

    kind: ErrorKind
    message: str
    type: str = ""
    traceback: str = ""


def _hashed(item: MemoryItem) -> dict[str, Any]:
    """What of an item is hashed; a field that came later only where it is set, so that old hashes stay as they are."""
    later = ("user", "dropped")
    return {name: value for name, value in asdict(item).items() if value or name not in later}


@dataclass(frozen=True)
class StoreListing:
    """What a memory held at one moment. Trials name it by its hash, so that it is kept once."""

    items: tuple[MemoryItem, ...]

    @cached_property
    def sha256(self) -> str:
        """Hash of the items, in their order."""
        return content_hash([_hashed(item) for item in self.items])


@dataclass(frozen=True, slots=True)
class UserListing:
    """What the memory listed of one user, by label, after a session and after the maintenance that followed it.

    None means that it could not be seen.
    """

    user: str
    ended: tuple[MemoryItem, ...] | None = None
    after: tuple[MemoryItem, ...] | None = None


@dataclass(frozen=True, slots=True)
class TurnRecord:
    """What one turn of a session left behind; both numbers count from 1. `user` is what the user said.

    Where a live counterpart goes on with a turn, each thing that the user says in it makes a record of its own:
    `attempt` counts them from 1, `speaker` says who chose the words, and `close`, on the last, why there are no more.
    `goal_met` is what a simulated user thinks of its goal in the end.

    None means as in `Trial`. `fresh` says whether the context of a later session was free of what was said before,
    where that can be seen; the first session has nothing to be free of. `store_written` and `store_kept` name the
    listings after the session and after the maintenance that followed it; they stand on the last turn of a session.
    `state` is the state of the agent's world after this turn.
    `before`, `ended` and `after` hold what the memory listed before the session, after it, and after the maintenance;
    they stand on every turn of a session of which an expectation looks at that.

    `user_id` is the user id that the session had, empty where it is that of the trial. `listings` hold what the memory
    listed of every user, in a case that has several or must forget something; they stand on the last turn of each
    session.
    """

    session: int
    turn: int
    user: str
    at: str = ""
    answer: str = ""
    tool_calls: tuple[ToolCall, ...] | None = None
    memory_reads: tuple[MemoryItem, ...] | None = None
    memory_writes: tuple[MemoryItem, ...] | None = None
    prompt: str | None = None
    seen: tuple[Seen, ...] = ()
    fresh: bool | None = None
    store_written: str | None = None
    store_kept: str | None = None
    before: tuple[MemoryItem, ...] | None = None
    ended: tuple[MemoryItem, ...] | None = None
    after: tuple[MemoryItem, ...] | None = None
    state: Mapping[str, Any] | None = None
    user_id: str = ""
    listings: tuple[UserListing, ...] = ()
    attempt: int = 1
    speaker: Speaker = "case"
    close: Close = ""
    goal_met: bool | None = None

    @property
    def name(self) -> str:
        """How the turn is named: `s2.t1`, and `s2.t1.a2` what follows in it."""
        name = f"s{self.session}.t{self.turn}"
        return name if self.attempt == 1 else f"{name}.a{self.attempt}"


@dataclass(frozen=True, slots=True)
class Trial:
    """What one repetition of one case left behind.

    None in a field means that it could not be seen; an empty tuple that it was seen and there was none. `user` is
    the user id that the trial had of its own.
    `seen` is what other sources than the adapter saw while the question was answered, `building` what they saw
    while the memory was built. Where another trial of the run had built it, `built_by` is that one's user id, and the
    calls of `building` are without their `request`. `store_written` and `store_kept` name the
    `StoreListing`s before and after the folds. `started_at` is UTC in ISO form, `duration_s` the seconds of the
    last attempt, `attempts` counts from 1. `state` is the state of the agent's world after the answer.

    `turns` are those of a case with sessions, in their order; the other fields then are those of the last turn, but
    for `usage`, which is that of all. A trial that ended early has the turns up to there.
    """

    case: str
    repeat: int
    answer: str = ""
    error: TrialError | None = None
    tool_calls: tuple[ToolCall, ...] | None = None
    memory_reads: tuple[MemoryItem, ...] | None = None
    memory_writes: tuple[MemoryItem, ...] | None = None
    store_written: str | None = None
    store_kept: str | None = None
    prompt: str | None = None
    usage: Usage | None = None
    seen: tuple[Seen, ...] = ()
    building: tuple[Seen, ...] = ()
    user: str = ""
    notes: tuple[str, ...] = ()
    log: str = ""
    started_at: str = ""
    duration_s: float = 0.0
    attempts: int = 1
    built_by: str = ""
    turns: tuple[TurnRecord, ...] = ()
    state: Mapping[str, Any] | None = None

    @property
    def key(self) -> TrialKey:
        """Which trial of its run this is."""
        return TrialKey(self.case, self.repeat)


@dataclass(frozen=True, slots=True)
class Stopped:
    """The run ended before its plan: a limit was reached. The reason names the limit and its value."""

    reason: str


@dataclass(frozen=True, slots=True)
class Run:
    """One execution of a set on one configuration.

    `settings_sha256` is the hash of the configuration with its `${NAME}` filled in, secrets left out; `asked` holds
    for each case the hash of what its agent was asked. `id` is 0
    until the store has given one.
    """

    config: str
    config_sha256: str
    config_content: Mapping[str, Any]
    set_name: str
    set_sha256: str
    control: Control = ""
    fingerprint: str = ""
    settings_sha256: str = ""
    asked: Mapping[str, str] = field(default_factory=dict)
    foldproof: str = ""
    started_at: str = ""
    state: RunState = "running"
    notes: tuple[str, ...] = ()
    id: int = 0

    @property
    def identity(self) -> str:
        """Hash of what must agree for a rerun to go on with a run: set, settings, control, code, foldproof itself."""
        settings = [self.config_sha256, self.settings_sha256]
        return content_hash([self.set_sha256, *settings, self.control, self.fingerprint, self.foldproof])

    @property
    def name(self) -> str:
        """How a person names the run: its number, four digits at least."""
        return f"{self.id:04d}"
