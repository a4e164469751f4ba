"""A cliff as GitHub-flavoured Markdown."""

from __future__ import annotations

from foldproof.cliff.label_wire import EVERY
from foldproof.report.cliff import CliffDocument, percent
from foldproof.report.markup import code, table, words
from foldproof.report.pages.cliff import (
    cliff_word,
    first_rows,
    flip_lines,
    interval_word,
    rows_of,
    share_cell,
    sign_lines,
)


def markdown_cliff(document: CliffDocument) -> str:
    """The verdict and its reasons, a table a ratio for one round, one a schedule for all rounds, and the gate."""
    verdict = f": {document.verdict}" if document.verdict else ""
    lines = ["<!-- foldproof:cliff -->", f"## foldproof cliff{verdict}", ""]
    lines += [*(f"- {words(reason)}" for reason in document.reasons), ""]
    corpus = document.corpus
    told = f"{corpus.documents} documents, {corpus.tokens:,} tokens, {corpus.lines[EVERY]} labelled lines"
    lines += [f"{words(corpus.name)}: {told}.", ""]
    names = [name for name in corpus.lines if name != EVERY]
    for ratio in document.ratios:
        lines += [f"### After one round at {percent(ratio)}", ""]
        rows = [
            [_name(row.subject, document), *(share_cell(row.rounds[0], name) for name in (*names, EVERY))]
            for row in first_rows(document, ratio)
        ]
        lines += table(["subject", *map(words, names), EVERY], rows)
    for schedule in document.schedules if document.rounds > 1 else ():
        lines += [f"### {words(document.shown)} by round, {schedule}, {percent(document.ratios[0])}", ""]
        numbers = [str(number) for number in range(1, document.rounds + 1)]
        rows = []
        for row in rows_of(document, schedule, document.ratios[0]):
            points = [(share_cell(one, document.shown), one.classes[document.shown]) for one in row.rounds]
            cells = [f"{share} ({interval_word(point)})" for share, point in points]
            cells += [""] * (document.rounds - len(cells))
            rows.append([_name(row.subject, document), *cells, cliff_word(row, document)])
        lines += table(["subject", *numbers, "cliff"], rows)
    gate = [
        [code(row.demand), f"{words(row.subject)}, {row.schedule}, {percent(row.ratio)}", f"{row.got} of {row.of}",
         {True: "ok", False: "blocked", None: "undecided"}[row.ok]]
        for row in document.gate
    ]  # fmt: skip
    lines += table(["asked", "of", "got", ""], gate)
    lines += [f"- {words(line)}" for line in (*flip_lines(document), *sign_lines(document), *document.notes)]
    return "\n".join([*lines, "", document.meaning[0].upper() + document.meaning[1:] + "."]).rstrip() + "\n"


def _name(subject: str, document: CliffDocument) -> str:
    return code(subject) if subject in document.subjects else f"({words(subject)})"
