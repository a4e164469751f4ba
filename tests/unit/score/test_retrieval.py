"""B82: a retrieval that gives back the whole store was never tested, whatever it was asked."""

import pytest

from foldproof.logs import MemoryItem
from foldproof.record import StoreListing, Trial
from foldproof.score.retrieval import WholeReads, whole_reads

STORES = {
    size: StoreListing(tuple(MemoryItem(f"turn {n}", id=f"s1.t{n}") for n in range(size))) for size in (0, 1, 2, 3)
}
BY_HASH = {store.sha256: store for store in STORES.values()}
PLAIN = "the memory gives its whole content to every question: retrieval plays no part"


def a_trial(case, reads, size, *, score=1.0, repeat=0):
    """A trial that read the first `reads` items of a store of `size`."""
    items = None if reads is None else tuple(MemoryItem(f"turn {n}", id=f"s1.t{n}", score=score) for n in range(reads))
    return Trial(case, repeat, memory_reads=items, store_kept=None if size is None else STORES[size].sha256)


def found(*trials):
    return whole_reads(trials, BY_HASH.get)


def test_k_of_at_least_the_items_is_called_untested():
    told = found(a_trial("a", 2, 2), a_trial("b", 3, 3), a_trial("c", 2, 3))
    assert (told.whole, told.part) == (("a", "b"), ("c",))
    assert told.note == (
        "retrieval was not tested for 2 of 3 cases: each was given the whole store (items in it: 2 to 3);"
        " a longer history or a smaller `k` would test it"
    )


def test_a_retrieval_that_left_something_out_is_not():
    told = found(a_trial("a", 2, 3), a_trial("b", 0, 1))
    assert (told.whole, told.note) == ((), "")


def test_one_trial_that_read_less_is_enough():
    told = found(a_trial("a", 3, 3), a_trial("a", 2, 3, repeat=1))
    assert (told.whole, told.part) == ((), ("a",))


@pytest.mark.parametrize(("reads", "size"), [(None, 2), (2, None), (0, 0), (2, 0)])
def test_what_was_not_seen_and_an_empty_store_say_nothing(reads, size):
    assert found(a_trial("a", reads, size)) == WholeReads()
    seen = found(a_trial("a", reads, size), a_trial("a", 2, 2, repeat=1))
    assert seen.whole == ("a",), "the trial of which both were seen speaks"


def test_a_listing_that_is_not_kept_says_nothing():
    assert whole_reads([a_trial("a", 2, 2)], lambda _: None) == WholeReads()


def test_one_item_twice_is_not_two():
    twice = Trial("a", 0, memory_reads=(MemoryItem("turn 0", id="s1.t0"),) * 2, store_kept=STORES[2].sha256)
    assert found(twice).part == ("a",)
    doubled = StoreListing((MemoryItem("x"),) * 2)
    once = Trial("a", 0, memory_reads=(MemoryItem("x"),), store_kept=doubled.sha256)
    both = Trial("b", 0, memory_reads=(MemoryItem("x"),) * 2, store_kept=doubled.sha256)
    told = whole_reads([once, both], lambda _: doubled)
    assert (told.whole, told.part) == (("b",), ("a",))


def test_a_candidate_that_was_not_given_is_no_read():
    given = MemoryItem("turn 0", id="s1.t0", score=1.0)
    dropped = MemoryItem("turn 1", id="s1.t1", score=0.5, dropped="beyond k")
    trial = Trial("a", 0, memory_reads=(given, dropped), store_kept=STORES[2].sha256)
    assert found(trial).part == ("a",)


def test_a_memory_without_scores_that_always_gives_all_does_not_retrieve():
    assert found(a_trial("a", 2, 2, score=None), a_trial("b", 3, 3, score=None)).note == PLAIN
    some = found(a_trial("a", 2, 2, score=None), a_trial("b", 2, 3, score=None))
    assert some.note.startswith("retrieval was not tested for 1 of 2 cases"), "it does retrieve for the other"
    assert "(items in it: 2)" in some.note
    scored = found(a_trial("a", 2, 2), a_trial("b", 3, 3, score=None))
    assert scored.note.startswith("retrieval was not tested for 2 of 2 cases")


def test_each_listing_is_fetched_once():
    asked = []

    def listing(sha256):
        asked.append(sha256)
        return BY_HASH.get(sha256)

    whole_reads([a_trial("a", 2, 2), a_trial("b", 2, 2), a_trial("c", 1, 2)], listing)
    assert asked == [STORES[2].sha256]
