"""The cliff from end to end: texts and labels are read, compactors asked, their rounds kept and scored."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from math import fsum
from pathlib import Path

from foldproof.cases import DeclaredCompactor, Limits, Project, project_environment, shown
from foldproof.cases.nodes import read_text
from foldproof.cliff import (
    SCHEDULES,
    Document,
    LabelledLine,
    ProbeAnswer,
    Round,
    RoundKey,
    Schedule,
    join_labels,
    load_labels,
    read_corpus,
)
from foldproof.cliff.curves import totals_of
from foldproof.cliff.gate import Demand, demands_of
from foldproof.cliff.kept import Begun, Keeper, Kept, keep_in, read_kept
from foldproof.cliff.result import CliffResult, result_of
from foldproof.cliff.rounds import RoundPlan, RoundRecord, run_rounds
from foldproof.cliff.scoring import score_rounds, without_labelled
from foldproof.core import FileError, NothingSelectedError, Redactor, UsageError, content_hash, nearest_of
from foldproof.demo import corpus_places
from foldproof.record import Stopped
from foldproof.workflow.probing import Prober, Probing, check_prober, probe_rounds, prober_of
from foldproof.workflow.sink import Listener, Progress, silent, waiting
from foldproof.workflow.subjects import REFERENCES, open_subjects, subjects_of
from foldproof.workflow.workspace import locate_project


@dataclass(frozen=True, slots=True)
class CliffOptions:
    """What a person asked for. Without a corpus the shipped one is taken, without talk the shipped talk.

    `subjects` are names as `subjects_of` reads them; none stands for the reference strategies. `require` are demands as
    they are written. `probe` names the model that is probed, with `orders` orders of the choices each.
    """

    subjects: tuple[str, ...] = ()
    corpus: Path | None = None
    labels: Path | None = None
    talk: Path | None = None
    schedules: tuple[Schedule, ...] = SCHEDULES
    ratios: tuple[float, ...] = (0.5, 0.25, 0.1)
    rounds: int = 5
    require: tuple[str, ...] = ()
    line_class: str = ""
    out: Path | None = None
    concurrency: int | None = None
    max_cost_usd: float | None = None
    timeout_s: float | None = None
    probe: str = ""
    orders: int = 1
    project: Path | None = None
    listener: Listener = field(default=silent, compare=False)


@dataclass(frozen=True, slots=True)
class Ground:
    """What rounds are scored against: clean documents, their labelled lines, and what is said between rounds.

    `corpus`, `labels` and `talk_from` are how the places were named, empty for what is shipped.
    """

    documents: tuple[Document, ...]
    lines: tuple[LabelledLine, ...]
    talk: tuple[str, ...]
    clean: Redactor
    corpus: str = ""
    labels: str = ""
    talk_from: str = ""
    notes: tuple[str, ...] = ()

    def begun(self, declared: Iterable[DeclaredCompactor]) -> Begun:
        """What records made on this ground are of."""
        return Begun(
            {one.name: content_hash(one.text) for one in self.documents},
            {one.name: content_hash(dict(one.settings)) for one in declared},
            content_hash(list(self.talk)),
            self.corpus,
            self.labels,
            self.talk_from,
        )


@dataclass(frozen=True, slots=True)
class CliffReport:
    """A cliff's result, with what was asked for and on what ground, and what it cost as far as that is known.

    `asked` counts the rounds that were done now, `stopped` is the limit that ended them early.
    """

    result: CliffResult
    ground: Ground
    options: CliffOptions
    asked: int = 0
    cost_usd: float | None = None
    stopped: str = ""


def open_ground(options: CliffOptions, environ: Mapping[str, str]) -> Ground:
    """Read the corpus with its labels, and the talk. Secrets are replaced in them: whatever sees them is clean.

    Raises:
        UsageError: for a corpus without labels, or labels without a corpus.
        FileError: for what cannot be read, and each label without its line.
        NothingSelectedError: where no line is labelled with a class that counts.
    """
    if (options.corpus is None) != (options.labels is None):
        raise UsageError(
            "--corpus and --labels belong together\n  label a corpus with: foldproof label CORPUS --to labels.yaml"
        )
    places = corpus_places()
    clean = Redactor(environ)
    labels = load_labels(options.labels or places.labels)
    texts = read_corpus(options.corpus or places.texts, only=labels.documents)
    lines = join_labels(labels, texts)
    if not lines:
        raise NothingSelectedError(f"{labels.file}: every label says that its line states nothing\n  label some more")
    lines = tuple(replace(line, text=clean(line.text)) for line in lines)
    talk = tuple(clean(line) for line in read_text(options.talk or places.talk).splitlines() if line.strip())
    fresh = without_labelled(talk, lines)
    told = f"{len(talk) - len(fresh)} lines of the talk say what a labelled line says, and are left out"
    return Ground(
        tuple(Document(one.name, clean(one.text)) for one in texts),
        lines,
        fresh,
        clean,
        corpus=str(options.corpus or ""),
        labels=str(options.labels or ""),
        talk_from=str(options.talk or ""),
        notes=(told,) if len(fresh) < len(talk) else (),
    )


async def run_cliff(options: CliffOptions) -> CliffReport:
    """Carry out the rounds, probe a model where one is named, and score everything.

    What is kept in `out` is not asked again, but for rounds that failed.

    Raises:
        UsageError: for whatever of the options cannot be used.
    """
    project = _project(options.project)
    environ = _environment(project)
    ground = open_ground(options, environ)
    declared = subjects_of(options.subjects or REFERENCES, project)
    demands = _demands(options, ground, options.rounds)
    prober = prober_of(options.probe, project, environ, orders=options.orders) if options.probe else None
    if prober is not None:
        await check_prober(prober, ground.documents, ground.lines, environ)
    limits = _limits(options, project)
    plan = RoundPlan(ground.documents, options.schedules, options.ratios, options.rounds, ground.talk)
    with _keeping(options.out, ground.begun(declared)) as (keeper, kept):
        work = Work(plan, ground, [one.name for one in declared], keeper, kept)
        work.listener = options.listener
        async with (
            open_subjects(declared, project, environ=environ, limits=limits) as subjects,
            run_rounds(plan, subjects, limits=limits, done=work.done, clean=ground.clean) as stream,
        ):
            try:
                async for record in stream:
                    work.take([record, *waiting(stream)])
            finally:
                work.take(waiting(stream))
        probing = Probing((), 0)
        if prober is not None and not work.stopped:
            probing = await _probe(prober, work, ground, environ=environ, limits=limits)
    report = _report(work.rounds, ground, probing.answers, options, demands=demands)
    return replace(report, asked=work.asked, stopped=work.stopped or probing.stopped)


def rescore_cliff(folder: Path, options: CliffOptions) -> CliffReport:
    """Score the records of a folder again; nothing is called, and the same records and labels give the same report.

    The texts and labels are those that the records were made with, unless others are named; the texts must be the same.

    Raises:
        UsageError: where the folder has no records, or a text is not what was compacted.
    """
    kept = read_kept(folder)
    begun = kept.begun
    if begun is None or not kept.rounds:
        raise NothingSelectedError(f"{shown(folder)}: no round is kept there\n  --out {shown(folder)} goes on with it")
    places = ("corpus", "labels", "talk_from")
    named = {name.removesuffix("_from"): Path(getattr(begun, name)) for name in places if getattr(begun, name)}
    own = {name: place for name in ("corpus", "labels", "talk") if (place := getattr(options, name)) is not None}
    options = replace(options, **{**named, **own})
    ground = open_ground(options, _environment(_project(options.project)))
    names = {one.name: content_hash(one.text) for one in ground.documents}
    rounds = [one for one in kept.rounds.values() if one.document in names]
    for name in sorted({one.document for one in rounds}):
        if begun.documents.get(name) != names[name]:
            raise UsageError(
                f"document '{name}' is not what was compacted\n  name the texts of that time with --corpus"
            )
    if not rounds:
        raise NothingSelectedError("no labelled document is among those that were compacted\n  name other --labels")
    numbers = max(one.number for one in rounds)
    options = replace(
        options,
        schedules=tuple(name for name in SCHEDULES if any(one.schedule == name for one in rounds)),
        ratios=tuple(sorted({one.ratio for one in rounds}, reverse=True)),
        rounds=numbers,
    )
    order = {name: at for at, name in enumerate(begun.subjects)}
    rounds.sort(key=lambda one: _place(one, order))
    return _report(rounds, ground, kept.probes, options, demands=_demands(options, ground, numbers))


@dataclass
class Work:
    """The rounds of one command as they come: kept, counted, and told to whoever watches."""

    plan: RoundPlan
    ground: Ground
    names: Sequence[str]
    keeper: Keeper | None
    kept: Kept
    listener: Listener = silent
    stopped: str = ""
    errors: int = 0
    asked: int = 0

    def __post_init__(self) -> None:
        self.done: dict[RoundKey, Round] = {
            key: one for key, one in self.kept.rounds.items() if not one.failed and self._wanted(key)
        }
        self._new: list[Round] = []

    def _wanted(self, key: RoundKey) -> bool:
        plan = self.plan
        return (
            key.subject in self.names
            and any(key.document == one.name for one in plan.documents)
            and key.schedule in plan.schedules
            and key.ratio in plan.ratios
            and key.number <= plan.rounds
        )

    def take(self, records: Iterable[RoundRecord]) -> None:
        """Take in what the rounds yield."""
        for record in records:
            if isinstance(record, Stopped):
                self.stopped = record.reason
                continue
            if self.keeper is not None:
                self.keeper.round(record)
            self._new.append(record)
            self.asked += 1
            self.errors += record.failed
        total = self.plan.per_subject * len(self.names) - len(self.done)
        self.listener(Progress("rounds", self.asked, total, self.errors))

    @property
    def rounds(self) -> list[Round]:
        """All rounds of the plan that there are, in the order of tables."""
        order = {name: at for at, name in enumerate(self.names)}
        return sorted([*self.done.values(), *self._new], key=lambda one: _place(one, order))


def _place(one: Round, order: Mapping[str, int]) -> tuple[int, str, int, float, int]:
    return order[one.subject], one.document, SCHEDULES.index(one.schedule), -one.ratio, one.number


def _report(
    rounds: Sequence[Round],
    ground: Ground,
    answers: Sequence[ProbeAnswer],
    options: CliffOptions,
    *,
    demands: Sequence[Demand],
) -> CliffReport:
    scored = list(score_rounds(rounds, ground.documents, ground.lines, talk=ground.talk))
    result = result_of(
        scored,
        ground.documents,
        ground.lines,
        demands=demands,
        answers=answers,
        shown=options.line_class,
        notes=ground.notes,
    )
    usages = [*(one.usage for one in rounds), *(one.usage for one in answers)]
    costs = [usage.cost_usd for usage in usages if usage is not None and usage.cost_usd is not None]
    return CliffReport(result, ground, options, cost_usd=fsum(costs) if costs else None)


async def _probe(prober: Prober, work: Work, ground: Ground, *, environ: Mapping[str, str], limits: Limits) -> Probing:
    """Ask the model about every round, within what the rounds left of the cost."""
    if limits.max_cost_usd is not None:
        spent = fsum(one.usage.cost_usd or 0.0 for one in work.rounds if one.usage)
        limits = replace(limits, max_cost_usd=max(0.0, limits.max_cost_usd - spent))
    heard = 0

    def keep(answer: ProbeAnswer) -> None:
        nonlocal heard
        heard += 1
        if work.keeper is not None:
            work.keeper.probe(answer)
        work.listener(Progress("probes", heard, None, 0))

    return await probe_rounds(
        prober,
        work.rounds,
        documents=ground.documents,
        labelled=ground.lines,
        environ=environ,
        limits=limits,
        keep=keep,
        done=work.kept.probes,
    )


@contextmanager
def _keeping(out: Path | None, begun: Begun) -> Iterator[tuple[Keeper | None, Kept]]:
    if out is None:
        yield None, Kept()
    else:
        with keep_in(out, begun) as found:
            yield found


def _project(place: Path | None) -> Project | None:
    """The project named, or the one found from here upwards; none where there is none."""
    try:
        return locate_project(place or Path.cwd())
    except UsageError as error:
        if place is not None or isinstance(error, FileError):
            raise
    return None


def _environment(project: Project | None) -> Mapping[str, str]:
    return project_environment(project) if project else dict(os.environ)


def _limits(options: CliffOptions, project: Project | None) -> Limits:
    limits = project.limits if project else Limits()
    return replace(
        limits,
        concurrency=options.concurrency or limits.concurrency,
        timeout_s=options.timeout_s or limits.timeout_s,
        max_cost_usd=limits.max_cost_usd if options.max_cost_usd is None else options.max_cost_usd,
    )


def _demands(options: CliffOptions, ground: Ground, rounds: int) -> tuple[Demand, ...]:
    totals = totals_of(ground.lines)
    if options.line_class and not totals.get(options.line_class):
        raise NothingSelectedError(
            f"nothing selected: no line is labelled '{options.line_class}'\n  {nearest_of(options.line_class, totals)}"
        )
    return demands_of(options.require, totals, rounds=rounds)
