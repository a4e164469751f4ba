"""The tables of the store, and the named steps that bring an older store up to date.

A step is appended, never edited. The store keeps the names of the steps that it has been through: one that we
do not know means that a newer foldproof wrote the file.
"""

from __future__ import annotations

from collections.abc import Callable

from sqlalchemy import Column, Connection, Integer, MetaData, PrimaryKeyConstraint, String, Table, Text, select

METADATA = MetaData()

STEPS_DONE = Table("steps", METADATA, Column("name", String, primary_key=True))

RUNS = Table(
    "runs",
    METADATA,
    Column("id", Integer, primary_key=True, autoincrement=True),
    Column("identity", String, nullable=False, index=True),
    Column("config", String, nullable=False),
    Column("set_sha256", String, nullable=False),
    Column("control", String, nullable=False),
    Column("state", String, nullable=False),
    Column("record", Text, nullable=False),
    sqlite_autoincrement=True,
)

TRIALS = Table(
    "trials",
    METADATA,
    Column("run", Integer, nullable=False),
    Column("case_id", String, nullable=False),
    Column("repeat", Integer, nullable=False),
    Column("answered", Integer, nullable=False),
    Column("record", Text, nullable=False),
    PrimaryKeyConstraint("run", "case_id", "repeat"),
)

LISTINGS = Table(
    "listings",
    METADATA,
    Column("sha256", String, primary_key=True),
    Column("record", Text, nullable=False),
)

CHECKS = Table(
    "checks",
    METADATA,
    Column("id", Integer, primary_key=True, autoincrement=True),
    Column("identity", String, nullable=False, index=True),
    Column("before_run", Integer, nullable=False),
    Column("after_run", Integer, nullable=False),
    Column("settled", Integer, nullable=False),
    sqlite_autoincrement=True,
)

VERDICTS = Table(
    "verdicts",
    METADATA,
    Column("judge", String, nullable=False),
    Column("claim", String, nullable=False),
    Column("slot", Integer, nullable=False),
    Column("judged", Integer, nullable=False),
    Column("record", Text, nullable=False),
    PrimaryKeyConstraint("judge", "claim", "slot"),
)

CALIBRATIONS = Table(
    "calibrations",
    METADATA,
    Column("judge", String, primary_key=True),
    Column("record", Text, nullable=False),
)


def _create_tables(connection: Connection) -> None:
    METADATA.create_all(connection, [STEPS_DONE, RUNS, TRIALS, LISTINGS, CHECKS])


def _create_judge_tables(connection: Connection) -> None:
    METADATA.create_all(connection, [VERDICTS, CALIBRATIONS])


STEPS: dict[str, Callable[[Connection], None]] = {
    "0001-runs-trials-listings-checks": _create_tables,
    "0002-verdicts-calibrations": _create_judge_tables,
}


def pending(connection: Connection) -> list[str]:
    """The steps that this store has not been through.

    Raises:
        LookupError: with the name of a step that this version does not know.
    """
    if not connection.dialect.has_table(connection, "steps"):
        return list(STEPS)
    done = set(connection.scalars(select(STEPS_DONE.c.name)))
    if unknown := sorted(done - STEPS.keys()):
        raise LookupError(unknown[0])
    return [name for name in STEPS if name not in done]
