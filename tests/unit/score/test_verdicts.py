"""What stored verdicts make of a judged fact: neither doubt nor failure nor contradiction is a judgement."""

from itertools import product

import pytest

from foldproof.cases import Case
from foldproof.core import REDACTED
from foldproof.matching import Fact
from foldproof.record import Claim, JudgeVerdict, Trial, TrialError
from foldproof.score import Records, Settlement, Verdicts, claims_of, score_case, score_trial

DISAGREES = "the judge disagrees with itself: met 2, not met 1 of 3"
CLAIM = Claim("Which day?", "names a weekday", "On Monday, I think.")
CASE = Case("day", "Which day?", expected=(Fact("judged", "names a weekday"),))


def said(*words, repeats=1, claim=CLAIM, quotation="on monday", **more):
    verdicts = tuple(
        JudgeVerdict(
            "j", claim, word, quotation if word == "met" else "", "since so", slot, error="" if word else "503"
        )
        for slot, word in enumerate(words)
    )
    return Verdicts("judge", {claim.sha256: verdicts} if words else {}, repeats, **more)


@pytest.mark.parametrize(
    ("verdicts", "outcome", "reason", "spans"),
    [
        (said("met"), "held", "the judge says met: “on monday”", ((0, 9),)),
        (said("not met"), "missed", "the judge says not met: since so", ()),
        (said("cannot tell"), "error", "the judge cannot tell: since so", ()),
        (said(None), "error", "the judge failed: 503", ()),
        (said(), "error", "the set's judge has no verdict on it in the store", ()),
        (said("met", "met", repeats=2), "held", "the judge says met: “on monday”", ((0, 9),)),
        (said("met", "not met", "met", repeats=3), "error", DISAGREES, ()),
        (said("met", "not met"), "held", "the judge says met: “on monday”", ((0, 9),)),
        (said("met", repeats=2), "error", "the set's judge has no verdict on it in the store", ()),
        (said("met", None, repeats=2), "error", "the judge failed: 503", ()),
        (said("met", settled={CLAIM.sha256: Settlement("not met")}), "missed", "a person says not met", ()),
        (said("not met", settled={CLAIM.sha256: Settlement("met", "Monday")}), "held", "a person says met: “Monday”",
         ((3, 9),)),
        (said(settled={CLAIM.sha256: Settlement("met")}), "held", "a person says met", ()),
        (said("met", barred="it may not gate"), "error", "it may not gate", ()),
        (said(None, barred="it may not gate"), "error", "the judge failed: 503", ()),
        (said(barred="no", settled={CLAIM.sha256: Settlement("met")}), "held", "a person says met", ()),
        (said(settled={CLAIM.sha256: Settlement("cannot tell")}), "error", "a person cannot tell", ()),
    ],
)  # fmt: skip
def test_a_ruling_follows_from_the_verdicts(verdicts, outcome, reason, spans):
    found = verdicts.ruling(CLAIM)
    assert (found.outcome, found.reason, found.spans) == (outcome, reason, spans)


@pytest.mark.parametrize("words", list(product(["met", "not met", "cannot tell", None], repeat=3)))
def test_nothing_but_agreement_is_a_judgement(words):
    outcome = said(*words, repeats=3).ruling(CLAIM).outcome
    assert (outcome == "held") is (set(words) == {"met"})
    assert (outcome == "missed") is (set(words) == {"not met"})


def test_an_empty_answer_states_nothing_and_needs_no_judge():
    empty = Claim(CLAIM.question, CLAIM.fact, " \n")
    assert said().missing(empty) == ()
    assert said().word(empty) == "not met"
    assert said().ruling(empty).outcome == "missed"


@pytest.mark.parametrize(("word", "outcome"), [("met", "held"), ("not met", "error"), ("cannot tell", "error")])
def test_what_was_redacted_may_have_stated_it(word, outcome):
    claim = Claim("q", "names a weekday", f"On Monday, the key is {REDACTED}.")
    assert said(word, claim=claim).ruling(claim).outcome == outcome


def test_a_quotation_is_not_looked_for_in_a_very_long_answer():
    claim = Claim("q", "f", "On Monday. " * 20_000)
    found = said("met", claim=claim).ruling(claim)
    assert (found.outcome, found.spans) == ("held", ())


def test_what_is_missing_is_what_has_no_verdict():
    assert said("met", None, repeats=4).missing(CLAIM) == (1, 2, 3)
    assert said("met").missing(CLAIM) == ()
    assert said(None, settled={CLAIM.sha256: Settlement("met")}).missing(CLAIM) == ()


def test_reasons_and_quotations_are_the_first_there_are():
    assert said("not met").reason(CLAIM) == "since so"
    assert said().reason(CLAIM) == ""
    assert said("met", settled={CLAIM.sha256: Settlement("met", "x")}).reason(CLAIM) == ""
    assert said().quotation(CLAIM) == ""
    assert said().word(CLAIM) is None


@pytest.mark.parametrize(
    ("expected", "forbidden", "words", "outcome"),
    [
        (True, False, "met", "pass"),
        (True, False, "not met", "fail"),
        (False, True, "met", "fail"),
        (False, True, "not met", "pass"),
        (False, True, "cannot tell", "error"),
        (False, True, None, "error"),
    ],
)
def test_a_trial_is_scored_from_verdicts(expected, forbidden, words, outcome):
    fact = Fact("judged", "names a weekday")
    plain = (Fact("normalized", "I think"),)
    case = Case("day", "Which day?", expected=(*plain, *([fact] if expected else [])),
                forbidden=(fact,) if forbidden else ())  # fmt: skip
    trial = Trial("day", 0, CLAIM.answer)
    score = score_trial(case, trial, verdicts=said(words))
    assert score.outcome == outcome
    if outcome == "error":
        assert "was not judged" in score.error


def test_without_verdicts_a_judged_fact_is_not_judged():
    score = score_trial(CASE, Trial("day", 0, CLAIM.answer))
    assert score.outcome == "error"
    assert "no verdict on it in the store" in score.error


def test_who_lost_a_judged_fact_is_not_known():
    [score] = score_case(CASE, [Trial("day", 0, CLAIM.answer)], records=Records(), verdicts=said("not met")).trials
    [fact] = score.facts
    assert (fact.loss.owner, {sighting.presence for sighting in fact.loss.stages}) == ("unknown", {"unseen"})


def test_each_claim_is_asked_once_and_none_of_an_error():
    broken = Trial("day", 3, "On Monday.", error=TrialError("agent", "it broke"))
    trials = [Trial("day", 0, "a"), Trial("day", 1, "a"), Trial("day", 2, "b"), broken]
    assert claims_of(CASE, trials) == (Claim("Which day?", "names a weekday", "a"),
                                       Claim("Which day?", "names a weekday", "b"))  # fmt: skip
    assert claims_of(Case("a", "q", expected=(Fact("normalized", "x"),)), trials) == ()


@pytest.mark.parametrize(("id_", "abstain", "outcome"), [("q1", True, "pass"), ("q1_abs", False, "error")])
def test_B46_the_case_decides_on_abstention_and_not_its_id(id_, abstain, outcome):
    fact = () if abstain else (Fact("judged", "says which cat"),)
    case = Case(id_, "Which cat do I have?", expected=fact, abstain=abstain)
    assert score_trial(case, Trial(id_, 0, "You never told me.")).outcome == outcome
