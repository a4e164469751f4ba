"""`foldproof check`: the verdict, the exit code and what a person reads."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from syrupy.assertion import SnapshotAssertion


def test_window_is_blocked_and_names_each_lost_fact(demo_project: Path, cli: Callable[..., Any]) -> None:
    result = cli("check", "window")
    assert result.code == 1
    document = cli("check", "window", "--json").document
    lost = [case for case in document["cases"] if case["change"] == "lost"]
    assert {case["id"] for case in lost} >= {"migration-freeze", "pain-relief", "billing-db"}
    for case in lost:
        assert case["id"] in result.out
        assert case["class"] in result.out
        for fact in case["facts"]:
            if fact["outcome"] != "held":
                assert fact["fact"].split()[0] in result.out  # a long fact is wrapped within its column
                assert (fact["owner"], fact["why"]) == ("fold", "dropped")
    assert document["owners"] == {"fold": 19}


def test_what_a_person_reads(demo_project: Path, cli: Callable[..., Any], snapshot: SnapshotAssertion) -> None:
    assert cli("check", "triage").out == snapshot


def test_unchanged_production_passes(demo_project: Path, cli: Callable[..., Any]) -> None:
    result = cli("check", "production", "--json")
    assert result.code == 0
    assert result.document["verdict"] == "pass"
    assert result.document["differs"] == []
    assert {case["change"] for case in result.document["cases"]} == {"kept"}


def test_triage_is_decided(demo_project: Path, cli: Callable[..., Any]) -> None:
    result = cli("check", "triage", "--json")
    assert result.code == {"pass": 0, "blocked": 1}[result.document["verdict"]]
    assert "memory.kind: verbatim -> triage" in result.document["differs"]
    assert result.document["beside_memory"] == []


def test_agent_that_always_raises_is_inconclusive(project: Callable[..., Path], cli: Callable[..., Any]) -> None:
    project()
    assert cli("run", "production").code == 0
    assert cli("baseline", "accept").code == 0
    result = cli("check", "raising", "--json")
    assert result.code == 7
    assert result.document["verdict"] == "inconclusive"
    assert "the memory server is away" in result.document["reasons"][0]
    assert {case["change"] for case in result.document["cases"]} == {"error"}


def test_baseline_that_does_not_reproduce_is_inconclusive_first(
    project: Callable[..., Path], cli: Callable[..., Any]
) -> None:
    cases = [
        {"id": "db", "class": "safety", "question": "Which database?", "expected_facts": ["Postgres 15"]},
        {"id": "day", "question": "Which day?", "expected_facts": ["Monday"]},
    ]
    folder = project(cases=cases, configs={"production": {"agent": "python:drifting:answer"}})
    (folder / "drifting.py").write_text("def answer(question, memory_config):\n    return 'Postgres 15, Monday'\n")
    assert cli("run", "production").code == 0
    assert cli("baseline", "accept").code == 0
    (folder / "drifting.py").write_text("def answer(question, memory_config):\n    return 'MySQL, Monday'\n")
    import sys

    sys.modules.pop("drifting")
    result = cli("check", "forgetful", "--json")
    assert result.code == 7
    assert result.document["reasons"][0].startswith("the baseline does not reproduce")
    assert "db (pass when accepted, fail now)" in result.document["reasons"][0]


def test_lost_facts_block(project: Callable[..., Path], cli: Callable[..., Any]) -> None:
    project()
    cli("run", "production")
    cli("baseline", "accept")
    result = cli("check", "forgetful")
    assert result.code == 1
    assert "db" in result.out
    assert "Postgres 15" in result.out
    assert "3 of 3 trials" in result.out


def test_only_part_of_the_set_never_passes(demo_project: Path, cli: Callable[..., Any]) -> None:
    result = cli("check", "production", "--only", "safety", "--json")
    assert result.code == 7
    assert any("were not asked" in reason for reason in result.document["reasons"])


@pytest.mark.parametrize(
    ("words", "code", "says"),
    [
        (["check", "no-such"], 4, "no configuration 'no-such'"),
        (["check", "windw"], 4, "did you mean `window`?"),
        (["check", "window", "--only", "nobody"], 5, "nothing selected"),
        (["check", "window", "--set", "missing.yaml"], 4, "missing.yaml"),
        (["check"], 4, "Missing argument"),
        (["chekc", "window"], 4, "did you mean `check`?"),
    ],
)
def test_wrong_calls(demo_project: Path, cli: Callable[..., Any], words: list[str], code: int, says: str) -> None:
    result = cli(*words)
    assert (result.code, says in result.err) == (code, True), result.err
    assert "Traceback" not in result.err
    as_json = cli(*words, "--json")
    assert as_json.code == code
    assert as_json.document["exit_code"] == code


def test_a_bad_set_tells_everything_at_once(demo_project: Path, cli: Callable[..., Any]) -> None:
    place = demo_project / "replay.yaml"
    text = place.read_text().replace("expected_facts: [Ilka Torvend]", "expect_facts: [Ilka Torvend]")
    place.write_text(text.replace("  preference: 2/2", "  preference: 2/3"))
    result = cli("check", "window")
    assert result.code == 4
    assert "did you mean `expected_facts`?" in result.err
    assert "preference: 2/3" in result.err
    assert result.err.count("replay.yaml:") >= 2


def test_without_a_baseline(project: Callable[..., Path], cli: Callable[..., Any]) -> None:
    project()
    result = cli("check", "good")
    assert result.code == 4
    assert "foldproof baseline accept" in result.err


def test_what_else_differs_opens_the_report(project: Callable[..., Path], cli: Callable[..., Any]) -> None:
    project()
    cli("run", "production")
    cli("baseline", "accept")
    result = cli("check", "good_sync")
    assert result.code == 0
    assert result.out.lower().startswith("more than the memory differs")
    assert "agent.python" in result.out


def test_reports_go_where_they_are_asked(
    demo_project: Path, cli: Callable[..., Any], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    summary = tmp_path / "summary.md"
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(summary))
    cli("check", "window", "--junit", "out/junit.xml", "--markdown", "out/check.md")
    assert "blocked" in summary.read_text()
    junit = (demo_project / "out" / "junit.xml").read_text()
    assert "<failure" in junit
    assert "lost at fold (dropped)" in junit
    assert "migration-freeze" in (demo_project / "out" / "check.md").read_text()


def test_waiver_lets_one_case_pass_until_its_day(project: Callable[..., Path], cli: Callable[..., Any]) -> None:
    waiver = {"case": "db", "reason": "renamed next week", "until": "2999-01-01"}
    folder = project(replay={"waivers": [waiver], "gate": {"semantic": "1/1", "episodic": "1/1"}})
    (folder / "half.py").write_text("def answer(question, memory_config):\n    return 'Monday'\n")
    settings = json.loads((folder / "foldproof.yaml").read_text())
    settings["configs"]["half"] = {"agent": "python:half:answer"}
    (folder / "foldproof.yaml").write_text(json.dumps(settings))
    cli("run", "production")
    cli("baseline", "accept")
    result = cli("check", "half", "--json")
    assert result.code == 0
    assert result.document["gate"][0]["waived"] == ["db"]
    assert "renamed next week" in " ".join(result.document["notes"])


def test_a_case_that_left_the_set_is_told_in_the_first_line(
    project: Callable[..., Path], cli: Callable[..., Any]
) -> None:
    folder = project()
    cli("run", "production")
    cli("baseline", "accept")
    document = json.loads((folder / "replay.json").read_text())
    (folder / "replay.json").write_text(json.dumps({**document, "cases": document["cases"][:1]}))
    result = cli("check", "good")
    assert result.code == 0
    assert "1 accepted case gone from the set" in result.out.splitlines()[0]


def test_a_block_without_a_loss_names_what_fails(project: Callable[..., Path], cli: Callable[..., Any]) -> None:
    folder = project()
    cli("run", "production")
    cli("baseline", "accept")
    place = folder / "replay.json"
    place.write_text(place.read_text().replace("Monday", "Friday"))
    result = cli("check", "production")
    assert result.code == 1
    assert "Friday: missed" in result.out
    assert "see: foldproof explain" in result.out


def test_what_a_run_notes_stands_in_the_check(demo_project: Path, cli: Callable[..., Any]) -> None:
    settings = (demo_project / "foldproof.yaml").read_text()
    (demo_project / "deaf.py").write_text("def answer(question, memory_config):\n    return 'nothing'\n")
    (demo_project / "foldproof.yaml").write_text(settings + "  deaf:\n    agent: python:deaf:answer\n")
    notes = cli("check", "deaf", "--json").document["notes"]
    assert any(note.startswith("deaf: the agent function takes no `history`") for note in notes)
