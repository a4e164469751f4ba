"""Whether facts still hold: what the linter says of their source, their successors and their last review."""

from datetime import date

import pytest

from foldproof.cases import lint_set

HEAD = "histories: {mara: mara.jsonl}\n"
CASE = """
- id: address
  history: mara
  question: Where do you send my parcels?
  expected_facts: [12 Mill Lane]
"""
HISTORY = (
    '{"session": "s1", "turns": [{"role": "user", "text": "I live at 12 Mill Lane."},'
    ' {"role": "user", "text": "We are two, and then three more."}]}'
)
TODAY = date(2026, 11, 30)
AGEING = {"source-silent", "superseded", "not-yet-valid", "review-due", "unstated"}


@pytest.fixture
def found(load, write):
    def _found(cases, head=HEAD):
        write(HISTORY, "mara.jsonl")
        told = lint_set(load(f"{head}cases:\n{cases}"), today=TODAY)
        return [(item.rule, item.severity, item.message, item.hint) for item in told if item.rule in AGEING]

    return _found


def rules(told):
    return [(rule, severity) for rule, severity, _, _ in told]


def test_a_source_that_says_the_fact(found):
    assert found(CASE + "  source: [mara/s1.t1]\n") == []
    assert found(CASE + "  source: [mara/s1.t2, mara/s1.t1]\n") == []


@pytest.mark.parametrize(
    "case",
    [
        CASE + "  source: [mara/s1.t2]\n",
        CASE.replace("[12 Mill Lane]", "[{fact: 12 Mill Lane, source: mara/s1.t2}]"),
        CASE.replace("[12 Mill Lane]", "[{any: [12 Mill Road, 12 Mill Street], source: mara/s1.t1}]"),
    ],
)
def test_a_source_that_does_not_say_the_fact_is_an_error(found, case):
    ((rule, severity, message, hint),) = found(case)
    assert (rule, severity) == ("source-silent", "error")
    assert "which its source mara/s1.t" in message
    assert "says: " in hint


def test_the_source_of_a_fact_goes_before_that_of_its_case(found):
    fact = "[{fact: 12 Mill Lane, source: mara/s1.t1}]"
    assert found(CASE.replace("[12 Mill Lane]", fact) + "  source: [mara/s1.t2]\n") == []


def test_a_computed_fact_need_not_stand_in_its_source(found):
    case = CASE.replace("[12 Mill Lane]", "[{number: 5, computed: true}]")
    assert found(case + "  source: [mara/s1.t2]\n") == []
    assert found(case) == []
    assert rules(found(case.replace(", computed: true", ""))) == [("unstated", "warning")]


def test_a_judged_fact_is_for_a_judge(found):
    head = HEAD + "judge: {model: gpt-4.1-2025-04-14, prompt: mara.jsonl}\n"
    judged = CASE.replace("[12 Mill Lane]", "[{judged: names the street, source: mara/s1.t2}]")
    assert found(judged, head) == []


def test_what_the_case_says_itself_is_said(found):
    frozen = CASE.replace("  question:", "  frozen: [{user: I moved to 3 Quay Road.}, {agent: Noted.}]\n  question:")
    quay = frozen.replace("12 Mill Lane", "3 Quay Road")
    assert found(quay + "  source: [mara/s1.t1]\n") == []
    assert rules(found(quay.replace("moved to 3", "moved to 4") + "  source: [mara/s1.t1]\n")) == [
        ("source-silent", "error")
    ]


def test_a_superseded_fact_proposes_its_forbidden_twin(found):
    ((rule, severity, message, hint),) = found(
        CASE.replace("[12 Mill Lane]", "[{fact: 12 Mill Lane, superseded_by: 3 Quay Road}]")
    )
    assert (rule, severity) == ("superseded", "warning")
    assert "'12 Mill Lane', which was superseded by '3 Quay Road'" in message
    assert 'expected_facts:\n- "3 Quay Road"\nforbidden_facts:\n- "12 Mill Lane"' in "\n".join(
        line.removeprefix("  ") for line in hint.splitlines()
    )


def test_every_other_case_that_expects_it_is_told(found):
    marked = CASE.replace("[12 Mill Lane]", "[{fact: 12 Mill Lane, superseded_by: 3 Quay Road}, parcels]")
    other = CASE.replace("address", "street").replace("12 Mill Lane", "12 mill lane")
    told = [message for rule, _, message, _ in found(marked + other) if rule == "superseded"]
    assert len(told) == 2
    assert "case 'street'" in told[1]
    assert "as case 'address' says" in told[1]
    elsewhere = found(marked + other.replace("  history: mara\n", ""))
    assert [message for rule, _, message, _ in elsewhere if rule == "superseded"] == told[:1]


def test_two_facts_that_one_supersedes_are_one_in_the_twin(found):
    facts = "[{fact: 12 Mill Lane, superseded_by: Lane}, {fact: Lane, source: mara/s1.t1}]"
    (hint,) = (hint for rule, _, _, hint in found(CASE.replace("[12 Mill Lane]", facts)) if rule == "superseded")
    assert "expected_facts: [Lane]\n" in hint
    assert "source" not in hint


@pytest.mark.parametrize(
    ("since", "at", "told"),
    [
        ("2026-12-24", "", True),
        ("2026-11-30", "", False),
        ("2026-03-04", "2026-03-03T10:00", True),
        ("2026-03-04", "2026-03-04", False),
        ("2026-03-04", "2026-99-99", False),
        ("2026-03-04", "some day", False),
    ],
)
def test_a_fact_holds_from_its_day_on(found, since, at, told):
    case = CASE.replace("[12 Mill Lane]", f"[{{fact: 12 Mill Lane, valid_from: {since}}}]")
    at_line = f"  at: '{at}'\n" if at else ""
    assert rules(found(case + at_line)) == ([("not-yet-valid", "warning")] if told else [])
    assert bool(found(CASE + at_line + f"  valid_from: {since}\n")) is told


@pytest.mark.parametrize(
    ("facts", "reviewed", "told"),
    [
        ("[12 Mill Lane]", "", "its fact, never reviewed"),
        ("[12 Mill Lane]", "2026-08-01", "its fact, reviewed last on 2026-08-01"),
        ("[12 Mill Lane]", "2026-11-01", ""),
        ("[{fact: 12 Mill Lane, reviewed: 2026-11-01}]", "", ""),
        ("[{fact: 12 Mill Lane, reviewed: 2026-01-02}, Mill]", "2026-11-01", "1 of its 2 facts, reviewed last on 2026"),
        ("[{fact: 12 Mill Lane, reviewed: 2026-01-02}, Mill]", "", "2 of its 2 facts, never reviewed"),
    ],
)
def test_a_review_is_due_where_the_set_asks_for_one(found, facts, reviewed, told):
    case = CASE.replace("[12 Mill Lane]", facts) + (f"  reviewed: {reviewed}\n" if reviewed else "")
    messages = [
        message for rule, _, message, _ in found(case, HEAD + "review_after_days: 60\n") if rule == "review-due"
    ]
    assert [told in message for message in messages] == ([True] if told else [])
    assert found(case) == []


def test_a_case_without_facts_has_nothing_to_review(found):
    case = CASE.replace("expected_facts: [12 Mill Lane]", "abstain: true")
    assert found(case, HEAD + "review_after_days: 60\n") == []


def test_a_long_turn_is_shortened(found, write, load):
    case = CASE.replace("12 Mill Lane", "15 Mill Lane") + "  source: [mara/s1.t1]\n"
    write(HISTORY.replace("I live", "I live, " + "well, " * 40), "mara.jsonl")
    told = [item for item in lint_set(load(f"{HEAD}cases:\n{case}")) if item.rule == "source-silent"]
    assert "…" in told[0].hint


def test_alternatives_are_superseded_together(found):
    marked = CASE.replace("[12 Mill Lane]", "[{any: [12 Mill Lane, Mill Lane 12], superseded_by: 3 Quay Road}]")
    other = CASE.replace("address", "street").replace("[12 Mill Lane]", "[{any: [mill lane 12, 12 Mill Lane]}]")
    told = [(message, hint) for rule, _, message, hint in found(marked + other) if rule == "superseded"]
    assert [message.split("'")[1] for message, _ in told] == ["address", "street"]
    assert told[0][1].count("Mill Lane") == 2
