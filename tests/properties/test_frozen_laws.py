"""Whatever prefix is written reads back; whatever is cut gives a case that loads; the same path is never left."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from foldproof.agents.resuming import past_messages
from foldproof.cases import Case, CutFrom, Fact, add_to_set, append_cases, cut, dump_set, load_set, points_of
from foldproof.cases.frozen import prefix_faults
from foldproof.compare import departure
from foldproof.logs import (
    AnsweredCall,
    Called,
    Fold,
    ImportedSession,
    MemoryOperation,
    PastTurn,
    Said,
    ToolCall,
    Unknown,
    with_ids,
)
from foldproof.record import Trial, TurnRecord

START = "# top\ncases:\n- id: zero   # first\n  question: q\n  expected_facts: [x1]\n\n# end\n"
text = st.one_of(
    st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=12).filter(lambda value: value.strip()),
    st.sampled_from(["no", "15:30", "0123", "order #4021", "- a", "*a", "a\nb", "[x]", "call(a=1)", "{a: 1}", " x "]),
)
scalars = st.one_of(st.none(), st.booleans(), st.integers(), st.floats(allow_nan=False, allow_infinity=False), text)
values = st.recursive(
    scalars,
    lambda inner: st.one_of(st.lists(inner, max_size=2), st.dictionaries(text, inner, max_size=2)),
    max_leaves=4,
)
calls = st.builds(
    lambda name, args, result: AnsweredCall(ToolCall(name, args), result),
    text,
    st.dictionaries(text, values, max_size=2),
    st.one_of(st.just(""), values),
)
users = st.builds(lambda said: PastTurn("user", said), text)
agents = st.one_of(
    st.builds(lambda said, made: PastTurn("agent", said, tuple(made)), text, st.lists(calls, max_size=2)),
    st.builds(lambda made: PastTurn("agent", "", tuple(made)), st.lists(calls, min_size=1, max_size=2)),
)
prefixes = st.lists(st.one_of(users, agents), min_size=1, max_size=4).filter(
    lambda turns: not list(prefix_faults(turns))
)


@pytest.fixture(scope="module")
def folder() -> Iterator[Path]:
    with tempfile.TemporaryDirectory() as name:
        yield Path(name)


@settings(max_examples=25)
@given(turns=prefixes, said=text, place=st.integers(1, 9))
def test_any_prefix_survives_writing_and_loading(folder, turns, said, place):
    facts = (Fact("normalized", "x1"),)
    case = Case("a", said, expected=facts, frozen=tuple(turns), cut_from=CutFrom(said, place), asks_as="user")
    path = folder / "replay.yaml"
    path.write_text(START, "utf-8")
    append_cases(path, [case])
    found = load_set(path)
    assert found.cases[1] == case
    dump_set(found, folder / "copy.yaml")
    again = load_set(folder / "copy.yaml")
    assert (again.cases, again.sha256) == (found.cases, found.sha256)


entries = st.one_of(
    st.builds(Said, st.sampled_from(["user", "agent"]), text),
    st.builds(Said, st.sampled_from(["user", "agent"]), text),
    st.builds(
        Called,
        st.sampled_from(["look", "write it", ""]),
        st.dictionaries(text, values, max_size=1),
        st.sampled_from(["found", "", None]),
        by=st.sampled_from(["agent", "agent", "agent", "tool", "user"]),
        together=st.booleans(),
    ),
    st.sampled_from([Fold("boundary"), Unknown("x", {}), MemoryOperation("read", "x"), Said("system", "be kind")]),
    st.builds(Said, st.just("agent"), text, kind=st.sampled_from(["thought", "interim", "context"])),
)


@settings(max_examples=60)
@given(given_entries=st.lists(entries, max_size=9))
def test_whatever_is_cut_loads_and_loses_no_result(folder, given_entries):
    session = ImportedSession("s", tuple(given_entries))
    for point in points_of(session):
        if point.fault:
            continue
        case = cut(session, point.turn).case
        assert list(prefix_faults(case.frozen)) == []
        path = folder / "cut.yaml"
        path.unlink(missing_ok=True)
        add_to_set(path, case)
        assert load_set(path).cases == (case,)
        messages = list(past_messages(with_ids(case.frozen)))
        ids = [made["id"] for message in messages for made in message.get("tool_calls", [])]
        answers = [message["tool_call_id"] for message in messages if message["role"] == "tool"]
        assert ids == answers
        assert len(set(ids)) == len(ids)


@given(turns=prefixes)
def test_who_does_the_same_leaves_no_path(turns):
    case = Case("a", "q", frozen=tuple(turns))
    lived: list[TurnRecord] = []
    for turn in turns:
        if turn.role == "user":
            lived.append(TurnRecord(1, len(lived) + 1, turn.text, tool_calls=()))
        elif lived:
            made = (*(lived[-1].tool_calls or ()), *(one.call for one in turn.calls))
            lived[-1] = TurnRecord(1, len(lived), lived[-1].user, answer=turn.text, tool_calls=made)
    assert departure(case, Trial("a", 0, turns=tuple(lived))) is None
