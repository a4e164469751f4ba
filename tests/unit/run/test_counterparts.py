"""A live counterpart goes on with a turn: what it says, when, and when it says nothing more."""

from dataclasses import replace

import anyio
import pytest

from foldproof.agents import Reply, TransientError
from foldproof.agents.counterparts import SimulatorError, Spoken
from foldproof.agents.watch import Tap, Watch
from foldproof.cases import Case, CaseSession, CaseTurn, Configuration, Expectation
from foldproof.cases.counterparts import Counterpart, Line, Simulated
from foldproof.logs import ModelCall, Seen, Usage
from foldproof.matching import Fact
from foldproof.run import Counterparts, Plan, plan_trials
from foldproof.score.conditions import condition_holds

pytestmark = pytest.mark.anyio
USER = Simulated("g")


def says(text):
    return Expectation("reply_mentions", fact=Fact("normalized", text))


def line(when, say, times=1):
    return Line(says(when), say, times)


def plan_of(*, before=(), after=(), maintain=False, **who):
    turns = (*(CaseTurn(text) for text in before), CaseTurn("open", (), Counterpart(**who)))
    sessions = (CaseSession(turns, "day 1", maintain), *after)
    planned = plan_trials([Case("q", "", sessions=sessions)], Configuration("p", {"recall": ""}), histories={})
    return Plan("fp-0001", planned)


class Answering:
    """An agent that answers what its table has; what it does not have it repeats."""

    answers = ()

    def __init__(self, factory, memory_config, trial):
        self.closed = 0

    async def start_session(self, info):
        return self

    async def reply(self, message):
        return Reply(dict(self.answers).get(message, f"re {message}"), usage=Usage(1, 1, 0.5))

    async def close(self):
        self.closed += 1


def agent(**answers):
    return type("Table", (Answering,), {"answers": tuple(answers.items())})


class Scripted:
    """A simulated user that says these in turn, and keeps what it was told."""

    def __init__(self, *spoken):
        self.left, self.told = list(spoken), []

    async def say(self, user, talk):
        self.told.append((user, [(turn.role, turn.text) for turn in talk]))
        found = self.left.pop(0)
        if isinstance(found, BaseException):
            raise found
        if isinstance(found, float):
            await anyio.sleep(found)
            return Spoken("late")
        return found


@pytest.fixture
def hold(factory, carry_out):
    """The trial of one case, with who plays the user."""

    async def holding(plan, kind, simulator=None, **more):
        means = more.pop("means", Counterparts(condition_holds, simulator))
        (trial,) = (await carry_out(plan, factory(kind), counterparts=means, **more)).trials
        return trial

    return holding


def talk(trial):
    return [(turn.name, turn.speaker, turn.user, turn.answer, turn.close) for turn in trial.turns]


async def test_a_correction_is_said_after_the_first_attempt_that_it_is_for(hold):
    trial = await hold(
        plan_of(corrections=(line("kettle", "No."),)), agent(open="The kettle.", **{"No.": "The kettle."})
    )
    assert talk(trial) == [
        ("s1.t1", "case", "open", "The kettle.", ""),
        ("s1.t1.a2", "correction", "No.", "The kettle.", "silent"),
    ]
    assert (trial.answer, trial.usage, trial.error) == ("The kettle.", Usage(2, 2, 1.0), None)
    assert {turn.at for turn in trial.turns} == {"day 1"}


async def test_where_its_condition_does_not_hold_nothing_is_said(hold):
    trial = await hold(plan_of(corrections=(line("kettle", "No."),)), agent(open="The blender."))
    assert talk(trial) == [("s1.t1", "case", "open", "The blender.", "silent")]


async def test_rules_are_said_in_their_order_each_as_often_as_it_may(hold):
    rules = (line("which", "A."), line("re", "More.", 2), line("re", "Last."))
    trial = await hold(plan_of(rules=rules), agent(open="which of them? re", **{"A.": "which?"}))
    assert [turn.user for turn in trial.turns] == ["open", "A."]
    trial = await hold(plan_of(rules=rules), agent(open="which of them? re"))
    assert [turn.user for turn in trial.turns] == ["open", "A.", "More.", "More.", "Last."]
    assert [turn.speaker for turn in trial.turns][1:] == ["rule"] * 4
    assert trial.turns[-1].close == "silent"


async def test_a_correction_goes_before_a_rule(hold):
    who = {"rules": (line("open", "Rule."),), "corrections": (line("open", "Correction."),)}
    trial = await hold(plan_of(**who), agent(open="open", **{"Correction.": "open"}))
    assert [turn.user for turn in trial.turns] == ["open", "Correction.", "Rule."]


async def test_the_limit_of_turns_ends_it_where_there_was_more_to_say(hold):
    rules = (line("re", "More.", 9),)
    trial = await hold(plan_of(rules=rules, turns=3), agent())
    assert [(turn.user, turn.close) for turn in trial.turns] == [("open", ""), ("More.", ""), ("More.", "limit")]
    exact = await hold(plan_of(rules=(line("re", "More.", 2),), turns=3), agent())
    assert exact.turns[-1].close == "silent"


async def test_a_simulated_user_is_told_the_whole_session_and_what_it_costs_counts(hold):
    user = Scripted(
        Spoken("two", usage=Usage(5, 1, 0.25)), Spoken("ignored", True, goal_met=False, usage=Usage(5, 1, 0.25))
    )
    trial = await hold(plan_of(before=["zero"], simulated=USER), agent(), user)
    assert talk(trial)[1:] == [
        ("s1.t2", "case", "open", "re open", ""),
        ("s1.t2.a2", "simulated", "two", "re two", "done"),
    ]
    assert trial.turns[-1].goal_met is False
    assert user.told[0] == (USER, [("user", "zero"), ("agent", "re zero"), ("user", "open"), ("agent", "re open")])
    assert len(user.told[1][1]) == 6
    assert trial.usage == Usage(13, 5, 2.0)


async def test_its_corrections_are_said_word_for_word_and_it_is_not_asked_then(hold):
    user = Scripted(Spoken("the kettle"), Spoken("", True, goal_met=True))
    plan = plan_of(simulated=USER, corrections=(line("re the kettle", "No, the other one."),))
    trial = await hold(plan, agent(), user)
    assert [(turn.speaker, turn.user) for turn in trial.turns] == [
        ("case", "open"),
        ("simulated", "the kettle"),
        ("correction", "No, the other one."),
    ]
    assert len(user.told) == 2


async def test_a_word_of_its_text_ends_nothing(hold):
    user = Scripted(*[Spoken('We are done. STOP. {"done": true}')] * 2)
    trial = await hold(plan_of(simulated=USER, turns=3), agent(), user)
    assert (len(trial.turns), trial.turns[-1].close) == (3, "limit")


@pytest.mark.parametrize(
    ("spoken", "kind", "message"),
    [
        (SimulatorError("the answer cannot be read"), "counterpart", "session 1, turn 1: the answer cannot be read"),
        (9.0, "timeout", "session 1, turn 1: the user said nothing within 0.2 s"),
    ],
)
async def test_a_simulated_user_that_fails_is_no_failure_of_the_agent(hold, spoken, kind, message):
    trial = await hold(plan_of(simulated=USER), agent(), Scripted(spoken), timeout_s=0.2)
    assert (trial.error.kind, trial.error.message, len(trial.turns)) == (kind, message, 1)


async def test_an_answer_that_cannot_be_read_costs_too(hold):
    unreadable = SimulatorError("it cannot be read")
    unreadable.usage = Usage(5, 1, 0.25)
    trial = await hold(plan_of(simulated=USER), agent(), Scripted(unreadable))
    assert (trial.error.kind, trial.usage) == ("counterpart", Usage(6, 2, 0.75))
    none = await hold(plan_of(simulated=USER), agent(), Scripted(SimulatorError("no answer")))
    assert none.usage == Usage(1, 1, 0.5)


async def test_a_failure_that_passes_is_tried_again(hold, waits):
    user = Scripted(TransientError("the simulated user: 503"), Spoken("", True))
    trial = await hold(plan_of(simulated=USER), agent(), user)
    assert (trial.error, trial.attempts, len(waits)) == (None, 2, 1)
    given_up = Scripted(*[TransientError("the simulated user: 503")] * 2)
    trial = await hold(plan_of(simulated=USER), agent(), given_up, retries=1)
    assert trial.error.kind == "transport"
    assert trial.error.message == "session 1, turn 1: the simulated user: 503 (given up after 2 attempts)"


async def test_without_anybody_to_play_it_is_an_error(hold):
    trial = await hold(plan_of(simulated=USER), agent())
    assert (trial.error.kind, "no `simulator` is there" in trial.error.message) == ("counterpart", True)
    trial = await hold(plan_of(rules=(line("x", "y"),)), agent(), means=None)
    assert (trial.error.kind, "nobody is there" in trial.error.message) == ("counterpart", True)


async def test_a_condition_that_cannot_be_seen_is_an_error(hold):
    called = Line(Expectation("tool_called", ()), "No.")
    trial = await hold(plan_of(corrections=(called,)), agent(), means=Counterparts(lambda *_: None))
    assert trial.error.kind == "counterpart"
    assert "it cannot be seen whether 'tool_called: " in trial.error.message


async def test_an_empty_answer_ends_it_unless_the_memory_is_cut_off(hold):
    plan = plan_of(rules=(line("re", "More."),))
    trial = await hold(plan, agent(**{"More.": " "}))
    assert (trial.error.kind, trial.error.message) == (
        "empty",
        "session 1, turn 1: the agent answered with an empty text",
    )
    unplugged = replace(plan, trials=tuple(replace(one, unplugged=True) for one in plan.trials))
    assert (await hold(unplugged, agent(**{"More.": " "}))).error is None


async def test_an_agent_that_is_too_slow_is_told(hold):
    class Slow(Answering):
        async def reply(self, message):
            await anyio.sleep(9 if message == "More." else 0)
            return "re"

    trial = await hold(plan_of(rules=(line("re", "More."),)), Slow, timeout_s=0.2)
    assert (trial.error.kind, len(trial.turns)) == ("timeout", 1)


class Late:
    """An observer that sees one call at once, and another when the trial has ended."""

    def __init__(self):
        self.taken = 0

    def begin(self, trial, repeat):
        return Tap()

    async def take(self, trial, *, ended):
        self.taken += 1
        return Seen("otel", (ModelCall(f"prompt {self.taken}", "late" if ended else "at once"),))


@pytest.mark.parametrize("maintain", [False, True])
async def test_what_is_seen_at_once_and_late_stands_in_the_last_record(hold, maintain):
    plan = plan_of(rules=(line("re", "More."),), maintain=maintain)
    trial = await hold(plan, agent(), watch=Watch({"otel": Late()}))
    calls = [[call.answer for seen in turn.seen for call in seen.calls] for turn in trial.turns]
    assert calls == [["at once"], ["at once"] if maintain else ["at once", "late"]]


async def test_the_next_session_begins_when_it_is_over(hold):
    after = (CaseSession((CaseTurn("next"),), "day 2"),)
    trial = await hold(plan_of(rules=(line("re open", "More."),), after=after), agent())
    assert [turn.name for turn in trial.turns] == ["s1.t1", "s1.t1.a2", "s2.t1"]
    assert trial.answer == "re next"
