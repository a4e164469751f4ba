"""A benchmark from its file to a check: the data in every result, disputed keys apart, recall of the sources."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import pytest


def turn(who: str, place: str, text: str) -> dict[str, str]:
    return {"speaker": who, "dia_id": place, "text": text}


def asked(question: str, answer: str, *evidence: str, category: int = 4) -> dict[str, Any]:
    return {"category": category, "question": question, "answer": answer, "evidence": list(evidence)}


TALK = {
    "speaker_a": "Ines",
    "speaker_b": "Olaf",
    "session_1_date_time": "1:56 pm on 8 May, 2024",
    "session_1": [
        turn("Ines", "D1:1", "I bought a red canoe, and two paddles."),
        turn("Olaf", "D1:2", "Lovely! I keep bees and goats now."),
    ],
    "session_2_date_time": "9:05 am on 3 June, 2024",
    "session_2": [turn("Olaf", "D2:1", "My kiln broke, so I sold the wheel to my sister Vera.")],
}
QA = [
    asked("Which animals does Olaf keep?", "bees, goats", "D1:2", category=1),
    asked("Who has the wheel now?", "Vera", "D1:2", "D2:1"),
    asked("What colour is the canoe?", "blue", "D1:1"),
    asked("What did Olaf sell?", "the wheel", "D1:1"),
]
WRONG = [
    {"question_id": "locomo_0_qa2", "error_type": "HALLUCINATION", "correct_answer": "red"},
    {"question_id": "locomo_0_qa3", "error_type": "WRONG_CITATION", "correct_evidence": ["D2:1"]},
]


@pytest.fixture
def benchmark(tmp_path: Path, cli: Callable[..., Any], monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "talk.json").write_text(json.dumps([{"sample_id": "talk", "conversation": TALK, "qa": QA}]))
    (tmp_path / "errors.json").write_text(json.dumps(WRONG))
    result = cli(
        "import", "locomo", tmp_path / "talk.json", "--errors", tmp_path / "errors.json", "--into", tmp_path / "made"
    )
    assert result.code == 0, result.err
    monkeypatch.chdir(tmp_path / "made")
    return tmp_path / "made"


def test_every_result_names_the_data_and_tells_disputed_keys_apart(benchmark: Path, cli: Callable[..., Any]) -> None:
    run = cli("run", "production", "--junit", "run.xml", "--markdown", "run.md", "--json")
    assert (run.code, run.document["verdict"]) == (0, "pass"), "what fails is disputed"
    data = run.document["set"]["data"]
    assert (data["name"], len(data["sha256"]), len(data["quarantine"])) == ("LoCoMo", 64, 64)
    assert [case["id"] for case in run.document["cases"]] == ["locomo_0_qa0", "locomo_0_qa1"]
    assert [(case["id"], case["outcome"]) for case in run.document["disputed"]] == [
        ("locomo_0_qa2", "fail"), ("locomo_0_qa3", "pass"),
    ]  # fmt: skip
    assert run.document["rate"]["judged"] == 2
    whole = run.document["keys"][0]
    assert (whole["cases"], whole["passed"], whole["wrong"], whole["ceiling"], whole["above"]) == (4, 3, 1, 3, False)
    groups = {group["name"]: group for group in run.document["recall"]["groups"]}
    assert groups[""]["cases"] == 4
    assert groups["disputed-source"]["cases"] == 1
    suite = ET.parse("run.xml").getroot()[0]
    assert (suite.attrib["skipped"], suite.attrib["failures"]) == ("2", "0")
    assert {item.attrib["name"] for item in suite.iter("property")} >= {"data_sha256"}
    page = Path("run.md").read_text()
    assert all(words in page for words in ("1 of 2 disputed cases pass", "LoCoMo", "turns named as sources"))


def test_a_check_shows_both_sides(benchmark: Path, cli: Callable[..., Any]) -> None:
    assert cli("run", "production").code == 0
    baseline = cli("baseline", "accept", "--json")
    assert baseline.document["set"]["data"]["name"] == "LoCoMo"
    check = cli("check", "window", "--json", "--markdown", "check.md", "--junit", "check.xml")
    assert (check.code, check.document["verdict"]) == (0, "pass")
    assert [case["id"] for case in check.document["disputed"]] == ["locomo_0_qa2", "locomo_0_qa3"]
    assert check.document["recall_before"]["groups"][0]["cases"] == 4
    assert [row["k"] for row in check.document["recall_after"]["groups"][0]["at"]] == [3], "it gives all, unranked"
    page = cli("check", "window").out
    assert "before, 4 cases" in page
    assert "after, 4 cases" in page
    assert "disputed keys, which decide nothing" in page
    assert "1 of 2 disputed cases pass" in Path("check.md").read_text()


def test_a_disputed_case_that_changes_is_named_and_blocks_nothing(benchmark: Path, cli: Callable[..., Any]) -> None:
    place = benchmark / "foldproof.yaml"
    place.write_text(place.read_text().replace("turns: 40", "turns: 1"))
    place = benchmark / "replay.yaml"
    text = (
        place.read_text()
        .replace("[multi-hop]", "[multi-hop, disputed]")
        .replace("expected_facts: [bees", "expected_facts: [keep, bees")
    )
    place.write_text(text)
    assert cli("run", "production").code == 0
    cli("baseline", "accept")
    check = cli("check", "window")
    assert check.code == 0
    assert "locomo_0_qa0: pass -> fail" in check.out


def test_a_run_above_what_wrong_keys_allow_is_told(benchmark: Path, cli: Callable[..., Any]) -> None:
    place = benchmark / "replay.yaml"
    place.write_text(place.read_text().replace("fact: blue", "fact: red"))
    run = cli("run", "production")
    told = " ".join(run.out.split())
    assert "all cases: 4 of 4 pass, above the 3 that the keys allow (said to be wrong: 1)" in told
    assert "single-hop: 3 of 3 pass, above the 2 that" in told


def test_corrections_and_bad_lists(benchmark: Path, cli: Callable[..., Any], tmp_path: Path) -> None:
    source, errors = tmp_path / "talk.json", tmp_path / "errors.json"
    options = ("--into", tmp_path / "fixed", "--corrected")
    assert cli("import", "locomo", source, *options).code == 4
    fixed = cli("import", "locomo", source, "--errors", errors, *options)
    assert (fixed.code, "Cases with the corrected key of the list: 2." in " ".join(fixed.out.split())) == (0, True)
    errors.write_text('[{"why": "no id"}]')
    refused = cli("import", "locomo", source, "--errors", errors, "--into", tmp_path / "none")
    assert (refused.code, "entry 1: it has no `question_id`" in refused.err) == (4, True)
    assert not (tmp_path / "none").exists()


def test_many_doubts_are_counted_and_a_few_named(cli: Callable[..., Any], tmp_path: Path) -> None:
    guesses = [asked(f"Would Ines like hobby {n}?", "Likely yes; she likes canoes", category=3) for n in range(7)]
    (tmp_path / "talk.json").write_text(json.dumps([{"conversation": TALK, "qa": guesses}]))
    wrong = [{"id": f"locomo_0_qa{n}", "why": "a guess"} for n in range(6)]
    (tmp_path / "errors.json").write_text(json.dumps(wrong))
    options = ("--errors", tmp_path / "errors.json", "--into", tmp_path / "made")
    told = " ".join(cli("import", "locomo", tmp_path / "talk.json", *options).out.split())
    assert "locomo_0_qa4 and 2 more cases" in told
    assert "disputed keys by kind: a-guess 6" in told


def test_a_question_that_is_left_out_is_told_in_sentences(cli: Callable[..., Any], tmp_path: Path) -> None:
    questions = [asked("Who?", "Vera", "D1:1"), asked("Which key?", "sk-proj-" + "aB3" * 16, "D1:1")]
    (tmp_path / "talk.json").write_text(json.dumps([{"conversation": TALK, "qa": questions}]))
    done = cli("import", "locomo", tmp_path / "talk.json", "--into", tmp_path / "out")
    told = " ".join(done.out.split())
    assert "and no secret is written; the question is left out; add it by hand if it matters" in told
    assert "sk-proj-" not in done.out
