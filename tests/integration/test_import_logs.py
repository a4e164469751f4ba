"""`foldproof import logs`: a log becomes a history of a replay set that is linted and run."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest


def record(kind: str, uuid: str, parent: str | None, content: Any, second: int, **more: Any) -> str:
    message = {"role": kind, "content": content}
    line = {"type": kind, "uuid": uuid, "parentUuid": parent, "sessionId": "s-1", "isSidechain": False,
            "timestamp": f"2026-02-01T09:00:{second:02d}Z", "message": message, **more}  # fmt: skip
    return json.dumps(line) + "\n"


LOG = "".join(
    [
        record("user", "u1", None, "The staging port is 8443. My key is sk-proj-4f8a9b2c1d6e7f8091a2b3c4.", 1),
        record(
            "assistant",
            "a1",
            "u1",
            [
                {"type": "text", "text": "Noted."},
                {"type": "tool_use", "id": "t1", "name": "Bash", "input": {"command": "ls"}},
            ],
            2,
        ),
        record("user", "r1", "a1", [{"type": "tool_result", "tool_use_id": "t1", "content": "a.py"}], 3),
        record("user", "c1", "r1", "Summary: a port was named.", 4, isCompactSummary=True),
        record("user", "x1", "u1", "sub-agent words", 5, isSidechain=True),
        "{cut\n",
    ]
)

SET = """
foldproof: 1
gate: {semantic: all}
histories: {work: histories/work.jsonl}
cases:
- id: port
  class: semantic
  history: work
  question: Which port is staging on?
  expected_facts: ["8443"]
  source: [work/s-1.t1]
"""


@pytest.fixture
def home(tmp_path: Path, cli: Callable[..., Any], monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    assert cli("init", "project").code == 0
    monkeypatch.chdir(tmp_path / "project")
    (tmp_path / "project" / "session.jsonl").write_text(LOG)
    return tmp_path / "project"


def test_from_a_log_to_a_run(home: Path, cli: Callable[..., Any]) -> None:
    result = cli("import", "logs", "session.jsonl", "--to", "histories/work.jsonl")
    assert result.code == 0, result.err
    assert "wrote histories/work.jsonl" in result.out
    (home / "replay.yaml").write_text(SET)
    assert cli("lint").code == 0
    result = cli("run", "production")
    assert result.code == 0, result.out
    (line,) = (home / "histories" / "work.jsonl").read_text().splitlines()
    assert json.loads(line)["turns"] == [
        {"role": "user", "text": "The staging port is 8443. My key is [redacted]."},
        {"role": "agent", "text": "Noted."},
    ]


def test_a_case_whose_fact_the_log_does_not_hold_fails(home: Path, cli: Callable[..., Any]) -> None:
    (home / "session.jsonl").write_text(LOG.replace("8443", "9000").replace("sk-proj-4f8a9b2c1d6e7f8091a2b3c4", "lost"))
    assert cli("import", "logs", "session.jsonl", "--to", "histories/work.jsonl").code == 0
    (home / "replay.yaml").write_text(SET)
    result = cli("run", "production")
    assert result.code == 1, result.out


def test_the_summary_tells_every_count(home: Path, cli: Callable[..., Any]) -> None:
    document = cli("import", "logs", "session.jsonl", "--json").document
    counts = {name: document[name] for name in ("sessions", "turns", "tool_calls", "folds", "sidechains", "broken")}
    assert counts == {"sessions": 1, "turns": {"user": 1, "agent": 1}, "tool_calls": 1, "folds": {"summary": 1},
                      "sidechains": 1, "broken": 1}  # fmt: skip
    assert document["broken_lines"] == [
        {"file": "session.jsonl", "line": 6,
         "message": "the line is no JSON: Expecting property name enclosed in double quotes at column 2"},
    ]  # fmt: skip
    assert (document["format"], document["written"], document["users"]) == ("claude-code", [], {"": 1})
    text = cli("import", "logs", "session.jsonl").out
    for words in ("nothing was written", "turns of user", "session.jsonl:6:", "names no user", "personal data"):
        assert words in text


def test_an_existing_history_is_kept(home: Path, cli: Callable[..., Any]) -> None:
    words = ("import", "logs", "session.jsonl", "--to", "histories/customer.jsonl")
    before = (home / "histories" / "customer.jsonl").read_bytes()
    result = cli(*words)
    assert (result.code, "--force" in result.err) == (4, True)
    assert (home / "histories" / "customer.jsonl").read_bytes() == before
    assert cli(*words, "--force").code == 0
    assert (home / "histories" / "customer.jsonl").read_bytes() != before


def test_users_are_chosen_or_written_apart(home: Path, cli: Callable[..., Any]) -> None:
    (home / "q.csv").write_text("question,user\nOne?,ada\nTwo?,ben\n")
    result = cli("import", "logs", "q.csv", "--to", "histories/all.jsonl")
    assert (result.code, "--user ID" in result.err) == (4, True)
    assert cli("import", "logs", "q.csv", "--to", "histories/ada.jsonl", "--user", "ada").code == 0
    assert "One?" in (home / "histories" / "ada.jsonl").read_text()
    document = cli("import", "logs", "q.csv", "--to", "users", "--json").document
    assert document["written"] == ["users/ada.jsonl", "users/ben.jsonl"]
    assert document["users"] == {"ada": 1, "ben": 1}


def test_what_cannot_be_imported_says_what_to_do(home: Path, cli: Callable[..., Any]) -> None:
    for words, says in (
        (("foldproof.yaml",), "no known log format"),
        (("nowhere.jsonl",), "cannot be read"),
        (("session.jsonl", "--format", "claud-code"), "did you mean `claude-code`?"),
        (("session.jsonl", "--to", "out.json"), "ending in `.jsonl`"),
        ((), "Missing argument"),
    ):
        result = cli("import", "logs", *words)
        assert (result.code, says in result.err) == (4, True), result.err


def test_the_formats_are_listed(cli: Callable[..., Any]) -> None:
    result = cli("import", "formats")
    assert result.code == 0
    assert len(cli("import", "formats", "--json").document["notes"]) == 18
    assert "claude-code: Claude Code sessions" in result.out


def test_personal_data_becomes_pseudonyms_that_stay_the_same(home: Path, cli: Callable[..., Any]) -> None:
    (home / "q.csv").write_text("question,user\nI am Ada; ada@example.org,ada@example.org\nRing +49 151 23456789,ben\n")
    (home / "more.csv").write_text("question,user\nADA@example.org again,ada@example.org\n")
    (home / "names.txt").write_text("# the team\nAda Lovelace; Ada\n")
    words = ("--personal-data", "all", "--names", "names.txt", "--json")
    first = cli("import", "logs", "q.csv", "--to", "users", *words).document
    key = home / ".foldproof" / "pseudonym.key"
    assert (key.stat().st_mode & 0o777, len(key.read_bytes())) == (0o600, 65)
    assert first["pseudonyms"] == {"email": 2, "name": 1, "phone": 1, "user": 1}
    assert any("made now; keep it" in note for note in first["notes"])
    ada, ben = first["users"]
    assert (ada[:6], ben[:5]) == ("email-", "user-")
    text = "".join((home / path).read_text() for path in first["written"])
    assert [word for word in ("Ada", "ada@", "151", "ben") if word in text] == []
    second = cli("import", "logs", "more.csv", "--user", "ada@example.org", "--to", "more.jsonl", *words).document
    assert list(second["users"]) == [ada]
    assert f"{ada} again" in (home / "more.jsonl").read_text()
    assert not any("made now" in note for note in second["notes"])


def test_the_key_of_pseudonyms_may_be_a_variable_or_another_file(
    home: Path, cli: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    (home / "q.csv").write_text("question\nI am ada@example.org\n")

    def told(*more: str) -> str:
        assert cli("import", "logs", "q.csv", "--personal-data", "email", "--to", "h.jsonl", "--force", *more).code == 0
        return (home / "h.jsonl").read_text()

    monkeypatch.setenv("MY_KEY", "a secret of the right length")
    one = told("--pseudonym-key", "${MY_KEY}")
    (home / "my.key").write_text("a secret of the right length\n")
    assert told("--pseudonym-key", "my.key") == one
    assert told() != one
    assert "ada@" in told("--personal-data", "phone", "--pseudonym-key", "my.key")


def test_what_is_wrong_with_personal_data_says_what_to_do(
    home: Path, cli: Callable[..., Any], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (home / "short.key").write_text("short")
    (home / "one.txt").write_text("A")
    (home / "bytes.txt").write_bytes(b"\xff\xfe\xff")
    for words, says in (
        (("--personal-data", "emial"), "did you mean `email`?"),
        (("--personal-data", "name"), "--names"),
        (("--personal-data", "phone", "--phone-region", "XY"), "no region"),
        (("--personal-data", "email", "--pseudonym-key", "${NOT_SET}"), "which is not set"),
        (("--personal-data", "email", "--pseudonym-key", "short.key"), "at least 16"),
        (("--personal-data", "email", "--pseudonym-key", "histories"), "cannot be used"),
        (("--names", "nowhere.txt"), "cannot be read"),
        (("--names", "bytes.txt"), "no UTF-8"),
        (("--names", "one.txt"), "too short"),
    ):
        result = cli("import", "logs", "session.jsonl", *words)
        assert (result.code, says in result.err) == (4, True), (words, result.err)
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    (tmp_path / "elsewhere" / "q.csv").write_text("question\nHi\n")
    result = cli("import", "logs", "q.csv", "--personal-data", "email")
    assert (result.code, "--pseudonym-key" in result.err) == (4, True)
