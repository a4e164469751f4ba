"""The memory `triage`: the rules that type a line, each with lines it must and must not take, and the lanes."""

import time
from pathlib import Path

import pytest

from foldproof.agents.memories import Resources, count_tokens, make_memory
from foldproof.compaction import sentences_of, type_of
from foldproof.compaction.rules import RULES
from foldproof.logs import History, Session, Turn

NO_MODEL = Resources(Path())


def told(work):
    """What a memory answers that waits for nothing: the first step ends it."""
    with pytest.raises(StopIteration) as ended:
        work.send(None)
    return ended.value.value


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


def built(texts, budget):
    memory = make_memory({"kind": "triage", "budget": budget}, NO_MODEL)
    told(memory.build(History("h", (Session("s", tuple(Turn("user", text) for text in texts)),))))
    return memory


def test_sentences_are_typed_items_with_the_id_of_their_turn():
    items = told(built(["Tea is good. Never milk.", "ok"], 100).items())
    assert [(item.id, item.kind, item.text) for item in items] == [
        ("s.t1#1", "belief", "[s] user: Tea is good."),
        ("s.t1#2", "constraint", "[s] user: Never milk."),
        ("s.t2#1", "episode", "[s] user: ok"),
    ]


def test_constraints_come_first_wherever_they_stand_and_keep_their_order():
    texts = ["Never use MongoDB.", *(f"We went to place {n} yesterday" for n in range(50)), "Always ask first."]
    memory = built([*texts, *(f"We met person {n} yesterday" for n in range(50))], 40)
    told(memory.fold())
    kept = [item.text for item in told(memory.recall("?")).items]
    assert kept[0] == "[s] user: Never use MongoDB."
    assert "[s] user: Always ask first." in kept
    assert kept == [
        item.text
        for item in told(built([*texts, *(f"We met person {n} yesterday" for n in range(50))], 10**6).items())
        if item.text in kept
    ]
    assert not any(note.startswith("unsafe") for note in told(memory.recall("?")).notes)


def test_too_many_constraints_are_unsafe_and_the_newest_stay():
    texts = [f"Never use tool number {n}." for n in range(100)]
    memory = built([*texts, "The sky is blue"], 50)
    recall = told(memory.recall("?"))
    assert recall.notes[1].startswith("unsafe: the constraints alone need ")
    assert recall.notes[1].endswith("the budget is 50")
    kept = [item.text for item in recall.items]
    assert kept == [f"[s] user: {text}" for text in texts[-len(kept) :]]
    assert count_tokens(recall.text) <= 50
    told(memory.fold())
    assert told(memory.recall("?")).notes == recall.notes, "the note outlives the fold"


def test_the_rest_is_shared_out_and_unused_shares_flow_on():
    beliefs = [f"Fact {n:02} is so" for n in range(60)]
    likes = [f"I like thing {n:02}" for n in range(60)]
    events = [f"We met man {n:02} ago" for n in range(60)]

    def counts(*groups):
        items = told(built([text for group in groups for text in group], 300).recall("?")).items
        return [sum(item.kind == kind for item in items) for kind in ("belief", "preference", "episode")]

    all_three = counts(beliefs, likes, events)
    total = sum(all_three)
    assert [round(10 * count / total) for count in all_three] == [5, 2, 3]
    no_likes = counts(beliefs, events)
    assert no_likes[0] == all_three[0]
    assert no_likes[2] > all_three[2] + all_three[1] - 3
    assert counts(beliefs)[0] > total - 6, "a share that nobody claims comes back"


def test_procedures_come_second_and_what_does_not_fit_is_told():
    texts = ["Never lie."] + [f"{n}. Open valve number {n}" for n in range(1, 60)] + ["The sky is blue"] * 5
    recall = told(built(texts, 60).recall("?"))
    assert recall.items[0].kind == "constraint"
    assert {item.kind for item in recall.items[1:]} == {"procedure"}
    assert any("lines of procedures did not fit" in note for note in recall.notes)


@pytest.mark.parametrize(
    "piece", ["if ", "no ", "don't ", "when ", "a ago ", "stop ", "without ", "? ", ". ", "'", '" ', "- ", "e.g. "]
)
def test_no_line_makes_the_rules_hang(piece):
    start = time.process_time()
    for sentence in sentences_of("." + piece * 30_000 + "x"):
        type_of(sentence)
    assert time.process_time() - start < 5
