"""The page of `mine`: one row a step with what it left, then the questions."""

from __future__ import annotations

from collections.abc import Iterator

from foldproof.report.mined import DrafterPart, MineDocument, MinedQuestion
from foldproof.report.pages.readings import write_reading
from foldproof.report.sheet import Row, Sheet, write_list
from foldproof.report.text import BRIEF, counted, inline

_SHOWN, _TOPICS = 15, 8


def write_mined(sheet: Sheet, document: MineDocument) -> None:
    """The steps with their counts, broken lines, and the first of the questions; with details all of them."""
    write_reading(sheet, document, _steps(document))
    if document.drafter is not None and document.drafter.stopped:
        sheet.blank()
        sheet.line(("the model was not asked about every answer: ", "unsure"), inline(document.drafter.stopped))
    sheet.blank()
    listed = document.chosen if sheet.details else document.chosen[:_SHOWN]
    sheet.table([_row(one) for one in listed], header=("question", "user", "last asked", "times"))
    if more := len(document.chosen) - len(listed):
        sheet.line(f"… and {counted(more, 'further question')}; --json has them all", indent=2)
    write_list(sheet, "to know", [inline(note) for note in document.notes])
    write_list(sheet, "next", [inline(step) for step in document.next])


def _steps(document: MineDocument) -> Iterator[tuple[str, int, str]]:
    yield "read", document.read, "lines or records"
    yield "messages of users", document.said, ""
    for why, count in sorted(document.dropped.items()):
        yield f"dropped: {inline(why)}", count, _WHY.get(why, "")
    since = f"since {document.since}" if document.since else ""
    yield "questions", document.questions, since
    yield "the same words", document.exact, "as another question: merged"
    drawn = document.compared < document.distinct
    told = f"of {document.distinct} distinct ones, a fair draw" if drawn else "every distinct question"
    yield "compared", document.compared, told
    yield "nearly the same", document.near, "as another of these: merged"
    most = ", ".join(f"{inline(name) or '(none)'}: {count}" for name, count in list(document.topics.items())[:_TOPICS])
    yield "chosen", len(document.chosen), f"{counted(document.users, 'user')}; topics {most}" if most else ""
    if document.drafted is not None:
        yield "drafted", document.drafted, f"cases in {inline(document.written[0])} that expect something of the past"
        yield "of the answer", len(document.from_answer), "more, which expect words of the logged answer alone"
        yield "empty", len(document.without), "more, which expect nothing yet"
    if document.drafter is not None:
        yield from _drafter(document.drafter)


def _drafter(drafter: DrafterPart) -> Iterator[tuple[str, int, str]]:
    yield "a model asked", drafter.asked, f"{inline(drafter.model_name)} of {inline(drafter.config)}"
    yield (
        "its facts",
        drafter.held,
        f"of {drafter.proposed} proposals, which keep to the rule; {drafter.shortened} shortened",
    )
    for why, count in sorted(drafter.refused.items()):
        yield f"dropped: {inline(why)}", count, "proposed, and no fact"
    if drafter.failed:
        yield "failed", drafter.failed, f"answers of the model; the first: {inline(drafter.first_error, BRIEF)}"


_WHY = {
    "statement": "asks nothing",
    "go-ahead": "yes, no, continue",
    "program text": "put in by a program",
    "no time": "the log does not tell when",
    "before": "asked earlier",
    "empty": "no word in it",
}


def _row(one: MinedQuestion) -> Row:
    times = str(one.asked) + (f" + {one.alike} alike" if one.alike else "")
    return Row((inline(one.question), inline(one.user) or "(not told)", one.day or "(not told)", times))
