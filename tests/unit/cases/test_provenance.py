"""Where a fact comes from and how long it holds: how a set writes it, and that its identity does not move."""

from datetime import date

import pytest

from foldproof.cases import Provenance, Source, dump_set, load_set
from foldproof.matching import Fact

PLAIN = """
histories: {acme: acme.jsonl}
cases:
- id: address
  history: acme
  question: Where do you send my parcels?
  expected_facts: [12 Canal Street, {number: 4}]
  source: [acme/s1.t1]
"""
AGED = """
review_after_days: 180
histories: {acme: acme.jsonl}
cases:
- id: address
  history: acme
  question: Where do you send my parcels?
  expected_facts:
  - fact: 12 Canal Street
    source: acme/s1.t2
    valid_from: 2026-03-04
    superseded_by: 3 Quay Road
    reviewed: 2026-10-01
  - number: 4
    computed: true
  source: [acme/s1.t1]
  valid_from: 2026-01-02
  reviewed: 2026-09-01
"""
HISTORY = (
    '{"session": "s1", "turns": [{"role": "user", "text": "I moved, and there are 4 of us."},'
    ' {"role": "user", "text": "To 12 Canal Street."}]}'
)


@pytest.fixture
def set_of(load, write):
    write(HISTORY, "acme.jsonl")
    return load


def test_a_fact_says_where_it_comes_from_and_how_long_it_holds(set_of):
    replay_set = set_of(AGED)
    (case,) = replay_set.cases
    assert replay_set.review_after_days == 180
    assert case.expected == (Fact("normalized", "12 Canal Street"), Fact("number", "4"))
    assert case.provenance[0] == Provenance(
        source=(Source("acme", "s1", 2),),
        valid_from=date(2026, 3, 4),
        superseded_by=Fact("normalized", "3 Quay Road"),
        reviewed=date(2026, 10, 1),
    )
    assert case.provenance[1] == Provenance(computed=True)


def test_what_a_fact_does_not_say_is_that_of_its_case(set_of):
    (case,) = set_of(AGED).cases
    assert case.about(0).source == (Source("acme", "s1", 2),)
    assert case.about(1) == Provenance(
        (Source("acme", "s1", 1),), computed=True, valid_from=date(2026, 1, 2), reviewed=date(2026, 9, 1)
    )


def test_neither_age_nor_review_is_part_of_the_identity_of_a_set(set_of):
    plain, aged = set_of(PLAIN), set_of(AGED)
    assert plain.sha256 == aged.sha256
    assert aged.cases[0].timeless == plain.cases[0]
    assert set_of(AGED.replace("12 Canal", "14 Canal")).sha256 != plain.sha256


def test_a_set_is_written_as_it_was_read(set_of, tmp_path):
    aged = set_of(AGED)
    dump_set(aged, tmp_path / "new" / "replay.yaml")
    again = load_set(tmp_path / "new" / "replay.yaml")
    assert (again.cases, again.review_after_days) == (aged.cases, 180)
    plain = set_of(PLAIN)
    dump_set(plain, tmp_path / "other" / "replay.yaml")
    assert "fact:" not in (tmp_path / "other" / "replay.yaml").read_text()
    assert load_set(tmp_path / "other" / "replay.yaml").cases == plain.cases


def test_several_sources_of_a_fact(set_of, tmp_path):
    text = AGED.replace("source: acme/s1.t2", "source: [acme/s1.t1, acme/s1.t2]")
    aged = set_of(text)
    assert [str(source) for source in aged.cases[0].about(0).source] == ["acme/s1.t1", "acme/s1.t2"]
    dump_set(aged, tmp_path / "new" / "replay.yaml")
    assert load_set(tmp_path / "new" / "replay.yaml").cases == aged.cases


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ("fact: 12 Canal Street", "text: 12 Canal Street", "unknown field `text`"),
        ("- fact: 12 Canal Street\n    source", "- source", "needs exactly one fact"),
        ("number: 4", "number: 4\n    fact: 4", "needs exactly one fact"),
        ("valid_from: 2026-03-04", "valid_from: 2026-02-30", "'2026-02-30', which is no day"),
        ("reviewed: 2026-10-01", "reviewed: yesterday", "'yesterday', which is no day"),
        ("reviewed: 2026-09-01", "reviewed: 2026-9-1", "'2026-9-1', which is no day"),
        ("computed: true", "computed: perhaps", "has `computed` 'perhaps'"),
        ("superseded_by: 3 Quay Road", "superseded_by: acme/s1.t1", "looks like a turn"),
        ("superseded_by: 3 Quay Road", "superseded_by: '…'", "no letter or digit"),
        ("source: acme/s1.t2", "source: acme/s1.t9", "that session has 2 turns"),
        ("source: acme/s1.t2", "source: nowhere", "has the source 'nowhere'"),
        ("review_after_days: 180", "review_after_days: 0", "at least 1"),
    ],
)
def test_what_is_wrong_is_told_with_its_line(problems, write, old, new, told):
    write(HISTORY, "acme.jsonl")
    assert old in AGED
    (problem,) = problems(AGED.replace(old, new))
    assert told in problem.message
    assert problem.line > 1
    assert problem.hint
