"""The session that a case is cut out of: one of a log, or one that a run recorded."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from foldproof.cases import Case
from foldproof.core import Redactor, UsageError, nearest_of
from foldproof.logs import Called, ImportedSession, PastTurn, Said, Seen, read_logs
from foldproof.logs.messages import messages_in
from foldproof.record import Run, Trial
from foldproof.score.made import calls_made
from foldproof.workflow.reading import explain_case
from foldproof.workflow.workspace import Workspace

_NAMED = 8
_NO_RESULTS = "a run records calls without their results; with `wire: on` they are read from what the model was told"
_REMEMBERED = (
    "what the memory held when the session began is no part of the case: give it a `history` where that counts"
)


@dataclass(frozen=True, slots=True)
class FoundSession:
    """A session with where it is from, and what that source cannot show; `hint` is for one that cannot be cut."""

    session: ImportedSession
    source: str
    notes: tuple[str, ...] = ()
    hint: str = ""


@dataclass(frozen=True, slots=True)
class _Said:
    """One turn of a recorded session: a message, what was seen of the calls it led to, and the reply."""

    case: Case
    trial: Trial
    user: str
    answer: str


def session_in_log(
    paths: Sequence[Path], name: str = "", *, format_name: str = "", redactor: Redactor | None = None
) -> FoundSession:
    """A session of log files by its id; the only one, where there is one. `redactor` as in `read_logs`.

    Raises:
        UsageError: for a log that cannot be read, an unknown session, and none named where there are several.
    """
    reading = read_logs(paths, format_name, redactor=redactor)
    known: list[str] = []
    found = None
    for session in reading.sessions:
        known.append(session.id)
        if found is None and name in {"", session.id}:
            found = session
    if found is None:
        if not known:
            raise UsageError("the log has no session\n  name a log in which somebody talks")
        raise UsageError(f"no session '{name}' in the log\n  {nearest_of(name, known)}")
    if not name and len(known) > 1:
        more = f" and {len(known) - _NAMED} more" if len(known) > _NAMED else ""
        raise UsageError(
            f"the log has {len(known)} sessions: {', '.join(known[:_NAMED])}{more}\n  choose one with --session ID"
        )
    return FoundSession(found, f"{paths[0]} ({reading.format.title})", tuple(reading.tally.notes))


def session_of_run(workspace: Workspace, run: str, *, case_id: str, session: str = "") -> FoundSession:
    """A session that a run recorded of a case, of its first repetition. `session` is its number, from 1.

    A record has calls without their results; those are taken from the calls of a model that were recorded on the wire.

    Raises:
        UsageError: for what the store does not have, an error in the place of an answer, and calls that are not shown.
    """
    explained = explain_case(workspace, run, case_id)
    trial, case = explained.trials[0].trial, explained.case
    number = _session_number(case, session)
    if trial.error is not None:
        raise UsageError(
            f"run {explained.run.name}, case '{case_id}': the trial ended in an error: {trial.error.message}\n"
            "  cut a session that was held to its end"
        )
    turns = _turns(case, trial, number)
    entries = [*_past(case.frozen), *(entry for turn in turns for entry in _entries(turn, explained.run))]
    name = f"{explained.run.name}-{case_id}" + (f"-s{number}" if case.sessions else "")
    open_calls = any(isinstance(entry, Called) and entry.result is None for entry in entries)
    hint = _NO_RESULTS if open_calls else ""
    source = f"run {explained.run.name}, case {case_id}"
    remembered = (_REMEMBERED,) if number > 1 or case.history else ()
    return FoundSession(ImportedSession(name, tuple(entries)), source, remembered, hint)


def _session_number(case: Case, session: str) -> int:
    count = len(case.sessions) or 1
    if not session and count > 1:
        raise UsageError(f"case '{case.id}' has {count} sessions\n  choose one with --session NUMBER, from 1")
    if session and (not session.isdecimal() or not 1 <= int(session) <= count):
        raise UsageError(f"case '{case.id}' has no session '{session}'\n  allowed: 1 to {count}")
    return int(session or 1)


def _turns(case: Case, trial: Trial, number: int) -> list[_Said]:
    if not case.sessions:
        return [_Said(case, trial, case.question, trial.answer)]
    return [
        _Said(
            replace(case, question=turn.user),
            replace(trial, answer=turn.answer, tool_calls=turn.tool_calls, seen=turn.seen),
            turn.user,
            turn.answer,
        )
        for turn in trial.turns
        if turn.session == number
    ]


def _past(turns: Sequence[PastTurn]) -> Iterator[Said | Called]:
    for turn in turns:
        if turn.text:
            yield Said(turn.role, turn.text)
        for at, made in enumerate(turn.calls):
            yield Called(made.call.name, made.call.args, made.text, id=made.id, together=at > 0)


def _entries(turn: _Said, run: Run) -> Iterator[Said | Called]:
    yield Said("user", turn.user)
    calls = calls_made(turn.case, turn.trial)
    if calls is None:
        raise UsageError(
            f"run {run.name}, case '{turn.case.id}': the agent does not show its tool calls: what it did is not known\n"
            "  run it with `wire: on`, or cut the session out of the agent's own log"
        )
    known = _with_results(turn.trial.seen)
    for call in calls:
        at = next((at for at, made in enumerate(known) if (made.name, made.args) == (call.name, call.args)), None)
        yield Called(call.name, call.args) if at is None else known.pop(at)
    yield Said("agent", turn.answer)


def _with_results(seen: Sequence[Seen]) -> list[Called]:
    """The calls whose results a model was told afterwards, in their order, each once."""
    found: dict[str, Called] = {}
    for call in (call for source in seen for call in source.calls if call.request):
        for message in messages_in(_json(call.request)):
            for at, made in enumerate(message.calls):
                key = made.id or f"{made.name} {len(found)}"
                found.setdefault(key, Called(made.name, made.args, id=made.id, together=at > 0))
            for result in message.results:
                if result.call in found:
                    found[result.call] = replace(found[result.call], result=result.text)
    return [replace(made, id="") for made in found.values()]


def _json(text: str) -> Any:  # noqa: ANN401  # any JSON value
    try:
        return json.loads(text)
    except ValueError:
        return None
