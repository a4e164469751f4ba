"""What reports say of sets made of a benchmark: the data, its disputed keys, the recall of the sources. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from pydantic import Field

from foldproof.cases import DISPUTED_SOURCE, ReplaySet
from foldproof.compare.disputed import KeyFigures
from foldproof.record import Trial
from foldproof.report.explained import DataInfo, Document
from foldproof.report.text import counted, inline
from foldproof.score.recall import RecallAt, run_recall


class KeyRow(Document):
    """The judged cases of one tag, or of the whole set, whose keys are in part said to be wrong."""

    name: str = Field(description="the tag; empty for all cases")
    cases: int
    passed: int
    wrong: int = Field(description="cases whose key is said to be wrong")
    passed_wrong: int = Field(description="those of them that pass")
    ceiling: int = Field(description="the most cases that can pass without agreeing with a wrong key")
    above: bool


class RecallRow(Document):
    """The share of the sources among the first `k` items, and how often any and all of them were there."""

    k: int
    recall: float
    any: float
    all: float


class RecallGroup(Document):
    """The recall of some cases; the last row is that of all that was given."""

    name: str = Field(description="the tag; empty for all cases that name a source")
    cases: int
    at: list[RecallRow]


class RecallPart(Document):
    """The recall of the turns that cases name as their source; informs only."""

    groups: list[RecallGroup]
    untraced: int = Field(default=0, description="cases of which nothing shows whether the source was given")


DISPUTED_HEADING = "disputed keys, which decide nothing"
RECALL_HEADING = "turns named as sources, among what was retrieved (they inform)"
RECALL_HEADER = ("", "items", "recall", "any", "all")


def key_rows(figures: Iterable[KeyFigures]) -> list[KeyRow]:
    """The figures of disputed keys as a document holds them."""
    return [
        KeyRow(
            name=one.name,
            cases=one.cases,
            passed=one.passed,
            wrong=one.wrong,
            passed_wrong=one.passed_wrong,
            ceiling=one.ceiling,
            above=one.above,
        )
        for one in figures
    ]


def recall_part(replay_set: ReplaySet, trials: Iterable[Trial]) -> RecallPart | None:
    """The recall of a run as a document holds it; None where no case names a source that could be looked for."""
    found = run_recall(replay_set, trials)
    if not found.groups:
        return None
    groups = [RecallGroup(name=one.name, cases=one.cases, at=[_row(at) for at in one.at]) for one in found.groups]
    return RecallPart(groups=groups, untraced=found.untraced)


def _row(at: RecallAt) -> RecallRow:
    return RecallRow(k=at.k, recall=round(at.recall, 4), any=round(at.any, 4), all=round(at.all, 4))


def data_word(info: DataInfo | None) -> str:
    """The data on a line, where there is any: its name, its hash, that of the list of wrong keys."""
    if info is None:
        return ""
    keys = f", wrong keys {inline(info.quarantine)[:12]}" if info.quarantine else ""
    return f"{inline(info.name)} {inline(info.sha256)[:12]}{keys}"


def key_lines(rows: Sequence[KeyRow], disputed: int, passed: int) -> list[str]:
    """How many of the disputed cases pass, and where a run is above what the wrong keys allow."""
    lines = [f"{passed} of {counted(disputed, 'disputed case')} pass"] if disputed else []
    for row in rows:
        name = inline(row.name) or "all cases"
        if row.above:
            above = f"{row.passed} of {row.cases} pass, above the {row.ceiling} that the keys allow"
            why = "these keys are right after all, or the run agrees with errors"
            lines.append(f"{name}: {above} (said to be wrong: {row.wrong}): {why}")
        elif not row.name:
            told = f"{row.ceiling} of {row.cases} is the most that can pass without a wrong key"
            lines.append(f"{told} (said to be wrong: {row.wrong}, of which {row.passed_wrong} pass)")
    return lines


def recall_rows(part: RecallPart | None, side: str = "") -> list[tuple[str, ...]]:
    """Rows for all cases, and for those whose source is disputed; `side` is "before" or "after" in a check."""
    if part is None:
        return []
    rows = [
        (
            _words(group, side) if row is group.at[0] else "",
            f"{'all' if row is group.at[-1] else 'first'} {row.k}",
            *map(_share, (row.recall, row.any, row.all)),
        )
        for group in part.groups
        if group.name in ("", DISPUTED_SOURCE)
        for row in group.at
    ]
    told = f"{counted(part.untraced, 'more case')}: nothing shows which turns were retrieved"
    return [*rows, (told, "", "", "", "")] if part.untraced else rows


def _words(group: RecallGroup, side: str) -> str:
    told = [side, counted(group.cases, "case"), "source disputed" if group.name else ""]
    return ", ".join(filter(None, told))


def _share(value: float) -> str:
    return f"{value:.3f}"
