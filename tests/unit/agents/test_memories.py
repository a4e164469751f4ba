"""The reference memories: what each keeps, that no recall exceeds its budget, and that settings are strict."""

import gc
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from foldproof.agents import AgentError, Reply, SessionInfo, UnsupportedError
from foldproof.agents.memories import MEMORIES, Forgets, Grows, Recall, Resources, count_tokens, make_memory
from foldproof.compaction import first_words as cut
from foldproof.core import UsageError
from foldproof.logs import History, Session, Turn, Usage

NO_MODEL = Resources(Path())


def told(work):
    """What a memory answers that waits for nothing: the first step ends it."""
    with pytest.raises(StopIteration) as ended:
        work.send(None)
    return ended.value.value


KINDS = ("full", "head", "head_tail", "none", "paging", "triage", "verbatim", "window")
BUDGETED = tuple(kind for kind in KINDS if kind != "full")
COMPACTING = ("head", "head_tail", "triage", "window")


def talk(*texts, at="2026-03-01", role="user"):
    return History("h", (Session("s1", tuple(Turn(role, text) for text in texts), at),))


def built(history, **config):
    memory = make_memory(config, NO_MODEL)
    told(memory.build(history))
    return memory


def test_the_kinds_are_these():
    assert {*KINDS, "hybrid", "summary"} <= set(MEMORIES.names())
    assert [kind for kind in KINDS if make_memory({"kind": kind}, NO_MODEL).compacts] == sorted(COMPACTING)


@pytest.mark.parametrize(
    ("config", "words"),
    [
        ({"kind": "verbatin"}, "unknown memory kind 'verbatin'\n  did you mean `verbatim`?"),
        ({"kind": 3}, "`kind` is 3"),
        ({"kind": "verbatim", "K": 3}, "has no setting `K`"),
        ({"kind": "window", "turn": 3}, "did you mean `turns`?"),
        ({"kind": "head", "k": 3}, "memory 'head' has no setting `k`"),
        ({"k": "8"}, "`k` is '8', where a whole number from 1 is expected"),
        ({"k": True}, "`k` is True"),
        ({"k": 0}, "`k` is 0"),
        ({"k": 8.0}, "`k` is 8.0"),
        ({"budget": -1}, "`budget` is -1"),
        ({"kind": "none", "budget": None}, "`budget` is None"),
        ({"kind": "full", "budget": 100}, "memory 'full' has no setting `budget`"),
        ({"kind": "paging", "core": 200, "budget": 100}, "`core` is 200, more than the `budget` of 100"),
    ],
)
def test_settings_are_strict(config, words):
    with pytest.raises(UsageError) as caught:
        make_memory(config, NO_MODEL)
    assert words in str(caught.value)


def test_the_token_rule():
    assert [count_tokens(text) for text in ("", "a", "abcd", "abcde", "é" * 4, "日本語", "\ud800")] == [
        0,
        1,
        1,
        2,
        2,
        3,
        1,
    ]


def test_a_line_has_session_time_and_speaker():
    history = History(
        "h", (Session("s12", (Turn("agent", "hi\nthere"),), "2026-03-01"), Session("x", (Turn("user", "a"),)))
    )
    items = told(built(history, kind="head").items())
    assert [(item.text, item.id) for item in items] == [
        ("[s12 2026-03-01] agent: hi\nthere", "s12.t1"),
        ("[x] user: a", "x.t1"),
    ]


def test_an_item_that_does_not_fit_is_cut_between_words_and_marked():
    line = "[s1] user: one two three"
    assert cut(line, 100) == "[s1] user: one two …"
    assert cut(line, 22) == "[s1] user: one two …"
    assert cut(line, 21) == "[s1] user: one …"
    assert cut(line, 14) is None, "a head alone says nothing"
    assert cut("[s1] user: 私は書いています", 28) == "[s1] user: 私は書い …"
    assert cut("[s1] user: " + "x" * 50, 40) is None, "no word fits"


HISTORY = talk(*(f"turn number {number} says word{number}" for number in range(1, 101)))


def ids(recall):
    return [int(item.id.rpartition("t")[2]) for item in recall.items]


@pytest.mark.parametrize("kind", COMPACTING)
def test_a_fold_keeps_what_the_recall_showed_and_folds_once(kind):
    memory = built(HISTORY, kind=kind, budget=200)
    assert len(told(memory.items())) == 100, "before the fold everything is there"
    before = told(memory.recall("?"))
    told(memory.fold())
    assert told(memory.recall("?")) == before
    assert [item.text for item in told(memory.items())] == [item.text for item in before.items]
    held = told(memory.items())
    told(memory.fold())
    assert told(memory.items()) == held
    assert before.notes[0] == f"{kind}: {len(held)} of 100 items kept in 200 tokens"


def test_head_keeps_the_beginning():
    found = ids(told(built(HISTORY, kind="head", budget=100).recall("?")))
    assert found == list(range(1, len(found) + 1))
    assert len(found) > 5


def test_window_keeps_the_last_turns_and_of_these_the_newest_that_fit():
    assert ids(told(built(HISTORY, kind="window", turns=3).recall("?"))) == [98, 99, 100]
    found = ids(told(built(HISTORY, kind="window", turns=50, budget=100).recall("?")))
    assert found == list(range(101 - len(found), 101))
    assert len(ids(told(built(HISTORY, kind="window").recall("?")))) == 40


def test_head_tail_keeps_both_ends_and_nothing_twice():
    found = ids(told(built(HISTORY, kind="head_tail", budget=200).recall("?")))
    gap = next(at for at, (a, b) in enumerate(pairwise(found)) if b != a + 1)
    assert found[0] == 1
    assert found[-1] == 100
    assert abs((gap + 1) - (len(found) - gap - 1)) <= 1
    assert len(set(found)) == len(found)
    one = told(built(talk("word " * 900), kind="head_tail", budget=100).recall("?"))
    assert ids(one) == [1]


def test_full_keeps_and_recalls_everything_in_order():
    recall = told(built(HISTORY, kind="full").recall("?"))
    assert ids(recall) == list(range(1, 101))
    assert recall.passed_over == ()


def test_none_remembers_nothing():
    memory = built(HISTORY, kind="none", budget=5)
    told(memory.fold())
    assert told(memory.items()) == ()
    assert told(memory.recall("word7")).items == ()


@pytest.mark.parametrize("kind", KINDS)
def test_what_fits_is_left_as_it_is(kind):
    history = talk("I take tea, no milk.", "ok")
    memory = built(history, kind=kind)
    told(memory.fold())
    recall = told(memory.recall("tea"))
    assert recall.notes == ()
    if kind != "none":
        assert "[s1 2026-03-01] user: I take tea, no milk." in recall.text.splitlines()


@pytest.mark.parametrize("kind", KINDS)
def test_an_empty_history_is_no_memory(kind):
    memory = built(History("h"), kind=kind)
    told(memory.fold())
    assert told(memory.recall("anything")).items == ()
    assert told(make_memory({"kind": kind}, NO_MODEL).recall("before any build")).items == ()


@pytest.mark.parametrize("kind", KINDS)
def test_a_restored_memory_is_apart(kind):
    settings = {"kind": kind, **({"budget": 100} if kind in BUDGETED else {})}
    memory, twin = built(HISTORY, **settings), make_memory(settings, NO_MODEL)
    told(twin.restore(told(memory.snapshot())))
    assert told(twin.recall("word7")) == told(memory.recall("word7"))
    before = told(twin.recall("word7"))
    told(memory.build(talk("something else")))
    told(memory.fold())
    assert told(twin.recall("word7")) == before
    del memory
    gc.collect()
    assert told(twin.recall("word7")) == before


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind != "none"])
def test_what_is_forgotten_is_in_no_recall_and_no_listing_and_leaves_no_twin(kind):
    memory = built(talk("tea is fine", "the code is 7788", "tea is fine", "I take coffee"), kind=kind)
    gone = next(item for item in told(memory.items()) if "tea" in item.text)
    told(memory.forget(gone.id))
    assert not any("tea" in item.text for item in told(memory.items()))
    assert "tea" not in told(memory.recall("tea coffee code")).text
    assert "7788" in told(memory.recall("the code 7788")).text
    with pytest.raises(AgentError, match=f"there is no item '{gone.id}'"):
        memory.forget(gone.id).send(None)


def test_none_has_nothing_to_forget():
    assert not isinstance(built(HISTORY, kind="none"), Forgets)


TEXTS = st.text(alphabet=st.sampled_from("ab Zé私猫 \n.!?日no never-*`\"'" + "\U0001f375\ud800"), max_size=60)
HISTORIES = st.builds(
    lambda sessions: History("h", tuple(Session(f"s{n}", tuple(turns), at) for n, (turns, at) in enumerate(sessions))),
    st.lists(
        st.tuples(
            st.lists(st.builds(Turn, st.sampled_from(["user", "agent", "tool"]), TEXTS), max_size=8),
            st.sampled_from(["", "day 1"]),
        ),
        max_size=4,
    ),
)


@settings(max_examples=150)
@given(
    history=HISTORIES,
    kind=st.sampled_from(BUDGETED),
    budget=st.integers(1, 60),
    question=TEXTS,
    folds=st.integers(0, 2),
)
def test_a_recall_never_exceeds_its_budget_and_is_the_same_each_time(history, kind, budget, question, folds):
    def recalled():
        memory = built(history, kind=kind, budget=budget)
        for _ in range(folds):
            told(memory.fold())
        return told(memory.recall(question))

    recall = recalled()
    assert count_tokens(recall.text) <= budget
    assert recalled() == recall
    assert [item.rank for item in recall.items] == list(range(1, len(recall.items) + 1))
    lines = {item.text for item in told(built(history, kind=kind).items())}
    for item in recall.items:
        assert item.text in lines or (item.text.endswith(" …") and kind != "triage")


@pytest.mark.anyio
async def test_the_recall_agent_answers_with_its_context(opened, ask):
    async with opened({"recall": ""}, memory={"kind": "head", "budget": 20}) as factory:
        assert factory.default_folds == 1
        agent = await factory.make({"kind": "head", "budget": 20}, "t")
        assert await ask(agent) == Reply(
            "I have no memory of this.", (), (), (), prompt="I have no memory of this.", usage=Usage(cost_usd=0.0)
        )
        await agent.ingest(HISTORY)
        reply = await ask(agent)
        assert reply.text == reply.prompt == "\n".join(item.text for item in reply.memory_reads)
        assert reply.notes == ("head: 2 of 100 items kept in 20 tokens",)
        with pytest.raises(UsageError, match="did you mean `budget`"):
            await factory.make({"kind": "head", "budgets": 20}, "t")


@pytest.mark.anyio
@pytest.mark.parametrize(
    ("agent", "memory", "words"),
    [
        ({"recall": "x"}, {}, "`recall` takes no value"),
        ({"recall": "", "k": 3}, {}, "unknown setting `k`"),
        ({"recall": ""}, {"kind": "windw"}, "configuration 'candidate' (line 7): unknown memory kind 'windw'"),
        ({"recal": ""}, {}, "unknown agent adapter 'recal'\n  did you mean `recall`?"),
    ],
)
async def test_a_recall_configuration_is_strict(opened, agent, memory, words):
    with pytest.raises(UsageError) as caught:
        async with opened(agent, memory=memory):
            pass
    assert words in str(caught.value)


@pytest.mark.anyio
async def test_folds_and_notes_follow_the_memory(opened):
    async with opened({"recall": ""}) as factory:
        assert (factory.default_folds, factory.notes, factory.fingerprint) == (0, (), "")
    async with opened({"recall": ""}, memory={"kind": "triage"}) as factory:
        assert factory.default_folds == 1
        assert "rules" in factory.notes[0]


@pytest.mark.anyio
@pytest.mark.parametrize("kind", ["full", "head", "head_tail", "verbatim", "window"])
async def test_what_a_session_says_comes_in_after_what_was_built(kind):
    memory = built(HISTORY, kind=kind)
    assert isinstance(memory, Grows)
    before = [item.text for item in await memory.items()]
    await memory.add(Session("live-1", (Turn("user", "I drink oolong only."), Turn("agent", "Noted.")), "day 9"))
    after = [item.text for item in await memory.items()]
    assert after == [*before, "[live-1 day 9] user: I drink oolong only.", "[live-1 day 9] agent: Noted."]
    if kind == "verbatim":
        assert "oolong" in (await memory.recall("Which oolong?")).text


@pytest.mark.anyio
async def test_a_memory_of_nothing_takes_in_nothing():
    memory = built(HISTORY, kind="none")
    await memory.add(Session("live-1", (Turn("user", "tea"),)))
    assert not await memory.items()


class Closed:
    """A memory that was built and takes in nothing later; `Refusing` says so only when it is asked."""

    compacts = False

    def __init__(self, settings, resources):
        pass

    async def fold(self):
        pass

    async def recall(self, question):
        return Recall(())


class Refusing(Closed):
    async def add(self, session):
        raise UnsupportedError("the program knows no `add`")


@pytest.mark.anyio
async def test_a_recall_agent_takes_a_session_in_when_it_has_ended(opened):
    async with opened({"recall": ""}, memory={"kind": "full"}) as factory:
        agent = await factory.make({"kind": "full"}, "t")
        first = await agent.start_session(SessionInfo("u", "s", now="day 1"))
        assert (await first.reply("I like tea.")).text == "I have no memory of this."
        assert (await first.reply("Hm?")).text == "I have no memory of this."
        second = await agent.start_session(SessionInfo("u", "s", now="day 2"))
        assert (await second.reply("What?")).text == "[live-1 day 1] user: I like tea.\n[live-1 day 1] user: Hm?"
        await agent.fold()
        assert [item.id for item in await agent.memories("u")] == ["live-1.t1", "live-1.t2", "live-2.t1"]


@pytest.mark.anyio
@pytest.mark.parametrize("kind", ["Closed", "Refusing"])
async def test_a_memory_that_cannot_take_a_session_in_says_so_in_the_next(opened, monkeypatch, kind):
    monkeypatch.setitem(MEMORIES._builtins, "closed", f"{__name__}:{kind}")
    async with opened({"recall": ""}, memory={"kind": "closed"}) as factory:
        agent = await factory.make({"kind": "closed"}, "t")
        assert (await (await agent.start_session(SessionInfo("u", "s"))).reply("I like tea.")).notes == ()
        for _ in range(2):
            (note,) = (await (await agent.start_session(SessionInfo("u", "s"))).reply("What?")).notes
            assert note.startswith("the memory takes in nothing after it was built")
