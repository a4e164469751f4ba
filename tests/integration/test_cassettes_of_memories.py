"""Cassettes of agents that build their memory by a model: what is replayed is what was recorded, or an error."""

from __future__ import annotations

import itertools
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from foldproof.record import Trial
from foldproof.record.store import Store
from foldproof.testing import ScriptedEndpoint, write_project

PROGRAM = """
import json, os, sys, urllib.request

def ask(text):
    body = {"messages": [{"role": "user", "content": text}]}
    url = os.environ["OPENAI_BASE_URL"] + "/chat/completions"
    request = urllib.request.Request(url, json.dumps(body).encode(), {"Content-Type": "application/json"})
    try:
        with urllib.request.urlopen(request) as answer:
            return json.load(answer)["choices"][0]["message"]["content"]
    except OSError:
        return "Monday, as was told"

held = ""
for line in sys.stdin:
    step = json.loads(line)
    out = {}
    if step["do"] == "ingest":
        held = ask("summarise: " + step["history"][0]["turns"][0]["text"])
    elif step["do"] == "snapshot":
        out = {"snapshot": held} if SNAPSHOTS else {"unsupported": True}
    elif step["do"] == "restore":
        held = step["snapshot"]
    elif step["do"] == "memories":
        out = {"items": [held]}
    elif step["do"] == "reply":
        out = {"text": ask(held + "; " + step["text"]) if ASKS else held}
    elif step["do"] == "fold":
        out = {"unsupported": True}
    print(json.dumps(out), flush=True)
"""


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Path]:
    """Three cases on one history; the program of the agent hands its memory on, or asks to answer, by choice."""
    monkeypatch.chdir(tmp_path)

    def making(url: str, *, snapshots: bool, asks: bool) -> Path:
        text = f"SNAPSHOTS, ASKS = {snapshots}, {asks}\n{PROGRAM}"
        (tmp_path / "agent.py").write_text(text, "utf-8")
        cases = [
            {"id": f"q{number}", "question": f"question {number}", "history": "h", "expected_facts": ["Monday"]}
            for number in range(3)
        ]
        history = [{"session": "s", "turns": [{"role": "user", "text": "It ships on Monday."}]}]
        configs = {"production": {"agent": {"command": [sys.executable, "agent.py"]}, "model": {"base_url": url}}}
        return write_project(tmp_path, cases=cases, configs=configs, histories={"h": history})

    return making


def trials_of(folder: Path) -> list[Trial]:
    with Store.open(folder / ".foldproof" / "runs.db") as store:
        return store.trials(store.runs()[0])


@pytest.mark.parametrize("snapshots", [False, True])
@pytest.mark.parametrize("jobs", ["1", "8"])
def test_a_replay_is_the_run_that_was_recorded(
    project: Callable[..., Path], tmp_path: Path, cli: Callable[..., Any], snapshots: bool, jobs: str
) -> None:
    """The model never says the same twice, so each trial that builds alike could have had a memory of its own."""
    numbers = itertools.count()
    command = ("run", "production", "--repeat", "2", "-j", jobs, "--json")
    with ScriptedEndpoint(lambda text: f"{next(numbers)}: Monday", latency_s=0.05) as endpoint:
        project(endpoint.url, snapshots=snapshots, asks=True)
        assert cli(*command, "--cassette", "record").code == 0
        asked = sum(endpoint.asked.values())
        recorded = trials_of(tmp_path)
        assert cli(*command, "--cassette", "replay", "--fresh").code == 0
        assert sum(endpoint.asked.values()) == asked
    replayed = trials_of(tmp_path)
    assert len({trial.answer for trial in recorded}) == 6
    assert [trial.answer for trial in replayed] == [trial.answer for trial in recorded]
    assert [trial.store_kept for trial in replayed] == [trial.store_kept for trial in recorded]


def test_a_memory_that_the_cassette_could_not_build_fails_all_who_start_from_it(
    project: Callable[..., Path], tmp_path: Path, cli: Callable[..., Any]
) -> None:
    """The agent makes do without its model and would answer rightly; a run that asks the model passes."""
    with ScriptedEndpoint(lambda text: f"{text}: Monday") as endpoint:
        project(endpoint.url, snapshots=True, asks=False)
        command = ("run", "production", "--repeat", "2", "--json")
        result = cli(*command, "--cassette", "replay")
        assert result.code == 7
        assert {case["outcome"] for case in result.document["cases"]} == {"error"}
        trials = trials_of(tmp_path)
        assert all("the cassette has no answer" in trial.error.message for trial in trials if trial.error)
        assert all(trial.error for trial in trials)
        assert sum(endpoint.asked.values()) == 0
        live = cli(*command, "--fresh", "--cassette", "record")
        assert {case["outcome"] for case in live.document["cases"]} == {"pass"}
        assert {case["outcome"] for case in cli(*command, "--fresh", "--cassette", "replay").document["cases"]} == {
            "pass"
        }
    built_by = {trial.built_by for trial in trials_of(tmp_path)}
    assert len(built_by) == 2, "one built it, the others name that one"
    assert {len(trial.building[0].calls) for trial in trials_of(tmp_path)} == {1}
