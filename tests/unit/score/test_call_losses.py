"""Who lost what a call should have been made with."""

import pytest

from foldproof.cases import ArgumentCheck, Case, Expectation, ExpectedCall
from foldproof.logs import History, MemoryItem, Session, ToolCall, Turn
from foldproof.matching import Fact
from foldproof.record import StoreListing, Trial
from foldproof.score import Records, score_trial

HISTORY = History("h", (Session("s", (Turn("user", "Refund me in store credit, up to $24.90. My id is 77."),)),))
LISTED = StoreListing((MemoryItem("wants store credit, up to 24.90, id 77"),))
EMPTY = StoreListing((MemoryItem("likes tea"),))
READS = (MemoryItem("wants store credit, up to 24.90, id 77", rank=1),)
OTHER_READS = (MemoryItem("likes tea", rank=1),)
STORES = {listing.sha256: listing for listing in (LISTED, EMPTY)}
CARD = (ToolCall("refund", {"order_id": 4021, "method": "card"}),)


def loss_of(*calls, answer="Done.", made=CARD, kind="tool_called", written=LISTED, kept=LISTED, reads=READS,
            prompt="wants store credit, up to 24.90, id 77"):  # fmt: skip
    case = Case("a", "Refund order #4021.", history="h", expect=(Expectation(kind, calls),))
    trial = Trial("a", 0, answer, tool_calls=made, memory_reads=reads, prompt=prompt,
                  store_written=written.sha256, store_kept=kept.sha256)  # fmt: skip
    (score,) = score_trial(case, trial, records=Records({"h": HISTORY}, STORES.get)).facts
    assert score.outcome == "missed"
    return (score.loss.owner, score.loss.reason) if score.loss else None


def refund(**args):
    return ExpectedCall("refund", args)


CREDIT = refund(order_id=4021, method="store_credit")


@pytest.mark.parametrize(
    ("stages", "owner"),
    [
        ({"written": EMPTY, "kept": EMPTY, "reads": OTHER_READS, "prompt": "tea"}, "write"),
        ({"kept": EMPTY, "reads": OTHER_READS, "prompt": "tea"}, "fold"),
        ({"reads": OTHER_READS, "prompt": "tea"}, "retrieve"),
        ({"prompt": "tea"}, "prompt"),
        ({}, "use"),
    ],
)
@pytest.mark.parametrize("made", [CARD, (), (ToolCall("look_up"),)])
def test_an_argument_is_followed_through_the_stages(stages, owner, made):
    found = loss_of(CREDIT, made=made, **stages)
    assert found is not None
    assert found[0] == owner
    assert found[1].startswith(("'store_credit': ", "'4021': "))
    assert owner == "use" or found[1].startswith("'store_credit': ")


def test_only_what_the_nearest_call_lacks_is_followed():
    made = (ToolCall("refund", {"order_id": 4022, "method": "store_credit"}),)
    assert loss_of(CREDIT, made=made, prompt="tea. Refund order #4021.") == (
        "use",
        "'4021': the question itself says it",
    )
    assert loss_of(CREDIT, made=(ToolCall("refund", {"order_id": 4021}),), prompt="tea")[0] == "prompt"


def test_what_is_said_and_not_done_was_not_used():
    found = loss_of(CREDIT, answer="You get store credit.")
    assert found == ("use", "'store_credit': it stands in the answer or in another call")


@pytest.mark.parametrize(
    ("call", "label"),
    [
        (refund(limit=24.9), "number: 24.9"),
        (refund(limit=ArgumentCheck("value", 24.9, 0.1)), "number: 24.9"),
        (refund(user=77), "77"),
        (refund(how=ArgumentCheck("contains", fact=Fact("normalized", "store credit"))), "store credit"),
        (refund(how=ArgumentCheck("any_of", any_of=("store credit", "gift card"))), "any: store credit | gift card"),
        (
            refund(how=ArgumentCheck("any_of", any_of=(ArgumentCheck("any_of", any_of=("store credit", "x")), "y"))),
            "any: store credit | x | y",
        ),
        (ExpectedCall(any_of=(refund(how="store credit"), ExpectedCall("credit"))), "store credit"),
    ],
)
def test_what_can_be_followed(call, label):
    assert loss_of(call, prompt="tea") == ("prompt", f"'{label}': no retrieved item stands whole in the prompt")


@pytest.mark.parametrize(
    "call",
    [
        refund(a=True),
        refund(a=None),
        refund(a=["store credit"]),
        refund(a={"how": "store credit"}),
        refund(a="***"),
        refund(a=1e30),
        refund(a=ArgumentCheck("any_of", any_of=("store credit", True))),
        refund(a="RF-1"),  # worked out or looked up by the agent
        refund(order_id="4021"),  # of another type
        ExpectedCall("credit"),
    ],
)
def test_nobody_is_blamed_for_what_cannot_be_followed(call):
    assert loss_of(call, prompt="tea") is None


def test_nobody_is_blamed_for_a_call_that_must_not_be_made():
    assert loss_of(refund(), kind="no_tool_called") is None


def test_the_steps_of_an_order_are_followed_as_well():
    steps = (ExpectedCall("refund"), ExpectedCall("note", {"text": "store credit"}))
    assert loss_of(*steps, kind="tool_order", prompt="tea")[0] == "prompt"


def test_a_call_that_fits_and_was_made_once_lost_nothing():
    case = Case("a", "Refund it.", history="h", expect=(Expectation("tool_called", (refund(how="store credit"),)),) * 2)
    made = (ToolCall("refund", {"how": "store credit"}),)
    score = score_trial(case, Trial("a", 0, "x", tool_calls=made, prompt="tea"), records=Records({"h": HISTORY}))
    assert [fact.loss for fact in score.facts] == [None, None]
