"""The same work for a Python caller: plain functions that start the event loop themselves."""

from __future__ import annotations

from pathlib import Path

import anyio

from foldproof.workflow.checking import CheckReport, check_candidate
from foldproof.workflow.reading import CompareReport
from foldproof.workflow.reading import compare_runs as compare_stored
from foldproof.workflow.run_reports import RunReport
from foldproof.workflow.running import Options, run_config
from foldproof.workflow.workspace import open_workspace

_QUIET = Options()


def run_set(
    config: str, *, project: Path | str = ".", replay_set: Path | str | None = None, options: Options = _QUIET
) -> RunReport:
    """Run a configuration, or an agent named directly (`python:module:function`), over a replay set.

    `project` is a foldproof.yaml or a folder to look upwards from; with a `replay_set` none is needed.

    Raises:
        FileError: for a project or a set with problems, all of them at once.
        UsageError: for an unknown configuration or an agent that cannot be loaded.
    """
    with open_workspace(Path(project), replay_set=None if replay_set is None else Path(replay_set)) as workspace:
        return anyio.run(run_config, workspace, config, options)


def check(candidate: str, *, project: Path | str = ".", options: Options = _QUIET) -> CheckReport:
    """Check a candidate against the accepted baseline; `report.check.verdict` is what came of it.

    Raises:
        FileError: for a project, a set or a baseline with problems, or where no baseline was accepted.
        UsageError: for an unknown configuration or an agent that cannot be loaded.
    """
    with open_workspace(Path(project)) as workspace:
        return anyio.run(check_candidate, workspace, candidate, options)


def compare_runs(*runs: str, project: Path | str = ".", options: Options = _QUIET) -> CompareReport:
    """Put runs or configurations side by side, the first being what the others are compared with.

    Raises:
        FileError: for a project or a set with problems.
        UsageError: for an unknown run or configuration.
    """
    with open_workspace(Path(project)) as workspace:
        return anyio.run(compare_stored, workspace, runs, options)
