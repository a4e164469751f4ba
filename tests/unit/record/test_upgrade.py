"""Older stores are brought up to date by named steps; the files of released formats stay readable."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from sqlalchemy import text

from foldproof.logs import MemoryItem, ToolCall, Usage
from foldproof.record import Calibration, Claim, JudgeVerdict, StoreListing, Trial, TrialError, TrialKey
from foldproof.record.schema import STEPS
from foldproof.record.store import StoreError

GOLDEN = Path(__file__).parents[2] / "golden"


@pytest.fixture
def golden(path):
    path.parent.mkdir()
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript((GOLDEN / "store-1.sql").read_text(encoding="utf-8"))
    return path


def _schema(path):
    with closing(sqlite3.connect(path)) as connection:
        rows = connection.execute("SELECT name, sql FROM sqlite_master WHERE sql IS NOT NULL ORDER BY name").fetchall()
        steps = connection.execute("SELECT name FROM steps ORDER BY name").fetchall()
    return {name: " ".join(sql.split()) for name, sql in rows}, steps


@pytest.fixture
def extra_step(monkeypatch):
    def adding(work):
        monkeypatch.setitem(STEPS, "0003-colour", work)

    return adding


def _add_colour(connection):
    connection.execute(text("ALTER TABLE runs ADD COLUMN colour VARCHAR NOT NULL DEFAULT 'grey'"))


def _colours(path):
    with closing(sqlite3.connect(path)) as connection:
        return [colour for (colour,) in connection.execute("SELECT colour FROM runs")]


def test_the_store_of_format_1_is_read_whole(golden, open_store):
    store = open_store()
    candidate, production = store.runs()
    assert (production.name, production.config, production.state) == ("0001", "production", "finished")
    assert production.config_content == {"agent": {"recall": ""}, "memory": {"kind": "verbatim", "k": 8}}
    assert (production.set_name, production.set_sha256, production.config_sha256) == ("support", "5e" * 32, "c0" * 32)
    assert (production.fingerprint, production.foldproof) == ("f1" * 32, "0.1.0")
    assert production.started_at == "2026-03-04T05:06:07+00:00"
    assert production.notes == ("a note",)
    assert production.control == ""
    assert (candidate.name, candidate.state, candidate.control) == ("0002", "interrupted", "unplugged")
    listing = StoreListing((MemoryItem("user is vegetarian", "m1", "preference", 1, 0.5), MemoryItem("b")))
    answered = Trial(
        "billing-db",
        0,
        "Postgres 15\nno ORM “字” 🙂",
        tool_calls=(ToolCall("refund", {"order": 4021}),),
        memory_reads=(MemoryItem("user is vegetarian", rank=1, score=0.25),),
        memory_writes=(),
        store_written=listing.sha256,
        store_kept=listing.sha256,
        prompt="the prompt",
        usage=Usage(10, 20, 0.25),
        notes=("a note",),
        log="a line\n",
        started_at="2026-03-04T05:06:08.000+00:00",
        duration_s=1.25,
        attempts=3,
    )
    errored = Trial("iban", 1, error=TrialError("agent", "it broke", "ValueError", "Traceback\n"))
    assert store.trials(production) == [answered, errored]
    assert store.answered(production) == {TrialKey("billing-db", 0)}
    assert store.listing(listing.sha256) == listing
    check = store.open_check("open check")
    assert (check.before_run, check.after_run) == (1, 2)
    assert store.open_check("settled check") is None


def test_a_fresh_store_has_the_schema_of_an_old_one_brought_up_to_date(golden, open_store, tmp_path):
    open_store().close()
    fresh = tmp_path / "fresh.db"
    open_store(at=fresh).close()
    assert _schema(golden) == _schema(fresh)


def test_a_store_of_format_1_takes_verdicts(golden, open_store):
    verdict = JudgeVerdict("j", Claim("q", "f", "a"), "not met")
    store = open_store()
    assert store.verdicts("j") == {}
    store.add_verdicts([verdict])
    store.set_calibration(Calibration("j", {}))
    assert store.verdicts("j") == {verdict.claim.sha256: (verdict,)}
    assert [run.name for run in store.runs()] == ["0002", "0001"]


def test_a_further_step_brings_an_old_store_up_to_date_once(golden, open_store, extra_step):
    done = []
    extra_step(lambda connection: (done.append(1), _add_colour(connection)))
    store = open_store()
    assert [run.name for run in store.runs()] == ["0002", "0001"]
    assert _colours(golden) == ["grey", "grey"]
    store.close()
    open_store()
    assert len(done) == 1


def test_a_fresh_store_goes_through_every_step(path, open_store, extra_step):
    extra_step(_add_colour)
    open_store().close()
    assert [name for (name,) in _schema(path)[1]] == [*STEPS]
    assert [*STEPS][-1] == "0003-colour"
    assert _colours(path) == []


def test_a_step_that_fails_leaves_the_store_as_it_was(golden, open_store, extra_step, monkeypatch):
    def failing(connection):
        _add_colour(connection)
        connection.execute(text("DELETE FROM runs"))
        connection.execute(text("INSERT INTO no_such_table VALUES (1)"))

    before = _schema(golden)
    extra_step(failing)
    with pytest.raises(StoreError, match="no such table"):
        open_store()
    assert _schema(golden) == before
    monkeypatch.delitem(STEPS, "0003-colour")
    assert len(open_store().runs()) == 2


def test_a_store_with_the_further_step_is_too_new_for_one_without(path, open_store, extra_step, monkeypatch):
    extra_step(_add_colour)
    open_store().close()
    monkeypatch.delitem(STEPS, "0003-colour")
    with pytest.raises(StoreError, match="its format has the step 0003-colour"):
        open_store()
