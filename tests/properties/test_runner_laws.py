"""Laws of the runner: whatever agents do, each trial leaves one record, within the limits."""

import asyncio

import anyio
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from foldproof.agents import OpenedAgents, Reply, TransientError, UnsupportedError
from foldproof.agents.watch import Watch
from foldproof.cases import Case, Configuration, Limits
from foldproof.logs import History, MemoryItem, Session, Turn, Usage
from foldproof.record import Stopped, StoreListing
from foldproof.run import Plan, plan_trials, run_trials

DEEDS = (
    *("answer", "answer", "free", "empty", "raise", "transient", "unsupported"),
    *("exit", "outcome", "cancelled", "nothing", "slow"),
)


class _Outcome(BaseException):
    """As the outcomes of pytest: no `Exception`, and no wish to end the process either."""


class _World:
    """A factory whose agents do what the deeds say, one after the other, and that counts what goes on."""

    default_folds = 1
    fingerprint = ""
    shows = frozenset()
    notes = ()

    def __init__(self, deeds, *, snapshots):
        self.deeds, self.snapshots = deeds, snapshots
        self.made, self.open, self.most, self.next = [], 0, 0, 0

    def deed(self):
        self.next += 1
        return self.deeds[self.next % len(self.deeds)]

    async def make(self, memory_config, trial):
        self.open += 1
        self.most = max(self.most, self.open)
        self.made.append((_Handing if self.snapshots else _Agent)(self))
        return self.made[-1]


class _Agent:
    def __init__(self, world):
        self.world, self.closed, self.items = world, 0, []

    async def _do(self, good):
        await anyio.lowlevel.checkpoint()
        match self.world.deed():
            case "raise":
                raise ValueError("broke")
            case "transient":
                raise TransientError("429", 0.0)
            case "unsupported":
                raise UnsupportedError("unknown")
            case "exit":
                raise SystemExit(0)
            case "outcome":
                raise _Outcome("failed")
            case "cancelled":
                raise asyncio.CancelledError
            case "free":
                return Reply("x") if isinstance(good, Reply) else good
            case "slow":
                await anyio.sleep_forever()
            case "empty":
                return "" if isinstance(good, Reply) else []
            case "nothing":
                return None
        return good

    async def ingest(self, history):
        await self._do(None)
        self.items = [MemoryItem(turn.text) for session in history.sessions for turn in session.turns]

    async def fold(self):
        await self._do(None)

    async def memories(self, user):
        return await self._do(self.items)

    async def start_session(self, info):
        return self

    async def reply(self, message):
        return await self._do(Reply("x", usage=Usage(cost_usd=1.0)))

    async def close(self):
        self.closed += 1
        self.world.open -= 1
        await self._do(None)


class _Handing(_Agent):
    async def snapshot(self):
        return await self._do(tuple(self.items))

    async def restore(self, snapshot):
        await self._do(None)
        self.items = list(snapshot or ())


PAST = History("h", (Session("s", (Turn("user", "a"),)),))


@settings(max_examples=60)
@given(
    st.lists(st.sampled_from(DEEDS), min_size=1, max_size=9),
    st.integers(1, 6),
    st.integers(1, 4),
    st.integers(0, 2),
    st.none() | st.integers(0, 5),
    st.booleans(),
)
@example(["unsupported", "nothing"], 5, 2, 0, None, True)  # one trial's restore fails while another's is under way
def test_each_trial_leaves_one_record_whatever_agents_do(deeds, count, concurrency, retries, cost, snapshots):
    cases = [Case(f"q{n}", "?", history="h" if n % 3 else "") for n in range(count)]
    planned = plan_trials(cases, Configuration("c", {"recall": ""}), histories={"h": PAST}, repeats=2)
    world = _World(deeds, snapshots=snapshots)
    limits = Limits(concurrency=concurrency, timeout_s=0.002, retries=retries, max_cost_usd=cost)
    records = []

    async def main():
        async with run_trials(Plan("fp", planned), OpenedAgents(world, Watch()), limits=limits) as stream:
            async for record in stream:
                records.append(record)

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr("foldproof.run.runner._CLOSING_S", 0.002)
        anyio.run(main)
    stops = [record for record in records if isinstance(record, Stopped)]
    listings = [record.sha256 for record in records if isinstance(record, StoreListing)]
    trials = [record for record in records if not isinstance(record, Stopped | StoreListing)]
    keys = [trial.key for trial in trials]
    assert len(set(keys)) == len(keys)
    assert set(keys) <= {trial.key for trial in planned}
    assert len(keys) == len(planned) if not stops else len(keys) < len(planned)
    assert len(stops) <= 1
    spent = sum(trial.usage.cost_usd for trial in trials if trial.usage)
    # The trials come in the order in which they ended, and a limit is looked at before each further one.
    unknown = any(trial.error is None and trial.usage is None for trial in trials)
    assert bool(stops) <= (cost is not None and (unknown or spent >= cost))
    assert all(("cannot be held" in stop.reason) <= unknown for stop in stops)
    assert all(("is reached" in stop.reason) <= (spent >= cost) for stop in stops)
    assert cost is None or spent < cost + concurrency
    if cost is not None and unknown:
        first = next(n for n, trial in enumerate(trials) if trial.error is None and trial.usage is None)
        assert len(trials) - first <= concurrency
    assert world.most <= concurrency
    assert all(agent.closed == 1 for agent in world.made)
    assert len(world.made) == sum(trial.attempts for trial in trials)
    assert all(trial.attempts <= retries + 1 for trial in trials)
    assert all((trial.error is None) == (trial.answer == "x") for trial in trials)
    assert len(set(listings)) == len(listings)
    named = {name for trial in trials for name in (trial.store_written, trial.store_kept) if name}
    assert named == set(listings)
