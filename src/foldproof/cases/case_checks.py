"""What a single case must keep to, beyond the shape of its fields."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping

from foldproof.cases.expectations import ANY_TOOL, ExpectedCall, argument_text
from foldproof.cases.forgetting import forgetting_problems
from foldproof.cases.frozen import prefix_faults
from foldproof.cases.provenance import Source, source_of
from foldproof.cases.records import DRAFT, Case
from foldproof.cases.sessions import before_its_time
from foldproof.core import Problem, nearest_of
from foldproof.logs import History
from foldproof.matching import Fact, check_fact, normalize

NOTHING_ASKED = frozenset({"reply_omits", "store_lacks"})
"""Expectations that an agent meets which says nothing and keeps nothing."""


def alternatives(fact: Fact) -> tuple[Fact, ...]:
    """The facts of which one is enough: the fact itself unless its kind is `any`."""
    return fact.any if fact.kind == "any" else (fact,)


def case_problems(
    case: Case,
    sources: Iterable[tuple[str, str]],
    histories: Mapping[str, History],
    *,
    known: Collection[str],
    file: str,
    judged: bool,
) -> list[Problem]:
    """Everything that is wrong with a well-formed case.

    `sources` are those of the case and of its facts as they are written, each with its place. `histories` are those
    that could be read, `known` the names of all; `judged` says that the set has a judge.
    """
    found = [(case, item) for item in (*_nothing_asked(case), *_session_problems(case), *_frozen_problems(case))]
    for part in case.parts:
        checks = (_fact_problems(part, judged), _contradictions(part), _call_problems(part))
        found += [(part, item) for check in checks for item in check]
    whole = (_history_problems(case, known), _source_problems(case, sources, histories))
    found += [(case, item) for check in whole for item in check]
    return [
        Problem(file, part.line(key), f"case '{case.id}'{message}", hint, rule=rule)
        for part, (key, rule, message, hint) in found
    ]


_Found = tuple[str, str, str, str]


def placed_facts(case: Case, *, wanted: bool) -> list[tuple[str, Fact]]:
    """The facts that the answer must hold, or must not, each with its place in the case."""
    key, facts = ("expected_facts", case.expected) if wanted else ("forbidden_facts", case.forbidden)
    kind = "reply_mentions" if wanted else "reply_omits"
    said = [(f"expect.{at}", item.fact) for at, item in enumerate(case.expect) if item.kind == kind and item.fact]
    return [*((f"{key}.{at}", fact) for at, fact in enumerate(facts)), *said]


def _session_problems(case: Case) -> Iterator[_Found]:
    early = before_its_time(case.sessions)
    if early is not None:
        message = f" has session {early + 1} at '{case.sessions[early].at}', which is before an earlier one"
        yield f"sessions.{early}", "session-order", message, "write the sessions in the order in which they take place"
    if case.history and "" not in case.users:
        message = f" has the history '{case.history}', and no session of the user without a label, whose it is"
        yield "history", "history-of-nobody", message, "leave out the `user` of those sessions whose user it belongs to"
    if case.forget:
        yield from forgetting_problems(case.forget, case.sessions)


def _frozen_problems(case: Case) -> Iterator[_Found]:
    for at, what, hint in prefix_faults(case.frozen):
        yield f"frozen.{at}", "frozen", f": `frozen[{at + 1}]` {what}", hint


def is_empty(case: Case) -> bool:
    """Whether a case says nothing at all of its answer."""
    return not (case.expected or case.forbidden or case.abstain or case.all_expected or case.forget)


def _nothing_asked(case: Case) -> Iterator[_Found]:
    """A case that nothing could fail; of a draft a person may still have to say what it expects."""
    survives = case.forget is not None and case.forget.asks
    asked = (
        survives or case.expected or case.abstain or any(item.kind not in NOTHING_ASKED for item in case.all_expected)
    )
    if not asked and not (DRAFT in case.tags and is_empty(case)):
        forbidden = case.forbidden or case.all_expected or case.forget
        only = ", only forbidden ones: silence would pass it" if forbidden else ""
        hint = "write under `expected_facts` what the answer must say, or `abstain: true` if it must admit not to know"
        yield "expected_facts", "no-expected-facts", f" has no expected facts{only}", hint


def _contradictions(case: Case) -> Iterator[_Found]:
    forbidden = {_key(item) for _, fact in placed_facts(case, wanted=False) for item in alternatives(fact)}
    for place, fact in placed_facts(case, wanted=True):
        for item in alternatives(fact):
            if _key(item) in forbidden:
                message = f" expects '{item.label}' and forbids it too"
                yield place, "expected-and-forbidden", message, "remove one of the two"


def _call_problems(case: Case) -> Iterator[_Found]:
    """Calls that are expected although every one of them is forbidden: no agent can pass."""
    forbidden = [call for item in case.expect if item.kind == "no_tool_called" for call in item.calls[0].alternatives]
    for index, item in enumerate(case.expect):
        if item.kind == "no_tool_called" or item.silent:
            continue
        for call in item.calls:
            if all(any(covers(other, one) for other in forbidden) for one in call.alternatives):
                message = f" expects the call of {call.label} and forbids it too"
                yield f"expect.{index}", "expected-and-forbidden", message, "remove one of the two"


def covers(forbidden: ExpectedCall, expected: ExpectedCall) -> bool:
    """Whether every call that meets the one is forbidden by the other."""
    if forbidden.name not in {ANY_TOOL, expected.name} or forbidden.mode == "exact":
        return False
    return all(
        name in expected.args and argument_text(expected.args[name]) == argument_text(value)
        for name, value in forbidden.args.items()
    )


def _key(fact: Fact) -> tuple[str, str]:
    return fact.kind, normalize(fact.text) if fact.kind == "normalized" else fact.text


def _fact_problems(case: Case, judged: bool) -> Iterator[_Found]:
    newer = [(f"expected_facts.{at}", said.superseded_by) for at, said in case.provenance.items() if said.superseded_by]
    held = [(f"expect.{at}", item.fact) for at, item in enumerate(case.expect) if item.about_memory and item.fact]
    for place, fact in (*placed_facts(case, wanted=True), *placed_facts(case, wanted=False), *held, *newer):
        if fault := check_fact(fact):
            what, _, how = fault.partition("\n")
            hint = how.strip() or "write it another way"
            yield place, "fact", f": {what}", hint
        if not any(item.kind == "judged" for item in alternatives(fact)):
            continue
        if case.case_class == "safety":
            yield (
                place,
                "judged-safety",
                f" is of class 'safety', but its fact '{fact.label}' is judged",
                "what a regulated process would quote back is matched: write the words it must say",
            )
        if not judged:
            yield (
                place,
                "no-judge",
                f" has the judged fact '{fact.label}', but the set names no judge",
                "run: foldproof judge pin --model gpt-4.1-2025-04-14, which adds `judge:` to the set",
            )


def _history_problems(case: Case, known: Collection[str]) -> Iterator[_Found]:
    if case.history and case.history not in known:
        hint = nearest_of(case.history, known) if known else "add it under `histories:`"
        yield "history", "unknown-history", f" names the unknown history '{case.history}'", hint


def _source_problems(
    case: Case, sources: Iterable[tuple[str, str]], histories: Mapping[str, History]
) -> Iterator[_Found]:
    for place, text in sources:
        source = source_of(text)
        if source is None:
            yield place, "source", f" has the source '{text}'", "write `history/session.tN`, N from 1: acme/s12.t3"
        elif source.history != case.history:
            belongs = f"its history is '{case.history}'" if case.history else "it has no history"
            yield place, "source", f" has the source '{text}', but {belongs}", "a source lies in the case's own history"
        elif source.history in histories:
            yield from _turn_problems(place, text, source, histories[source.history])


def _turn_problems(place: str, text: str, source: Source, history: History) -> Iterator[_Found]:
    turns = {session.id: len(session.turns) for session in history.sessions}
    if source.session not in turns:
        hint = nearest_of(source.session, turns)
        yield place, "source", f" has the source '{text}', but its history has no session '{source.session}'", hint
    elif source.turn > turns[source.session]:
        message = f" has the source '{text}', but that session has {turns[source.session]} turns"
        yield place, "source", message, f"allowed: `.t1` to `.t{turns[source.session]}`"
