"""In-memory agents, and a way to carry out a plan of them."""

from collections import Counter
from dataclasses import dataclass, field

import anyio
import pytest

from foldproof.agents import OpenedAgents, Reply
from foldproof.agents.watch import Watch
from foldproof.cases import Case, Configuration, Limits
from foldproof.logs import History, MemoryItem, Session, Turn
from foldproof.record import Stopped, StoreListing, Trial
from foldproof.run import Plan, plan_trials, run_trials


@pytest.fixture
def anyio_backend():
    return "asyncio"


@dataclass
class Factory:
    """Makes agents with `kind(factory, memory_config, trial)` and keeps count of what is done to them."""

    kind: type
    default_folds: int = 0
    fingerprint: str = ""
    shows: frozenset = frozenset()
    notes: tuple = ()
    making: object = None
    did: Counter = field(default_factory=Counter)
    made: list = field(default_factory=list)

    async def make(self, memory_config, trial):
        if self.making is not None:
            await self.making(trial)
        self.made.append(self.kind(self, memory_config, trial))
        return self.made[-1]

    @property
    def closings(self):
        """How often each agent was closed."""
        return [agent.closed for agent in self.made]


class Plain:
    """Answers at once, and counts how often it is closed."""

    def __init__(self, factory, memory_config, trial):
        self.factory, self.memory_config, self.trial, self.closed = factory, memory_config, trial, 0

    async def start_session(self, info):
        self.info = info
        return self

    async def reply(self, message):
        return f"the answer to {message}"

    async def close(self):
        self.closed += 1


class Remembering(Plain):
    """Keeps what it is told, lists it, drops its last item at each fold; its snapshot is its memory."""

    def __init__(self, *args):
        super().__init__(*args)
        self.items = []

    async def ingest(self, history):
        self.factory.did["ingest"] += 1
        await anyio.lowlevel.checkpoint()
        self.items = [turn.text for session in history.sessions for turn in session.turns]

    async def fold(self):
        self.factory.did["fold"] += 1
        self.items = self.items[:-1]

    async def memories(self, user):
        self.factory.did["memories"] += 1
        return [MemoryItem(item) for item in self.items]

    async def reply(self, message):
        self.items.append(f"asked {message}")
        return Reply("; ".join(self.items))


class Snapshotting(Remembering):
    """Can hand its built memory on."""

    async def snapshot(self):
        self.factory.did["snapshot"] += 1
        return tuple(self.items)

    async def restore(self, snapshot):
        self.factory.did["restore"] += 1
        self.items = list(snapshot)


@pytest.fixture
def agents():
    """The kinds of agents, to make others of."""

    class Kinds:
        plain, remembering, snapshotting = Plain, Remembering, Snapshotting

        @staticmethod
        def replying(reply):
            """An agent whose reply is this coroutine function of the agent and the message."""
            return type("Replying", (Plain,), {"reply": reply})

        @staticmethod
        def saying(*answers):
            """An agent that gives, or raises, one of these after the other, whatever trial asks."""
            left = list(answers)

            async def reply(self, message):
                answer = left.pop(0)
                if isinstance(answer, BaseException):
                    raise answer
                return answer

            return type("Saying", (Plain,), {"reply": reply})

    return Kinds


@pytest.fixture
def factory():
    return Factory


@pytest.fixture
def history():
    def making(*texts, name="h"):
        return History(name, (Session("s1", tuple(Turn("user", text) for text in texts)),))

    return making


@pytest.fixture
def plan():
    """A plan of `count` cases, or of the cases given, on one history or none."""

    def making(count=1, history=None, folds=None, **options):
        cases = [
            Case(f"q{number}", f"question {number}", history=history.name if history else "") for number in range(count)
        ]
        configuration = Configuration("production", {"recall": ""}, folds=folds)
        histories = {history.name: history} if history else {}
        return Plan("fp-0001", plan_trials(cases, configuration, histories=histories, **options), folds)

    return making


@dataclass
class Outcome:
    """Everything that a run yielded, in order."""

    records: list = field(default_factory=list)

    @property
    def trials(self):
        return [record for record in self.records if isinstance(record, Trial)]

    @property
    def listings(self):
        return [record for record in self.records if isinstance(record, StoreListing)]

    @property
    def stops(self):
        return [record for record in self.records if isinstance(record, Stopped)]


@pytest.fixture
def carry_out():
    async def carrying(plan, factory, *, watch=None, counterparts=None, **limits):
        outcome = Outcome()
        with anyio.fail_after(10):
            async with run_trials(
                plan,
                OpenedAgents(factory, watch or Watch()),
                limits=Limits(**{"timeout_s": 5.0, **limits}),
                counterparts=counterparts,
            ) as stream:
                async for record in stream:
                    outcome.records.append(record)
        return outcome

    return carrying


@pytest.fixture
def waits(monkeypatch):
    """The seconds that would have been waited between attempts; nothing waits."""
    slept = []

    async def sleep(seconds):
        slept.append(seconds)
        await anyio.lowlevel.checkpoint()

    monkeypatch.setattr("foldproof.run.runner.anyio.sleep", sleep)
    return slept
