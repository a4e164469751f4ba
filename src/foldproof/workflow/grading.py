"""Grading sessions: each read, ruled on, and only where it failed searched for its first divergence; one at a time."""

from __future__ import annotations

import os
from collections.abc import AsyncIterator, Iterable, Iterator, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path

import anyio

from foldproof.cases import JudgeSettings, Limits, Project, project_environment
from foldproof.cases.judges import moves
from foldproof.core import FileError, NothingSelectedError, Redactor, UsageError, first_of, nearest_of
from foldproof.judging import GOAL, LOST, Judge, judge_claims, open_judge, session_claim, session_prompt
from foldproof.logs import ImportedSession, read_logs
from foldproof.record import Claim, JudgeVerdict
from foldproof.record.spending import Spending
from foldproof.record.store import Store
from foldproof.score.divergence import Divergence, search_divergence
from foldproof.score.grades import Ruling, SessionGrade, grade_session, reach_of, ruling_of, scale_of
from foldproof.score.steps import Step, agent_steps, steps_of
from foldproof.score.transcripts import beginning, transcript
from foldproof.workflow.sink import Listener, Progress, silent
from foldproof.workflow.workspace import locate_project

_MOVES = "the judge '{}' is an alias that may name another model tomorrow: a dated name makes its verdicts comparable"
NO_VERDICT = "nobody was asked: a verdict on a session needs a judge (--judge) or a label of the log (--outcome)"


@dataclass(frozen=True, slots=True)
class GradeOptions:
    """What a person asked for.

    `judge` is the model that judges, `judge_url` where it is, over what the project and the environment say. `outcome`
    names a label of the log that counts as the verdict of a session; a judge then only looks for the divergence.
    """

    judge: str = ""
    judge_url: str = ""
    outcome: str = ""
    listener: Listener = field(default=silent, compare=False)


@dataclass(frozen=True, slots=True)
class GradeReport:
    """The grades of all sessions of a log, in their order.

    `judge` is the title of who judged, empty where nobody did. `asked` counts the calls that were made, without what
    was stored already. `notes` say what the log cannot show and what ended the asking early.
    """

    format: str
    grades: tuple[SessionGrade, ...]
    judge: str = ""
    outcome: str = ""
    asked: int = 0
    notes: tuple[str, ...] = ()


async def grade_logs(
    paths: Sequence[Path], options: GradeOptions, *, start: Path, format_name: str = ""
) -> GradeReport:
    """Grade every session of log files. `start` is where the project is looked for that says how a judge is reached.

    Without a judge and an outcome each session is only looked through for signs, and has no verdict. No more sessions
    are held than are judged at once.

    Raises:
        UsageError: for a log that cannot be read, a judge that cannot be reached by what is said, and an outcome that
            no session of the log has.
        NothingSelectedError: for a log without a session.
    """
    reading = read_logs(paths, format_name)
    report = await grade_sessions(reading.sessions, options, start=start)
    return replace(report, format=reading.format.name, notes=(*report.notes, *reading.tally.notes))


async def grade_sessions(sessions: Iterable[ImportedSession], options: GradeOptions, *, start: Path) -> GradeReport:
    """The same for sessions from anywhere, as those of a run.

    Raises:
        UsageError: as for a log, and for an outcome that is a scale.
        NothingSelectedError: where there is none.
    """
    async with _bench(options, start) as bench:
        room = _Room(bench, options, enumerate(sessions))
        try:
            async with anyio.create_task_group() as group:
                for _ in range(bench.limits.concurrency if bench.judges else 1):
                    group.start_soon(room.work)
        except BaseExceptionGroup as failures:
            raise first_of(failures) from None
    if options.outcome and room.labels is not None and options.outcome not in room.labels:
        raise UsageError(
            f"no session has the outcome '{options.outcome}'\n  {nearest_of(options.outcome, room.labels)}"
        )
    if room.scale is not None:
        raise UsageError(
            f"the outcome '{options.outcome}' is {room.scale:g} in a session: a scale says neither yes nor no\n"
            "  name a label that does, or a judge"
        )
    grades = tuple(room.grades[place] for place in sorted(room.grades))
    title = bench.judges[0].identity.title if bench.judges else ""
    if not grades:
        raise NothingSelectedError("there is no session, so nothing is graded")
    alias = _MOVES.format(options.judge) if bench.judges and moves(options.judge) else ""
    notes = tuple(filter(None, (bench.stopped, alias)))
    return GradeReport("", grades, title, options.outcome, bench.asked, notes)


@dataclass(slots=True)
class _Room:
    """Where sessions are graded, a few at once."""

    bench: _Bench
    options: GradeOptions
    feed: Iterator[tuple[int, ImportedSession]]
    grades: dict[int, SessionGrade] = field(default_factory=dict)
    labels: set[str] | None = None
    scale: float | None = None
    errors: int = 0

    async def work(self) -> None:
        for place, session in self.feed:
            self.labels = (self.labels or set()) | {outcome.name for outcome in session.outcomes}
            if self.scale is None:
                self.scale = scale_of(session.outcomes, self.options.outcome)
            grade = await _graded(session, self.bench, self.options.outcome)
            self.grades[place] = grade
            self.errors += grade.ruling.verdict == "error"
            self.options.listener(Progress("grading", len(self.grades), None, self.errors))


async def _graded(session: ImportedSession, bench: _Bench, outcome: str) -> SessionGrade:
    steps = steps_of(session)
    text, shortened = transcript(steps)
    questions = 0
    if not steps:
        ruling = Ruling("unknown", reason="nothing is shown that was said or done in it")
    elif outcome:
        ruling = ruling_of(session.outcomes, outcome)
    elif bench.judges:
        ruling, questions = _ruling(await bench.ask(bench.judges[0], session_claim(text))), 1
    else:
        ruling = Ruling(reason=NO_VERDICT)
    divergence = None
    if ruling.verdict == "not met" and bench.judges and agent_steps(steps):
        divergence = await _searched(steps, bench)
        questions += len(divergence.answers)
    return grade_session(
        session.id,
        steps,
        ruling=ruling,
        divergence=divergence,
        user=session.user,
        questions=questions,
        shortened=shortened and bool(bench.judges),
    )


def _ruling(said: JudgeVerdict) -> Ruling:
    if said.verdict is None:
        return Ruling("error", "judge", reason=said.error)
    return Ruling(said.verdict, "judge", said.quotation, said.reason)


async def _searched(steps: Sequence[Step], bench: _Bench) -> Divergence:
    """The first divergence as the judge sees it; its answers go into the search one by one."""
    search = search_divergence(len(agent_steps(steps)))
    length = next(search)
    while True:
        said = await bench.ask(bench.judges[1], session_claim(transcript(beginning(steps, length))[0]))
        try:
            length = search.send(reach_of(said.verdict))
        except StopIteration as found:
            divergence: Divergence = found.value
            return divergence


@dataclass(slots=True)
class _Bench:
    """The judge with its two questions, within the project's limits; what it said before is not asked again."""

    judges: tuple[Judge, ...] = ()
    limits: Limits = field(default_factory=Limits)
    store: Store | None = None
    spending: Spending = field(default_factory=lambda: _spending(Limits()))
    asked: int = 0
    stopped: str = ""

    async def ask(self, judge: Judge, claim: Claim) -> JudgeVerdict:
        """What a judge says of a claim: kept, or asked now. Past a limit it is an error, never a verdict."""
        who = judge.identity.sha256
        if self.store is not None and (kept := self.store.verdict(who, claim.sha256)) is not None:
            return kept
        self.stopped = self.stopped or self.spending.limit_reached()
        if self.stopped:
            return JudgeVerdict(who, claim, None, error=self.stopped)
        found: list[JudgeVerdict] = []
        self.asked += 1
        await judge_claims(judge, [(claim, 0)], limits=self.limits, keep=found.append)
        said = found[0]
        self.spending.count(said.usage, answered=said.verdict is not None or said.usage is not None)
        if self.store is not None:
            self.store.add_verdicts(found)
        return said


def _spending(limits: Limits) -> Spending:
    return Spending(limits, doing="judging", unpriced="the judge does not show what a verdict costs")


@asynccontextmanager
async def _bench(options: GradeOptions, start: Path) -> AsyncIterator[_Bench]:
    if not options.judge:
        yield _Bench()
        return
    project = _project(start)
    settings = project.judge if project is not None else JudgeSettings()
    if options.judge_url:
        settings = replace(settings, base_url=options.judge_url)
    environ: Mapping[str, str] = project_environment(project) if project is not None else os.environ
    if not (settings.base_url or environ.get("OPENAI_BASE_URL")):
        raise UsageError(
            f"nothing says where the judge '{options.judge}' is served\n"
            "  name its address: --judge-url http://localhost:11434/v1, or `judge: {base_url: …}` in foldproof.yaml"
        )
    limits = project.limits if project is not None else Limits()
    prompt = session_prompt().encode()
    async with AsyncExitStack() as stack:
        judges = [
            await stack.enter_async_context(
                open_judge(options.judge, settings, prompt=prompt, environ=environ, form=form)
            )
            for form in (GOAL, LOST)
        ]
        store = stack.enter_context(_store(project, environ))
        yield _Bench(tuple(judges), limits, store, _spending(limits))


def _project(start: Path) -> Project | None:
    """The project that says how a judge is reached; a broken one is an error, none is none."""
    try:
        return locate_project(start)
    except UsageError as error:
        if isinstance(error, FileError):
            raise
        return None


@contextmanager
def _store(project: Project | None, environ: Mapping[str, str]) -> Iterator[Store | None]:
    """The project's store, where verdicts are kept; without a project they are not."""
    if project is None:
        yield None
        return
    with Store.open(Path(project.store.removeprefix("sqlite:///")), Redactor(environ)) as store:
        yield store
