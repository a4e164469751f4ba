"""Memories are built once where they can be handed on, never shared, and folded as often as configured."""

import anyio
import pytest

from foldproof.agents import UnsupportedError
from foldproof.agents.watch import CASSETTE_MISS, Tap, Watch
from foldproof.cases import Case, Configuration
from foldproof.logs import MemoryItem, ModelCall, Seen
from foldproof.record import StoreListing, Trial
from foldproof.run import Plan, plan_trials

pytestmark = pytest.mark.anyio


def _without(kind, *steps):
    """The kind of agent, whose steps say that they are not supported."""

    async def unsupported(*_):
        raise UnsupportedError("unknown")

    return type("Less", (kind,), dict.fromkeys(steps, unsupported))


async def test_questions_on_one_history_ingest_once_where_the_agent_snapshots(
    plan, factory, agents, carry_out, history
):
    handing = factory(agents.snapshotting, default_folds=1)
    outcome = await carry_out(plan(500, history=history("a", "b")), handing, concurrency=16)
    assert handing.did == {"ingest": 1, "fold": 1, "memories": 2, "snapshot": 1, "restore": 499}
    assert len(outcome.trials) == len(handing.made) == 500


async def test_each_question_ingests_where_it_does_not(plan, factory, agents, carry_out, history):
    building = factory(agents.remembering)
    await carry_out(plan(20, history=history("a")), building)
    assert building.did == {"ingest": 20, "memories": 20}


async def test_each_question_ingests_where_snapshots_are_unsupported(plan, factory, agents, carry_out, history):
    building = factory(_without(agents.snapshotting, "snapshot"))
    outcome = await carry_out(plan(20, history=history("a")), building)
    assert building.did == {"ingest": 20, "memories": 20}
    assert all(trial.error is None for trial in outcome.trials)


async def test_without_snapshots_memories_are_built_side_by_side(plan, factory, agents, carry_out, history):
    together = 0

    class Slow(_without(agents.snapshotting, "snapshot")):
        async def ingest(self, history):
            nonlocal together
            self.factory.did["building"] += 1
            for _ in range(20):
                await anyio.lowlevel.checkpoint()
                together = max(together, self.factory.did["building"])
            self.factory.did["building"] -= 1

    await carry_out(plan(9, history=history("a")), factory(Slow), concurrency=4)
    assert together >= 3


async def test_a_snapshot_that_cannot_be_restored_is_built_again(plan, factory, agents, carry_out, history):
    building = factory(_without(agents.snapshotting, "restore"))
    outcome = await carry_out(plan(4, history=history("a")), building, concurrency=1)
    assert (building.did["ingest"], building.did["snapshot"]) == (4, 1)
    assert [trial.error for trial in outcome.trials] == [None] * 4


@pytest.mark.parametrize("kind", ["remembering", "snapshotting"])
async def test_two_trials_never_see_each_other(plan, factory, agents, carry_out, history, kind):
    seen = factory(getattr(agents, kind))
    outcome = await carry_out(plan(10, history=history("told"), repeats=2), seen)
    assert {trial.answer for trial in outcome.trials} == {f"told; asked question {n}" for n in range(10)}
    assert len({id(agent) for agent in seen.made}) == 20
    assert len({agent.trial for agent in seen.made}) == 20


async def test_another_memory_config_builds_another_memory(factory, agents, carry_out, history):
    past = history("a")
    cases = [Case(f"q{n}", "?", history="h", memory_config={"k": n % 2}) for n in range(10)]
    planned = plan_trials(cases, Configuration("production", {"recall": ""}), histories={"h": past})
    handing = factory(agents.snapshotting)
    await carry_out(Plan("fp", planned), handing)
    assert handing.did == {"ingest": 2, "memories": 2, "snapshot": 2, "restore": 8}
    assert sorted(agent.memory_config["k"] for agent in handing.made) == [0] * 5 + [1] * 5


async def test_after_a_failed_build_the_next_trial_builds(plan, factory, agents, carry_out, history):
    class Failing(agents.snapshotting):
        async def ingest(self, history):
            await super().ingest(history)
            if self.factory.did["ingest"] == 1:
                raise OSError("no disk")

    failing = factory(Failing)
    outcome = await carry_out(plan(4, history=history("a")), failing)
    assert sum(trial.error is not None for trial in outcome.trials) == 1
    assert failing.did["ingest"] == 2


@pytest.mark.parametrize(
    ("default", "configured", "folds"), [(0, None, 0), (1, None, 1), (1, 0, 0), (0, 3, 3), (2, 1, 1)]
)
async def test_it_folds_as_often_as_configured(plan, factory, agents, carry_out, history, default, configured, folds):
    folding = factory(agents.remembering, default_folds=default)
    outcome = await carry_out(plan(1, history=history(*"abcd"), folds=configured), folding)
    assert folding.did["fold"] == folds
    assert outcome.trials[0].answer == "; ".join([*"abcd"[: 4 - folds], "asked question 0"])


async def test_without_a_history_nothing_is_ingested_or_folded(plan, factory, agents, carry_out):
    folding = factory(agents.remembering, default_folds=2)
    outcome = await carry_out(plan(1), folding)
    assert folding.did == {"memories": 1}
    assert outcome.trials[0].store_kept == StoreListing(()).sha256


async def test_the_listings_before_and_after_the_folds_are_named(plan, factory, agents, carry_out, history):
    outcome = await carry_out(plan(1, history=history("a", "b")), factory(agents.remembering, default_folds=1))
    written = StoreListing((MemoryItem("a"), MemoryItem("b")))
    kept = StoreListing((MemoryItem("a"),))
    assert outcome.listings == [written, kept]
    assert (outcome.trials[0].store_written, outcome.trials[0].store_kept) == (written.sha256, kept.sha256)


@pytest.mark.parametrize("kind", ["remembering", "snapshotting"])
async def test_a_listing_comes_once_and_before_the_first_trial_that_names_it(
    plan, factory, agents, carry_out, history, kind
):
    outcome = await carry_out(plan(10, history=history("a", "b")), factory(getattr(agents, kind), default_folds=1))
    assert len(outcome.listings) == 2
    seen = set()
    for record in outcome.records:
        if isinstance(record, Trial):
            assert {record.store_written, record.store_kept} <= seen
        else:
            assert record.sha256 not in seen
            seen.add(record.sha256)


async def test_a_failed_trial_still_shows_what_its_memory_held(plan, factory, agents, carry_out, history):
    async def reply(self, message):
        raise ValueError("no model")

    outcome = await carry_out(
        plan(1, history=history("a")), factory(type("F", (agents.remembering,), {"reply": reply}))
    )
    assert outcome.trials[0].store_kept == outcome.listings[0].sha256


@pytest.mark.parametrize(
    ("step", "note"),
    [
        ("ingest", "the agent takes no history: it was asked without one"),
        ("fold", "the agent does not fold on request"),
        ("memories", None),
    ],
)
async def test_what_an_agent_does_not_support_is_noted_and_unknown(
    plan, factory, agents, carry_out, history, step, note
):
    less = factory(_without(agents.remembering, step), default_folds=2)
    (trial,) = (await carry_out(plan(1, history=history("a", "b", "c"), folds=2), less)).trials
    assert trial.error is None
    assert trial.notes == ((note,) if note else ())
    assert (trial.store_written is None) == (step == "memories")


async def test_folds_that_nobody_asked_for_are_not_missed(plan, factory, agents, carry_out, history):
    less = factory(_without(agents.remembering, "fold"), default_folds=1)
    (trial,) = (await carry_out(plan(1, history=history("a")), less)).trials
    assert trial.notes == ()


@pytest.mark.parametrize("error", [OSError("the vector store is away"), SystemExit(3), BaseException("odd")])
async def test_a_shared_memory_that_keeps_failing_is_given_up(plan, factory, agents, carry_out, history, error):
    async def ingest(self, history):
        self.factory.did["tried"] += 1
        raise error

    broken = factory(type("Broken", (agents.snapshotting,), {"ingest": ingest}))
    trials = (await carry_out(plan(20, history=history("a")), broken)).trials
    assert broken.did["tried"] == 3
    assert {trial.error.kind for trial in trials} == {"memory"}
    assert sum("not tried again" in trial.error.message for trial in trials) == 17


async def test_waiting_for_anothers_build_costs_no_time(plan, factory, agents, carry_out, history):
    async def ingest(self, history):
        await anyio.sleep(0.15)
        if self.factory.did["built"] < 2:
            self.factory.did["built"] += 1
            raise OSError("not yet")

    slow = factory(type("Slow", (agents.snapshotting,), {"ingest": ingest}))
    trials = (await carry_out(plan(3, history=history("a")), slow, concurrency=3, timeout_s=0.3)).trials
    assert sum(trial.error is None for trial in trials) == 1, "the third waited 0.3 s, and then had its own"


async def test_a_listing_that_cannot_be_recorded_is_the_memorys_error(plan, factory, agents, carry_out, history):
    async def memories(self, user):
        return [MemoryItem("x", score=float("nan"))]

    bad = factory(type("Bad", (agents.remembering,), {"memories": memories}))
    (trial,) = (await carry_out(plan(1, history=history("a")), bad)).trials
    assert trial.error.kind == "memory"
    assert "the list of `memories` cannot be recorded" in trial.error.message


class Building:
    """An observer that tells what it was asked, and shows one call for each memory that was built."""

    def __init__(self, *, missing=0, failing=()):
        self.missing, self.failing, self.built = missing, failing, set()

    def begin(self, trial, repeat):
        return Tap()

    async def take(self, trial, *, ended):
        if ended in self.failing:
            raise OverflowError("int too large")
        if ended or trial not in self.built:
            return Seen("wire", (ModelCall("question"),)) if ended else None
        missed = len(self.built) <= self.missing
        return Seen("wire", (ModelCall("extract", answer=trial),), notes=(f"{CASSETTE_MISS} to it",) if missed else ())


@pytest.fixture
def watched(agents):
    """An agent that hands its memory on, under an observer that sees who built one."""

    def making(observer, kind=agents.snapshotting):
        class Watched(kind):
            async def ingest(self, history):
                await super().ingest(history)
                observer.built.add(self.trial)

        return Watched

    return making


@pytest.mark.parametrize("concurrency", [1, 4])
async def test_what_was_seen_of_the_building_stands_with_each_trial_that_starts_from_it(
    plan, factory, carry_out, history, watched, concurrency
):
    observer = Building()
    handing = factory(watched(observer))
    watch = Watch({"wire": observer})
    trials = (await carry_out(plan(4, history=history("a")), handing, watch=watch, concurrency=concurrency)).trials
    (builder,) = observer.built
    assert handing.did["restore"] == 3
    assert [[call.answer for seen in trial.building for call in seen.calls] for trial in trials] == [[builder]] * 4
    assert [len(trial.seen) for trial in trials] == [1] * 4
    assert sorted(trial.built_by for trial in trials) == ["", *[builder] * 3]
    assert [trial.user for trial in trials if not trial.built_by] == [builder]


async def test_a_memory_of_the_trials_own_was_built_by_nobody_else(plan, factory, agents, carry_out, history, watched):
    observer = Building()
    building = factory(watched(observer, agents.remembering))
    trials = (await carry_out(plan(3, history=history("a")), building, watch=Watch({"wire": observer}))).trials
    assert [trial.built_by for trial in trials] == [""] * 3
    assert [trial.building[0].calls[0].answer for trial in trials] == [trial.user for trial in trials]


@pytest.mark.parametrize("concurrency", [1, 4])
async def test_a_memory_whose_building_missed_the_cassette_is_never_handed_on(
    plan, factory, carry_out, history, watched, concurrency
):
    observer = Building(missing=1)
    handing = factory(watched(observer))
    watch = Watch({"wire": observer})
    trials = (await carry_out(plan(4, history=history("a")), handing, watch=watch, concurrency=concurrency)).trials
    assert (handing.did["ingest"], handing.did["restore"]) == (2, 2)
    (failed,) = [trial for trial in trials if trial.error]
    assert (failed.error.type, failed.error.message) == ("CassetteMiss", f"{CASSETTE_MISS} to it")


async def test_a_memory_that_the_cassette_never_has_fails_every_trial(plan, factory, carry_out, history, watched):
    observer = Building(missing=99)
    handing = factory(watched(observer))
    trials = (await carry_out(plan(5, history=history("a")), handing, watch=Watch({"wire": observer}))).trials
    assert (handing.did["ingest"], handing.did["restore"]) == (3, 0)
    assert all(CASSETTE_MISS in trial.error.message for trial in trials)
    assert sum("not tried again" in trial.error.message for trial in trials) == 2


@pytest.mark.parametrize("ended", [False, True])
async def test_an_observer_that_fails_ends_no_run(plan, factory, carry_out, history, watched, ended):
    observer = Building(failing=(ended,))
    trials = (
        await carry_out(plan(2, history=history("a")), factory(watched(observer)), watch=Watch({"otel": observer}))
    ).trials
    said = Seen("otel", notes=("what it saw could not be read: OverflowError: int too large",))
    assert [trial.error for trial in trials] == [None, None]
    assert {seen for trial in trials for seen in (trial.seen if ended else trial.building)} == {said}
