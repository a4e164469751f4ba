"""`foldproof lint`, `match` and `import`."""

from __future__ import annotations

import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest


def test_lint_of_a_good_set(demo_project: Path, cli: Callable[..., Any]) -> None:
    result = cli("lint", "--json")
    assert result.code == 0
    assert result.document["errors"] == 0
    assert result.document["set"]["cases"] == 20


def test_lint_tells_all_at_once(demo_project: Path, cli: Callable[..., Any]) -> None:
    place = demo_project / "replay.yaml"
    text = place.read_text().replace("id: billing-db", "id: pain-relief").replace("[Ilka Torvend]", '["…"]')
    place.write_text(text)
    result = cli("lint", "--json")
    assert result.code == 4
    problems = [problem for problem in result.document["problems"] if problem["severity"] == "error"]
    assert len(problems) >= 2
    assert all(problem["line"] > 0 for problem in problems)
    assert cli("lint", "--set", "nowhere.yaml").code == 4


def test_lint_strict_fails_on_warnings(project: Callable[..., Path], cli: Callable[..., Any]) -> None:
    project()
    assert cli("lint").code == 0
    assert cli("lint", "--strict").code == 4


@pytest.mark.parametrize(
    ("fact", "text", "kind", "code", "says"),
    [
        ("150", "My budget is 1500 dollars", "normalized", 1, "1500"),
        ("150", "My budget is 150 dollars.", "normalized", 0, "150"),
        ("vegetarian", "I am NOT vegetarian", "normalized", 1, "negated"),
        ("2026-03-04", "on March 4, 2026", "date", 0, "March 4, 2026"),
        ("1234.50", "it cost $1,234.50", "number", 0, "1,234.50"),
    ],
)
def test_match(cli: Callable[..., Any], fact: str, text: str, kind: str, code: int, says: str) -> None:
    result = cli("match", fact, text, "--kind", kind)
    assert result.code == code
    assert says in result.out
    document = cli("match", fact, text, "--kind", kind, "--json").document
    assert (document["outcome"] == "held") is (code == 0)
    if code == 0:
        start, end = document["spans"][0]
        assert says in text[max(0, start - 1) : end + 1]


def test_match_reads_standard_input(cli: Callable[..., Any], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO("Paris is the capital"))
    assert cli("match", "Paris").code == 0


@pytest.mark.parametrize(
    ("fact", "kind"), [("…", "normalized"), ("(", "pattern"), ("abc", "number"), ("03/04", "date")]
)
def test_match_refuses_what_cannot_be_a_fact(cli: Callable[..., Any], fact: str, kind: str) -> None:
    result = cli("match", fact, "text", "--kind", kind)
    assert result.code == 4
    assert "cannot be used" in result.err


def test_import_longmemeval_to_check(tmp_path: Path, cli: Callable[..., Any], monkeypatch: pytest.MonkeyPatch) -> None:
    sessions = [
        [{"role": "user", "content": "I work at Globex."}, {"role": "assistant", "content": "Nice."}],
        [
            {"role": "user", "content": "I now work at Acme, as an accountant.", "has_answer": True},
            {"role": "assistant", "content": "Congratulations."},
        ],
    ]
    question = {
        "question_id": "ku1",
        "question_type": "knowledge-update",
        "question": "Where do I work now?",
        "question_date": "2023/05/30 (Tue) 21:56",
        "answer": "Acme",
        "answer_session_ids": ["answer_s2"],
        "haystack_dates": ["2023/04/01 (Sat) 09:00", "2023/05/21 (Sun) 10:00"],
        "haystack_session_ids": ["answer_s1", "answer_s2"],
        "haystack_sessions": sessions,
    }
    source = tmp_path / "longmemeval.json"
    source.write_text(json.dumps([question]))
    result = cli("import", "longmemeval", source, "--into", tmp_path / "project", "--json")
    assert result.code == 0, result.err
    assert result.document["written"]
    monkeypatch.chdir(tmp_path / "project")
    assert cli("run", "production").code == 0
    assert cli("baseline", "accept").code == 0
    assert cli("check", "window").code == 0


def test_import_of_a_bad_file_is_a_message(tmp_path: Path, cli: Callable[..., Any]) -> None:
    source = tmp_path / "bad.json"
    source.write_text('{"not": "a list"')
    result = cli("import", "longmemeval", source, "--into", tmp_path / "project")
    assert result.code == 4
    assert "Traceback" not in result.err
    assert not (tmp_path / "project" / "replay.yaml").exists()
