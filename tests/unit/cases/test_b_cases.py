# the tests carry the numbers of CASES.md as they are written there
"""The rows of CASES.md B-4, B-6 and B-7 that concern loading, by number."""

from __future__ import annotations

import json

import pytest

AS_WRITTEN = ("no", "on", "15:30", "0123", "1.10", "1_000", "2026-01-02", "12:30:45", "true", "null", "0x1F", "1e3")


def one_case(facts: str, question: str = "what?") -> str:
    return f"cases:\n- id: a\n  question: {question}\n  expected_facts: {facts}\n"


@pytest.mark.parametrize(
    ("body", "line"),
    [
        ("  expected_facts: []\n", 4),
        ("  expected_facts:\n", 4),
        ("", 2),
        ("  forbidden_facts: [x]\n", 2),
        ("  expected_facts: ['']\n", 4),
        ("  expected_facts: ['  ']\n", 4),
        ("  expected_facts: ['...']\n", 4),
        ("  expected_facts: [{any: []}]\n", 4),
        ("  expected_facts: [{exact: ''}]\n", 4),
    ],
)
def test_B50_a_case_without_expected_facts_is_an_error(problems, body, line):
    found = problems(f"cases:\n- id: a\n  question: q\n{body}")
    assert [item.line for item in found] == [line]


def test_B50_twin_a_case_that_must_abstain_needs_none(load):
    assert load("cases:\n- id: a\n  question: q\n  abstain: true\n").cases[0].abstain


@pytest.mark.parametrize("text", ['{"cases": []}', "cases: []\n", "cases:\n", "foldproof: 1\n", '{"cases": 3}'])
def test_B54_a_set_without_cases_is_an_error(problems, text):
    (problem,) = problems(text)
    assert "case" in problem.message


@pytest.mark.parametrize("text", ["✓", "⠼", "“字”", "İstanbul", "👩‍👩‍👧"])
@pytest.mark.parametrize("mark", ["", "\ufeff"])
def test_B70_files_are_utf8_whatever_the_locale(load, monkeypatch, text, mark):
    monkeypatch.setenv("LC_ALL", "C")
    assert load(mark + one_case(f"['x {text}']", f'"{text}"')).cases[0].question == text


def test_B70_another_encoding_is_named_with_its_place(problems):
    (problem,) = problems(b"cases:\n- id: a\n  question: " + "über".encode("cp1252"))
    assert (problem.line, problem.message) == (3, "the file is not UTF-8: byte 0xfc at offset 27")


@pytest.mark.parametrize("text", AS_WRITTEN)
def test_B71_B75_plain_scalars_are_text_as_written(load, text):
    case = load(one_case(f"[{text}, {{any: [x {text}, {text}]}}, {{exact: {text}}}]", text)).cases[0]
    assert case.question == text
    assert [case.expected[0].text, case.expected[1].any[1].text, case.expected[2].text] == [text] * 3


@pytest.mark.parametrize("text", ["1.10", "-0.50", "12345678901234567890.10"])
def test_B71_numbers_in_json_are_text_as_written(load, text):
    body = f'{{"cases": [{{"id": 1, "question": "q", "expected_facts": [{text}, {{"number": {text}}}]}}]}}'
    assert [fact.text for fact in load(body, "replay.json").cases[0].expected] == [text, text]


@pytest.mark.parametrize(
    ("text", "line"),
    [
        (one_case("[x]", "order #4021"), 3),
        (one_case("[x]", "#hash"), 3),
        (one_case("\n  - order #4021"), 5),
        (one_case("\n  - #hash"), 5),
        (one_case("[x]", "two\n    lines #4"), 4),
        (one_case("[Postgres, #15\n    y]"), 4),
    ],
)
def test_B72_an_unquoted_hash_that_swallows_text_is_an_error(problems, text, line):
    found = [item for item in problems(text) if "#" in item.message]
    assert [item.line for item in found] == [line]
    assert "quotes" in found[0].hint


@pytest.mark.parametrize(
    ("text", "question"),
    [
        (one_case("[x] #note", "order # a comment"), "order"),
        (one_case("[x]", "'order #4021'"), "order #4021"),
        (one_case("[x]", "'quoted' #note"), "quoted"),
        (one_case("[x]", "C#4 is a note"), "C#4 is a note"),
        (one_case("[x]\n  #commented: out", "|\n    a #4\n    #b"), "a #4\n#b\n"),
    ],
)
def test_B72_twin_comments_and_quoted_hashes_load(load, text, question):
    assert load(text).cases[0].question == question


@pytest.mark.parametrize(
    ("value", "quoted"),
    [
        ("&amp", '"&amp"'),
        ("&amp text", '"&amp text"'),
        ("*star", '"*star"'),
        ("@user", '"@user"'),
        ("%x", '"%x"'),
        ("`cmd`", '"`cmd`"'),
        ("{{name}}", '"{{name}}"'),
        ("he said: yes", '"he said: yes"'),
        ("!important", '"!important"'),
        ('"open', "quotes"),
        ("[open", "quotes"),
    ],
)
@pytest.mark.parametrize("where", ["question", "fact"])
def test_B73_what_yaml_would_misread_is_an_error_with_a_line_and_a_quoting_hint(problems, value, quoted, where):
    text = one_case("[x]", value) if where == "question" else one_case(f"\n  - {value}")
    found = problems(text)
    line = 3 if where == "question" else 5
    told = [item for item in found if item.line in {line, line + 1}]
    assert told
    assert quoted in told[0].hint or "quotes" in told[0].hint
    if value.startswith(("&", "*", "@", "%", "`", "he")):
        assert quoted in told[0].hint
        assert told[0].line == line


@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
def test_B76_line_ends_and_byte_order_mark(load, newline):
    text = "\ufeff" + one_case("\n  - 'say \"hi\"'\n  - a, b\n  - 0123").replace("\n", newline)
    assert [fact.text for fact in load(text).cases[0].expected] == ['say "hi"', "a, b", "0123"]


def test_tabs_and_surrogate_pairs_in_json(load):
    body = '{"cases":\t[{"id": "a", "question": "a\tb \\ud83d\\ude00", "expected_facts": ["x"]}]}'
    assert load(body, "replay.json").cases[0].question == "a\tb 😀"


@pytest.mark.parametrize("body", ["\\ud83d", "\\ude00 x"])
@pytest.mark.parametrize("name", ["replay.json", "replay.yaml"])
def test_half_a_character_is_an_error(problems, body, name):
    text = f'{{"cases": [\n{{"id": "a", "question": "{body}", "expected_facts": ["x"]}}]}}'
    assert problems(text, name)[0].line == 2


@pytest.mark.parametrize("name", ["replay.json", "replay.yaml"])
def test_half_a_character_where_none_is_expected_is_told_too(problems, name):
    text = '{"cases": [\n{"id": "a", "question": "q", "expected_facts": ["x"], "abstain": "\\ud83d"}]}'
    assert {problem.line for problem in problems(text, name)} == {2}


def test_the_smallest_set_loads_as_people_write_it(load):
    smallest = {
        "cases": [
            {
                "id": "q1",
                "question": "Which database for billing?",
                "memory_config": {},
                "expected_facts": ["Postgres 15", "no ORM, raw SQL"],
            }
        ]
    }
    found = load(json.dumps(smallest), "mine.json")
    assert (found.name, found.gate_declared, {name: str(need) for name, need in found.gate.items()}) == (
        "mine",
        False,
        {"semantic": "all"},
    )
