"""The log of a holdout: a line that was removed, changed, added or moved is found."""

import json
import subprocess

import pytest

from foldproof.cases import HoldoutError, append_entry, log_problems, openings, read_log, repository_of
from foldproof.core import FileError


@pytest.fixture
def log(tmp_path):
    path = tmp_path / "holdout.sealed.log.jsonl"
    append_entry(path, "sealed", who="Ada <a@example.org>", commit="", details={"set": "one", "file": "0" * 64})
    for number in range(3):
        append_entry(path, "opened", who="Ada <a@example.org>", commit=f"c{number}", details={"set": "one"})
    return path


def lines_of(path):
    return path.read_text().splitlines(keepends=True)


def test_entries_come_back_as_they_were_written(log):
    entries = read_log(log)
    assert [(entry.number, entry.act) for entry in entries] == [
        (1, "sealed"),
        (2, "opened"),
        (3, "opened"),
        (4, "opened"),
    ]
    assert entries[1].before == entries[0].sha256
    assert entries[2].commit == "c1"
    assert entries[0].details == {"file": "0" * 64, "set": "one"}
    assert not list(log.parent.glob("*.lock"))


def test_a_log_that_is_not_there_is_empty(tmp_path):
    assert read_log(tmp_path / "nowhere.jsonl") == ()


@pytest.mark.parametrize("removed", [0, 1, 2])
def test_a_line_that_was_removed_is_found(log, removed):
    lines = lines_of(log)
    log.write_text("".join(lines[:removed] + lines[removed + 1 :]))
    with pytest.raises(FileError, match="a line was removed, added or moved"):
        read_log(log)


@pytest.mark.parametrize("changed", [0, 1, 2])
def test_a_line_that_was_changed_is_found(log, changed):
    lines = lines_of(log)
    lines[changed] = lines[changed].replace("Ada", "Eve")
    log.write_text("".join(lines))
    with pytest.raises(FileError, match=f"line {changed + 1} was changed or replaced") as caught:
        read_log(log)
    assert caught.value.problems[0].line == changed + 2


def test_the_last_line_that_was_changed_into_no_entry_is_found(log):
    log.write_text(log.read_text()[:-10])
    with pytest.raises(FileError, match="no entry of this log, or was changed"):
        read_log(log)


@pytest.mark.parametrize("swapped", [0, 1, 2])
def test_lines_that_were_moved_are_found(log, swapped):
    lines = lines_of(log)
    lines[swapped], lines[swapped + 1] = lines[swapped + 1], lines[swapped]
    log.write_text("".join(lines))
    with pytest.raises(FileError, match="a line was removed, added or moved"):
        read_log(log)


def test_a_line_that_was_added_by_hand_is_found(log):
    last = json.loads(lines_of(log)[-1])
    forged = json.dumps({**last, "number": 5}, sort_keys=True, separators=(",", ":"))
    log.write_text(log.read_text() + forged + "\n")
    with pytest.raises(FileError, match="does not follow from the one before"):
        read_log(log)


def test_a_log_that_begins_elsewhere_is_found(log):
    first = json.loads(lines_of(log)[0])
    log.write_text(json.dumps({**first, "before": "1" * 64}, sort_keys=True, separators=(",", ":")) + "\n")
    with pytest.raises(FileError, match="the log does not begin here"):
        read_log(log)


@pytest.mark.parametrize(
    "line",
    ["", "[]", "{}", "no JSON", '{"version": 1}', '{"version": "2"}', '{"version": 0, "number": 1}', "[" * 100_000],
)
def test_a_line_that_is_no_entry_is_found(log, line):
    log.write_text("".join([*lines_of(log), line + "\n"]))
    with pytest.raises(FileError, match="no entry of this log"):
        read_log(log)


def test_an_entry_that_is_written_another_way_is_found(log):
    lines = lines_of(log)
    log.write_text("".join([*lines[:-1], lines[-1].replace(",", ", ", 1)]))
    with pytest.raises(FileError, match="was changed"):
        read_log(log)


def test_a_newer_version_is_told(log):
    log.write_text("".join([*lines_of(log), '{"version": 2}\n']))
    with pytest.raises(FileError, match="has a newer version than 1"):
        read_log(log)


def test_nothing_is_added_to_a_log_that_is_not_whole(log):
    broken = "".join(lines_of(log)[1:])
    log.write_text(broken)
    with pytest.raises(FileError, match="removed"):
        append_entry(log, "opened", who="Ada", commit="", details={})
    assert log.read_text() == broken


def test_other_ends_of_lines_do_no_harm(log):
    log.write_bytes(log.read_bytes().replace(b"\n", b"\r\n"))
    assert len(read_log(log)) == 4


def test_a_log_that_cannot_be_written_is_told(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(HoldoutError, match="the log cannot be written"):
        append_entry(tmp_path / "file" / "log", "opened", who="Ada", commit="", details={})


def test_another_process_that_writes_is_waited_for(log, monkeypatch):
    import filelock

    def busy(*_, **__):
        raise filelock.Timeout(str(log))

    monkeypatch.setattr(filelock.FileLock, "acquire", busy)
    with pytest.raises(HoldoutError, match="being written by another process"):
        append_entry(log, "opened", who="Ada", commit="", details={})


def test_openings_of_the_present_set_are_counted(log):
    assert openings(read_log(log)) == 3
    append_entry(log, "sealed", who="", commit="", details={"set": "one"})
    assert openings(read_log(log)) == 3
    append_entry(log, "sealed", who="", commit="", details={"set": "two"})
    assert openings(read_log(log)) == 0
    append_entry(log, "opened", who="", commit="", details={"set": "two"})
    assert openings(read_log(log)) == 1
    assert openings(read_log(log)[1:2]) == 1


def test_the_log_belongs_to_its_file(log, tmp_path):
    sealed = tmp_path / "holdout.sealed"
    assert log_problems(log, sealed) == []
    sealed.write_text("sealed\n")
    (problem,) = log_problems(log, sealed)
    assert "is not the file that was sealed last" in problem
    (problem,) = log_problems(tmp_path / "gone.jsonl", sealed)
    assert "does not tell of the sealing" in problem or "says nothing of the sealing" in problem
    assert log_problems(log, None) == []


class TestGit:
    """An end that was cut off, or a log that was written anew, is found where an earlier version was committed."""

    @pytest.fixture
    def commit(self, log, tmp_path, monkeypatch):
        monkeypatch.setenv("GIT_CONFIG_GLOBAL", "/dev/null")
        named = ["-c", "user.name=Ada", "-c", "user.email=a@example.org"]

        def _commit():
            subprocess.run(["git", "-C", tmp_path, "add", "-A"], check=True)
            subprocess.run(["git", "-C", tmp_path, *named, "commit", "-qm", "log"], check=True)

        subprocess.run(["git", "init", "-q", tmp_path], check=True)
        _commit()
        return _commit

    def test_a_log_that_was_added_to_is_whole(self, log, commit, tmp_path):
        append_entry(log, "opened", who="Ada", commit="", details={})
        commit()
        append_entry(log, "opened", who="Ada", commit="", details={})
        assert log_problems(log, None, repository=repository_of(tmp_path)) == []

    @pytest.mark.parametrize("committed", [False, True])
    def test_an_end_that_was_cut_off_is_found(self, log, commit, tmp_path, committed):
        log.write_text("".join(lines_of(log)[:-1]))
        assert len(read_log(log)) == 3
        if committed:
            commit()
        (problem,) = log_problems(log, None, repository=repository_of(tmp_path))
        assert "lines are missing" in problem

    def test_a_log_that_was_taken_away_is_found(self, log, commit, tmp_path):
        log.unlink()
        commit()
        problems = log_problems(log, None, repository=repository_of(tmp_path))
        assert len(problems) == 1
        assert "lines are missing" in problems[0]

    def test_a_log_outside_of_the_repository_has_no_versions(self, log, commit, tmp_path):
        (tmp_path / "inner").mkdir()
        subprocess.run(["git", "init", "-q", tmp_path / "inner"], check=True)
        assert log_problems(log, None, repository=repository_of(tmp_path / "inner")) == []
