"""The rounds: compactors are asked, within limits, and a typed record is yielded for everything that came of it."""

from __future__ import annotations

import math
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace

import anyio
import anyio.lowlevel
from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream

from foldproof.cases import Limits
from foldproof.cliff.documents import Document
from foldproof.cliff.records import Round, RoundKey, RoundState, Schedule
from foldproof.cliff.schedules import Course, course_of
from foldproof.compaction import Compacted, Compactor, count_tokens
from foldproof.core import first_of
from foldproof.matching import fold_blanks
from foldproof.record import Stopped
from foldproof.record.spending import Spending

RoundRecord = Round | Stopped


@dataclass(frozen=True, slots=True)
class RoundPlan:
    """What is to be done: every subject on every document, under every schedule, at every ratio, so many rounds.

    The documents are clean: secrets that are replaced in what is recorded are replaced in them already, so that a line
    that holds one is not lost by that.
    """

    documents: tuple[Document, ...]
    schedules: tuple[Schedule, ...]
    ratios: tuple[float, ...]
    rounds: int
    talk: tuple[str, ...] = ()

    def courses(self, document: Document, ratio: float) -> tuple[Course, ...]:
        """The courses of a document at a ratio, one a schedule.

        Raises:
            UsageError: as `course_of`.
        """
        return tuple(
            course_of(document, schedule, ratio, rounds=self.rounds, talk=self.talk) for schedule in self.schedules
        )

    @property
    def per_subject(self) -> int:
        """How many rounds each subject has."""
        return len(self.documents) * len(self.schedules) * len(self.ratios) * self.rounds


@asynccontextmanager
async def run_rounds(
    plan: RoundPlan,
    subjects: Sequence[Compactor],
    *,
    limits: Limits,
    done: Mapping[RoundKey, Round],
    clean: Callable[[str], str],
) -> AsyncIterator[MemoryObjectReceiveStream[RoundRecord]]:
    """Carry out a plan; the records come from the stream as rounds end, those of one course in their order.

    `done` are rounds that need not be asked again: they are gone on from, and not yielded. `clean` takes secrets out of
    whatever a compactor gives. A compactor's failure is its round's; what it raises all the same ends everything, so
    one from outside must be guarded by who hands it in. On cancellation, finished rounds stay in the stream and can
    be taken with `receive_nowait` inside the context.

    Raises:
        UsageError: as `course_of`.
    """
    send, receive = anyio.create_memory_object_stream[RoundRecord](math.inf)
    runner = _Runner(plan, limits, done, clean)
    try:
        async with receive, anyio.create_task_group() as group:
            group.start_soon(runner.run, subjects, send)
            yield receive
    except BaseExceptionGroup as failures:
        raise first_of(failures) from None


@dataclass(slots=True)
class _Work:
    """All courses of one subject on one document at one ratio. The same text at the same budget is asked once.

    So the first round, which all schedules have in common, is one call; `asked` has what came of each.
    """

    subject: Compactor
    courses: tuple[Course, ...]
    asked: dict[tuple[str, int], Round] = field(default_factory=dict)


class _Runner:
    def __init__(
        self, plan: RoundPlan, limits: Limits, done: Mapping[RoundKey, Round], clean: Callable[[str], str]
    ) -> None:
        self._plan = plan
        self._concurrency = limits.concurrency
        self._done = done
        self._clean = clean
        spent = sum(one.usage.cost_usd or 0.0 for one in done.values() if one.usage)
        self._spending = Spending(limits, unpriced="a compactor does not show what a round costs", spent=spent)
        self._stopped = False

    async def run(self, subjects: Sequence[Compactor], send: MemoryObjectSendStream[RoundRecord]) -> None:
        with send:
            feed = self._feed(subjects)
            async with anyio.create_task_group() as group:
                for _ in range(self._concurrency):
                    group.start_soon(self._work_off, feed, send)

    def _feed(self, subjects: Sequence[Compactor]) -> Iterator[_Work]:
        for document in self._plan.documents:
            for ratio in self._plan.ratios:
                courses = self._plan.courses(document, ratio)
                for subject in subjects:
                    yield _Work(subject, courses)

    async def _work_off(self, feed: Iterator[_Work], send: MemoryObjectSendStream[RoundRecord]) -> None:
        for work in feed:
            for course in work.courses:
                async for found in self._run_course(work, course):
                    send.send_nowait(found)
                if self._stopped:
                    return
                # A compactor that never waits would else let nobody listen before the end.
                await anyio.lowlevel.checkpoint()

    async def _run_course(self, work: _Work, course: Course) -> AsyncIterator[RoundRecord]:
        """The rounds of one course; less of them, and why, where a limit ends everything."""
        last: Round | None = None
        for number in range(1, self._plan.rounds + 1):
            key = RoundKey(work.subject.name, course.document.name, course.schedule, course.ratio, number)
            given = course.given(number, last.text if last else "")
            found = self._done.get(key)
            if found is None:
                if self._stopped:
                    return
                if reason := self._spending.limit_reached():
                    self._stopped = True
                    yield Stopped(reason)
                    return
                blocked = bool(last and last.failed and course.schedule != "budget")
                found = await self._round(work, key, given, budget=course.budgets[number - 1], blocked=blocked)
                yield found
            work.asked.setdefault((given, found.budget), found)
            last = found

    async def _round(self, work: _Work, key: RoundKey, given: str, *, budget: int, blocked: bool) -> Round:
        empty = Round(*key, budget=budget, given_tokens=count_tokens(given))
        if blocked:
            return replace(empty, state="skipped", error=f"round {key.number - 1} failed, so there is no text")
        if not given.strip():
            return replace(empty, state="empty")
        same = work.asked.get((given, budget))
        if same is not None and not same.failed:
            return replace(same, schedule=key.schedule, number=key.number, usage=None)
        compacted = await work.subject.compact(given, budget)
        self._spending.count(compacted.usage, answered=compacted.usage is not None and not compacted.error)
        return self._recorded(empty, given, compacted)

    def _recorded(self, empty: Round, given: str, compacted: Compacted) -> Round:
        text = "" if compacted.error else _plain(self._clean(compacted.text))
        kept = count_tokens(text)
        return replace(
            empty,
            text=text,
            kept_tokens=kept,
            state=_state_of(compacted, given, text, over=kept > empty.budget),
            error=_plain(self._clean(compacted.error)),
            unsafe=_plain(self._clean(compacted.unsafe)),
            notes=tuple(_plain(self._clean(note)) for note in compacted.notes),
            usage=compacted.usage,
        )


def _plain(text: str) -> str:
    """The text with a question mark for each half of a character, which no file holds."""
    return text.encode("utf-8", "replace").decode("utf-8")


def _state_of(compacted: Compacted, given: str, text: str, *, over: bool) -> RoundState:
    if compacted.error:
        return "error"
    if not text.strip():
        return "empty"
    if not over:
        return "ok"
    return "copy" if fold_blanks(given).strip() in fold_blanks(text) else "over budget"
