"""What a row of rounds came to, all of it in one record: curves, ceiling, gate, probes, remarks. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from foldproof.cliff.comparing import Flip, ceiling_curves, flips_of
from foldproof.cliff.curves import Curve, CurveKey, curves_of, totals_of
from foldproof.cliff.documents import Document
from foldproof.cliff.gate import Demand, DemandRow, hold_demands, verdict_of
from foldproof.cliff.label_wire import EVERY
from foldproof.cliff.labels import LabelledLine
from foldproof.cliff.probing import ProbeRetention, probe_notes, probe_retention
from foldproof.cliff.records import ProbeAnswer, Round, RoundKey
from foldproof.cliff.scoring import ScoredRound
from foldproof.cliff.survival import LineSurvival
from foldproof.compaction import count_tokens

Sign = Literal["degraded", "stale", "invented"]
_FIRST = ("safety", EVERY)


@dataclass(frozen=True, slots=True)
class Remark:
    """Something of an output that a person should see, where it was seen first.

    A line that says less than it did, or what does not hold any more, or a rule that nothing laid down.
    `place` is the line in the document, 0 for what is invented. `text` is the sentence of the output.
    """

    sign: Sign
    key: RoundKey
    place: int
    line_class: str
    lack: str
    text: str


@dataclass(frozen=True, slots=True)
class CliffResult:
    """All that a cliff shows. `sizes` are the tokens of the documents, `totals` the lines that count in each class.

    `shown` is the class that tables by round are of. `ceiling` and `curves` have the same schedules and ratios.
    `failed` are the rounds of which nothing can be said. `verdict` is None where nothing was demanded.
    """

    sizes: Mapping[str, int]
    totals: Mapping[str, int]
    shown: str
    curves: tuple[Curve, ...]
    ceiling: tuple[Curve, ...]
    flips: tuple[Flip, ...] = ()
    gate: tuple[DemandRow, ...] = ()
    retention: tuple[ProbeRetention, ...] = ()
    remarks: tuple[Remark, ...] = ()
    failed: tuple[Round, ...] = ()
    verdict: Literal["pass", "blocked", "inconclusive"] | None = None
    notes: tuple[str, ...] = field(default=())


def shown_class(totals: Mapping[str, int], wanted: str = "") -> str:
    """The class that tables by round are of: the one wanted, else safety, else all together."""
    return wanted or next(name for name in _FIRST if totals.get(name))


def result_of(
    scored: Sequence[ScoredRound],
    documents: Iterable[Document],
    lines: Sequence[LabelledLine],
    *,
    demands: Sequence[Demand] = (),
    answers: Sequence[ProbeAnswer] = (),
    shown: str = "",
    notes: Iterable[str] = (),
) -> CliffResult:
    """What scored rounds came to."""
    sizes = {one.name: count_tokens(one.text) for one in documents}
    totals = totals_of(lines)
    shown = shown_class(totals, shown)
    curves = curves_of(scored, lines, sizes)
    gate = hold_demands(demands, curves)
    return CliffResult(
        sizes=sizes,
        totals=totals,
        shown=shown,
        curves=curves,
        ceiling=ceiling_curves(scored, lines, sizes),
        flips=flips_of(curves, shown),
        gate=gate,
        retention=_as_curves(probe_retention(answers, lines), curves),
        remarks=_remarks(scored),
        failed=tuple(one.round for one in scored if one.round.failed),
        verdict=verdict_of(gate) if demands else None,
        notes=(*notes, *probe_notes(answers)),
    )


def _as_curves(rows: Iterable[ProbeRetention], curves: Sequence[Curve]) -> tuple[ProbeRetention, ...]:
    """The rows in the order of the curves, round by round; those of a subject that has none are left out."""
    places = {curve.key: at for at, curve in enumerate(curves)}
    found = [(places.get(CurveKey(*row.round[:3])), row) for row in rows]
    kept = [(at, row.round.number, number, row) for number, (at, row) in enumerate(found) if at is not None]
    return tuple(row for *_, row in sorted(kept, key=lambda one: one[:3]))


def _remarks(scored: Iterable[ScoredRound]) -> tuple[Remark, ...]:
    """What is to be seen, each once for a subject."""
    found: dict[tuple[object, ...], Remark] = {}
    for one in scored:
        key = one.round.key
        degraded = (line for line in one.lines if line.outcome == "degraded")
        for sign, lines in (("degraded", degraded), ("stale", one.stale)):
            for line in lines:
                found.setdefault((sign, key.subject, key.document, line.line.place, line.lack), _of(sign, key, line))
        for text in one.invented:
            remark = Remark("invented", key, 0, "", "", text)
            found.setdefault(("invented", key.subject, key.document, text), remark)
    return tuple(found.values())


def _of(sign: str, key: RoundKey, line: LineSurvival) -> Remark:
    word: Sign = "stale" if sign == "stale" else "degraded"
    return Remark(word, key, line.line.place, line.line.cls, line.lack, line.text or line.line.text)
