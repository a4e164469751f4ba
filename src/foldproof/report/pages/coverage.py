"""The page of `coverage`: how much is covered, what no case asks, what cases ask, what nobody asks."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from foldproof.report.coverage import CoverageCase, CoverageDocument, CoverageTopic
from foldproof.report.pages.readings import write_reading
from foldproof.report.sheet import Row, Sheet, write_list
from foldproof.report.text import BRIEF, counted, inline

_SHOWN = 12


def write_coverage(sheet: Sheet, document: CoverageDocument) -> None:
    """The counts, then topics without and with cases by traffic, then cases that nobody asks; with details all."""
    write_reading(sheet, document, _counts(document))
    bare = [one for one in document.topics if not one.cases]
    _topics(sheet, "topics that no case asks about", bare, since=document.since, last="for instance")
    held = [one for one in document.topics if one.cases]
    _topics(sheet, "topics that cases ask about", held, since=document.since, last="not covered, for instance")
    _unasked(sheet, [one for one in document.cases if not one.asked])
    write_list(sheet, "cases left out", [f"{inline(name)}: {why}" for name, why in document.left_out.items()])
    write_list(sheet, "to know", [inline(note) for note in document.notes])
    write_list(sheet, "next", [inline(step) for step in document.next])


def _counts(document: CoverageDocument) -> Iterator[tuple[str, int, str]]:
    yield "read", document.read, f"lines or records; {counted(document.said, 'message')} of users"
    yield "questions", document.questions, f"since {document.since}" if document.since else ""
    drawn = document.asked < document.questions
    yield "looked at", document.asked, "drawn by lot, each with the same chance" if drawn else "every question"
    if document.wordless:
        yield "without own words", document.wordless, "compared with nothing: what they are about is not in their words"
    cases = counted(sum(1 for one in document.cases if one.asked), "case")
    share = f"{100 * document.covered // document.asked} % of what was looked at"
    yield "covered", document.covered, f"{share}, by {cases} of {document.set.cases}"


def _topics(sheet: Sheet, title: str, topics: Sequence[CoverageTopic], *, since: str, last: str) -> None:
    if not topics:
        return
    sheet.blank()
    asked = sum(one.asked for one in topics)
    sheet.line((title, "strong"), f": {len(topics)}, with {counted(asked, 'question')}")
    with_cases = bool(topics[0].cases)
    header = ["topic", "asked", "users", *(["covered", "cases"] if with_cases else []), last]
    shown = topics if sheet.details else topics[:_SHOWN]
    rows = []
    for one in shown:
        new = " (new)" if one.earlier == 0 else ""
        middle = [str(one.covered), str(len(one.cases))] if with_cases else []
        example = inline(one.example, BRIEF) if one.covered < one.asked else ""
        rows.append(Row((inline(one.topic) + new, str(one.asked), str(one.users), *middle, example)))
    sheet.table(rows, header=header)
    if more := len(topics) - len(shown):
        sheet.line(f"… and {counted(more, 'further topic')}; --details shows them", indent=2)
    if any(one.earlier == 0 for one in shown):
        sheet.line(f"new: nobody asked with this word before {since}", indent=2)


def _unasked(sheet: Sheet, cases: Sequence[CoverageCase]) -> None:
    if not cases:
        return
    sheet.blank()
    sheet.line(("cases that nobody asks", "strong"), f": {len(cases)}")
    shown = cases if sheet.details else cases[:_SHOWN]
    told = any(one.earlier is not None for one in shown)
    rows = []
    for one in shown:
        near = f"{inline(one.nearest, BRIEF)} ({one.likeness:.2f})" if one.nearest else "(no word in common)"
        before = [str(one.earlier)] if told else []
        rows.append(Row((inline(one.id), inline(one.case_class), *before, near)))
    sheet.table(rows, header=("case", "class", *(["asked before"] if told else []), "the nearest question"))
    if more := len(cases) - len(shown):
        sheet.line(f"… and {counted(more, 'further case')}; --details shows them", indent=2)
