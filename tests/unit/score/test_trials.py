"""The score of one trial: what is expected, forbidden, negated, abstained from, and what cannot be judged."""

import pytest

from foldproof.cases import Case
from foldproof.matching import Fact, match_fact
from foldproof.record import Trial, TrialError
from foldproof.score import score_trial
from foldproof.score.trials import ABSTAIN


def _fact(text):
    kind, colon, rest = text.partition(":")
    return Fact(kind, rest) if colon else Fact("normalized", text)


@pytest.fixture
def scored():
    def scoring(answer, expected=(), forbidden=(), **case):
        facts = {"expected": tuple(map(_fact, expected)), "forbidden": tuple(map(_fact, forbidden))}
        return score_trial(Case("q1", "?", **facts, **case), Trial("q1", 3, answer))

    return scoring


@pytest.mark.parametrize(
    ("answer", "expected", "forbidden", "outcome", "facts"),
    [
        ("Postgres 15, of course", ["Postgres 15"], [], "pass", ["held"]),
        ("Postgres 150", ["Postgres 15"], [], "fail", ["degraded"]),
        ("Oracle 150", ["Postgres 15"], [], "fail", ["missed"]),
        ("I am NOT vegetarian", ["vegetarian"], [], "fail", ["negated"]),  # B16
        ("I am vegetarian", ["vegetarian"], [], "pass", ["held"]),
        ("I am NOT vegetarian", ["NOT vegetarian"], [], "pass", ["held"]),
        ("It is 5F", ["5F"], ["3F"], "pass", ["held", "missed"]),
        ("It was 3F and is 5F", ["5F"], ["3F"], "fail", ["held", "held"]),  # B18, B22
        ("It is 3F", ["5F"], ["3F"], "fail", ["missed", "held"]),
        ("It is 5F, not 3F", ["5F"], ["3F"], "pass", ["held", "negated"]),
        ("liguosong", ["liguosong"], ["liguoyu"], "pass", ["held", "missed"]),
        ("The port is 49222", ["49222"], ["22"], "pass", ["held", "missed"]),
        ("The port is 22", ["49222"], ["22"], "fail", ["missed", "held"]),
        ("17 units for $1,234.50", ["number:1234.50", "17 units"], [], "pass", ["held", "held"]),
        ("17 units for $1,234", ["number:1234.50", "17 units"], [], "fail", ["missed", "held"]),
    ],
)
def test_expected_facts_must_hold_and_forbidden_ones_must_not(scored, answer, expected, forbidden, outcome, facts):
    score = scored(answer, expected, forbidden)
    assert (score.outcome, score.error, score.repeat) == (outcome, "", 3)
    assert [fact.outcome for fact in score.facts] == facts
    assert [fact.role for fact in score.facts] == ["expected"] * len(expected) + ["forbidden"] * len(forbidden)


def test_a_hit_has_its_place_and_a_miss_its_reason(scored):
    held, missed = scored("It is **Postgres 15**.", ["Postgres 15", "MySQL"]).facts
    assert ["It is **Postgres 15**."[start:end] for start, end in held.spans] == ["Postgres 15"]
    assert (missed.fact, missed.spans) == ("MySQL", ())
    assert missed.reason


@pytest.mark.parametrize("role", ["expected", "forbidden"])
def test_a_judged_fact_is_an_error_and_never_a_pass(scored, role):
    facts = {"expected": ["yes"], "forbidden": []}
    facts[role] = [*facts[role], "judged:advises against an ORM"]
    score = scored("yes, it advises against an ORM", **facts)
    assert score.outcome == "error"
    assert score.error.startswith("fact 'judged: advises against an ORM' was not judged: ")
    assert [fact.ok for fact in score.facts if fact.outcome == "error"] == [False]


@pytest.mark.parametrize(
    "fact", [Fact("normalized", "***"), Fact("any", any=(Fact("judged", "x"),)), Fact("pattern", "(")]
)
def test_a_fact_that_cannot_be_matched_is_an_error_and_no_crash(fact):
    score = score_trial(Case("q1", "?", expected=(fact,)), Trial("q1", 0, "***"))
    assert score.outcome == "error"
    assert score.facts[0].reason


@pytest.mark.parametrize("crash", [ValueError("odd"), RecursionError(), MemoryError("much"), AssertionError()])
@pytest.mark.parametrize("role", ["expected", "forbidden"])
def test_a_matcher_that_crashes_is_an_error_of_the_fact(scored, monkeypatch, crash, role):
    def crashing(fact, text):
        if fact.text == "bad":
            raise crash
        return match_fact(fact, text)

    monkeypatch.setattr("foldproof.score.trials.match_fact", crashing)
    facts = {"expected": ["good"], "forbidden": []}
    facts[role] = [*facts[role], "bad"]
    score = scored("good", **facts)
    told = f"{type(crash).__name__}: {crash}"
    assert (score.outcome, score.error) == ("error", f"fact 'bad' was not judged: {told}")
    assert [(fact.fact, fact.outcome, fact.reason, fact.ok) for fact in score.facts if fact.fact == "bad"] == [
        ("bad", "error", told, False)
    ]
    assert [fact.outcome for fact in score.facts if fact.fact == "good"] == ["held"]


@pytest.mark.parametrize("stop", [KeyboardInterrupt(), SystemExit(1)])
def test_who_ends_the_process_is_no_matcher(scored, monkeypatch, stop):
    def ending(fact, text):
        raise stop

    monkeypatch.setattr("foldproof.score.trials.match_fact", ending)
    with pytest.raises(type(stop)):
        scored("good", ["good"])


@pytest.mark.parametrize("forbidden", [[], ["MongoDB"]])
def test_nothing_asserted_is_an_error_and_never_a_pass(scored, forbidden):
    """B50, and B56: where only something is forbidden, silence would pass."""
    score = scored("anything", [], forbidden)
    assert (score.outcome, score.error) == ("error", "nothing is asserted: silence would pass")


def test_a_failed_trial_is_an_error_with_every_fact_unjudged():
    case = Case("q1", "?", expected=(_fact("a"),), forbidden=(_fact("b"),), abstain=True)
    score = score_trial(case, Trial("q1", 1, "a", error=TrialError("timeout", "no answer within 5 s")))
    assert (score.outcome, score.error) == ("error", "timeout: no answer within 5 s")
    assert [(fact.fact, fact.outcome, fact.ok) for fact in score.facts] == [
        (ABSTAIN, "error", False),
        ("a", "error", False),
        ("b", "error", False),
    ]


def test_facts_stand_in_one_order_whether_judged_or_not():
    case = Case("q1", "?", expected=(_fact("a"), _fact("c")), forbidden=(_fact("b"),), abstain=True)
    judged = score_trial(case, Trial("q1", 0, "a"))
    failed = score_trial(case, Trial("q1", 0, error=TrialError("agent", "x")))
    assert [(fact.fact, fact.role) for fact in judged.facts] == [(fact.fact, fact.role) for fact in failed.facts]


FALSE_PREMISE = "Jon doesn't paint; his dance style is contemporary"


@pytest.mark.parametrize(
    ("answer", "expected", "forbidden", "outcome"),
    [
        ("You never told me.", [], [], "pass"),  # B46
        ("I don’t know.", [], [], "pass"),
        ("It is 6001.", [], [], "fail"),
        ("I don't know, but I think it is 6001.", [], [], "fail"),
        ("I don't know whether it is 6001.", [], ["6001"], "fail"),
        ("I don't know.", [], ["6001"], "pass"),
        (FALSE_PREMISE, ["contemporary"], [], "pass"),  # B23
        ("I don't know his painting style.", ["contemporary"], [], "pass"),
        ("He paints in oil.", ["contemporary"], [], "fail"),
        (FALSE_PREMISE, ["contemporary"], ["contemporary"], "fail"),
    ],
)
def test_who_should_abstain_admits_it_or_says_what_is_known(scored, answer, expected, forbidden, outcome):
    score = scored(answer, expected, forbidden, abstain=True)
    assert score.outcome == outcome
    assert score.facts[0].role == "expectation"


@pytest.mark.parametrize(("question", "outcome"), [("What happened on 3 May?", "pass"), ("What happened?", "fail")])
def test_a_number_of_the_question_may_stand_in_an_admission(question, outcome):
    trial = Trial("q1", 0, "I don't know what happened on 3 May.")
    assert score_trial(Case("q1", question, abstain=True), trial).outcome == outcome


@pytest.mark.parametrize(
    ("answer", "outcome"), [("on 03/04/2026", "error"), ("on March 4, 2026", "fail"), ("on May 7, 2026", "pass")]
)
def test_a_forbidden_date_that_may_be_meant_is_not_judged(answer, outcome):
    case = Case("a", "When?", expected=(Fact("normalized", "on"),), forbidden=(Fact("date", "2026-03-04"),))
    score = score_trial(case, Trial("a", 0, answer))
    assert score.outcome == outcome
    assert ("may say it" in score.error) is (outcome == "error")


@pytest.mark.parametrize(("length", "marked"), [(1_000, True), (200_000, False)])
def test_hits_are_marked_in_answers_that_a_person_reads(length, marked):
    answer = "It runs on Postgres 15. " + "word " * (length // 5)
    case = Case(
        "a", "Which?", expected=(Fact("normalized", "Postgres 15"),), forbidden=(Fact("normalized", "MongoDB"),)
    )
    score = score_trial(case, Trial("a", 0, answer))
    assert score.outcome == "pass"
    assert bool(score.facts[0].spans) is marked


def test_a_fact_missed_in_a_redacted_answer_is_not_judged():
    case = Case("a", "Which?", expected=(Fact("normalized", "cannot"),), forbidden=(Fact("normalized", "secret"),))
    assert score_trial(case, Trial("a", 0, "I cannot say [redacted]")).outcome == "error"
    assert score_trial(case, Trial("a", 0, "I cannot say")).outcome == "pass"
