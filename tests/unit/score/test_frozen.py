"""What stands in a frozen prefix counts as stated, and as prompted where the prompt is seen."""

import pytest

from foldproof.cases import Case
from foldproof.logs import AnsweredCall, History, MemoryItem, PastTurn, Session, ToolCall, Turn
from foldproof.matching import Fact
from foldproof.record import StoreListing, Trial
from foldproof.score import Records, TrialEvidence, score_trial

PREFIX = (
    PastTurn("user", "Contact me by email."),
    PastTurn("agent", "", (AnsweredCall(ToolCall("look", {"order_id": 4021}), {"depot": "Lyon"}),)),
    PastTurn("agent", "Understood."),
)
LISTED = StoreListing((MemoryItem("likes tea"),))


def scored(*facts, forbidden=(), answer="Hm.", prompt=None, history=None, **case):
    asked = Case(
        "q",
        "What now?",
        expected=tuple(Fact("normalized", fact) for fact in facts),
        forbidden=tuple(Fact("normalized", fact) for fact in forbidden),
        history="h" if history else "",
        frozen=PREFIX,
        **case,
    )
    made = Trial("q", 0, answer, prompt=prompt, store_written=LISTED.sha256, store_kept=LISTED.sha256, memory_reads=())
    histories = {"h": History("h", (Session("s1", (Turn("user", history),)),))} if history else {}
    records = Records(histories, {LISTED.sha256: LISTED}.get)
    return score_trial(asked, made, records=records), TrialEvidence(asked, made, records)


@pytest.mark.parametrize(
    ("fact", "place"),
    [("email", "frozen turn 1"), ("4021", "frozen turn 2"), ("Lyon", "frozen turn 2"), ("Understood", "frozen turn 3")],
)
def test_it_counts_as_stated_whoever_said_it(fact, place):
    score, evidence = scored(fact, prompt="nothing")
    assert score.facts[0].loss.stages[0].place == place
    assert evidence.frozen.parts[0].place == "frozen turn 1"


@pytest.mark.parametrize(
    ("prompt", "owner", "reason"),
    [
        ("user: Contact me by email.", "use", "the frozen turns say it, and the prompt holds it"),
        ("user: What now?", "prompt", "the frozen turns say it, and the prompt does not"),
        (None, "unknown", "the frozen turns say it; whether it was prompted cannot be seen"),
    ],
)
def test_who_lost_what_the_prefix_says(prompt, owner, reason):
    score, _ = scored("email", prompt=prompt)
    assert (score.facts[0].loss.owner, score.facts[0].loss.reason) == (owner, reason)


def test_what_only_the_history_says_is_followed_through_the_memory():
    score, _ = scored("gluten", prompt="user: What now?", history="I am allergic to gluten.")
    assert (score.facts[0].loss.owner, score.facts[0].loss.stages[0].place) == ("write", "s1.t1")


def test_what_no_turn_says_is_the_cases():
    score, _ = scored("gluten", prompt="user: What now?")
    assert (score.facts[0].loss.owner, score.facts[0].loss.reason) == ("case", "no turn states it")


def test_what_is_forbidden_and_stands_in_the_prefix_was_used():
    prompt = "user: Contact me by email."
    score, _ = scored("gluten", forbidden=("email",), answer="By email.", prompt=prompt)
    assert (score.facts[1].loss.owner, score.facts[1].loss.reason) == ("use", "the frozen turns say it")
    beside, _ = scored("Lyon", forbidden=("email",), answer="By email.", prompt=prompt + " {depot: Lyon}")
    assert (beside.facts[1].loss.owner, "beside it" in beside.facts[1].loss.reason) == ("use", True)


def test_an_admission_may_take_up_what_was_said_before():
    assert scored(answer="I don't know about order 4021.", abstain=True)[0].passed
    assert not scored(answer="I don't know about order 4022.", abstain=True)[0].passed
