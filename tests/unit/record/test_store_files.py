"""The file below the store: what it refuses, what a full disk does, and two processes at once."""

import os
import sqlite3
import subprocess
import sys
import textwrap
from contextlib import closing

import pytest

from foldproof.core import ExitCode
from foldproof.record import Trial
from foldproof.record.sqlite import _switch_to_wal
from foldproof.record.store import Store, StoreError


def _sql(path, *statements):
    with closing(sqlite3.connect(path)) as connection, connection:
        return [row for statement in statements for row in connection.execute(statement)]


def test_the_hidden_folder_is_kept_out_of_git_once(open_store, path):
    open_store().close()
    ignore = path.parent / ".gitignore"
    assert "*" in ignore.read_text().splitlines()
    ignore.write_text("mine\n")
    open_store().close()
    assert ignore.read_text() == "mine\n"


def test_a_folder_of_the_users_own_gets_no_gitignore(open_store, tmp_path):
    open_store(at=tmp_path / "data" / "runs.db")
    assert (tmp_path / "data" / "runs.db").exists()
    assert not (tmp_path / "data" / ".gitignore").exists()


@pytest.mark.parametrize("name", ["what?.db", "a#b%20c.db", "mit leer & ünïcode.db"])
def test_any_file_name_will_do(open_store, new_run, tmp_path, name):
    store = open_store(at=tmp_path / name)
    store.create_run(new_run())
    store.close()
    assert (tmp_path / name).is_file()
    assert open_store(at=tmp_path / name).run("latest").id == 1


def test_a_newer_format_is_refused_with_the_step(open_store, path):
    open_store().close()
    _sql(path, "INSERT INTO steps VALUES ('0002-judgements')", "INSERT INTO steps VALUES ('0009-more')")
    with pytest.raises(StoreError) as error:
        open_store()
    assert str(error.value).startswith(
        f"{path}: written by a newer foldproof (its format has the step 0002-judgements)"
    )
    assert "upgrade foldproof" in str(error.value)
    assert error.value.exit_code is ExitCode.USAGE
    _sql(path, "DELETE FROM steps WHERE name != '0001-runs-trials-listings-checks'")
    assert open_store().runs() == []


@pytest.mark.parametrize(
    ("record", "told"),
    [("{", "EOF"), ('{"case": "q1"}', "required"), ('{"case": "q1", "repeat": "x"}', "integer"), ("[]", "")],
)
def test_a_damaged_record_is_named(open_store, path, new_run, record, told):
    store = open_store()
    run = store.create_run(new_run())
    store.add(run, [Trial("q1", 0)])
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("UPDATE trials SET record = ?", (record,))
    with pytest.raises(StoreError, match="run 0001 is damaged: ") as error:
        store.trials(run)
    assert told in str(error.value)
    assert store.runs() == [run]


def test_a_damaged_run_is_named(open_store, path, new_run):
    store = open_store()
    store.create_run(new_run())
    _sql(path, "UPDATE runs SET record = 'x'")
    with pytest.raises(StoreError, match="run 1 is damaged"):
        store.runs()


def test_a_damaged_listing_is_named(open_store, path, new_run, listing):
    store = open_store()
    store.add(store.create_run(new_run()), [], [listing])
    _sql(path, "UPDATE listings SET record = 'x'")
    with pytest.raises(StoreError, match=f"listing {listing.sha256[:12]} is damaged"):
        store.listing(listing.sha256)


def test_a_file_that_is_no_database_is_refused_and_left_alone(open_store, path):
    path.parent.mkdir()
    path.write_text("I am a diary, and long enough to be read as a header of a database. " * 30)
    before = path.read_bytes()
    with pytest.raises(StoreError, match="the store cannot be used: file is not a database"):
        open_store()
    assert path.read_bytes() == before


def test_a_folder_in_the_files_place_is_refused(open_store, path):
    path.mkdir(parents=True)
    with pytest.raises(StoreError, match="the store cannot be used: unable to open database file"):
        open_store()


def test_a_folder_that_cannot_be_made_is_refused(open_store, tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(StoreError, match="the store cannot be written: File exists"):
        open_store(at=tmp_path / "file" / "runs.db")


def _may_not(*_args, **_named):
    raise PermissionError(13, "Permission denied")


def test_a_read_only_folder_is_refused(open_store, path, monkeypatch):
    monkeypatch.setattr(type(path), "mkdir", _may_not)
    with pytest.raises(StoreError, match="the store cannot be written: Permission denied"):
        open_store()


@pytest.mark.skipif(os.geteuid() == 0, reason="the superuser may write anywhere")
def test_a_folder_without_the_right_to_write_is_refused(open_store, path):
    path.parent.mkdir()
    path.parent.chmod(0o555)
    with pytest.raises(StoreError, match="cannot be"):
        open_store()


def test_a_lock_that_cannot_be_written_is_refused(store, path):
    (path.parent / f"{path.name}.run-0001.lock").mkdir()
    with pytest.raises(StoreError, match="the lock cannot be taken: "), store.lock("run-0001"):
        pass


def test_a_full_disk_is_an_error_that_loses_nothing_before_it(open_store, path, new_run):
    store = open_store()
    run = store.create_run(new_run())
    store.add(run, [Trial("q1", 0, "kept")])
    with store._engine.connect() as connection:
        connection.exec_driver_sql("PRAGMA max_page_count = 20")
    with pytest.raises(StoreError) as error:
        store.add(run, [Trial("q2", 0, "x" * 500_000)])
    assert "the store cannot be used: database or disk is full" in str(error.value)
    assert "check the disk" in str(error.value)
    assert [trial.answer for trial in store.trials(run)] == ["kept"]
    store.close()
    assert [trial.answer for trial in open_store().trials(run)] == ["kept"]


def test_a_lock_is_held_once_and_let_go(open_store):
    one, other = open_store(), open_store()
    with one.lock("run-0001") as held, other.lock("run-0001") as second, other.lock("run-0002") as elsewhere:
        assert (held, second, elsewhere) == (True, False, True)
    with other.lock("run-0001") as held:
        assert held
    with pytest.raises(ZeroDivisionError), one.lock("run-0001"):
        raise ZeroDivisionError
    with other.lock("run-0001") as held:
        assert held


def _locks(path):
    return [file.name for file in path.parent.iterdir() if file.suffix == ".lock"]


def test_a_lock_leaves_no_file_behind(open_store, path):
    one, other = open_store(), open_store()
    with one.lock("run-0001"):
        assert _locks(path) == ["runs.db.run-0001.lock"]
        with other.lock("run-0001") as second:
            assert not second
        assert _locks(path) == ["runs.db.run-0001.lock"], "who did not get it does not take it away"
    assert _locks(path) == []
    with pytest.raises(ZeroDivisionError), one.lock("run-0001"):
        raise ZeroDivisionError
    assert _locks(path) == []


def test_a_lock_whose_file_is_gone_or_stays_is_let_go_all_the_same(open_store, path, monkeypatch):
    one, other = open_store(), open_store()
    with one.lock("run-0001"):
        (path.parent / "runs.db.run-0001.lock").unlink()
    with monkeypatch.context() as patched, one.lock("run-0001") as held:
        assert held
        patched.setattr("foldproof.record.store.Path.unlink", _may_not)
    with other.lock("run-0001") as held:
        assert held


def test_two_stores_in_one_folder_do_not_share_their_locks(open_store, path):
    with open_store().lock("run-0001") as one, open_store(at=path.with_name("b.db")).lock("run-0001") as other:
        assert (one, other) == (True, True)


def test_leaving_the_context_closes_the_store(path):
    with Store.open(path) as store:
        assert store.runs() == []
    assert not path.with_name("runs.db-wal").exists()


PROLOGUE = """
import sys
from pathlib import Path
from foldproof.record import Run, StoreListing, Trial
from foldproof.record.store import Store
from foldproof.logs import MemoryItem
store = Store.open(Path(sys.argv[1]))
"""


def _process(path, code):
    command = [sys.executable, "-c", PROLOGUE + textwrap.dedent(code), str(path)]
    return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)


def test_a_lock_holds_against_another_process_until_that_is_killed(store, path):
    code = """
    with store.lock("run-0001") as held:
        print(held, flush=True)
        sys.stdin.read()
    """
    with _process(path, code) as other:
        assert other.stdout.readline() == "True\n"
        with store.lock("run-0001") as held:
            assert not held
        other.kill()
        other.wait()
    with store.lock("run-0001") as held:
        assert held


def test_processes_that_create_and_write_one_store_lose_nothing(path, open_store):
    code = """
    run = store.create_run(Run("production", "c", {}, "s", "s"))
    for number in range(60):
        listing = StoreListing((MemoryItem(f"shared {number}"),))
        store.add(run, [Trial(f"q{number}", 0, "x" * 200, store_kept=listing.sha256)], [listing])
    """
    writers = [_process(path, code) for _ in range(3)]
    assert [writer.communicate()[0] for writer in writers] == [""] * 3
    assert [writer.returncode for writer in writers] == [0] * 3
    store = open_store()
    assert len(store.runs()) == 3
    for run in store.runs():
        trials = store.trials(run)
        assert len(trials) == 60
        assert all(store.listing(trial.store_kept) for trial in trials)


def test_another_process_sees_a_record_as_soon_as_it_is_added(store, path, new_run):
    run = store.create_run(new_run())
    code = """
    for line in sys.stdin:
        print(len(store.trials(store.run("latest"))), flush=True)
    """
    with _process(path, code) as other:
        for number in (1, 2):
            store.add(run, [Trial(f"q{number}", 0)])
            other.stdin.write("\n")
            other.stdin.flush()
            assert other.stdout.readline() == f"{number}\n"
        other.stdin.close()


class _Switching:
    """A connection whose switch to WAL fails with these messages before it works."""

    def __init__(self, *errors):
        self.errors = list(errors)

    def execute(self, statement):
        assert statement == "PRAGMA journal_mode=WAL"
        if self.errors:
            raise sqlite3.OperationalError(self.errors.pop(0))


def test_another_process_that_switches_the_file_is_waited_for():
    connection = _Switching("database is locked", "database is locked")
    _switch_to_wal(connection)
    assert connection.errors == []


def test_it_is_not_waited_for_for_ever(monkeypatch):
    monkeypatch.setattr("foldproof.record.sqlite._PATIENCE_S", -1)
    with pytest.raises(sqlite3.OperationalError, match="locked"):
        _switch_to_wal(_Switching("database is locked"))


def test_another_error_of_the_switch_is_not_tried_again():
    connection = _Switching("unable to open database file", "never reached")
    with pytest.raises(sqlite3.OperationalError, match="unable to open"):
        _switch_to_wal(connection)
    assert connection.errors == ["never reached"]
