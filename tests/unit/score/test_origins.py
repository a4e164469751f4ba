"""Where a forbidden fact came from: another user, a second store, a later stage; and facts that the question says."""

import pytest

from foldproof.cases import Case
from foldproof.logs import History, MemoryItem, ModelCall, Seen, Session, Turn
from foldproof.matching import Fact
from foldproof.record import StoreListing, Trial
from foldproof.score import Records, score_trial

QUESTION = "Where is my desk?"
BOTH = ("desk 3F", "desk 5F")


@pytest.fixture
def losses():
    """Scores a trial of a case that expects `5F` and forbids `3F`, and gives the losses of both."""

    def scoring(
        stated=BOTH,
        written=BOTH,
        kept=BOTH,
        *,
        reads=BOTH,
        prompt="3F 5F",
        answer="3F",
        question=QUESTION,
        expected="5F",
        **of,
    ):
        listings = {}
        for texts in (written, kept):
            held = StoreListing(tuple(MemoryItem(text) for text in texts or ()))
            listings[texts] = held.sha256 if texts is not None else None
            listings[held.sha256] = held
        history = History("h", (Session("s", tuple(Turn("user", text) for text in stated)),))
        case = Case(
            "q", question, expected=(Fact("normalized", expected),), forbidden=(Fact("normalized", "3F"),), history="h"
        )
        given = tuple(
            item if isinstance(item, MemoryItem) else MemoryItem(item, rank=at) for at, item in enumerate(reads, 1)
        )
        made = Trial(
            "q", 0, answer, memory_reads=given, prompt=prompt, user="alice",
            store_written=listings[written], store_kept=listings[kept], **of,
        )  # fmt: skip
        return [fact.loss for fact in score_trial(case, made, records=Records({"h": history}, listings.get)).facts]

    return scoring


def owner(loss):
    return loss and (loss.owner, loss.reason)


@pytest.mark.parametrize(
    ("user", "found"),
    [
        ("bob", ("retrieve", "another user's items were given")),
        ("alice", ("use", "what was expected stands in the prompt beside it")),
        ("", ("use", "what was expected stands in the prompt beside it")),
    ],
)
def test_an_item_of_another_user(losses, user, found):
    reads = (MemoryItem("desk 3F", rank=1, user=user), MemoryItem("desk 5F", rank=2, user="alice"))
    assert owner(losses(reads=reads)[1]) == found


def test_an_item_of_the_asker_beside_it_is_no_leak(losses):
    reads = (MemoryItem("desk 3F", rank=1, user="bob"), MemoryItem("3F", rank=2, user="alice"))
    assert losses(reads=reads)[1].owner == "use"


@pytest.mark.parametrize(
    ("stages", "owner_of"),
    [
        ({}, "use"),
        ({"stated": ("desk 5F",), "written": ("desk 5F",)}, "fold"),
        ({"stated": ("desk 5F",), "written": ("desk 5F",), "kept": ("desk 5F",)}, "retrieve"),
        ({"stated": ("desk 5F",), "written": ("desk 5F",), "kept": ("desk 5F",), "reads": ("desk 5F",)}, "prompt"),
        ({"stated": ("desk 5F",)}, "use"),  # it may be what was said in other words
        ({"stated": ("desk 5F",), "written": None}, "use"),
    ],
)
def test_beside_what_was_expected(losses, stages, owner_of):
    assert losses(**stages)[1].owner == owner_of


@pytest.mark.parametrize(
    ("stages", "owner_of"),
    [
        ({"stated": ("desk 3F",), "written": (), "kept": ()}, "write"),
        ({"stated": ("desk 3F",), "written": ("desk 3F",), "kept": ()}, "fold"),
    ],
)
def test_what_no_listing_has_any_more_and_retrieval_still_gives(losses, stages, owner_of):
    loss = losses(**stages, reads=("desk 3F",), prompt="desk 3F")[1]
    assert owner(loss) == (owner_of, "the memory no longer lists it, and its retrieval still gives it")


GONE = {
    "stated": ("desk 3F",),
    "written": ("desk 3F",),
    "kept": ("desk 3F",),
    "reads": ("desk 3F",),
    "prompt": "desk 3F",
}


@pytest.mark.parametrize(
    ("question", "expected", "forbidden"),
    [
        ("It is on 5F now. Where is my desk?", "use", "use"),
        ("It is on 5F now! Where is it?", "use", "use"),
        ("Is my desk on 5F or 6F?", "case", "write"),  # a question states nothing
        ("It is on 5F, not on the 3F. Where is it?", "use", "use"),
        ("Say 5F or say 3F.", "use", "write"),  # and an order that names both corrects nothing
        ("", "case", "write"),
    ],
)
def test_what_is_said_with_the_question(losses, question, expected, forbidden):
    found = losses(**{**GONE, "prompt": f"desk 3F. {question}"}, question=question)
    assert [loss.owner for loss in found] == [expected, forbidden]


def test_a_question_that_is_not_in_the_prompt_tells_the_model_nothing(losses):
    found = losses(**GONE, question="It is on 5F now. Where is my desk?")
    assert [loss.owner for loss in found] == ["case", "write"]
    unseen = losses(**{**GONE, "prompt": None}, question="It is on 5F now. Where is my desk?")
    assert [loss.owner for loss in unseen] == ["use", "unknown"]


def test_a_fold_whose_model_failed(losses):
    building = (Seen("wire", (ModelCall("x", status=429),)),)
    given = {"kept": (), "reads": (), "prompt": "", "answer": "I don't know."}
    assert owner(losses(**given)[0]) == ("fold", "dropped")
    assert owner(losses(**given, building=building)[0]) == ("fold", "dropped; while the memory was built: status 429")


def test_of_a_fold_that_leaves_a_near_form_nobody_can_say_whether_it_lost_it(losses):
    said, kept = ("the quarterly report",), ("the quarterly reports",)
    loss = losses(said, said, kept, reads=(), prompt="", answer="3F", expected="quarterly report")[0]
    assert owner(loss) == ("unknown", "kept holds a near form only: 'quarterly reports'")
