"""Inspect's archives and LangGraph's databases: read as their JSON is, and never trusted."""

from __future__ import annotations

import json
import pickle
import sqlite3
import sys
import zipfile
from contextlib import closing
from datetime import UTC, datetime
from typing import ClassVar

import msgpack
import pytest

from foldproof.core import MissingExtraError, UsageError
from foldproof.logs import Tally, archives
from foldproof.logs.reading import LogFile

from .written import read_all, told

HEADER = {"version": 2, "status": "success", "eval": {"task": "t"}}


def item(name, said, number=1):
    messages = [{"role": "user", "content": said}, {"role": "assistant", "content": "Yes."}]
    return {"id": name, "epoch": number, "input": said, "messages": messages, "metadata": {"user_id": "ada"}}


@pytest.fixture
def archive(tmp_path):
    """Write an archive of members by name; values that are no bytes are JSON."""

    def write(members, module=zipfile, method=zipfile.ZIP_DEFLATED):
        path = tmp_path / "log.eval"
        with module.ZipFile(path, "w", method) as file:
            for name, value in members.items():
                with file.open(name, "w", force_zip64=name.startswith("samples/big")) as member:
                    member.write(value if isinstance(value, bytes) else json.dumps(value).encode())
        return path

    return write


MEMBERS = {
    "_journal/start.json": HEADER,
    "samples/a_epoch_1.json": item("a", "Where is it?"),
    "samples/big_epoch_2.json": item("b", "And now?", 2),
    "summaries.json": [],
    "header.json": HEADER,
}


@pytest.mark.parametrize("method", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED])
def test_an_archive_gives_its_samples(archive, method):
    log = read_all([archive(MEMBERS, method=method)])
    assert (log.format, [session.id for session in log.sessions]) == ("inspect", ["a-epoch-1", "b-epoch-2"])
    assert told(log.sessions[0]) == ["user: Where is it?", "agent: Yes."]
    assert (log.sessions[1].user, log.tally.broken, log.tally.records) == ("ada", 0, 2)


def test_an_archive_packed_with_zstandard_is_read(archive):
    backport = pytest.importorskip("backports.zstd.zipfile") if sys.version_info < (3, 14) else zipfile
    path = archive(MEMBERS, backport, backport.ZIP_ZSTANDARD)
    assert [told(session)[0] for session in read_all([path]).sessions] == ["user: Where is it?", "user: And now?"]
    raw = bytearray(path.read_bytes())
    at = raw.index(b"\x28\xb5\x2f\xfd", raw.index(b"a_epoch_1")) + 6
    raw[at : at + 20] = bytes(20)
    path.write_bytes(raw)
    log = read_all([path])
    assert [session.id for session in log.sessions] == ["b-epoch-2"]
    assert (log.tally.broken, "a_epoch_1.json cannot be read" in log.tally.problems[0].message) == (1, True)


@pytest.mark.skipif(sys.version_info >= (3, 14), reason="Python unpacks Zstandard itself")
def test_without_the_backport_the_error_tells_the_extra(archive, monkeypatch):
    backport = pytest.importorskip("backports.zstd.zipfile")
    path = archive(MEMBERS, backport, backport.ZIP_ZSTANDARD)
    monkeypatch.setitem(sys.modules, "backports.zstd.zipfile", None)
    with pytest.raises(MissingExtraError, match=r"foldproof\[logs\]"):
        read_all([path])
    assert len(read_all([archive(MEMBERS)]).sessions) == 2


def test_a_member_that_was_written_twice_counts_once(tmp_path):
    path = tmp_path / "log.eval"
    with zipfile.ZipFile(path, "w") as file:
        file.writestr("header.json", json.dumps(HEADER))
        file.writestr("samples/a.json", json.dumps(item("a", "old")))
        with pytest.warns(UserWarning, match="Duplicate"):
            file.writestr("samples/a.json", json.dumps(item("a", "new")))
    assert [told(session)[0] for session in read_all([path]).sessions] == ["user: new"]


def test_what_cannot_be_read_in_an_archive_is_counted_and_named(archive, monkeypatch):
    monkeypatch.setattr("foldproof.logs.reading.LARGEST", 2000)
    path = archive({**MEMBERS, "samples/x.json": b"{cut", "samples/y.json": item("y", "long " * 1000),
                    "samples/z.json": b"[" * 1900})  # fmt: skip
    log = read_all([path])
    assert (len(log.sessions), log.tally.broken) == (2, 3)
    messages = [problem.message for problem in log.tally.problems]
    assert "samples/x.json cannot be read: it is no JSON (JSONDecodeError)" in messages
    assert any("y.json" in text and "MiB are read" in text for text in messages)


def test_an_archive_without_samples_says_so(archive):
    path = archive({"header.json": HEADER})
    log = read_all([path], "inspect")
    assert (log.sessions, any("only its header" in note for note in log.tally.notes)) == ([], True)


def test_a_bomb_is_refused(archive, monkeypatch):
    monkeypatch.setattr(archives, "_FREE", 100_000)
    members = {**MEMBERS, **{f"samples/{n}.json": b"0" * 400_000 for n in range(3)}}
    with pytest.raises(UsageError, match=r"bytes would become 1,20\d,\d+, which no log does"):
        read_all([archive(members)])
    monkeypatch.setattr(archives, "_LARGEST_DIRECTORY", 100)
    with pytest.raises(UsageError, match="list of its members"):
        read_all([archive(MEMBERS)])


def test_a_size_that_is_a_lie_reads_no_further(archive):
    path = archive({**MEMBERS, "samples/x.json": b" " * 5_000_000 + b"{}"})
    raw = path.read_bytes()
    path.write_bytes(raw.replace((5_000_002).to_bytes(4, "little"), (40).to_bytes(4, "little")))
    log = read_all([path])
    assert (len(log.sessions), log.tally.broken) == (2, 1)


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (lambda raw: raw[: len(raw) // 2], "damaged"),
        (
            lambda raw: raw.replace(b"header.json", b"headed.json").replace(b"start.json", b"stand.json"),
            "unpack it first",
        ),
    ],
)
def test_an_archive_that_is_none_is_refused(archive, change, says):
    path = archive(MEMBERS)
    path.write_bytes(change(path.read_bytes()))
    with pytest.raises(UsageError, match=says):
        read_all([path])


# --- LangGraph

SCHEMA = """
CREATE TABLE checkpoints (thread_id TEXT NOT NULL, checkpoint_ns TEXT NOT NULL DEFAULT '', checkpoint_id TEXT NOT NULL,
  parent_checkpoint_id TEXT, type TEXT, checkpoint BLOB, metadata BLOB,
  PRIMARY KEY (thread_id, checkpoint_ns, checkpoint_id));
CREATE TABLE store (prefix text NOT NULL, key text NOT NULL, value text NOT NULL, created_at TIMESTAMP,
  updated_at TIMESTAMP, PRIMARY KEY (prefix, key));
"""


def made(kind, **fields):
    """A LangChain message as the saver packs it."""
    place = f"langchain_core.messages.{kind.lower()}"
    return msgpack.ExtType(5, msgpack.packb([place, kind, fields, "model_validate_json"]))


H1 = made("HumanMessage", content="Where?", type="human", id="h1")
A1 = made("AIMessage", content="", type="ai", id="a1", tool_calls=[{"name": "look", "args": {"n": 1}, "id": "c1"}])
T1 = made("ToolMessage", content="here", type="tool", id="t1", tool_call_id="c1", name="look")
A2 = made("AIMessage", content="There.", type="ai", id="a2")


def packed(number, *messages, **more):
    return msgpack.packb({"v": 4, "ts": f"2026-01-01T00:00:{number:02d}+00:00", "id": f"cp-{number}",
                          "channel_values": {"messages": list(messages), **more}})  # fmt: skip


@pytest.fixture
def database(tmp_path):
    """Write checkpoints (kind, blob) of one thread, and run further statements."""

    def write(*checkpoints, also=""):
        path = tmp_path / "check points.sqlite"
        connection = sqlite3.connect(path)
        connection.executescript("PRAGMA journal_mode = WAL;" + SCHEMA)
        for number, (kind, blob) in enumerate(checkpoints):
            row = ("th-1", "", f"cp-{number}", f"cp-{number - 1}" if number else None, kind, blob,
                   json.dumps({"step": number, "source": "loop", "user_id": "ada"}))  # fmt: skip
            connection.execute("INSERT INTO checkpoints VALUES (?, ?, ?, ?, ?, ?, ?)", row)
        connection.executescript(also)
        connection.commit()
        connection.close()
        return path

    return write


WHOLE = [("msgpack", packed(0)), ("msgpack", packed(1, H1)), ("msgpack", packed(2, H1, A1, T1)),
         ("msgpack", packed(3, H1, A1, T1, A2))]  # fmt: skip


def test_a_checkpoint_database_is_read_like_its_states(database):
    log = read_all([database(*WHOLE)])
    assert (log.format, log.only.id, log.only.user) == ("langgraph", "th-1", "ada")
    assert told(log.only) == ["user: Where?", 'call look {"n": 1} -> here', "agent: There."]
    assert (log.only.started.text, log.tally.records, log.tally.broken) == ("2026-01-01T00:00:01Z", 4, 0)


def test_other_values_of_other_packages_are_data(database):
    others = {
        "a": msgpack.ExtType(0, msgpack.packb(["uuid", "UUID", "550e8400"])),
        "b": msgpack.ExtType(2, msgpack.packb(["os", "system", {"command": "false"}])),
        "c": msgpack.ExtType(3, msgpack.packb(["builtins", "eval", "1/0", "__call__"])),
        "d": msgpack.ExtType(99, msgpack.packb(7)),
        "e": datetime(2026, 1, 1, tzinfo=UTC),
        "f": b"\x00\x01",
    }
    blob = msgpack.packb({"ts": "2026-01-01T00:00:00Z", "channel_values": {"messages": [H1], **others}}, datetime=True)
    (record,) = records_of(database(("msgpack", blob)))
    assert record["checkpoint"]["channel_values"] == {
        "messages": [{"type": "human", "content": "Where?", "id": "h1"}], "a": "550e8400",
        "b": {"type": "system", "command": "false"}, "c": "1/0", "d": 7, "e": "2026-01-01T00:00:00+00:00",
        "f": "[2 bytes]",
    }  # fmt: skip


def records_of(path):
    return [record.value for record in LogFile(path).records(Tally())]


def test_older_savers_wrote_json(database):
    state = {
        "ts": "2026-01-01T00:00:00Z",
        "channel_values": {"messages": [{"type": "human", "content": "Hi", "id": "h"}]},
    }
    assert told(read_all([database(("json", json.dumps(state).encode()))]).only) == ["user: Hi"]


class Harm:
    """Pickled, it writes to a list when it is read."""

    seen: ClassVar[list[int]] = []

    def __reduce__(self):
        return (Harm.seen.append, (1,))


@pytest.mark.parametrize("kind", ["pickle", "msgpack+aes", "\x1b[31m"])
def test_what_cannot_be_decoded_safely_is_refused_by_name(database, kind):
    path = database(*WHOLE, (kind, pickle.dumps(Harm())))
    with pytest.raises(UsageError, match="get_state_history") as refused:
        read_all([path])
    assert "1 checkpoints are of the kind" in str(refused.value)
    assert Harm.seen == []


def test_a_value_that_is_broken_is_counted_and_named(database):
    deep = b"\x91" * 2000 + b"\xc0"
    nested = msgpack.packb(1)
    for _ in range(100):
        nested = msgpack.packb(msgpack.ExtType(5, nested))
    huge = b"\xdd\xff\xff\xff\xff"
    broken = [("msgpack", blob) for blob in (b"\xc1", deep, nested, huge, b"", WHOLE[1][1][:30], None)]
    log = read_all([database(*WHOLE, *broken, ("json", b"{cut"))])
    assert told(log.only)[0] == "user: Where?"
    assert log.tally.broken == len(broken) + 1
    assert "a row of `checkpoints` cannot be decoded" in log.tally.problems[0].message


def test_items_of_a_store_are_read_too(database):
    also = """INSERT INTO store VALUES ('memories.ada', 'm1', '{"text": "Likes tea."}', '2026-01-01 10:00:00',
              '2026-01-02 10:00:00')"""
    log = read_all([database(*WHOLE, also=also)])
    assert [told(session) for session in log.sessions][1] == ["write store memories/ada: Likes tea. ['Likes tea.']"]


def test_a_view_is_no_table(tmp_path):
    path = tmp_path / "view.sqlite"
    connection = sqlite3.connect(path)
    connection.executescript("CREATE VIEW checkpoints AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i FROM n) "
                             "SELECT i AS type FROM n; CREATE TABLE other (a)")  # fmt: skip
    connection.close()
    with pytest.raises(UsageError, match="without LangGraph's tables"):
        read_all([path])


def test_another_shape_of_the_tables_is_a_clear_error(tmp_path):
    path = tmp_path / "other.sqlite"
    connection = sqlite3.connect(path)
    connection.executescript("CREATE TABLE checkpoints (type TEXT, epoch INTEGER)")
    connection.close()
    with pytest.raises(UsageError, match="cannot be read: no such column"):
        read_all([path])


def test_without_msgpack_the_error_tells_the_extra(database, monkeypatch):
    monkeypatch.setitem(sys.modules, "msgpack", None)
    with pytest.raises(MissingExtraError, match=r"foldproof\[logs\]"):
        read_all([database(*WHOLE)])


def test_a_database_is_left_as_it_is(database, tmp_path):
    path = database(*WHOLE)
    before = path.read_bytes()
    read_all([path])
    assert path.read_bytes() == before
    assert [found.name for found in tmp_path.iterdir()] == [path.name]


def test_a_database_in_use_is_read_with_what_stands_in_its_log(database):
    path = database(*WHOLE[:2])
    with closing(sqlite3.connect(path)) as writer:
        row = ("th-1", "", "cp-9", "cp-1", "msgpack", packed(9, H1, A2), b"{}")
        writer.execute("INSERT INTO checkpoints VALUES (?, ?, ?, ?, ?, ?, ?)", row)
        writer.commit()
        assert told(read_all([path]).only) == ["user: Where?", "agent: There."]
