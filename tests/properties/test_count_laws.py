"""Laws of what is counted: a worse trial never helps, an order never matters."""

from datetime import date

from hypothesis import assume, given
from hypothesis import strategies as st

from foldproof.cases import Case, ReplaySet, Requirement
from foldproof.compare import (
    ControlScores,
    Evidence,
    change_figures,
    diff_scores,
    effective_retention,
    gate_scores,
    judge_check,
    judge_run,
    run_figures,
)
from foldproof.score import CaseScore, TrialScore

TODAY = date(2026, 3, 4)
CASES = {f"{name}-{number}": name for name in ("safety", "preference", "episodic") for number in range(3)}
SIZES = dict.fromkeys(("safety", "preference", "episodic"), 3)
OK = {True: 2, None: 1, False: 0}
VERDICT = {"pass": 2, "inconclusive": 1, "blocked": 0}
TRIALS = st.lists(st.sampled_from(["pass", "pass", "fail", "error"]), max_size=4)
SIDE = st.fixed_dictionaries(dict.fromkeys(CASES, TRIALS | st.just(["pass"])))
SOME = st.sets(st.sampled_from(sorted(CASES)), max_size=3)
COUNT = st.integers(1, 3).map(lambda need: Requirement(need, 3))
GATE = st.fixed_dictionaries({"safety": st.just(Requirement()), "preference": COUNT, "episodic": COUNT})
WORSE = st.sampled_from(["fail", "error"])


def _scored(told):
    return {
        case_id: CaseScore(
            case_id,
            CASES[case_id],
            tuple(TrialScore(at, word, error="?" if word == "error" else "") for at, word in enumerate(listed)),
        )
        for case_id, listed in told.items()
    }


def _set(gate):
    cases = tuple(Case(case_id, "?", name, history=f"of {case_id[-1]}") for case_id, name in CASES.items())
    return ReplaySet("set", "replay.yaml", cases, gate, "0" * 64)


@st.composite
def _two_sides(draw):
    """A side with a trial that passed, and the same with that trial failed or without a judgement.

    Which of the two is worse is no law: an error leaves a class open that a failure decides, one way or the other.
    """
    told = draw(SIDE)
    passed = [(case_id, at) for case_id, listed in told.items() for at, word in enumerate(listed) if word == "pass"]
    assume(passed)
    case_id, at = draw(st.sampled_from(passed))
    listed = [*told[case_id]]
    listed[at] = draw(WORSE)
    return case_id, told, {**told, case_id: listed}


@given(GATE, _two_sides(), SOME, SOME)
def test_a_worse_trial_never_improves_a_class(gate, sides, waived, vacuous):
    case_id, better, worse = sides
    # A vacuous case, or one with an error, leaves its class open while it passes; once it fails it is counted.
    assume(case_id not in vacuous and "error" not in better[case_id])
    options = {"sizes": SIZES, "waived": waived, "vacuous": vacuous}
    there = gate_scores(gate, _scored(better), **options)
    for one, other in zip(there, gate_scores(gate, _scored(worse), **options), strict=True):
        assert OK[other.ok] <= OK[one.ok]
        assert other.got <= one.got


@given(GATE, _two_sides(), SIDE, SIDE, SOME, st.booleans())
def test_a_worse_trial_of_the_candidate_never_improves_a_verdict(gate, sides, baseline, before, vacuous, part):
    case_id, better, worse = sides
    assume(case_id not in vacuous)

    def check(after):
        evidence = Evidence(_scored(baseline), _scored(before), _scored(after), vacuous)
        return VERDICT[judge_check(_set(gate), evidence, today=TODAY).verdict]

    def run(scores):
        return VERDICT[judge_run(_set(gate), _scored(scores), part=part).verdict]

    assert check(worse) <= check(better)
    assert run(worse) <= run(better)


@given(GATE, SIDE, SOME, SOME, st.randoms(use_true_random=False))
def test_neither_the_order_of_cases_nor_of_trials_matters(gate, told, waived, vacuous, random):
    ids = list(told)
    random.shuffle(ids)
    mixed = {case_id: random.sample(told[case_id], len(told[case_id])) for case_id in ids}
    options = {"sizes": SIZES, "waived": waived, "vacuous": vacuous}
    there, back = (gate_scores(gate, _scored(side), **options) for side in (told, mixed))
    for one, other in zip(there, back, strict=True):
        assert (one.ok, one.got, set(one.failed), set(one.unjudged)) == (
            other.ok, other.got, set(other.failed), set(other.unjudged),
        )  # fmt: skip
    assert run_figures(_scored(told)) == run_figures(_scored(mixed))


@given(SIDE, SIDE, st.randoms(use_true_random=False))
def test_the_order_of_trials_changes_no_change(before, after, random):
    mixed = [
        {case_id: random.sample(listed, len(listed)) for case_id, listed in side.items()} for side in (before, after)
    ]
    told = [diff_scores(*map(_scored, sides)) for sides in ((before, after), mixed)]
    assert [change.change for change in told[0]] == [change.change for change in told[1]]


@given(_two_sides(), SIDE, SIDE)
def test_a_worse_trial_of_the_candidate_never_retains_more(sides, unplugged, oracle):
    _, better, worse = sides
    controls = ControlScores(_scored(unplugged), _scored(oracle), {})
    there, back = ({row.case_class: row for row in effective_retention(_scored(s), controls)} for s in (better, worse))
    for name, row in back.items():
        assert row.candidate <= there[name].candidate
        assert (row.share is None) == (there[name].share is None)
        assert row.share is None or row.share <= there[name].share


@given(SIDE, SIDE)
def test_the_figures_count_pairs_and_turn_with_their_sides(before, after):
    histories = {case_id: f"of {case_id[-1]}" for case_id in CASES}
    one, other = map(_scored, (before, after))
    there = change_figures(diff_scores(one, other), histories)
    assert there == change_figures(diff_scores(other, one), histories)
    changes = [change.change for change in diff_scores(one, other)]
    if there.by_history is not None:
        assert {"lost", "recovered"} & set(changes)
        assert there.by_history.clusters <= 3
        assert there.by_history.p_value >= there.by_history.least
    if not {"lost", "recovered"} & set(changes):
        assert there.p_value == 1.0


@given(SIDE)
def test_a_run_differs_from_itself_by_nothing(told):
    figures = run_figures(_scored(told))
    assert figures.judged + figures.unjudged == len(told)
    assert (figures.rate is None) == (figures.judged == 0)
    if figures.pass_hat:
        # The mean share of trials that pass is at least the share of cases that pass throughout.
        assert figures.pass_hat[0] >= figures.passed / figures.judged - 1e-12
