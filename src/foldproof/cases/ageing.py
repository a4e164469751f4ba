"""Whether the facts of a set still hold: stated by their source, not superseded, looked at by a person."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from datetime import date

from foldproof.cases.case_checks import alternatives
from foldproof.cases.nodes import shown
from foldproof.cases.provenance import Provenance, Source
from foldproof.cases.records import Case, ReplaySet
from foldproof.cases.save import cases_text
from foldproof.core import Problem
from foldproof.matching import Fact, Text, match_fact, normalize

FactKey = tuple[str, str]
"""What makes two facts the same: their kind and their words."""
_DAY = re.compile(r"\d{4}-\d{2}-\d{2}")
_LONGEST = 80


def ageing_problems(replay_set: ReplaySet, *, today: date) -> Iterator[Problem]:
    """What is wrong or doubtful about the age of a set's facts.

    A fact that its source does not state is an error, the rest are warnings.
    """
    file = shown(replay_set.path)
    marked = superseded_facts(replay_set)
    for case in replay_set.cases:
        for index, fact in enumerate(case.expected):
            line = case.line(f"expected_facts.{index}")
            if told := _silent_source(replay_set, case, index):
                yield Problem(file, line, *told, rule="source-silent")
            if mark := marked.get((case.history, fact_key(fact))):
                yield Problem(file, line, *superseded_text(case, index, mark), "warning", "superseded")
            if told := _not_yet(case, index, today):
                yield Problem(file, line, *told, "warning", "not-yet-valid")
        if told := _review_due(replay_set, case, today):
            yield Problem(file, case.line("reviewed"), *told, "warning", "review-due")


def fact_key(fact: Fact) -> FactKey:
    """What makes a fact the same fact, however its words are written."""
    if fact.kind == "any":
        return "any", "\n".join(sorted("\t".join(fact_key(item)) for item in fact.any))
    return fact.kind, (normalize(fact.text) if fact.kind == "normalized" else "") or fact.text


def matchable(fact: Fact) -> bool:
    """Whether a matcher can tell that a text states the fact."""
    return all(item.kind != "judged" for item in alternatives(fact))


def turn_text(replay_set: ReplaySet, source: Source) -> str | None:
    """What is said in a turn, None where the set has no such turn."""
    history = replay_set.histories.get(source.history)
    for session in history.sessions if history else ():
        if session.id == source.session and source.turn <= len(session.turns):
            return session.turns[source.turn - 1].text
    return None


def said_in(case: Case) -> list[Text]:
    """What is said in the case itself before its last answer, or may be said."""
    past = (text for turn in case.frozen for text in (turn.text, *(made.text for made in turn.calls)))
    may = (text for who in case.counterparts for text in who.words)
    asked = (part.question for part in case.parts) if case.sessions or case.frozen else ()
    return [Text(text) for text in (*past, *asked, *may)]


def states(fact: Fact, texts: Iterable[str | Text]) -> bool:
    """Whether one of the texts says the fact."""
    return any(match_fact(fact, text).held for text in texts)


def short(text: str) -> str:
    """A turn as messages show it."""
    line = " ".join(text.split())
    return line if len(line) <= _LONGEST else f"{line[: _LONGEST - 1]}…"


def _silent_source(replay_set: ReplaySet, case: Case, index: int) -> tuple[str, str] | None:
    """What to say of a fact that none of its source turns states."""
    fact, about = case.expected[index], case.about(index)
    texts = {source: turn_text(replay_set, source) for source in about.source}
    said = {source: text for source, text in texts.items() if text is not None}
    if not said or about.computed or not matchable(fact) or states(fact, (*said.values(), *said_in(case))):
        return None
    source, text = next(iter(said.items()))
    names = ", ".join(map(str, said))
    message = f"case '{case.id}' expects '{fact.label}', which its source {names} does not say"
    hint = (
        f"{source} says: {short(text)}\n"
        "write the fact as it is said, or name the turn that says it; where it follows from several turns, write\n"
        f"`{{fact: …, computed: true}}`"
    )
    return message, hint


@dataclass(frozen=True, slots=True)
class Superseded:
    """That a fact has been superseded: by which fact, where that is known, and which case says so."""

    by: Fact | None
    case: str


def superseded_facts(replay_set: ReplaySet) -> dict[tuple[str, FactKey], Superseded]:
    """The facts that the set itself calls superseded, by their history."""
    return {
        (case.history, fact_key(case.expected[index])): Superseded(about.superseded_by, case.id)
        for case in replay_set.cases
        for index, about in case.provenance.items()
        if about.superseded_by is not None
    }


def superseded_text(case: Case, index: int, mark: Superseded) -> tuple[str, str]:
    """What to say of a superseded fact that is still expected: message and hint, with its forbidden twin."""
    said = "" if mark.case == case.id else f", as case '{mark.case}' says"
    newer = f"was superseded by '{mark.by.label}'" if mark.by else "was superseded"
    message = f"case '{case.id}' expects '{case.expected[index].label}', which {newer}{said}"
    if mark.by is None:
        return message, "expect what took its place, and forbid what it was"
    return message, f"put its forbidden twin in the place of the case:\n{_twin_text(case, index, mark.by)}"


def _twin_text(case: Case, index: int, newer: Fact) -> str:
    old = case.expected[index]
    expected = tuple(newer if at == index else fact for at, fact in enumerate(case.expected))
    kept = {at: about for at, about in case.provenance.items() if at != index}
    twin = replace(
        case,
        expected=tuple(dict.fromkeys(expected)),
        forbidden=tuple(dict.fromkeys((*case.forbidden, *alternatives(old)))),
        provenance=kept if len(set(expected)) == len(expected) else {},
        source=(),
    )
    return "\n".join(cases_text([twin]).splitlines()[1:])


def _not_yet(case: Case, index: int, today: date) -> tuple[str, str] | None:
    since = case.about(index).valid_from
    asked = date.fromisoformat(found[0]) if (found := _day_in(case.at)) else today
    if since is None or since <= asked:
        return None
    message = f"case '{case.id}' expects '{case.expected[index].label}', which holds only from {since} on"
    return message, f"the case is asked at {asked}: ask it later, or correct `valid_from`"


def _day_in(text: str) -> re.Match[str] | None:
    match = _DAY.match(text)
    try:
        return match if match and date.fromisoformat(match[0]) else None
    except ValueError:
        return None  # times are kept as they are written, and need not exist


def _review_due(replay_set: ReplaySet, case: Case, today: date) -> tuple[str, str] | None:
    """What to say of the facts of a case that nobody has looked at within the time that the set states."""
    days = replay_set.review_after_days
    if days is None or not case.expected:
        return None
    seen = [case.about(index).reviewed for index in range(len(case.expected))]
    due = [day for day in seen if day is None or (today - day).days > days]
    if not due:
        return None
    dated = [day for day in due if day is not None]
    last = f"reviewed last on {min(dated)}" if len(dated) == len(due) else "never reviewed"
    which = f"{len(due)} of its {len(seen)} facts, {last}" if len(seen) > 1 else f"its fact, {last}"
    message = f"case '{case.id}' has a review due: {which}; the set asks for one every {days} days"
    return message, f"see that they still hold, then write `reviewed: {today}` on the case or the fact"


def provenance_of(case: Case, key: FactKey) -> tuple[int, Provenance] | None:
    """The index of an expected fact and what is said of it, None where the case does not expect it."""
    for index, fact in enumerate(case.expected):
        if fact_key(fact) == key:
            return index, case.about(index)
    return None
