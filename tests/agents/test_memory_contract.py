"""One contract, held by every memory that needs no vendor: through the `Memory` protocol itself."""

from pathlib import Path

import pytest

from foldproof.agents import AgentError, SessionInfo, UnsupportedError
from foldproof.agents.memories import Forgets, Grows, Recall, Resources, make_memory
from foldproof.agents.memories.text import turn_items
from foldproof.agents.pool import Pool
from foldproof.agents.protocols import Snapshots
from foldproof.agents.remembering import Remembering
from foldproof.agents.watch import Tap
from foldproof.logs import History, Session, Turn

pytestmark = pytest.mark.anyio

SETTINGS = {
    "full": {},
    "head": {},
    "head_tail": {},
    "hybrid": {"embed": {"name": "words"}},
    "paging": {},
    "summary": {"keep_last": 1},
    "triage": {},
    "verbatim": {},
    "window": {},
}
SEARCHING = ("hybrid", "paging", "verbatim")
COMPACTING = ("head", "head_tail", "summary", "triage", "window")
BY_WORDS = ("paging", "verbatim")
FILLER = [f"We talked about the weather of day {number}, which was grey" for number in range(30)]


@pytest.fixture
async def made(scripted):
    """Makes memories of a kind, each of a trial of its own."""
    pool = Pool()

    def make(kind, trial="t1", **settings):
        chosen = {"kind": kind, **SETTINGS[kind], **settings}
        if "embed" in chosen:
            chosen["embed"] = {**chosen["embed"], "base_url": scripted.url}
        model = {"base_url": scripted.url, "name": "scripted", "temperature": 0}
        return make_memory(chosen, Resources(Path(), {}, model, trial, pool=pool))

    yield make
    await pool.close()


def talk(*texts):
    return History("h", tuple(Session(f"s{n}", (Turn("user", text),), "2026-03-01") for n, text in enumerate(texts, 1)))


every_kind = pytest.mark.parametrize("kind", SETTINGS)


@every_kind
async def test_it_is_built_and_finds_what_was_said(made, kind, history):
    memory = made(kind)
    assert (await memory.recall("Which database for billing?")).items == (), "nothing is there before"
    await memory.build(history)
    recall = await memory.recall("Which database for billing?")
    assert "Postgres 15" in recall.text
    assert [item.rank for item in recall.reads] == list(range(1, len(recall.reads) + 1))
    assert all(not item.dropped for item in recall.items)
    assert all(item.dropped for item in recall.passed_over)
    assert await memory.recall("Which database for billing?") == recall, "asking changes nothing"


@every_kind
async def test_it_lists_what_it_holds(made, kind, history):
    memory = made(kind)
    assert list(await memory.items()) == []
    await memory.build(history)
    items = await memory.items()
    assert len({item.id for item in items}) == len(items) == 4
    assert any("allergic to penicillin" in item.text for item in items)
    assert {item.rank for item in items} == {0}


@every_kind
async def test_building_again_replaces_what_was_there(made, kind, history, other_history):
    memory = made(kind)
    await memory.build(history)
    await memory.fold()
    await memory.build(other_history)
    assert "Postgres" not in "".join(item.text for item in await memory.items())
    assert "MongoDB" in (await memory.recall("Which database for billing?")).text


@every_kind
async def test_two_users_are_apart(made, kind, history, other_history):
    one, two = made(kind, "t1"), made(kind, "t2")
    await one.build(history)
    await two.build(other_history)
    await one.fold()
    await two.fold()
    first, second = [(await memory.recall("Which database for billing?")).text for memory in (one, two)]
    assert "Postgres 15" in first
    assert "MongoDB" not in first
    assert "MongoDB" in second
    assert "Postgres" not in second


@every_kind
async def test_maintenance_may_be_asked_for_at_any_time_and_twice(made, kind, history):
    memory = made(kind)
    await memory.fold()
    await memory.build(history)
    await memory.fold()
    once = await memory.items()
    await memory.fold()
    assert await memory.items() == once
    assert memory.compacts is (kind in COMPACTING)
    assert (len(once) < 4) is (kind == "summary"), "what fits is left as it is, but for a summary"


@every_kind
async def test_a_snapshot_is_the_same_memory_and_apart(made, kind, history, other_history, scripted):
    agent = Remembering(made(kind, "t1"))
    await agent.ingest(history)
    await agent.fold()
    snapshot = await agent.snapshot()
    asked = len(scripted.requests)
    twin = Remembering(made(kind, "t2"))
    await twin.restore(snapshot)
    assert await twin.memories("u") == await agent.memories("u")
    assert len(scripted.requests) == asked, "what was built is not asked for again"
    await agent.ingest(other_history)
    await agent.close()
    third = Remembering(made(kind, "t3"))
    await third.restore(snapshot)
    for copy in (twin, third):
        text = "".join(item.text for item in await copy.memories("u"))
        assert "Postgres" in text
        assert "MongoDB" not in text


@every_kind
async def test_what_is_forgotten_is_gone_everywhere(made, kind, history):
    memory = made(kind)
    assert isinstance(memory, Forgets)
    await memory.build(history)
    gone = next(item for item in await memory.items() if "penicillin" in item.text)
    await memory.forget(gone.id)
    assert "penicillin" not in "".join(item.text for item in await memory.items())
    recall = await memory.recall("What am I allergic to, penicillin?")
    assert "penicillin" not in "".join(item.text for item in recall.reads)
    assert "Postgres 15" in (await memory.recall("Which database for billing?")).text
    with pytest.raises(AgentError, match="there is no item"):
        await memory.forget("s99.t1")


@pytest.mark.parametrize("kind", SEARCHING)
async def test_a_search_ranks_the_best_first_and_says_what_it_passed_over(made, kind):
    memory = made(kind, k=3)
    await memory.build(talk(*FILLER[:15], "The locker code is 7788.", *FILLER[15:], "A locker is grey."))
    recall = await memory.recall("What is the code of the locker?")
    assert len(recall.items) == 3
    assert "7788" in recall.items[0].text
    scores = [item.score for item in recall.reads]
    assert None not in scores
    assert scores == sorted(scores, reverse=True)
    assert {item.dropped for item in recall.passed_over} == {"beyond k"}


@pytest.mark.parametrize("kind", SETTINGS)
@pytest.mark.parametrize(
    ("said", "question", "word"),
    [("私の名前は太郎です", "私の名前は？", "太郎"), ("私はPythonでADKを使っています", "Which language?", "Python")],
)
async def test_A27_a_script_without_spaces_is_found(made, kind, said, question, word):
    memory = made(kind, **({"k": 1} if kind in SEARCHING else {}))
    if kind in BY_WORDS and question.isascii():
        question = f"{question} Python?"  # a search by words finds no word that the question has not
    await memory.build(talk("昨日は寿司を食べました", said))
    await memory.fold()
    assert word in (await memory.recall(question)).text


@pytest.mark.parametrize("kind", SEARCHING)
async def test_A27_a_latin_word_inside_a_sentence_without_spaces_is_reached(made, kind):
    memory = made(kind, k=1)
    await memory.build(talk(*FILLER, "昨日はPythonでADKを使っています", *FILLER))
    assert "ADK" in (await memory.recall("Since when is ADK used?")).text


@pytest.mark.parametrize("kind", [*SETTINGS, "none"])
async def test_it_is_built_once_for_all_trials_that_start_alike(made, kind, history):
    memory = make_memory({"kind": "none"}, Resources(Path())) if kind == "none" else made(kind)
    assert isinstance(memory, Snapshots)
    await memory.build(history)
    held = repr(await memory.snapshot())
    assert "Resources" not in held
    assert "Tap" not in held
    await memory.restore(await memory.snapshot())


class Speaking:
    """A memory without a snapshot of its own, which asks by its trial's resources."""

    compacts = False
    closed = 0

    def __init__(self, trial):
        self.resources = Resources(Path(), trial=trial, tap=Tap(f"http://127.0.0.1:1/t/{trial}/v1"))
        self.held = ()

    async def build(self, history):
        self.held = turn_items(history)

    async def fold(self):
        """Nothing to do."""

    async def recall(self, question):
        return Recall(self.held, (self.resources.tap.wire_url,))

    async def items(self):
        return self.held

    async def close(self):
        self.closed += 1


async def test_a_memory_is_not_copied_behind_its_back(made, history):
    """Else what it asks in one trial would go out by the tap of another, and stand in that one's evidence."""
    first, second = Remembering(Speaking("a")), Remembering(Speaking("b"))
    await first.ingest(history)
    with pytest.raises(UnsupportedError, match="has no `snapshot` and `restore` of its own: each trial builds it anew"):
        await first.snapshot()
    with pytest.raises(UnsupportedError, match="each trial builds it anew"):
        await second.restore(Speaking("a"))
    await second.ingest(history)
    assert (await second._memory.recall("?")).notes == ("http://127.0.0.1:1/t/b/v1",)
    await second.close()
    assert second._memory.closed == 1


@every_kind
async def test_it_takes_a_later_session_in(made, kind, history, other_history):
    """Beside what is there, and without a history before it as well."""
    memory, bare = made(kind, "t1"), made(kind, "t2")
    assert isinstance(memory, Grows)
    await memory.build(history)
    for one in (memory, bare):
        await one.add(other_history.sessions[0])
    assert {item.text for item in await memory.items()} > {item.text for item in await bare.items()}
    assert "MongoDB" in (await bare.recall("Which database for billing?")).text
    both = (await memory.recall("Which database for billing?")).text
    assert "Postgres 15" in both
    assert "MongoDB" in both


@pytest.mark.parametrize("kind", SEARCHING)
async def test_what_came_later_is_kept_as_if_it_had_been_there(made, kind, history, other_history):
    grown, whole = made(kind, "t1"), made(kind, "t2")
    await grown.build(history)
    await grown.add(other_history.sessions[0])
    await whole.build(History("h", (*history.sessions, other_history.sessions[0])))
    assert await grown.items() == await whole.items()
    assert await grown.recall("Which database for billing?") == await whole.recall("Which database for billing?")


async def test_the_core_that_is_full_takes_no_later_sentence(made):
    memory = made("paging", core=14)
    await memory.build(talk("I am allergic to penicillin."))
    await memory.add(Session("live-1", (Turn("user", "I am allergic to nuts and to shellfish."),)))
    assert [item.kind for item in await memory.items()] == ["core", "storage"]
    assert any("overflowed into the storage: 1" in note for note in (await memory.recall("nuts")).notes)


@every_kind
async def test_each_user_of_a_trial_has_a_memory_apart(made, kind):
    agent = Remembering(made(kind, "t1"), user="t1", another=lambda user: made(kind, user))
    said = {"t1": "I live in Graz.", "t1-bob": "I live in Lyon.", "": "I drink tea."}
    for user, text in said.items():
        talk = await agent._begin(SessionInfo(user, "s"))
        talk.turns.append(Turn("user", text))
    held = {user: " ".join(item.text for item in await agent.memories(user)) for user in ("t1", "t1-bob", "t1-eve")}
    assert "Graz" in held["t1"]
    assert "tea" in held["t1"], "who has no id is the trial's own user"
    assert "Lyon" not in held["t1"]
    assert "Lyon" in held["t1-bob"]
    assert "Graz" not in held["t1-bob"]
    assert held["t1-eve"] == ""
    await agent.fold()
    assert "Lyon" in (await (await agent._begin(SessionInfo("t1-bob", "s"))).memory.recall("Where do I live?")).text
    await agent.close()
