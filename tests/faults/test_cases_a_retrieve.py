"""Reported failures of retrieval, rows A27, A29, A30 and A34: it is kept, and not what is given."""

import pytest

from foldproof.testing import ScriptedModel

from .reported.play import play, said

TARO = ("私の名前は太郎です", "私の名前は？", "太郎")
ADK = ("私はPythonでADKを使っています", "Do I use ADK?", "Python")
YESTERDAY = ("어제 회의에서 포스트그레스를 골랐어요", "어제 무엇을 골랐지?", "포스트그레스")
MOSCOW = ("Мой кот живёт в Туле", "Где живёт кот?", "Туле")
SCRIPTS = pytest.mark.parametrize(("text", "question", "fact"), [TARO, ADK, YESTERDAY, MOSCOW])
FILLER = "The weather is fine today."


@SCRIPTS
@pytest.mark.parametrize("agent", ["finding:LatinLettersOnly", "finding:WordsByBlanks"])
def test_a27_text_in_another_script_never_matches(tmp_path, agent, text, question, fact):
    """Each way of splitting misses the scripts that it has no words for, and finds the others."""
    case = {"question": question, "expected_facts": [fact]}
    faulty, sound = play(tmp_path, [agent, "finding:AnyScript"], case, said(FILLER, text))
    assert sound.score.passed
    assert sound.given == [text]
    if (agent, fact) in {
        ("finding:LatinLettersOnly", "Python"),
        ("finding:WordsByBlanks", "Туле"),
        ("finding:WordsByBlanks", "포스트그레스"),
    }:
        assert faulty.score.passed
        return
    loss = faulty.loss(fact)
    assert (loss.owner, loss.reason) == ("retrieve", "nothing was given")
    assert faulty.stage(fact, "kept") == "held"


@pytest.fixture(scope="module")
def repeats():
    """A model that repeats what it is told of the memory."""
    with ScriptedModel(lambda request: request.prompt.rpartition("\n")[0] or "I don't know.") as server:
        yield server


@SCRIPTS
@pytest.mark.parametrize("kind", ["verbatim", "hybrid", "paging", "chat"])
def test_a27_our_own_memories_read_any_script(tmp_path, repeats, kind, text, question, fact):
    model = {"base_url": repeats.url, "name": "scripted"}
    memory = {"kind": "verbatim" if kind == "chat" else kind, "k": 1}
    if kind == "hybrid":
        memory["embed"] = model
    config = {"agent": "chat" if kind == "chat" else "recall", "memory": memory}
    if kind == "chat":
        config["model"] = {**model, "temperature": 0}
    case = {"question": question, "expected_facts": [fact]}
    [played] = play(tmp_path, [config], case, said(FILLER, text))
    assert played.score.passed
    assert [text in item for item in played.given] == [True]


SSH = {"question": "What is the SSH port?", "expected_facts": ["49222"], "forbidden_facts": ["22"]}
PORTS = said("SSH port is 22", "moved sshd to 49222")


def test_a29_the_stale_value_outranks_the_current_one(tmp_path):
    faulty, sound = play(tmp_path, ["finding:OldestFirst", "finding:NewestFirst"], SSH, PORTS)
    assert sound.score.passed
    assert sound.given == ["moved sshd to 49222"]
    assert (faulty.loss("49222").owner, faulty.loss("49222").reason) == ("retrieve", "outranked by a stale value")
    assert (faulty.loss("22").owner, faulty.loss("22").reason) == ("retrieve", "it was given in place of '49222'")
    assert faulty.given == ["SSH port is 22"]
    assert len(faulty.kept) == 2


def test_a29_our_own_search_by_words_fails_in_this_way(tmp_path):
    """`verbatim` finds words and no meanings, and says so: the newer turn shares none with the question."""
    [faulty] = play(tmp_path, [{"agent": "recall", "memory": {"kind": "verbatim", "k": 1}}], SSH, PORTS)
    assert (faulty.loss("49222").owner, faulty.loss("49222").reason) == ("retrieve", "outranked by a stale value")
    assert faulty.loss("22").owner == "retrieve"


def test_a29_the_rank_is_told_where_the_memory_tells_it(tmp_path):
    history = said("SSH port of the server is SSH port 22", "The new SSH port is 49222")
    [faulty] = play(tmp_path, [{"agent": "recall", "memory": {"kind": "verbatim", "k": 1}}], SSH, history)
    assert (faulty.loss("49222").owner, faulty.loss("49222").reason) == ("retrieve", "rank 2, k = 1")
    [sound] = play(tmp_path / "sound", [{"agent": "recall", "memory": {"kind": "verbatim", "k": 1}}], SSH, history[1:])
    assert sound.score.passed


SHOP = {"question": "Where is the Brandt shop?", "abstain": True, "forbidden_facts": ["Baker Street"]}
ADMITS = "admits that it does not know"
PLAN = said("Sourdough rises overnight, then bakes.")


def test_a30_something_unrelated_is_remembered(tmp_path):
    faulty, sound = play(tmp_path, ["finding:WithoutFloor", "finding:WithFloor"], SHOP, PLAN)
    assert sound.score.passed
    assert sound.given == []
    loss = faulty.loss(ADMITS)
    assert (loss.owner, loss.reason) == (
        "retrieve",
        "what was given shares no word with the question: there is no floor",
    )
    assert faulty.given == ["Sourdough rises overnight, then bakes."]


@pytest.mark.parametrize("agent", ["finding:MakesItUp", "finding:MakesUpFromNothing"])
def test_a30_the_answer_makes_a_value_up(tmp_path, agent):
    [faulty] = play(tmp_path, [agent], SHOP, PLAN)
    assert (faulty.loss(ADMITS).owner, faulty.loss(ADMITS).reason) == ("use", "no word of it stands in the prompt")
    assert (faulty.loss("Baker Street").owner, faulty.loss("Baker Street").reason) == (
        "use",
        "it does not stand in the prompt",
    )


def test_a30_our_own_search_by_likeness_has_no_floor(tmp_path, repeats):
    """`hybrid` says so: every turn has a likeness. `verbatim` has a floor, since it finds words."""
    hybrid = {"kind": "hybrid", "embed": {"base_url": repeats.url, "name": "scripted"}}
    configs = [{"agent": "recall", "memory": memory} for memory in (hybrid, {"kind": "verbatim"})]
    history = said("Sourdough rises overnight.")
    faulty, sound = play(tmp_path, configs, SHOP, history)
    assert sound.score.passed
    assert faulty.loss(ADMITS).owner == "retrieve"


THAT = {"question": "One more example of that?", "expected_facts": ["abstract class"], "forbidden_facts": ["variable"]}
TOPICS = said(
    "A variable is a name for a value.",
    "An abstract class cannot be made an object of.",
)


def test_a34_that_points_at_the_wrong_topic(tmp_path):
    """The five turns stand in the history; as a frozen prefix they stand in `test_cases_a_frozen.py`."""
    faulty, sound = play(tmp_path, ["finding:FirstTopic", "finding:LastTopic"], THAT, TOPICS)
    assert sound.score.passed
    loss = faulty.loss("abstract class")
    assert (loss.owner, loss.reason) == ("retrieve", "outranked by a stale value")
    assert faulty.loss("variable").owner == "retrieve"
    assert len(faulty.kept) == 2
