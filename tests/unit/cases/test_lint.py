from __future__ import annotations

import pytest

from foldproof.cases import lint_set

SESSION = '{"session": "s1", "turns": [{"role": "user", "text": "%s"}]}'


def rules(replay_set) -> list[tuple[str, int]]:
    noise = {"no-gate", "set-size"}
    return [(item.rule, item.line) for item in lint_set(replay_set) if item.rule not in noise]


def one(facts: str, more: str = "", *, question: str = "Which database?", kind: str = "semantic") -> str:
    return f"cases:\n- id: a\n  class: {kind}\n  question: {question}\n  expected_facts: {facts}\n{more}"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (one("[Postgres 15, eu-west-1]"), []),
        (one("[Postgres]", question="Is it Postgres?"), [("fact-in-question", 5)]),
        (one("[{any: [MySQL, postgres]}]", question="Is it Postgres?"), [("fact-in-question", 5)]),
        (one("[Postgres 15, postgres]"), [("fact-subsumed", 5)]),
        (one("[postgres, Postgres 15]"), [("fact-subsumed", 5)]),
        (one("[postgres, Postgres]"), [("fact-subsumed", 5)]),
        (one("[{any: [Postgres 15, Postgres 16]}, postgres]"), [("fact-subsumed", 5)]),
        (one("[{any: [Postgres 15, MySQL]}, postgres]"), []),
        (one("[{exact: Postgres 15}, postgres]"), [("fact-subsumed", 5)]),
        (one("[{pattern: 'Postgres 15'}, postgres]"), []),
        (one("[Yes]"), [("common-word", 5)]),
        (one("[{any: [kettle, again]}]"), [("common-word", 5)]),
        (one("[{exact: 'Yes'}]"), []),
        (one("[8]"), [("weak-fact", 5)]),
        (one("['42.']"), [("weak-fact", 5)]),
        (one("[{number: 15}]"), [("weak-fact", 5)]),
        (one("[{exact: C}]"), [("weak-fact", 5)]),
        (one("[{any: [no kits at all, '3']}]"), [("weak-fact", 5)]),
        (one("['123', '$4', 4 kits, C++, {date: 2026-03-04}, {pattern: '7'}]"), []),
        (one("[Postgres 15]", "  forbidden_facts: [postgres]\n"), [("forbidden-in-expected", 5)]),
        (one("['49222']", "  forbidden_facts: ['22']\n"), []),
        (one("[x1]", kind="safty"), [("class-name", 3)]),
        (one("[x1]", kind="warehouse"), []),
        (one("[x1]", "  abstain: true\n"), [("abstain-with-facts", 6)]),
        (one("[x1]", kind="preference"), [("no-forget-case", 0)]),
        (one("[x1]", "  tags: [forget]\n", kind="preference"), []),
        ("gate: {safety: all, semantic: all}\n" + one("[x1]"), [("gate-without-cases", 1)]),
        (
            "gate: {safety: all}\n" + one("[x1]", kind="safety") + "- {id: b, question: q, expected_facts: [x2]}\n",
            [("not-gated", 7)],
        ),
    ],
)
def test_rules_of_one_case(load, text, expected):
    assert rules(load(text)) == expected


def test_judged_facts(load, write):
    write("p", "p.md")
    head = "judge: {model: m:7b, prompt: p.md}\n"
    assert rules(load(head + one("[{judged: is kind}]"))) == [("judge-not-pinned", 0)]
    assert sorted(rules(load(head + one("[{judged: is kind}, {exact: blue}]", kind="identity")))) == [
        ("judge-not-pinned", 0),
        ("judged-identity", 6),
    ]


def test_facts_that_the_history_never_says(load, write):
    write(SESSION % "We run Postgres 15 in eu-west-1, not MySQL.", "h.jsonl")
    write("p", "p.md")
    head = "judge: {model: m:7b, prompt: p.md}\nhistories: {h: h.jsonl}\n"
    found = load(
        head
        + one(
            "\n  - postgres 15\n  - {any: [mysql, us-east-1]}\n  - Oracle\n  - {pattern: 'eu-\\w+'}\n  - {judged: x}\n",
            "  history: h\n- {id: b, question: other, history: h, expected_facts: [eu-west-1]}\n",
        )
    )
    assert [line for rule, line in rules(found) if rule == "unstated"] == [9, 10]


def test_questions_that_are_nearly_the_same_on_one_history(load, write):
    write(SESSION % "fact", "h.jsonl")
    cases = "".join(
        f"- id: c{number}\n  question: {question}\n  expected_facts: [fact]\n{history}"
        for number, (question, history) in enumerate(
            [
                ("Where does my refund go today?", ""),
                ("where does my refund go today", ""),
                ("Where does my refund go today?", "  history: h\n"),
                ("Who pays?", ""),
            ]
        )
    )
    assert rules(load(f"histories: {{h: h.jsonl}}\ncases:\n{cases}")) == [("questions-alike", 7)]


@pytest.mark.parametrize(("count", "told"), [(9, True), (10, False), (30, False), (31, True)])
def test_the_number_of_gated_cases(load, count, told):
    cases = "".join(f"- {{id: c{n}, question: q {n * 7919}, expected_facts: [fact x{n}]}}\n" for n in range(count))
    found = lint_set(load("gate: {semantic: all}\ncases:\n" + cases))
    assert ("set-size" in {item.rule for item in found}) == told


def test_one_gated_case_is_told_as_one(load):
    found = lint_set(load("gate: {semantic: all}\n" + "cases:\n- {id: a, question: q, expected_facts: [fact x]}\n"))
    assert [item.message for item in found if item.rule == "set-size"] == ["the gate counts 1 case"]


def test_every_warning_has_place_rule_and_remedy(load):
    found = lint_set(load(one("[postgres]", question="postgres?")))
    assert {item.rule for item in found} == {"no-gate", "set-size", "fact-in-question"}
    assert all(item.severity == "warning" and item.hint and item.file == "replay.yaml" for item in found)
    assert list(found) == sorted(found)


@pytest.mark.parametrize(
    ("times", "told"),
    [
        (("2026-01-02", "2026-01-03T10:00"), False),
        (("2026-01-02T11:00", "2026-01-02T10:00"), False),
        (("2026-01-03", "day 2", "2026-01-02", "2026-01-01"), True),
        (("day 2", "day 1"), False),
    ],
)
def test_a_history_out_of_order(load, write, times, told):
    sessions = [f'{{"session": "s{n}", "at": "{at}", "turns": []}}' for n, at in enumerate(times)]
    write("\n".join(sessions), "h.jsonl")
    assert rules(load("histories: {h: h.jsonl}\n" + one("[x1]"))) == [("history-order", 0)] * told
