"""The behavioural probe: what a model is asked about each labelled line that has a probe, and what the answers come to.

The four conditions and the effective retention are those of COMPINT (arXiv 2608.11242). Pure: the model is asked
elsewhere.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from foldproof.cliff.documents import Document, line_hash
from foldproof.cliff.labels import LabelledLine, Probe
from foldproof.cliff.records import ProbeAnswer, ProbeCondition, ProbeState, Round, RoundKey, Schedule
from foldproof.core import content_hash

_BESIDE: tuple[ProbeCondition, ...] = ("full", "without", "restated")
_NO_CHOICE: Mapping[ProbeState, str] = {"undecided": "undecided", "invalid": "invalid", "error": "errors"}
_BREAK = re.compile(r"(?<=\n)|(?<=\r)(?!\n)")


@dataclass(frozen=True, slots=True)
class PlannedProbe:
    """One question: about which line, under which condition, on which text, with the choices in which order."""

    line: str
    document: str
    condition: ProbeCondition
    text: str
    probe: Probe
    order: tuple[str, ...]
    asked: int = 0
    round: RoundKey | None = None

    @property
    def shown(self) -> str:
        """The hash of everything that the model is shown: what has the same is asked once."""
        return content_hash([self.text, self.probe.question, list(self.order)])

    def answered(self, state: ProbeState, chosen: str = "", error: str = "") -> ProbeAnswer:
        """The record of what came of it."""
        key = self.round
        return ProbeAnswer(
            line=self.line,
            document=self.document,
            condition=self.condition,
            state=state,
            right=chosen == self.probe.right if state == "chosen" else None,
            chosen=chosen,
            subject=key.subject if key else "",
            schedule=key.schedule if key else None,
            ratio=key.ratio if key else 0.0,
            number=key.number if key else 0,
            asked=self.asked,
            order=self.order,
            error=error,
        )


def planned_probes(
    documents: Iterable[Document],
    labelled: Sequence[LabelledLine],
    rounds: Iterable[Round],
    *,
    orders: int = 1,
) -> Iterator[PlannedProbe]:
    """Every question: three conditions for each line with a probe, and one for the output of each round that has one.

    A line that a newer one replaced is not asked about: nothing is lost with it. `orders` is how many orders of the
    choices each question is asked in, at most as many as there are choices. Questions on the same text follow each
    other, since many a server keeps what it has read.
    """
    probed = _probed(labelled)
    for document in documents:
        lines = probed.get(document.name, ())
        for condition in _BESIDE:
            for line in lines:
                text = _shown_under(condition, document.text, line)
                yield from _orders(line, condition, text, orders=orders)
    for one in rounds:
        if not one.failed:
            for line in probed.get(one.document, ()):
                yield from _orders(line, "compacted", one.text, orders=orders, key=one.key)


def unasked_probes(
    labelled: Sequence[LabelledLine], rounds: Iterable[Round], *, orders: int = 1
) -> Iterator[ProbeAnswer]:
    """The answers that cannot be had, since their round failed: errors, so that they stay in the count."""
    probed = _probed(labelled)
    for one in rounds:
        if one.failed:
            for line in probed.get(one.document, ()):
                for planned in _orders(line, "compacted", "", orders=orders, key=one.key):
                    yield planned.answered("error", error=f"the round failed: {one.error}")


def _shown_under(condition: ProbeCondition, text: str, line: LabelledLine) -> str:
    """The document as it is, without the line, or without it and with the line once more at the end."""
    if condition == "full":
        return text
    without = text_without(text, line.sha256)
    return without if condition == "without" else f"{without.rstrip()}\n\n{line.text.strip()}\n".lstrip()


def _probed(labelled: Sequence[LabelledLine]) -> dict[str, list[LabelledLine]]:
    """The lines with a probe by document; of equal lines the first."""
    found: dict[str, dict[str, LabelledLine]] = {}
    for line in labelled:
        if line.probe is not None and line.replaced_by is None:
            found.setdefault(line.document, {}).setdefault(line.sha256, line)
    return {document: list(lines.values()) for document, lines in found.items()}


def _orders(
    line: LabelledLine, condition: ProbeCondition, text: str, *, orders: int, key: RoundKey | None = None
) -> Iterator[PlannedProbe]:
    assert line.probe is not None  # noqa: S101  # lines without one are left out before
    for asked in range(min(orders, len(line.probe.choices))):
        order = order_of(line.probe, f"{line.document}\0{line.sha256}", asked)
        yield PlannedProbe(line.sha256, line.document, condition, text, line.probe, order, asked, key)


def order_of(probe: Probe, seed: str, asked: int) -> tuple[str, ...]:
    """The choices in one order: turned by a number that the line alone decides, then by one more for each order.

    So a line's choices stand alike under all conditions, the right one stands first about as often as last over many
    lines, and where as many orders as choices are asked, each choice stands once at each place.
    """
    digest = hashlib.sha256(f"{seed}\0{probe.question}".encode("utf-8", "surrogatepass")).digest()
    start = (int.from_bytes(digest[:8], "big") + asked) % len(probe.choices)
    return (*probe.choices[start:], *probe.choices[:start])


def text_without(text: str, sha256: str) -> str:
    """A document without the lines of a hash."""
    return "".join(line for line in _BREAK.split(text) if line_hash(line) != sha256)


class ProbedRound(NamedTuple):
    """What one row of the table is of: one subject's rounds of one number, over all documents."""

    subject: str
    schedule: Schedule
    ratio: float
    number: int


@dataclass(frozen=True, slots=True)
class ProbeRetention:
    """How often a model still chose right after a round, out of how often it could, in one class over all documents.

    The counts are of questions that got a choice under all three conditions of the formula, `of` in all; `full` of
    `full_of` are right on the whole document. `unsettled` questions are left out, since one of the three has no choice;
    `undecided`, `invalid` and `errors` are what came of those that were asked on the output of the round itself.
    """

    round: ProbedRound
    cls: str
    of: int
    compacted: int
    without: int
    restated: int
    full: int
    full_of: int
    unsettled: int
    undecided: int = 0
    invalid: int = 0
    errors: int = 0

    @property
    def share(self) -> float | None:
        """(compacted − without) / (restated − without), not forced into 0 to 1; None where that is not defined."""
        if self.restated <= self.without:
            return None
        return (self.compacted - self.without) / (self.restated - self.without)

    @property
    def reason(self) -> str:
        """Why there is no share, or empty where there is one."""
        if not self.of:
            return "not known: no question got a choice under all conditions"
        if self.restated <= self.without:
            return "not defined: the model chooses no better with the line than without it"
        return ""


def probe_retention(answers: Iterable[ProbeAnswer], labelled: Sequence[LabelledLine]) -> tuple[ProbeRetention, ...]:
    """The effective retention of each class after each round, by round, then class.

    Answers about lines that are not labelled any more are left out.
    """
    cls_of = {(line.document, line.sha256): line.cls for line in labelled}
    fixed: dict[tuple[ProbeCondition, str, str, int], ProbeAnswer] = {}
    after: dict[tuple[ProbedRound, str], list[ProbeAnswer]] = {}
    for one in answers:
        key = one.round
        if key is None:
            fixed[one.condition, one.document, one.line, one.asked] = one
        elif cls := cls_of.get((one.document, one.line)):
            at = ProbedRound(key.subject, key.schedule, key.ratio, key.number)
            after.setdefault((at, cls), []).append(one)
    return tuple(_retention(at, cls, rows, fixed) for (at, cls), rows in sorted(after.items()))


def _retention(
    at: ProbedRound,
    cls: str,
    rows: Sequence[ProbeAnswer],
    fixed: Mapping[tuple[ProbeCondition, str, str, int], ProbeAnswer],
) -> ProbeRetention:
    def beside(one: ProbeAnswer, condition: ProbeCondition) -> bool | None:
        found = fixed.get((condition, one.document, one.line, one.asked))
        return found.right if found else None

    found = [(one.right, beside(one, "without"), beside(one, "restated"), beside(one, "full")) for one in rows]
    settled = [row for row in found if None not in row[:3]]
    return ProbeRetention(
        at,
        cls,
        of=len(settled),
        compacted=sum(row[0] is True for row in settled),
        without=sum(row[1] is True for row in settled),
        restated=sum(row[2] is True for row in settled),
        full=sum(row[3] is True for row in settled),
        full_of=sum(row[3] is not None for row in settled),
        unsettled=len(rows) - len(settled),
        undecided=sum(one.state == "undecided" for one in rows),
        invalid=sum(one.state == "invalid" for one in rows),
        errors=sum(one.state == "error" for one in rows),
    )


def probe_notes(answers: Iterable[ProbeAnswer]) -> tuple[str, ...]:
    """What the reader should know of answers that are no choice: how many of each kind, and why the first is none."""
    found: dict[ProbeState, list[ProbeAnswer]] = {}
    of = 0
    for one in answers:
        of += 1
        found.setdefault(one.state, []).append(one)
    return tuple(
        f"probe: {len(found[state])} of {of} answers are {word}, for instance: {found[state][0].error}"
        for state, word in _NO_CHOICE.items()
        if state in found
    )
