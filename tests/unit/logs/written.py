"""Logs written for a test, read, and told in one line an entry."""

from __future__ import annotations

import json
from dataclasses import dataclass

from foldproof.core import Redactor
from foldproof.logs import Called, Fold, ImportedSession, MemoryOperation, Said, Tally, read_logs


@dataclass
class Log:
    """What was read of one log."""

    format: str
    sessions: list[ImportedSession]
    tally: Tally

    @property
    def only(self):
        (session,) = self.sessions
        return session

    def by_id(self):
        return {session.id: session for session in self.sessions}


def told(session):
    """The entries of a session, one text each."""
    return [_told(entry) for entry in session.entries]


def _told(entry):
    if isinstance(entry, Said):
        return f"{entry.role}: {entry.text}" if entry.kind == "said" else f"({entry.kind}) {entry.role}: {entry.text}"
    if isinstance(entry, Called):
        failed = "!" if entry.failed else ""
        by = "" if entry.by == "agent" else f" by {entry.by}"
        return f"call{by} {entry.name} {json.dumps(dict(entry.args))} ->{failed} {entry.result}"
    if isinstance(entry, MemoryOperation):
        return f"{entry.kind} {entry.via}: {entry.text} {[item.text for item in entry.items]}"
    if isinstance(entry, Fold):
        return f"fold {entry.kind}: {entry.text}"
    return f"unknown {entry.kind}"


def lines(*records):
    """JSON lines; a text stands as it is."""
    return "".join((record if isinstance(record, str) else json.dumps(record)) + "\n" for record in records)


def read_all(paths, format_name=""):
    reading = read_logs(paths, format_name, redactor=Redactor({}))
    sessions = list(reading.sessions)
    return Log(reading.format.name, sessions, reading.tally)
