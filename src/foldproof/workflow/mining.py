"""Drafted cases of questions that were mined: each with the past of its user, read through the importer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from foldproof.cases import Case, ReplaySet, dump_set, shown
from foldproof.cases.drafting import draft_cases, draft_facts
from foldproof.cases.exchanges import exchange_of
from foldproof.core import Redactor, UsageError
from foldproof.logs import History, ImportedSession, read_logs
from foldproof.logs.mining import Question

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
    what its user said before in every session, or in its own where the log tells no user. A memory item stands before
    it only where it is the source of a fact, since a memory that gets what was said has it twice. A set that is there
    is kept.

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
        own = sessions.get(question.user or f" {question.session}", [])
        exchange = exchange_of(question.text, own, user=question.user)
        facts = draft_facts(exchange)
        drafted = draft_cases(question.text, facts, history=name, taken={case.id for case in cases})
        cases += drafted
        if drafted:
            used = {fact.session for fact in facts}
            held = tuple(session for session in exchange.held if session.id in used)
            histories[name] = History(name, (*held, *exchange.past))
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
