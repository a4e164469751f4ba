"""A day that no turn states, since it follows from when something was said: who lost it. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Literal

from foldproof.matching import Fact, Text, match_fact
from foldproof.matching.date import dates_in, read_date
from foldproof.score.evidence import Part, TrialEvidence

_SPAN = r"(?:week|month|year|weekend|monday|tuesday|wednesday|thursday|friday|saturday|sunday)"
_RELATIVE = re.compile(
    rf"\b(?:today|tonight|tomorrow|yesterday|(?:last|next|this) {_SPAN}|in \w+ (?:day|week|month|year)s?"
    r"|\w+ (?:day|week|month|year)s? ago|heute|morgen|gestern|übermorgen|vorgestern"
    r"|aujourd'hui|demain|hier|hoy|mañana|ayer)\b"
    "|今天|明天|昨天|后天|前天|今日|明日|昨日|오늘|내일|어제",
    re.IGNORECASE,
)
"""Words that name a day by the day on which they are said."""
_SHARED = 0.5
"""The share of a turn's longer words that an item holds which was made of it."""
_LONG = 4


def day_lost(fact: Fact, evidence: TrialEvidence) -> tuple[Literal["write", "use"], str] | None:
    """Owner and reason for a day that follows from its source and that no stage holds; None where nothing shows it.

    A memory that keeps "tomorrow" without the day on which it was said, or writes another day for it, has lost it at
    write. One that keeps the word with the day of the session has not: what the prompt holds can be counted from.
    """
    written = evidence.stages["written"]
    if fact.kind != "date" or written is None:
        return None
    for said, day in _said_on(fact, evidence):
        word = _RELATIVE.search(said)
        items = [part for part in written.parts if _is_made_of(part, said)]
        if word is None or not items:
            continue
        if not any(_keeps(part, day) for part in items):
            other = next((part for part in items if any(dates_in(part.text.folded))), None)
            if other is not None:
                return "write", f"written with another day: '{other.text.raw}'"
            return "write", f"written without the day on which '{word[0]}' was said"
        prompted = evidence.stages["prompted"]
        if prompted is not None and any(_keeps(part, day) for part in prompted.parts):
            return "use", f"'{word[0]}' stands in the prompt with the day on which it was said"
    return None


def _said_on(fact: Fact, evidence: TrialEvidence) -> Iterator[tuple[str, str]]:
    """What the sources of an expected fact say, each with the day of its session."""
    case, history = evidence.case, evidence.records.histories.get(evidence.case.history)
    if fact not in case.expected or history is None:
        return
    sessions = {session.id: session for session in history.sessions}
    for source in case.about(case.expected.index(fact)).source:
        session = sessions.get(source.session)
        if session is not None and source.turn <= len(session.turns) and read_date(session.at[:10]):
            yield session.turns[source.turn - 1].text, session.at[:10]


def _keeps(part: Part, day: str) -> bool:
    """Whether a text has a word for a day, and the day from which it counts."""
    return _RELATIVE.search(part.text.raw) is not None and match_fact(Fact("date", day), part.text).held


def _is_made_of(part: Part, said: str) -> bool:
    """Whether an item seems to be made of a turn: most of its longer words, but for those of the day, stand in it."""
    words = _words(Text(_RELATIVE.sub(" ", said)))
    return bool(words) and sum(word in part.text.padded.split() for word in words) >= _SHARED * len(words)


def _words(text: Text) -> Sequence[str]:
    tokens = text.padded.split()
    return [token for token in tokens if len(token) >= _LONG] or tokens
