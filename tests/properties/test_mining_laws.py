"""Laws of mining: the choice is fair and repeats itself, and what is merged was alike."""

from __future__ import annotations

from collections import Counter
from itertools import combinations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from foldproof.logs.choosing import fair_order, mixed
from foldproof.logs.near import alike, merged, parts_of

ASKED = st.lists(st.tuples(st.integers(0, 4), st.integers(0, 3), st.integers(0, 3)), max_size=40)
SAID = ("which", "port", "is", "staging", "on", "now", "again", "please", "8443", "8444")
WORDS = st.lists(st.sampled_from(SAID), min_size=1, max_size=9)


def order_of(asked, seed=0):
    user, topic, week = (np.array([row[at] for row in asked], np.int64) for at in range(3))
    lots = mixed(np.arange(len(asked)).astype(np.uint64), seed)
    return fair_order(lots, user=user, topic=topic, week=week).tolist()


def fair(taken, left):
    """No value was taken two times more often than one that is still left."""
    counts = Counter(taken)
    return all(counts[one] <= counts[other] + 1 for one in counts for other in left)


@given(ASKED, st.integers(0, 2**63))
def test_every_question_is_taken_once_and_the_same_seed_takes_the_same(asked, seed):
    order = order_of(asked, seed)
    assert sorted(order) == list(range(len(asked)))
    assert order == order_of(asked, seed)


@given(ASKED, st.data())
def test_any_beginning_is_fair_to_users(asked, data):
    order = order_of(asked)
    cut = data.draw(st.integers(0, len(order)))
    assert fair([asked[at][0] for at in order[:cut]], {asked[at][0] for at in order[cut:]})


@given(ASKED, st.data())
def test_any_beginning_is_fair_to_the_topics_of_a_user_and_to_the_weeks_of_a_topic(asked, data):
    order = order_of(asked)
    cut = data.draw(st.integers(0, len(order)))
    taken, left = [asked[at] for at in order[:cut]], [asked[at] for at in order[cut:]]
    alone = {user for user, *_ in asked if sum(row[0] == user for row in asked) == len(asked)}
    for user in alone:
        assert fair([row[1] for row in taken if row[0] == user], {row[1] for row in left})
        for topic in {row[1] for row in asked}:
            weeks = [row[2] for row in taken if row[1] == topic]
            assert fair(weeks, {row[2] for row in left if row[1] == topic})


@given(st.lists(st.integers(0, 3), min_size=1, max_size=30), st.data())
def test_users_who_asked_once_are_shared_between_topics(topics, data):
    asked = [(user, topic, 0) for user, topic in enumerate(topics)]
    order = order_of(asked)
    cut = data.draw(st.integers(0, len(order)))
    assert fair([asked[at][1] for at in order[:cut]], {asked[at][1] for at in order[cut:]})


def test_another_seed_draws_other_lots():
    asked = [(user, 0, 0) for user in range(50)]
    assert order_of(asked, 1) != order_of(asked, 2)


def test_a_choice_that_favours_one_is_told():
    assert not fair([0, 0], {1})
    assert fair([0, 0, 1], {1})


@given(st.lists(WORDS.map(" ".join), max_size=12))
def test_what_is_merged_is_alike_and_stands_for_itself(texts):
    stands = merged(texts)
    assert stands == merged(texts)
    for number, first in enumerate(stands):
        assert first <= number
        assert stands[first] == first
        assert alike(parts_of(texts[first]), parts_of(texts[number]))
    kept = [texts[number] for number, first in enumerate(stands) if first == number]
    assert len({parts_of(text) for text in kept}) == len(kept)


@given(WORDS, WORDS)
def test_questions_with_other_numbers_are_never_alike(one, other):
    numbers = [{word for word in words if word.isdigit()} for words in (one, other)]
    parts = [parts_of(" ".join(words)) for words in (one, other)]
    assert alike(*parts) is alike(*reversed(parts))
    if numbers[0] != numbers[1]:
        assert not alike(*parts)


def test_most_alike_pairs_are_found():
    words = "please tell me which of the three gate codes we agreed on for the back door of the house by the river"
    texts = [words, *(f"{words} {end}" for end in ("now", "today", "again", "then", "really"))]
    assert merged(texts) == [0] * 6
    assert all(alike(parts_of(one), parts_of(other)) for one, other in combinations(texts, 2))
