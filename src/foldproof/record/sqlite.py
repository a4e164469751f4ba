"""How SQLite is opened: on a file that several processes share, or in memory alone."""

from __future__ import annotations

import sqlite3
import time
from pathlib import Path

from sqlalchemy import URL, Engine, create_engine, event
from sqlalchemy.pool import StaticPool

_PATIENCE_S = 10


def file_engine(path: Path) -> Engine:
    """An engine on a file (WAL, so a reader never waits for the writer)."""
    # Transactions are begun by hand: the driver would leave the creation of tables outside of them.
    engine = create_engine(URL.create("sqlite", database=str(path)), connect_args={"isolation_level": None})
    event.listen(engine, "connect", _on_connect)
    return engine


def memory_engine() -> Engine:
    """An engine of this process alone, all of whose work is gone with it and none of which touches the disk."""
    engine = create_engine(
        "sqlite://", poolclass=StaticPool, connect_args={"isolation_level": None, "check_same_thread": False}
    )
    event.listen(engine, "connect", _stay_in_memory)
    return engine


def _stay_in_memory(connection: sqlite3.Connection, _: object) -> None:
    connection.execute("PRAGMA temp_store=MEMORY")  # else a large sort may spill into a file


def _on_connect(connection: sqlite3.Connection, _: object) -> None:
    connection.execute(f"PRAGMA busy_timeout={1000 * _PATIENCE_S}")
    _switch_to_wal(connection)
    connection.execute("PRAGMA synchronous=NORMAL")


def _switch_to_wal(connection: sqlite3.Connection) -> None:
    """A new file is switched once. SQLite does not wait for another process that does it at the same time."""
    until = time.monotonic() + _PATIENCE_S
    while True:
        try:
            connection.execute("PRAGMA journal_mode=WAL")
        except sqlite3.OperationalError as error:
            if "locked" not in str(error) or time.monotonic() > until:
                raise
            time.sleep(0.01)
        else:
            return
