"""Graded sessions as GitHub-flavoured Markdown."""

from __future__ import annotations

from foldproof.report.grades import (
    FIRST_AID,
    TURNS_TELL,
    GradeDocument,
    agreement_words,
    failure_words,
    session_counts,
    turn_counts,
)
from foldproof.report.markup import code, table, words


def markdown_grades(document: GradeDocument) -> str:
    """The verdict, both pass rates together, a row a session without a met goal, and the transitions."""
    lines = ["<!-- foldproof:grade -->", f"## foldproof sessions grade: {document.headline}", ""]
    lines += [*(f"- {words(reason)}" for reason in document.reasons), ""]
    lines += [f"- **sessions**: {session_counts(document)}", f"- **turns**: {turn_counts(document)}", ""]
    lines += [f"{TURNS_TELL[0].upper()}{TURNS_TELL[1:]}.", ""]
    if document.judge:
        lines += [f"Judge: {code(document.judge)}, questions: {document.questions}, asked now: {document.asked}.", ""]
    if document.outcome:
        lines += [f"Verdicts from the log's own label {code(document.outcome)}.", ""]
    rows = [
        [
            code(row.id),
            row.verdict,
            str(row.failure.step) if row.failure else "",
            code(row.failure.kind) if row.failure else "",
            "; ".join(words(line) for line in failure_words(row)),
        ]
        for row in document.rows
        if row.verdict != "met"
    ]
    lines += table(["session", "verdict", "step", "kind", "why there"], rows)
    found = [[code(row.last_good), code(row.first_failure), row.by, str(row.sessions)] for row in document.transitions]
    lines += table(["last good step", "first failure", "by", "sessions"], found)
    if told := agreement_words(document):
        lines += [f"{told[0].upper()}{told[1:]}.", ""]
    if document.signs:
        lines += [f"{FIRST_AID[0].upper()}{FIRST_AID[1:]}.", ""]
    lines += [f"- {words(note)}" for note in document.notes]
    return "\n".join(lines).rstrip() + "\n"
