"""Drafted cases of questions that were mined: each with the past of its user, read through the importer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path

from foldproof.cases import Case, ReplaySet, dump_set, shown
from foldproof.cases.drafting import draft_cases, draft_facts
from foldproof.core import Redactor, UsageError
from foldproof.logs import History, ImportedSession, Session, Turn, read_logs
from foldproof.logs.mining import Question
from foldproof.logs.scanning import same_words

_EARLIEST = datetime.min.replace(tzinfo=UTC)
_COMMENT = (
    "Drafted by foldproof mine: each fact stands in an earlier turn and in the logged answer.\n"
    "Nobody has confirmed it: look at each case, then take its tag `draft` out."
)


@dataclass(frozen=True, slots=True)
class Drafts:
    """The cases that were drafted, the questions of which none could be, and the files: the set, then histories."""

    cases: tuple[Case, ...]
    without: tuple[str, ...]
    written: tuple[str, ...] = ()


def draft_set(
    paths: Sequence[Path],
    questions: Sequence[Question],
    *,
    to: Path,
    format_name: str = "",
    redactor: Redactor | None = None,
) -> Drafts:
    """Draft cases for questions of these logs, and write them as a set with its histories beside it.

    The logs are read through the importer; the talk of the users who asked is held in memory. The past of a question is
    what its user said before in every session, or in its own where the log tells no user. A set that is there is kept.

    Raises:
        UsageError: as `read_logs`, where the set is there already, and where nothing could be drafted.
    """
    if to.exists():
        raise UsageError(f"{shown(to)}: the file is there already\n  name another")
    users, alone = {one.user for one in questions if one.user}, {one.session for one in questions if not one.user}
    sessions: dict[str, list[ImportedSession]] = {}
    for found in read_logs(paths, format_name, redactor=redactor).sessions:
        if found.user in users or (not found.user and found.id in alone):
            sessions.setdefault(found.user or f" {found.id}", []).append(found)
    for one_user in sessions.values():
        one_user.sort(key=lambda session: session.started.order if session.started else _EARLIEST)
    histories: dict[str, History] = {}
    cases: list[Case] = []
    without: list[str] = []
    for number, question in enumerate(questions, 1):
        name = f"past-{number}"
        past, answer = _past(question, sessions.get(question.user or f" {question.session}", []))
        drafted = draft_cases(
            question.text, draft_facts(question.text, answer, past), history=name, taken={case.id for case in cases}
        )
        cases += drafted
        if drafted:
            histories[name] = History(name, past)
        else:
            without.append(question.text)
    if not cases:
        raise UsageError(
            "no case could be drafted: no answer holds a date, a number, a name or a rule that its user told before\n"
            "  look at the questions without --to"
        )
    dump_set(ReplaySet(to.stem, "", tuple(cases), {}, "", histories, gate_declared=False), to, _COMMENT)
    written = (shown(to), *(shown(to.parent / "histories" / f"{name}.jsonl") for name in histories))
    return Drafts(tuple(cases), tuple(without), written)


def _past(question: Question, sessions: Sequence[ImportedSession]) -> tuple[tuple[Session, ...], str]:
    """What stands before the question when it was asked last, oldest first, and what the agent answered."""
    wanted = same_words(question.text)
    place: tuple[int, int] | None = None
    talk = [
        [Turn(said.role, said.text) for said in session.said() if said.role in {"user", "agent"}]
        for session in sessions
    ]
    for at, turns in enumerate(talk):
        for number, turn in enumerate(turns):
            if turn.role == "user" and same_words(turn.text) == wanted:
                place = at, number
    if place is None:
        return (), ""
    last, asked = place
    after = talk[last][asked + 1 :]
    until = next((number for number, turn in enumerate(after) if turn.role == "user"), len(after))
    past = [
        Session(session.id, tuple(turns), session.started.text if session.started else "")
        for session, turns in zip(sessions[:last], talk[:last], strict=True)
    ]
    if asked:
        now = sessions[last]
        past.append(Session(now.id, tuple(talk[last][:asked]), now.started.text if now.started else ""))
    return _named(past), "\n".join(turn.text for turn in after[:until])


def _named(past: Sequence[Session]) -> tuple[Session, ...]:
    """The sessions with something said, each with an id of its own."""
    found: list[Session] = []
    taken: set[str] = set()
    for session in past:
        name, number = session.id or "session", 1
        while name in taken:
            number += 1
            name = f"{session.id or 'session'}-{number}"
        taken.add(name)
        if session.turns:
            found.append(replace(session, id=name))
    return tuple(found)
