"""Laws of scoring: the same records give the same scores, and an error is never a judgement."""

from hypothesis import given
from hypothesis import strategies as st

from foldproof.cases import Case
from foldproof.matching import Fact
from foldproof.record import Trial, TrialError
from foldproof.score import score_run
from foldproof.score.abstain import PHRASES, admits_ignorance

WORDS = st.sampled_from(["Postgres", "15", "not", "vegetarian", "no", "3F", "5F", "café", "太郎", "。", ",", "\n"])
TEXT = st.lists(WORDS, max_size=8).map(" ".join)
FACTS = st.lists(st.sampled_from(["Postgres 15", "vegetarian", "3F", "5F", "café"]), max_size=2, unique=True).map(
    lambda texts: tuple(Fact("normalized", text) for text in texts)
)
IDS = ["a", "b", "c"]
CASES = st.permutations(IDS).flatmap(
    lambda ids: st.tuples(
        *(
            st.builds(Case, st.just(i), st.just("?"), expected=FACTS, forbidden=FACTS, abstain=st.booleans())
            for i in ids
        )
    )
)
ERRORS = st.none() | st.just(TrialError("agent", "broke"))
TRIALS = st.lists(
    st.builds(Trial, st.sampled_from(IDS), st.integers(0, 4), answer=TEXT, error=ERRORS),
    max_size=8,
    unique_by=lambda trial: trial.key,
)


@given(CASES, TRIALS, st.randoms())
def test_the_order_of_the_trials_plays_no_part(cases, trials, random):
    shuffled = random.sample(trials, len(trials))
    one, other = score_run(cases, trials), score_run(cases, shuffled)
    assert list(one) == [case.id for case in cases]
    assert repr(one) == repr(score_run(cases, trials)) == repr(other)
    assert one == other


@given(CASES, TRIALS)
def test_every_trial_is_counted_once(cases, trials):
    for case_id, score in score_run(cases, trials).items():
        mine = [trial for trial in trials if trial.case == case_id]
        assert len(score.trials) == len(mine)
        assert score.passes + (score.judged - score.passes) + score.errors == len(mine)
        assert score.errors >= sum(trial.error is not None for trial in mine)
        assert (score.outcome == "error") == (score.judged == 0)


@given(CASES, TRIALS)
def test_an_error_is_neither_a_pass_nor_a_fail(cases, trials):
    for score in score_run(cases, trials).values():
        for trial in score.trials:
            assert (trial.outcome == "error") == bool(trial.error)
            if trial.outcome == "pass":
                assert all(fact.outcome != "error" for fact in trial.facts)
                assert all(fact.ok for fact in trial.facts if fact.role == "forbidden")


@given(CASES, TRIALS, TEXT)
def test_a_further_error_changes_no_judgement(cases, trials, text):
    key = ("a", 9)
    error = Trial(*key, answer=text, error=TrialError("timeout", "slow"))
    before, after = score_run(cases, trials), score_run(cases, [*trials, error])
    assert (after["a"].passes, after["a"].judged) == (before["a"].passes, before["a"].judged)
    assert after["a"].errors == before["a"].errors + 1
    assert {i: after[i] for i in ("b", "c")} == {i: before[i] for i in ("b", "c")}


PHRASE = st.sampled_from([phrase for phrases in PHRASES.values() for phrase in phrases])
SAID = st.lists(WORDS | st.sampled_from(["4711", "May", "３", "-7"]), max_size=4).map(" ".join)


@given(PHRASE, SAID, SAID, SAID)
def test_no_number_is_made_up_in_an_admission(phrase, before, after, question):
    answer = f"{before}. {phrase}. {after}"
    if admits_ignorance(answer, question):
        # What the question has may be named again, so it does not matter how often, or what else was asked.
        assert admits_ignorance(answer, f"{question} 99 {question}")
        assert not admits_ignorance(f"{answer} 98765.", question)
        assert admits_ignorance(f"{answer} 98765.", f"{question} 98765?")


@given(CASES, TRIALS)
def test_a_trial_passes_where_its_facts_do_or_ignorance_is_admitted(cases, trials):
    for case in cases:
        for trial in score_run(cases, trials)[case.id].trials:
            if trial.outcome == "error":
                continue
            by_role = {
                role: [fact.ok for fact in trial.facts if fact.role == role]
                for role in ("expectation", "expected", "forbidden")
            }
            said = bool(by_role["expected"]) and all(by_role["expected"])
            assert trial.passed == ((said or any(by_role["expectation"])) and all(by_role["forbidden"]))
