"""The faults of a simulated user: what it said that it cannot know, and where it did not do its part. Pure.

They are found in the record, so that a stored trial can be judged again. What made the trial end (a model that failed,
an answer that cannot be read) stands in its error.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from foldproof.cases.common_words import COMMON_WORDS
from foldproof.cases.counterparts import Counterpart, Line, Simulated
from foldproof.matching import Fact, Text, check_fact, match_fact, normalize
from foldproof.matching.date import dates_in
from foldproof.record import TurnRecord
from foldproof.score.turns import JudgedTurn

UserFaultKind = Literal["unknown value", "changed line", "correction taken back", "stuck", "early end"]
_NAME = re.compile(r"(?<![.!?:…][\s\"'“”)])(?<=[\s(\"'“])[A-ZÀ-ÖØ-Þ][\w'’-]*")
_NAMELESS = "i ok hi hello hey dear mr mrs ms dr sir madam am pm asap btw fyi pls faq id eta pdf sms tv"
_NO_NAMES = frozenset(_NAMELESS.split())
"""Words with a capital that name nobody; `i` also where it opens another, as in "I'll"."""
_GERMAN_WORDS = "ich nicht der das und ist mein meine bitte für eine einen wir sie mit auf es"
_GERMAN = frozenset(_GERMAN_WORDS.split())
"""Words that show German, where every noun has a capital and names cannot be told by it."""
_STEM = 4
"""Letters by which a word is taken for another form of one of the goal."""
_LIKE = 0.7
"""Share of a correction's words from which another sentence is taken for it."""
_FEWEST = 2
"""Words that a correction, or the proof of a language, takes at least."""
_STUCK = 3
"""How often a user says the same before it is taken to be stuck: to say something once more is human."""


@dataclass(frozen=True, slots=True)
class UserFault:
    """One fault of a simulated user.

    `value` is what it made up, `unsaid` that the correction in question was not said word for word before.
    """

    kind: UserFaultKind
    message: str
    value: str = ""
    unsaid: bool = False


def user_faults(turn: JudgedTurn) -> tuple[UserFault, ...]:
    """Every fault of the simulated user of a turn, in order; none where a model played no part."""
    who = turn.counterpart
    if who is None or who.simulated is None or not turn.attempts:
        return ()
    return tuple(_faults(turn, who, who.simulated))


def _faults(turn: JudgedTurn, who: Counterpart, user: Simulated) -> Iterator[UserFault]:
    known = [user.goal, user.persona, *user.knows, *_said_before(turn)]
    corrected: set[str] = set()
    said: Counter[str] = Counter()
    for one in turn.attempts:
        if one.speaker == "simulated":
            for value in unknown_values(one.user, "\n".join(known)):
                message = f"it said '{value}' in {one.name}, which it was not told and the agent did not say"
                yield UserFault("unknown value", message, value)
            for line in who.corrections:
                yield from _changed(line, one, said=line.say in corrected)
                if line.say in corrected:
                    yield from _taken_back(line, one)
            said[normalize(one.user)] += 1
            if said[normalize(one.user)] == _STUCK:
                yield UserFault("stuck", f"it said the same for the {_STUCK}rd time in {one.name}: '{one.user}'")
        if one.speaker == "correction":
            corrected.add(one.user)
        known += [one.user, one.answer]
    if turn.attempts[-1].close == "done" and (why := _too_early(turn, user)):
        yield UserFault("early end", f"it ended the conversation after {turn.attempts[-1].name}: {why}")


def _said_before(turn: JudgedTurn) -> Iterator[str]:
    """What the user said in this session before the turn; the turn's own words come as they were said."""
    yield from turn.said[: max(0, len(turn.said) - len(turn.attempts) + 1)]


def unknown_values(text: str, known: str) -> list[str]:
    """The values of a text that another one does not have: numbers, dates, and names, which a capital tells.

    A number or a date may be written another way. A name at the start of a sentence cannot be told from a word, nor
    can one in German, where every noun has a capital, or in a script without capitals.
    """
    given = Text(known)
    there, words = set(normalize(known).split()), normalize(text).split()
    excused = {part for day in _known_dates(text, given) for part in normalize(day).split()}
    found = [
        word
        for word in words
        if any(char.isdecimal() for char in word)
        and word not in there
        and word not in excused
        and not _is_number_of(word, given)
    ]
    if len(_GERMAN.intersection(words)) < _FEWEST:
        found += [name for name in _NAME.findall(text) if _is_unknown_name(name, there, excused)]
    return list(dict.fromkeys(found))


def _is_unknown_name(name: str, there: set[str], excused: set[str]) -> bool:
    words = normalize(name).split()
    parts = [part for part in words if len(part) > 1 and words[0] != "i"]  # "Anna's" is Anna, "I'll" is nobody
    return bool(parts) and not any(
        part in there or part in excused or part in COMMON_WORDS or part in _NO_NAMES for part in parts
    )


def _known_dates(text: str, known: Text) -> Iterator[str]:
    """The dates of a text that another one has too, however either writes them; the year may be left out."""
    folded, there = Text(text).folded, list(dates_in(known.folded))
    for seen in dates_in(folded):
        for other in there:
            if (seen.month, seen.day) == (other.month, other.day) and seen.year in {0, other.year}:
                yield folded[seen.start : seen.end]


def _is_number_of(word: str, known: Text) -> bool:
    fact = Fact("number", word)
    return not check_fact(fact) and match_fact(fact, known).held


def _changed(line: Line, one: TurnRecord, *, said: bool) -> Iterator[UserFault]:
    """What comes near to a correction without being it, or is it before its time: the harness alone says it."""
    wanted, words = set(normalize(line.say).split()), set(normalize(one.user).split())
    if len(wanted) < _FEWEST or len(wanted & words) < _LIKE * len(wanted):
        return
    if normalize(line.say) == normalize(one.user):
        if not said:
            message = (
                f"it said the correction '{line.say}' in {one.name} by itself, before '{line.when.label}' came about"
            )
            yield UserFault("changed line", message, unsaid=True)
        return
    message = f"it said the correction '{line.say}' in other words in {one.name}: '{one.user}'"
    yield UserFault("changed line", message, unsaid=not said)


def _taken_back(line: Line, one: TurnRecord) -> Iterator[UserFault]:
    """What asks again for the very thing that a correction took back."""
    when = line.when
    args = [value for call in when.calls for value in call.args.values()]
    plain = (value for value in args if isinstance(value, str | int | float) and not isinstance(value, bool))
    facts = [Fact("normalized", str(value)) for value in plain]
    facts += [when.fact] if when.fact is not None and when.kind == "reply_mentions" else []
    for fact in facts:
        if not check_fact(fact) and match_fact(fact, one.user).held:
            message = f"it said '{fact.label}' in {one.name}, which the correction '{line.say}' had taken back"
            yield UserFault("correction taken back", message)


def _too_early(turn: JudgedTurn, user: Simulated) -> str:
    """Why a simulated user had no reason to be done, or nothing."""
    last = turn.attempts[-1]
    goal, asked = _stems([user.goal]), _stems([*turn.said, last.user])
    if goal and goal.isdisjoint(asked):
        return "nothing of its goal had been asked"
    if last.goal_met is not True and last.answer.rstrip().endswith(("?", "？")):
        return "the agent had asked it something"
    return ""


def _stems(texts: Sequence[str]) -> set[str]:
    words = (word for text in texts for word in normalize(text).split())
    return {word[:_STEM] for word in words if word not in COMMON_WORDS and (len(word) > _FEWEST or word.isdecimal())}


def deciding_fault(faults: Sequence[UserFault], *, passed: bool, asked: str) -> UserFault | None:
    """The first fault that the outcome of a trial may rest on, None where it would have come out the same.

    `asked` is all that the case expects, in words. After a fault nobody can say why the agent failed. A pass rests on
    a value that the user made up where that is what was expected, and on a correction where it was not said as it is
    written: then the agent was helped.
    """
    if not passed:
        return next(iter(faults), None)
    expected = Text(asked).padded
    for fault in faults:
        told = fault.kind == "unknown value" and Text(fault.value).padded in expected
        if told or (fault.kind == "changed line" and fault.unsaid):
            return fault
    return None
