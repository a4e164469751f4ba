"""Whose span it is: by path, by name, by trace, or nobody's."""

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from foldproof.agents.otel import trials as module
from foldproof.agents.otel.spans import Span
from foldproof.agents.otel.trials import Trials


class Clock:
    now = 100.0

    def __call__(self):
        return self.now


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture
def trials(clock):
    return Trials(5, clock)


numbers = itertools.count(1)


def span(trace="aa", *marks, start=1, parent="", **more):
    return Span(trace, f"{next(numbers):016x}", marks, parent, start_ns=start, **more)


def held(trials, name):
    return len(trials.of(name).spans)


def test_the_path_comes_first_then_the_names_then_the_trace(trials):
    one, two = trials.begin("one"), trials.begin("two")
    trials.add([span("t1", "two")], one.path)
    assert (held(trials, "one"), held(trials, "two")) == (1, 0)
    trials.add([span("t2", "one", "two")])
    assert (held(trials, "one"), held(trials, "two")) == (2, 0), "the resource before the span"
    trials.add([span("t3", "somebody else's", "two")])
    assert (held(trials, "one"), held(trials, "two")) == (2, 1), "a name that is nobody's is passed over"
    trials.add([span(one.trace, "two"), span(two.trace)])
    assert (held(trials, "one"), held(trials, "two")) == (2, 3), "a name before the trace"
    assert trials.remarks(all_waiting=True) == []


def test_a_span_that_names_nobody_joins_the_trace_that_another_one_names(trials):
    trials.begin("one")
    trials.add([span("t1"), span("t1"), span("t2")])
    assert held(trials, "one") == 0
    trials.add([span("t1", "one")])
    assert held(trials, "one") == 3
    trials.add([span("t1")])
    assert held(trials, "one") == 4
    assert trials.remarks(all_waiting=True)[0].startswith("1 spans name no trial and are left out")


def test_a_trace_that_two_trials_name_is_nobodys(trials):
    trials.begin("one")
    trials.begin("two")
    trials.add([span("t1", "one"), span("t1", "two"), span("t1")])
    assert (held(trials, "one"), held(trials, "two")) == (1, 1)
    assert trials.remarks(all_waiting=True)[0].startswith("1 spans name no trial")


def test_a_span_waits_before_it_is_told_and_is_told_once(trials, clock):
    trials.add([span("t1")])
    assert trials.remarks(all_waiting=False) == []
    clock.now += 5
    assert trials.remarks(all_waiting=False)[0].startswith("1 spans name no trial")
    assert trials.remarks(all_waiting=True) == []


def test_a_span_that_was_told_at_once_may_still_be_named(trials, clock):
    trials.begin("one")
    trials.add([span("t1")])
    assert len(trials.remarks(all_waiting=True)) == 1
    assert trials.remarks(all_waiting=True) == []
    trials.add([span("t1", "one")])
    assert held(trials, "one") == 2
    clock.now += 5
    assert trials.remarks(all_waiting=False) == []


def test_only_so_many_spans_wait(trials, monkeypatch):
    monkeypatch.setattr(module, "WAITING", 3)
    assert trials.add([span("t1") for _ in range(5)]) == 2
    assert trials.add([span("")]) == 1, "without a trace no sign can come"
    assert trials.remarks(all_waiting=True)[0].startswith("6 spans name no trial")


def test_only_so_much_is_kept_of_a_trial(trials, monkeypatch):
    monkeypatch.setattr(module, "SPANS", 3)
    one = trials.begin("one")
    assert trials.add([span() for _ in range(4)], one.path) == 1
    assert (held(trials, "one"), one.lost) == (3, 1)
    assert len(trials.taken(one)) == 3
    assert trials.add([span()], one.path) == 0, "what was taken makes room"
    monkeypatch.setattr(module, "TRIAL_BYTES", 2000)
    assert trials.add([span(attributes={"input.value": "x" * 1000})], one.path) == 1
    assert trials.add([span(attributes={"input.value": "x" * 100})], one.path) == 0


def test_spans_of_the_building_that_come_late_are_not_mixed_in(trials):
    one = trials.begin("one")
    one.split_ns = 50
    trials.add([span(start=49), span(start=50)], one.path)
    assert (held(trials, "one"), one.late) == (1, 1)


def test_spans_of_a_trial_that_is_over_are_told(trials):
    one = trials.begin("one")
    trials.end("one")
    trials.add([span("t1", "one"), span("t2"), span(one.trace)], "")
    trials.add([span()], one.path)
    assert trials.of("one") is None
    notes = trials.remarks(all_waiting=True)
    assert notes[0].startswith("1 spans name no trial")
    assert notes[1].startswith("3 spans came after their trial had been taken: raise `wait_s`")
    assert trials.remarks(all_waiting=True) == []


def test_a_trace_is_complete_when_each_parent_has_come(trials):
    one = trials.begin("one")
    child = span(one.trace, parent="00000000000000ff")
    trials.add([child])
    assert not one.complete
    trials.add([Span(one.trace, "00000000000000ff", parent=one.span)])
    assert one.complete


def test_refused_bodies_are_told_to_their_trial_or_to_the_next(trials):
    one = trials.begin("one")
    trials.refuse("not JSON", one.path)
    trials.refuse("not gzip")
    trials.refuse("not gzip either", "no such path")
    assert one.refused == ["not JSON"]
    assert trials.remarks(all_waiting=False) == ["2 export requests could not be read: not gzip; not gzip either"]


NAMES = ["one", "two", "three"]


@given(st.lists(st.tuples(st.sampled_from(NAMES), st.sampled_from(["path", "mark", "trace", "sibling"]))), st.data())
def test_trials_never_mix_in_whatever_order_their_spans_come(sent, data):
    trials = Trials(5)
    listening = {name: trials.begin(name) for name in NAMES}
    own = {name: f"trace of {name}" for name in NAMES}
    made = [
        (Span(listening[name].trace if how == "trace" else own[name], f"{number}", (name,) if how == "mark" else (),
              attributes={"gen_ai.owner": name}, start_ns=1), how, name)
        for number, (name, how) in enumerate(sent)
    ]  # fmt: skip
    for one, how, name in data.draw(st.permutations(made)):
        trials.add([one], listening[name].path if how == "path" else "")
    for name in NAMES:
        kept = {one.id: one.attributes["gen_ai.owner"] for one in listening[name].spans}
        assert set(kept.values()) <= {name}
        named = {how for owner, how in sent if owner == name} & {"path", "mark"}
        expected = {one.id for one, how, owner in made if owner == name and (how != "sibling" or named)}
        assert set(kept) == expected, "a sibling joins its trace as soon as the trace is named"


def test_what_only_the_trace_gave_a_trial_is_dropped_when_another_one_is_named_there(trials):
    one, two = trials.begin("one"), trials.begin("two")
    mine, unnamed, theirs = span("t1", "one"), span("t1", parent="3"), span("t1", "two")
    trials.add([span("t1"), mine, unnamed])
    assert held(trials, "one") == 3
    size = one.size
    trials.add([theirs])
    assert (one.spans, two.spans) == ([mine], [theirs])
    assert (one.size, one.shared, two.shared) == (mine.size, 2, 0)
    assert one.size < size
    trials.add([span("t1")])
    assert (held(trials, "one"), held(trials, "two"), one.shared) == (1, 1, 2), "the trace stays nobody's"


def test_what_came_on_a_path_or_by_name_stays_whatever_its_trace_says_later(trials):
    one, two = trials.begin("one"), trials.begin("two")
    trials.add([span("t1")], one.path)
    trials.add([span("t1", "one"), span("t1", "two")])
    assert (held(trials, "one"), held(trials, "two"), one.shared) == (2, 1, 0)
    assert two.spans[0].marks == ("two",)


def test_a_contradiction_that_comes_after_the_record_is_told(trials):
    one = trials.begin("one")
    trials.begin("two")
    trials.add([span("t1", "one"), span("t1"), span("t2", "one"), span("t2")])
    assert len(trials.taken(one)) == 4
    assert trials.remarks(all_waiting=True) == []
    trials.add([span("t1", "two")])
    (note,) = trials.remarks(all_waiting=True)
    assert note.startswith("1 spans stand in a record by their trace alone, which named a second trial only later")
    assert trials.remarks(all_waiting=True) == []


def test_waiting_spans_have_a_bound_in_bytes(trials, monkeypatch):
    monkeypatch.setattr(module, "WAITING_BYTES", 5_000)
    large = [span(f"t{number}", attributes={"input.value": "x" * 1_000}) for number in range(6)]
    assert trials.add(large) == 3
    assert trials.add([span("t9", attributes={"input.value": "x" * 10_000})]) == 1
    trials.begin("one")
    trials.add([span("t0", "one")])
    assert held(trials, "one") == 2
    assert trials.add([large[0]]) == 0, "its trace is known"
    assert trials.add([span("t8", attributes={"input.value": "x" * 1_000})]) == 0, (
        "what is no longer waiting makes room"
    )
    assert trials.add([span("t7", attributes={"input.value": "x" * 1_000})]) == 1


def test_what_has_waited_long_enough_makes_room(trials, clock, monkeypatch):
    monkeypatch.setattr(module, "WAITING", 2)
    assert trials.add([span("t1"), span("t2"), span("t3")]) == 1
    clock.now += 5
    trials.remarks(all_waiting=False)
    assert trials.add([span("t1"), span("t2"), span("t3")]) == 1
