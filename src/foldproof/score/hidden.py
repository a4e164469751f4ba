"""Whether recording took something out of an answer, or the answer repeats what was redacted before it was told."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping

from foldproof.cases import Case
from foldproof.core import REDACTED
from foldproof.logs import History

_WORD = re.compile(r"\w")


def redacted_lines(case: Case, histories: Mapping[str, History]) -> tuple[str, ...]:
    """The lines in which a part was redacted before the agent was told them; the longest come first.

    They are looked for in its history, in the frozen turns and in the question. A history out of a log has lost its
    secrets before any agent sees it. A line that is nothing but the mark is left out, since an answer may have it for
    any other reason.
    """
    said = [text for text in _told(case, histories) if REDACTED in text]
    lines = {line.strip() for text in said for line in text.splitlines() if REDACTED in line}
    telling = (line for line in lines if _WORD.search(line.replace(REDACTED, "")))
    return tuple(sorted(telling, key=lambda line: (-len(line), line)))


def hides(answer: str, known: Iterable[str]) -> bool:
    """Whether a part of an answer was redacted beside the lines of which that is known."""
    for line in known:
        answer = re.sub(rf"(?<!\S){re.escape(line)}(?!\S)", "", answer)
    return REDACTED in answer


def _told(case: Case, histories: Mapping[str, History]) -> Iterator[str]:
    yield case.question
    yield from (turn.text for turn in case.frozen)
    if case.history in histories:
        yield from (turn.text for session in histories[case.history].sessions for turn in session.turns)
