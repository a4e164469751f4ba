"""Asking a judge many claims: within limits, with retries, and with a record for everything that came of it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import anyio

from foldproof.agents import AgentError, TransientError
from foldproof.agents.waiting import delay_s, worth_waiting
from foldproof.cases import Limits
from foldproof.judging.feeding import work_off
from foldproof.judging.judge import Judge
from foldproof.judging.parsing import JudgeError
from foldproof.logs import Usage
from foldproof.record import Claim, JudgeVerdict
from foldproof.record.spending import Spending

Keep = Callable[[JudgeVerdict], None]
Asked = tuple[Claim, int]
"""A claim, and which repeat of it, from 0."""


async def judge_claims(judge: Judge, asked: Sequence[Asked], *, limits: Limits, keep: Keep) -> str:
    """Ask a judge each claim once; `keep` gets every record as it comes, in no fixed order.

    A judge that fails leaves a record with its error and no verdict, never an exception here. The answer is the limit
    that ended the asking early, or empty. The limits count from here, not from the run before.
    """
    bench = _Bench(judge, limits, keep)
    await work_off(asked, bench.work, concurrency=limits.concurrency)
    return bench.stopped


class _Bench:
    def __init__(self, judge: Judge, limits: Limits, keep: Keep) -> None:
        self._judge = judge
        self._limits = limits
        self._keep = keep
        self._spending = Spending(limits, doing="judging", unpriced="the judge does not show what a verdict costs")
        self.stopped = ""

    async def work(self, feed: Iterator[Asked]) -> None:
        for claim, slot in feed:
            if reason := self._spending.limit_reached():
                self.stopped = reason
                return
            verdict = await self._judged(claim, slot)
            self._spending.count(verdict.usage, answered=verdict.verdict is not None or verdict.usage is not None)
            self._keep(verdict)

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
