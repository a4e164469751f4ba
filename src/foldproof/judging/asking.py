"""Asking a judge many claims: within limits, with retries, and with a record for everything that came of it."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator, Sequence

import anyio

from foldproof.agents import AgentError, TransientError
from foldproof.agents.waiting import delay_s, worth_waiting
from foldproof.cases import Limits
from foldproof.core import first_of
from foldproof.judging.judge import Judge
from foldproof.judging.parsing import JudgeError
from foldproof.logs import Usage
from foldproof.record import Claim, JudgeVerdict

Keep = Callable[[JudgeVerdict], None]
Asked = tuple[Claim, int]
"""A claim, and which repeat of it, from 0."""


async def judge_claims(judge: Judge, asked: Sequence[Asked], *, limits: Limits, keep: Keep) -> str:
    """Ask a judge each claim once; `keep` gets every record as it comes, in no fixed order.

    A judge that fails leaves a record with its error and no verdict, never an exception here. The answer is the limit
    that ended the asking early, or empty. The limits count from here, not from the run before.
    """
    bench = _Bench(judge, limits, keep)
    feed = iter(asked)
    try:
        async with anyio.create_task_group() as group:
            for _ in range(min(limits.concurrency, len(asked))):
                group.start_soon(bench.work, feed)
    except BaseExceptionGroup as failures:
        raise first_of(failures) from None
    return bench.stopped


class _Bench:
    def __init__(self, judge: Judge, limits: Limits, keep: Keep) -> None:
        self._judge = judge
        self._limits = limits
        self._keep = keep
        self._cost = 0.0
        self._cost_unknown = False
        self._deadline = math.inf if limits.max_time_s is None else time.monotonic() + limits.max_time_s
        self.stopped = ""

    async def work(self, feed: Iterator[Asked]) -> None:
        for claim, slot in feed:
            if reason := self._limit_reached():
                self.stopped = reason
                return
            verdict = await self._judged(claim, slot)
            cost = verdict.usage.cost_usd if verdict.usage else None
            if cost is not None:
                self._cost += cost
            elif verdict.verdict is not None or verdict.usage is not None:
                self._cost_unknown = True
            self._keep(verdict)

    def _limit_reached(self) -> str:
        most = self._limits.max_cost_usd
        if most is not None and self._cost_unknown:
            return f"the cost limit of {most} US dollars cannot be held: the judge does not show what a verdict costs"
        if most is not None and self._cost >= most:
            return f"the cost limit is reached while judging: {self._cost:.4f} of {most} US dollars"
        if time.monotonic() >= self._deadline:
            return f"the time limit is reached while judging: {self._limits.max_time_s} s"
        return ""

    async def _judged(self, claim: Claim, slot: int) -> JudgeVerdict:
        attempts = 0
        usage = None
        while True:
            attempts += 1
            try:
                with anyio.fail_after(self._limits.timeout_s):
                    return await self._judge.ask(claim, slot)
            except TransientError as error:
                if attempts <= self._limits.retries and worth_waiting(error.retry_after_s, self._limits.timeout_s):
                    await anyio.sleep(delay_s(attempts, error.retry_after_s))
                    continue
                why = f"{error} (given up after {attempts} attempts)"
            except JudgeError as error:
                why, usage = str(error), error.usage or Usage()  # it replied, so it has its cost
            except AgentError as error:
                why = str(error)
            except TimeoutError:
                why = f"no verdict within {self._limits.timeout_s:g} s"
            return JudgeVerdict(self._judge.identity.sha256, claim, None, slot=slot, usage=usage, error=why)
