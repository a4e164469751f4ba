"""Laws of coverage: nothing is counted twice or lost, and a further case never covers less."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from foldproof.cases import Case
from foldproof.cases.coverage import COVERS, Rarity, cover_traffic
from foldproof.logs import FORMATS
from foldproof.logs.topics import by_root
from foldproof.logs.traffic import AskedQuestion, Traffic

SAID = ("which", "port", "staging", "billing", "database", "refund", "now", "8443", "端口")
TEXT = st.lists(st.sampled_from(SAID), min_size=1, max_size=6).map(" ".join)
ASKED = st.builds(
    lambda text, times, users: AskedQuestion(text, by_root(text), times, users),
    TEXT, st.integers(1, 5), st.frozensets(st.integers(0, 3), max_size=3),
)  # fmt: skip
QUESTIONS = st.lists(ASKED, min_size=1, max_size=8, unique_by=lambda one: one.text)
CASES = st.lists(TEXT, max_size=4).map(lambda texts: [Case(f"c{at}", text) for at, text in enumerate(texts)])


def traffic(questions, earlier=()):
    counts = {"lines": 0, "said": 0, "found": 0, "timeless": 0, "broken": 0, "problems": [], "notes": []}
    return Traffic(
        FORMATS.get("openai"), "named", drawn=sum(one.asked for one in questions), questions=tuple(questions),
        earlier=tuple(earlier), earlier_found=0, earlier_drawn=0, **counts,
    )  # fmt: skip


@given(QUESTIONS, CASES)
def test_every_asking_is_in_one_topic_or_has_no_word_of_its_own(questions, cases):
    held = cover_traffic(traffic(questions), cases)
    assert held.wordless + sum(topic.asked for topic in held.topics) == held.asked
    assert sum(topic.covered for topic in held.topics) == held.covered <= held.asked
    assert {one.case for one in held.cases} | held.left_out.keys() == {case.id for case in cases}
    for topic in held.topics:
        assert bool(topic.covered) <= bool(topic.cases)


@given(QUESTIONS, CASES, TEXT)
def test_a_further_case_never_covers_less_and_the_order_plays_no_part(questions, cases, text):
    held = cover_traffic(traffic(questions), cases)
    more = cover_traffic(traffic(questions), [*cases, Case("more", text)])
    assert more.covered >= held.covered
    assert more.cases[: len(held.cases)] == held.cases
    turned = cover_traffic(traffic(questions[::-1]), cases[::-1])
    assert (turned.topics, turned.covered, turned.cases[::-1]) == (held.topics, held.covered, held.cases)


@given(QUESTIONS)
def test_a_case_made_of_a_question_covers_it(questions):
    held = cover_traffic(traffic(questions), [Case("own", questions[0].text)])
    assert held.covered >= (questions[0].asked if questions[0].words else 0)


@given(st.lists(TEXT, min_size=2, max_size=8))
def test_likeness_is_the_same_both_ways_between_0_and_1(texts):
    words = [frozenset(by_root(text)) for text in texts]
    rarity = Rarity(words)
    one, other = words[:2]
    assert rarity.likeness(one, other) == rarity.likeness(other, one)
    assert 0 <= rarity.likeness(one, other) <= 1 + 1e-9
    assert (rarity.likeness(one, other) > 0) is bool(one & other)
    assert rarity.likeness(one, one) == (pytest.approx(1) if one else 0)
    assert 0 < COVERS < 1
