"""Runs of memories from the command line: what they cost, and what an interrupted one leaves behind."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from foldproof.testing import ScriptedEndpoint, write_project

MILLION = {"prompt_tokens": 1_000_000, "completion_tokens": 0}
HISTORY = [
    {"session": f"s{n}", "turns": [{"role": "user", "text": text}]}
    for n, text in enumerate(["I take no NSAIDs.", "My dog is Rex.", "It rained.", "I had soup."], 1)
]
CASES = [
    {
        "id": f"q{n}",
        "class": "semantic",
        "history": "h",
        "question": f"Which pill, {n}?",
        "expected_facts": ["no NSAIDs"],
    }
    for n in range(6)
]


def answered(text: str = "no NSAIDs", usage: Any = MILLION) -> dict[str, Any]:
    return {"choices": [{"message": {"content": text}}], "usage": usage}


def summary_project(folder: Path, url: str, *, agent: str = "chat", price: Any = None, **memory: Any) -> None:
    model = {"base_url": url, "name": "m", "temperature": 0, **({"price": price} if price else {})}
    kept = {"kind": "summary", "keep_last": 0, "every": 1, **memory}
    configs = {"b": {"agent": agent, "model": model, "memory": kept}}
    write_project(folder, cases=CASES, configs=configs, histories={"h": HISTORY}, baseline="b")


def limited(cli: Callable[..., Any], most: str) -> Any:
    return cli("run", "b", "--repeat", "1", "-j", "1", "--max-cost", most, "--json")


@pytest.mark.parametrize("agent", ["chat", "recall"])
def test_what_a_fold_cost_counts_for_the_limit(
    tmp_path: Path, cli: Callable[..., Any], monkeypatch: pytest.MonkeyPatch, agent: str
) -> None:
    with ScriptedEndpoint(lambda _: answered()) as endpoint:
        summary_project(tmp_path, endpoint.url, agent=agent, price={"input": 1, "output": 1})
        monkeypatch.chdir(tmp_path)
        first = limited(cli, "3")
        asked = endpoint.asked.total()
        assert asked == (5 if agent == "chat" else 4), "four parts of one fold, and at most one answer"
        assert first.code == 7
        assert f"the cost limit is reached: {asked}.0000 of 3" in " ".join(first.document["reasons"])
        assert limited(cli, "100").code == 0


def test_a_fold_whose_cost_is_not_known_stops_a_run_with_a_limit(
    tmp_path: Path, cli: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    with ScriptedEndpoint(lambda _: answered()) as endpoint:
        summary_project(tmp_path, endpoint.url, agent="recall")
        monkeypatch.chdir(tmp_path)
        assert "cannot be held" in " ".join(limited(cli, "3").document["reasons"])
        assert endpoint.asked.total() == 4
        assert cli("run", "b", "--repeat", "1", "-j", "1").code == 0, "without a limit it goes on"
        asked = endpoint.asked.total()
        other = {"base_url": endpoint.url, "name": "another"}
        summary_project(tmp_path, endpoint.url, agent="recall", price={"input": 1, "output": 1}, model=other)
        assert "cannot be held" in " ".join(limited(cli, "3").document["reasons"]), "another model has another price"
        assert endpoint.asked.total() > asked


def test_a_fold_that_fails_was_paid_for(
    tmp_path: Path, cli: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    answers = iter(["a", "b", "c", ""])
    with ScriptedEndpoint(lambda _: answered(next(answers, "no NSAIDs"))) as endpoint:
        summary_project(tmp_path, endpoint.url, price={"input": 1, "output": 1})
        monkeypatch.chdir(tmp_path)
        result = limited(cli, "7")
        assert "the cost limit is reached: 8.0000 of 7" in " ".join(result.document["reasons"]), "3 + 4 + 1"


PROGRAM = """
import json, pathlib, sys, time
held = []
for line in sys.stdin:
    step = json.loads(line)
    do, answer = step["do"], {}
    if do == "ingest":
        held = [{"id": f"{part['session']}.{n}", "text": turn["text"]}
                for part in step["history"] for n, turn in enumerate(part["turns"])]
    elif do == "memories":
        answer = {"items": held}
    elif do == "recall":
        time.sleep(float(sys.argv[1]))
        answer = {"items": held}
    elif do == "snapshot":
        (pathlib.Path(step["folder"]) / "held.json").write_text(json.dumps(held))
        answer = {"snapshot": True}
    elif do == "restore":
        held = json.loads((pathlib.Path(step["folder"]) / "held.json").read_text())
    print(json.dumps(answer), flush=True)
"""


@pytest.fixture
def child_run(tmp_path: Path) -> Callable[..., subprocess.Popen[str]]:
    """Starts a run of a memory in a process of its own, with a folder of its own for temporary files."""

    def start(seconds: float) -> subprocess.Popen[str]:
        (tmp_path / "memory.py").write_text(PROGRAM)
        (tmp_path / "temporary").mkdir()
        memory = {"kind": "process", "command": [sys.executable, "memory.py", str(seconds)]}
        configs = {"b": {"agent": "recall", "memory": memory}}
        write_project(tmp_path, cases=CASES, configs=configs, histories={"h": HISTORY}, baseline="b")
        return subprocess.Popen(
            [sys.executable, "-m", "foldproof", "run", "b", "--repeat", "1", "-j", "2"],
            cwd=tmp_path,
            env={**os.environ, "TMPDIR": str(tmp_path / "temporary")},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            # A test runner in the background ignores Ctrl-C and hands that down.
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),  # noqa: PLW1509  # nothing else runs there
        )

    return start


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM], ids=["ctrl-c", "term"])
def test_an_interrupted_run_leaves_no_copy_of_a_memory(
    tmp_path: Path, child_run: Callable[..., subprocess.Popen[str]], number: signal.Signals
) -> None:
    process = child_run(60)
    temporary = tmp_path / "temporary"
    until = time.monotonic() + 30
    while not list(temporary.glob("foldproof-copy-*/held.json")):
        assert time.monotonic() < until, "no copy was made"
        time.sleep(0.02)
    time.sleep(0.2)
    process.send_signal(number)
    _, err = process.communicate(timeout=30)
    assert process.returncode == 2
    assert "run the same command again" in err
    assert list(temporary.iterdir()) == []


def test_a_run_that_ends_leaves_none_either(tmp_path: Path, child_run: Callable[..., subprocess.Popen[str]]) -> None:
    process = child_run(0)
    out, err = process.communicate(timeout=60)
    assert process.returncode == 0, out + err
    assert list((tmp_path / "temporary").iterdir()) == []
