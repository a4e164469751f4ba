"""The formats of logs: what each is known by, how its records are grouped, how a group becomes sessions."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple, TypeAlias, TypeVar

from foldproof.core import Registry
from foldproof.logs.imported import ImportedSession
from foldproof.logs.reading import LogFile, Record
from foldproof.logs.tally import Tally

T = TypeVar("T")


class Place(NamedTuple):
    """Where a record belongs: a unit that is read together (a trace, a file), and the session, where it is told.

    A unit without a session of its own is a session. `loose` records belong to every session of their file.
    """

    unit: str
    session: str = ""
    loose: bool = False


class Found(NamedTuple):
    """A record in the second reading, with the name of its file and its line."""

    value: Any
    file: str
    line: int
    place: tuple[int, int] = (0, 0)


@dataclass(frozen=True, slots=True)
class Group:
    """The records of one session, in file order. They are read anew each time they are asked for.

    `units` are the units of the session: a record may hold parts of others too. `apart` is what the groups of one
    reading share: the record that was taken apart last, since one document may hold the parts of thousands of units.
    """

    session: str
    units: tuple[str, ...]
    tally: Tally
    read: Callable[[], Iterator[Found]]
    read_loose: Callable[[], Iterator[Found]]
    apart: dict[tuple[int, int], dict[str, list[Any]]]

    def parts(self, split: Callable[[Any], Iterable[tuple[str, T]]]) -> Iterator[T]:
        """What belongs to these units in each record; `split` takes a record apart, each part with its unit."""
        for found in self.read():
            if found.place not in self.apart:
                self.apart.clear()
                parts: dict[str, list[Any]] = self.apart.setdefault(found.place, {})
                for unit, part in split(found.value):
                    parts.setdefault(unit, []).append(part)
            known = self.apart[found.place]
            for unit in self.units:
                yield from known.get(unit, ())


Asked: TypeAlias = tuple[str, str, str, str | float | None]
"""What a user asks in a line of a log; what the line tells of user, session and time, as it is written there."""


@dataclass(frozen=True, slots=True)
class FlatShape:
    """How mining reads a line of a format in which one line is one exchange, without making a session of it.

    `odd` reads a line that was decoded as plain JSON. `reader` makes the quick way, which takes the bytes of a line and
    decodes only what is needed (msgspec, an extra): it knows the one shape that most lines have, in which one thing is
    asked, and answers None for every other line and for what is no JSON. Where it answers, `odd` gives the same.
    """

    reader: Callable[[], Callable[[bytes], Asked | None]]
    odd: Callable[[Any], Sequence[Asked]]


@dataclass(frozen=True, slots=True)
class LogFormat:
    """One format of logs.

    `knows` says whether a value is a record of this format, `told_by` what it is known by, in words. `places` says
    where a record belongs, and nothing for one that belongs nowhere: it is counted as unknown. `build` makes the
    sessions of a group. `limits` are what no log of this format can show. A `general` format is one whose shape others
    have too: it is only taken where no other knows as many records. `flat` makes mining quick; a format has none where
    a line is no exchange. A plugin registers one of these under the entry-point group `foldproof.logs`.
    """

    name: str
    title: str
    told_by: str
    knows: Callable[[Any], bool]
    places: Callable[[Record, LogFile], Iterable[Place]]
    build: Callable[[Group], Iterable[ImportedSession]]
    limits: Sequence[str] = field(default=())
    general: bool = False
    flat: FlatShape | None = None


_HERE = "foldproof.logs.formats"
FORMATS: Registry[LogFormat] = Registry(
    "foldproof.logs",
    "log format",
    {
        "chatgpt": f"{_HERE}.chatgpt:FORMAT",
        "claude-code": f"{_HERE}.claude_code:FORMAT",
        "codex": f"{_HERE}.codex:FORMAT",
        "codex-exec": f"{_HERE}.codex_exec:FORMAT",
        "inspect": f"{_HERE}.inspect_log:FORMAT",
        "langfuse": f"{_HERE}.langfuse:FORMAT",
        "langgraph": f"{_HERE}.langgraph:FORMAT",
        "langsmith": f"{_HERE}.langsmith:FORMAT",
        "letta": f"{_HERE}.letta:FORMAT",
        "locomo": f"{_HERE}.locomo:FORMAT",
        "named-agents": f"{_HERE}.named_agents:FORMAT",
        "openai": f"{_HERE}.openai:FORMAT",
        "openinference": f"{_HERE}.openinference:FORMAT",
        "otel-genai": f"{_HERE}.otel_genai:FORMAT",
        "promptfoo": f"{_HERE}.promptfoo:FORMAT",
        "questions": f"{_HERE}.questions:FORMAT",
        "sharegpt": f"{_HERE}.sharegpt:FORMAT",
        "tau-bench": f"{_HERE}.tau_bench:FORMAT",
    },
)
"""Every format by its name."""
