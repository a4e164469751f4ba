"""A run killed with SIGKILL at random moments goes on: nothing is asked twice, lost, or counted twice."""

from __future__ import annotations

import json
import os
import random
import signal
import sqlite3
import subprocess
import sys
import time
from contextlib import closing
from pathlib import Path

from foldproof.testing import ScriptedEndpoint, write_project

CASES = 300
KILLS = 20


def _start(folder: Path, *, to_file: Path) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-m", "foldproof", "run", "production", "-j", "4", "--repeat", "1", "--json"]
    with to_file.open("wb") as output:
        return subprocess.Popen(command, cwd=folder, stdout=output, stderr=subprocess.STDOUT)


def _answered(folder: Path) -> set[str]:
    store = folder / ".foldproof" / "runs.db"
    if not store.exists():
        return set()
    with closing(sqlite3.connect(store)) as connection:
        try:
            rows = connection.execute("SELECT case_id FROM trials WHERE answered = 1").fetchall()
        except sqlite3.OperationalError:  # killed before the tables were there
            return set()
    return {case for (case,) in rows}


def test_twenty_kills_then_resume(tmp_path: Path) -> None:
    seed = random.randrange(10**6)
    print(f"seed {seed}")
    moments = random.Random(seed)
    with ScriptedEndpoint(lambda question: f"Monday, {question}", latency_s=0.1) as endpoint:
        cases = [
            {"id": f"q{number}", "question": f"question {number}", "expected_facts": ["Monday"]}
            for number in range(CASES)
        ]
        configs = {"production": {"agent": {"http": endpoint.url}, "model": {"name": "m"}}}
        write_project(tmp_path, cases=cases, configs=configs)
        output = tmp_path / "output.json"
        asked_again = []
        killed_midway = 0
        for _ in range(KILLS):
            stored = _answered(tmp_path)
            asked_before = endpoint.asked.copy()
            process = _start(tmp_path, to_file=output)
            time.sleep(moments.uniform(0.3, 0.9))
            killed_midway += process.poll() is None
            os.kill(process.pid, signal.SIGKILL)
            process.wait()
            asked_now = endpoint.asked - asked_before
            asked_again += [case for case in stored if asked_now[f"question {case[1:]}"]]
            assert stored <= _answered(tmp_path), "a stored trial was lost"
        stored = _answered(tmp_path)
        asked_before = endpoint.asked.copy()
        process = _start(tmp_path, to_file=output)
        assert process.wait() == 0, output.read_text()
        asked_now = endpoint.asked - asked_before
    document = json.loads(output.read_text())
    assert killed_midway >= KILLS // 2, "the kills came too late to test anything"
    assert [case for case in stored if asked_now[f"question {case[1:]}"]] + asked_again == []
    assert [case["id"] for case in document["cases"]] == [f"q{number}" for number in range(CASES)]
    assert all(len(case["trials"]) == 1 and case["outcome"] == "pass" for case in document["cases"])
    assert document["run"]["run"] == "0001", "every start went on with the one run"
    with closing(sqlite3.connect(tmp_path / ".foldproof" / "runs.db")) as connection:
        assert connection.execute("SELECT COUNT(*), COUNT(DISTINCT case_id) FROM trials").fetchone() == (CASES, CASES)
