"""`foldproof demo`, `init` and `doctor`: the first minutes of a new user."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from syrupy.assertion import SnapshotAssertion

from foldproof.cases import lint_set, load_set


def test_what_the_demo_says(
    tmp_path: Path, cli: Callable[..., Any], monkeypatch: pytest.MonkeyPatch, snapshot: SnapshotAssertion
) -> None:
    monkeypatch.chdir(tmp_path)
    result = cli("demo")
    assert result.code == 0
    assert result.out == snapshot
    assert "foldproof explain" in result.out


def test_the_demo_is_what_it_claims(finished_demo: Path) -> None:
    replay_set = load_set(finished_demo / "replay.yaml")
    assert len(replay_set.cases) == 20
    canaries = [case for case in replay_set.cases if case.case_class == "canary"]
    others = [case for case in replay_set.cases if case.case_class != "canary"]
    assert (len(canaries), len(others)) == (10, 10)
    assert {case.case_class for case in others} == {"safety", "identity", "preference", "episodic", "semantic"}
    assert len(replay_set.histories) == 3
    for history in replay_set.histories.values():
        assert len(history.sessions) >= 30
        words = sum(len(turn.text.split()) for session in history.sessions for turn in session.turns)
        assert words > 5000


def test_demo_can_be_run_again_and_leaves_other_folders_alone(tmp_path: Path, cli: Callable[..., Any]) -> None:
    folder = tmp_path / "demo"
    assert cli("demo", "--into", folder, "--json").document["folder"] == str(folder)
    assert cli("demo", "--into", folder).code == 0
    other = tmp_path / "mine"
    other.mkdir()
    (other / "thesis.txt").write_text("precious")
    refused = cli("demo", "--into", other)
    assert refused.code == 4
    assert [path.name for path in other.iterdir()] == ["thesis.txt"]


def test_demo_runs_where_ci_is_set(tmp_path: Path, cli: Callable[..., Any], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CI", "true")
    assert cli("demo", "--into", tmp_path / "demo").code == 0


def test_init_gives_a_project_that_works_at_once(
    tmp_path: Path, cli: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    written = cli("init", "--json").document
    assert written["next"] == ["foldproof run production", "foldproof baseline accept", "foldproof check candidate"]
    assert cli("lint").code == 0
    assert cli("run", "production").code == 0
    assert cli("baseline", "accept").code == 0
    assert cli("check", "candidate").code == 1
    assert cli("check", "production").code == 0
    assert (tmp_path / ".github" / "workflows" / "foldproof.yml").is_file()
    assert (tmp_path / ".foldproof" / ".gitignore").read_text().endswith("*\n")


def test_init_leaves_what_is_there(tmp_path: Path, cli: Callable[..., Any], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "replay.yaml").write_text("mine\n")
    result = cli("init", "--json")
    assert result.code == 0
    assert (tmp_path / "replay.yaml").read_text() == "mine\n"
    assert any("replay.yaml" in note for note in result.document["notes"])


def test_starter_set_has_no_errors(tmp_path: Path, cli: Callable[..., Any]) -> None:
    cli("init", tmp_path / "new")
    assert [
        problem for problem in lint_set(load_set(tmp_path / "new" / "replay.yaml")) if problem.severity == "error"
    ] == []


def test_doctor_in_a_healthy_project(demo_project: Path, cli: Callable[..., Any]) -> None:
    result = cli("doctor", "--json")
    assert result.code == 0
    names = {finding["name"] for finding in result.document["findings"]}
    assert {"foldproof", "project", "replay set", "store", "baseline", "configuration production"} <= names


def test_doctor_tells_which_extras_are_there(cli: Callable[..., Any], monkeypatch: pytest.MonkeyPatch) -> None:
    wanted = ["click>=8", "rich; extra == 'logs'", "no-such-package<2; extra == 'mine'", "ruff; extra == 'dev'",
              "no-such-package; python_version < '3.14' and extra == 'logs'"]  # fmt: skip
    monkeypatch.setattr("foldproof.workflow.examining.requires", lambda _: wanted)
    rows = {row["name"]: row for row in cli("doctor", "--json").document["findings"] if "extra" in row["name"]}
    assert {name: (row["ok"], row["detail"], row["remedy"]) for name, row in rows.items()} == {
        "extra logs": (True, "installed", ""),
        "extra mine": (None, "not installed: no-such-package", 'pip install "foldproof[mine]"'),
    }


def test_doctor_names_what_is_missing(project: Callable[..., Path], cli: Callable[..., Any]) -> None:
    folder = project(
        configs={
            "gone": {"agent": {"http": "http://127.0.0.1:9/v1"}, "model": {"name": "m"}},
            "noprogram": {"agent": {"command": ["no-such-program-anywhere"]}},
            "nomodule": {"agent": "python:no_such_module:answer"},
        }
    )
    (folder / "replay.json").write_text("{}")
    result = cli("doctor", "--json")
    assert result.code == 4
    bad = {finding["name"] for finding in result.document["findings"] if finding["ok"] is False}
    assert bad == {"replay set", "configuration gone", "configuration noprogram", "configuration nomodule"}
    assert not (folder / ".foldproof").exists(), "the doctor changes nothing"


def test_doctor_outside_a_project(tmp_path: Path, cli: Callable[..., Any], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    result = cli("doctor")
    assert result.code == 0
    assert "foldproof init" in result.out
