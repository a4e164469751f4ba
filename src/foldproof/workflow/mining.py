"""Drafted cases of questions that were mined: each with the past of its user, read through the importer."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime
from pathlib import Path

from foldproof.cases import Case, Logged, ReplaySet, check_new_set, dump_new_sets, shown
from foldproof.cases.drafting import Exchange, answer_words, draft_cases, draft_facts, draft_of_answer, joined_facts
from foldproof.cases.exchanges import exchange_of
from foldproof.core import Redactor, UsageError
from foldproof.logs import History, ImportedSession, Whose, read_logs
from foldproof.logs.mining import Question
from foldproof.workflow.proposing import DrafterSettings, Further, Proposals, propose_facts

_LONGEST_STEM = 60
_EARLIEST = datetime.min.replace(tzinfo=UTC)
_COMMENT = (
    "Drafted by foldproof mine: a fact with a source stands there and in the logged answer, one without in the answer\n"
    "alone. Nobody has confirmed them: sort the cases with foldproof triage, look at what it chooses."
)
_NO_NAME = re.compile(r"[\s/\x00-\x1f\x7f]+")


@dataclass(frozen=True, slots=True)
class Drafts:
    """The cases that were drafted, and the files: the set, then histories. Every question has a case.

    `from_answer` are the questions whose facts stand in the logged answer alone, `without` those whose case expects
    nothing yet. `proposals` are what a model added; None where none was asked.
    """

    cases: tuple[Case, ...]
    from_answer: tuple[str, ...]
    without: tuple[str, ...]
    written: tuple[str, ...] = ()
    proposals: Proposals | None = None


async def draft_set(
    paths: Sequence[Path],
    questions: Sequence[Question],
    *,
    to: Path,
    format_name: str = "",
    redactor: Redactor | None = None,
    drafter: DrafterSettings | None = None,
) -> Drafts:
    """Draft cases for questions of these logs, and write them as a set with its histories beside it.

    The talk of the users who asked is read through the importer, and held in memory. The past of a question is what its
    user said before in every session, or in its own where the log tells no user. A memory item stands before it only
    where it is the source of a fact, since a memory that gets what was said has it twice. A set that is there is kept.
    The model of `drafter` proposes further facts.

    Raises:
        UsageError: as `read_logs` and `propose_facts`, where the set is there already, and where no fact could be
            drafted.
    """
    check_new_set(to)
    exchanges = _exchanges(paths, questions, format_name=format_name, redactor=redactor)
    proposals = await propose_facts(exchanges, drafter) if drafter else None
    histories: dict[str, History] = {}
    cases: list[Case] = []
    from_answer: list[str] = []
    without: list[str] = []
    for number, (question, exchange) in enumerate(zip(questions, exchanges, strict=True), 1):
        further = proposals.further[number - 1] if proposals else Further()
        facts = joined_facts(draft_facts(exchange), further.facts)
        used = {fact.session for fact in facts}
        past = (*(session for session in exchange.held if session.id in used), *exchange.past)
        name = f"{_NO_NAME.sub('-', to.stem)[:_LONGEST_STEM]}-{number}" if past else ""
        taken = {case.id for case in cases}
        drafted = draft_cases(question.text, facts, history=name, taken=taken, proposed_class=further.case_class)
        if not drafted:
            words = answer_words(exchange)
            drafted = (draft_of_answer(question.text, words, history=name, taken=taken),)
            (from_answer if words else without).append(question.text)
        cases += [replace(drafted[0], logged=_logged(question)), *drafted[1:]]
        if past:
            histories[name] = History(name, past)
    if len(without) == len(cases):
        raise UsageError(
            "no case could be drafted: no answer holds a date, a number, a name or a rule that its user told before\n"
            "  look at the questions without --to"
        )
    drafts = ReplaySet(to.stem, "", tuple(cases), {}, "", histories, gate_declared=False)
    written = dump_new_sets({to: (drafts, _COMMENT)})
    return Drafts(tuple(cases), tuple(from_answer), tuple(without), tuple(map(shown, written)), proposals)


def _logged(question: Question) -> Logged:
    day = date.fromisoformat(question.day) if question.day else None
    return Logged(question.user, question.session, day, question.asked + question.alike)


def _exchanges(
    paths: Sequence[Path], questions: Sequence[Question], *, format_name: str, redactor: Redactor | None
) -> list[Exchange]:
    """Each question as it was asked last, with the talk of its user before it."""
    alone = {one.session for one in questions if not one.user}
    whose = Whose(frozenset(one.user for one in questions if one.user), frozenset(alone - {""}))
    sessions: dict[str, list[ImportedSession]] = {}
    for found in read_logs(paths, format_name, redactor=redactor, whose=whose).sessions:
        sessions.setdefault(found.user or f" {found.id}", []).append(found)
    for one_user in sessions.values():
        one_user.sort(key=lambda session: session.started.order if session.started else _EARLIEST)
    return [exchange_of(one.text, sessions.get(one.user or f" {one.session}", []), user=one.user) for one in questions]
