"""`foldproof baseline`: shown before it is applied, refused in CI, never without its noise."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest


def test_accept_writes_a_reviewable_file(project: Callable[..., Path], cli: Callable[..., Any]) -> None:
    folder = project()
    cli("run", "production")
    result = cli("baseline", "accept")
    assert result.code == 0
    held = json.loads((folder / "baselines" / "production.json").read_text())
    assert held["matcher"] == "normalized/1"
    assert held["judge"] is None
    assert len(held["set"]["sha256"]) == len(held["config"]["sha256"]) == 64
    assert [len(case["trials"]) for case in held["cases"]] == [2, 2]
    trial = held["cases"][0]["trials"][0]
    assert trial["verdict"] == "pass"
    assert trial["facts"] == {"Postgres 15": "held"}
    assert "Postgres 15" in "\n".join(trial["answer"])


def test_refused_in_ci(project: Callable[..., Path], cli: Callable[..., Any], monkeypatch: pytest.MonkeyPatch) -> None:
    folder = project()
    cli("run", "production")
    monkeypatch.setenv("CI", "true")
    result = cli("baseline", "accept", "--yes")
    assert result.code == 4
    assert "CI" in result.err
    assert not (folder / "baselines").exists()
    monkeypatch.setenv("CI", "false")
    assert cli("baseline", "accept", "--yes").code == 0


def test_replacing_shows_the_change_and_needs_a_yes(project: Callable[..., Path], cli: Callable[..., Any]) -> None:
    folder = project(configs={"production": {"agent": "python:changing:answer"}})
    (folder / "changing.py").write_text("def answer(question, memory_config):\n    return 'Postgres 15, Monday'\n")
    cli("run", "production")
    cli("baseline", "accept")
    before = (folder / "baselines" / "production.json").read_bytes()
    (folder / "changing.py").write_text("def answer(question, memory_config):\n    return 'It is MySQL, on Monday'\n")
    import sys

    sys.modules.pop("changing")
    cli("run", "production")
    refused = cli("baseline", "accept")
    assert refused.code == 4
    assert "lost" in refused.out
    assert "db" in refused.out
    assert (folder / "baselines" / "production.json").read_bytes() == before
    assert cli("baseline", "accept", "--yes").code == 0
    assert (folder / "baselines" / "production.json").read_bytes() != before


def test_noise_is_named(project: Callable[..., Path], cli: Callable[..., Any]) -> None:
    folder = project(configs={"production": {"agent": "python:noisy:answer"}})
    (folder / "noisy.py").write_text(
        "from collections import Counter\nasked = Counter()\n"
        "def answer(question, memory_config):\n    asked[question] += 1\n"
        "    return 'Postgres 15' + (', Monday' if asked[question] == 1 else '')\n"
    )
    cli("run", "production")
    result = cli("baseline", "accept", "--json")
    assert result.code == 0
    assert result.document["noise"] == ["day"]


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["run", "raising"], "without a judgement"),
        (["run", "production", "--repeat", "1"], "fewer than two trials"),
        (["run", "production", "--only", "db"], "fewer than two trials"),
    ],
)
def test_unfit_runs_are_refused(
    project: Callable[..., Path], cli: Callable[..., Any], words: list[str], says: str
) -> None:
    project()
    cli(*words, "--repeat", "2") if "raising" in words else cli(*words)
    result = cli("baseline", "accept", "latest")
    assert result.code == 4
    assert says in result.err


def test_a_run_of_another_set_is_refused(project: Callable[..., Path], cli: Callable[..., Any]) -> None:
    folder = project()
    cli("run", "production")
    place = folder / "replay.json"
    place.write_text(place.read_text().replace("Which day?", "On which day?"))
    result = cli("baseline", "accept")
    assert result.code == 4
    assert "another version of the set" in result.err


def test_vacuous_cases_cannot_enter_the_gate(project: Callable[..., Path], cli: Callable[..., Any]) -> None:
    cases = [
        {
            "id": "db",
            "question": "Which database?",
            "memory_config": {"kind": "notes"},
            "expected_facts": ["Postgres 15"],
        },
    ]
    project(cases=cases)
    cli("run", "production")
    result = cli("baseline", "accept")
    assert result.code == 4
    assert "pass with the memory cut off" in result.err
    assert "db" in result.err


def test_a_memory_that_matters_is_not_vacuous(project: Callable[..., Path], cli: Callable[..., Any]) -> None:
    cases = [
        {
            "id": "db",
            "question": "Which database?",
            "memory_config": {"kind": "notes"},
            "expected_facts": ["Postgres 15"],
        },
    ]
    project(cases=cases, configs={"production": {"agent": "python:agents_under_test:needs_memory"}})
    cli("run", "production")
    assert cli("baseline", "accept").code == 0
    healthy = cli("run", "production", "--unplugged", "--json")
    assert healthy.code == 0
    assert [case["outcome"] for case in healthy.document["cases"]] == ["fail"]


def test_a_vacuous_control_is_no_pass(project: Callable[..., Path], cli: Callable[..., Any]) -> None:
    project(
        cases=[{"id": "db", "question": "Which?", "memory_config": {"kind": "notes"}, "expected_facts": ["Monday"]}]
    )
    result = cli("run", "production", "--unplugged")
    assert result.code == 7
    assert "test nothing: db" in result.out


def test_a_control_that_cannot_be_judged_is_refused(project: Callable[..., Path], cli: Callable[..., Any]) -> None:
    cases = [{"id": "db", "question": "Which?", "memory_config": {"keep": 3}, "expected_facts": ["Monday"]}]
    folder = project(cases=cases, configs={"production": {"agent": "python:picky:answer"}})
    (folder / "picky.py").write_text(
        "def answer(question, memory_config):\n    assert memory_config['keep']\n    return 'on Monday'\n"
    )
    assert cli("run", "production").code == 0
    result = cli("baseline", "accept")
    assert result.code == 4
    assert "not known whether they test anything" in " ".join(result.err.split())


def test_runs_that_a_check_left_behind_are_passed_over(project: Callable[..., Path], cli: Callable[..., Any]) -> None:
    project()
    cli("run", "production")
    cli("baseline", "accept")
    cli("check", "good")
    again = cli("baseline", "accept", "--yes", "--json")
    assert again.code == 0
    assert again.document["run"] == "0001"


def test_the_file_has_the_rights_that_the_umask_gives(project: Callable[..., Path], cli: Callable[..., Any]) -> None:
    folder = project()
    cli("run", "production")
    former = os.umask(0o077)
    try:
        assert cli("baseline", "accept").code == 0
    finally:
        os.umask(former)
    assert (folder / "baselines" / "production.json").stat().st_mode & 0o777 == 0o600


def test_show(project: Callable[..., Path], cli: Callable[..., Any]) -> None:
    folder = project()
    assert cli("baseline", "show").code == 4
    cli("run", "production")
    cli("baseline", "accept")
    result = cli("baseline", "show", "--json")
    assert result.code == 0
    assert result.document["run"] == "0001"
    place = folder / "baselines" / "production.json"
    place.write_text(place.read_text().replace('"foldproof": 1', '"foldproof": 2'))
    newer = cli("baseline", "show")
    assert newer.code == 4
    assert "newer foldproof" in newer.err
    place.write_text("{")
    assert cli("baseline", "show").code == 4


def test_a_damaged_file_is_replaced_with_a_yes(project: Callable[..., Path], cli: Callable[..., Any]) -> None:
    folder = project()
    cli("run", "production")
    cli("baseline", "accept")
    place = folder / "baselines" / "production.json"
    place.write_text("<<<<<<< HEAD\n")
    refused = cli("baseline", "accept")
    assert refused.code == 4
    assert "foldproof baseline accept --yes" in refused.err
    accepted = cli("baseline", "accept", "--yes", "--json")
    assert accepted.code == 0
    assert any("not JSON" in warning for warning in accepted.document["warnings"])
    assert json.loads(place.read_text())["run"] == "0001"
