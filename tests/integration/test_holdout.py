"""`foldproof holdout`: sealed, opened in memory only, each opening in a log in git."""

from __future__ import annotations

import json
import stat
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from foldproof.agents.memories.scratch import OFF_DISK, Scratch
from foldproof.cases import holdout as sealing
from foldproof.core import UsageError

pytest.importorskip("cryptography", reason="comes with the extra `holdout`")

PROJECT = """\
foldproof: 1
holdout: {file: release/holdout.sealed, most_openings: 1}
configs:
  production: {agent: recall, memory: {kind: verbatim, k: 8}}
  window: {agent: recall, memory: {kind: window, turns: 1}}
  raising: {agent: "python:agents:raising"}
"""
AGENTS = """\
def raising(question, memory_config):
    raise RuntimeError(f"no answer to: {question}")
"""
VISIBLE = """\
histories: {mara: mara.jsonl}
cases:
- {id: colour, class: preference, history: mara, question: Which colour do I like?, expected_facts: [teal]}
"""
SECOND = """\
gate: {safety: all, preference: 1/2}
histories: {mara: mara.jsonl}
cases:
- {id: peanuts, class: safety, history: mara, question: What must my order not hold?, expected_facts: [no peanuts]}
- {id: street, class: preference, history: mara, question: Where do my parcels go?, expected_facts: [12 Mill Lane]}
- {id: bell, class: preference, history: mara, question: Which bell is mine?, expected_facts: [the brass one]}
"""
TURNS = [
    "My orders must hold no peanuts.",
    "My parcels go to 12 Mill Lane.",
    "My bell is the brass one.",
    "I like teal.",
]
SECRETS = ("peanuts", "Mill Lane", "parcels", "brass", "Which bell")


def git(folder: Path, *words: str) -> None:
    subprocess.run(["git", "-C", str(folder), *words], check=True, capture_output=True)


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project in git; the set that is to be sealed stands beside it, the temporary files in a folder of their own."""
    monkeypatch.setitem(sealing._SLOWLY, "n", 2)
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", "/dev/null")
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path))
    monkeypatch.delenv("FOLDPROOF_HOLDOUT_KEY", raising=False)
    for folder in ("project", "second", "temporary"):
        (tmp_path / folder).mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "temporary"))
    turns = [{"role": "user", "text": text} for text in TURNS]
    history = json.dumps({"session": "s1", "turns": turns}) + "\n"
    (tmp_path / "second" / "replay.yaml").write_text(SECOND)
    (tmp_path / "second" / "mara.jsonl").write_text(history)
    folder = tmp_path / "project"
    (folder / "foldproof.yaml").write_text(PROJECT)
    (folder / "agents.py").write_text(AGENTS)
    (folder / "replay.yaml").write_text(VISIBLE)
    (folder / "mara.jsonl").write_text(json.dumps({"session": "s1", "turns": turns[3:]}) + "\n")
    git(tmp_path, "init", "-q", "-b", "main", str(folder))
    git(folder, "config", "user.name", "Ada")
    git(folder, "config", "user.email", "a@example.org")
    git(folder, "add", ".")
    git(folder, "commit", "-qm", "the project")
    monkeypatch.chdir(folder)
    return folder


@pytest.fixture
def sealed(project: Path, cli: Callable[..., Any]) -> Path:
    """The project with its holdout sealed and committed, and the plain set gone."""
    key = project.parent / "key"
    assert cli("holdout", "key", "-o", key).code == 0
    result = cli("holdout", "seal", "../second/replay.yaml", "-o", "release/holdout.sealed", "--key-file", key)
    assert result.code == 0
    for path in (project.parent / "second").iterdir():
        path.unlink()
    git(project, "add", ".")
    git(project, "commit", "-qm", "the holdout")
    return project


def written(folder: Path) -> str:
    """All that stands on the disk below a folder, but for git's own objects."""
    texts = []
    for path in folder.rglob("*"):
        if path.is_file() and ".git" not in path.parts:
            texts += [str(path), path.read_bytes().decode("utf-8", "replace")]
    return "\n".join(texts)


def log_of(project: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (project / "release" / "holdout.sealed.log.jsonl").read_text().splitlines()]


def test_a_run_tells_counts_and_a_verdict_and_nothing_else(sealed: Path, cli: Callable[..., Any]) -> None:
    result = cli("holdout", "run", "production", "--key-file", "../key")
    assert result.code == 0
    assert result.out.startswith("pass. 3 of 3 cases of the holdout pass on production")
    assert [word for word in (*SECRETS, "street", "bell") if word in result.out + result.err] == []
    assert [word for word in SECRETS if word in written(sealed.parent)] == []
    assert "I like teal" in written(sealed.parent), "what is not sealed is found this way"


def test_an_opening_is_logged_before_and_after(sealed: Path, cli: Callable[..., Any]) -> None:
    head = subprocess.run(["git", "rev-parse", "HEAD"], check=True, capture_output=True, text=True).stdout.strip()
    assert cli("holdout", "run", "window", "release/holdout.sealed", "--key-file", "../key").code == 1
    sealing_, opened, judged = log_of(sealed)
    assert (sealing_["act"], opened["act"], judged["act"]) == ("sealed", "opened", "judged")
    assert sealing_["who"] == "Ada <a@example.org>"
    assert len(sealing_["commit"]) == 40
    assert (opened["who"], opened["commit"], opened["config"]) == ("Ada <a@example.org>", head, "window")
    assert (judged["verdict"], judged["opening"]) == ("blocked", 2)
    assert judged["classes"] == {"preference": {"fail": 2}, "safety": {"fail": 1}}
    assert (opened["clean"], opened["shown"]) == (True, False)
    (sealed / "agents.py").write_text("# changed\n" + AGENTS)
    assert cli("holdout", "run", "window", "--key-file", "../key").code == 1
    assert log_of(sealed)[3]["clean"] is False


def test_the_machine_reads_the_same(sealed: Path, cli: Callable[..., Any], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FOLDPROOF_HOLDOUT_KEY", (sealed.parent / "key").read_text())
    result = cli("holdout", "run", "window", "--json")
    document = result.document
    assert document["verdict"] == "blocked"
    assert document["reasons"] == ["safety: 0 of 1 cases pass, 1 needed", "preference: 0 of 2 cases pass, 1 needed"]
    assert [row["class"] for row in document["classes"]] == ["safety", "preference"]
    assert (document["opening"], document["most_openings"], document["shown"]) == (1, 1, None)
    assert [word for word in SECRETS if word in result.out] == []
    again = cli("holdout", "run", "production", "--json", "--show").document
    assert again["opening"] == 2
    assert "more often" in again["notes"][0]
    assert again["shown"]["cases"][0]["question"] == "What must my order not hold?"


def test_a_disputed_case_is_in_no_count_and_the_data_is_named(project: Path, cli: Callable[..., Any]) -> None:
    place = project.parent / "second" / "replay.yaml"
    disputed = "expected_facts: [silver], tags: [disputed]}"
    place.write_text(
        f"data: {{name: LoCoMo, sha256: '{'ab' * 32}'}}\n"
        + SECOND.replace("preference: 1/2", "preference: 1/1").replace("expected_facts: [the brass one]}", disputed)
    )
    assert cli("holdout", "key", "-o", project.parent / "key").code == 0
    assert cli("holdout", "seal", place, "-o", "release/holdout.sealed", "--key-file", "../key").code == 0
    git(project, "add", ".")
    git(project, "commit", "-qm", "the holdout")
    document = cli("holdout", "run", "production", "--key-file", "../key", "--json").document
    assert (document["verdict"], document["data"]["sha256"]) == ("pass", "ab" * 32)
    counts = [
        (row["class"], row["cases"], row["passed"], row["failed"], row["unjudged"]) for row in document["classes"]
    ]
    assert counts == [("safety", 1, 1, 0, 0), ("preference", 1, 1, 0, 0)]
    assert document["notes"] == ["cases that are drafts or disputed, which are in no count: 1"]


def test_questions_and_answers_are_shown_where_that_is_asked_for(sealed: Path, cli: Callable[..., Any]) -> None:
    result = cli("holdout", "run", "window", "--key-file", "../key", "--show")
    assert "What must my order not hold?" in result.out
    assert log_of(sealed)[1]["shown"] is True
    assert [word for word in SECRETS if word in written(sealed.parent)] == []


def test_an_agent_that_fails_is_counted_and_not_quoted(sealed: Path, cli: Callable[..., Any]) -> None:
    result = cli("holdout", "run", "raising", "--key-file", "../key")
    assert result.code == 7
    assert "3 cases have no judgement" in result.out
    assert "agent: 6 trials" in result.out or "agent: 3 trials" in result.out
    assert [word for word in (*SECRETS, "order") if word in result.out + result.err] == []
    assert [word for word in SECRETS if word in written(sealed.parent)] == []


def test_a_wrong_key_opens_and_logs_nothing(sealed: Path, cli: Callable[..., Any]) -> None:
    cli("holdout", "key", "-o", "../other")
    result = cli("holdout", "run", "production", "--key-file", "../other")
    assert (result.code, result.out) == (4, "")
    assert "was sealed with another key" in result.err
    assert cli("holdout", "run", "production").code == 4
    assert len(log_of(sealed)) == 1


@pytest.mark.parametrize("words", [("nowhere",), ("production", "nowhere.sealed"), ("production", "replay.yaml")])
def test_what_cannot_be_run_logs_nothing(sealed: Path, cli: Callable[..., Any], words: tuple[str, ...]) -> None:
    result = cli("holdout", "run", *words, "--key-file", "../key")
    assert result.code == 4
    assert "Traceback" not in result.err
    assert len(log_of(sealed)) == 1


def test_a_file_that_was_cut_off(sealed: Path, cli: Callable[..., Any]) -> None:
    place = sealed / "release" / "holdout.sealed"
    raw = place.read_bytes()
    for kept, told in ((len(raw) - 100, "is cut off"), (50, "cut off in its header"), (0, "it is empty")):
        place.write_bytes(raw[:kept])
        result = cli("holdout", "run", "production", "--key-file", "../key")
        assert result.code == 4
        assert told in result.err
    place.write_bytes(raw.replace(b'"version":1', b'"version":2'))
    result = cli("holdout", "run", "production", "--key-file", "../key")
    assert "has version 2" in result.err
    assert len(log_of(sealed)) == 1


def test_another_file_than_the_log_tells_of(sealed: Path, cli: Callable[..., Any]) -> None:
    words = ("replay.yaml", "-o", "other.sealed", "--key-file", "../key")
    assert cli("holdout", "seal", *words).code == 0
    (sealed / "other.sealed").replace(sealed / "release" / "holdout.sealed")
    result = cli("holdout", "run", "production", "--key-file", "../key")
    assert result.code == 4
    assert "is not the file that was sealed last" in result.err
    assert len(log_of(sealed)) == 1


def test_no_case_can_be_asked_alone(sealed: Path, cli: Callable[..., Any]) -> None:
    result = cli("holdout", "run", "production", "--key-file", "../key", "--only", "nowhere")
    assert result.code == 4
    assert [word for word in ("street", "bell") if word in result.err] == []


def test_git_must_know_who_opens_it(sealed: Path, cli: Callable[..., Any], monkeypatch: pytest.MonkeyPatch) -> None:
    git(sealed, "config", "--unset", "user.email")
    monkeypatch.setenv("GIT_CONFIG_SYSTEM", "/dev/null")
    result = cli("holdout", "run", "production", "--key-file", "../key")
    assert result.code == 4
    assert "git does not know who you are: `user.email` is not set" in result.err
    assert len(log_of(sealed)) == 1


def test_it_is_opened_in_a_repository_with_a_commit(project: Path, cli: Callable[..., Any], tmp_path: Path) -> None:
    cli("holdout", "key", "-o", "../key")
    (project / ".git").rename(tmp_path / "git")
    assert (
        cli("holdout", "seal", "../second/replay.yaml", "-o", "release/holdout.sealed", "--key-file", "../key").code
        == 0
    )
    assert (log_of(project)[0]["who"], log_of(project)[0]["commit"]) == ("", "")
    result = cli("holdout", "run", "production", "--key-file", "../key")
    assert result.code == 4
    assert "lies in no git repository" in result.err
    git(tmp_path, "init", "-q", str(project))
    git(project, "config", "user.name", "Ada")
    git(project, "config", "user.email", "a@example.org")
    result = cli("holdout", "run", "production", "--key-file", "../key")
    assert result.code == 4
    assert "has no commit yet" in result.err


def test_the_log_is_verified(sealed: Path, cli: Callable[..., Any]) -> None:
    cli("holdout", "run", "production", "--key-file", "../key")
    git(sealed, "commit", "-qam", "opened")
    good = cli("holdout", "log")
    assert good.code == 0
    assert "ok. 3 lines, opened 1 time of at most 1" in good.out
    assert "3 judged" in good.out
    assert cli("holdout", "log", "--json").document["entries"][2]["verdict"] == "pass"
    place = sealed / "release" / "holdout.sealed.log.jsonl"
    lines = place.read_text().splitlines(keepends=True)
    for broken in (
        lines[:-1],
        lines[1:],
        [lines[1], lines[0], lines[2]],
        [lines[0], lines[1].replace("Ada", "Eve"), lines[2]],
    ):
        place.write_text("".join(broken))
        result = cli("holdout", "log", "--json")
        assert result.code == 4
        assert result.document["problems"]
        assert cli("holdout", "run", "production", "--key-file", "../key").code == 4


def test_a_log_outside_of_git_is_not_called_whole(sealed: Path, cli: Callable[..., Any], tmp_path: Path) -> None:
    (sealed / ".git").rename(tmp_path / "git")
    result = cli("holdout", "log")
    assert result.code == 4
    assert "cannot be held against git" in result.out


def test_a_repository_without_a_commit_is_told_by_the_log_and_by_a_check(
    sealed: Path, cli: Callable[..., Any], tmp_path: Path
) -> None:
    accept(cli)
    (sealed / ".git").rename(tmp_path / "git")
    git(sealed, "init", "-q")
    result = cli("holdout", "log")
    assert (result.code, "cannot be held against git" in result.out) == (4, True), result.err
    assert "has no commit yet" in " ".join(result.out.split())
    (note,) = notes_of(cli)
    assert "has no commit yet" in note


def test_a_version_of_the_log_that_was_not_fetched_is_told(
    sealed: Path, cli: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    cli("holdout", "run", "production", "--key-file", "../key")
    git(sealed, "commit", "-qam", "opened")
    git(sealed, "config", "uploadpack.allowFilter", "true")
    git(sealed.parent, "clone", "-q", "--filter=blob:none", f"file://{sealed}", "partial")
    monkeypatch.chdir(sealed.parent / "partial")
    git(Path.cwd(), "config", "user.name", "Ada")
    git(Path.cwd(), "config", "user.email", "a@example.org")
    result = cli("holdout", "log")
    assert (result.code, "cannot be held against git" in result.out) == (4, True), result.out + result.err
    refused = cli("holdout", "run", "production", "--key-file", "../key")
    assert (refused.code, "without --filter" in refused.err) == (4, True), refused.err


def test_a_log_that_cannot_be_read_counts_no_openings_and_its_remedy_stands_apart(
    sealed: Path, cli: Callable[..., Any]
) -> None:
    (sealed / "release" / "holdout.sealed.log.jsonl").write_text("{}\n")
    lines = cli("holdout", "log").out.splitlines()
    assert "  take the log from git: it is only ever added to" in lines
    assert lines[-1] == "not whole. its lines cannot be relied on, so openings are not counted"


def test_a_sealed_file_that_is_gone_is_told(sealed: Path, cli: Callable[..., Any]) -> None:
    (sealed / "release" / "holdout.sealed").unlink()
    result = cli("holdout", "log")
    assert (result.code, "holdout.sealed is not there" in result.out) == (4, True)


def test_a_key_that_others_can_read_is_told(sealed: Path, cli: Callable[..., Any]) -> None:
    words = ("holdout", "run", "production", "--key-file", "../key")
    assert "chmod 600" not in cli(*words).out
    (sealed.parent / "key").chmod(0o644)
    assert "others on this machine can read ../key: chmod 600 ../key" in cli(*words).out


def test_a_shallow_clone_is_told(sealed: Path, cli: Callable[..., Any], monkeypatch: pytest.MonkeyPatch) -> None:
    git(sealed.parent, "clone", "-q", "--depth", "1", f"file://{sealed}", "clone")
    monkeypatch.chdir(sealed.parent / "clone")
    result = cli("holdout", "log")
    assert result.code == 4
    assert "this clone is shallow" in result.out
    git(Path.cwd(), "config", "user.name", "Ada")
    git(Path.cwd(), "config", "user.email", "a@example.org")
    run = cli("holdout", "run", "production", "--key-file", sealed.parent / "key")
    assert (run.code, "this clone is shallow" in run.out) == (0, True)


def test_a_sealed_file_is_not_written_over_by_accident(sealed: Path, cli: Callable[..., Any]) -> None:
    words = ("holdout", "seal", "replay.yaml", "-o", "release/holdout.sealed", "--key-file", "../key")
    before = (sealed / "release" / "holdout.sealed").read_bytes()
    result = cli(*words)
    assert result.code == 4
    assert "--force" in result.err
    assert (sealed / "release" / "holdout.sealed").read_bytes() == before
    assert cli(*words, "--force").code == 0
    assert [entry["act"] for entry in log_of(sealed)] == ["sealed", "sealed"]


def test_a_key_is_kept_by_its_owner(project: Path, cli: Callable[..., Any]) -> None:
    assert cli("holdout", "key", "-o", "../key").code == 0
    assert stat.S_IMODE((project.parent / "key").stat().st_mode) == 0o600
    result = cli("holdout", "key", "-o", "../key")
    assert result.code == 4
    assert "is there already" in result.err
    assert cli("holdout", "key", "-o", "nowhere/key").code == 4
    printed = cli("holdout", "key").out.strip()
    assert printed.startswith("fp-holdout-")
    assert cli("holdout", "key", "--json").document["notes"][0].startswith("fp-holdout-")
    assert (project.parent / "key").read_text().strip() != printed


def test_without_a_project_the_files_are_named(project: Path, cli: Callable[..., Any], tmp_path: Path) -> None:
    assert cli("holdout", "key", "-o", "../key").code == 0
    (project / "foldproof.yaml").unlink()
    words = ("--key-file", "../key")
    assert cli("holdout", "seal", "../second/replay.yaml", "-o", "holdout.sealed", *words).code == 0
    assert "ok. 1 line, opened 0 times" in cli("holdout", "log", "holdout.sealed").out
    unnamed = cli("holdout", "log")
    assert unnamed.code == 4
    assert "no holdout is named" in unnamed.err
    result = cli("holdout", "run", "production", "holdout.sealed", *words)
    assert result.code == 4
    assert "foldproof init" in result.err
    assert cli("holdout", "log", "--project", tmp_path / "nowhere").code == 4
    (project / "foldproof.yaml").write_text("configs: []\n")
    broken = cli("holdout", "log", "holdout.sealed")
    assert broken.code == 4
    assert "foldproof.yaml" in broken.err


def accept(cli: Callable[..., Any]) -> None:
    assert cli("run", "production").code == 0
    assert cli("baseline", "accept", "--yes").code == 0


def notes_of(cli: Callable[..., Any]) -> list[str]:
    return [note for note in cli("check", "production", "--json").document["notes"] if "holdout" in note]


def test_a_check_tells_of_a_visible_case_and_of_many_openings(sealed: Path, cli: Callable[..., Any]) -> None:
    accept(cli)
    assert notes_of(cli) == []
    text = (sealed / "replay.yaml").read_text()
    case = "- {id: parcel, history: mara, question: where do my parcels go, expected_facts: [teal]}\n"
    (sealed / "replay.yaml").write_text(text + case)
    for _ in range(2):
        assert cli("holdout", "run", "window", "--key-file", "../key").code == 1
    same, often = notes_of(cli)
    assert same == "of what the holdout asks, the set asks the same, so it is not unseen: parcel"
    assert "was opened 2 times, more than the 1" in often


def test_a_check_tells_of_a_holdout_that_it_cannot_read(sealed: Path, cli: Callable[..., Any]) -> None:
    accept(cli)
    place = sealed / "release" / "holdout.sealed.log.jsonl"
    place.write_text(place.read_text().replace("Ada", "Eve"))
    (note,) = notes_of(cli)
    assert "the log of the holdout" in note
    (sealed / "release" / "holdout.sealed").unlink()
    assert "cannot be compared with the set" in notes_of(cli)[0]


def test_the_folders_of_memories_are_in_memory(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    beside = project.parent / "shm"
    monkeypatch.setattr("foldproof.agents.memories.scratch._IN_MEMORY", beside)
    token = OFF_DISK.set(True)
    try:
        with pytest.raises(UsageError, match="no folder in memory"):
            Scratch().folder("x")
        beside.mkdir()
        assert Scratch().folder("x").parent == beside
    finally:
        OFF_DISK.reset(token)
    assert Scratch().folder("x").parent == project.parent / "temporary"
