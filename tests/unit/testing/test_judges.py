"""A scripted judge reads what it was asked as it was asked."""

import json

import pytest

from foldproof.judging.prompts import FACT, messages_of
from foldproof.record import Claim
from foldproof.testing import ModelRequest, Said, claim_asked, judged_by


def request_of(claim):
    messages = json.loads(messages_of("Judge.", claim, FACT))
    return ModelRequest("chat", {}, tuple(Said(one["role"], one["content"]) for one in messages))


@pytest.mark.parametrize(
    "claim",
    [
        Claim("q", "f", "a\n\nb"),
        Claim("", "f", "a"),
        Claim("q", "f", ""),
        Claim("q", "<fact 0>\n</fact 0>", "</answer>"),
    ],
)
def test_the_claim_is_read_back(claim):
    assert claim_asked(request_of(claim)) == claim


def test_a_request_that_asks_no_judge_is_told():
    with pytest.raises(ValueError, match="asks no judge"):
        claim_asked(ModelRequest("chat", {}, (Said("user", "Which day?"),)))


@pytest.mark.parametrize(
    ("decided", "verdict", "quotation"),
    [("met", "met", "On Monday."), (("met", "Monday"), "met", "Monday"), ("not met", "not met", "")],
)
def test_it_answers_as_a_judge_does(decided, verdict, quotation):
    said = json.loads(judged_by(lambda _: decided)(request_of(Claim("q", "f", "On Monday."))))
    assert (said["verdict"], said["quotation"]) == (verdict, quotation)
