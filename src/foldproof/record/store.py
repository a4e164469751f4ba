"""The store of runs: SQLite in the project's hidden folder, written as the records come."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple, Self, TypeVar

from pydantic import TypeAdapter, ValidationError
from sqlalchemy import Connection, Engine, Row, insert, select, update
from sqlalchemy.dialects.sqlite import insert as sqlite_insert
from sqlalchemy.exc import DBAPIError

from foldproof.core import Redactor, UsageError, canonical_json, nearest_of
from foldproof.record.records import Run, RunState, StoreListing, Trial, TrialKey
from foldproof.record.schema import (
    CALIBRATIONS,
    CHECKS,
    LISTINGS,
    RUNS,
    STEPS,
    STEPS_DONE,
    TRIALS,
    VERDICTS,
    pending,
)
from foldproof.record.sqlite import file_engine, memory_engine
from foldproof.record.verdicts import Calibration, JudgeVerdict

R = TypeVar("R")
_NOWHERE = Path(":memory:")
_GITIGNORE = "# machine files of foldproof: nothing here belongs in git\n*\n"


class StoreError(UsageError):
    """The store cannot be opened, read or written; the text says what to do."""


class CheckRow(NamedTuple):
    """The two runs of one check, and whether it came to a verdict that no error disturbed."""

    id: int
    before_run: int
    after_run: int
    settled: bool


class Store:
    """Runs, trials and memory listings in one SQLite file (WAL, so a reader never waits for the writer).

    A record is in the file before `add` returns: a killed process loses nothing that was added. An answered
    trial is never replaced; an errored one is, by a later attempt.
    """

    def __init__(self, engine: Engine, path: Path, redact: Redactor) -> None:
        self._engine = engine
        self._path = path
        self._redact = redact

    @classmethod
    def open(cls, path: Path, redact: Redactor | None = None) -> Self:
        """Open or create the store and bring it up to date. `redact` keeps secrets out of all that is written.

        Raises:
            StoreError: for a folder that cannot be written, a file that is no store, or one from a newer version.
        """
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            ignore = path.parent / ".gitignore"
            if path.parent.name.startswith(".") and not ignore.exists():
                ignore.write_text(_GITIGNORE, encoding="utf-8")
        except OSError as error:
            raise StoreError(f"{path}: the store cannot be written: {error.strerror}") from error
        store = cls(file_engine(path), path, redact or Redactor())
        try:
            store._upgrade()
        except BaseException:
            store.close()
            raise
        return store

    @classmethod
    def in_memory(cls, redact: Redactor | None = None) -> Self:
        """A store of this process alone, gone with it: nothing of it touches the disk."""
        store = cls(memory_engine(), _NOWHERE, redact or Redactor())
        store._upgrade()
        return store

    def close(self) -> None:
        """Let go of the file."""
        self._engine.dispose()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _upgrade(self) -> None:
        with self._reading() as connection:
            if not self._pending(connection):
                return
        with self._writing() as connection:
            # Asked again under the lock: another process may have done it by now.
            for name in self._pending(connection):
                STEPS[name](connection)
                connection.execute(insert(STEPS_DONE).values(name=name))

    def _pending(self, connection: Connection) -> list[str]:
        try:
            return pending(connection)
        except LookupError as error:
            raise StoreError(
                f"{self._path}: written by a newer foldproof (its format has the step {error})\n"
                "  upgrade foldproof, or name another `store` in foldproof.yaml"
            ) from error

    @contextmanager
    def _writing(self) -> Iterator[Connection]:
        """One transaction, which waits for another process's before it reads anything."""
        with self._reading() as connection:
            connection.exec_driver_sql("BEGIN IMMEDIATE")
            yield connection

    @contextmanager
    def _reading(self) -> Iterator[Connection]:
        try:
            with self._engine.begin() as connection:
                yield connection
        except DBAPIError as error:
            raise StoreError(
                f"{self._path}: the store cannot be used: {error.orig}\n"
                "  check the disk and the file's rights; move a file that is no store out of the way"
            ) from error

    @contextmanager
    def lock(self, name: str) -> Iterator[bool]:
        """Hold a name against other processes, or yield False where another holds it.

        The lock is the operating system's, so a killed process lets go of it.

        Raises:
            StoreError: where the lock's file, which stands beside the store, cannot be written.
        """
        if self._path is _NOWHERE:
            yield True
            return
        from filelock import FileLock, Timeout  # tries out the file system when it is imported

        guard = FileLock(self._path.with_name(f"{self._path.name}.{name}.lock"))
        try:
            guard.acquire(timeout=0)
        except Timeout:
            yield False
            return
        except OSError as error:
            raise StoreError(f"{guard.lock_file}: the lock cannot be taken: {error.strerror}") from error
        try:
            yield True
        finally:
            # Taken away while it is held: nobody waits for it, and a folder of old locks helps nobody.
            with suppress(OSError):
                Path(guard.lock_file).unlink()
            guard.release()

    def create_run(self, run: Run) -> Run:
        """Keep a new run; the answer has its number."""
        with self._writing() as connection:
            result = connection.execute(
                insert(RUNS).values(
                    identity=run.identity,
                    config=run.config,
                    set_sha256=run.set_sha256,
                    control=run.control,
                    state=run.state,
                    record=self._dump(run),
                )
            )
            key = result.inserted_primary_key
        return replace(run, id=key[0] if key else 0)

    def set_state(self, run: Run, state: RunState) -> Run:
        """Keep what became of a run."""
        with self._writing() as connection:
            connection.execute(update(RUNS).where(RUNS.c.id == run.id).values(state=state))
        return replace(run, state=state)

    def runs(self, *, config: str | None = None, identity: str | None = None) -> list[Run]:
        """The runs, newest first; of one configuration or one identity by choice."""
        query = select(RUNS).order_by(RUNS.c.id.desc())
        if config is not None:
            query = query.where(RUNS.c.config == config)
        if identity is not None:
            query = query.where(RUNS.c.identity == identity)
        with self._reading() as connection:
            return [self._run(row) for row in connection.execute(query)]

    def run(self, name: str) -> Run:
        """The run that a person names: its number, or `latest`, or a configuration; the newest run, and no control.

        Raises:
            StoreError: where no run answers to the name.
        """
        runs = self.runs()
        for run in runs:
            newest = name in {run.config, "latest"} and not run.control
            if newest or (name.isdecimal() and name.lstrip("0") == str(run.id)):
                return run
        known = [run.name for run in runs] + sorted({run.config for run in runs})
        raise StoreError(f"no run '{name}' in {self._path}\n  {nearest_of(name, [*known, 'latest'])}")

    def add(self, run: Run, trials: Sequence[Trial], listings: Sequence[StoreListing] = ()) -> None:
        """Keep finished trials, and the listings that they name, in one transaction."""
        if not trials and not listings:
            return
        rows = [
            {
                "run": run.id,
                "case_id": trial.case,
                "repeat": trial.repeat,
                "answered": int(trial.error is None),
                "record": self._dump(trial),
            }
            for trial in trials
        ]
        with self._writing() as connection:
            if listings:
                held = [{"sha256": listing.sha256, "record": self._dump(listing)} for listing in listings]
                connection.execute(sqlite_insert(LISTINGS).on_conflict_do_nothing(), held)
            if rows:
                connection.execute(_ADD_TRIAL, rows)

    def trials(self, run: Run) -> list[Trial]:
        """The trials of a run, by case and repetition."""
        query = (
            select(TRIALS.c.record, TRIALS.c.case_id)
            .where(TRIALS.c.run == run.id)
            .order_by(TRIALS.c.case_id, TRIALS.c.repeat)
        )
        with self._reading() as connection:
            rows = connection.execute(query).all()
        # The id is the column's: the record's own would be torn where it holds the value of a secret.
        return [replace(self._load(Trial, row.record, f"run {run.name}"), case=row.case_id) for row in rows]

    def answered(self, run: Run) -> set[TrialKey]:
        """The trials of a run that need not be asked again."""
        query = select(TRIALS.c.case_id, TRIALS.c.repeat).where(TRIALS.c.run == run.id, TRIALS.c.answered == 1)
        with self._reading() as connection:
            return {TrialKey(row.case_id, row.repeat) for row in connection.execute(query)}

    def listing(self, sha256: str) -> StoreListing:
        """What a memory held, by its hash.

        Raises:
            StoreError: where it is not kept.
        """
        with self._reading() as connection:
            record = connection.scalar(select(LISTINGS.c.record).where(LISTINGS.c.sha256 == sha256))
        if record is None:
            raise StoreError(f"no memory listing '{sha256[:12]}' in {self._path}")
        return self._load(StoreListing, record, f"listing {sha256[:12]}")

    def add_verdicts(self, verdicts: Sequence[JudgeVerdict]) -> None:
        """Keep what a judge said. A verdict is never replaced; a failure to judge is, by a later attempt."""
        rows = [
            {
                "judge": verdict.judge,
                "claim": verdict.claim.sha256,
                "slot": verdict.slot,
                "judged": int(verdict.verdict is not None),
                "record": self._dump(verdict),
            }
            for verdict in verdicts
        ]
        if rows:
            with self._writing() as connection:
                connection.execute(_ADD_VERDICT, rows)

    def verdicts(self, judge: str) -> dict[str, tuple[JudgeVerdict, ...]]:
        """All that one judge said, by the hash of the claim, in the order of its repeats; its failures too."""
        query = select(VERDICTS).where(VERDICTS.c.judge == judge).order_by(VERDICTS.c.claim, VERDICTS.c.slot)
        with self._reading() as connection:
            rows = connection.execute(query).all()
        found: dict[str, tuple[JudgeVerdict, ...]] = {}
        for row in rows:
            verdict = self._load(JudgeVerdict, row.record, f"verdict {row.claim[:12]}")
            found[row.claim] = (*found.get(row.claim, ()), verdict)
        return found

    def verdict(self, judge: str, claim: str) -> JudgeVerdict | None:
        """What a judge said of one claim, by its hash, the first time; None where it gave no verdict."""
        query = select(VERDICTS.c.record).where(
            VERDICTS.c.judge == judge, VERDICTS.c.claim == claim, VERDICTS.c.slot == 0, VERDICTS.c.judged == 1
        )
        with self._reading() as connection:
            record = connection.scalar(query)
        return None if record is None else self._load(JudgeVerdict, record, f"verdict {claim[:12]}")

    def set_calibration(self, calibration: Calibration) -> None:
        """Keep how a judge did, in the place of what was kept of it."""
        row = {"judge": calibration.judge, "record": self._dump(calibration)}
        with self._writing() as connection:
            connection.execute(_SET_CALIBRATION, row)

    def calibration(self, judge: str) -> Calibration | None:
        """How a judge did when it was measured last, or None where it never was."""
        with self._reading() as connection:
            record = connection.scalar(select(CALIBRATIONS.c.record).where(CALIBRATIONS.c.judge == judge))
        return None if record is None else self._load(Calibration, record, f"the calibration of judge {judge[:12]}")

    def open_check(self, identity: str) -> CheckRow | None:
        """The newest check of that identity, where it is not settled yet."""
        query = select(CHECKS).where(CHECKS.c.identity == identity).order_by(CHECKS.c.id.desc()).limit(1)
        with self._reading() as connection:
            row = connection.execute(query).first()
        if row is None or row.settled:
            return None
        return CheckRow(row.id, row.before_run, row.after_run, settled=False)

    def create_check(self, identity: str, before: Run, after: Run) -> CheckRow:
        """Tie two runs to one check, so that an interrupted check goes on with both."""
        with self._writing() as connection:
            result = connection.execute(
                insert(CHECKS).values(identity=identity, before_run=before.id, after_run=after.id, settled=0)
            )
            key = result.inserted_primary_key
        return CheckRow(key[0] if key else 0, before.id, after.id, settled=False)

    def settle_check(self, check: CheckRow) -> None:
        """The check came to its verdict: the next one starts anew."""
        with self._writing() as connection:
            connection.execute(update(CHECKS).where(CHECKS.c.id == check.id).values(settled=1))

    def _run(self, row: Row[Any]) -> Run:
        run = self._load(Run, row.record, f"run {row.id}")
        return replace(run, id=row.id, state=row.state, config=row.config, control=row.control)

    def _dump(self, record: Run | Trial | StoreListing | JudgeVerdict | Calibration) -> str:
        value = _adapter(type(record)).dump_python(record, mode="json", exclude_defaults=True)
        text = canonical_json(self._redact.value(value))
        # Half a surrogate pair is no text, and no file can hold it: U+FFFD stands in its place.
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")

    def _load(self, kind: type[R], record: str, what: str) -> R:
        try:
            return _adapter(kind).validate_json(record)
        except ValidationError as error:
            raise StoreError(f"{self._path}: {what} is damaged: {error.errors()[0]['msg']}") from error


_ADDING = sqlite_insert(TRIALS)
_ADD_TRIAL = _ADDING.on_conflict_do_update(
    index_elements=[TRIALS.c.run, TRIALS.c.case_id, TRIALS.c.repeat],
    set_={"answered": _ADDING.excluded.answered, "record": _ADDING.excluded.record},
    where=TRIALS.c.answered == 0,
)
_JUDGING = sqlite_insert(VERDICTS)
_ADD_VERDICT = _JUDGING.on_conflict_do_update(
    index_elements=[VERDICTS.c.judge, VERDICTS.c.claim, VERDICTS.c.slot],
    set_={"judged": _JUDGING.excluded.judged, "record": _JUDGING.excluded.record},
    where=VERDICTS.c.judged == 0,
)
_CALIBRATING = sqlite_insert(CALIBRATIONS)
_SET_CALIBRATION = _CALIBRATING.on_conflict_do_update(
    index_elements=[CALIBRATIONS.c.judge], set_={"record": _CALIBRATING.excluded.record}
)


_ADAPTERS: dict[type, TypeAdapter[Any]] = {}


def _adapter(kind: type[R]) -> TypeAdapter[R]:
    if kind not in _ADAPTERS:
        _ADAPTERS[kind] = TypeAdapter(kind)
    return _ADAPTERS[kind]
