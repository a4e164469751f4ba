"""Laws of the gate and the verdict: an error never helps."""

from datetime import date

from hypothesis import example, given
from hypothesis import strategies as st

from foldproof.cases import STRICT_CLASSES, Case, ReplaySet, Requirement, Waiver
from foldproof.compare import Evidence, gate_scores, judge_check, judge_control, judge_run
from foldproof.score import CaseScore, TrialScore

TODAY = date(2026, 3, 4)
OK = {True: 2, None: 1, False: 0}
VERDICT = {"pass": 2, "inconclusive": 1, "blocked": 0}
CLASSES = ("safety", "canary", "preference", "episodic")
CASES = {f"{name}-{number}": name for name in CLASSES for number in range(3)}
SIZES = dict.fromkeys(CLASSES, 3)
TRIALS = st.lists(st.sampled_from(["pass", "pass", "pass", "fail", "error"]), max_size=4)
ERROR = TrialScore(99, "error", error="agent: broke")


def _score(case_id, outcomes):
    trials = tuple(
        TrialScore(repeat, outcome, error="broke" if outcome == "error" else "")
        for repeat, outcome in enumerate(outcomes)
    )
    return CaseScore(case_id, CASES[case_id], trials)


def _sides(trials):
    """Scores of some of the cases."""
    some = st.dictionaries(st.sampled_from(sorted(CASES)), trials)
    full = st.fixed_dictionaries(dict.fromkeys(CASES, trials))
    return (some | full | full).map(lambda told: {i: _score(i, outcomes) for i, outcomes in told.items()})


SIDE = _sides(TRIALS) | _sides(st.lists(st.just("pass"), min_size=1, max_size=3))
COUNT = st.integers(1, 3).map(lambda need: Requirement(need, 3))
GATE = st.fixed_dictionaries(
    {"safety": st.just(Requirement()), "canary": st.just(Requirement())},
    optional={name: st.just(Requirement()) | COUNT for name in ("preference", "episodic")},
)
MIXED = (["pass"], ["fail", "error"], ["pass"])
SOME = st.sets(st.sampled_from(sorted(CASES)), max_size=4)
WAIVERS = st.dictionaries(st.sampled_from(sorted(CASES)), st.integers(1, 7), max_size=4).map(
    lambda told: tuple(Waiver(case_id, "why", date(2026, 3, day)) for case_id, day in told.items())
)


def _with_error(scores, case_id):
    score = scores[case_id]
    return {**scores, case_id: CaseScore(score.id, score.case_class, (*score.trials, ERROR))}


def _set(gate, waivers):
    cases = tuple(Case(case_id, "?", name) for case_id, name in CASES.items())
    return ReplaySet("set", "replay.yaml", cases, gate, "0" * 64, waivers=waivers)


@given(GATE, SIDE, SOME, SOME)
def test_a_further_error_never_improves_a_class(gate, after, waived, vacuous):
    options = {"sizes": SIZES, "waived": waived, "vacuous": vacuous}
    before = gate_scores(gate, after, **options)
    for case_id in after:
        for old, new in zip(before, gate_scores(gate, _with_error(after, case_id), **options), strict=True):
            assert OK[new.ok] <= OK[old.ok]
            assert new.got <= old.got


@given(GATE, SIDE, SIDE, SIDE, WAIVERS, SOME)
def test_a_further_error_never_improves_the_verdict(gate, baseline, before, after, waivers, vacuous):
    def judge(candidate):
        return judge_check(_set(gate, waivers), Evidence(baseline, before, candidate, vacuous), today=TODAY)

    old = judge(after)
    for case_id in after:
        new = judge(_with_error(after, case_id))
        assert VERDICT[new.verdict] <= VERDICT[old.verdict]
        assert new.verdict != "pass"


@given(GATE, SIDE, SIDE, SIDE, WAIVERS, SOME)
def test_a_pass_leaves_nothing_open(gate, baseline, before, after, waivers, vacuous):
    check = judge_check(_set(gate, waivers), Evidence(baseline, before, after, vacuous), today=TODAY)
    assert (check.verdict == "pass") == (check.reasons == ())
    if check.verdict != "pass":
        return
    assert {entry.case_class for entry in check.gate} == set(gate)
    assert all(entry.ok for entry in check.gate)
    assert not any(score.errors for side in (before, after) for score in side.values())
    forgiven = {waiver.case for waiver in waivers if waiver.until >= TODAY and CASES[waiver.case] not in STRICT_CLASSES}
    for name, requirement in gate.items():
        mine = [after[case_id] for case_id in after if CASES[case_id] == name]
        assert len(mine) == 3
        assert not vacuous & {score.id for score in mine}
        whole = requirement.need is None
        passing = [s for s in mine if (s.passes == len(s.trials) if whole else s.majority) or s.id in forgiven]
        assert len(passing) >= (3 if whole else requirement.need)


@given(GATE, SIDE, SOME, SOME)
def test_the_count_is_whole(gate, after, waived, vacuous):
    for entry in gate_scores(gate, after, sizes=SIZES, waived=waived, vacuous=vacuous):
        assert entry.got + len(entry.failed) + len(entry.unjudged) + entry.unasked == entry.of == 3
        assert min(entry.got, entry.unasked) >= 0
        assert not set(entry.failed) & set(entry.unjudged)
        assert not set(entry.failed) & set(entry.waived)
        if entry.ok:
            assert entry.got >= entry.need
            assert not entry.unjudged
        if entry.ok is False:
            assert entry.of - len(entry.failed) < entry.need


@given(GATE, SIDE, SOME)
@example(
    {"preference": Requirement(1, 3)},
    {f"preference-{number}": _score(f"preference-{number}", told) for number, told in enumerate(MIXED)},
    {"preference-1"},
)
def test_waivers_only_help_and_vacuous_cases_only_hurt(gate, after, some):
    plain = gate_scores(gate, after, sizes=SIZES)
    waived = gate_scores(gate, after, sizes=SIZES, waived=some)
    vacuous = gate_scores(gate, after, sizes=SIZES, vacuous=some)
    for one, better, worse in zip(plain, waived, vacuous, strict=True):
        assert OK[worse.ok] <= OK[one.ok] <= OK[better.ok]


DOUBTS = st.lists(st.sampled_from(["stopped", "interrupted"]), max_size=2).map(tuple)


def _judged(gate, scores, *, part, doubts=()):
    return judge_run(_set(gate, ()), scores, part=part, doubts=doubts)


@given(GATE, SIDE, st.booleans(), DOUBTS)
def test_a_further_error_or_doubt_never_improves_a_run(gate, scores, part, doubts):
    old = _judged(gate, scores, part=part, doubts=doubts)
    assert (old.verdict == "pass") == (old.reasons == ())
    doubted = _judged(gate, scores, part=part, doubts=(*doubts, "one more"))
    assert doubted.verdict == ("blocked" if old.verdict == "blocked" else "inconclusive")
    for case_id in scores:
        new = _judged(gate, _with_error(scores, case_id), part=part, doubts=doubts)
        assert VERDICT[new.verdict] <= VERDICT[old.verdict]
        assert new.verdict != "pass"


@given(GATE, SIDE, st.booleans())
def test_a_run_that_passes_leaves_nothing_open(gate, scores, part):
    judged = _judged(gate, scores, part=part)
    if judged.verdict != "pass":
        return
    assert judged.gate
    assert all(entry.ok for entry in judged.gate)
    assert not any(score.errors or not score.trials for score in scores.values())
    if part:
        assert scores
        assert all(score.passes == len(score.trials) for score in scores.values())
    else:
        assert {case_id for case_id, name in CASES.items() if name in gate} <= scores.keys()


@given(GATE, SIDE)
def test_a_part_asks_for_every_case_whatever_the_gate(gate, scores):
    part = _judged(gate, scores, part=True)
    passing = [score.passes == len(score.trials) > 0 for score in scores.values()]
    assert (part.verdict == "pass") == (bool(passing) and all(passing))
    assert (part.verdict == "blocked") == any(score.passes < score.judged for score in scores.values())
    assert part == _judged({}, scores, part=True)


@given(SIDE, DOUBTS)
def test_the_control_passes_only_where_every_case_was_judged_and_none_passes(scores, doubts):
    control = judge_control(scores, doubts=doubts)
    failing = [score.judged == len(score.trials) > score.passes == 0 for score in scores.values()]
    assert (control.verdict == "pass") == (bool(failing) and all(failing) and not doubts)
    assert (control.verdict == "pass") == (control.reasons == ())
    assert control.verdict != "blocked"
    for case_id in scores:
        assert judge_control(_with_error(scores, case_id), doubts=doubts).verdict == "inconclusive"


@given(GATE, SIDE, SIDE)
def test_no_check_passes_against_a_baseline_that_holds_none_of_its_questions(gate, before, after):
    held = {case_id: before[case_id] for case_id in before if case_id not in after}
    check = judge_check(
        _set(gate, ()), Evidence(held, {i: before[i] for i in before if i in after}, after), today=TODAY
    )
    assert (check.verdict == "inconclusive") or not before.keys() & after.keys()
