"""The verdict: reproduced first, then blocked, then undecided, and pass only where nothing is left open."""

from datetime import date, timedelta

import pytest

from foldproof.cases import Requirement, Waiver
from foldproof.compare import judge_check
from foldproof.compare.verdict import Evidence

TODAY = date(2026, 3, 4)
CLASSES = {"a": "safety", "b": "semantic", "c": "semantic"}
ASKED = {"safety": Requirement(), "semantic": Requirement(1, 2)}


@pytest.fixture
def judged(scores, replay_set):
    """Judge three cases, told by their trials: `a` of class safety, `b` and `c` of a counted class.

    A dot is a case that the side does not have, a dash one without trials.
    """

    def side(told, classes):
        pairs = zip(classes.items(), told.split(), strict=True)
        return scores(**{i: (trials.strip("-"), name) for (i, name), trials in pairs if trials != "."})

    def judging(baseline="P P P", before="P P P", after="P P P", *, classes=CLASSES, gate=ASKED, waivers=(), **more):
        sides = [side(told, classes) for told in (baseline, before, after)]
        return judge_check(replay_set(classes, gate, waivers), Evidence(*sides, **more), today=TODAY)

    return judging


def test_a_pass_has_no_reasons(judged):
    check = judged()
    assert (check.verdict, check.reasons, check.notes, check.noise) == ("pass", (), (), ())
    assert [case.change for case in check.cases] == ["kept"] * 3
    assert (check.p_value, check.smallest_drop) == (1.0, None)


@pytest.mark.parametrize(
    ("after", "verdict"),
    [
        ("P P F", "pass"),
        ("P F F", "blocked"),
        ("F P P", "blocked"),
        ("PPF P P", "blocked"),
        ("P PPF PFF", "pass"),
        ("E P P", "inconclusive"),
        ("P PE P", "inconclusive"),
        ("P E F", "inconclusive"),
        ("- P P", "inconclusive"),
        (". P P", "inconclusive"),
        ("F E P", "blocked"),
        ("F . P", "blocked"),
    ],
)
def test_the_candidate_decides(judged, after, verdict):
    check = judged(after=after)
    assert check.verdict == verdict
    assert bool(check.reasons) == (verdict != "pass")


def test_the_reasons_name_the_cases(judged):
    check = judged(after="F E P")
    assert check.reasons == (
        "safety: 0 of 1 cases pass, 1 needed (against it: a)",
        "1 of 3 cases could not be judged; the first: b: agent: broke",
    )
    assert judged(after="P . P").reasons == ("semantic: 1 of 2 cases were not asked",)
    assert judged(after="P - P").reasons == ("1 of 3 cases could not be judged",)


@pytest.mark.parametrize(("before", "now"), [("F P P", "fail"), ("PF P P", "flaky"), ("E P P", "error")])
def test_a_baseline_that_does_not_reproduce_comes_first(judged, before, now):
    check = judged(before=before, after="F F F")
    assert check.verdict == "inconclusive"
    assert check.reasons[0] == (
        f"the baseline does not reproduce, so nothing can be said of the candidate: a (pass when accepted, {now} now)"
    )
    assert check.reasons[1].startswith("safety: 0 of 1 cases pass")


@pytest.mark.parametrize(
    ("baseline", "before"),
    [
        ("PF P P", "F P P"),  # noise that was accepted as noise
        ("PF P P", "P P P"),
        (". P P", "F P P"),  # new to the baseline
        ("F P P", "F P P"),
        ("P P P", "P F F"),  # a counted class moves
        ("P P P", ". P P"),
    ],
)
def test_the_baseline_reproduces(judged, baseline, before):
    assert judged(baseline, before).verdict == "pass"


@pytest.mark.parametrize("before", ["P E P", "P PE P", "P - P"])
def test_an_error_of_the_run_before_is_no_pass(judged, before):
    check = judged(before=before)
    assert check.verdict == "inconclusive"
    assert check.reasons[0].startswith("1 of 3 cases of the run before could not be judged")
    assert judged(before=before, after="P F F").verdict == "blocked"


@pytest.mark.parametrize(("baseline", "before"), [("F", "F"), (".", "F"), ("PF", "PF")])
def test_a_canary_that_fails_before_makes_the_run_untrusted(judged, baseline, before):
    check = judged(baseline, before, "P", classes={"bird": "canary"}, gate={"canary": Requirement()})
    assert check.verdict == "inconclusive"
    assert check.reasons == ("a canary does not pass before the change, so the run is not to be trusted: bird",)
    good = judged(baseline, "P", "P", classes={"bird": "canary"}, gate={"canary": Requirement()})
    assert good.verdict == ("inconclusive" if baseline == "F" else "pass")


def test_a_canary_without_a_gate_must_reproduce_too(judged):
    classes = {"bird": "canary", "b": "semantic"}
    assert judged("P P", "F P", "P P", classes=classes, gate={"semantic": Requirement()}).verdict == "inconclusive"
    assert judged("P P", "P P", "P P", classes=classes, gate={"semantic": Requirement()}).verdict == "pass"


def test_a_run_that_was_stopped_is_no_pass(judged):
    check = judged(stopped=("the cost limit is reached: 2.0000 of 2 US dollars",))
    assert (check.verdict, check.reasons) == ("inconclusive", ("the cost limit is reached: 2.0000 of 2 US dollars",))
    assert judged(after="F P P", stopped=("stopped",)).verdict == "blocked"


def test_a_vacuous_case_never_counts_as_a_pass(judged):
    check = judged(vacuous=("a",))
    assert check.verdict == "inconclusive"
    assert check.reasons == ("safety: a pass without any memory, so they show nothing",)
    assert [case.change for case in check.cases] == ["vacuous", "kept", "kept"]


def test_nothing_held_against_a_gate_is_no_pass(judged):
    check = judged(gate={"other": Requirement()})
    assert (check.verdict, check.reasons) == ("inconclusive", ("no case was held against a gate",))


def _waiver(case, days):
    return Waiver(case, "known, see #12", TODAY + timedelta(days=days))


@pytest.mark.parametrize(("days", "verdict"), [(1, "pass"), (0, "pass"), (-1, "blocked")])
def test_a_waiver_holds_until_its_day_that_day_included(judged, days, verdict):
    gate = {"safety": Requirement(), "semantic": Requirement()}
    check = judged("P F P", "P F P", "P F P", gate=gate, waivers=(_waiver("b", days),))
    assert check.verdict == verdict
    until = TODAY + timedelta(days=days)
    ended = f"the waiver of 'b' ended on {until} and no longer counts"
    assert check.notes == ((f"'b' is waived until {until}: known, see #12",) if verdict == "pass" else (ended,))


@pytest.mark.parametrize("name", ["safety", "identity", "canary"])
def test_no_waiver_covers_a_class_that_must_hold(judged, name):
    options = {"classes": {"a": name}, "gate": {name: Requirement()}, "waivers": (_waiver("a", 9),)}
    assert judged("P", "P", "F", **options).verdict == "blocked"
    assert judged("P", "P", "F", **options).notes == ()
    soft = {"classes": {"a": "semantic"}, "gate": {"semantic": Requirement()}, "waivers": (_waiver("a", 9),)}
    assert judged("P", "P", "F", **soft).verdict == "pass"


def test_noise_new_and_gone_are_told(judged):
    check = judged("PF . P", "P P P", "P F P", gone={"old": "episodic"})
    assert check.noise == ("a",)
    assert [(case.id, case.case_class, case.change) for case in check.cases] == [
        ("a", "safety", "kept"),
        ("b", "semantic", "new"),
        ("c", "semantic", "kept"),
        ("old", "episodic", "gone"),
    ]


def test_a_new_case_that_could_not_be_judged_is_an_error(judged):
    assert [case.change for case in judged("P . P", "P P P", "P E P").cases] == ["kept", "error", "kept"]


def test_the_statistics_stand_beside_and_decide_nothing(judged):
    classes = {f"q{number}": "semantic" for number in range(8)}
    gate = {"semantic": Requirement(1, 8)}
    told = " ".join("P" * 8)
    check = judged(told, told, "F F F F F F P P", classes=classes, gate=gate)
    assert (check.verdict, check.p_value, check.smallest_drop) == ("pass", 0.03125, 6)
    check = judged(told, told, "P P P P P P P F", classes=classes, gate={"semantic": Requirement()})
    assert (check.verdict, check.p_value) == ("blocked", 1.0)
