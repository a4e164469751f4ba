"""The page of `triage`: the counts, the chosen cases and why, the backlog with its owners, and what is undecided."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from foldproof.compare.diff import count_owners
from foldproof.compare.triage import Bucket, Doubt
from foldproof.report.pages.tables import run_line, set_line
from foldproof.report.sheet import Row, Sheet, verdict_mark, write_list
from foldproof.report.text import BRIEF, counted, inline
from foldproof.report.triage import TriagedCase, TriageDocument

_SHOWN = 5
_MEANS: dict[Bucket, str] = {
    "needs no memory": "passes with the memory cut off: dropped",
    "keep": "fails with the memory cut off, passes with it",
    "canary": "the same, and chosen: it must pass before and after",
    "backlog": "fails with the memory, passes with its facts told: no regression",
    "broken": "fails with its facts told, or is beyond the agent",
    "undecided": "nobody can say",
}
_DOUBTS: dict[Doubt, str] = {
    "no fact": "no fact could be drafted, so they expect nothing yet",
    "error": "a trial was not judged",
    "flaky": "their trials with the memory disagree",
    "no oracle": "they fail with the memory, and can have no oracle",
}


def write_triage(sheet: Sheet, document: TriageDocument) -> None:
    """The sentence, the buckets, what was chosen and why, then what was not; with details every case."""
    sheet.line((f"{document.verdict}.", verdict_mark(document.verdict)), f" {document.summary}")
    for reason in document.reasons:
        sheet.line(f"because {inline(reason, 2 * BRIEF)}", indent=2)
    sheet.blank()
    _write_counts(sheet, document)
    _write_chosen(sheet, document)
    _write_backlog(sheet, [case for case in document.cases if case.bucket == "backlog"])
    _write_rest(sheet, "broken", [case for case in document.cases if case.bucket == "broken"])
    for doubt, told in _DOUBTS.items():
        _write_rest(sheet, f"undecided: {told}", [case for case in document.cases if case.doubt == doubt])
    if sheet.details:
        _write_rest(sheet, "needs no memory", _of(document, "needs no memory"))
        _write_rest(sheet, "answerable, not chosen", [case for case in _of(document, "keep") if not case.chosen])
    write_list(sheet, "notes", [inline(note, BRIEF) for note in document.notes])
    sheet.blank()
    for run in document.runs:
        sheet.line(("run: ", "quiet"), run_line(run))
    sheet.line(("set: ", "quiet"), set_line(document.set))
    write_list(sheet, "written", _files(document.written))
    write_list(sheet, "next", [inline(step) for step in document.next])


def _of(document: TriageDocument, bucket: Bucket) -> list[TriagedCase]:
    return [case for case in document.cases if case.bucket == bucket]


def _write_counts(sheet: Sheet, document: TriageDocument) -> None:
    logged, others = (sum(getattr(row, side) for row in document.counts) for side in ("logged", "others"))
    sides = [("logged", logged), ("others" if logged else "cases", others)]
    shown = [place for place, (_, total) in enumerate(sides) if total]
    rows = [
        Row((row.bucket, *(str((row.logged, row.others)[place]) for place in shown), _MEANS[row.bucket]))
        for row in document.counts
    ]
    rows.append(Row((("all", "strong"), *((str(sides[place][1]), "strong") for place in shown), "")))
    sheet.table(rows, header=("", *(sides[place][0] for place in shown), ""))


def _write_chosen(sheet: Sheet, document: TriageDocument) -> None:
    by_id = {case.id: case for case in document.cases}
    chosen = [by_id[case_id] for case_id in document.chosen]
    if not chosen:
        return
    sheet.blank()
    classes = Counter("canary" if case.bucket == "canary" else case.case_class for case in chosen)
    told = ", ".join(f"{inline(name)} {document.gate.get(name, count)}" for name, count in classes.items())
    sheet.line((f"chosen: {len(chosen)}", "strong"), f" ({told})")
    rows = [
        Row((inline(case.id), case.bucket, inline(case.chosen)), under=(_asks(case),) if sheet.details else ())
        for case in chosen
    ]
    sheet.table(rows, header=("case", "", "why"))


def _asks(case: TriagedCase) -> str:
    facts = ", ".join(f"'{inline(fact)}'" for fact in case.facts)
    source = f" (source {', '.join(map(inline, case.source))})" if case.source else ""
    return f"{inline(case.question, BRIEF)} expects {facts or 'no fact'}{source}"


def _write_backlog(sheet: Sheet, cases: Sequence[TriagedCase]) -> None:
    if not cases:
        return
    owners = count_owners(case.owner for case in cases)
    told = ", ".join(f"{owner} {count}" for owner, count in owners.items())
    sheet.blank()
    sheet.line((f"backlog: {len(cases)}", "strong"), f" (lost at {told})")
    _write_cases(sheet, cases)


def _write_rest(sheet: Sheet, title: str, cases: Sequence[TriagedCase]) -> None:
    if not cases:
        return
    sheet.blank()
    sheet.line((title, "strong"), f": {len(cases)}")
    _write_cases(sheet, cases)


def _write_cases(sheet: Sheet, cases: Sequence[TriagedCase]) -> None:
    listed = cases if sheet.details else cases[:_SHOWN]
    sheet.table([Row((inline(case.id), inline(case.reason, BRIEF))) for case in listed])
    if more := len(cases) - len(listed):
        sheet.line(f"… and {counted(more, 'further case')}; --details shows them all", indent=2)


def _files(written: Iterable[str]) -> list[str]:
    sets = [inline(path) for path in written if not path.endswith(".jsonl")]
    histories = sum(path.endswith(".jsonl") for path in written)
    return [*sets, *([f"and {counted(histories, 'file')} under histories/"] if histories else [])]
