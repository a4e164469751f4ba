"""Cases whose key is disputed, and the data that a set was made of, as the file writes them."""

from __future__ import annotations

import pytest

from foldproof.cases import BenchmarkData, Case, Fact, ReplaySet, dump_set, lint_set, load_set

PLAIN = """\
gate: {semantic: 1/1, safety: all}
cases:
- {id: a, question: Who?, expected_facts: [Ada]}
- {id: b, question: Where?, expected_facts: [Porto], tags: [disputed]}
- {id: c, question: What?, class: safety, expected_facts: [no peanuts], tags: [disputed]}
"""


def test_no_gate_counts_a_disputed_case_and_of_a_strict_class_this_is_told(load):
    found = load(PLAIN)
    assert (found.disputed, found.ungated, found.drafts) == ({"b", "c"}, {"b", "c"}, frozenset())
    told = [(problem.line, problem.message) for problem in lint_set(found) if problem.rule == "disputed-strict"]
    assert told == [(5, "case 'c' is of class 'safety' and disputed: no gate counts it, so nothing guards it")]
    assert "not-gated" not in {problem.rule for problem in lint_set(load(PLAIN.replace(", safety: all", "")))}


def test_without_the_tag_the_same_gate_is_a_moving_one(problems):
    told = problems(PLAIN.replace("tags: [disputed]", "tags: [other]"))
    assert any("counts 1 case" in problem.message for problem in told)


def test_tags_that_are_no_texts_are_told_by_their_field(problems):
    assert any("tags" in problem.message for problem in problems(PLAIN.replace("[disputed]", "[[disputed]]")))


def test_the_data_is_read_and_is_part_of_the_identity(load):
    data = f"data: {{name: LoCoMo, sha256: '{'0' * 64}'}}\n"
    found, plain = load(data + PLAIN), load(PLAIN)
    assert (found.data, plain.data) == (BenchmarkData("LoCoMo", "0" * 64), None)
    assert found.sha256 != plain.sha256
    assert load(data.replace("0'", "1'") + PLAIN).sha256 != found.sha256


@pytest.mark.parametrize("value", ["0" * 63, "g" * 64, "79FA", "'A" + "B" * 63 + "'"])
def test_a_hash_that_is_none_is_told(problems, value):
    [told] = [item for item in problems(f"data: {{name: LoCoMo, sha256: {value}}}\n{PLAIN}") if item.line == 1]
    assert "sha256" in told.message
    assert "64 digits" in told.hint


def test_a_set_is_written_with_its_data(tmp_path):
    data = BenchmarkData("LongMemEval", "a" * 64, "b" * 64)
    case = Case("a", "Who?", "semantic", (Fact("normalized", "Ada"),), tags=("disputed",))
    dump_set(ReplaySet("s", "", (case,), {}, "", gate_declared=False, data=data), tmp_path / "replay.yaml")
    assert load_set(tmp_path / "replay.yaml").data == data
