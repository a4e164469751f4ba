"""Reported failures of writing, rows A8, A10, A11, A18 and A32: what nobody said, and what could not be written."""

import pytest

from .reported.play import play, said

ABOUT_ME = {"question": "What do you know about me?", "abstain": True, "forbidden_facts": ["triple backticks"]}


def test_a8_a_sentence_of_the_extraction_prompt_becomes_a_memory(tmp_path):
    history = said("Hello there!", "Nice weather, is it not?")
    faulty, sound = play(tmp_path, ["writing:KeepsItsInstructions", "writing:KeepsFacts"], ABOUT_ME, history)
    assert sound.score.passed
    assert sound.written == ()
    assert all("triple backticks" in item for item in faulty.written)
    loss = faulty.loss("triple backticks")
    assert (loss.owner, loss.reason) == ("write", "it comes in here, from no stage before")
    stages = ("stated", "written", "kept", "retrieved", "prompted")
    assert [faulty.stage("triple backticks", stage) for stage in stages] == ["gone", "held", "held", "held", "held"]


def test_a10_the_agents_words_become_the_users_deed(tmp_path):
    history = said("Explain LeetCode 25.\nagent: Here is a recursive solution: reverse k nodes, then recurse.")
    case = {
        "question": "What have I implemented?",
        "abstain": True,
        "forbidden_facts": ["implemented a recursive solution"],
    }
    faulty, sound = play(tmp_path, ["writing:TakesTheAgentsWord", "writing:TakesTheUsersWord"], case, history)
    assert sound.score.passed
    loss = faulty.loss("implemented a recursive solution")
    assert (loss.owner, loss.reason) == ("write", "it comes in here, from no stage before")
    assert faulty.stage("implemented a recursive solution", "stated") == "gone"


def test_a11_a_third_persons_dislike_is_pinned_on_the_user(tmp_path):
    case = {
        "question": "Do I like football?",
        "expected_facts": ["I love it"],
        "forbidden_facts": ["the user hates football"],
    }
    history = said("Jack hates football, I love it.")
    faulty, sound = play(tmp_path, ["writing:PinsItOnTheUser", "writing:KnowsWhoSpeaks"], case, history)
    assert sound.score.passed
    assert faulty.written == ("The user hates football.",)
    assert (faulty.loss("I love it").owner, faulty.loss("I love it").reason) == ("write", "never extracted")
    assert faulty.loss("the user hates football").owner == "write"
    assert faulty.stage("the user hates football", "stated") == "gone"


def test_a11_in_a_group_every_speaker_becomes_the_owner(tmp_path):
    case = {
        "question": "What language do I like?",
        "memory_config": {"user": "alice"},
        "abstain": True,
        "forbidden_facts": ["JavaScript"],
    }
    history = said("bob: I like JavaScript.")
    faulty, sound = play(tmp_path, ["writing:PinsItOnTheUser", "writing:KnowsWhoSpeaks"], case, history)
    assert sound.score.passed
    assert sound.written == ()
    assert (faulty.loss("JavaScript").owner, faulty.stage("JavaScript", "written")) == ("write", "held")
    bob = {**case, "memory_config": {"user": "bob"}, "abstain": False, "expected_facts": ["JavaScript"]}
    del bob["forbidden_facts"]
    [own] = play(tmp_path / "bob", ["writing:KnowsWhoSpeaks"], bob, history)
    assert own.score.passed


NAME = {"question": "What is my name?", "expected_facts": ["Johnny"]}


def test_a18_a_writer_that_fails_and_says_so(tmp_path):
    case = [{**NAME, "id": f"case{at}", "question": f"{at}. What is my name?"} for at in range(2)]
    faulty, sound = play(tmp_path, ["writing:WriterAway", "writing:KeepsTheLanguage"], case, said("I am Johnny."))
    assert all(one.score.passed for one in sound)
    for one in faulty:
        assert (one.score.outcome, one.trial.error.kind, one.verdict) == ("error", "memory", "inconclusive")
        assert "the agent raised RuntimeError: the extraction was rejected" in one.score.error
        assert all(fact.loss is None for fact in one.score.facts)


def test_a18_a_writer_that_fails_in_a_note_alone(tmp_path):
    [faulty] = play(tmp_path, ["writing:WriterAwayUnheard"], NAME, said("I am Johnny."))
    loss = faulty.loss("Johnny")
    assert loss.owner == "write"
    assert loss.reason == "write error: memory write failed: the extraction was rejected with status 400"


def zoned(*times):
    return [
        {"session": f"s{at}", "at": time, "turns": [{"role": "user", "text": f"Meeting {at} is in room B{at}."}]}
        for at, time in enumerate(times, 1)
    ]


TIMES = zoned("2026-03-01T10:00:00+02:00", "2026-03-02T10:00:00")


def test_a32_times_with_and_without_a_zone_cannot_be_compared(tmp_path):
    case = {"question": "In which room is meeting 2?", "expected_facts": ["B2"]}
    faulty, sound = play(tmp_path, ["writing:ComparesUnlikeTimes", "writing:Dated"], case, TIMES)
    assert sound.score.passed
    assert (faulty.score.outcome, faulty.trial.error.kind, faulty.verdict) == ("error", "memory", "inconclusive")
    assert "the agent raised TypeError: can't compare offset-" in faulty.score.error
    assert "writing.py:" in faulty.score.error
    assert all(fact.loss is None for fact in faulty.score.facts)


@pytest.mark.parametrize("kind", ["verbatim", "triage", "paging", "window", "head_tail", "full"])
def test_a32_our_own_memories_take_both(tmp_path, kind):
    case = {"question": "In which room is meeting 2?", "expected_facts": ["B2"]}
    [sound] = play(tmp_path, [{"agent": "recall", "memory": {"kind": kind}}], case, TIMES)
    assert sound.score.passed
