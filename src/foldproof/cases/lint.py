"""What is doubtful about a set that loads: warnings, since a person may have a reason."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from datetime import UTC, date, datetime
from itertools import pairwise

from rapidfuzz import fuzz, process

from foldproof.cases.ageing import ageing_problems, said_in
from foldproof.cases.case_checks import alternatives, covers, is_empty, placed_facts
from foldproof.cases.common_words import COMMON_WORDS
from foldproof.cases.expectations import Expectation
from foldproof.cases.lint_forgetting import forget_doubts
from foldproof.cases.nodes import shown
from foldproof.cases.records import CLASSES, DISPUTED, DRAFT, STRICT_CLASSES, Case, ReplaySet
from foldproof.core import Problem
from foldproof.core import nearest_of as nearest
from foldproof.matching import Fact, Text, match_fact, match_many, normalize

FEWEST, MOST = 10, 30
"""How many gated cases a set should have: fewer show little, more are no longer read one by one."""
_ALIKE = 92.0
_FORGET = "forget"
_DAY = re.compile(r"\d{4}-\d{2}-\d{2}")
_Placed = tuple[int, str, str, str]
"""Line, rule, message, hint."""
_Doubt = tuple[str, str, str, str]
"""Field of the case, rule, message that follows the case's name, hint."""


def lint_set(replay_set: ReplaySet, *, today: date | None = None) -> tuple[Problem, ...]:
    """Everything that is doubtful about a set, sorted by place; each carries the id of its rule.

    All are warnings but one: a fact that its own source does not state is an error, though the set loads. What else is
    an error keeps a set from loading. `today` is the day on which facts are due for review.
    """
    file = shown(replay_set.path)
    rules = (_set_doubts, _history_doubts, _case_doubts, _unstated, _alike)
    doubts = [doubt for rule in rules for doubt in rule(replay_set)]
    found = [Problem(file, line, message, hint, "warning", rule) for line, rule, message, hint in doubts]
    return tuple(sorted([*found, *ageing_problems(replay_set, today=today or datetime.now(UTC).date())]))


def _set_doubts(replay_set: ReplaySet) -> Iterator[_Placed]:
    counts = Counter(case.case_class for case in replay_set.cases if case.id not in replay_set.ungated)
    if not replay_set.gate_declared:
        message = "the set declares no gate, so it asks `all` of every class"
        yield 0, "no-gate", message, "write under `gate:` what each class must reach"
    for name in replay_set.gate:
        if not counts[name]:
            line = replay_set.gate_lines.get(name, 0)
            message = f"the gate asks for class '{name}', of which the set has no case"
            yield line, "gate-without-cases", message, "add such a case, or take the line out"
    gated = sum(counts[name] for name in replay_set.gate)
    if not FEWEST <= gated <= MOST:
        hint = f"{FEWEST} to {MOST} gated cases show most for their cost: enough to notice a loss, few enough to read"
        yield 0, "set-size", f"the gate counts {gated} case{'' if gated == 1 else 's'}", hint
    if replay_set.judge and not replay_set.judge.sha256 and any(case.asks_judge for case in replay_set.cases):
        message = f"the judge '{replay_set.judge.model}' is not pinned: its prompt may change unseen"
        yield 0, "judge-not-pinned", message, "run: foldproof judge pin"
    forgets = any(case.forget or _FORGET in {case.case_class, *case.tags} for case in replay_set.cases)
    if counts["preference"] and not forgets:
        message = "the set has preferences, but no case in which something must be forgotten"
        hint = "add one with sessions and a `forget` block that names what the user took back"
        yield 0, "no-forget-case", message, hint


def _history_doubts(replay_set: ReplaySet) -> Iterator[_Placed]:
    """Histories out of order: a memory is built in the order of the file, and the newest word should win."""
    for name, history in replay_set.histories.items():
        dated = [session for session in history.sessions if _DAY.match(session.at)]
        for before, after in pairwise(dated):
            if after.at[:10] < before.at[:10]:
                message = f"history '{name}': session '{after.id}' ({after.at}) follows '{before.id}' ({before.at})"
                yield 0, "history-order", message, "sort the sessions, oldest first: memories are built in this order"
                break


def _case_doubts(replay_set: ReplaySet) -> Iterator[_Placed]:
    for case in replay_set.cases:
        whole = (
            *_draft_doubts(case),
            *_whole_doubts(case),
            *_class_doubts(case, replay_set),
            *forget_doubts(case, replay_set.histories.get(case.history)),
            *_correction_doubts(case),
        )
        found = [(case, doubt) for doubt in whole]
        found += [(part, doubt) for part in case.parts for doubt in _doubts(part)]
        for part, (key, rule, message, hint) in found:
            yield part.line(key), rule, f"case '{case.id}'{message}", hint


def _class_doubts(case: Case, replay_set: ReplaySet) -> Iterator[_Doubt]:
    hint = nearest(case.case_class, CLASSES)
    if case.case_class not in CLASSES and hint.startswith("did you mean"):
        yield "class", "class-name", f" is of class '{case.case_class}', which is none of the known classes", hint
    if case.case_class not in replay_set.gate and not case.ungated:
        message = f" is of class '{case.case_class}', of which the gate asks nothing"
        yield "class", "not-gated", message, f"write `{case.case_class}:` under `gate:` if its loss must block"
    if case.case_class in STRICT_CLASSES and DISPUTED in case.tags:
        message = f" is of class '{case.case_class}' and disputed: no gate counts it, so nothing guards it"
        yield "tags", "disputed-strict", message, "settle what the answer must hold, then take the tag out"
    if case.abstain and case.expected:
        message = " must admit that nothing is known, and yet has expected facts"
        yield "abstain", "abstain-with-facts", message, "keep one of the two"


def _draft_doubts(case: Case) -> Iterator[_Doubt]:
    if DRAFT not in case.tags:
        return
    message = " is a draft: it expects what an agent did, and nobody has said yet that this was right"
    todo = "confirm or change what it expects"
    if is_empty(case):
        message = " is a draft that expects nothing yet: no answer to it can be judged"
        todo = "write under `expected_facts` what the answer must say"
    yield "tags", "draft", message, f"{todo}, then take the tag `{DRAFT}` out"


def _whole_doubts(case: Case) -> Iterator[_Doubt]:
    """Cases that show little: they ask that nothing is done, or look at the memory and not at the behaviour."""
    expect = case.all_expected
    if case.forget and case.forget.asks:
        return
    place = "sessions" if case.sessions else "expect"
    if not expect or case.expected or case.abstain:
        return
    if all(item.silent for item in expect):
        message = " expects only that something is not done: an agent that does nothing passes"
        yield place, "silence-passes", message, "add what must be done or said: `tool_called`, `reply_mentions`"
    elif all(item.about_memory for item in expect):
        message = " looks only at the memory: it grades the store, not the behaviour"
        yield place, "store-only", message, "add what the agent must do or say with it: `tool_called`, `reply_mentions`"


def _is_one_call(item: Expectation) -> bool:
    return item.kind == "tool_called" and item.count is None


def _correction_doubts(case: Case) -> Iterator[_Doubt]:
    """Corrections that are said after the right call too: a first try that is right would be taken back."""
    for at, session in enumerate(case.sessions):
        for number, turn in enumerate(session.turns):
            wanted = [call for item in turn.expect if item.kind == "tool_called" for call in item.calls]
            lines = turn.counterpart.corrections if turn.counterpart is not None else ()
            for call in (call for line in lines if _is_one_call(line.when) for call in line.when.calls):
                if any(covers(call, one) for one in wanted):
                    message = f" corrects every call of {call.label}, the expected one too"
                    hint = "say under `after` by which argument a call is wrong"
                    yield f"sessions.{at}.turns.{number}.correction", "corrects-the-right", message, hint


def _doubts(case: Case) -> Iterator[_Doubt]:
    question = Text(case.question)
    for place, fact in placed_facts(case, wanted=True):
        if any(match_fact(item, question).held for item in _deterministic(fact)):
            message = f" has the fact '{fact.label}' in its question: an answer that repeats the question passes"
            yield place, "fact-in-question", message, "ask without naming it, or name a fact the question does not hold"
        texts = [item.text for item in alternatives(fact) if item.kind == "normalized"]
        if words := [text for text in texts if normalize(text) in COMMON_WORDS]:
            yield place, "common-word", f" takes the common word '{words[0]}' for a fact", "name more of the fact"
        if weak := [item.text for item in alternatives(fact) if _is_weak(item)]:
            message = f" takes the bare '{weak[0]}' for a fact, which stands in many texts by chance"
            yield place, "weak-fact", message, "name more of it (`4 kits`); with `recall`, a pass on it shows little"
        if fact.kind == "judged" and case.case_class == "identity":
            message = f" is of class 'identity', but its fact '{fact.label}' is judged"
            hint = "who a user is can be matched: write the words the answer must hold"
            yield place, "judged-identity", message, hint
        yield from _overlaps(case, place, fact)


def _is_weak(fact: Fact) -> bool:
    """Whether a fact is a number of one or two digits or a single letter, and no more."""
    if fact.kind not in {"normalized", "exact", "number"}:
        return False
    text = normalize(fact.text)
    return (len(text) <= 2 and text.isdecimal()) or (len(text) == 1 and text.isalpha())


def _overlaps(case: Case, place: str, fact: Fact) -> Iterator[_Doubt]:
    before = True
    for other_place, other in placed_facts(case, wanted=True):
        before = before and other_place != place
        first_of_two = before or not _implies(fact, other)
        if other_place != place and first_of_two and _implies(other, fact):
            message = f" has the fact '{fact.label}', which '{other.label}' already holds"
            yield place, "fact-subsumed", message, "remove the shorter one: it can never fail alone"
    for _, forbidden in placed_facts(case, wanted=False):
        if _implies(fact, forbidden):
            message = f" expects '{fact.label}', which holds the forbidden '{forbidden.label}': no answer can pass"
            yield place, "forbidden-in-expected", message, "forbid more exactly, or expect other words"


def _deterministic(fact: Fact) -> list[Fact]:
    return [item for item in alternatives(fact) if item.kind != "judged"]


def _implies(fact: Fact, other: Fact) -> bool:
    """Whether every answer that holds the one fact also holds the other."""
    items = alternatives(fact)
    if not all(item.kind in {"normalized", "exact"} for item in items):
        return False
    others = _deterministic(other)
    return all(any(match_fact(one, Text(item.text)).held for one in others) for item in items)


def _unstated(replay_set: ReplaySet) -> Iterator[_Placed]:
    """Expected facts that stand nowhere in the history of their case, each history searched once for all."""
    cases: defaultdict[str, list[Case]] = defaultdict(list)
    for case in replay_set.cases:
        if case.history:
            cases[case.history].append(case)
    for name, group in cases.items():
        parts = [part for case in group for part in case.parts]
        places = [(part, place, fact) for part in parts for place, fact in placed_facts(part, wanted=True)]
        places = [item for item in places if not _has_source(item[0], item[1])]
        own = {case.id: said_in(case) for case in group if case.sessions or case.frozen}
        places = [place for place in places if all(item.kind != "judged" for item in alternatives(place[2]))]
        facts = [fact for _, _, fact in places]
        turns = [Text(turn.text) for session in replay_set.histories[name].sessions for turn in session.turns]
        stated = {found for found, _, match in match_many(facts, turns) if match.held}
        stated |= {at for at, (case, _, fact) in enumerate(places) if _is_said(fact, own.get(case.id, ()))}
        for number, (case, place, fact) in enumerate(places):
            if number not in stated:
                message = f"case '{case.id}' expects '{fact.label}', which no turn of its history '{name}' says"
                hint = "write it as the history does, or check that it is still true; computed answers may stay"
                yield case.line(place), "unstated", message, hint


def _has_source(case: Case, place: str) -> bool:
    """Whether a fact is looked for in its source alone, or follows from it without standing there."""
    key, _, index = place.partition(".")
    about = case.about(int(index)) if key == "expected_facts" else None
    return about is not None and (about.computed or bool(about.source))


def _is_said(fact: Fact, texts: Iterable[Text]) -> bool:
    return any(match_fact(fact, text).held for text in texts)


def _alike(replay_set: ReplaySet) -> Iterator[_Placed]:
    earlier: defaultdict[str, list[Case]] = defaultdict(list)
    asked: defaultdict[str, list[str]] = defaultdict(list)
    for case in replay_set.cases:
        asked_before = (turn.text for turn in case.frozen)
        question = normalize("\n".join([*asked_before, *(part.question for part in case.parts)]))
        found = process.extractOne(question, asked[case.history], scorer=fuzz.ratio, score_cutoff=_ALIKE)
        if found:
            other = earlier[case.history][found[2]]
            message = f"case '{case.id}' asks nearly the same as case '{other.id}'"
            yield case.line("question"), "questions-alike", message, "two such cases count one loss twice: keep one"
        earlier[case.history].append(case)
        asked[case.history].append(question)
