"""What an import counted: nothing of a log is lost without a number that says so."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

from foldproof.core import Problem
from foldproof.logs.imported import Called, Fold, ImportedSession, MemoryOperation, Said

NAMED = 20
"""Broken lines that are named; the others are counted only."""
_KIND_LENGTH = 60


@dataclass(slots=True)
class Tally:
    """The counts of one reading; they grow while the sessions are read and are whole at its end.

    `turns` counts talk by role, `aside` what stands in the log but is no talk, by kind. `unknown` counts kinds that the
    importer does not know. `notes` say what the log cannot show.
    """

    records: int = 0
    sessions: int = 0
    turns: Counter[str] = field(default_factory=Counter)
    aside: Counter[str] = field(default_factory=Counter)
    tool_calls: int = 0
    unanswered: int = 0
    memory_reads: int = 0
    memory_writes: int = 0
    folds: Counter[str] = field(default_factory=Counter)
    sidechains: int = 0
    abandoned: int = 0
    repeats: int = 0
    naive_times: int = 0
    without_time: int = 0
    broken: int = 0
    problems: list[Problem] = field(default_factory=list)
    unknown: Counter[str] = field(default_factory=Counter)
    notes: list[str] = field(default_factory=list)

    def wrong(self, file: str, line: int, message: str) -> None:
        """Count a line that cannot be read; the first ones are named."""
        self.broken += 1
        if len(self.problems) < NAMED:
            self.problems.append(Problem(file, line, message, severity="warning", rule="log"))

    def strange(self, kind: object) -> None:
        """Count a record of a kind that nobody knows."""
        self.unknown[str(kind).encode("utf-8", "replace").decode()[:_KIND_LENGTH] or "(no kind)"] += 1

    def note(self, text: str) -> None:
        """Say once what this log cannot show."""
        if text not in self.notes:
            self.notes.append(text)

    def take(self, session: ImportedSession) -> None:
        """Count what one session holds."""
        self.sessions += 1
        started = session.started
        self.without_time += started is None
        self.naive_times += started is not None and started.naive
        self._entries(session)
        self.sidechains += len(session.sidechains)
        self.abandoned += session.abandoned

    def _entries(self, session: ImportedSession) -> None:
        for entry in session.entries:
            if isinstance(entry, Said):
                if entry.kind == "said":
                    self.turns[entry.role] += 1
                else:
                    self.aside[entry.kind] += 1
            elif isinstance(entry, Called):
                self.tool_calls += 1
                self.unanswered += entry.result is None
            elif isinstance(entry, MemoryOperation):
                self.memory_reads += entry.kind == "read"
                self.memory_writes += entry.kind == "write"
            elif isinstance(entry, Fold):
                self.folds[entry.kind] += 1
            else:
                self.strange(entry.kind)
