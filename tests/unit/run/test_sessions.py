"""Sessions are held one after the other, over one memory that no other trial shares."""

from dataclasses import replace

import anyio
import pytest

from foldproof.agents import Reply, TransientError, UnsupportedError
from foldproof.agents.watch import Tap, Watch
from foldproof.cases import Case, CaseSession, CaseTurn, Configuration, Expectation
from foldproof.logs import History, MemoryItem, ModelCall, Seen, Session, Turn, Usage
from foldproof.matching import Fact
from foldproof.record import TurnRecord
from foldproof.run import Plan, plan_trials
from foldproof.run.freshness import seen_before
from foldproof.run.plan import control_gap

pytestmark = pytest.mark.anyio
HAS = Expectation("store_has", fact=Fact("normalized", "x"))


def session(*said, at="", maintain=False, expect=()):
    turns = [CaseTurn(text, expect if text == said[-1] else ()) for text in said]
    return CaseSession(tuple(turns), at, maintain)


def plan_of(*sessions, history=None, count=1, **options):
    name = history.name if history else ""
    cases = [Case(f"q{n}", "", sessions=sessions, history=name) for n in range(count)]
    histories = {name: history} if history else {}
    planned = plan_trials(cases, Configuration("production", {"recall": ""}), histories=histories, **options)
    return Plan("fp-0001", planned)


TWO = (session("one", "two", at="day 1", maintain=True, expect=(HAS,)), session("three", at="day 4"))


async def test_every_session_is_started_anew_and_every_turn_recorded(factory, agents, carry_out):
    started = []

    class Noting(agents.plain):
        async def start_session(self, info):
            started.append(info)
            return self

        async def reply(self, message):
            return Reply(f"re {message}", usage=Usage(1, 2, 0.5), notes=("n", f"on {message}"))

    (trial,) = (await carry_out(plan_of(*TWO), factory(Noting))).trials
    assert [(info.user, info.session.removeprefix(info.user), info.now) for info in started] == [
        (trial.user, "-s1", "day 1"),
        (trial.user, "-s2", "day 4"),
    ]
    assert [(turn.name, turn.at, turn.user, turn.answer) for turn in trial.turns] == [
        ("s1.t1", "day 1", "one", "re one"),
        ("s1.t2", "day 1", "two", "re two"),
        ("s2.t1", "day 4", "three", "re three"),
    ]
    assert (trial.answer, trial.usage) == ("re three", Usage(3, 6, 1.5))
    assert trial.notes == (
        "n",
        "on one",
        "on two",
        "the agent does not fold on request: no maintenance after session 1",
        "on three",
        "it was not shown that session 2 began with a fresh context",
    )


async def test_the_memory_is_listed_around_a_session_and_folded_after_it(factory, agents, carry_out):
    outcome = await carry_out(plan_of(*TWO), factory(agents.remembering))
    (trial,) = outcome.trials
    first, second, third = trial.turns
    texts = [None if items is None else [item.text for item in items] for items in (second.before, second.ended)]
    assert texts == [[], ["asked one", "asked two"]]
    assert [item.text for item in second.after] == ["asked one"]
    assert (first.after, third.before, third.after) == (second.after, None, None)
    listings = {listing.sha256: [item.text for item in listing.items] for listing in outcome.listings}
    assert listings[second.store_written] == ["asked one", "asked two"]
    assert listings[second.store_kept] == ["asked one"]
    assert (first.store_written, third.store_kept) == (None, None)


async def test_a_last_session_is_listed_only_where_that_is_asked_for(factory, agents, carry_out):
    kind = factory(agents.remembering)
    (trial,) = (await carry_out(plan_of(session("one")), kind)).trials
    assert (kind.did["memories"], trial.turns[0].after) == (1, None)
    kind = factory(agents.remembering)
    (trial,) = (await carry_out(plan_of(session("one", expect=(HAS,))), kind)).trials
    assert (kind.did["memories"], kind.did["fold"]) == (2, 0)
    assert trial.turns[0].after == trial.turns[0].ended == (MemoryItem("asked one"),)


async def test_no_trial_shares_the_memory_of_sessions(factory, agents, carry_out):
    told = History("h", (Session("s1", (Turn("user", "tea"),)),))
    kind = factory(agents.snapshotting)
    outcome = await carry_out(plan_of(session("one"), session("two"), history=told, count=2, repeats=2), kind)
    assert (kind.did["ingest"], kind.did["snapshot"], kind.did["restore"]) == (4, 0, 0)
    assert {trial.answer for trial in outcome.trials} == {"tea; asked one; asked two"}


@pytest.mark.parametrize(
    ("where", "kind", "message"),
    [
        ("start", "timeout", "session 2: it did not start within 0.05 s"),
        ("reply", "timeout", "session 2, turn 1: no answer within 0.05 s"),
        ("fold", "timeout", "after session 1: the maintenance did not end within 0.05 s"),
        ("list", "timeout", "after session 1: the memory was not listed within 0.05 s"),
        ("list again", "timeout", "after session 1: the memory was not listed within 0.05 s"),
    ],
)
async def test_what_takes_too_long_is_named(factory, agents, carry_out, where, kind, message):
    class Slow(agents.remembering):
        starts = listings = 0

        async def start_session(self, info):
            self.starts += 1
            await self.wait(where == "start" and self.starts == 2)
            return self

        async def reply(self, message):
            await self.wait(where == "reply" and message == "three")
            return "x"

        async def fold(self):
            await self.wait(where == "fold")

        async def memories(self, user):
            self.listings += 1
            await self.wait({"list": 2, "list again": 3}.get(where) == self.listings)
            return []

        async def wait(self, slow):
            await anyio.sleep(5 if slow else 0)

    (trial,) = (await carry_out(plan_of(*TWO), factory(Slow), timeout_s=0.05)).trials
    assert (trial.error.kind, trial.error.message) == (kind, message)
    assert len(trial.turns) == 2


@pytest.mark.parametrize("said", [RuntimeError("the model is away"), TransientError("busy")])
async def test_an_agent_that_fails_at_the_only_turn_is_an_error_of_the_trial(factory, agents, carry_out, said):
    (trial,) = (await carry_out(plan_of(session("one")), factory(agents.saying(said)), retries=0)).trials
    assert trial.error is not None
    assert trial.error.message.startswith("session 1, turn 1: ")
    assert trial.turns == ()


async def test_an_agent_that_cannot_fold_is_noted(factory, agents, carry_out):
    class Stiff(agents.remembering):
        async def fold(self):
            raise UnsupportedError("no")

    (trial,) = (await carry_out(plan_of(*TWO), factory(Stiff))).trials
    assert trial.error is None
    assert "the agent does not fold on request: no maintenance after session 1" in trial.notes


@pytest.mark.parametrize(("unplugged", "kind"), [(False, "empty"), (True, None)])
async def test_an_empty_answer_is_none_unless_the_memory_is_cut_off(factory, agents, carry_out, unplugged, kind):
    plan = plan_of(*TWO, control="unplugged" if unplugged else "")
    (trial,) = (await carry_out(plan, factory(agents.saying("x", "", "y")))).trials
    assert (trial.error.kind if trial.error else None) == kind
    assert len(trial.turns) == (3 if unplugged else 2)


async def test_a_retry_begins_with_the_first_session(factory, agents, carry_out, waits):
    kind = factory(agents.saying("a", TransientError("busy"), "a", "b", "c"))
    (trial,) = (await carry_out(plan_of(*TWO), kind, retries=1)).trials
    assert ([turn.answer for turn in trial.turns], trial.attempts) == (["a", "b", "c"], 2)
    kind = factory(agents.saying("a", TransientError("busy")))
    (trial,) = (await carry_out(plan_of(*TWO), kind, retries=0)).trials
    assert trial.error.message == "session 1, turn 2: busy (given up after 1 attempts)"


class Counting(Watch):
    """Sees one call between two looks, and every call of the second turn fail."""

    def __init__(self, failing=()):
        super().__init__()
        self.looks, self.failing = 0, failing

    def begin(self, trial, repeat):
        return Tap()

    async def take(self, trial, *, ended=False):
        self.looks += 1
        error = "down" if self.looks in self.failing else ""
        return (Seen("wire", (ModelCall(f"prompt {self.looks}", "x", error=error),)),)


async def test_what_is_seen_of_a_turn_without_a_reply_belongs_to_no_other(factory, agents, carry_out):
    class Stuck(agents.plain):
        async def reply(self, message):
            if message == "two":
                raise RuntimeError("no reply today")
            return await super().reply(message)

    (trial,) = (await carry_out(plan_of(session("one", "two")), factory(Stuck), watch=Counting())).trials
    assert [[seen.calls[0].prompt for seen in turn.seen] for turn in trial.turns] == [["prompt 2"]]
    assert [seen.calls[0].prompt for seen in trial.seen] == ["prompt 3"]
    assert trial.error.message == "session 1, turn 2: no reply today"


async def test_what_is_seen_belongs_to_its_turn(factory, agents, carry_out):
    (trial,) = (await carry_out(plan_of(*TWO), factory(agents.plain), watch=Counting())).trials
    assert [turn.seen[0].calls[0].prompt for turn in trial.turns] == ["prompt 2", "prompt 3", "prompt 4"]
    assert trial.seen == trial.turns[-1].seen
    ended = (session("one"), session("two", maintain=True))
    (trial,) = (await carry_out(plan_of(*ended), factory(agents.plain), watch=Counting())).trials
    assert [turn.seen[0].calls[0].prompt for turn in trial.turns] == ["prompt 2", "prompt 3"]
    assert trial.seen == trial.turns[-1].seen


async def test_a_turn_that_no_model_answered_is_an_error(factory, agents, carry_out):
    (trial,) = (await carry_out(plan_of(*TWO), factory(agents.plain), watch=Counting(failing={3}))).trials
    assert (trial.error.kind, "no model did" in trial.error.message) == ("transport", True)


@pytest.mark.parametrize("control", ["oracle", "full"])
def test_sessions_have_no_control_that_needs_one_question(control):
    (case,) = (trial.case for trial in plan_of(*TWO).trials)
    assert control_gap(case, control, histories={}).startswith("it has sessions, and no one question")
    assert control_gap(case, "unplugged", histories={}) == ""


SAID = "Refund me in store credit."


def seen_of(prompt, *, said=SAID, user="Refund it.", reads=(), store=None, more=(), **turn):
    reads = None if reads is None else tuple(MemoryItem(text) for text in reads)
    turns = [
        TurnRecord(1, 1, said, answer="Noted."),
        *more,
        TurnRecord(2, 1, user, answer="Done.", prompt=prompt, memory_reads=reads, **turn),
    ]
    return seen_before(turns, len(turns) - 1, store)


@pytest.mark.parametrize(
    ("prompt", "given", "expected"),
    [
        (f"{SAID} Refund it.", {}, 1),
        ("Refund it.", {}, 0),
        (None, {}, None),
        (f"memory: {SAID}\nRefund it.", {"reads": [SAID]}, 0),
        (f"[s1 day 1] user: {SAID}\nRefund it.", {"reads": [f"[s1 day 1] user: {SAID}"]}, 0),
        (f"memory: {SAID}\n{SAID}\nRefund it.", {"reads": [SAID]}, 1),
        (f"core: {SAID}\nfound: {SAID}\nRefund it.", {"reads": [SAID], "store": [SAID]}, None),
        (f"core: {SAID}\nfound: {SAID}\n{SAID}\nRefund it.", {"reads": [SAID], "store": [SAID]}, 1),
        (f"core: {SAID}\nfound: {SAID}\nRefund it.", {"reads": [SAID, SAID]}, 0),
        (f"memory: {SAID}\nuser: {SAID}\nagent: Noted.\nRefund it.", {"reads": [SAID], "store": [SAID]}, 1),
        (
            f"memory: {SAID}\nuser: {SAID}\nRefund it right now. So. Noted.",
            {"reads": [SAID], "store": [SAID]},
            None,
        ),
        (f"store credit\n{SAID}\nRefund it.", {"reads": ["store credit"]}, 1),
        (f"{SAID}\nRefund it.", {"reads": ["Refund me", "in store credit"]}, 0),
        (f"{SAID} Refund it.", {"reads": None}, None),
        (f"{SAID} Refund it.", {"reads": None, "store": [SAID]}, 0),
        (f"{SAID} Refund it.", {"reads": None, "store": ["tea"]}, 1),
        ("Refund it.", {"reads": None}, 0),
        ("Yes please. Refund it.", {"said": "Yes please."}, None),
        (SAID, {"user": SAID}, None),
        (f'{{"said": "{SAID[:10]}\\n{SAID[10:]}"}}', {}, 1),
        (None, {"seen": (Seen("wire", (ModelCall(f"{SAID} Refund it."),)),)}, 1),
        (None, {"seen": (Seen("wire", (ModelCall(f"rank: {SAID}"),)),)}, None),
        (None, {"seen": (Seen("wire", (ModelCall("Refund it."),)),)}, 0),
        (
            f"{SAID} Refund it.",
            {"reads": None, "seen": (Seen("otel", (), memory_reads=(MemoryItem(SAID),)),)},
            0,
        ),
        (f"{SAID} Hm. Refund it.", {"more": (TurnRecord(2, 1, "Hm.", memory_reads=(MemoryItem(SAID),)),)}, 0),
        (f"{SAID} Hm. Refund it.", {"more": (TurnRecord(2, 1, "Hm."),)}, None),
    ],
)
def test_earlier_words_in_a_prompt(prompt, given, expected):
    assert seen_of(prompt, **given) == expected


def test_the_session_that_was_seen_is_named():
    more = (TurnRecord(2, 1, "My order is number 5310."),)
    turns = [TurnRecord(1, 1, SAID), *more, TurnRecord(3, 1, "x", prompt="My order is number 5310. x", memory_reads=())]
    assert seen_before(turns, 2, None) == 2
    assert seen_before([turns[0], turns[1], replace(turns[2], prompt="x")], 2, None) == 0


USERS = (
    session("one", at="day 1", maintain=True),
    replace(session("two", at="day 2"), user="bob"),
    session("three", at="day 3"),
)


async def test_each_user_has_an_id_and_is_listed_after_every_session(factory, agents, carry_out):
    started, asked = [], []

    class Household(agents.plain):
        def __init__(self, *args):
            super().__init__(*args)
            self.notes = {}

        async def start_session(self, info):
            started.append(info)
            self.user = info.user
            return self

        async def reply(self, message):
            self.notes.setdefault(self.user, []).append(message)
            return Reply(f"re {message}")

        async def fold(self):
            self.notes = {user: [f"folded {text}" for text in texts] for user, texts in self.notes.items()}

        async def memories(self, user):
            asked.append(user)
            return [MemoryItem(text) for text in self.notes.get(user, [])]

    outcome = await carry_out(plan_of(*USERS), factory(Household))
    (trial,) = outcome.trials
    bob = f"{trial.user}-bob"
    assert [(info.user, info.label) for info in started] == [(trial.user, ""), (bob, "bob"), (trial.user, "")]
    assert [info.session.removeprefix(trial.user) for info in started] == ["-s1", "-s2", "-s3"]
    assert [turn.user_id for turn in trial.turns] == ["", bob, ""]
    # Once before the sessions, then everybody after each and after its maintenance.
    assert asked == [trial.user, bob, *[trial.user, bob] * 4]
    held = [
        [(one.user, *([item.text for item in items] for items in (one.ended, one.after))) for one in turn.listings]
        for turn in trial.turns
    ]
    assert held == [
        [("", ["one"], ["folded one"]), ("bob", [], [])],
        [("", ["folded one"], ["folded one"]), ("bob", ["two"], ["two"])],
        [("", ["folded one", "three"], ["folded one", "three"]), ("bob", ["two"], ["two"])],
    ]
    listings = {listing.sha256: [item.text for item in listing.items] for listing in outcome.listings}
    assert [listings[turn.store_kept] for turn in trial.turns] == [["folded one"], ["two"], ["folded one", "three"]]
    assert trial.notes == ("it was not shown that session 3 began with a fresh context",)


@pytest.mark.parametrize("where", ["before session 1", "after session 1", "after the fold"])
async def test_a_listing_of_a_further_user_that_takes_too_long_is_named(factory, agents, carry_out, where):
    class Slow(agents.plain):
        folded = begun = False

        async def start_session(self, info):
            self.begun = True
            return self

        async def fold(self):
            self.folded = True

        async def memories(self, user):
            slow = {"before session 1": not self.begun, "after session 1": self.begun, "after the fold": self.folded}
            if user.endswith("-bob") and slow[where]:
                await anyio.sleep(5)
            return []

    (trial,) = (await carry_out(plan_of(*USERS), factory(Slow), timeout_s=0.1)).trials
    place = "before session 1" if where == "before session 1" else "after session 1"
    assert (trial.error.kind, trial.error.message) == ("timeout", f"{place}: the memory was not listed within 0.1 s")


def test_what_another_user_said_is_no_matter_of_freshness():
    turns = [TurnRecord(1, 1, SAID, user_id="t-ann"), TurnRecord(2, 1, "My order is number 5310.")]
    last = TurnRecord(3, 1, "x", prompt=f"{SAID} x", memory_reads=())
    assert seen_before([*turns, last], 2, None) == 0
    assert seen_before([*turns, replace(last, prompt="My order is number 5310. x")], 2, None) == 2
    assert seen_before([*turns, replace(last, user_id="t-ann")], 2, None) == 1
