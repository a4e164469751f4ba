"""The log of a holdout: who sealed and opened it, when and on which commit; each line carries the hash of the last."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from itertools import pairwise
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, ValidationError

from foldproof.cases.git import GitError, Repository
from foldproof.cases.holdout import HoldoutError
from foldproof.cases.nodes import read_bytes, shown
from foldproof.core import FileError, Problem, canonical_json

Act = Literal["sealed", "opened", "judged"]
VERSION = 1
"""Of the log; a newer one is refused."""
_START = "0" * 64


@dataclass(frozen=True, slots=True)
class LogEntry:
    """One line. `opened` is written before the first question is asked, `judged` with the verdict when it is there.

    `number` counts from 1, `before` is the hash of the line before. `details` are those of the act: `file` and `set`
    are hashes of the sealed file and its content; `config`, `config_sha256`, `opening`, `verdict`, `classes`.
    """

    number: int
    before: str
    act: Act
    who: str
    at: str
    commit: str
    details: Mapping[str, Any] = field(default_factory=dict)

    @property
    def line(self) -> str:
        """The line as the file has it, without its end."""
        known = {
            "version": VERSION,
            "number": self.number,
            "before": self.before,
            "act": self.act,
            "who": self.who,
            "at": self.at,
            "commit": self.commit,
        }
        return canonical_json({**known, **self.details})

    @property
    def sha256(self) -> str:
        """The hash that the next line carries."""
        return hashlib.sha256(self.line.encode()).hexdigest()


class _EntryWire(BaseModel):
    """A line as the file has it; what belongs to the act stands beside these."""

    model_config = ConfigDict(extra="allow", strict=True, defer_build=True)

    version: Literal[1]
    number: int
    before: str
    act: Act
    who: str
    at: str
    commit: str


def read_log(path: Path) -> tuple[LogEntry, ...]:
    """The entries of a log; none where there is no file.

    Raises:
        FileError: for a line that was changed, removed, added or moved, with its place, and for a newer version.
    """
    if not path.exists():
        return ()
    return _entries(read_bytes(path), shown(path))


def _entries(raw: bytes, place: str) -> tuple[LogEntry, ...]:
    entries: list[LogEntry] = []
    before = _START
    for line, text in _lines(raw):
        entry = _entry(text)
        wrong = ""
        if entry is None and _newer(text):
            wrong = f"the line has a newer version than {VERSION}, up to which this version of foldproof reads"
        elif entry is None:
            wrong = "the line is no entry of this log, or was changed"
        elif entry.number != line:
            wrong = f"entry {entry.number} stands in line {line}: a line was removed, added or moved"
        elif entry.before != before:
            last = f"line {line - 1} was changed or replaced" if line > 1 else "the log does not begin here"
            wrong = f"entry {entry.number} does not follow from the one before: {last}"
        if entry is None or wrong:
            hint = "take the log from git: it is only ever added to"
            raise FileError([Problem(place, line, wrong, hint, rule="holdout-log")])
        entries.append(entry)
        before = entry.sha256
    return tuple(entries)


def _lines(raw: bytes) -> Iterator[tuple[int, str]]:
    text = raw.decode("utf-8", "replace").replace("\r\n", "\n")
    lines = text.split("\n")
    if lines[-1] == "":
        lines.pop()
    yield from enumerate(lines, 1)


def _newer(text: str) -> bool:
    try:
        version = json.loads(text)["version"]
    except (ValueError, TypeError, LookupError, RecursionError):
        return False
    return isinstance(version, int) and version > VERSION


def _entry(text: str) -> LogEntry | None:
    """The entry of a line, None where the line is not as an entry is written."""
    try:
        wire = _EntryWire.model_validate_json(text)
    except ValidationError:
        return None
    entry = LogEntry(wire.number, wire.before, wire.act, wire.who, wire.at, wire.commit, wire.model_extra or {})
    return entry if entry.line == text else None


def append_entry(path: Path, act: Act, *, who: str, commit: str, details: Mapping[str, Any]) -> LogEntry:
    """Add a line to a log whose lines were read and found whole.

    Raises:
        FileError: where the log is not whole.
        HoldoutError: where it cannot be written, or another process writes to it.
    """
    from filelock import FileLock, Timeout  # tries out the file system when it is imported

    lock = FileLock(path.with_name(f"{path.name}.lock"))
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with lock.acquire(timeout=10):
            entries = read_log(path)
            at = datetime.now(UTC).isoformat(timespec="seconds")
            before = entries[-1].sha256 if entries else _START
            entry = LogEntry(len(entries) + 1, before, act, who, at, commit, dict(sorted(details.items())))
            with path.open("a", encoding="utf-8", newline="\n") as file:
                file.write(entry.line + "\n")
            Path(lock.lock_file).unlink(missing_ok=True)
    except Timeout:
        raise HoldoutError(f"{shown(path)} is being written by another process\n  wait for it") from None
    except OSError as error:
        raise HoldoutError(f"{shown(path)}: the log cannot be written: {error.strerror}") from error
    return entry


def openings(entries: tuple[LogEntry, ...]) -> int:
    """How often the set that was sealed last was opened; sealing the same set anew does not begin a new count."""
    sealed = [entry.details.get("set") for entry in entries if entry.act == "sealed"]
    return sum(entry.act == "opened" and (not sealed or entry.details.get("set") == sealed[-1]) for entry in entries)


def log_problems(path: Path, sealed: Path | None, *, repository: Repository | None = None) -> list[str]:
    """What is wrong with a log beyond its chain: that its end was cut off, or all of it written anew.

    Held against it are the versions that git has, each of which must begin the next, and the hash of the sealed file.

    Raises:
        FileError: where the chain itself is broken.
        GitError: where git cannot tell the versions.
    """
    entries = read_log(path)
    found = []
    if sealed is not None and sealed.exists():
        said = [entry.details.get("file") for entry in entries if entry.act == "sealed"]
        if not said:
            found.append(
                f"the log {shown(path)} says nothing of the sealing of {shown(sealed)}: it is gone, or not its log"
            )
        elif said[-1] != file_hash(sealed):
            found.append(f"{shown(sealed)} is not the file that was sealed last by the log {shown(path)}")
    if repository is not None:
        found += _rewritten(path, repository)
    return found


def _rewritten(path: Path, repository: Repository) -> Iterator[str]:
    """Where a committed version of the log does not begin the one that follows it."""
    now = path.read_bytes() if path.exists() else b""
    try:
        repository.name_of(path.absolute())
    except GitError:
        return  # a log outside of the repository has no versions there
    versions = [*repository.versions(path.absolute()), ("the working folder", now)]
    for (commit, old), (later, new) in pairwise(versions):
        if not _plain(new).startswith(_plain(old)):
            yield f"the log of commit {commit[:12]} is not the beginning of the one in {later[:18]}: lines are missing"


def _plain(raw: bytes) -> bytes:
    return raw.replace(b"\r\n", b"\n")


def file_hash(path: Path) -> str:
    """SHA-256 of a sealed file, whatever the ends of its lines."""
    return hashlib.sha256(_plain(read_bytes(path))).hexdigest()
