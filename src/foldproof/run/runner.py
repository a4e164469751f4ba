"""The runner: asks the agent, within limits, and yields a typed record for everything that came of it."""

from __future__ import annotations

import math
import secrets
import time
import traceback
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime

import anyio
from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream

from foldproof.agents import Agent, AgentError, OpenedAgents, Reply, SessionInfo, TransientError
from foldproof.agents.protocols import Closes
from foldproof.agents.usage import summed
from foldproof.agents.waiting import delay_s, worth_waiting
from foldproof.agents.watch import Tap, cassette_miss, unanswered
from foldproof.cases import Limits
from foldproof.core import UsageError, first_of
from foldproof.logs import Seen
from foldproof.record import Stopped, StoreListing, Trial, TrialError
from foldproof.record.records import ErrorKind
from foldproof.record.spending import Spending
from foldproof.run.answers import answer_fault
from foldproof.run.border import recordable_reply
from foldproof.run.built import Built, Memories, SlowMemoryError
from foldproof.run.counterpart import Counterparts
from foldproof.run.frozen import hand_over
from foldproof.run.plan import Plan, PlannedTrial
from foldproof.run.sessions import Hall, Held, hold_sessions, settled

RunRecord = Trial | StoreListing | Stopped
_CLOSING_S = 10


@asynccontextmanager
async def run_trials(
    plan: Plan, agents: OpenedAgents, *, limits: Limits, counterparts: Counterparts | None = None
) -> AsyncIterator[MemoryObjectReceiveStream[RunRecord]]:
    """Carry out a plan; the records come from the stream as the trials finish, in no fixed order.

    A listing comes before the first trial that names it. Whatever a trial raises becomes its error, never
    an exception here. On cancellation the trials in flight are given up; finished ones stay in the stream and
    can be taken with `receive_nowait` inside the context. Without `counterparts` a case that needs a live one gets an
    error.

    Raises:
        UsageError: where a trial's memory settings cannot be used at all: no further trial would fare better.
    """
    send, receive = anyio.create_memory_object_stream[RunRecord](math.inf)
    runner = _Runner(plan, agents, limits, counterparts)
    try:
        async with receive, anyio.create_task_group() as group:
            group.start_soon(runner.run, send)
            yield receive
    except BaseExceptionGroup as failures:
        raise first_of(failures) from None


@dataclass(slots=True)
class _Attempt:
    """What one attempt at a trial left, filled in as it goes; `stage` says who is at work.

    `label` is a name that was never used: what an earlier attempt left in an agent's own store must not be found
    again.
    """

    started_at: str
    label: str
    stage: str = "memory"
    built: Built = field(default_factory=Built)
    reply: Reply | None = None
    seen: tuple[Seen, ...] = ()
    log: str = ""
    held: Held = field(default_factory=Held)

    @property
    def listings(self) -> Iterator[StoreListing]:
        """Every listing that the trial's record names."""
        yield from (listing for listing in (self.built.written, self.built.kept, *self.held.listings) if listing)

    @property
    def answering(self) -> tuple[tuple[Seen, ...], ...]:
        """What was seen while the agent answered, turn by turn."""
        return (*(turn.seen for turn in self.held.turns), self.seen)


class _Runner:
    def __init__(self, plan: Plan, agents: OpenedAgents, limits: Limits, counterparts: Counterparts | None) -> None:
        self._plan = plan
        self._counterparts = counterparts
        self._agents = agents.factory
        self._watch = agents.watch
        self._limits = limits
        self._memories = Memories(
            plan, agents.watch, default_folds=agents.factory.default_folds, timeout_s=limits.timeout_s
        )
        self._listed: set[str] = set()
        self._spending = Spending(limits, unpriced="the agent does not show what an answer costs")
        self._stopped = False

    async def run(self, send: MemoryObjectSendStream[RunRecord]) -> None:
        with send:
            feed = iter(self._plan.trials)
            workers = min(self._limits.concurrency, len(self._plan.trials))
            async with anyio.create_task_group() as group:
                for _ in range(workers):
                    group.start_soon(self._work, feed, send)

    async def _work(self, feed: Iterator[PlannedTrial], send: MemoryObjectSendStream[RunRecord]) -> None:
        for planned in feed:
            if reason := self._spending.limit_reached():
                if not self._stopped:
                    self._stopped = True
                    send.send_nowait(Stopped(reason))
                return
            trial, attempt = await self._trial(planned)
            self._memories.finished(planned)
            for listing in attempt.listings:
                if listing.sha256 not in self._listed:
                    self._listed.add(listing.sha256)
                    send.send_nowait(listing)
            self._spending.count(trial.usage, answered=trial.error is None)
            send.send_nowait(trial)

    async def _trial(self, planned: PlannedTrial) -> tuple[Trial, _Attempt]:
        attempts = 0
        while True:
            attempts += 1
            label = f"{self._plan.run}-{planned.case.id}-{planned.repeat}-{secrets.token_hex(4)}"
            attempt = _Attempt(datetime.now(UTC).isoformat(timespec="milliseconds"), label)
            started = time.monotonic()
            tap = self._watch.begin(label, planned.repeat)
            try:
                error = await self._attempt(planned, attempt, tap)
                attempt.seen = await self._watch.take(label, ended=True)
                error = _missed(attempt, error)
            except TransientError as transient:
                attempt.seen = await self._watch.take(label, ended=True)
                wish = transient.retry_after_s
                patient = worth_waiting(wish, self._limits.timeout_s)
                if attempts <= self._limits.retries and patient:
                    await anyio.sleep(delay_s(attempts, wish))
                    continue
                why = f"given up after {attempts} attempts" if patient else f"it asks to wait {wish:g} s, too long"
                message = attempt.held.told(f"{transient} ({why})")
                error = TrialError("transport", message, type(transient).__name__)
            seconds = time.monotonic() - started
            return _record(planned, attempt, error, attempts=attempts, duration_s=seconds), attempt

    async def _attempt(self, planned: PlannedTrial, attempt: _Attempt, tap: Tap) -> TrialError | None:
        """One attempt: an error to keep, or None where there is an answer.

        Raises:
            TransientError: where another attempt may fare better.
        """
        agent: Agent | None = None
        label = attempt.label
        limit = self._limits.timeout_s
        try:
            with anyio.move_on_after(limit):
                agent = await self._agents.make(planned.memory_config, label)
            if agent is None:
                return TrialError("timeout", f"the agent did not start within {limit:g} s")
            attempt.built = await self._memories.prepare(agent, planned, label)
            attempt.stage = "agent"
            if planned.case.sessions:
                hall = Hall(label, tap.wire_url, limit, self._watch, self._counterparts)
                found = await hold_sessions(agent, planned, attempt.held, hall=hall, store=attempt.built.kept)
                if isinstance(found, TrialError):
                    return found
                attempt.reply = found
                return None
            with anyio.move_on_after(limit) as answering:
                info = SessionInfo(user=label, session=f"{label}-question", now=planned.case.at, wire_url=tap.wire_url)
                conversation = await agent.start_session(info)
                await hand_over(conversation, planned.prefix)
                attempt.reply = recordable_reply(await conversation.reply(planned.asked))
            if attempt.reply is None or answering.cancelled_caught:
                return TrialError("timeout", f"no answer within {limit:g} s")
        except (TransientError, UsageError):
            raise
        except BaseException as error:  # the border: whatever an agent raises is a record
            if not _is_agents_own(error):
                raise
            return _error_of(error, attempt)
        else:
            fault = answer_fault(attempt.reply.text)
            # With its memory cut off an agent may well have nothing to say: that is its answer.
            return None if fault and fault.kind == "empty" and planned.unplugged else fault
        finally:
            await _close(agent, attempt)


def _record(
    planned: PlannedTrial, attempt: _Attempt, error: TrialError | None, *, attempts: int, duration_s: float
) -> Trial:
    built, reply = attempt.built, attempt.reply or Reply("")
    turns, told = settled(attempt.held, attempt.seen)
    notes = (*built.notes, *(attempt.held.notes if turns else reply.notes), *told)
    # What was seen of a turn that came to no reply stands with the trial alone.
    unanswered = bool(error is not None and attempt.seen and not attempt.held.awaits_seen)
    return Trial(
        case=planned.case.id,
        repeat=planned.repeat,
        user=attempt.label,
        answer=reply.text,
        error=error,
        tool_calls=reply.tool_calls,
        memory_reads=reply.memory_reads,
        memory_writes=reply.memory_writes,
        store_written=built.written.sha256 if built.written else None,
        store_kept=built.kept.sha256 if built.kept else None,
        prompt=reply.prompt,
        usage=summed(attempt.held.usages) if turns else reply.usage,
        seen=attempt.seen if unanswered or not turns else turns[-1].seen,
        building=built.seen,
        built_by=built.user if built.user != attempt.label else "",
        notes=notes,
        log=attempt.log,
        started_at=attempt.started_at,
        duration_s=round(duration_s, 4),
        attempts=attempts,
        turns=turns,
        state=reply.state,
    )


def _is_agents_own(error: BaseException) -> bool:
    """Whether an agent failed, and not somebody ended the run."""
    if isinstance(error, anyio.get_cancelled_exc_class()):
        # Where nobody cancelled this trial, the agent gave up a task of its own and let that out.
        return anyio.current_effective_deadline() != -math.inf
    return not isinstance(error, KeyboardInterrupt | GeneratorExit)


def _error_of(error: BaseException, attempt: _Attempt) -> TrialError:
    kind: ErrorKind = "memory" if attempt.stage == "memory" or attempt.held.on_memory else "agent"
    if isinstance(error, SlowMemoryError):
        kind = "timeout"
    # An error of the adapter says it all: only what the agent itself raised has frames worth reading.
    raised = error.__cause__ if isinstance(error, AgentError) else error
    trace = "".join(traceback.format_exception(raised)) if raised else ""
    name, message = type(error).__name__, str(error)
    if " " not in message:  # as bare as "'12'": the type is half of what there is to say
        message = f"{name}: {message}" if message else name
    return TrialError(kind, attempt.held.told(message), name, trace)


def _missed(attempt: _Attempt, error: TrialError | None) -> TrialError | None:
    """The error of a trial whose model could not be asked: whatever the agent made of that is no answer."""
    miss = cassette_miss((*attempt.built.seen, *(seen for turn in attempt.answering for seen in turn)))
    if miss:
        return TrialError("agent", miss, "CassetteMiss", error.traceback if error else "")
    failed = (why for turn in attempt.answering if (why := unanswered(turn)))
    if error is None and (why := next(failed, "")):
        return TrialError("transport", f"the agent answered, and no model did: {why}", "ModelCallFailed")
    return error


async def _close(agent: Agent | None, attempt: _Attempt) -> None:
    """Let go of the agent, also when the trial is cancelled; a failure to close is a note in its log."""
    if agent is None:
        return
    if isinstance(agent, Closes):
        with anyio.CancelScope(shield=True), anyio.move_on_after(_CLOSING_S) as closing:
            try:
                await agent.close()
            except BaseException as error:  # the answer stands, however badly the agent closes
                if not _is_agents_own(error):
                    raise
                attempt.log += f"\n[closing failed: {type(error).__name__}: {error}]"
        if closing.cancelled_caught:
            attempt.log += f"\n[closing did not end within {_CLOSING_S} s]"
    log = getattr(agent, "log", "")
    attempt.log = log + attempt.log if isinstance(log, str) else attempt.log
