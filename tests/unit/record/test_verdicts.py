"""Verdicts are kept under everything that made them; a failure is none, and is replaced."""

import pytest

from foldproof.core import Redactor
from foldproof.logs import Usage
from foldproof.record import Calibration, Claim, JudgeIdentity, JudgeVerdict
from foldproof.record.store import Store

CLAIM = Claim("Which day?", "names a weekday", "On Monday.")
KEY = "the-key-of-the-judge-0123456789"


def verdict(word="met", slot=0, claim=CLAIM, judge="j", **more):
    return JudgeVerdict(judge, claim, word, slot=slot, **more)


def test_verdicts_are_read_as_they_were_kept(store):
    full = verdict(quotation="Monday", reason="so", usage=Usage(10, 5, 0.5))
    store.add_verdicts([verdict("not met", 1), full, verdict(judge="other")])
    store.add_verdicts([])
    assert store.verdicts("j") == {CLAIM.sha256: (full, verdict("not met", 1))}
    assert store.verdicts("nobody") == {}


def test_a_verdict_is_never_replaced_and_a_failure_is(store):
    store.add_verdicts([verdict(None, error="503")])
    store.add_verdicts([verdict(None, error="still 503")])
    assert store.verdicts("j")[CLAIM.sha256][0].error == "still 503"
    store.add_verdicts([verdict("not met")])
    store.add_verdicts([verdict("met"), verdict(None, error="later")])
    assert store.verdicts("j")[CLAIM.sha256] == (verdict("not met"),)


def test_one_verdict_is_found_without_reading_the_others(store):
    full = verdict(quotation="Monday", reason="so")
    store.add_verdicts([full, verdict("not met", 1), verdict(None, claim=Claim("q", "f", "a"), error="503")])
    assert store.verdict("j", CLAIM.sha256) == full
    assert store.verdict("other", CLAIM.sha256) is None
    assert store.verdict("j", Claim("q", "f", "a").sha256) is None, "a failure is no verdict"


def test_a_claim_is_found_although_a_secret_in_it_is_not_kept(path):
    claim = Claim("q", "f", f"The key is {KEY}.")
    with Store.open(path, Redactor({"JUDGE_KEY": KEY})) as store:
        store.add_verdicts([verdict(claim=claim)])
        [kept] = store.verdicts("j")[claim.sha256]
    assert "[redacted]" in kept.claim.answer
    assert KEY.encode() not in path.read_bytes()


@pytest.mark.parametrize(
    "other", [Claim("q2", CLAIM.fact, CLAIM.answer), Claim(CLAIM.question, "f", CLAIM.answer),
              Claim(CLAIM.question, CLAIM.fact, "On Monday. "), Claim(CLAIM.question + CLAIM.fact, "", CLAIM.answer)]
)  # fmt: skip
def test_another_question_fact_or_answer_is_another_claim(other):
    assert other.sha256 != CLAIM.sha256
    assert CLAIM.sha256.startswith(CLAIM.id)


def test_who_a_judge_is_follows_from_all_that_makes_its_verdicts():
    judge = JudgeIdentity("m-1", "aa" * 32, "p/1", {"seed": 7})
    others = [
        JudgeIdentity("m-2", "aa" * 32, "p/1", {"seed": 7}),
        JudgeIdentity("m-1", "bb" * 32, "p/1", {"seed": 7}),
        JudgeIdentity("m-1", "aa" * 32, "p/2", {"seed": 7}),
        JudgeIdentity("m-1", "aa" * 32, "p/1", {"seed": 8}),
    ]
    assert len({one.sha256 for one in (judge, *others)}) == 5
    assert judge.title == f"m-1 (prompt aaaaaaaa, judge {judge.sha256[:8]})"


def test_the_last_calibration_counts(store):
    assert store.calibration("j") is None
    first = Calibration(
        "j", {"labels": 3, "deep": [1.5, None]}, ("too few labels",), made_at="2026-03-04T05:06:07+00:00"
    )
    store.set_calibration(first)
    assert store.calibration("j") == first
    assert not first.conclusive
    store.set_calibration(Calibration("j", {}))
    assert store.calibration("j").conclusive
    assert store.calibration("other") is None
