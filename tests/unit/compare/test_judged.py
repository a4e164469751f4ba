"""A baseline keeps the verdicts on its answers, and never mixes two judges."""

from foldproof.cases import Case
from foldproof.compare.judged import JudgedEntry, accepted_verdicts, judged_of
from foldproof.matching import Fact
from foldproof.record import Claim, JudgeVerdict, Trial, TrialKey
from foldproof.score import Settlement, Verdicts

FACT = Fact("judged", "names a weekday")
CASE = Case("day", "Which day?", expected=(FACT,))
TRIALS = [Trial("day", 0, "On Monday."), Trial("day", 1, "Never."), Trial("day", 2, "Hm."), Trial("gone", 0, "a")]


def claim(answer):
    return Claim("Which day?", FACT.text, answer)


def verdicts(judge="j", **words):
    said = {"monday": "On Monday.", "never": "Never.", "hm": "Hm."}
    found = {}
    for name, word in words.items():
        one = claim(said[name])
        found[one.sha256] = (JudgeVerdict(judge, one, word.replace("_", " "), "Monday" if word == "met" else ""),)
    return Verdicts(judge, found)


def test_what_was_decided_is_kept_and_nothing_else():
    known = verdicts(monday="met", never="not_met", hm="cannot_tell")
    assert judged_of([CASE], TRIALS, known) == {
        TrialKey("day", 0): (JudgedEntry(fact=FACT.text, verdict="met", quotation="Monday"),),
        TrialKey("day", 1): (JudgedEntry(fact=FACT.text, verdict="not met"),),
    }
    assert judged_of([Case("day", "Which day?")], TRIALS, known) == {}


JUDGED = {TrialKey("day", 0): (JudgedEntry(fact=FACT.text, verdict="met", quotation="Monday"),)}


def known(beside, judge="j"):
    return accepted_verdicts([CASE], TRIALS, judge=judge, judged=JUDGED, beside=beside)


def test_accepted_verdicts_count_before_those_of_the_store():
    found = known(verdicts(monday="not_met", never="not_met"))
    assert (found.word(claim("On Monday.")), found.word(claim("Never."))) == ("met", "not met")


def test_another_judges_verdicts_are_left_out():
    found = known(verdicts("other", never="not_met"))
    assert (found.judge, found.word(claim("On Monday.")), found.word(claim("Never."))) == ("j", "met", None)


def test_without_an_accepted_judge_those_of_the_store_count():
    found = accepted_verdicts([CASE], TRIALS, judge="", judged={}, beside=verdicts("other", never="not_met"))
    assert (found.judge, found.word(claim("Never."))) == ("other", "not met")


def test_what_was_accepted_once_stands_for_every_repeat_and_what_a_person_settled_for_more():
    beside = Verdicts("j", {}, 5, {claim("Never.").sha256: Settlement("met", "Never")}, barred="it may not gate")
    found = known(beside)
    assert found.barred == ""
    assert (found.word(claim("On Monday.")), found.word(claim("Never."))) == ("met", "met")
