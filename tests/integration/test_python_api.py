"""The public functions, as a Python caller uses them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import foldproof


def test_run_check_and_compare(project: Callable[..., Path], cli: Callable[..., Any]) -> None:
    folder = project()
    report = foldproof.run_set("production", project=folder)
    assert {case: score.outcome for case, score in report.scores.items()} == {"db": "pass", "day": "pass"}
    cli("baseline", "accept")
    assert foldproof.check("good", project=folder).check.verdict == "pass"
    assert foldproof.check("forgetful", project=str(folder / "foldproof.yaml")).check.verdict == "blocked"
    compared = foldproof.compare_runs("good", "forgetful", project=folder)
    assert [change.change for change in compared.columns[1].changes] == ["lost", "lost"]


def test_a_set_without_a_project(project: Callable[..., Path]) -> None:
    folder = project()
    (folder / "foldproof.yaml").unlink()
    report = foldproof.run_set("python:agents_under_test:good", project=folder, replay_set=folder / "replay.json")
    assert report.run.config == "python:agents_under_test:good"
    with pytest.raises(foldproof.FoldproofError, match="no configuration 'nobody'"):
        foldproof.run_set("nobody", project=folder, replay_set="replay.json")


def test_errors_are_exceptions_with_an_exit_code(tmp_path: Path) -> None:
    with pytest.raises(foldproof.FoldproofError) as caught:
        foldproof.run_set("production", project=tmp_path)
    assert caught.value.exit_code is foldproof.ExitCode.USAGE
