"""`foldproof run`: plain sets on plain functions, resuming, limits, and answers that are none."""

from __future__ import annotations

import json
import socket
import sqlite3
from collections import Counter
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from foldproof.testing import ScriptedEndpoint, write_project

PLAIN = {
    "cases": [
        {
            "id": "q1",
            "question": "Which database for billing?",
            "memory_config": {},
            "expected_facts": ["Postgres 15", "no ORM, raw SQL"],
        }
    ]
}
ANSWER = "Billing runs on **Postgres 15**: no ORM, raw SQL."


@pytest.mark.parametrize("prefix", ["", "async "])
def test_plain_json_on_a_plain_function(
    tmp_path: Path, cli: Callable[..., Any], monkeypatch: pytest.MonkeyPatch, prefix: str
) -> None:
    (tmp_path / "cases.json").write_text(json.dumps(PLAIN))
    (tmp_path / "my_agent.py").write_text(f"{prefix}def run_agent(question, memory_config):\n    return {ANSWER!r}\n")
    monkeypatch.chdir(tmp_path)
    result = cli("run", "python:my_agent:run_agent", "--set", "cases.json", "--json")
    assert result.code == 0, result.out
    assert [case["outcome"] for case in result.document["cases"]] == ["pass"]


def endpoint_project(folder: Path, url: str, *, cases: int = 5, **settings: Any) -> Path:
    entries = [
        {"id": f"q{number}", "question": f"question {number}", "expected_facts": ["Monday"]} for number in range(cases)
    ]
    configs = {"production": {"agent": {"http": url}, "model": {"name": "m"}}}
    return write_project(folder, cases=entries, configs=configs, **settings)


def run_once(cli: Callable[..., Any], *words: str) -> Any:
    return cli("run", "production", "--repeat", "1", "--json", *words)


def test_B62_rerun_after_two_errors_of_fifty_asks_two(
    tmp_path: Path, cli: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    broken = {"question 7", "question 31"}

    def answer(question: str) -> Any:
        return {"status": 400, "error": {"message": "bad request"}} if question in broken else "On Monday."

    with ScriptedEndpoint(answer) as endpoint:
        endpoint_project(tmp_path, endpoint.url, cases=50)
        monkeypatch.chdir(tmp_path)
        assert run_once(cli).code == 7
        assert endpoint.asked.total() == 50
        broken.clear()
        again = run_once(cli)
        assert again.code == 0
        assert endpoint.asked.total() == 52
        assert (again.document["run"]["asked"], again.document["run"]["reused"]) == (2, 48)


def test_B63_resume_with_more_trials_runs_the_rest(
    tmp_path: Path, cli: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    with ScriptedEndpoint(lambda _: "On Monday.") as endpoint:
        endpoint_project(tmp_path, endpoint.url)
        monkeypatch.chdir(tmp_path)
        run_once(cli, "--only", "q0")
        result = cli("run", "production", "--resume", "1", "--repeat", "5", "--json")
        assert result.code == 0
        assert set(endpoint.asked.values()) == {5}
        assert all(len(case["trials"]) == 5 for case in result.document["cases"])


def test_a_finished_run_is_not_reused(tmp_path: Path, cli: Callable[..., Any], monkeypatch: pytest.MonkeyPatch) -> None:
    with ScriptedEndpoint(lambda _: "On Monday.") as endpoint:
        endpoint_project(tmp_path, endpoint.url)
        monkeypatch.chdir(tmp_path)
        assert run_once(cli).document["run"]["run"] == "0001"
        assert run_once(cli).document["run"]["run"] == "0002"
        assert set(endpoint.asked.values()) == {2}


def test_B65_results_stand_in_the_order_of_the_set(
    tmp_path: Path, cli: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    with ScriptedEndpoint(lambda _: "On Monday.", latency_s=0.01) as endpoint:
        endpoint_project(tmp_path, endpoint.url, cases=30)
        monkeypatch.chdir(tmp_path)
        document = run_once(cli, "-j", "4").document
        assert [case["id"] for case in document["cases"]] == [f"q{number}" for number in range(30)]
        assert endpoint.most_in_flight <= 4


@pytest.mark.parametrize(
    ("body", "says"),
    [
        ({"error": "quota exhausted"}, "quota exhausted"),  # B59: an error inside a 200
        ({"choices": [{"message": {"content": ""}}]}, ""),
        ({"choices": []}, ""),
        ({"unexpected": 1}, ""),
    ],
)
def test_B59_an_error_in_a_200_is_an_error_and_asked_again(
    tmp_path: Path, cli: Callable[..., Any], monkeypatch: pytest.MonkeyPatch, body: dict[str, Any], says: str
) -> None:
    answers: list[Any] = [body]
    with ScriptedEndpoint(lambda _: answers[-1]) as endpoint:
        endpoint_project(tmp_path, endpoint.url, cases=1)
        monkeypatch.chdir(tmp_path)
        result = run_once(cli)
        assert result.code == 7
        assert result.document["cases"][0]["outcome"] == "error"
        assert says in result.document["cases"][0]["trials"][0]["error"]
        answers.append("On Monday.")
        assert run_once(cli).code == 0


def test_B60_an_apology_is_no_answer(project: Callable[..., Path], cli: Callable[..., Any]) -> None:
    project()
    result = cli("run", "apologising", "--json")
    assert result.code == 7
    assert all(case["outcome"] == "error" for case in result.document["cases"])


def test_B66_a_call_that_never_returns_is_a_timeout(project: Callable[..., Path], cli: Callable[..., Any]) -> None:
    project(limits={"timeout_s": 0.2})
    result = cli("run", "hanging", "--json")
    assert result.code == 7
    assert "no answer within 0.2 s" in result.document["cases"][0]["trials"][0]["error"]


def test_B67_retries_on_429_are_bounded(
    tmp_path: Path, cli: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("foldproof.agents.waiting.FIRST_S", 0.001)
    with ScriptedEndpoint(lambda _: {"status": 429, "error": {"message": "rate limited"}}) as endpoint:
        endpoint_project(tmp_path, endpoint.url, cases=2, limits={"retries": 3})
        monkeypatch.chdir(tmp_path)
        result = run_once(cli)
        assert result.code == 7
        assert set(endpoint.asked.values()) == {4}
        assert "given up after 4 attempts" in result.document["cases"][0]["trials"][0]["error"]


def test_a_passing_fault_is_retried(tmp_path: Path, cli: Callable[..., Any], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("foldproof.agents.waiting.FIRST_S", 0.001)
    seen: Counter[str] = Counter()

    def answer(question: str) -> Any:
        seen[question] += 1
        return {"status": 503, "error": {"message": "busy"}} if seen[question] == 1 else "On Monday."

    with ScriptedEndpoint(answer) as endpoint:
        endpoint_project(tmp_path, endpoint.url, cases=3)
        monkeypatch.chdir(tmp_path)
        assert run_once(cli).code == 0
        assert set(endpoint.asked.values()) == {2}


def test_B69_nothing_leaves_the_machine(
    project: Callable[..., Path], cli: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: Any) -> None:
        raise AssertionError("a connection was tried")

    monkeypatch.setattr(socket.socket, "connect", refuse)
    monkeypatch.setattr(socket, "getaddrinfo", refuse)
    project()
    assert cli("run", "production").code == 0


@pytest.mark.parametrize(("config", "code"), [("production", 0), ("forgetful", 1), ("raising", 7)])
def test_B55_B56_the_exit_code_tells(
    project: Callable[..., Path], cli: Callable[..., Any], config: str, code: int
) -> None:
    project()
    assert cli("run", config).code == code


def test_B56_only_forbidden_facts_do_not_make_a_crash_pass(
    project: Callable[..., Path], cli: Callable[..., Any]
) -> None:
    cases = [{"id": "a", "question": "Which?", "expected_facts": ["Monday"], "forbidden_facts": ["MongoDB"]}]
    project(cases=cases)
    assert cli("run", "raising").code == 7


def test_B54_nothing_selected(project: Callable[..., Path], cli: Callable[..., Any]) -> None:
    project()
    assert cli("run", "production", "--only", "nobody").code == 5
    assert cli("run", "production").code == 0
    result = cli("run", "production", "--filter-failing")
    assert result.code == 5
    assert "every case that run 0001 asked passes" in result.err


def test_filter_failing_asks_only_those(project: Callable[..., Path], cli: Callable[..., Any]) -> None:
    project(
        cases=[
            {"id": "a", "question": "One?", "expected_facts": ["Monday"]},
            {"id": "b", "question": "Two?", "expected_facts": ["Tuesday"]},
        ]
    )
    assert cli("run", "production").code == 1
    document = cli("run", "production", "--filter-failing", "--json").document
    assert [case["id"] for case in document["cases"]] == ["b"]


def test_dry_run_asks_nothing(tmp_path: Path, cli: Callable[..., Any], monkeypatch: pytest.MonkeyPatch) -> None:
    with ScriptedEndpoint(lambda _: "On Monday.") as endpoint:
        endpoint_project(tmp_path, endpoint.url)
        monkeypatch.chdir(tmp_path)
        result = cli("run", "production", "--dry-run")
        assert result.code == 0
        assert "10 trials for 5 cases" in result.out
        assert not endpoint.asked


def test_cost_limit_stops_and_is_inconclusive(
    tmp_path: Path, cli: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    with ScriptedEndpoint(lambda _: "On Monday." * 100) as endpoint:
        endpoint_project(tmp_path, endpoint.url, cases=40)
        monkeypatch.chdir(tmp_path)
        settings = json.loads(Path("foldproof.yaml").read_text())
        refused = run_once(cli, "--max-cost", "0.001")
        assert refused.code == 4
        assert "price" in refused.document["message"]
        settings["configs"]["production"]["model"]["price"] = {"input": 1.0, "output": 1.0}
        Path("foldproof.yaml").write_text(json.dumps(settings))
        result = run_once(cli, "--max-cost", "0.001", "-j", "1")
        assert result.code == 7
        assert any("cost limit" in reason for reason in result.document["reasons"])
        assert 0 < endpoint.asked.total() < 40
        assert run_once(cli, "--max-cost", "100").code == 0
        assert set(endpoint.asked.values()) == {1}


def test_an_external_memory_is_asked_for_once(project: Callable[..., Path], cli: Callable[..., Any]) -> None:
    project(configs={"staging": {"agent": "python:agents_under_test:good", "memory": "external"}})
    refused = cli("run", "staging")
    assert refused.code == 4
    assert "--yes" in refused.err
    agreed = cli("run", "staging", "--yes", "--json")
    assert agreed.code == 0
    assert any("share" in note for note in agreed.document["notes"])


def test_no_secret_reaches_the_disk(
    project: Callable[..., Path], cli: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    secret = "s3cr3t-value-of-the-key"
    monkeypatch.setenv("SUPPLIER_API_KEY", secret)
    folder = project(configs={"leaky": {"agent": "python:leaky:answer"}})
    (folder / "leaky.py").write_text(
        "import os\ndef answer(question, memory_config):\n"
        "    if 'day' in question:\n        raise RuntimeError('key ' + os.environ['SUPPLIER_API_KEY'])\n"
        "    return 'Postgres 15 with ' + os.environ['SUPPLIER_API_KEY']\n"
    )
    result = cli("run", "leaky", "--json")
    assert result.code == 7
    assert secret not in result.out
    assert all(secret.encode() not in path.read_bytes() for path in (folder / ".foldproof").iterdir())


def test_rescore_calls_no_agent_and_gives_the_same_bytes(project: Callable[..., Path], cli: Callable[..., Any]) -> None:
    folder = project()
    first = cli("run", "production", "--json").document
    (folder / "agents_under_test.py").unlink()
    again = cli("rescore", "production", "--json")
    assert again.code == 0
    assert again.document["cases"] == first["cases"]
    assert cli("rescore", "production", "--json").out == again.out
    text = (folder / "replay.json").read_text().replace("Monday", "Friday")
    (folder / "replay.json").write_text(text)
    changed = cli("rescore", "1", "--json")
    assert changed.code == 1
    assert any("set has changed" in note for note in changed.document["notes"])


def test_two_processes_do_not_share_a_run(project: Callable[..., Path], cli: Callable[..., Any]) -> None:
    from filelock import FileLock

    folder = project()
    cli("run", "raising")
    with FileLock(folder / ".foldproof" / "runs.db.run-0001.lock"):
        result = cli("run", "raising")
    assert result.code == 4
    assert "another process" in result.err


def test_a_store_of_a_newer_version_is_refused(project: Callable[..., Path], cli: Callable[..., Any]) -> None:
    folder = project()
    cli("run", "production")
    with closing(sqlite3.connect(folder / ".foldproof" / "runs.db")) as connection:
        connection.execute("INSERT INTO steps VALUES ('0099-from-the-future')")
        connection.commit()
    result = cli("run", "production")
    assert result.code == 4
    assert "newer foldproof" in result.err


def test_a_damaged_store_is_a_message(project: Callable[..., Path], cli: Callable[..., Any]) -> None:
    folder = project()
    (folder / ".foldproof").mkdir()
    (folder / ".foldproof" / "runs.db").write_text("this is no database, but it is long enough to look like a file")
    result = cli("run", "production")
    assert result.code == 4
    assert "Traceback" not in result.err
    assert "runs.db" in result.err


def test_a_part_of_the_set_is_judged_on_the_part(demo_project: Path, cli: Callable[..., Any]) -> None:
    assert cli("run", "production", "--only", "billing-db").code == 0
    assert cli("run", "window", "--only", "lost-suitcase").code == 1, "the gate of the whole, 1/2, is not for a part"


def test_what_an_agent_prints_does_not_reach_the_report(project: Callable[..., Path], cli: Callable[..., Any]) -> None:
    folder = project(configs={"loud": {"agent": "python:loud:answer"}})
    (folder / "loud.py").write_text(
        "def answer(question, memory_config):\n    print('hello')\n    return 'Postgres 15, Monday'\n"
    )
    result = cli("run", "loud", "--json")
    assert result.document["verdict"] == "pass"
    assert "hello" in result.err


def test_dry_run_counts_what_stands_in_the_store(project: Callable[..., Path], cli: Callable[..., Any]) -> None:
    project()
    cli("run", "raising")
    document = cli("run", "raising", "--dry-run", "--json").document
    assert (document["cases"], document["trials"], document["stored"]) == (2, 2, 0), "errors are asked again"
    cli("run", "good", "--repeat", "1")
    document = cli("run", "good", "--resume", "good", "--repeat", "3", "--dry-run", "--json").document
    assert (document["trials"], document["stored"]) == (4, 2)


def test_failing_cases_are_those_of_a_whole_run(project: Callable[..., Path], cli: Callable[..., Any]) -> None:
    project()
    cli("run", "forgetful")
    cli("run", "forgetful", "--only", "db")
    document = cli("run", "forgetful", "--filter-failing", "--json").document
    assert [case["id"] for case in document["cases"]] == ["db", "day"]


def test_without_a_project_the_suggested_command_works(
    tmp_path: Path, cli: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "cases.json").write_text(json.dumps(PLAIN))
    (tmp_path / "my_agent.py").write_text("def run_agent(question, memory_config):\n    return 'no idea'\n")
    monkeypatch.chdir(tmp_path)
    result = cli("run", "python:my_agent:run_agent", "--set", "cases.json")
    assert result.code == 1
    suggested = result.out.rsplit("see: foldproof ", 1)[1].split()
    assert suggested == ["explain", "0001", "q1", "--set", "cases.json"]
    assert cli(*suggested).code == 0
    for words in (["check", "python:my_agent:run_agent"], ["baseline", "accept"]):
        refused = cli(*words, "--set", "cases.json")
        assert refused.code == 4
        assert "foldproof init" in refused.err


def test_B51_nothing_is_scored_that_nobody_asked_for(project: Callable[..., Path], cli: Callable[..., Any]) -> None:
    project()
    document = cli("run", "production", "--json").document
    scored = {
        case["id"]: {fact["fact"] for trial in case["trials"] for fact in trial["facts"]} for case in document["cases"]
    }
    assert scored == {"db": {"Postgres 15"}, "day": {"Monday"}}


def test_B52_errors_stay_in_the_count(tmp_path: Path, cli: Callable[..., Any], monkeypatch: pytest.MonkeyPatch) -> None:
    def answer(question: str) -> Any:
        return "On Monday." if question == "question 0" else {"status": 400, "error": {"message": "no"}}

    with ScriptedEndpoint(answer) as endpoint:
        endpoint_project(tmp_path, endpoint.url, cases=3)
        monkeypatch.chdir(tmp_path)
        document = run_once(cli).document
    assert document["verdict"] == "inconclusive"
    assert document["gate"][0] | {"unjudged": 0} == document["gate"][0] | {"unjudged": 0, "got": 1, "of": 3, "ok": None}
    assert "2 of 3 cases could not be judged" in document["reasons"][0]
