"""How rounds follow each other: what a round is given, and how much of it may stay. Pure.

Every budget is fixed in advance by the document and the ratio, whatever a subject kept in earlier rounds: so all
subjects are granted the same tokens in the same round, and one that keeps less is not shrunk further for it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from foldproof.cliff.documents import Document
from foldproof.cliff.records import Schedule
from foldproof.compaction import BYTES_PER_TOKEN, cost_of, count_tokens
from foldproof.core import UsageError
from foldproof.matching import fold_blanks

MOST_ROUNDS = 10


@dataclass(frozen=True, slots=True)
class Course:
    """The rounds of one document under one schedule and ratio.

    `talk` is what is said before each round, one text a round; before the first nothing is, and nothing ever is where
    the rounds are progressive. `budgets` are tokens, one a round.
    """

    document: Document
    schedule: Schedule
    ratio: float
    budgets: tuple[int, ...]
    talk: tuple[str, ...]

    def given(self, number: int, kept: str) -> str:
        """What round `number` (from 1) is given, `kept` being the output of the round before.

        A window goes on from what was kept; a history is given whole each time, as it was said.
        """
        if number == 1:
            return self.document.text
        if self.schedule == "budget":
            return self.said(number)
        return _joined((kept, self.talk[number - 1]))

    def said(self, number: int) -> str:
        """All that a subject can know of by round `number`: the document, and what was said since."""
        return _joined((self.document.text, *self.talk[:number]))


def course_of(document: Document, schedule: Schedule, ratio: float, *, rounds: int, talk: Sequence[str]) -> Course:
    """The rounds of a document: what is said before each, and how many tokens may stay.

    With W the tokens of the document and r the ratio: `progressive` grants W r^n in round n. `window` grants W r in
    each round, and before each but the first, new talk fills the window up to W again. `budget` grants W r in each
    round of a history that grows by the same talk.

    Raises:
        UsageError: where talk is needed and every line of it is one of the document's own.
    """
    size = count_tokens(document.text)
    shares = (ratio ** (number if schedule == "progressive" else 1) for number in range(1, rounds + 1))
    budgets = tuple(max(1, int(size * share)) for share in shares)
    if schedule == "progressive" or rounds == 1:
        return Course(document, schedule, ratio, budgets, ("",) * rounds)
    fresh = list(_others(talk, document))
    if not fresh:
        raise UsageError(
            f"the talk has no line that '{document.name}' does not have itself, and the schedule '{schedule}' needs it"
            "\n  name other talk with --talk, or use the schedule 'progressive'"
        )
    step = (size - budgets[0]) * BYTES_PER_TOKEN
    return Course(document, schedule, ratio, budgets, ("", *_portions(fresh, step, rounds - 1)))


def _others(talk: Iterable[str], document: Document) -> Iterator[str]:
    """The lines of the talk that the document does not have: what is lost may not come back by the talk."""
    own = {_folded(line) for line in document.text.splitlines()}
    return (line for line in talk if line.strip() and _folded(line) not in own)


def _folded(line: str) -> str:
    return fold_blanks(line).strip().casefold()


def _portions(lines: Sequence[str], step: int, count: int) -> Iterator[str]:
    """Texts of whole lines of at most `step` bytes each, or of one longer line; the talk begins anew at its end."""
    at = 0
    for _ in range(count):
        portion: list[str] = []
        room = step
        while room > 0:
            line = lines[at % len(lines)]
            room -= cost_of(line)
            if room >= 0 or not portion:
                portion.append(line)
                at += 1
        yield "\n".join(portion)


def _joined(texts: Iterable[str]) -> str:
    return "\n".join(text for text in texts if text)
