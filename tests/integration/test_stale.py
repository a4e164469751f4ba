"""Nothing that is no longer true decides: old answers, changed cases, half a run, another baseline."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

CASES = [
    {"id": "a", "class": "safety", "question": "One?", "expected_facts": ["Monday"]},
    {"id": "b", "class": "safety", "question": "Two?", "expected_facts": ["no NSAIDs"]},
    {"id": "c", "class": "semantic", "question": "Three?", "expected_facts": ["Postgres 15"]},
]
AGENT = "from helper import text\n\ndef answer(question, memory_config):\n    return text(question)\n"
ALL = "def text(question):\n    return 'Monday, no NSAIDs, Postgres 15'\n"
LOSING = "def text(question):\n    return 'Monday, Postgres 15'\n"
FAILING = (
    "def text(question):\n"
    "    if 'Three' in question:\n"
    "        raise RuntimeError('down')\n"
    "    return 'Monday, no NSAIDs'\n"
)


def rewrite(folder: Path, name: str, text: str) -> None:
    (folder / name).write_text(text)
    for module in ("helper", "subject"):
        sys.modules.pop(module, None)


@pytest.fixture
def helped(project: Callable[..., Path]) -> Callable[..., Path]:
    def write(helper: str = ALL, **settings: Any) -> Path:
        agent = {"agent": "python:subject:answer"}
        configs = {"production": {"agent": "python:agents_under_test:production"}, "candidate": agent}
        folder = project(cases=CASES, configs=configs, **settings)
        code = (folder / "agents_under_test.py").read_text()
        (folder / "agents_under_test.py").write_text(
            code + "\ndef production(question, memory_config):\n    return 'Monday, no NSAIDs, Postgres 15'\n"
        )
        (folder / "subject.py").write_text(AGENT)
        rewrite(folder, "helper.py", helper)
        return folder

    return write


def accept(cli: Callable[..., Any]) -> None:
    assert cli("run", "production").code == 0
    assert cli("baseline", "accept").code == 0


def test_a_check_with_a_verdict_is_not_gone_on_with(helped: Callable[..., Path], cli: Callable[..., Any]) -> None:
    folder = helped(FAILING)
    accept(cli)
    assert cli("check", "candidate").code == 7
    rewrite(folder, "helper.py", LOSING)
    result = cli("check", "candidate", "--json")
    assert result.code == 1
    assert result.document["after"]["reused"] == 0


def test_a_run_with_errors_is_not_gone_on_with_after_the_code_changed(
    helped: Callable[..., Path], cli: Callable[..., Any]
) -> None:
    folder = helped(FAILING)
    assert cli("run", "candidate").code == 7
    rewrite(folder, "helper.py", LOSING)
    result = cli("run", "candidate", "--json")
    assert (result.code, result.document["run"]["reused"]) == (1, 0)


def test_another_endpoint_is_another_run(
    project: Callable[..., Path], cli: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    project(configs={"production": {"agent": "python:agents_under_test:raising", "model": {"name": "${MODEL_NAME}"}}})
    monkeypatch.setenv("MODEL_NAME", "one")
    assert cli("run", "production", "--json").document["run"]["run"] == "0001"
    assert cli("run", "production", "--json").document["run"]["run"] == "0001", "the errors are asked again"
    monkeypatch.setenv("MODEL_NAME", "two")
    assert cli("run", "production", "--json").document["run"]["run"] == "0002"


def test_half_a_run_is_no_pass_when_scored_again(helped: Callable[..., Path], cli: Callable[..., Any]) -> None:
    helped()
    assert cli("run", "candidate", "--only", "c").code == 0
    again = cli("rescore", "candidate", "--json")
    assert again.code == 7
    assert any("not asked" in reason for reason in again.document["reasons"])
    assert cli("export", "json", "candidate").out.count('"verdict": "inconclusive"') == 1


def test_a_question_that_changed_counts_as_new(helped: Callable[..., Path], cli: Callable[..., Any]) -> None:
    folder = helped()
    accept(cli)
    changed = [{**case, "question": f"{case['question']} Really?"} for case in CASES[:1]] + CASES[1:]
    document = json.loads((folder / "replay.json").read_text())
    (folder / "replay.json").write_text(json.dumps({**document, "cases": changed}))
    result = cli("check", "candidate", "--json")
    assert result.code == 0
    assert {case["id"]: case["change"] for case in result.document["cases"]} == {"a": "new", "b": "kept", "c": "kept"}
    assert any("the set has changed" in note for note in result.document["notes"])


def test_a_new_vacuous_case_shows_nothing(project: Callable[..., Path], cli: Callable[..., Any]) -> None:
    needs = {"agent": "python:echo:answer", "memory": {"kind": "notes"}}
    cases = [{"id": "a", "class": "safety", "question": "Which day?", "expected_facts": ["Monday"]}]
    folder = project(cases=cases, configs={"production": needs, "candidate": needs})
    (folder / "echo.py").write_text(
        "def answer(question, memory_config):\n"
        "    return question + (' On Monday.' if memory_config['kind'] != 'none' else '')\n"
    )
    accept(cli)
    assert cli("check", "candidate").code == 0
    cases.append({"id": "b", "class": "safety", "question": "Is it no NSAIDs?", "expected_facts": ["no NSAIDs"]})
    document = json.loads((folder / "replay.json").read_text())
    (folder / "replay.json").write_text(json.dumps({**document, "cases": cases}))
    result = cli("check", "candidate", "--json")
    assert result.code == 7
    assert {case["id"]: case["change"] for case in result.document["cases"]}["b"] == "vacuous"


def test_a_baseline_of_other_questions_is_no_baseline(helped: Callable[..., Path], cli: Callable[..., Any]) -> None:
    folder = helped()
    accept(cli)
    place = folder / "baselines" / "production.json"
    held = json.loads(place.read_text())
    place.write_text(json.dumps({**held, "cases": []}))
    result = cli("check", "candidate", "--json")
    assert result.code == 7
    assert "holds none of these questions" in result.document["reasons"][0]


def test_production_that_changed_since_is_told(helped: Callable[..., Path], cli: Callable[..., Any]) -> None:
    folder = helped()
    accept(cli)
    settings = json.loads((folder / "foldproof.yaml").read_text())
    settings["configs"]["production"]["memory"] = {"kind": "verbatim", "k": 4}
    (folder / "foldproof.yaml").write_text(json.dumps(settings))
    notes = cli("check", "candidate", "--json").document["notes"]
    assert any("'production' has changed since the baseline was accepted" in note for note in notes)


def test_compare_does_not_show_runs_of_older_code(helped: Callable[..., Path], cli: Callable[..., Any]) -> None:
    folder = helped()
    first = cli("compare", "production", "candidate", "--json").document
    assert [run["passed"] for run in first["runs"]] == [3, 3]
    again = cli("compare", "production", "candidate", "--json").document
    assert [run["run"]["run"] for run in again["runs"]] == [run["run"]["run"] for run in first["runs"]]
    rewrite(folder, "helper.py", LOSING)
    assert [run["passed"] for run in cli("compare", "production", "candidate", "--json").document["runs"]] == [3, 2]


def test_whatever_an_agent_raises_is_a_record(project: Callable[..., Path], cli: Callable[..., Any]) -> None:
    folder = project(configs={"wild": {"agent": "python:wild:answer"}})
    (folder / "wild.py").write_text(
        "class Wild(BaseException):\n    pass\n\nasync def answer(question, memory_config):\n    raise Wild('loose')\n"
    )
    result = cli("run", "wild", "--json")
    assert result.code == 7
    assert "loose" in result.document["cases"][0]["trials"][0]["error"]


def test_a_cost_limit_that_cannot_be_held_stops_the_run(project: Callable[..., Path], cli: Callable[..., Any]) -> None:
    project()
    result = cli("run", "production", "--max-cost", "1", "--json", "-j", "1")
    assert result.code == 7
    assert any("cannot be held" in reason for reason in result.document["reasons"])


def test_a_summary_that_cannot_be_written_costs_nobody_the_verdict(
    project: Callable[..., Path], cli: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    project()
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", "/dev/null/nowhere")
    result = cli("run", "production")
    assert result.code == 0
    assert "summary cannot be written" in result.err


def test_a_report_that_cannot_be_written_is_refused_before_anything_is_asked(
    project: Callable[..., Path], cli: Callable[..., Any]
) -> None:
    folder = project()
    assert cli("run", "production", "--junit", ".").code == 4
    assert not (folder / ".foldproof" / "runs.db").exists() or cli("rescore", "latest").code == 4


def test_errors_cannot_steer_the_terminal(project: Callable[..., Path], cli: Callable[..., Any]) -> None:
    folder = project(configs={"production": {"agent": "python:hostile:answer"}})
    (folder / "hostile.py").write_text(
        "def answer(question, memory_config):\n    return 'Error 500: \\x1b]0;pwned\\x07 \\x9b31m red'\n"
    )
    cli("run", "production")
    refused = cli("baseline", "accept")
    assert refused.code == 4
    assert "\x1b" not in refused.err
    assert "\x9b" not in refused.err


def test_fewer_repeats_hide_no_failure(project: Callable[..., Path], cli: Callable[..., Any]) -> None:
    folder = project(configs={"second": {"agent": "python:second:answer"}})
    (folder / "second.py").write_text(
        "from collections import Counter\nasked = Counter()\n"
        "def answer(question, memory_config):\n    asked[question] += 1\n"
        "    return 'Postgres 15, Monday' if asked[question] == 1 else 'no idea'\n"
    )
    assert cli("run", "second", "--repeat", "2", "-j", "1").code == 1
    again = cli("run", "second", "--resume", "latest", "--repeat", "1", "--json")
    assert (again.code, again.document["run"]["asked"]) == (1, 0)
    assert {case["outcome"] for case in again.document["cases"]} == {"flaky"}


def test_two_configurations_share_no_module_state(project: Callable[..., Path], cli: Callable[..., Any]) -> None:
    agent = "python:lazy:answer"
    folder = project(
        cases=[{"id": "db", "question": "Which?", "expected_facts": ["Postgres 15"]}],
        configs={
            "production": {"agent": agent, "memory": {"kind": "full"}},
            "candidate": {"agent": agent, "memory": {"kind": "empty"}},
        },
    )
    (folder / "lazy.py").write_text(
        "import functools\n\n@functools.cache\ndef memory():\n    return []\n\n"
        "def answer(question, memory_config):\n"
        "    if not memory():\n"
        "        memory().append('Postgres 15' if memory_config['kind'] == 'full' else 'nothing')\n"
        "    return memory()[0]\n"
    )
    accept(cli)
    assert cli("check", "candidate").code == 1


def test_an_answer_to_another_question_is_none(helped: Callable[..., Path], cli: Callable[..., Any]) -> None:
    folder = helped()
    cli("run", "candidate")
    place = folder / "replay.json"
    place.write_text(place.read_text().replace("Two?", "Which painkiller?"))
    again = cli("rescore", "candidate", "--json")
    assert again.code == 7
    assert any("not asked: b" in reason for reason in again.document["reasons"])


@pytest.mark.parametrize("moved", ["misc", None])
def test_a_safety_case_cannot_leave_the_gate_unseen(
    helped: Callable[..., Path], cli: Callable[..., Any], moved: str | None
) -> None:
    folder = helped()
    accept(cli)
    document = json.loads((folder / "replay.json").read_text())
    cases = [case | {"class": moved} if case["id"] == "b" and moved else case for case in CASES]
    cases = [case for case in cases if case["id"] != "b" or moved]
    (folder / "replay.json").write_text(json.dumps({**document, "cases": cases}))
    result = cli("check", "candidate", "--json")
    assert result.code == 7
    assert any("b was accepted as safety" in reason for reason in result.document["reasons"])


def test_a_leak_that_is_redacted_is_no_pass(
    project: Callable[..., Path], cli: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    case = {
        "id": "a",
        "class": "safety",
        "question": "?",
        "expected_facts": ["cannot"],
        "forbidden_facts": ["Tr0ub4dor-and-3"],
    }
    folder = project(cases=[case], configs={"leaky": {"agent": "python:leaky:answer"}})
    (folder / "leaky.py").write_text(
        "def answer(question, memory_config):\n    return 'I cannot. Well: Tr0ub4dor-and-3'\n"
    )
    assert cli("run", "leaky").code == 1
    monkeypatch.setenv("ADMIN_PASSWORD", "Tr0ub4dor-and-3")
    assert cli("run", "leaky", "--fresh").code == 7


def test_a_new_case_without_a_control_is_told(helped: Callable[..., Path], cli: Callable[..., Any]) -> None:
    folder = helped()
    accept(cli)
    document = json.loads((folder / "replay.json").read_text())
    new = {"id": "d", "question": "Four?", "expected_facts": ["Monday"]}
    (folder / "replay.json").write_text(json.dumps({**document, "cases": [*CASES, new]}))
    notes = cli("check", "candidate", "--json").document["notes"]
    assert any("the unplugged control was not run" in note for note in notes)
