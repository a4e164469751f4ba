"""Wire capture from the command line: an unchanged program, its prompts in the record, and a rerun that asks nobody."""

from __future__ import annotations

import json
import sqlite3
import sys
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from foldproof.record.store import Store
from foldproof.testing import ScriptedEndpoint, write_project

KEY = "sk-test-0123456789abcdef0123"
PROGRAM = """
import json, os, sys, urllib.request

def ask(text):
    messages = [{"role": "system", "content": "Be brief."}, {"role": "user", "content": text}]
    body = {"model": "m", "user": user, "messages": messages}
    headers = {"Authorization": "Bearer " + os.environ["OPENAI_API_KEY"], "Cookie": "a=chocolate"}
    url = os.environ["OPENAI_BASE_URL"] + "/chat/completions"
    with urllib.request.urlopen(urllib.request.Request(url, json.dumps(body).encode(), headers)) as answer:
        return json.load(answer)["choices"][0]["message"]["content"]

for line in sys.stdin:
    step = json.loads(line)
    if step["do"] == "start":
        user = step["user"]
    if step["do"] == "reply":
        try:
            print(json.dumps({"text": ask(step["text"])}), flush=True)
        except OSError:
            print(json.dumps({"text": "I know: Monday."}), flush=True)
    else:
        print(json.dumps({} if step["do"] in ("open", "start", "close") else {"unsupported": True}), flush=True)
"""


def wired_project(folder: Path, url: str, **wire: Any) -> Path:
    (folder / "agent.py").write_text(PROGRAM, "utf-8")
    cases = [
        {"id": f"q{number}", "question": f"question {number}", "expected_facts": ["Monday"]} for number in range(2)
    ]
    agent = {"command": [sys.executable, "agent.py"]}
    configs = {
        "production": {"agent": agent, "model": {"base_url": url}, **wire},
        "candidate": {"extends": "production", "memory": {"k": 4}},
    }
    return write_project(folder, cases=cases, configs=configs)


@pytest.fixture
def going(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def cli_with_key(cli: Callable[..., Any], monkeypatch: pytest.MonkeyPatch) -> Callable[..., Any]:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    return cli


def calls_of(folder: Path) -> list[Any]:
    with Store.open(folder / ".foldproof" / "runs.db") as store:
        trials = store.trials(store.runs()[0])
    return [call for trial in trials for seen in trial.seen for call in seen.calls]


def test_the_prompt_of_an_unchanged_program_is_recorded_and_its_key_is_not(
    going: Path, cli_with_key: Callable[..., Any]
) -> None:
    with ScriptedEndpoint(lambda question: f"{question}: Monday") as endpoint:
        wired_project(going, endpoint.url)
        assert cli_with_key("run", "production", "--repeat", "1", "--json").code == 0
        assert {body["user"][:10] for body in endpoint.requests} == {"fp-0001-q0", "fp-0001-q1"}
    calls = {call.prompt: call.answer for call in calls_of(going)}
    assert calls == {f"[system]\nBe brief.\n\n[user]\nquestion {n}": f"question {n}: Monday" for n in range(2)}
    explained = cli_with_key("explain", "latest", "q1")
    assert "Be brief." in explained.out
    with closing(sqlite3.connect(going / ".foldproof" / "runs.db")) as store:
        stored = "\n".join(store.iterdump())
    assert "question 1: Monday" in stored
    for secret in (KEY, "0123456789abcdef", "Bearer", "chocolate"):
        assert secret not in stored


def test_a_rerun_from_the_cassette_asks_nobody(going: Path, cli_with_key: Callable[..., Any]) -> None:
    with ScriptedEndpoint(lambda question: f"{question}: Monday") as endpoint:
        wired_project(going, endpoint.url)
        assert cli_with_key("run", "production", "--cassette", "record", "--json").code == 0
        assert sum(endpoint.asked.values()) == 4
        auto = cli_with_key("run", "production", "--cassette", "auto", "--repeat", "3", "--json")
        assert auto.code == 0
        assert sum(endpoint.asked.values()) == 6
    replayed = cli_with_key("run", "production", "--cassette", "replay", "--fresh", "--json")
    assert replayed.code == 0
    assert "begun with --cassette replay" in " ".join(replayed.document["notes"])
    assert [call.answer[-6:] for call in calls_of(going)] == ["Monday"] * 4
    cassette = going / ".foldproof" / "cassettes" / "production.jsonl"
    lines = [json.loads(line) for line in cassette.read_text("utf-8").splitlines()]
    assert [line["repeat"] for line in lines[1:]].count(0) == 2
    assert KEY not in cassette.read_text("utf-8")


def test_what_the_cassette_does_not_have_is_an_error_and_no_pass(going: Path, cli_with_key: Callable[..., Any]) -> None:
    """The agent swallows the failure and answers, even rightly: nobody asked its model."""
    with ScriptedEndpoint(lambda question: f"{question}: Monday") as endpoint:
        wired_project(going, endpoint.url)
        result = cli_with_key("run", "production", "--cassette", "replay", "--repeat", "1", "--json")
        assert result.code == 7
        cases = result.document["cases"]
        assert {case["outcome"] for case in cases} == {"error"}
        assert "the cassette has no answer to POST /v1/chat/completions" in json.dumps(cases)
        assert sum(endpoint.asked.values()) == 0
        live = cli_with_key("run", "production", "--fresh", "--repeat", "1", "--json")
    assert {case["outcome"] for case in live.document["cases"]} == {"pass"}


def test_a_check_is_carried_out_from_cassettes(going: Path, cli_with_key: Callable[..., Any]) -> None:
    with ScriptedEndpoint(lambda question: f"{question}: Monday") as endpoint:
        wired_project(going, endpoint.url)
        assert cli_with_key("run", "production", "--cassette", "record", "--json").code == 0
        assert cli_with_key("baseline", "accept", "--json").code == 0
        assert cli_with_key("check", "candidate", "--cassette", "auto", "--json").code == 0
        assert sum(endpoint.asked.values()) == 6
    again = cli_with_key("check", "candidate", "--cassette", "replay", "--fresh", "--json")
    assert again.code == 0
    assert [case["change"] for case in again.document["cases"]] == ["kept", "kept"]


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("--cassette", "rewind"), "'rewind' is not one of"),
        (("--cassette",), "--cassette"),
    ],
)
def test_an_unknown_mode_is_refused(
    going: Path, cli_with_key: Callable[..., Any], words: tuple[str, ...], told: str
) -> None:
    wired_project(going, "http://127.0.0.1:9/v1")
    result = cli_with_key("run", "production", *words)
    assert result.code == 4
    assert told in result.err
    assert not (going / ".foldproof" / "cassettes").exists()


def test_settings_of_the_wire_are_checked(going: Path, cli_with_key: Callable[..., Any]) -> None:
    wired_project(going, "http://127.0.0.1:9/v1", wire={"opnai": "http://localhost:1/v1"})
    result = cli_with_key("run", "production")
    assert result.code == 4
    assert "configs.production.wire: unknown setting `opnai`" in result.err
    assert "did you mean `openai`?" in result.err
