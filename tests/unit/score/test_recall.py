"""recall_any flatters what needs several turns, so recall_all stands beside it; what cannot be traced is no miss."""

from dataclasses import replace

import pytest

from foldproof.cases import Case, Provenance, ReplaySet, Source
from foldproof.logs import History, MemoryItem, Seen, Session, Turn
from foldproof.matching import Fact
from foldproof.record import Trial, TrialError
from foldproof.score.recall import RecallAt, RunRecall, recall_at, run_recall

TURNS = [f"The number of the locker in the {place} is {n}." for n, place in enumerate(("north", "south", "east"), 1)]
HISTORY = History("h", (Session("s1", tuple(Turn("user", text) for text in [*TURNS, "Yes."])),))
FACT = Fact("normalized", "1")


def a_case(case_id="a", turns=(1,), **more):
    return Case(
        case_id, "?", "semantic", (FACT,), history="h", source=tuple(Source("h", "s1", n) for n in turns), **more
    )


def a_trial(*items, case="a", **more):
    given = tuple(MemoryItem(text, id=name, score=1.0) for name, text in items)
    return Trial(case, 0, memory_reads=given, **more)


def by_id(*numbers, case="a"):
    return a_trial(*((f"s1.t{n}", f"turn {n}") for n in numbers), case=case)


def found(trials, *cases):
    return run_recall(ReplaySet("s", "", cases or (a_case(),), {}, "", {"h": HISTORY}), trials)


def test_one_of_two_turns_is_any_and_not_all():
    assert recall_at([[1, 0], [2, 3]], 2) == RecallAt(2, 0.5, 1.0, 0.0)
    assert recall_at([[1, 0], [2, 3]], 3) == RecallAt(3, 0.75, 1.0, 0.5)
    assert recall_at([[0], [4]], 3) == RecallAt(3, 0.0, 0.0, 0.0)


def test_ranks_decide_at_which_number_of_items_a_source_is_found():
    group = found([by_id(4, 2, 1, 3, 3, 3)], a_case(turns=(1, 2))).groups[0]
    assert [(row.k, row.recall, row.any, row.all) for row in group.at] == [
        (1, 0.0, 0.0, 0.0), (5, 1.0, 1.0, 1.0), (6, 1.0, 1.0, 1.0),
    ]  # fmt: skip


def test_an_item_counts_by_its_words_where_it_has_another_id():
    wrapped = ("m7", f"[s1] user:  {TURNS[0]}")
    assert found([a_trial(wrapped)]).groups[0].at[-1].all == 1.0
    assert found([a_trial(("m7", f"… {TURNS[1]}"))]).groups[0].at[-1].any == 0.0, "of another turn: a miss"


def test_a_short_turn_must_end_the_item():
    short = a_case(turns=(4,))
    assert found([a_trial(("m", "user: Yes."))], short).groups[0].at[-1].all == 1.0
    told = found([a_trial(("m", "Yes. He said so"), ("n", TURNS[0]))], short)
    assert told.groups[0].at[-1].all == 0.0


def test_what_a_memory_wrote_anew_is_untraced_and_not_a_miss():
    assert found([a_trial(("m1", "has a locker"))]) == RunRecall((), 1)
    told = found([a_trial(("m1", "has a locker")), by_id(2, case="b")], a_case(), a_case("b"))
    assert (told.untraced, told.groups[0].cases, told.groups[0].at[-1].any) == (1, 1, 0.0)


def test_nothing_retrieved_is_a_miss_and_nothing_seen_is_not():
    told = found([a_trial(), by_id(1, case="b")], a_case(), a_case("b"))
    assert (told.groups[0].cases, told.groups[0].at[-1].any, told.untraced) == (2, 0.5, 0)
    assert found([Trial("a", 0)]) == RunRecall((), 1)
    told = found([a_trial()])
    assert (told.groups[0].at, told.untraced) == ((RecallAt(0, 0.0, 0.0, 0.0),), 0), "a memory that gives nothing"


def test_a_candidate_that_was_passed_over_is_not_given():
    items = (MemoryItem("x", id="s1.t2", score=1.0), MemoryItem("y", id="s1.t1", score=0.5, dropped="beyond k"))
    assert found([Trial("a", 0, memory_reads=items)]).groups[0].at[-1].any == 0.0


def test_the_first_trial_that_was_seen_speaks_whoever_saw_it():
    broken = replace(by_id(1), error=TrialError("agent", "broke"))
    seen = Trial("a", 1, seen=(Seen("otel", memory_reads=(MemoryItem("x", id="s1.t1", score=1.0),)),))
    told = found([broken, Trial("a", 0), seen, replace(by_id(2), repeat=2)])
    assert (told.groups[0].at[-1].all, told.untraced) == (1.0, 0)


def test_cases_without_a_source_and_those_that_must_know_nothing_are_left_out():
    assert found([by_id(1)], replace(a_case(), source=())) == RunRecall()
    assert found([by_id(1)], replace(a_case(), abstain=True)) == RunRecall()
    assert found([by_id(1, case="other")]) == RunRecall()


def test_the_sources_of_facts_count_too():
    own = replace(a_case(), source=(), provenance={0: Provenance(source=(Source("h", "s1", 3),))})
    assert found([by_id(3)], own).groups[0].at[-1].all == 1.0


@pytest.mark.parametrize(("score", "rows"), [(1.0, [1, 5, 6]), (None, [6])])
def test_without_scores_the_order_means_nothing(score, rows):
    items = tuple(MemoryItem("x", id=f"s1.t{n % 4 + 1}", score=score) for n in range(6))
    assert [row.k for row in found([Trial("a", 0, memory_reads=items)]).groups[0].at] == rows


def test_groups_are_tags_and_disputed_sources():
    cases = (
        a_case(tags=("multi", "disputed", "disputed-source")),
        a_case("b", tags=("draft", "disputed", "disputed-x")),
    )
    told = found([by_id(1), by_id(2, case="b")], *cases)
    assert [(group.name, group.cases, group.at[-1].any) for group in told.groups] == [
        ("", 2, 0.5), ("disputed-source", 1, 1.0), ("multi", 1, 1.0),
    ]  # fmt: skip
