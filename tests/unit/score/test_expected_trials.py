"""The score of a trial whose case has an `expect:` list."""

import pytest

from foldproof.cases import Case, Expectation, ExpectedCall
from foldproof.logs import History, MemoryItem, ModelCall, Seen, Session, ToolCall, Turn
from foldproof.matching import Fact
from foldproof.record import Trial, TrialError
from foldproof.score import Records, score_trial
from foldproof.score.trials import ABSTAIN, UNSEEN, expectation_labels

QUESTION = "Refund the kettle."
REFUND = Expectation("tool_called", (ExpectedCall("refund", {"order_id": 5310}),))
NO_CALLBACK = Expectation("no_tool_called", (ExpectedCall("schedule_callback"),))
MENTIONS = Expectation("reply_mentions", fact=Fact("normalized", "store credit"))
OMITS = Expectation("reply_omits", fact=Fact("normalized", "your card"))
MADE = ToolCall("refund", {"order_id": 5310})
CALLBACK = ToolCall("schedule_callback")


def scored(items, answer="Refunded in store credit.", case=None, records=None, **trial):
    fields = {"expect": tuple(items), **(case or {})}
    return score_trial(Case("a", QUESTION, **fields), Trial("a", 0, answer, **trial), records=records)


@pytest.mark.parametrize(
    ("items", "answer", "calls", "outcome", "facts"),
    [
        ([REFUND], "", (MADE,), "pass", ["held"]),
        ([REFUND], "", (), "fail", ["missed"]),
        ([NO_CALLBACK], "", (), "pass", ["held"]),
        ([NO_CALLBACK], "", (CALLBACK,), "fail", ["missed"]),
        ([REFUND, NO_CALLBACK], "", (MADE, CALLBACK), "fail", ["held", "missed"]),
        ([REFUND, NO_CALLBACK], "", (MADE,), "pass", ["held", "held"]),
        ([MENTIONS], "In store credit.", None, "pass", ["held"]),
        ([MENTIONS], "Not store credit.", None, "fail", ["negated"]),
        ([MENTIONS], "In cash.", None, "fail", ["missed"]),
        ([MENTIONS, OMITS], "In store credit.", None, "pass", ["held", "held"]),
        ([MENTIONS, OMITS], "In store credit, not to your card.", None, "pass", ["held", "held"]),
        ([MENTIONS, OMITS], "In store credit and to your card.", None, "fail", ["held", "missed"]),
        ([REFUND, MENTIONS], "In store credit.", (MADE,), "pass", ["held", "held"]),
        ([REFUND, MENTIONS], "In store credit.", None, "error", ["error", "held"]),
        ([REFUND, REFUND], "", (MADE,), "fail", ["held", "missed"]),
        ([REFUND, REFUND], "", (MADE, MADE), "pass", ["held", "held"]),
    ],
)
def test_every_item_of_the_list_must_hold(items, answer, calls, outcome, facts):
    score = scored(items, answer, tool_calls=calls)
    assert score.outcome == outcome
    assert [fact.outcome for fact in score.facts] == facts
    assert {fact.role for fact in score.facts} == {"expectation"}
    assert [fact.ok for fact in score.facts] == [word == "held" for word in facts]


@pytest.mark.parametrize("item", [REFUND, NO_CALLBACK])
def test_calls_that_nobody_shows_are_an_error_either_way(item):
    score = scored([item])
    assert (score.outcome, score.facts[0].reason, score.facts[0].ok) == ("error", UNSEEN, False)
    assert score.error == f"expectation '{item.label}' was not judged: {UNSEEN}"


def test_where_the_text_is_and_what_differs():
    held, omitted = scored([MENTIONS, OMITS], "In store credit.").facts
    assert (held.spans, omitted.spans, omitted.reason) == (((3, 15),), (), "")
    _, said = scored([MENTIONS, OMITS], "Store credit to your card.").facts
    assert said.spans == ((16, 25),)
    assert said.reason
    (missed,) = scored([REFUND], tool_calls=(ToolCall("refund", {"order_id": "5310"}),)).facts
    assert "order_id: type" in missed.reason


def test_a_judged_or_redacted_mention_is_an_error():
    assert scored([Expectation("reply_mentions", fact=Fact("judged", "kind"))]).outcome == "error"
    assert scored([MENTIONS], "In [redacted].").outcome == "error"
    assert scored([OMITS, MENTIONS], "Store credit to [redacted].").outcome == "error"


def test_what_the_reply_omits_alone_asserts_nothing():
    assert scored([OMITS]).error == "nothing is asserted: silence would pass"
    assert scored([OMITS], case={"expected": (Fact("normalized", "credit"),)}).outcome == "pass"


def test_facts_and_expectations_must_both_hold():
    case = {"expected": (Fact("normalized", "credit"),), "forbidden": (Fact("normalized", "cash"),)}
    assert scored([REFUND], case=case, tool_calls=(MADE,)).outcome == "pass"
    assert scored([REFUND], case=case, tool_calls=()).outcome == "fail"
    assert scored([REFUND], "In cash.", case=case, tool_calls=(MADE,)).outcome == "fail"
    assert scored([REFUND], "credit or cash", case=case, tool_calls=(MADE,)).outcome == "fail"


@pytest.mark.parametrize(("answer", "outcome"), [("I don't know.", "pass"), ("It is 5.", "fail")])
@pytest.mark.parametrize(("calls", "met"), [((), True), ((CALLBACK,), False)])
def test_an_admission_makes_up_for_no_expectation(answer, outcome, calls, met):
    score = scored([NO_CALLBACK], answer, case={"abstain": True}, tool_calls=calls)
    assert score.outcome == (outcome if met else "fail")


def test_a_failed_trial_has_every_expectation_unjudged():
    case = {"abstain": True, "expected": (Fact("normalized", "x"),), "forbidden": (Fact("normalized", "y"),)}
    judged = scored([REFUND, MENTIONS], case=case, tool_calls=())
    failed = scored([REFUND, MENTIONS], case=case, error=TrialError("timeout", "slow"), tool_calls=())
    assert [fact.fact for fact in failed.facts] == [ABSTAIN, "x", "y", REFUND.label, MENTIONS.label]
    assert [(fact.fact, fact.role) for fact in judged.facts] == [(fact.fact, fact.role) for fact in failed.facts]
    assert {fact.outcome for fact in failed.facts} == {"error"}


def test_an_expectation_that_stands_twice_has_two_names():
    case = Case("a", "?", expect=(REFUND, MENTIONS, REFUND, REFUND))
    assert expectation_labels(case) == [REFUND.label, MENTIONS.label, f"{REFUND.label} (2)", f"{REFUND.label} (3)"]


@pytest.mark.parametrize("crash", [ValueError("odd"), RecursionError(), AssertionError()])
def test_a_matcher_that_crashes_is_no_judgement(monkeypatch, crash):
    def crashing(items, made):
        raise crash

    monkeypatch.setattr("foldproof.score.trials.judge_calls", crashing)
    score = scored([REFUND, MENTIONS], tool_calls=(MADE,))
    assert score.outcome == "error"
    assert score.facts[0].reason == f"{type(crash).__name__}: {crash}"


def seen(source, *calls, prompt=f"user: {QUESTION}"):
    return Seen(source, tuple(ModelCall(prompt, tool_calls=made) for made in calls))


@pytest.mark.parametrize(
    ("adapter", "others", "outcome"),
    [
        (None, [seen("wire", (MADE,))], "pass"),
        (None, [seen("otel", (MADE,))], "pass"),
        (None, [seen("wire", (), (MADE,))], "pass"),
        (None, [seen("wire", ()), seen("otel", (MADE,))], "fail"),
        (None, [seen("wire")], "error"),  # no call of a model passed there
        (None, [seen("wire", (MADE,), prompt="Summarize what was said.")], "error"),  # another model's calls
        (None, [seen("wire", (), prompt=""), seen("otel", (MADE,))], "pass"),
        (None, [seen("otel", (MADE,)), seen("wire", ())], "fail"),  # the wire is the more exact
        (None, [seen("otel", ()), seen("wire", (MADE,))], "pass"),
        ((), [seen("wire", (MADE,))], "fail"),  # the adapter counts where it tells
        ((MADE,), [seen("wire", ())], "pass"),
    ],
)
def test_calls_that_were_seen_beside_the_adapter(adapter, others, outcome):
    assert scored([REFUND], tool_calls=adapter, seen=tuple(others)).outcome == outcome


@pytest.mark.parametrize(("calls", "outcome"), [((CALLBACK,), "fail"), ((MADE,), "pass")])
@pytest.mark.parametrize("error", ["", "the tool failed"])
def test_the_call_of_a_sub_agent_counts_too(calls, outcome, error):
    """It was not asked the question, and did not give the answer: what it may not do is not to be hidden by that."""
    asked = ModelCall(f"user: {QUESTION}", answer="Refunded in store credit.")
    helper = ModelCall("Carry out the plan.", tool_calls=calls, error=error)
    assert scored([NO_CALLBACK], seen=(Seen("wire", (helper, asked)),)).outcome == outcome
    assert scored([NO_CALLBACK], seen=(Seen("wire", (helper,)),)).outcome == "error"


def test_what_is_not_called_may_be_seen_beside_the_adapter():
    assert scored([NO_CALLBACK], seen=(seen("wire", (MADE,)),)).outcome == "pass"
    assert scored([NO_CALLBACK], seen=(seen("wire", (MADE,), (CALLBACK,)),)).outcome == "fail"


HISTORY = History("h", (Session("s", (Turn("user", "Refund me in store credit."),)),))


def test_who_lost_what_the_reply_should_mention():
    records = Records(histories={"h": HISTORY})
    reads = (MemoryItem("Pays by card.", rank=1),)
    (lost,) = scored(
        [MENTIONS], "In cash.", {"history": "h"}, records, memory_reads=reads, store_written="", prompt="x"
    ).facts
    assert lost.loss is not None
    assert lost.loss.stages[0].presence == "held"
    _, said = scored([MENTIONS, OMITS], "Store credit to your card.", {"history": "h"}, records, prompt="x").facts
    assert said.loss is not None
    assert said.loss.owner == "use"
    assert scored([MENTIONS], "In cash.").facts[0].loss is None


def test_nobody_is_blamed_for_what_holds_or_for_what_no_stage_states():
    records = Records(histories={"h": HISTORY})
    calls, said = scored([REFUND, MENTIONS], "Store credit.", {"history": "h"}, records, tool_calls=()).facts
    assert (calls.loss, said.loss, said.outcome) == (None, None, "held")
