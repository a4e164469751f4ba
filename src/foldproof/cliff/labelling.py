"""A sitting: one labeller, the lines that are put to them, and what they have said so far. No input, no output."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from foldproof.cliff.documents import Document, Line, lines_of
from foldproof.cliff.drawing import drawn, headings_of, spread, statements_of
from foldproof.cliff.labels import Label, Labels

UNNAMED = "unnamed"
"""Stands for whoever gave a class that a file holds without a name."""
_AROUND = 2


@dataclass(frozen=True, slots=True)
class Question:
    """A line that is put to a labeller, with those around it. `given` is what others said, for settling only."""

    line: Line
    heading: str = ""
    before: tuple[Line, ...] = ()
    after: tuple[Line, ...] = ()
    given: tuple[tuple[str, str], ...] = ()

    @property
    def at(self) -> tuple[str, str, int]:
        """By what labels know the line."""
        return self.line.document, self.line.sha256, self.line.number


def open_questions(labels: Labels, documents: Iterable[Document], *, most: int = 0) -> list[Question]:
    """The lines that may state something and that nobody has labelled; of each document so many, spread, 0 for all.

    The spread is over all its lines that may state something: an interrupted sitting goes on with what is left of it.
    """
    known = {label.at for label in labels.labels}
    found: list[Question] = []
    for one in documents:
        lines = statements_of(one)
        chosen = spread(lines, most) if most else lines
        found += _asked(one, [line for line in chosen if (line.document, line.sha256, line.number) not in known])
    return found


def second_questions(labels: Labels, documents: Iterable[Document], *, labeller: str, most: int = 0) -> list[Question]:
    """Lines that others have labelled and this labeller has not, without what they said; so many are drawn, 0 for all.

    The draw is over all labelled lines: an interrupted sitting goes on with what is left of it.
    """
    others = [label for label in labels.labels if {name for name, _ in label.by} != {labeller}]
    chosen = drawn(others, most) if most else others
    return _of_labels([label for label in chosen if not label.given_by(labeller)], documents)


def unsettled_questions(labels: Labels, documents: Iterable[Document]) -> list[Question]:
    """Lines on which labellers differ and nobody has decided, with what each said."""
    wanted = [label for label in labels.labels if label.differs and not label.settled]
    given = {label.at: label.by for label in wanted}
    return [replace(question, given=given[question.at]) for question in _of_labels(wanted, documents)]


def _of_labels(labels: Sequence[Label], documents: Iterable[Document]) -> list[Question]:
    wanted = {label.at for label in labels}
    return [
        question
        for one in documents
        for question in _asked(
            one, [line for line in lines_of(one) if (line.document, line.sha256, line.number) in wanted]
        )
    ]


def _asked(document: Document, lines: Sequence[Line]) -> Iterator[Question]:
    own = lines_of(document)
    index = {line.place: at for at, line in enumerate(own)}
    headings = headings_of(document)
    places = [heading.place for heading in headings]
    for line in lines:
        at, above = index[line.place], bisect_left(places, line.place)
        heading = headings[above - 1].text.strip().lstrip("#").strip() if above else ""
        yield Question(line, heading, own[max(0, at - _AROUND) : at], own[at + 1 : at + 1 + _AROUND])


class Sitting:
    """One labeller at work. `labels` is the file's content as it would be saved now.

    With `settling` a class decides what counts, and is nobody's label.
    """

    def __init__(self, labels: Labels, questions: Sequence[Question], labeller: str, *, settling: bool = False) -> None:
        self.labels = labels
        self.questions = tuple(questions)
        self.labeller = labeller
        self.settling = settling
        self._past: list[Labels] = []
        self._skipped: set[int] = set()

    @property
    def at(self) -> int:
        """How many of the questions lie behind."""
        return len(self._past)

    @property
    def current(self) -> Question | None:
        """The line to be labelled now, or None at the end."""
        return self.questions[self.at] if self.at < len(self.questions) else None

    @property
    def given(self) -> int:
        """Lines labelled in this sitting."""
        return self.at - len(self._skipped)

    @property
    def left(self) -> int:
        """Lines that are still without a label, skipped ones among them."""
        return len(self.questions) - self.given

    def give(self, cls: str) -> None:
        """Label the current line and go on to the next."""
        question = self._now()
        self._past.append(self.labels)
        self.labels = _with(self.labels, question.at, cls, self.labeller, settling=self.settling)

    def skip(self) -> None:
        """Leave the current line for another time."""
        self._now()
        self._skipped.add(self.at)
        self._past.append(self.labels)

    def back(self) -> bool:
        """Take the last label or skip of this sitting back; False where there is none."""
        if not self._past:
            return False
        self.labels = self._past.pop()
        self._skipped.discard(self.at)
        return True

    def answer(self, answers: Mapping[tuple[str, str, int], str]) -> None:
        """Label every question that is answered; the others are skipped."""
        while (question := self.current) is not None:
            if cls := answers.get(question.at):
                self.give(cls)
            else:
                self.skip()

    def _now(self) -> Question:
        question = self.current
        if question is None:
            raise IndexError("no line is left to be labelled")
        return question


def _with(labels: Labels, at: tuple[str, str, int], cls: str, labeller: str, *, settling: bool) -> Labels:
    rows = list(labels.labels)
    place = next((place for place, label in enumerate(rows) if label.at == at), None)
    if place is None:
        document, sha256, number = at
        return replace(labels, labels=(*rows, Label(document, sha256, cls, number, by=((labeller, cls),))))
    label = rows[place]
    if settling:
        rows[place] = replace(label, cls=cls, settled=True)
    else:
        by = label.by or ((UNNAMED, label.cls),)
        rows[place] = replace(label, by=(*by, (labeller, cls)))
    return replace(labels, labels=tuple(rows))
