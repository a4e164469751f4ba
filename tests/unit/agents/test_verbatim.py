"""The memory `verbatim`: it finds in every script what a plain word split loses, and no question breaks it."""

from pathlib import Path

import pytest

from foldproof.agents.memories import Resources, make_memory
from foldproof.logs import History, Session, Turn

NO_MODEL = Resources(Path())


def told(work):
    """What a memory answers that waits for nothing: the first step ends it."""
    with pytest.raises(StopIteration) as ended:
        work.send(None)
    return ended.value.value


TURNS = {
    "ja": "私はPythonで書いています。昨日は寿司を食べました。",
    "zh": "我对青霉素过敏，请记住。",
    "ko": "어제는 부산에서 친구를 만났어요.",
    "th": "ฉันแพ้ยาเพนิซิลลิน",
    "ru": "Мы храним счета в Постгресе.",
    "md": "- **Database:** `Postgres 15`, see _billing_",
    "acc": "Das Café in Zürich heißt Über-Blick, élève.",
    "cpp": "The service is written in C++ and F#.",
    "hi": "मुझे चाय पसंद है",
    "filler": "Nothing of note was said here.",
}


@pytest.fixture
def memory():
    made = make_memory({"k": 3}, NO_MODEL)
    told(made.build(History("h", (Session("s", tuple(Turn("user", text) for text in TURNS.values()), "2026-03-01"),))))
    return made


@pytest.mark.parametrize(
    ("question", "key"),
    [
        ("寿司", "ja"),
        ("昨日は何を食べましたか？", "ja"),
        ("Python", "ja"),
        ("ＰＹＴＨＯＮ", "ja"),
        ("青霉素", "zh"),
        ("어제", "ko"),
        ("부산", "ko"),
        ("เพนิซิลลิน", "th"),
        ("Постгресе", "ru"),
        ("постгресе?", "ru"),
        ("postgres 15", "md"),
        ("database", "md"),
        ("billing", "md"),
        ("ZÜRICH", "acc"),
        ("Zurich", "acc"),
        ("cafe", "acc"),
        ("Cafe\u0301", "acc"),
        ("HEISST", "acc"),
        ("C++", "cpp"),
        ("चाय", "hi"),
    ],
)
def test_every_script_is_found(memory, question, key):
    assert told(memory.recall(question)).items[0].text == f"[s 2026-03-01] user: {TURNS[key]}"


def test_what_was_not_said_is_not_found(memory):
    assert told(memory.recall("kangaroo 天気 Cobol")).items == ()


def test_the_speaker_is_no_word_to_search(memory):
    assert told(memory.recall("user")).items == ()


@pytest.mark.parametrize(
    "question",
    [
        "",
        " ",
        '"',
        "'",
        "*",
        "NEAR(",
        "a AND",
        "OR OR",
        "NOT",
        "x:",
        "terms:x",
        "(",
        ")",
        "{}",
        "^a",
        "-a",
        "a + b",
        '"a" "',
        "\0",
        "a\0b",
        "\ud800",
        "%",
        "'; DROP TABLE turns; --",
        "?" * 5000,
        "word " * 5000,
        " ".join(f"w{n}" for n in range(5000)),
    ],
)
def test_no_question_breaks_the_search(memory, question):
    told(memory.recall(question))
    assert len(told(memory.recall(question + " 寿司")).items) == 1 or "AND" in question


def test_ranks_scores_and_ties():
    memory = make_memory({"k": 2}, NO_MODEL)
    same = "We like tea."
    told(
        memory.build(
            History(
                "h",
                (
                    Session(
                        "s", (*(Turn("user", same) for _ in range(4)), *(Turn("user", f"filler {n}") for n in range(9)))
                    ),
                ),
            )
        )
    )
    found = told(memory.recall("tea")).items
    assert [(item.id, item.rank) for item in found] == [("s.t1", 1), ("s.t2", 2)]
    assert found[0].score == found[1].score > 0


def test_a_rare_word_outranks_a_common_one():
    memory = make_memory({}, NO_MODEL)
    texts = ["the cat sat"] * 6 + ["the iban is DE89"] + ["other"] * 6
    told(memory.build(History("h", (Session("s", tuple(Turn("user", text) for text in texts)),))))
    assert told(memory.recall("the iban")).items[0].id == "s.t7"


def test_what_does_not_fit_the_budget_is_told():
    memory = make_memory({"budget": 20}, NO_MODEL)
    told(
        memory.build(
            History("h", (Session("s", tuple(Turn("user", f"tea number {n} with milk and sugar") for n in range(9))),))
        )
    )
    recall = told(memory.recall("tea"))
    assert recall.items[-1].text.endswith(" …")
    assert recall.notes == ("verbatim: 8 turns found, not all of them fit in 20 tokens",)


def test_what_was_passed_over_is_told_with_its_rank_and_reason():
    memory = make_memory({"k": 2, "budget": 500}, NO_MODEL)
    texts = [f"tea number {number}" for number in range(40)]
    told(memory.build(History("h", (Session("s", tuple(Turn("user", text) for text in texts)),))))
    recall = told(memory.recall("tea"))
    assert [item.rank for item in recall.reads] == list(range(1, 27)), "24 beyond the two"
    assert {item.dropped for item in recall.items} == {""}
    assert {item.dropped for item in recall.passed_over} == {"beyond k"}
    assert "number 2" not in recall.text
    narrow = make_memory({"k": 3, "budget": 12}, NO_MODEL)
    told(narrow.build(History("h", (Session("s", tuple(Turn("user", text) for text in texts)),))))
    reasons = [item.dropped for item in told(narrow.recall("tea")).reads]
    assert reasons[:4] == ["", "", "over the budget", "beyond k"]
