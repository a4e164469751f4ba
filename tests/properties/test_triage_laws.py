"""Laws of triage: one bucket a case, sums that add up, and an error that never becomes a judgement."""

from collections import Counter
from dataclasses import replace

from hypothesis import assume, given
from hypothesis import strategies as st

from foldproof.cases import Case, Logged, ReplaySet
from foldproof.cases.gates import proposed_gate
from foldproof.compare import ANSWERABLE, BUCKETS, Answerable, choose_cases, triage_case
from foldproof.report import AskedBy, triage_document
from foldproof.score import CaseScore, TrialScore

OUTCOMES = st.lists(st.sampled_from(["pass", "fail", "error"]), max_size=3)
SIDES = st.tuples(OUTCOMES, st.none() | OUTCOMES, st.none() | OUTCOMES)
CLASSES = ("safety", "identity", "preference", "episodic", "semantic", "canary", "own")
ANSWERED = st.lists(
    st.builds(
        Answerable, st.just(""), st.sampled_from(CLASSES), st.sampled_from("abc"), st.sampled_from("xyz"),
        st.integers(1, 9), st.none() | st.integers(0, 9), st.booleans(),
    ),
    max_size=40,
)  # fmt: skip


def score(outcomes, case_id="a"):
    if outcomes is None:
        return None
    trials = (TrialScore(at, told, error="broke" * (told == "error")) for at, told in enumerate(outcomes))
    return CaseScore(case_id, "semantic", tuple(trials))


def sort(sides, case_id="a"):
    unplugged, memory, oracle = (score(side, case_id) for side in sides)
    return triage_case(unplugged, memory=memory, oracle=oracle)


def numbered(cases):
    return [replace(one, id=str(at)) for at, one in enumerate(cases)]


@given(SIDES)
def test_every_case_falls_in_one_bucket_and_says_why(sides):
    found = sort(sides)
    assert found.bucket in BUCKETS
    assert found.reason
    assert (found.doubt is not None) == (found.bucket == "undecided")
    if found.bucket in ANSWERABLE:
        assert "pass" not in sides[0]
        assert sides[0]
        assert set(sides[1]) == {"pass"}
    if found.bucket in {"backlog", "broken"}:
        assert set(sides[1]) == {"fail"}
        assert ("pass" in sides[2]) == (found.bucket == "backlog")


@given(SIDES, st.data())
def test_an_error_in_place_of_a_trial_or_beside_it_leaves_the_bucket_or_makes_it_undecided(sides, data):
    side = data.draw(st.integers(0, 2))
    assume(sides[side])
    at = data.draw(st.integers(0, len(sides[side])))
    changed = [*sides]
    changed[side] = [*sides[side][:at], "error", *sides[side][at + data.draw(st.integers(0, 1)) :]]
    assert sort(changed).bucket in {sort(sides).bucket, "undecided"}


@given(st.lists(st.tuples(SIDES, st.booleans()), min_size=1, max_size=30))
def test_the_printed_counts_add_up_to_every_case(told):
    cases = tuple(Case(str(at), "?", logged=Logged("ada") if logged else None) for at, (_, logged) in enumerate(told))
    triaged = [sort(sides, str(at)) for at, (sides, _) in enumerate(told)]
    asked_by = {case.id: AskedBy("ada", "", 1) for case in cases}
    document = triage_document(
        ReplaySet("s", "r.yaml", cases, {}, ""), triaged, config="p", chosen=(), asked_by=asked_by, runs=(), notes=()
    )
    assert [row.bucket for row in document.counts] == list(BUCKETS)
    assert sum(row.logged for row in document.counts) == sum(logged for _, logged in told)
    assert sum(row.logged + row.others for row in document.counts) == len(cases) == len(document.cases)
    assert Counter(case.bucket for case in document.cases) == +Counter(
        {row.bucket: row.logged + row.others for row in document.counts}
    )
    failed = any(one.doubt == "error" for one in triaged)
    answerable = any(one.bucket in ANSWERABLE for one in triaged)
    assert (document.verdict == "pass") == (answerable and not failed)


@given(ANSWERED, st.integers(0, 30))
def test_the_choice_is_as_large_as_it_can_be_and_fair_to_classes(cases, most):
    cases = numbered(cases)
    chosen = choose_cases(cases, most)
    assert chosen == choose_cases(cases, most)
    assert len({one.id for one in chosen}) == len(chosen) == min(most, len(cases))
    by_id = {case.id: case for case in cases}
    taken = Counter(by_id[one.id].case_class for one in chosen)
    left = {case.case_class for case in cases if case.id not in {one.id for one in chosen}}
    assert all(taken[one] <= taken[other] + 1 for one in taken for other in left)


@given(ANSWERED, st.integers(0, 30))
def test_canaries_are_stable_at_most_half_and_leave_every_class_one_case(cases, most):
    cases = numbered(cases)
    by_id = {case.id: case for case in cases}
    chosen = choose_cases(cases, most)
    canaries = [by_id[one.id] for one in chosen if one.canary]
    if any(by_id[one.id].case_class == "canary" for one in chosen):
        assert {case.case_class for case in canaries} == {"canary"}
        return
    assert all(case.stable for case in canaries)
    assert 2 * len(canaries) <= len(chosen)
    kept = {by_id[one.id].case_class for one in chosen if not one.canary}
    assert kept == {by_id[one.id].case_class for one in chosen}


@given(st.lists(st.sampled_from(CLASSES)))
def test_the_proposed_gate_counts_what_there_is(classes):
    counts = Counter(classes)
    gate = proposed_gate(classes)
    assert gate.keys() == counts.keys()
    for name, need in gate.items():
        if name in {"safety", "identity", "canary"}:
            assert (need.need, need.of) == (None, None)
        else:
            assert need.of == counts[name]
            assert counts[name] - 1 <= need.need <= counts[name]
            assert (need.need == counts[name]) == (counts[name] < 4)
