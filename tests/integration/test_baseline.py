"""`foldproof baseline`: shown before it is applied, refused in CI, never without its noise."""

from __future__ import annotations

import json
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
    assert cli("run", "production", "--unplugged").code == 1


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
