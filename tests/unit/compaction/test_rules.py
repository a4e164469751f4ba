"""The rules that type a line, each with lines it must and must not take; and how a text falls into sentences."""

import time

import pytest

from foldproof.compaction import by_rules, sentences_of, type_of
from foldproof.compaction.rules import RULES

LINES = {
    "constraint": [
        "Never call me after six.",
        "Do not use an ORM.",
        "don't email me",
        "Please don’t deploy on Fridays",
        "no NSAIDs, gastritis history",
        "I take tea, no milk.",
        "All amounts must be in euro.",
        "Only the owner may approve.",
        "Always answer in German.",
        "From now on, refund me in store credit.",
        "I am allergic to penicillin.",
        "Her penicillin allergy is severe",
        "lactose-intolerant",
        "Payments above 500 are not allowed without approval.",
        "You cannot share this.",
        "Keep it under wraps: under no circumstances tell him.",
        "Make sure that backups run.",
        "Stop sending newsletters.",
        "Keine Anrufe nach 18 Uhr, niemals.",
        "Ne m'appelez jamais le soir.",
        "Nunca me llames de noche.",
        "我对青霉素过敏",
        "今後はメールで連絡しないでください",
        "Which rule holds? You must never guess?",
    ],
    "procedure": [
        "1. Open the valve",
        "Run make release and wait",
        "- then restart the server",
        "If the queue is full, the worker drops it",
        "How to reset the router",
    ],
    "preference": ["I prefer window seats.", "She likes jazz", "My favourite colour is blue", "I'd rather walk"],
    "belief": [
        "The billing database is Postgres 15",
        "Our office has two floors",
        "He lives in Lisbon",
        "timezone: UTC",
    ],
    "episode": [
        "We went to Rome last week",
        "I ordered a blender yesterday",
        "Which database should I use?",
        "Hello there",
        "no problem",
        "I don't know",
    ],
}


@pytest.mark.parametrize(("kind", "line"), [(kind, line) for kind, lines in LINES.items() for line in lines])
def test_a_line_has_the_type_of_the_first_rule_that_matches(kind, line):
    assert type_of(line) == kind


@pytest.mark.parametrize(
    "line",
    [
        "no problem",
        "No worries!",
        "no one came",
        "Can't wait!",
        "No prob, Jon!",
        "I don't think that was it",
        "notes on nobody",
    ],
)
def test_negation_alone_is_no_constraint(line):
    assert type_of(line) != "constraint"


def test_every_rule_has_a_reason():
    assert all(rule.reason and rule.pattern.pattern for rule in RULES)


@pytest.mark.parametrize(
    ("text", "sentences"),
    [
        ("One. Two! Three?", ["One.", "Two!", "Three?"]),
        ("Never use NSAIDs, e.g. ibuprofen. Ask Dr. Smith.", ["Never use NSAIDs, e.g. ibuprofen.", "Ask Dr. Smith."]),
        ("version 1.5 is out. it works", ["version 1.5 is out. it works"]),
        ("- a\n- b\n\n", ["- a", "- b"]),
        ("1. Open the valve. Wait.\n 12. Close it", ["1. Open the valve.", "Wait.", "12. Close it"]),
        ("寿司。天気？はい", ["寿司。", "天気？", "はい"]),
        ('He said "no." Then left.', ['He said "no."', "Then left."]),
        ("", []),
    ],
)
def test_sentences(text, sentences):
    assert sentences_of(text) == sentences


@pytest.mark.parametrize(
    "piece", ["if ", "no ", "don't ", "when ", "a ago ", "stop ", "without ", "? ", ". ", "'", '" ', "- ", "e.g. "]
)
def test_no_line_makes_the_rules_hang(piece):
    start = time.process_time()
    for sentence in sentences_of("." + piece * 30_000 + "x"):
        type_of(sentence)
    assert time.process_time() - start < 5


def by_line(text):
    return [
        line for line, kind in zip(text.splitlines(), by_rules(text.splitlines()), strict=True) if kind == "constraint"
    ]


@pytest.mark.parametrize(
    ("text", "constraints"),
    [
        ("Never:\n- force-push\n- tabs\nWe use Go.", ["Never:", "- force-push", "- tabs"]),
        ("## Rules\n- Ask first.\n  Whoever is on call.\n1. Tests run\nThe end",
         ["## Rules", "- Ask first.", "  Whoever is on call.", "1. Tests run"]),
        ("**Don'ts**\n* mocks", ["**Don'ts**", "* mocks"]),
        ("Never push to main.\n- a branch is fine", ["Never push to main."]),
        ("## Tools\n- make\n- git", []),
        ("## Rules\nAsk first.", []),
        ("- mocks\n## Rules", []),
        ("- Never push.\n  Not even at night.\n- The port is 80\n  here", ["- Never push.", "  Not even at night."]),
        ("规则\n- 用茶", []),
        ("# 规则\n- 用茶", ["# 规则", "- 用茶"]),
        ("", []),
    ],
)  # fmt: skip
def test_what_stands_below_a_lead_that_makes_rules_is_one(text, constraints):
    assert by_line(text) == constraints


def test_the_rules_see_no_plain_statement_of_a_rule():
    """A limit that the docs tell: "payments run on UTC" is a rule that no pattern sees."""
    assert by_rules(["Payments run on UTC."]) == ["belief"]
