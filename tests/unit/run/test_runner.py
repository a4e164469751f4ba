"""The runner keeps its limits, and whatever an agent does becomes a record."""

import asyncio
import math

import anyio
import pytest

from foldproof.agents import AgentError, OpenedAgents, Reply, TransientError, UnsupportedError
from foldproof.agents.waiting import delay_s
from foldproof.agents.watch import Watch
from foldproof.cases import Case, Configuration, Limits
from foldproof.core import UsageError
from foldproof.logs import MemoryItem, ToolCall, Usage
from foldproof.matching import Fact
from foldproof.record import Stopped, Trial
from foldproof.run import Plan, plan_trials, run_trials

pytestmark = pytest.mark.anyio


async def test_each_planned_trial_leaves_one_record(plan, factory, agents, carry_out):
    plain = factory(agents.plain)
    outcome = await carry_out(plan(7, repeats=2), plain, concurrency=3)
    assert sorted(trial.key for trial in outcome.trials) == [(f"q{n}", r) for n in range(7) for r in range(2)]
    assert {trial.answer for trial in outcome.trials} == {f"the answer to question {n}" for n in range(7)}
    assert all(trial.error is None and trial.attempts == 1 and trial.started_at for trial in outcome.trials)
    assert outcome.stops == []
    assert plain.closings == [1] * 14


async def test_an_empty_plan_yields_nothing(plan, factory, agents, carry_out):
    assert (await carry_out(plan(0), factory(agents.plain))).records == []


async def test_a_reply_is_recorded_whole(plan, factory, agents, carry_out):
    reply = Reply(
        "text",
        tool_calls=(ToolCall("t", {"a": 1}),),
        memory_reads=(MemoryItem("r", rank=1),),
        memory_writes=(),
        prompt="p",
        usage=Usage(1, 2, 0.5),
        notes=("n",),
    )
    (trial,) = (await carry_out(plan(), factory(agents.saying(reply)))).trials
    assert (trial.answer, trial.tool_calls, trial.memory_reads) == ("text", reply.tool_calls, reply.memory_reads)
    assert (trial.memory_writes, trial.prompt, trial.usage, trial.notes) == ((), "p", reply.usage, ("n",))


async def test_a_session_is_told_who_asks_and_when(factory, agents, carry_out):
    cases = [Case("q0", "?", at="2023/05/30 (Tue) 23:40"), Case("q1", "?")]
    planned = plan_trials(cases, Configuration("production", {"recall": ""}), histories={})
    plain = factory(agents.plain)
    await carry_out(Plan("fp-0001", planned), plain)
    first, second = (agent.info for agent in plain.made)
    assert first.user.startswith("fp-0001-q0-0-")
    assert (first.session, first.now) == (f"{first.user}-question", "2023/05/30 (Tue) 23:40")
    assert second.user.startswith("fp-0001-q1-0-")
    assert second.now == ""


async def test_every_attempt_has_a_name_of_its_own(plan, factory, agents, carry_out, monkeypatch):
    monkeypatch.setattr("foldproof.agents.waiting.FIRST_S", 0.0)

    async def reply(self, message):
        raise TransientError("busy")

    busy = factory(type("Busy", (agents.plain,), {"reply": reply}))
    await carry_out(plan(), busy, retries=2)
    assert len({agent.trial for agent in busy.made}) == 3


@pytest.mark.parametrize("concurrency", [1, 3, 50])
async def test_no_more_than_the_limit_are_in_flight(plan, factory, agents, carry_out, concurrency):
    flying, most = 0, 0

    async def reply(self, message):
        nonlocal flying, most
        flying += 1
        most = max(most, flying)
        for _ in range(5):
            await anyio.lowlevel.checkpoint()
        flying -= 1
        return "x"

    await carry_out(plan(20), factory(agents.replying(reply)), concurrency=concurrency)
    assert most == min(concurrency, 20)


async def test_an_answer_that_never_comes_is_a_record_and_the_run_goes_on(plan, factory, agents, carry_out):
    """B66."""

    async def reply(self, message):
        if message == "question 1":
            await anyio.sleep_forever()
        return "x"

    hanging = factory(agents.replying(reply))
    outcome = await carry_out(plan(3), hanging, concurrency=1, timeout_s=0.05)
    errors = {trial.case: trial.error and (trial.error.kind, trial.error.message) for trial in outcome.trials}
    assert errors == {"q0": None, "q1": ("timeout", "no answer within 0.05 s"), "q2": None}
    assert hanging.closings == [1, 1, 1]


async def test_a_memory_that_is_never_built_is_a_record(plan, factory, agents, carry_out, history):
    async def ingest(self, history):
        await anyio.sleep_forever()

    hanging = factory(type("Hanging", (agents.remembering,), {"ingest": ingest}))
    (trial,) = (await carry_out(plan(history=history("x")), hanging, timeout_s=0.05)).trials
    assert (trial.error.kind, trial.error.message) == ("timeout", "the memory was not built within 0.05 s")
    assert hanging.closings == [1]


async def test_an_agent_that_is_never_made_is_a_record(plan, factory, agents, carry_out):
    async def making(trial):
        await anyio.sleep_forever()

    hanging = factory(agents.plain, making=making)
    (trial,) = (await carry_out(plan(), hanging, timeout_s=0.05)).trials
    assert trial.error.kind == "timeout"
    assert hanging.made == []


class _Outcome(BaseException):
    """As the outcomes of pytest: no `Exception`, and no wish to end the process either."""


@pytest.mark.parametrize(
    "error",
    [
        ValueError("no such key"),
        SystemExit(0),
        KeyError(),
        _Outcome("failed"),
        BaseExceptionGroup("two of them", [_Outcome("a"), ValueError("b")]),
        ExceptionGroup("one", [KeyError("x")]),
        RecursionError("too deep"),
        asyncio.CancelledError("its own"),
    ],
)
async def test_an_agent_that_raises_leaves_a_record_with_its_traceback(plan, factory, agents, carry_out, error):
    raising = factory(agents.saying("x", error, "x"))
    outcome = await carry_out(plan(3), raising, concurrency=1)
    good, bad, last = outcome.trials
    assert (good.error, last.error) == (None, None)
    assert (bad.error.kind, bad.error.type) == ("agent", type(error).__name__)
    name, said = type(error).__name__, str(error)
    assert bad.error.message == (said if " " in said else f"{name}: {said}" if said else name)
    assert f"{type(error).__name__}" in bad.error.traceback
    assert "conftest.py" in bad.error.traceback
    assert bad.attempts == 1
    assert raising.closings == [1, 1, 1]


async def test_an_agent_that_cancels_itself_leaves_a_record(plan, factory, agents, carry_out):
    async def reply(self, message):
        if message == "question 0":
            task = asyncio.ensure_future(asyncio.sleep(5))
            task.cancel()
            await task
        return "x"

    cancelling = factory(agents.replying(reply))
    outcome = await carry_out(plan(3), cancelling, concurrency=1)
    assert [trial.error and trial.error.type for trial in outcome.trials] == ["CancelledError", None, None]
    assert cancelling.closings == [1, 1, 1]


async def test_an_error_of_the_adapter_shows_the_frames_of_the_agent_alone(plan, factory, agents, carry_out):
    async def reply(self, message):
        try:
            _ = 1 / 0
        except ZeroDivisionError as error:
            raise AgentError("the agent failed") from (error if message == "question 0" else None)

    caused, plain = (await carry_out(plan(2), factory(agents.replying(reply)), concurrency=1)).trials
    assert [trial.error.kind for trial in (caused, plain)] == ["agent", "agent"]
    assert [trial.error.type for trial in (caused, plain)] == ["AgentError", "AgentError"]
    assert [trial.error.message for trial in (caused, plain)] == ["the agent failed"] * 2
    assert "ZeroDivisionError: division by zero" in caused.error.traceback
    assert "AgentError" not in caused.error.traceback
    assert plain.error.traceback == ""


@pytest.mark.parametrize("error", [KeyboardInterrupt, GeneratorExit])
def test_who_ends_the_process_is_no_agents_error(plan, factory, agents, carry_out, error):
    ending = factory(agents.saying("x", error(), "x"))
    with pytest.raises(error):
        anyio.run(lambda: carry_out(plan(3), ending, concurrency=1))
    assert ending.closings == [1, 1]


@pytest.mark.parametrize("step", ["make", "ingest", "fold", "memories", "snapshot"])
@pytest.mark.parametrize("error", [_Outcome, SystemExit])
async def test_whatever_building_a_memory_raises_is_a_record(plan, factory, agents, carry_out, history, step, error):
    async def failing(*args):
        raise error("no disk")

    kind = agents.snapshotting if step == "make" else type("Failing", (agents.snapshotting,), {step: failing})
    failed = factory(kind, default_folds=1, making=failing if step == "make" else None)
    trials = (await carry_out(plan(2, history=history("x")), failed)).trials
    assert [(trial.error.kind, trial.error.type) for trial in trials] == [("memory", error.__name__)] * 2


@pytest.mark.parametrize("step", ["make", "ingest", "fold", "memories", "snapshot"])
async def test_who_fails_while_the_memory_is_built_is_the_memory(plan, factory, agents, carry_out, history, step):
    async def failing(*args):
        raise ValueError("no disk")

    kind = agents.snapshotting if step == "make" else type("Failing", (agents.snapshotting,), {step: failing})
    failed = factory(kind, default_folds=1, making=failing if step == "make" else None)
    (trial,) = (await carry_out(plan(history=history("x")), failed)).trials
    assert (trial.error.kind, trial.error.message, trial.error.type) == ("memory", "no disk", "ValueError")
    assert failed.closings == ([] if step == "make" else [1])


@pytest.mark.parametrize(
    ("answer", "kind"),
    [
        ("", "empty"),
        (" \n", "empty"),
        ("Sorry, I ran into an error", "error text"),
        ('{"error": "rate limit"}', "error text"),
    ],
)
async def test_an_answer_that_is_none_is_an_error_that_keeps_the_answer(plan, factory, agents, carry_out, answer, kind):
    """B59, B60: it is not kept as an answer, so a rerun asks again."""
    (trial,) = (await carry_out(plan(), factory(agents.saying(answer)))).trials
    assert (trial.error.kind, trial.answer) == (kind, answer)


@pytest.mark.parametrize(("answer", "kind"), [("", None), (" \n", None), ("Sorry, I ran into an error", "error text")])
async def test_with_its_memory_cut_off_an_agent_may_have_nothing_to_say(plan, factory, agents, carry_out, answer, kind):
    (trial,) = (await carry_out(plan(control="unplugged"), factory(agents.saying(answer)))).trials
    assert (trial.answer, trial.error and trial.error.kind) == (answer, kind)


async def test_a_control_is_asked_with_what_it_puts_in_front(factory, agents, carry_out):
    told = (Case("a", "Which?", expected=(Fact("normalized", "Postgres 15"),)),)
    configuration = Configuration("production", {"python": "a:b"})
    oracle = Plan("fp-0001", plan_trials(told, configuration, histories={}, control="oracle"))
    (trial,) = (await carry_out(oracle, factory(agents.plain))).trials
    assert trial.answer == "the answer to What is known:\n- Postgres 15\n\nQuestion: Which?"
    (silent,) = (await carry_out(oracle, factory(agents.saying("")))).trials
    assert silent.error.kind == "empty", "with its facts in front of it, it has something to say"


@pytest.mark.parametrize("answer", [None, 42, Reply("x", memory_reads=(MemoryItem("x", score=math.nan),))])
async def test_an_answer_that_cannot_be_recorded_is_the_agents_error(plan, factory, agents, carry_out, answer):
    (trial,) = (await carry_out(plan(), factory(agents.saying(answer)))).trials
    assert trial.error.kind == "agent"
    assert "the reply cannot be recorded" in trial.error.message


async def test_a_passing_failure_is_tried_again(plan, factory, agents, carry_out, waits):
    flaky = factory(agents.saying(TransientError("429"), TransientError("429", 7.0), "x"))
    (trial,) = (await carry_out(plan(), flaky, retries=4)).trials
    assert (trial.answer, trial.error, trial.attempts) == ("x", None, 3)
    assert 0.25 <= waits[0] <= 0.5
    assert waits[1:] == [7.0]
    assert flaky.closings == [1, 1, 1]


@pytest.mark.parametrize("retries", [0, 1, 4])
async def test_retries_are_bounded(plan, factory, agents, carry_out, waits, retries):
    """B67."""
    failing = factory(agents.saying(*[TransientError("429 rate limited")] * 9))
    (trial,) = (await carry_out(plan(), failing, retries=retries)).trials
    attempts = retries + 1
    assert (trial.attempts, len(waits)) == (attempts, retries)
    assert (trial.error.kind, trial.error.type) == ("transport", "TransientError")
    assert trial.error.message == f"429 rate limited (given up after {attempts} attempts)"
    assert failing.closings == [1] * attempts


@pytest.mark.parametrize(
    ("wish", "timeout_s", "patient"),
    [(30.0, 5.0, True), (30.5, 5.0, False), (45.0, 45.0, True), (46.0, 45.0, False), (math.inf, 5.0, False)],
)
async def test_a_server_that_asks_for_a_longer_wait_than_an_answer_may_take_is_given_up(
    plan, factory, agents, carry_out, waits, wish, timeout_s, patient
):
    busy = factory(agents.saying(TransientError("429", wish), "x"))
    (trial,) = (await carry_out(plan(), busy, retries=4, timeout_s=timeout_s)).trials
    if patient:
        assert (trial.answer, trial.error, trial.attempts, waits) == ("x", None, 2, [wish])
    else:
        assert (trial.attempts, waits, trial.error.kind) == (1, [], "transport")
        assert trial.error.message == f"429 (it asks to wait {wish:g} s, too long)"
    assert busy.closings == [1] * trial.attempts


async def test_429_in_another_error_is_not_tried_again(plan, factory, agents, carry_out, waits):
    (trial,) = (await carry_out(plan(), factory(agents.saying(ValueError("429 rate limited"))))).trials
    assert (trial.attempts, waits, trial.error.kind) == (1, [], "agent")


async def test_a_passing_failure_of_the_memory_is_tried_again(plan, factory, agents, carry_out, history, waits):
    class Flaky(agents.snapshotting):
        async def ingest(self, history):
            await super().ingest(history)
            if self.factory.did["ingest"] == 1:
                raise TransientError("503")

    flaky = factory(Flaky)
    (trial,) = (await carry_out(plan(history=history("x")), flaky)).trials
    assert (trial.error, trial.attempts, trial.answer) == (None, 2, "x; asked question 0")


@pytest.mark.parametrize(
    ("attempts", "wish", "low", "high"),
    [
        (1, None, 0.25, 0.5),
        (3, None, 1.0, 2.0),
        (50, None, 15.0, 30.0),
        (1, 0.0, 0.0, 0.0),
        (1, -3.0, 0.0, 0.0),
        (9, 2.5, 2.5, 2.5),
        (1, 3600.0, 3600.0, 3600.0),
    ],
)
def test_the_wait_is_the_servers_wish_else_doubles_within_bounds(attempts, wish, low, high):
    assert all(low <= delay_s(attempts, wish) <= high for _ in range(50))


async def test_a_usage_error_ends_the_run_plainly(plan, factory, agents, carry_out):
    async def making(trial):
        if "q2" in trial:
            raise UsageError("no such memory kind")

    wrong = factory(agents.plain, making=making)
    with pytest.raises(UsageError) as error:
        await carry_out(plan(9), wrong, concurrency=1)
    assert str(error.value) == "no such memory kind"
    assert error.value.__cause__ is None
    assert wrong.closings == [1, 1]


async def test_what_the_consumer_raises_comes_out_as_it_is(plan, factory, agents):
    plain = factory(agents.plain)

    async def consume():
        async with run_trials(plan(3), OpenedAgents(plain, Watch()), limits=Limits()) as stream:
            await stream.receive()
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        await consume()
    assert set(plain.closings) == {1}


def _costing(agents, cost):
    async def reply(self, message):
        return Reply("x", usage=cost if isinstance(cost, Usage) or cost is None else Usage(cost_usd=cost))

    return agents.replying(reply)


async def test_the_cost_limit_stops_the_run_once(plan, factory, agents, carry_out):
    outcome = await carry_out(plan(50), factory(_costing(agents, 0.5)), max_cost_usd=2.0, concurrency=3)
    assert 4 <= len(outcome.trials) < 4 + 3
    assert outcome.stops == [Stopped(outcome.stops[0].reason)]
    assert outcome.stops[0].reason.startswith("the cost limit is reached: 2.")
    assert outcome.stops[0].reason.endswith(" of 2.0 US dollars")


UNHELD = "the cost limit of 0.01 US dollars cannot be held: the agent does not show what an answer costs"


@pytest.mark.parametrize("usage", [Usage(1, 2), None])
@pytest.mark.parametrize("concurrency", [1, 3])
async def test_a_limit_on_an_unknown_cost_cannot_be_held(plan, factory, agents, carry_out, usage, concurrency):
    class Costing(_costing(agents, usage)):
        async def start_session(self, info):
            await anyio.lowlevel.checkpoint()
            return self

    costing = factory(Costing)
    outcome = await carry_out(plan(9), costing, max_cost_usd=0.01, concurrency=concurrency)
    assert (len(outcome.trials), outcome.stops) == (concurrency, [Stopped(UNHELD)])
    assert {trial.answer for trial in outcome.trials} == {"x"}, "those in flight come to their end"
    assert costing.closings == [1] * concurrency
    assert (await carry_out(plan(9), factory(Costing))).stops == [], "without a limit nobody asks"


async def test_one_unknown_cost_among_known_ones_is_enough(plan, factory, agents, carry_out):
    free = Reply("x", usage=Usage(cost_usd=0.0))
    mixed = factory(agents.saying(free, free, "x", free, free))
    outcome = await carry_out(plan(5), mixed, max_cost_usd=0.01, concurrency=1)
    assert (len(outcome.trials), outcome.stops) == (3, [Stopped(UNHELD)])
    known = factory(agents.saying(*[free] * 5))
    assert (await carry_out(plan(5), known, max_cost_usd=0.01, concurrency=1)).stops == []


async def test_a_failed_trial_without_a_cost_says_nothing_of_the_limit(plan, factory, agents, carry_out):
    free = Reply("x", usage=Usage(cost_usd=0.0))
    failing = factory(agents.saying(ValueError("broke"), "", "Sorry, I ran into an error", free))
    outcome = await carry_out(plan(4), failing, max_cost_usd=0.01, concurrency=1)
    assert (len(outcome.trials), outcome.stops) == (4, [])


async def test_an_answer_that_is_none_still_costs(plan, factory, agents, carry_out):
    failing = factory(agents.saying(Reply("", usage=Usage(cost_usd=0.5)), "never asked"))
    outcome = await carry_out(plan(2), failing, max_cost_usd=0.5, concurrency=1)
    assert [trial.error.kind for trial in outcome.trials] == ["empty"]
    assert [stop.reason for stop in outcome.stops] == ["the cost limit is reached: 0.5000 of 0.5 US dollars"]


async def test_the_last_answer_of_a_plan_stops_nothing(plan, factory, agents, carry_out):
    outcome = await carry_out(plan(1), factory(_costing(agents, None)), max_cost_usd=0.01)
    assert (len(outcome.trials), outcome.stops) == (1, [])


async def test_a_cost_limit_of_nothing_asks_nothing(plan, factory, agents, carry_out):
    outcome = await carry_out(plan(5), factory(agents.plain), max_cost_usd=0.0)
    assert (outcome.trials, len(outcome.stops)) == ([], 1)


async def test_the_time_limit_stops_the_run_once(plan, factory, agents, carry_out, monkeypatch):
    now = 100.0
    monkeypatch.setattr("foldproof.run.runner.time.monotonic", lambda: now)

    async def reply(self, message):
        nonlocal now
        now += 1.0
        return "x"

    outcome = await carry_out(plan(50), factory(agents.replying(reply)), max_time_s=5.0, concurrency=2)
    assert 5 <= len(outcome.trials) <= 6
    assert outcome.stops == [Stopped("the time limit is reached: 5.0 s")]


async def test_a_limit_that_is_not_reached_stops_nothing(plan, factory, agents, carry_out):
    outcome = await carry_out(plan(5), factory(_costing(agents, 0.1)), max_cost_usd=0.6, max_time_s=60.0)
    assert (len(outcome.trials), outcome.stops) == (5, [])


async def test_a_cancelled_run_leaves_its_finished_trials_to_be_taken(plan, factory, agents):
    async def reply(self, message):
        if message in ("question 3", "question 4"):
            await anyio.sleep_forever()
        return "x"

    hanging = factory(agents.replying(reply))
    taken = []
    with anyio.move_on_after(0.1) as scope:
        async with run_trials(plan(9), OpenedAgents(hanging, Watch()), limits=Limits(concurrency=2)) as stream:
            try:
                await anyio.sleep_forever()
            finally:
                while stream.statistics().current_buffer_used:
                    taken.append(stream.receive_nowait())
    assert scope.cancelled_caught
    assert [trial.case for trial in taken if isinstance(trial, Trial)] == ["q0", "q1", "q2"]
    assert all(trial.error is None for trial in taken)
    assert hanging.closings == [1] * 5


@pytest.mark.parametrize("error", [OSError, SystemExit, _Outcome, asyncio.CancelledError])
async def test_an_agent_that_cannot_be_closed_says_so_in_its_log(plan, factory, agents, carry_out, error):
    class Stuck(agents.plain):
        log = "hello\n"

        async def close(self):
            await super().close()
            raise error("no pipe")

    stuck = factory(Stuck)
    trials = (await carry_out(plan(2), stuck, concurrency=1)).trials
    told = f"hello\n\n[closing failed: {error.__name__}: no pipe]"
    assert [(trial.error, trial.log) for trial in trials] == [(None, told)] * 2
    assert stuck.closings == [1, 1]


@pytest.mark.parametrize("error", [KeyboardInterrupt, GeneratorExit])
def test_who_ends_the_process_while_an_agent_is_closed_ends_it(plan, factory, agents, carry_out, error):
    async def close(self):
        raise error

    ending = factory(type("Ending", (agents.plain,), {"close": close}))
    with pytest.raises(error):
        anyio.run(lambda: carry_out(plan(2), ending, concurrency=1))


async def test_an_agent_that_never_closes_is_left_behind(plan, factory, agents, carry_out, monkeypatch):
    monkeypatch.setattr("foldproof.run.runner._CLOSING_S", 0.05)

    async def close(self):
        self.closed += 1
        await anyio.sleep_forever()

    stuck = factory(type("Stuck", (agents.plain,), {"close": close}))
    (trial,) = (await carry_out(plan(), stuck)).trials
    assert (trial.error, trial.log) == (None, "\n[closing did not end within 0.05 s]")


async def test_only_a_text_is_a_log(plan, factory, agents, carry_out):
    logging = factory(type("Logging", (agents.plain,), {"log": object()}))
    (trial,) = (await carry_out(plan(), logging)).trials
    assert (trial.log, trial.error) == ("", None)


async def test_an_agent_needs_nothing_but_a_session(plan, factory, carry_out, history):
    class Bare:
        def __init__(self, *_):
            pass

        async def start_session(self, info):
            return self

        async def reply(self, message):
            return "x"

    outcome = await carry_out(plan(2, history=history("x")), factory(Bare, default_folds=3))
    assert [(trial.answer, trial.store_kept, trial.notes) for trial in outcome.trials] == [("x", None, ())] * 2
    assert outcome.listings == []


async def test_an_unsupported_session_is_the_agents_error(plan, factory, agents, carry_out):
    (trial,) = (await carry_out(plan(), factory(agents.saying(UnsupportedError("no sessions"))))).trials
    assert (trial.error.kind, trial.error.message) == ("agent", "no sessions")
