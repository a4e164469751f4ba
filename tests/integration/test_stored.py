"""`foldproof explain`, `export`, `compare`: what was stored, shown."""

from __future__ import annotations

import json
import re
import xml.etree.ElementTree as ET
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from syrupy.assertion import SnapshotAssertion


def test_explain_shows_what_was_recorded(
    demo_project: Path, cli: Callable[..., Any], snapshot: SnapshotAssertion
) -> None:
    result = cli("explain", "window", "pain-relief")
    assert result.code == 0
    assert re.sub(r"\d+\.\d s\b", "N s", result.out) == snapshot
    document = cli("explain", "production", "pain-relief", "--json").document
    trial = document["trials"][0]
    assert trial["memory_reads"][0]["rank"] == 1
    assert any("no NSAIDs" in item["facts"] for item in trial["memory_reads"])
    assert trial["store_written"]
    start, end = next(fact for fact in trial["score"]["facts"] if fact["fact"] == "gastritis")["spans"][0]
    assert trial["score"]["answer"][start:end].lower() == "gastritis"


def test_explain_counts_what_differs_from_the_set_of_now_and_nothing_that_does_not(
    project: Callable[..., Path], cli: Callable[..., Any]
) -> None:
    cases = [{"id": name, "question": "Which?", "expected_facts": ["Postgres 15"]} for name in ("a", "b", "c")]
    project(cases=cases[:2])
    assert cli("run", "production").code == 0
    project(cases=cases[:1])
    assert cli("explain", "0001", "a", "--json").document["note"] == (
        "the set has changed since run 0001; cases no longer in the set: 1"
    )
    project(cases=[cases[0], cases[2]])
    assert cli("explain", "0001", "a", "--json").document["note"] == (
        "the set has changed since run 0001; cases not asked in it: 1; cases no longer in the set: 1"
    )


def test_explain_wrong_names(demo_project: Path, cli: Callable[..., Any]) -> None:
    assert "did you mean `pain-relief`" in cli("explain", "window", "pain-relif").err
    assert cli("explain", "9999", "pain-relief").code == 4


@pytest.mark.parametrize("name", ["json", "junit", "md"])
def test_export(demo_project: Path, cli: Callable[..., Any], name: str) -> None:
    out = cli("export", name, "window").out
    if name == "json":
        assert json.loads(out)["schema"] == "foldproof/run/1"
    elif name == "junit":
        suite = ET.fromstring(out)
        cases = list(suite.iter("testcase"))
        assert len(cases) == 20
        assert sum(case.find("failure") is not None for case in cases) >= 10
    else:
        assert "pain-relief" in out
    assert cli("export", name, "window", "-o", f"out/report.{name}").code == 0
    assert (demo_project / "out" / f"report.{name}").read_text()


def test_compare_side_by_side(demo_project: Path, cli: Callable[..., Any], snapshot: SnapshotAssertion) -> None:
    result = cli("compare", "production", "window", "triage")
    assert result.code == 0
    assert result.out == snapshot
    document = cli("compare", "production", "window", "--json").document
    assert [run["run"]["config"] for run in document["runs"]] == ["production", "window"]
    assert "pain-relief" in document["runs"][1]["lost"]
    assert document["runs"][0]["lost"] == []


def test_compare_runs_what_was_never_run(project: Callable[..., Path], cli: Callable[..., Any]) -> None:
    project()
    document = cli("compare", "good", "forgetful", "--json").document
    assert [run["passed"] for run in document["runs"]] == [2, 0]
    assert cli("compare", "good").code == 4
    assert cli("compare", "good", "nobody").code == 4
