"""Laws of the reference compactors: budgets hold, what is kept is what was there, and a second time changes nothing."""

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from foldproof.compaction import (
    POLICIES,
    REFERENCE,
    VERIFIERS,
    Head,
    HeadTail,
    Pinned,
    Salience,
    Tail,
    Triage,
    UpdateAware,
    Verbatim,
    by_rules,
    count_tokens,
    first_clause,
    passages_of,
    said_in,
)
from foldproof.core import Registry

KINDS = Registry("foldproof.compactors", "kind of compactor", dict(REFERENCE))
COMPACTORS = [
    *(KINDS.get(name)({}) for name in KINDS.names()),
    Pinned(Salience()),
    UpdateAware(HeadTail()),
    Triage(policies=dict.fromkeys(POLICIES, Verbatim())),
    Triage(classify=lambda lines: ["belief"] * len(lines)),
]
LINES = st.one_of(
    st.sampled_from(
        [
            "Never push to main.",
            "[s1 day 1] user: I am allergic to nuts. Really!",
            "  - Always ask first, says Anna",
            "1. Run `make`, then wait",
            "The limit is 50.",
            "The limit is now 500, for everyone",
            "I prefer tea, with milk",
            "私は猫が好きです。犬は嫌いです。",
            "We met in Rome; it was warm",
            "## Rules",
            "",
            "x" * 700,
            "One is here. Two is there. " * 30,
        ]
    ),
    st.text(alphabet=st.sampled_from("ab Zé私猫\t.!?。,;日no never-*`\"'\x0b\U0001f375\ud800"), max_size=40),
)
TEXTS = st.lists(LINES, max_size=12).map("\n".join)


def compacted(compactor, text, budget):
    work = compactor.compact(text, budget)
    with pytest.raises(StopIteration) as ended:
        work.send(None)
    return ended.value.value


def squeezed(text):
    return "".join(text.split())


@settings(deadline=None, max_examples=200)
@given(text=TEXTS, budget=st.integers(0, 120), which=st.integers(0, len(COMPACTORS) - 1))
@example("\n", 0, 6)
@example("x" * 4000, 50, 2)
@example("猫" * 4000, 50, 4)
@example("Never do this. " * 400, 50, 5)
def test_no_budget_is_exceeded_and_a_second_time_changes_nothing(text, budget, which):
    compactor = COMPACTORS[which]
    found = compacted(compactor, text, budget)
    assert count_tokens(found.text) <= budget
    assert compacted(compactor, found.text, budget).text == found.text
    assert compacted(compactor, text, budget) == found
    if count_tokens(text) <= budget:
        assert found.text == text
    assert found.error == ""


@settings(deadline=None, max_examples=200)
@given(text=TEXTS, budget=st.integers(0, 120), which=st.integers(0, len(COMPACTORS) - 1))
def test_what_is_kept_stands_in_its_order_and_only_cuts_are_marked(text, budget, which):
    found = compacted(COMPACTORS[which], text, budget).text
    if found == text:
        return
    at = 0
    lines = [passage.text for passage in passages_of(text)]
    for line in found.split("\n") if found else []:
        while not (line == lines[at] or is_part(line, lines[at])):
            at += 1
        at += 1


def is_part(line, whole):
    """Whether a line is a beginning or an end of another, with the mark of a cut."""
    said, of = said_in(line), said_in(whole)
    cut = said.endswith("…") and squeezed(of).startswith(squeezed(said)[:-1])
    return cut or (said.startswith("… ") and squeezed(of).endswith(squeezed(said)[1:]))


@settings(deadline=None, max_examples=150)
@given(text=TEXTS, budget=st.integers(0, 200))
def test_a_constraint_is_there_word_for_word_or_the_budget_is_unsafe(text, budget):
    passages = [passage.text for passage in passages_of(text)]
    types = by_rules([said_in(passage) for passage in passages])
    bound = [passage for passage, kind in zip(passages, types, strict=True) if kind == "constraint"]
    for compactor in (Triage(), Pinned(), Pinned(Salience())):
        found = compacted(compactor, text, budget)
        if not found.unsafe:
            kept = iter(passages if found.text == text else found.text.split("\n"))
            assert all(line in kept for line in bound), "each in its turn"
    if count_tokens(text) > budget and count_tokens("\n".join(bound)) > budget:
        assert compacted(Triage(), text, budget).unsafe
        assert compacted(Pinned(), text, budget).unsafe


WHOLE = st.lists(st.text(alphabet="ab猫 ", min_size=1, max_size=30), max_size=12).map("\n".join)
"""Texts whose lines are one sentence each: nothing of them is cut."""


@settings(deadline=None, max_examples=150)
@given(text=WHOLE, budgets=st.tuples(st.integers(0, 60), st.integers(0, 60)), side=st.sampled_from([Head, Tail]))
def test_a_truncation_in_two_steps_keeps_what_one_step_keeps(text, budgets, side):
    small, large = sorted(budgets)
    twice = compacted(side(), compacted(side(), text, large).text, small).text
    if count_tokens(text) > large and count_tokens(compacted(side(), text, large).text) > small:
        assert twice == compacted(side(), text, small).text


@settings(deadline=None, max_examples=200)
@given(line=LINES)
def test_a_first_clause_is_a_beginning_that_its_verifier_accepts(line):
    short = first_clause(line)
    assert short == line or (short.endswith(" …") and line.startswith(short[:-2]))
    for verifier in VERIFIERS.values():
        assert verifier(line, line) in {"", "it speaks of something else"}
