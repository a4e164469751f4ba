"""Imports logs of other programs as history files, one a user."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO, Literal

from foldproof.cases.nodes import LARGEST_FILE, shown
from foldproof.cases.writing import write_atomically
from foldproof.core import PersonalRedactor, Redactor, UsageError, content_hash, nearest_of
from foldproof.logs import Called, History, ImportedSession, Said, Session, Tally, Turn, as_lines, read_logs

Extra = Literal["tools", "system", "interim"]
"""What can be written besides what user and agent said."""
_NAME = re.compile(r"[^\w.@+-]+")
_PSEUDONYM = re.compile(r"[a-z]+-[b-df-hj-np-tv-xz]{12}")
_NO_USER, _UNNAMED = "no-user", "session"
_NAMED = 8
_EARLIEST = datetime.min.replace(tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class LogImport:
    """What an import of logs read and wrote.

    `users` counts the sessions of each user, under the empty text those whose user the log does not tell. `silent`
    counts sessions in which nothing is said that would be written. `pseudonyms` counts what was replaced by them, by
    kind; None where personal data was left as it is.
    """

    format: str
    title: str
    told_by: str
    tally: Tally
    users: dict[str, int]
    silent: int
    written: tuple[Path, ...]
    pseudonyms: dict[str, int] | None = None


@dataclass(slots=True)
class _Line:
    """Where one session's line stands in the spool, and what it is sorted by."""

    id: str
    order: tuple[datetime, int]
    offset: int
    length: int


@dataclass(slots=True)
class _Spool:
    """The lines of all users, on disk: no more than one history is held in memory."""

    file: IO[bytes]
    users: dict[str, list[_Line]] = field(default_factory=dict)
    last: datetime = _EARLIEST
    number: int = 0

    def add(self, session: ImportedSession, turns: tuple[Turn, ...]) -> None:
        """Keep a session. One without a time stays behind the session before it."""
        started = session.started
        self.last = started.order if started else self.last
        self.number += 1
        line = as_lines(History("", (Session(session.id or _UNNAMED, turns, started.text if started else ""),)))[0]
        raw = json.dumps(line, ensure_ascii=False).encode() + b"\n"
        place = _Line(session.id or _UNNAMED, (self.last, self.number), self.file.tell(), len(raw))
        self.file.write(raw)
        self.users.setdefault(session.user, []).append(place)

    def lines(self, user: str) -> Iterator[bytes]:
        """The lines of a user, oldest first, each with an id of its own."""
        seen: Counter[str] = Counter()
        for line in sorted(self.users[user], key=lambda line: line.order):
            self.file.seek(line.offset)
            raw = self.file.read(line.length)
            seen[line.id] += 1
            if seen[line.id] == 1:
                yield raw
                continue
            name, number = line.id, seen[line.id]
            while (name := f"{line.id}-{number}") in seen:
                number += 1
            seen[name] += 1
            yield json.dumps({**json.loads(raw), "session": name}, ensure_ascii=False).encode() + b"\n"


def import_logs(
    paths: Sequence[Path],
    to: Path | None = None,
    *,
    format_name: str = "",
    user: str | None = None,
    extras: Sequence[Extra] = (),
    force: bool = False,
    redactor: Redactor | None = None,
) -> LogImport:
    """Read log files of one format, and write the talk in them as history files.

    `to` is a file ending in `.jsonl`, or a folder that gets one file a user; without it nothing is written. Only what
    user and agent said is written, and what `extras` name: folds, memory operations and sub-agents are counted, since
    they are nothing that a user said. Two users never share a history. Secrets are taken out; personal data is where
    the redactor is one for it, and then `user` may be the id of the log or its pseudonym.
    A file is written whole or not at all, and the same logs give the same bytes.

    Raises:
        UsageError: for logs that cannot be read, a target that is there (without `force`), several users and one
            file, a user who is not in the log, a history too large to be read, and a log in which nobody said anything.
    """
    single = to is not None and to.suffix == ".jsonl"
    _check_target(to, single=single, force=force)
    reading = read_logs(paths, format_name, redactor=redactor)
    personal = redactor if isinstance(redactor, PersonalRedactor) else None
    if user and personal is not None:
        user = _pseudonym(user, personal)
    users: Counter[str] = Counter()
    silent = 0
    with TemporaryFile() as file:
        spool = _Spool(file)
        for found in reading.sessions:
            session = replace(found, user=_pseudonym(found.user, personal)) if personal else found
            users[session.user] += 1
            turns = tuple(_turns(session, frozenset(extras)))
            silent += not turns
            if turns and user in {None, session.user}:
                spool.add(session, turns)
        told = dict(sorted(users.items()))
        if user is not None and user not in users:
            raise UsageError(f"no session of user '{user}' in the log\n  {nearest_of(user, filter(None, users))}")
        written = _write(spool, to, single=single, force=force) if to is not None else ()
    return LogImport(
        format=reading.format.name,
        title=reading.format.title,
        told_by=reading.why,
        tally=reading.tally,
        users=told,
        silent=silent,
        written=written,
        pseudonyms=dict(sorted(personal.pseudonyms.counts.items())) if personal else None,
    )


def _pseudonym(user: str, personal: PersonalRedactor) -> str:
    """The user's id as it is written: a pseudonym where users are among what is replaced."""
    clean = personal(user)
    if not user or "user" not in personal.pseudonyms.kinds or _PSEUDONYM.fullmatch(clean):
        return clean
    return personal.pseudonyms.of("user", clean)


def _check_target(to: Path | None, *, single: bool, force: bool) -> None:
    if to is None:
        return
    if single and to.is_dir():
        raise UsageError(f"{shown(to)}: a folder stands in the place of the history\n  name another file")
    if not single and (to.suffix or to.is_file()) and not to.is_dir():
        raise UsageError(f"{shown(to)}: a history is JSON lines\n  name a file ending in `.jsonl`, or a folder")
    if single:
        _check_free(to, force=force)


def _check_free(path: Path, *, force: bool) -> None:
    if path.exists() and not force:
        raise UsageError(f"{shown(path)}: the file is there already\n  name another, or write over it with --force")


def _turns(session: ImportedSession, extras: frozenset[str]) -> Iterator[Turn]:
    """The turns of a session that are written."""
    for entry in session.entries:
        if isinstance(entry, Called):
            if "tools" in extras:
                args = json.dumps(entry.args, ensure_ascii=False)
                yield Turn("tool", f"{entry.name} {args}\n{entry.result}" if entry.result else f"{entry.name} {args}")
        elif isinstance(entry, Said) and _written(entry, extras):
            yield Turn(entry.role, entry.text)


def _written(entry: Said, extras: frozenset[str]) -> bool:
    if entry.role == "system" and "system" not in extras:
        return False
    return entry.kind == "said" or (entry.kind == "interim" and "interim" in extras)


def _write(spool: _Spool, to: Path, *, single: bool, force: bool) -> tuple[Path, ...]:
    if not spool.users:
        raise UsageError(
            "nothing was said in these logs, so there is no history to write\n  look at the counts: leave --to out"
        )
    if single and len(spool.users) > 1:
        told = [f"{name or '(not told)'}: {len(lines)}" for name, lines in sorted(spool.users.items())]
        more = [f"{len(told) - _NAMED} more"] if len(told) > _NAMED else []
        raise UsageError(
            f"{shown(to)}: the log holds the sessions of {len(spool.users)} users ({', '.join(told[:_NAMED] + more)})\n"
            "  choose one with --user ID, or write one file a user with --to FOLDER"
        )
    places = {user: to if single else to / f"{_file_name(user)}.jsonl" for user in sorted(spool.users)}
    for user, path in places.items():
        _check_free(path, force=force)
        size = sum(line.length for line in spool.users[user])
        if size > LARGEST_FILE:
            raise UsageError(
                f"{shown(path)}: the history would have {size:,} bytes, and a set reads up to {LARGEST_FILE:,}\n"
                "  import fewer files, or choose a user"
            )
    for user, path in places.items():
        write_atomically(path, b"".join(spool.lines(user)))
    return tuple(places.values())


def _file_name(user: str) -> str:
    """The user's id as a file name; one that had to be changed gets a mark of its own, so that no two are one file."""
    if not user:
        return _NO_USER
    plain = _NAME.sub("-", user).strip(".-")[:60]
    if plain == user and plain != _NO_USER and plain == plain.lower():
        return plain
    return f"{plain or 'user'}-{content_hash(user)[:8]}"
