"""LangGraph's checkpoint databases (SQLite), read as records of the shape that `get_state_history` has as JSON.

Values are decoded as data. A message is what it was made of; no class of another package is imported or made, and what
is pickled or encrypted is refused.
"""

from __future__ import annotations

import importlib
import json
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from datetime import datetime
from functools import cached_property
from pathlib import Path
from types import ModuleType
from typing import Any

from foldproof.core import MissingExtraError, UsageError
from foldproof.logs.archives import Held
from foldproof.logs.tally import Tally

_GO_ON = "write what `get_state_history` gives as JSON and import it"
_COLUMNS = {
    "checkpoints": "thread_id, checkpoint_ns, checkpoint_id, parent_checkpoint_id, metadata, type, checkpoint",
    "store": "prefix, key, created_at, updated_at, NULL, 'json', value",
}
_TABLES = tuple(_COLUMNS)
_DEEPEST = 60


class CheckpointFile:
    """The checkpoints of a saver and the items of a store, in one SQLite file that is opened for reading only.

    Raises:
        UsageError: for a database without such tables, a damaged one, and values that cannot be decoded safely.
        MissingExtraError: where `msgpack` is not installed.
    """

    def __init__(self, path: Path, largest: int) -> None:
        self.path, self.largest = path, largest

    @cached_property
    def _msgpack(self) -> ModuleType:
        try:
            return importlib.import_module("msgpack")
        except ImportError:
            raise MissingExtraError(f"{self.path}: a checkpoint database", "msgpack", "logs") from None

    def _open(self) -> sqlite3.Connection:
        with self.path.open("rb") as file:
            wal = file.read(20)[18:] == b"\x02\x02"
        # SQLite would leave files of its own beside a database with a write-ahead log that nobody has open.
        still = wal and not self.path.with_name(f"{self.path.name}-wal").exists()
        mode = "immutable=1" if still else "mode=ro"
        connection = sqlite3.connect(f"{self.path.resolve().as_uri()}?{mode}", uri=True)
        connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, self.largest)
        connection.execute("PRAGMA trusted_schema = OFF")
        return connection

    def records(self, tally: Tally) -> Iterator[Held]:
        """Every checkpoint and every item, thread by thread; what cannot be decoded is counted and named."""
        try:
            with closing(self._open()) as connection:
                tables = self._tables(connection)
                for number, table in enumerate(_TABLES):
                    if table in tables:
                        yield from self._rows(connection, number, tally)
        except sqlite3.Error as error:
            raise UsageError(f"{self.path}: the database cannot be read: {error}\n  {_GO_ON}") from None

    def _tables(self, connection: sqlite3.Connection) -> set[str]:
        """The tables that are read; a view is none, since to look at it may be to run anything."""
        names = {str(name) for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
        if not names & _COLUMNS.keys():
            raise UsageError(
                f"{self.path}: the file is an SQLite database without LangGraph's tables `checkpoints` or `store`\n"
                f"  {_GO_ON}"
            )
        if "checkpoints" in names:
            kinds = connection.execute("SELECT type, count(*) FROM checkpoints GROUP BY type ORDER BY type")
            for kind, count in kinds:
                if kind not in {"msgpack", "json"}:
                    raise UsageError(
                        f"{self.path}: {count} checkpoints are of the kind '{str(kind)[:40]}', which is not read: "
                        f"only `msgpack` and `json` can be decoded without running or decrypting anything\n  {_GO_ON}"
                    )
                if kind == "msgpack":
                    _ = self._msgpack
        return names

    def _rows(self, connection: sqlite3.Connection, number: int, tally: Tally) -> Iterator[Held]:
        table = _TABLES[number]
        statement = f"SELECT rowid, {_COLUMNS[table]} FROM {table} ORDER BY rowid"  # noqa: S608  # of our own names
        for rowid, *row in connection.execute(statement):
            try:
                value = self._value(number, row)
            except (ValueError, TypeError, RecursionError) as error:
                tally.wrong(str(self.path), rowid, f"a row of `{table}` cannot be decoded ({type(error).__name__})")
                continue
            held = row[-1]
            yield Held(value, rowid * len(_TABLES) + number, len(held) if isinstance(held, bytes | str) else 0)

    def again(self, place: int) -> Any:  # noqa: ANN401  # any JSON value
        """The value of a row that was given before; ValueError where it is there no more."""
        rowid, number = divmod(place, len(_TABLES))
        table = _TABLES[number]
        statement = f"SELECT {_COLUMNS[table]} FROM {table} WHERE rowid = ?"  # noqa: S608  # of our own names
        try:
            with closing(self._open()) as connection:
                row = connection.execute(statement, (rowid,)).fetchone()
        except sqlite3.Error:
            row = None
        if row is None:
            raise ValueError("the row is gone")
        return self._value(number, list(row))

    def _value(self, number: int, row: list[Any]) -> Any:  # noqa: ANN401  # any JSON value
        if _TABLES[number] == "store":
            prefix, key, created, updated, *_, value = row
            return {
                "namespace": str(prefix).split("."),
                "key": key,
                "value": _loaded(value),
                "created_at": created,
                "updated_at": updated,
            }
        thread, space, own, parent, metadata, kind, blob = row
        names = {"thread_id": thread, "checkpoint_ns": space}
        return {
            "config": {"configurable": {**names, "checkpoint_id": own}},
            "parent_config": {"configurable": {**names, "checkpoint_id": parent}} if parent else None,
            "metadata": self._unpacked(metadata) if _is_packed(metadata) else _loaded(metadata),
            "checkpoint": self._unpacked(blob) if kind == "msgpack" else _loaded(blob),
        }

    def _unpacked(self, blob: Any, depth: int = 0) -> Any:  # noqa: ANN401  # any JSON value
        """A MessagePack value as JSON would hold it."""
        if not isinstance(blob, bytes) or depth > _DEEPEST:
            raise ValueError("no MessagePack, or nested too deeply")
        msgpack = self._msgpack
        try:
            value = msgpack.unpackb(
                blob,
                ext_hook=lambda _, inner: _made_of(self._unpacked(inner, depth + 1)),
                strict_map_key=False,
                timestamp=3,
                unicode_errors="replace",
            )
        except (msgpack.UnpackException, OverflowError) as error:
            raise ValueError(type(error).__name__) from None
        return _plain(value)


def _is_packed(metadata: Any) -> bool:  # noqa: ANN401  # a value of a database
    """Whether metadata is MessagePack, as older savers wrote it, and no JSON."""
    return isinstance(metadata, bytes) and not metadata.lstrip().startswith(b"{")


def _loaded(text: Any) -> Any:  # noqa: ANN401  # any JSON value
    return json.loads(text) if isinstance(text, bytes | str) and text else {}


def _made_of(value: Any) -> Any:  # noqa: ANN401  # any JSON value
    """What an object of another package was made of: `[module, class, arguments, …]` is its arguments.

    Pydantic's objects, and with them LangChain's messages, are made of an object of their fields.
    """
    if not isinstance(value, list) or len(value) < 3 or not all(isinstance(part, str) for part in value[:2]):
        return value
    made = value[2]
    if isinstance(made, dict) and "type" not in made:
        return {"type": value[1], **made}
    return made


def _plain(value: Any) -> Any:  # noqa: ANN401  # any decoded value
    if isinstance(value, dict):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    if isinstance(value, datetime):
        return value.isoformat()
    if isinstance(value, bytes):
        return f"[{len(value)} bytes]"
    return value
