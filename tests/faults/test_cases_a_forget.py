"""Reported failures of forgetting and of keeping users apart, rows A19, A20, A22 and A24 to A26.

What a forget test needs beside the facts, two sessions of one case with a wish to be forgotten between them, comes
with cases of sessions; here the wish stands in the history, and the memory is looked at after it.
"""

import anyio
import pytest

from foldproof.agents.memories import Forgets, Resources, make_memory
from foldproof.logs import History, Session, Turn

from .reported.play import play, said

HOUSE = said(
    "alice: I live in Graz.\nbob: I am allergic to nuts.",
    "alice: Forget everything about me.",
)
ALICE = {
    "question": "Where do I live?",
    "memory_config": {"user": "alice"},
    "abstain": True,
    "forbidden_facts": ["Graz"],
}
BOB = {"question": "What am I allergic to?", "memory_config": {"user": "bob"}, "expected_facts": ["nuts"]}


def test_a19_a_deletion_that_deletes_everyone(tmp_path):
    """Alice's case passes with the fault: only the bystander tells."""
    configs = ["forgetting:DeletesEveryone", "forgetting:Household"]
    (alice, bob), (sound_alice, sound_bob) = play(tmp_path, configs, [ALICE, BOB], HOUSE)
    assert sound_alice.score.passed
    assert sound_bob.score.passed
    assert sound_bob.kept == ("I am allergic to nuts.",)
    assert alice.score.passed
    assert bob.written == ()
    loss = bob.loss("nuts")
    assert (loss.owner, loss.reason) == ("write", "deleted again")
    assert [(item.kind, item.text) for item in bob.trial.memory_writes][1:] == [
        ("ADD", "I am allergic to nuts."),
        ("DELETE", "I live in Graz."),
        ("DELETE", "I am allergic to nuts."),
    ]


PORT = {"question": "Which port do I use?", "abstain": True, "forbidden_facts": ["6001"]}
PORTS = said("My MatrixOne port is 6001.", "Forget my port.")


@pytest.mark.parametrize(
    ("agent", "owner", "stages"),
    [
        ("ForgetsInTheListOnly", "write", ("held", "gone", "gone", "held")),
        ("ForgetsLate", "fold", ("held", "held", "gone", "held")),
    ],
)
def test_a20_a_deleted_fact_is_served_from_the_second_store(tmp_path, agent, owner, stages):
    faulty, sound = play(tmp_path, [f"forgetting:{agent}", "forgetting:TwoStores"], PORT, PORTS)
    assert sound.score.passed
    assert (sound.kept, sound.given) == ((), [])
    loss = faulty.loss("6001")
    assert (loss.owner, loss.reason) == (owner, "the memory no longer lists it, and its retrieval still gives it")
    assert tuple(faulty.stage("6001", stage) for stage in ("stated", "written", "kept", "retrieved")) == stages
    assert faulty.kept == ()
    assert faulty.given == ["My MatrixOne port is 6001."]


def test_a20_what_only_the_listing_still_has_is_on_record(tmp_path):
    """The answer is clean, so the case passes; an expectation on the store itself comes with `memory_read`."""
    [faulty] = play(tmp_path, ["forgetting:ForgetsInTheGraphOnly"], PORT, PORTS)
    assert faulty.score.passed
    assert (faulty.given, faulty.kept) == ([], ("My MatrixOne port is 6001.",))


def test_a22_forgetting_one_id_leaves_its_twin(tmp_path):
    history = said("My port is 6001.", "My port is 6001.", "Forget my port.")
    faulty, sound = play(tmp_path, ["forgetting:ForgetsTheId", "forgetting:ForgetsTheWords"], PORT, history)
    assert sound.score.passed
    assert sound.kept == ()
    assert faulty.kept == ("My port is 6001.",)
    loss = faulty.loss("6001")
    assert (loss.owner, loss.reason) == ("write", "it was stated, and the memory still holds it as current")


@pytest.mark.parametrize("kind", ["verbatim", "paging", "window", "head", "head_tail", "triage", "full"])
def test_a22_our_own_memories_leave_no_twin(tmp_path, kind):
    turns = ("My port is 6001.", "I drink tea.", "My port is 6001.")
    sessions = tuple(Session(f"s{at}", (Turn("user", text),), f"2026-03-0{at}") for at, text in enumerate(turns, 1))

    async def left():
        memory = make_memory({"kind": kind}, Resources(tmp_path))
        assert isinstance(memory, Forgets)
        await memory.build(History("h", sessions))
        twins = [item for item in await memory.items() if "6001" in item.text]
        assert len(twins) == 2
        await memory.forget(twins[0].id)
        recall = await memory.recall("Which port? Which tea?")
        return [item.text for item in (*await memory.items(), *recall.reads)]

    texts = anyio.run(left)
    assert any("tea" in text for text in texts)
    assert not any("6001" in text for text in texts)


USERS = said("uid1: i live in USA", "uid2: i live in france")
COUNTRY = {"question": "In which country do i live?", "expected_facts": ["france"], "forbidden_facts": ["USA"]}


def test_a24_retrieval_ignores_the_user_id(tmp_path):
    """That a leak weighs more than any other failure is not said by the verdict yet: both block."""
    faulty, sound = play(tmp_path, ["forgetting:IgnoresTheUser", "forgetting:PerUser"], COUNTRY, USERS)
    assert sound.score.passed
    assert sound.given == ["i live in france"]
    assert (faulty.loss("USA").owner, faulty.loss("USA").reason) == ("retrieve", "another user's items were given")
    assert [item.user == faulty.trial.user for item in faulty.trial.memory_reads] == [False, True]


def test_a24_only_the_other_users_item_is_given(tmp_path):
    case = {**COUNTRY, "memory_config": {"k": 1}}
    [faulty] = play(tmp_path, ["forgetting:IgnoresTheUser"], case, USERS)
    for fact in ("france", "USA"):
        assert (faulty.loss(fact).owner, faulty.loss(fact).reason) == ("retrieve", "another user's items were given")
    assert faulty.stage("france", "kept") == "held"


@pytest.mark.parametrize("kind", ["verbatim", "full"])
def test_a24_our_own_memories_share_nothing_between_trials(tmp_path, kind):
    case = {"question": "What do I keep in the cellar?", "expected_facts": ["apples"]}
    other = {"question": "What does the cellar hold?", "abstain": True, "forbidden_facts": ["apples"], "history": "i"}
    folder = tmp_path / "project"
    recall = {"agent": "recall", "memory": {"kind": kind}}
    apples = said("In the cellar I keep apples.")
    [(first, second)] = play(folder, [recall], [case, other], apples, others={"i": said("I sing.")})
    assert first.score.passed
    assert "apples" not in "".join(second.kept)


TALK = [
    {"question": "Let us talk about the code word BLAU11.", "expected_facts": ["don't know"]},
    {"question": "What did we just talk about?", "abstain": True, "forbidden_facts": ["BLAU11"]},
]


def test_a25_one_conversation_for_two_sessions(tmp_path):
    configs = ["forgetting:SharedTalk", "forgetting:FreshTalk"]
    (_, faulty), (_, sound) = play(tmp_path, configs, TALK, said("I drink tea."))
    assert sound.score.passed
    loss = faulty.loss("BLAU11")
    assert (loss.owner, loss.reason) == ("prompt", "it comes in here, from no stage before")
    stages = ("stated", "written", "kept", "retrieved", "prompted")
    assert [faulty.stage("BLAU11", stage) for stage in stages] == ["gone", "gone", "gone", "gone", "held"]


@pytest.mark.parametrize("declares", [True, False])
def test_a25_a_context_by_design_is_no_leak_where_it_is_declared(tmp_path, declares):
    case = {**TALK[1], "memory_config": {"declares": declares}, "forbidden_facts": ["branch main"]}
    [played] = play(tmp_path, ["forgetting:OpensWithStatus"], case, said("I drink tea."))
    loss = played.loss("branch main")
    if declares:
        assert (loss.owner, loss.stages[4].text) == ("prompt", "- On branch main, 2 files changed. Question: …")
    else:
        assert (loss.owner, loss.reason) == ("unknown", "the prompt cannot be seen")


def test_a26_deleting_one_agent_deletes_what_another_shares(tmp_path):
    history = said("My name is Ana.", "The ticket is open.", "Delete agent X.")
    case = {"question": "What is my name?", "expected_facts": ["Ana"]}
    faulty, sound = play(tmp_path, ["forgetting:DropsSharedBlocks", "forgetting:SharedBlocks"], case, history)
    assert sound.score.passed
    assert sound.kept == ("My name is Ana.",)
    assert faulty.written == ()
    assert (faulty.loss("Ana").owner, faulty.loss("Ana").reason) == ("write", "deleted again")
