"""One test for each exit code, through the front door."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from foldproof.testing import ScriptedEndpoint, write_project


def test_0_pass_1_blocked_5_nothing_7_inconclusive(project: Callable[..., Path], cli: Callable[..., Any]) -> None:
    project()
    assert cli("run", "good").code == 0
    assert cli("run", "forgetful").code == 1
    assert cli("run", "good", "--only", "nothing-of-this-name").code == 5
    assert cli("run", "raising").code == 7


@pytest.mark.parametrize(
    ("number", "heard"),
    [(signal.SIGINT, True), (signal.SIGTERM, True), (signal.SIGTERM, False)],
    ids=["ctrl-c", "term", "term-where-ctrl-c-is-ignored"],
)
def test_2_interrupted_and_a_rerun_goes_on(tmp_path: Path, number: signal.Signals, heard: bool) -> None:
    cases = [{"id": f"q{n}", "question": f"question {n}", "expected_facts": ["Monday"]} for n in range(40)]
    with ScriptedEndpoint(lambda _: "On Monday.", latency_s=0.1) as endpoint:
        write_project(
            tmp_path, cases=cases, configs={"production": {"agent": {"http": endpoint.url}, "model": {"name": "m"}}}
        )
        command = [sys.executable, "-m", "foldproof", "run", "production", "-j", "2", "--repeat", "1"]
        process = subprocess.Popen(
            command,
            cwd=tmp_path,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            # A test runner in the background ignores Ctrl-C and hands that down: each case says what it means.
            preexec_fn=lambda: signal.signal(  # noqa: PLW1509  # nothing else runs in this process
                signal.SIGINT, signal.default_int_handler if heard else signal.SIG_IGN
            ),
        )
        while endpoint.asked.total() < 6:
            time.sleep(0.02)
        process.send_signal(number)
        _, err = process.communicate(timeout=20)
        assert process.returncode == 2
        assert "run the same command again" in err
        assert "Traceback" not in err
        asked = endpoint.asked.total()
        again = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=60, check=False)
        assert again.returncode == 0, again.stdout + again.stderr
        assert asked < 40
        assert endpoint.asked.total() <= 40 + 2, "only what was in flight may be asked twice"


def test_ctrl_c_that_is_ignored_stays_ignored(tmp_path: Path) -> None:
    cases = [{"id": f"q{n}", "question": f"question {n}", "expected_facts": ["Monday"]} for n in range(10)]
    with ScriptedEndpoint(lambda _: "On Monday.", latency_s=0.1) as endpoint:
        configs = {"production": {"agent": {"http": endpoint.url}, "model": {"name": "m"}}}
        write_project(tmp_path, cases=cases, configs=configs)
        command = [sys.executable, "-m", "foldproof", "run", "production", "-j", "1", "--repeat", "1"]
        process = subprocess.Popen(
            command,
            cwd=tmp_path,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_IGN),  # noqa: PLW1509  # nothing else runs there
        )
        while endpoint.asked.total() < 3:
            time.sleep(0.02)
        process.send_signal(signal.SIGINT)
        assert process.wait(timeout=20) == 0
        assert set(endpoint.asked.values()) == {1}


def test_3_internal_error_is_a_report(
    project: Callable[..., Path], cli: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object) -> None:
        raise ZeroDivisionError("made for this test")

    project()
    monkeypatch.setattr("foldproof.cli.commands.asking.run_report_document", broken)
    result = cli("run", "good")
    assert result.code == 3
    assert "This is a bug in foldproof" in result.err


@pytest.mark.parametrize("words", [["run"], ["run", "good", "--no-such-option"], ["nothing"], ["run", "nobody"]])
def test_4_wrong_call(project: Callable[..., Path], cli: Callable[..., Any], words: list[str]) -> None:
    project()
    assert cli(*words).code == 4


def test_4_no_project(tmp_path: Path, cli: Callable[..., Any], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    result = cli("run", "production")
    assert result.code == 4
    assert "foldproof init" in result.err


def test_help_is_no_failure(cli: Callable[..., Any]) -> None:
    assert cli().code == 0
    assert cli("--help").code == 0
    assert "check" in cli("--help").out
    assert cli("check", "--help").code == 0
    assert cli("--version").out.startswith("foldproof")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
def test_4_a_full_disk_under_the_report(project: Callable[..., Path]) -> None:
    folder = project()
    with Path("/dev/full").open("w") as full:
        process = subprocess.run(
            [sys.executable, "-m", "foldproof", "run", "good"],
            cwd=folder,
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
        )
    assert process.returncode == 4
    assert "cannot be written" in process.stderr
    assert "Traceback" not in process.stderr


def test_0_a_reader_that_goes_away(project: Callable[..., Path]) -> None:
    folder = project()
    command = f"{sys.executable} -m foldproof run good --json | head -c 1; exit ${{PIPESTATUS[0]}}"
    process = subprocess.run(["bash", "-c", command], cwd=folder, capture_output=True, text=True, check=False)
    assert process.returncode == 0
    assert process.stderr == ""
