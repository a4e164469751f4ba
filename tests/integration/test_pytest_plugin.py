"""The pytest plugin, run as a user runs it."""

from __future__ import annotations

import json

import pytest

SET = {
    "cases": [
        {
            "id": "db",
            "class": "safety",
            "question": "Which database?",
            "memory_config": {},
            "expected_facts": ["Postgres 15"],
        },
        {"id": "day", "question": "Which day?", "memory_config": {}, "expected_facts": ["Tuesday"]},
    ]
}


@pytest.fixture
def replay_project(pytester: pytest.Pytester) -> pytest.Pytester:
    pytester.makefile(".json", replay=json.dumps(SET))
    pytester.makepyfile(
        plugin_agent="""
        def answer(question, memory_config):
            return "Postgres 15, on Monday"
        def raising(question, memory_config):
            raise RuntimeError("down")
        """
    )
    return pytester


def test_a_lost_fact_is_put_at_its_owner(pytester: pytest.Pytester) -> None:
    turns = [{"role": "user", "text": text} for text in ("The staging port is 8443.", "We met on Monday.")]
    pytester.makefile(".jsonl", past=json.dumps({"session": "s1", "turns": turns}))
    case = {"id": "port", "question": "Which port?", "history": "past", "expected_facts": ["8443"]}
    pytester.makefile(".json", replay=json.dumps({"histories": {"past": "past.jsonl"}, "cases": [case]}))
    memory = {"agent": "recall", "memory": {"kind": "window", "budget": 9}}
    project = {"foldproof": 1, "replay_set": "replay.json", "baseline": "small", "configs": {"small": memory}}
    pytester.makefile(".yaml", foldproof=json.dumps(project))
    result = pytester.runpytest_subprocess("--replay-set", "replay.json")
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["*lost: 8443 (missed at fold*"])


def test_each_case_is_a_test(replay_project: pytest.Pytester) -> None:
    result = replay_project.runpytest_subprocess(
        "--replay-set", "replay.json", "--replay-config", "python:plugin_agent:answer", "-v"
    )
    result.assert_outcomes(passed=1, failed=1)
    result.stdout.fnmatch_lines(["*replay.json::db PASSED*", "*lost: Tuesday*"])


def test_selection_by_class_asks_only_those(replay_project: pytest.Pytester) -> None:
    result = replay_project.runpytest_subprocess(
        "--replay-set", "replay.json", "--replay-config", "python:plugin_agent:answer", "-k", "safety"
    )
    result.assert_outcomes(passed=1, deselected=1)


def test_an_error_is_told_apart(replay_project: pytest.Pytester) -> None:
    result = replay_project.runpytest_subprocess(
        "--replay-set", "replay.json", "--replay-config", "python:plugin_agent:raising"
    )
    result.assert_outcomes(failed=2)
    result.stdout.fnmatch_lines(["*was not judged: agent: *down*"])


def test_a_bad_set_is_an_error_of_collection(replay_project: pytest.Pytester) -> None:
    replay_project.makefile(".json", replay='{"cases": [{"id": "a", "question": "q", "expect_facts": []}]}')
    result = replay_project.runpytest_subprocess("--replay-set", "replay.json")
    assert result.ret != 0
    result.stdout.fnmatch_lines(["*did you mean `expected_facts`*"])


def test_a_missing_set_is_a_usage_error(replay_project: pytest.Pytester) -> None:
    result = replay_project.runpytest_subprocess("--replay-set", "nowhere.json")
    assert result.ret == pytest.ExitCode.USAGE_ERROR


def test_the_fixture(replay_project: pytest.Pytester) -> None:
    replay_project.makepyfile(
        test_memory="""
        def test_memory(replay):
            report = replay.run("python:plugin_agent:answer", only=("safety",))
            assert {case: score.outcome for case, score in report.scores.items()} == {"db": "pass"}
        """
    )
    result = replay_project.runpytest_subprocess("test_memory.py", "--replay-set", "replay.json", "-k", "test_memory")
    result.assert_outcomes(passed=1, deselected=2)


def test_without_the_option_nothing_is_collected(replay_project: pytest.Pytester) -> None:
    result = replay_project.runpytest_subprocess("replay.json")
    assert "passed" not in result.stdout.str()


def test_a_run_that_a_limit_stopped_is_no_pass(replay_project: pytest.Pytester) -> None:
    replay_project.makefile(
        ".yaml",
        foldproof="foldproof: 1\nreplay_set: replay.json\nlimits: {max_time_s: 0.000001}\nconfigs:\n"
        "  production: {agent: python:plugin_agent:answer}\n",
    )
    result = replay_project.runpytest_subprocess("--replay-set", "replay.json")
    result.assert_outcomes(failed=2)
    result.stdout.fnmatch_lines(["*was not judged: the time limit is reached*"])
