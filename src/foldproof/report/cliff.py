"""The document of `cliff`: curves by subject, schedule and ratio, the ceiling, the gate, and what is to be told."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Literal

from pydantic import Field

from foldproof.cliff.comparing import Flip
from foldproof.cliff.curves import Curve, Level, Point
from foldproof.cliff.gate import DemandRow
from foldproof.cliff.probing import ProbeRetention
from foldproof.cliff.records import RoundState, Schedule
from foldproof.cliff.result import CliffResult, Remark
from foldproof.report.explained import Document
from foldproof.report.text import counted

MEANING = (
    "a pass means: the labelled lines are still there by their words; what is said in other words counts as lost, and"
    " nothing is said of how an agent acts by them"
)
_MOST = 200


class CorpusInfo(Document):
    """The texts: where from, how many, their tokens by the house rule, and the labelled lines of each class."""

    name: str
    documents: int
    tokens: int
    lines: dict[str, int] = Field(description="labelled lines that count, by class; `all` is their sum")


class SurvivalPoint(Document):
    """What survived of one class in one round: lines by outcome, and the share with its interval over documents."""

    verbatim: int
    kept: int
    degraded: int
    lost: int
    unjudged: int = Field(description="lines of documents whose round failed or was not asked")
    share: float | None = Field(description="verbatim and kept of those that were judged; null where none was")
    low: float | None = Field(description="the interval (95 %) over documents; null where there is one document only")
    high: float | None


class RoundPoint(Document):
    """One round of a curve over all documents whose round did not fail. Tokens are by the house rule."""

    round: int
    granted: int
    kept: int
    retained: float | None = Field(description="kept tokens as a share of the documents' own")
    over_budget: bool = Field(description="some document's output was longer than granted: it is no comparison")
    states: dict[RoundState, int]
    unsafe: int = Field(description="documents of which the subject says that the budget cannot hold what must be kept")
    stale: int = Field(description="lines that stay although a newer one, which was lost, replaced them")
    invented: int = Field(description="rules in the outputs that nothing which was given lays down")
    classes: dict[str, SurvivalPoint]


class CurveRow(Document):
    """One subject under one schedule at one ratio."""

    subject: str
    schedule: Schedule
    ratio: float
    cliff: dict[str, int | None] = Field(description="by class, the first round in which fewer than half survive")
    rounds: list[RoundPoint]


class DemandRowInfo(Document):
    """One demand held against one curve; `ok` is null where it is undecided, and `reason` says why."""

    demand: str
    line_class: str = Field(validation_alias="class", serialization_alias="class")
    round: int
    subject: str
    schedule: Schedule
    ratio: float
    need: int
    got: int
    of: int
    unjudged: int
    ok: bool | None
    reason: str


class FlipRow(Document):
    """Two subjects that change places between schedules; shares are means over the rounds, of `first` first."""

    first: str
    second: str
    ratio: float
    under: Schedule
    shares: tuple[float, float]
    but_under: Schedule
    but_shares: tuple[float, float]


class ProbeRow(Document):
    """What a probed model chose after one round, in one class: right answers of `of` under each condition."""

    subject: str
    schedule: Schedule
    ratio: float
    round: int
    line_class: str = Field(validation_alias="class", serialization_alias="class")
    of: int
    without: int
    compacted: int
    restated: int
    full: int
    full_of: int
    unsettled: int = Field(description="questions that got no choice under one of the conditions; they are left out")
    undecided: int = Field(description="of the answers after the round: picked none of the choices, or several")
    invalid: int = Field(description="of these: cut off, refused or filtered")
    errors: int = Field(description="of these: the model gave none, or the round failed")
    retention: float | None = Field(description="(compacted - without) / (restated - without); null where undefined")
    reason: str = Field(description="why there is no retention; empty where there is one")


class RemarkRow(Document):
    """Something of an output that a person should see, where it was seen first."""

    sign: Literal["degraded", "stale", "invented"]
    subject: str
    document: str
    schedule: Schedule
    ratio: float
    round: int
    line: int = Field(description="the line of the document; 0 for what is invented")
    line_class: str = Field(validation_alias="class", serialization_alias="class")
    lack: str = Field(description="what a degraded line lacks: turned round, number, binding, history, weakened")
    text: str


class FailedRound(Document):
    """A round of which nothing can be said."""

    subject: str
    document: str
    schedule: Schedule
    ratio: float
    round: int
    state: RoundState
    error: str


class CliffDocument(Document):
    """The document of `foldproof cliff`. Lists of remarks and failures hold the first 200; the counts are of all."""

    schema_name: Literal["foldproof/cliff/1"] = Field(
        default="foldproof/cliff/1", validation_alias="schema", serialization_alias="schema"
    )
    verdict: Literal["pass", "blocked", "inconclusive"] | None = Field(
        description="null where nothing was required and every round was judged"
    )
    reasons: list[str]
    corpus: CorpusInfo
    shown: str = Field(description="the class that tables and plots by round are of")
    subjects: list[str]
    schedules: list[Schedule]
    ratios: list[float]
    rounds: int
    ceiling: list[CurveRow] = Field(description="what labels and budget alone allow; no method")
    curves: list[CurveRow]
    gate: list[DemandRowInfo]
    flips: list[FlipRow]
    probes: list[ProbeRow]
    remarks: list[RemarkRow]
    remarks_in_all: dict[str, int]
    failed: list[FailedRound]
    failed_in_all: int
    cost_usd: float | None = Field(default=None, description="as far as it is known")
    notes: list[str]
    meaning: str = MEANING
    written: list[str] = Field(default=[], description="the files that were written")
    next: list[str] = Field(default=[], description="what to do next")


def cliff_document(
    result: CliffResult,
    *,
    corpus: str,
    rounds: int,
    stopped: str = "",
    cost_usd: float | None = None,
    written: Iterable[str] = (),
    following: Iterable[str] = (),
) -> CliffDocument:
    """The document of a result; `corpus` is how the texts are called, `stopped` the limit that ended the rounds."""
    keys = [curve.key for curve in result.curves]
    failures = _failures(result)
    return CliffDocument(
        verdict=result.verdict or ("inconclusive" if failures or stopped else None),
        reasons=[*filter(None, [stopped]), *(_demand_words(row) for row in result.gate if not row.ok), *failures],
        corpus=CorpusInfo(
            name=corpus, documents=len(result.sizes), tokens=sum(result.sizes.values()), lines=dict(result.totals)
        ),
        shown=result.shown,
        subjects=list(dict.fromkeys(key.subject for key in keys)),
        schedules=list(dict.fromkeys(key.schedule for key in keys)),
        ratios=list(dict.fromkeys(key.ratio for key in keys)),
        rounds=rounds,
        ceiling=[_curve(curve) for curve in result.ceiling],
        curves=[_curve(curve) for curve in result.curves],
        gate=[_demand(row) for row in result.gate],
        flips=[_flip(flip) for flip in result.flips],
        probes=[_probe(row) for row in result.retention],
        remarks=[_remark(remark) for remark in result.remarks[:_MOST]],
        remarks_in_all=dict(Counter(remark.sign for remark in result.remarks)),
        failed=[
            FailedRound(
                subject=one.subject,
                document=one.document,
                schedule=one.schedule,
                ratio=one.ratio,
                round=one.number,
                state=one.state,
                error=one.error,
            )
            for one in result.failed[:_MOST]
        ],
        failed_in_all=len(result.failed),
        cost_usd=cost_usd,
        notes=list(result.notes),
        written=list(written),
        next=list(following),
    )


def _failures(result: CliffResult) -> list[str]:
    """How many rounds of each subject could not be judged."""
    failed = Counter(one.subject for one in result.failed)
    lost = "failed: nothing can be said of them"
    return [f"{counted(count, 'round')} of {subject} {lost}" for subject, count in failed.items()]


def _demand_words(row: DemandRow) -> str:
    where = f"{row.key.subject}, {row.key.schedule} at {percent(row.key.ratio)}"
    told = f"{row.demand.written}: {row.got} of {row.of} lines survive, {row.need} needed ({where})"
    return f"{told}; {row.reason}" if row.reason else told


def percent(share: float) -> str:
    """A share as it is written in tables: `50 %`, `12.5 %`."""
    return f"{100 * share:.4g} %"


def _curve(curve: Curve) -> CurveRow:
    return CurveRow(
        subject=curve.key.subject,
        schedule=curve.key.schedule,
        ratio=curve.key.ratio,
        cliff={name: curve.cliff(name) for name in curve.points},
        rounds=[
            _round(level, [points[at] for points in curve.points.values()]) for at, level in enumerate(curve.levels)
        ],
    )


def _round(level: Level, points: Sequence[Point]) -> RoundPoint:
    return RoundPoint(
        round=level.number,
        granted=level.granted,
        kept=level.kept,
        retained=level.retained,
        over_budget=level.over,
        states=dict(level.states),
        unsafe=level.unsafe,
        stale=level.stale,
        invented=level.invented,
        classes={point.line_class: _point(point) for point in points},
    )


def _point(point: Point) -> SurvivalPoint:
    interval = point.interval
    known = interval is not None and (interval.low, interval.high) != (0.0, 1.0)
    return SurvivalPoint(
        verbatim=point.counts["verbatim"],
        kept=point.counts["kept"],
        degraded=point.counts["degraded"],
        lost=point.counts["lost"],
        unjudged=point.unjudged,
        share=point.share,
        low=interval.low if interval and known else None,
        high=interval.high if interval and known else None,
    )


def _demand(row: DemandRow) -> DemandRowInfo:
    return DemandRowInfo(
        demand=row.demand.written,
        line_class=row.demand.line_class,
        round=row.demand.number,
        subject=row.key.subject,
        schedule=row.key.schedule,
        ratio=row.key.ratio,
        need=row.need,
        got=row.got,
        of=row.of,
        unjudged=row.unjudged,
        ok=row.ok,
        reason=row.reason,
    )


def _flip(flip: Flip) -> FlipRow:
    return FlipRow(
        first=flip.first,
        second=flip.second,
        ratio=flip.ratio,
        under=flip.under,
        shares=flip.shares,
        but_under=flip.but_under,
        but_shares=flip.but_shares,
    )


def _probe(row: ProbeRetention) -> ProbeRow:
    return ProbeRow(
        subject=row.round.subject,
        schedule=row.round.schedule,
        ratio=row.round.ratio,
        round=row.round.number,
        line_class=row.cls,
        of=row.of,
        without=row.without,
        compacted=row.compacted,
        restated=row.restated,
        full=row.full,
        full_of=row.full_of,
        unsettled=row.unsettled,
        undecided=row.undecided,
        invalid=row.invalid,
        errors=row.errors,
        retention=row.share,
        reason=row.reason,
    )


def _remark(remark: Remark) -> RemarkRow:
    return RemarkRow(
        sign=remark.sign,
        subject=remark.key.subject,
        document=remark.key.document,
        schedule=remark.key.schedule,
        ratio=remark.key.ratio,
        round=remark.key.number,
        line=remark.place,
        line_class=remark.line_class,
        lack=remark.lack,
        text=remark.text,
    )
