"""The cliff on 50 real instruction files, with labels made by reading: reference subjects, every class, every schedule.

The files are not part of the project: DIR is the folder that `benchmarks/agents_md.py` draws from. Printed are what one
round keeps of each class, what five rounds keep of the rules under each schedule, how `head` and `tail` stand to each
other, and what `triage` would seem to keep if its own rules had given the labels.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

import anyio
from agents_md import LABELS

from foldproof.cliff import Label, Labels, lines_of, load_labels, read_corpus, save_labels
from foldproof.cliff.comparing import Flip
from foldproof.cliff.curves import Curve
from foldproof.compaction import CLASS_OF, by_rules
from foldproof.workflow.cliff import CliffOptions, CliffReport, run_cliff

RULE = "safety"
PAIR = {"head", "tail"}


@dataclass(frozen=True)
class Row:
    """One line of a table: what it is of, and its shares, one text for each column."""

    name: str
    cells: tuple[str, ...]


def measure(folder: Path) -> CliffReport:
    """All rounds of all reference subjects, scored; 50, 25 and 10 %, five rounds, every schedule."""
    return anyio.run(run_cliff, CliffOptions(corpus=folder, labels=LABELS))


def _told(share: float | None) -> str:
    if share is None:
        return "—"
    return f"{share:.2f}".removeprefix("0")


def _curves(report: CliffReport, schedule: str, ratio: float) -> dict[str, Curve]:
    """By subject, the ceiling last."""
    every = (*report.result.curves, *report.result.ceiling)
    return {curve.key.subject: curve for curve in every if curve.key[1:] == (schedule, ratio)}


def one_round(report: CliffReport) -> list[Row]:
    """What the first round keeps of each class at each ratio, and of the tokens; it is the same under all schedules."""
    first = report.options.schedules[0]
    by_ratio = [_curves(report, first, ratio) for ratio in report.options.ratios]
    rows = []
    for subject in by_ratio[0]:
        curves = [curves[subject] for curves in by_ratio]
        cells = [" / ".join(_told(curve.points[name][0].share) for curve in curves) for name in report.result.totals]
        rows.append(Row(subject, (*cells, " / ".join(_told(curve.levels[0].retained) for curve in curves))))
    return rows


def by_round(report: CliffReport, ratio: float) -> list[Row]:
    """What each round keeps of the rules, under each schedule."""
    by_schedule = [_curves(report, schedule, ratio) for schedule in report.options.schedules]
    return [
        Row(subject, tuple(" ".join(_told(p.share) for p in curves[subject].points[RULE]) for curves in by_schedule))
        for subject in by_schedule[0]
    ]


def retained(report: CliffReport, ratio: float) -> Row:
    """The share of tokens that the last round was granted, under each schedule."""
    by_schedule = [_curves(report, schedule, ratio) for schedule in report.options.schedules]
    granted = [curves["ceiling"].levels[-1] for curves in by_schedule]
    return Row("tokens granted in the last round", tuple(f"{level.granted / level.size:.1%}" for level in granted))


def flips(report: CliffReport) -> tuple[Flip, ...]:
    """Where `head` keeps more of the rules under one schedule and `tail` under another."""
    return tuple(flip for flip in report.result.flips if {flip.first, flip.second} == PAIR)


def by_own_rules(folder: Path) -> tuple[Row, int]:
    """What one round of `triage` keeps of the rules where its own rules are the labels, and how many those are.

    This is what is *not* to be done: it shows how much of a high figure may come from labels of the same kind.
    """
    labels = load_labels(LABELS)
    kinds = {}
    for document in read_corpus(folder, only=labels.documents):
        lines = lines_of(document)
        for line, kind in zip(lines, by_rules([line.text for line in lines]), strict=True):
            kinds[line.document, line.sha256, line.number] = CLASS_OF[kind]
    given = tuple(Label(label.document, label.sha256, kinds[label.at], label.number) for label in labels.labels)
    with TemporaryDirectory() as scratch:
        place = Path(scratch) / "labels.yaml"
        save_labels(place, Labels(given))
        options = CliffOptions(("triage",), corpus=folder, labels=place, schedules=("progressive",), rounds=1)
        report = anyio.run(run_cliff, options)
    shares = (_told(curve.points[RULE][0].share) for curve in report.result.curves)
    return Row("triage", (" / ".join(shares),)), report.result.totals[RULE]


def _table(header: Sequence[str], rows: Sequence[Row], *, markdown: bool) -> Iterator[str]:
    if markdown:
        yield f"| {' | '.join(header)} |"
        yield "|---" * len(header) + "|"
        yield from (f"| {' | '.join((_named(row.name), *row.cells))} |" for row in rows)
    else:
        widths = [
            max(map(len, column)) for column in zip(header, *((row.name, *row.cells) for row in rows), strict=True)
        ]
        for cells in (header, *((row.name, *row.cells) for row in rows)):
            yield "  " + "  ".join(cell.ljust(width) for cell, width in zip(cells, widths, strict=True)).rstrip()
    yield ""


def _named(subject: str) -> str:
    return subject if " " in subject else f"`{subject}`"


def tables(report: CliffReport, *, markdown: bool) -> Iterator[str]:
    """What one round keeps, then what five do."""
    ratios = [f"{ratio:.0%}" for ratio in report.options.ratios]
    yield f"one round, {' / '.join(ratios)} of the tokens granted\n"
    header = ("subject", *(f"{name} ({count})" for name, count in report.result.totals.items()), "tokens kept")
    yield from _table(header, one_round(report), markdown=markdown)
    for ratio, told in zip(report.options.ratios, ratios, strict=True):
        yield f"{RULE}, rounds 1 to {report.options.rounds} at {told}\n"
        rows = [*by_round(report, ratio), retained(report, ratio)]
        yield from _table(("subject", *report.options.schedules), rows, markdown=markdown)


def remarks(report: CliffReport) -> Iterator[str]:
    """How `head` and `tail` stand to each other."""
    found = {flip.ratio: flip for flip in flips(report)}
    for ratio in report.options.ratios:
        if flip := found.get(ratio):
            ahead = f"{flip.first} is ahead of {flip.second} under {flip.under} ({_told(flip.shares[0])} to "
            behind = f"{_told(flip.shares[1])}), and behind it under {flip.but_under} ({_told(flip.but_shares[0])} to "
            yield f"{ratio:.0%}: {ahead}{behind}{_told(flip.but_shares[1])})"
        else:
            yield f"{ratio:.0%}: head and tail do not change places by .02 or more"


def as_data(report: CliffReport) -> dict[str, object]:
    """The same for a program."""
    return {
        "totals": dict(report.result.totals),
        "one_round": {row.name: row.cells for row in one_round(report)},
        "by_round": {
            ratio: {row.name: row.cells for row in by_round(report, ratio)} for ratio in report.options.ratios
        },
        "flips": sorted(flip.ratio for flip in flips(report)),
    }


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True, metavar="DIR")
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--markdown", action="store_true", help="tables as they stand in docs/cliff.md")
    arguments = parser.parse_args()
    if not (arguments.data / "index.json").is_file():
        raise SystemExit(f"{arguments.data}: holds no index.json\n  name the folder `agents_md`")
    begun = time.perf_counter()
    found = measure(arguments.data)
    took = time.perf_counter() - begun
    if arguments.json:
        print(json.dumps({**as_data(found), "seconds": took}))
    else:
        print("\n".join((*tables(found, markdown=arguments.markdown), *remarks(found))))
        own, count = by_own_rules(arguments.data)
        print(f"triage where its own rules give the labels ({count} {RULE}), one round: {own.cells[0]}")
        size = f"{len(found.result.sizes)} documents, {sum(found.result.sizes.values())} tokens"
        print(f"{size}, {found.asked} rounds: {took:.0f} s, {time.process_time():.0f} of them of this process")
