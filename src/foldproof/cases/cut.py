"""Cutting a case out of a session: the turns before one message of the user, and what the agent then did. Pure."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from foldproof.cases.call_text import json_text
from foldproof.cases.expectations import Expectation, ExpectedCall
from foldproof.cases.frozen import CutFrom
from foldproof.cases.naming import free_name
from foldproof.cases.records import DRAFT, Case
from foldproof.core import REDACTED, UsageError
from foldproof.logs import (
    RAW,
    AnsweredCall,
    Called,
    Fold,
    ImportedSession,
    MemoryOperation,
    PastTurn,
    Said,
    ToolCall,
    Unknown,
)
from foldproof.logs.messages import UNSHOWN

_LONGEST_EXPECTED = 80
"""Characters of a text argument up to which it is expected word for word."""
_LONGEST_ID = 60
_NOT_ID = re.compile(r"[^\w.@+-]+")
_NEAREST = 3
_MARKED = re.compile(r"\[([a-z_]+)\]")
_LEFT_OUT = {
    "system": "the system prompt: the agent under test has its own",
    "context": "what a program put in (reminders, environment, instructions)",
    "command": "commands of a program and their output",
    "thought": "what the agent thought",
}


@dataclass(frozen=True, slots=True)
class Point:
    """One message of the user in a session. `turn` counts what was said, from 1; `fault` says why no case is cut there.

    `decided` is what the agent then did, `before` what stands before the message.
    """

    turn: int
    text: str
    fault: str = ""
    before: tuple[PastTurn, ...] = ()
    decided: tuple[PastTurn, ...] = ()
    left_out: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Cut:
    """A case that was cut, and what a person should know before it counts."""

    case: Case
    notes: tuple[str, ...]


def points_of(session: ImportedSession) -> tuple[Point, ...]:
    """Every message of the user in a session, in order, with why it cannot be cut, where it cannot.

    Turns are counted as in a history that is imported: what user and agent said, no calls and nothing that is no talk.
    """
    walk = _Walk()
    for entry in session.entries:
        walk.take(entry)
    return tuple(walk.done())


def cut(session: ImportedSession, turn: int, *, taken: Collection[str] = ()) -> Cut:
    """The case of one message of the user: what stands before it is frozen, and what the agent did is expected.

    `taken` are the ids of cases that are there already. The expectations are a draft: they say what happened, and
    whether that was right a person must say.

    Raises:
        UsageError: where the session has no such turn, or it cannot be frozen, with why and the nearest that can.
    """
    points = points_of(session)
    point = next((one for one in points if one.turn == turn), None)
    fault = "it is no message of the user" if point is None else point.fault
    if point is None or fault:
        raise UsageError(f"session '{session.id}': no case can be cut at turn {turn}: {fault}\n  {_near(points, turn)}")
    expect, notes = _draft(point)
    case = Case(
        _free_id(f"replay-{session.id}-{turn}", taken),
        point.text,
        case_class="episodic",
        frozen=point.before,
        asks_as="user",
        expect=expect,
        cut_from=CutFrom(session.id or "session", turn),
        tags=(DRAFT,),
    )
    return Cut(case, (*notes, *point.left_out, *_unshown(point), *_of_session(session)))


def _near(points: Sequence[Point], turn: int) -> str:
    fit = sorted((point.turn for point in points if not point.fault), key=lambda at: (abs(at - turn), at))[:_NEAREST]
    if not fit:
        why = Counter(point.fault for point in points).most_common(1)
        return f"no turn of the session can be: {why[0][0]}" if why else "the user says nothing in it"
    told = ", ".join(map(str, sorted(fit)))
    return f"turn{'s' * (len(fit) > 1)} {told} can be cut; without --turn every turn is listed"


def _free_id(wanted: str, taken: Collection[str]) -> str:
    plain = _NOT_ID.sub("-", wanted)
    if len(plain) > _LONGEST_ID:
        head, _, number = plain.rpartition("-")
        plain = f"{head[: _LONGEST_ID - len(number) - 1]}-{number}"
    return free_name(plain, taken)


def _draft(point: Point) -> tuple[tuple[Expectation, ...], tuple[str, ...]]:
    """What is expected until a person says otherwise: the calls that were made, or that none was."""
    notes = []
    expect = []
    for made in (made for turn in point.decided for made in turn.calls):
        args = {name: value for name, value in made.call.args.items() if name != RAW and _can_be_expected(value)}
        if left := sorted(set(made.call.args) - set(args)):
            notes.append(f"too long, or redacted, to be expected word for word: {', '.join(left)} of {made.call.name}")
        expect.append(Expectation("tool_called", (ExpectedCall(made.call.name, args),)))
    if not expect:
        expect.append(Expectation("no_tool_called", (ExpectedCall("*"),)))
    said = " ".join(" ".join(turn.text for turn in point.decided if turn.text).split())
    answered = f"the agent said: {said[:300]}{'…' * (len(said) > 300)}" if said else "the agent said nothing"
    notes.append(f"{answered}; write what of it the reply must hold as `reply_mentions`")
    return tuple(expect), tuple(notes)


def _can_be_expected(value: Any) -> bool:  # noqa: ANN401  # any JSON value
    text = json_text(value)
    return len(text) <= _LONGEST_EXPECTED and REDACTED not in text


def _unshown(point: Point) -> Iterator[str]:
    texts = [point.text, *(turn.text for turn in point.before)]
    kinds = sorted({found for text in texts for found in _MARKED.findall(text) if found in UNSHOWN})
    if kinds:
        yield f"no text, and so not handed over, although the talk may turn on it: {', '.join(kinds)}"


def _of_session(session: ImportedSession) -> Iterator[str]:
    if session.sidechains:
        yield f"left out: the talk of {len(session.sidechains)} sub-agents; what they gave back is there"
    if session.abandoned:
        yield f"left out: {session.abandoned} messages of branches that were edited or generated anew"


@dataclass(slots=True)
class _Walk:
    """One walk through a session. `blocked` says why nothing after this place can be frozen, `called` what was last."""

    turns: list[PastTurn] = field(default_factory=list)
    points: list[tuple[Point, int]] = field(default_factory=list)
    said: int = 0
    blocked: str = ""
    called: str = ""
    left_out: Counter[str] = field(default_factory=Counter)

    def take(self, entry: Said | Called | MemoryOperation | Fold | Unknown) -> None:
        if isinstance(entry, Said):
            self.take_said(entry)
        elif isinstance(entry, Called):
            self.take_call(entry)
        elif isinstance(entry, Fold):
            self.block(f"the context was folded before it ({entry.kind}): what the agent saw then is not what was said")
        elif isinstance(entry, Unknown):
            self.left_out[f"records of the unknown kind `{entry.kind}`"] += 1
        elif entry.via != self.called:
            self.left_out[f"memory {entry.kind}s that are no tool call: the memory under test is asked anew"] += 1

    def block(self, why: str) -> None:
        self.blocked = self.blocked or why

    def take_said(self, entry: Said) -> None:
        kind = "system" if entry.role == "system" and entry.kind == "said" else entry.kind
        if kind in _LEFT_OUT or entry.role not in {"user", "agent"}:
            self.left_out[_LEFT_OUT.get(kind, f"what a {entry.role} said")] += 1
            return
        self.said += entry.kind == "said"
        if entry.role == "user" and entry.kind == "said":
            redacted = f"a part of turn {self.said} was redacted, so it cannot be said word for word"
            fault = self.fault() or (redacted if REDACTED in entry.text else "")
            told = tuple(f"left out: {count} × {what}" for what, count in self.left_out.items())
            self.points.append((Point(self.said, entry.text, fault, tuple(self.turns), (), told), len(self.turns) + 1))
        if REDACTED in entry.text:
            self.block(f"a part of turn {self.said} was redacted, and what was said there is not known")
        self.turns.append(PastTurn("user" if entry.role == "user" else "agent", entry.text))

    def fault(self) -> str:
        """Why nothing can be cut at this place, as far as what stands before it tells."""
        if not self.turns:
            return "nothing stands before it: ask it as a `question`"
        if self.turns[-1].role == "user":
            return "the message before it is the user's too, and the agent did not answer that"
        return self.blocked

    def take_call(self, entry: Called) -> None:
        self.called = entry.name
        if entry.by != "agent" or not entry.name:
            self.block(_strange(entry))
            return
        made = AnsweredCall(ToolCall(entry.name, entry.args), entry.result or "")
        last = self.turns[-1] if self.turns else None
        if last is not None and last.role == "agent" and (entry.together or not last.calls):
            self.turns[-1] = replace(last, calls=(*last.calls, made))
        else:
            self.turns.append(PastTurn("agent", "", (made,)))
        if fault := self.call_fault(entry):
            self.block(fault)

    def call_fault(self, entry: Called) -> str:
        """Why what follows a call cannot be frozen."""
        if RAW in entry.args:
            return f"the log does not tell the arguments of a call of {entry.name}"
        if entry.result is None:
            return f"the log has no result of the call of {entry.name}"
        if not any(turn.role == "user" for turn in self.turns):
            return f"the agent called {entry.name} before anybody said anything"
        if REDACTED in json_text(dict(entry.args)) or REDACTED in entry.result:
            return f"a part of the call of {entry.name}, or of its result, was redacted"
        return ""

    def done(self) -> Iterator[Point]:
        """The points, each with what the agent did then."""
        ends = [start - 1 for _, start in self.points[1:]]
        for (point, start), end in zip(self.points, [*ends, len(self.turns)], strict=False):
            decided = tuple(self.turns[start:end])
            silent = "" if decided else "no decision of the agent follows it"
            yield replace(point, decided=decided, fault=point.fault or silent)


def _strange(entry: Called) -> str:
    """What is wrong with a call that the agent did not make, or that nobody can name."""
    named = f" ({entry.name})" if entry.name else ""
    if entry.by == "tool":
        return f"the log has the result of a call that it does not have{named}"
    if entry.by == "agent":
        return "the log does not tell the name of a tool that was called"
    return f"a call was made by the {entry.by}{named}, and no agent can be told it as its own"
