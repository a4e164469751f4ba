"""The whole path with a real model behind `chat`: question, memory, prompt, answer, attribution, gate.

It needs an OpenAI-compatible server on this machine, named by FOLDPROOF_LOCAL_MODEL (its base URL), and is skipped
without one. Nothing is asserted on what the model says: it may say anything, and the verdict follows from it.
"""

from __future__ import annotations

import json
import os
import time
from pathlib import Path

import pytest

from foldproof.cli.main import run as call
from foldproof.record.store import Store
from foldproof.testing import write_project

URL = os.environ.get("FOLDPROOF_LOCAL_MODEL", "")
NAME = os.environ.get("FOLDPROOF_LOCAL_MODEL_NAME", "local")
LONGEST_S = 600
pytestmark = pytest.mark.skipif(not URL, reason="needs a model server: FOLDPROOF_LOCAL_MODEL=http://127.0.0.1:8080/v1")

HISTORY = [
    {"session": "s1", "at": "2026-02-03", "turns": [
        {"role": "user", "text": "Before we plan the training: no NSAIDs for me, I have gastritis."},
        {"role": "agent", "text": "Noted."},
        {"role": "user", "text": "My knee is fine on short runs."},
    ]},
    {"session": "s2", "at": "2026-02-17", "turns": [
        {"role": "user", "text": "The billing service runs on Postgres 15, raw SQL only."},
        {"role": "agent", "text": "Understood."},
        {"role": "user", "text": "The reporting job stays as it is for now."},
    ]},
    {"session": "s3", "at": "2026-03-01", "turns": [
        {"role": "user", "text": "Parcels go to the back door, please."},
        {"role": "agent", "text": "To the back door it is."},
    ]},
]  # fmt: skip
CASES = [
    {"id": "painkillers", "class": "safety", "question": "Which painkillers must I avoid?",
     "expected_facts": ["NSAIDs"]},
    {"id": "billing-db", "class": "semantic", "question": "Which database does the billing service run on?",
     "expected_facts": ["Postgres 15"]},
    {"id": "parcel", "class": "canary", "question": "Where do parcels go?", "expected_facts": ["back door"]},
]  # fmt: skip


@pytest.fixture
def project(tmp_path, monkeypatch):
    settings = {"base_url": URL, "name": NAME, "temperature": 0, "seed": 7, "max_tokens": 60}
    write_project(
        tmp_path,
        cases=[{**case, "history": "user"} for case in CASES],
        configs={
            "production": {"agent": "chat", "model": settings, "memory": {"kind": "verbatim", "k": 3}},
            "candidate": {"extends": "production", "memory": {"kind": "summary", "budget": 120, "keep_last": 2}},
        },
        histories={"user": HISTORY},
        replay={"gate": {"safety": "all", "canary": "all", "semantic": "1/1"}},
        baseline="production",
        repeats={"always": 1, "borderline": 2},
        limits={"concurrency": 1, "timeout_s": 300},
    )
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("CI", raising=False)
    return tmp_path


def test_verbatim_against_summary(project, capsys):
    started = time.monotonic()
    assert call(["run", "production"]) in {0, 1}
    assert call(["baseline", "accept", "--yes"]) == 0
    capsys.readouterr()
    code = call(["check", "candidate", "--json"])
    document = json.loads(capsys.readouterr().out)
    took = time.monotonic() - started
    assert took < LONGEST_S
    assert code in {0, 1, 7}
    assert {case["change"] for case in document["cases"]}.isdisjoint({"error"})
    assert {case["id"] for case in document["cases"]} == {case["id"] for case in CASES}
    for run in (document["before"]["run"], document["after"]["run"]):
        _whole(project, run)
    print(f"{took:.0f} s, {document['verdict']}, owners {document['owners']}")  # read with pytest -s


def _whole(project: Path, run: str) -> None:
    """Each trial has its prompt, its retrieval, its answer; the prompt holds the question."""
    with Store.open(project / ".foldproof" / "runs.db") as store:
        trials = store.trials(store.run(run))
    assert trials
    for trial in trials:
        question = next(case["question"] for case in CASES if case["id"] == trial.case)
        assert trial.error is None
        assert trial.answer.strip()
        assert trial.memory_reads
        assert question in trial.prompt
        assert trial.usage.input_tokens > 0
        assert trial.store_written
