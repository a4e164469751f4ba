"""The page of `cliff`: a table a ratio for one round, a table a schedule for all rounds, the gate, what to look at."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from foldproof.cliff.label_wire import EVERY
from foldproof.report.cliff import (
    CliffDocument,
    CurveRow,
    FlipRow,
    ProbeRow,
    RoundPoint,
    SurvivalPoint,
    percent,
)
from foldproof.report.sheet import Mark, Part, Row, Sheet, verdict_mark, write_list
from foldproof.report.text import BRIEF, counted, inline

_FEW = 6
_LEGEND = {
    "*": "more tokens were kept than granted: no comparison",
    "?": "some lines could not be judged",
    "!": "the subject says that the budget cannot hold what must be kept",
}


def write_cliff(sheet: Sheet, document: CliffDocument) -> None:
    """The verdict, the tables, what stands beside them; with details every ratio by round, and intervals."""
    if document.verdict:
        sheet.line((document.verdict, verdict_mark(document.verdict)))
    for reason in document.reasons[: None if sheet.details else _FEW]:
        sheet.line(inline(reason, BRIEF), indent=2)
    more = len(document.reasons) - _FEW
    if more > 0 and not sheet.details:
        sheet.line(f"… and {counted(more, 'further reason')}; --json has them all", indent=2)
    sheet.blank()
    _write_head(sheet, document)
    for ratio in document.ratios:
        _write_first(sheet, document, ratio)
    for ratio in document.ratios if sheet.details else document.ratios[:1]:
        for schedule in document.schedules:
            _write_rounds(sheet, document, schedule, ratio)
    _write_legend(sheet, document)
    write_list(sheet, "who changes places", list(flip_lines(document)))
    write_list(sheet, "besides what is lost", list(sign_lines(document)))
    _write_remarks(sheet, document)
    _write_probes(sheet, document)
    _write_gate(sheet, document)
    _write_end(sheet, document)


def _write_head(sheet: Sheet, document: CliffDocument) -> None:
    corpus = document.corpus
    told = f"{counted(corpus.documents, 'document')}, {corpus.tokens:,} tokens"
    lines = counted(corpus.lines[EVERY], "labelled line")
    sheet.line(("corpus ", "quiet"), f"{inline(corpus.name)}: {told}, {lines}")
    classes = ", ".join(f"{inline(name)} {count}" for name, count in corpus.lines.items() if name != EVERY)
    sheet.line(("lines  ", "quiet"), classes)


def _write_first(sheet: Sheet, document: CliffDocument, ratio: float) -> None:
    """What one round leaves of each class: the first is the same under every schedule."""
    sheet.blank()
    sheet.line((f"after one round, {percent(ratio)} of the tokens granted", "strong"))
    names = [name for name in document.corpus.lines if name != EVERY]
    rows = []
    for row in first_rows(document, ratio):
        point = row.rounds[0]
        cells = [share_cell(point, name) for name in (*names, EVERY)]
        rows.append(Row((_name(row, document), _tokens(point), *cells)))
    sheet.table(rows, header=("subject", "kept", *map(inline, names), EVERY))


def _write_rounds(sheet: Sheet, document: CliffDocument, schedule: str, ratio: float) -> None:
    """What each round leaves of one class."""
    if document.rounds < 2:
        return
    sheet.blank()
    sheet.line((f"{inline(document.shown)} by round, {schedule}, {percent(ratio)}", "strong"))
    numbers = [str(number) for number in range(1, document.rounds + 1)]
    rows = []
    for row in rows_of(document, schedule, ratio):
        cells = [share_cell(point, document.shown) for point in row.rounds]
        cells += [""] * (document.rounds - len(cells))
        last = cliff_word(row, document), _tokens(row.rounds[-1])
        rows.append(Row((_name(row, document), *cells, *last), _intervals(sheet, row, document)))
    sheet.table(rows, header=("subject", *numbers, "cliff", "kept"))


def _intervals(sheet: Sheet, row: CurveRow, document: CliffDocument) -> tuple[str, ...]:
    if not sheet.details:
        return ()
    points = (point.classes[document.shown] for point in row.rounds)
    return ("95 %: " + ", ".join(interval_word(point) for point in points),)


def interval_word(point: SurvivalPoint) -> str:
    """`.41 to .62`, or a dash where there is none."""
    if point.low is None or point.high is None:
        return "-"
    return f"{_share(point.low)} to {_share(point.high)}"


def first_rows(document: CliffDocument, ratio: float) -> Iterator[CurveRow]:
    """The ceiling and each subject at a ratio, under the first schedule."""
    return rows_of(document, document.schedules[0], ratio)


def rows_of(document: CliffDocument, schedule: str, ratio: float) -> Iterator[CurveRow]:
    """The ceiling, then each subject, under a schedule at a ratio."""
    for row in (*document.ceiling, *document.curves):
        if row.schedule == schedule and row.ratio == ratio and row.rounds:
            yield row


def _name(row: CurveRow, document: CliffDocument) -> Part:
    return inline(row.subject) if row in document.curves else (f"({row.subject})", "quiet")


def _tokens(point: RoundPoint) -> str:
    return "" if point.retained is None else f"{100 * point.retained:.0f} %"


def share_cell(point: RoundPoint, name: str) -> str:
    """The share of a class in a round, with a mark for what makes it less than it seems."""
    found = point.classes[name]
    if found.share is None:
        return "?" if found.unjudged else "-"
    marks = ("*" if point.over_budget else "") + ("?" if found.unjudged else "") + ("!" if point.unsafe else "")
    return _share(found.share) + marks


def _share(share: float) -> str:
    return f"{share:.2f}".removeprefix("0")


def cliff_word(row: CurveRow, document: CliffDocument) -> str:
    """The first round in which less than half of the shown class survives; `?` where that cannot be said."""
    number = row.cliff[document.shown]
    earlier = row.rounds[: None if number is None else number - 1]
    if any(point.classes[document.shown].unjudged for point in earlier):
        return "?"
    return "none" if number is None else f"round {number}"


def _write_legend(sheet: Sheet, document: CliffDocument) -> None:
    cells = {share_cell(point, name) for row in document.curves for point in row.rounds for name in point.classes}
    sheet.blank()
    sheet.line(("Shares of labelled lines that survive, by their words. ", "quiet"), _ceiling_words(), indent=2)
    for mark, told in _LEGEND.items():
        if any(mark in cell for cell in cells):
            sheet.line((f"{mark} ", "strong"), told, indent=2)
    if told := _widest(document):
        sheet.line((told, "quiet"), indent=2)


def _ceiling_words() -> Part:
    return "(ceiling) is no method: the most lines of a class that the budget could hold whole.", "quiet"


def _widest(document: CliffDocument) -> str:
    """How far the shares of the shown class may be off."""
    widths = [
        point.high - point.low
        for row in document.curves
        for point in (one.classes[document.shown] for one in row.rounds)
        if point.low is not None and point.high is not None
    ]
    if not widths:
        return ""
    return (
        f"Intervals (95 %) of {inline(document.shown)} over documents are up to {_share(max(widths))} wide;"
        " --details and --json have each."
    )


def flip_lines(document: CliffDocument) -> Iterator[str]:
    """Who keeps more under one schedule, and less under another."""
    flips = document.flips
    told = [_flip_words(flip) for flip in flips[:_FEW]]
    if len(document.schedules) > 1 and len(document.subjects) > 1 and not flips:
        told = [f"nobody: the ranking by {inline(document.shown)} is the same under every schedule"]
    if len(flips) > _FEW:
        told.append(f"… and {counted(len(flips) - _FEW, 'further pair')}; --json has them all")
    return iter(told)


def _flip_words(flip: FlipRow) -> str:
    first, second = inline(flip.first), inline(flip.second)
    one, other = (tuple(map(_share, shares)) for shares in (flip.shares, flip.but_shares))
    return (
        f"{first} is ahead of {second} under {flip.under} ({one[0]} to {one[1]}) and behind it under"
        f" {flip.but_under} ({other[0]} to {other[1]}), at {percent(flip.ratio)}"
    )


def sign_lines(document: CliffDocument) -> Iterator[str]:
    """What a subject's rounds showed beside what is lost, counted over all of them."""
    for subject in document.subjects:
        counts: Counter[str] = Counter()
        for point in (point for row in document.curves if row.subject == subject for point in row.rounds):
            counts["degraded lines"] += point.classes[EVERY].degraded
            counts["stale lines"] += point.stale
            counts["invented rules"] += point.invented
            counts["unsafe rounds"] += point.unsafe
            for state, count in point.states.items():
                counts[f"rounds: {state}"] += count if state != "ok" else 0
        told = ", ".join(f"{name} {count}" for name, count in counts.items() if count)
        if told:
            yield f"{inline(subject)}: {told}"


def _write_remarks(sheet: Sheet, document: CliffDocument) -> None:
    shown = document.remarks if sheet.details else document.remarks[:_FEW]
    lines = [
        f"{row.sign}{f' ({row.lack})' if row.lack else ''}, {inline(row.subject)}, round {row.round}, "
        f"{inline(row.document)}{f':{row.line}' if row.line else ''}: {inline(row.text, BRIEF)}"
        for row in shown
    ]
    write_list(sheet, "to look at", lines)
    if more := sum(document.remarks_in_all.values()) - len(shown):
        sheet.line(f"… and {counted(more, 'further remark')}; --json has the first 200", indent=2)


_RETENTION = (
    "Right choices of the model when it works by the document without the line, by the output, by the document with the"
    " line said once more, by the whole document. kept = (after - without) / (restated - without)."
)


def _write_probes(sheet: Sheet, document: CliffDocument) -> None:
    if not document.probes:
        return
    sheet.blank()
    sheet.line(("what a model still does: effective retention", "strong"))
    rows = [
        Row(
            (
                inline(row.subject),
                f"{row.schedule} {percent(row.ratio)}",
                f"{row.round}",
                inline(row.line_class),
                "-" if row.retention is None else f"{row.retention:.2f}",
                f"{row.without}",
                f"{row.compacted}",
                f"{row.restated}",
                f"{row.full}" if row.full_of == row.of else f"{row.full}/{row.full_of}",
                f"{row.of}",
            ),
            under=tuple(filter(None, (row.reason, _without_choice(row)))),
        )
        for row in document.probes
    ]
    told = ("subject", "schedule", "round", "class", "kept", "without", "after", "restated", "whole", "of")
    sheet.table(rows, header=told)
    sheet.blank()
    sheet.line((_RETENTION, "quiet"), indent=2)


def _without_choice(row: ProbeRow) -> str:
    """How many questions are left out, and what came of those of the round itself."""
    kinds = ((row.undecided, "undecided"), (row.invalid, "invalid"), (row.errors, "errors"))
    named = ", ".join(f"{count} {word}" for count, word in kinds if count)
    after = f"; after the round: {named}" if named else ""
    return f"{counted(row.unsettled, 'question')} without a choice left out{after}" if row.unsettled else ""


def _write_gate(sheet: Sheet, document: CliffDocument) -> None:
    if not document.gate:
        return
    sheet.blank()
    sheet.line(("gate", "strong"))
    sheet.table([_gate_row(document, at) for at in range(len(document.gate))], header=("asked", "of", "got", ""))


def _gate_row(document: CliffDocument, at: int) -> Row:
    row = document.gate[at]
    word = "undecided" if row.ok is None else "ok" if row.ok else "blocked"
    mark: Mark = verdict_mark(word)
    where = f"{inline(row.subject)}, {row.schedule}, {percent(row.ratio)}"
    return Row(
        (inline(row.demand), where, f"{row.got} of {row.of}", (word, mark)), under=(row.reason,) if row.reason else ()
    )


def _write_end(sheet: Sheet, document: CliffDocument) -> None:
    write_list(sheet, "failed", list(_failures(document)))
    notes: Sequence[str] = [inline(note) for note in document.notes]
    write_list(sheet, "to know", [*notes, *([f"cost {document.cost_usd:.4f} USD"] if document.cost_usd else [])])
    write_list(sheet, "written", [inline(name) for name in document.written])
    write_list(sheet, "next", [inline(step) for step in document.next])
    if document.gate:
        sheet.blank()
        sheet.line((document.meaning, "quiet"))


def _failures(document: CliffDocument) -> Iterator[str]:
    """Each way in which a subject failed once, with how often and where first."""
    counts = Counter((one.subject, one.error) for one in document.failed if one.state != "skipped")
    for (subject, error), count in list(counts.items())[:_FEW]:
        first = next(one for one in document.failed if (one.subject, one.error) == (subject, error))
        where = f"{inline(first.document)}, round {first.round}" + (f" and {count - 1} more" if count > 1 else "")
        yield f"{inline(subject)}: {inline(error, BRIEF)} ({where})"
