"""Which bucket a case falls in, row by row of the rules."""

import pytest

from foldproof.cases import Case
from foldproof.compare import expects_nothing, triage_case
from foldproof.score import CaseScore, FactScore, TrialScore
from foldproof.score.attribution import Loss

OUTCOMES = {"P": "pass", "F": "fail", "E": "error"}


def score(told, losses=()):
    """A case whose trials are told by letters; the fact of each failed one has the loss of that place."""
    trials = []
    for at, letter in enumerate(told or ""):
        loss = losses[at] if at < len(losses) else None
        held = "held" if letter == "P" else "missed"
        fact = FactScore("port 8443", "expected", held, loss=None if letter == "P" else loss)
        error = "agent: broke" if letter == "E" else ""
        trials.append(TrialScore(at, OUTCOMES[letter], (fact,), error))
    return None if told is None else CaseScore("port", "semantic", tuple(trials))


@pytest.mark.parametrize(
    ("unplugged", "memory", "oracle", "bucket", "doubt"),
    [
        ("P", None, None, "needs no memory", None),
        ("FP", "FFF", "F", "needs no memory", None),
        ("EP", "EEE", None, "needs no memory", None),
        ("F", "PPP", None, "keep", None),
        ("F", "PPP", "F", "keep", None),
        ("F", "FFF", "P", "backlog", None),
        ("F", "FFF", "EP", "backlog", None),
        ("F", "FFF", "F", "broken", None),
        ("F", "PFP", "P", "undecided", "flaky"),
        ("E", "PPP", "P", "undecided", "error"),
        ("FE", "PPP", "P", "undecided", "error"),
        ("", "PPP", "P", "undecided", "error"),
        ("F", None, None, "undecided", "error"),
        ("F", "", None, "undecided", "error"),
        ("F", "PPE", "P", "undecided", "error"),
        ("F", "FFE", "P", "undecided", "error"),
        ("F", "FFF", "E", "undecided", "error"),
        ("F", "FFF", "FE", "undecided", "error"),
        ("F", "FFF", "", "undecided", "error"),
        ("F", "FFF", None, "undecided", "error"),
    ],
)
def test_each_case_falls_in_one_bucket(unplugged, memory, oracle, bucket, doubt):
    found = triage_case(score(unplugged), memory=score(memory), oracle=score(oracle))
    assert (found.id, found.case_class, found.bucket, found.doubt) == ("port", "semantic", bucket, doubt)
    assert found.reason
    assert (found.owner is not None) == (bucket == "backlog")
    assert not found.stable or bucket == "keep"


def test_a_case_that_can_have_no_oracle_is_undecided_only_where_one_is_needed():
    gap = "a pattern cannot be written down"
    lost = triage_case(score("F"), memory=score("FF"), gap=gap)
    assert (lost.bucket, lost.doubt) == ("undecided", "no oracle")
    assert gap in lost.reason
    assert triage_case(score("F"), memory=score("PP"), gap=gap).bucket == "keep"


def test_reasons_say_what_was_seen():
    kept = triage_case(score("F"), memory=score("PPP"))
    assert kept.reason == "fails with the memory cut off, passes 3 of 3 trials with it"
    flaky = triage_case(score("F"), memory=score("PFP"))
    assert flaky.reason == "passes 2 of 3 trials with the memory"
    broken = triage_case(score("F"), memory=score("F"), oracle=score("F"))
    assert broken.reason == "fails with its facts in the prompt: missed 'port 8443'"
    error = triage_case(score("F"), memory=score("EF"))
    assert error.reason == "not judged with the memory: agent: broke"
    assert triage_case(score("F")).reason == "not judged with the memory: not asked"
    assert triage_case(score("F"), memory=score("F")).reason == "not judged with its facts told: not asked"


def test_one_trial_shows_no_stability():
    assert triage_case(score("F"), memory=score("PP")).stable
    assert not triage_case(score("F"), memory=score("P")).stable


def test_the_backlog_names_who_lost_the_fact():
    fold, use = Loss("fold", "dropped", ()), Loss("use", "", ())
    lost = triage_case(score("F"), memory=score("FFF", [use, fold, fold]), oracle=score("P"))
    assert (lost.owner, lost.reason) == ("fold", "'port 8443' lost at fold: dropped")
    plain = triage_case(score("F"), memory=score("F", [use]), oracle=score("P"))
    assert (plain.owner, plain.reason) == ("use", "'port 8443' lost at use")
    unseen = triage_case(score("F"), memory=score("F"), oracle=score("P"))
    assert (unseen.owner, unseen.reason) == ("unknown", "'port 8443' lost, owner unknown")


def test_what_failed_as_a_whole_has_no_owner():
    whole = CaseScore("port", "semantic", (TrialScore(0, "fail"),))
    found = triage_case(score("F"), memory=whole, oracle=score("P"))
    assert (found.bucket, found.owner, found.reason) == ("backlog", "unknown", "fails as a whole")


def test_a_draft_without_facts_is_undecided():
    found = expects_nothing(Case("why", "Why?", "episodic"))
    assert (found.id, found.case_class, found.bucket, found.doubt) == ("why", "episodic", "undecided", "no fact")
