"""The verdict: reproduced first, then blocked, then undecided, and pass only where nothing is left open."""

from dataclasses import replace
from datetime import date, timedelta

import pytest

from foldproof.cases import Requirement, Waiver
from foldproof.compare import ClassGate, Evidence, RunVerdict, judge_check, judge_control, judge_run

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
    assert judged(after="P - P").reasons == ("1 of 3 cases were not asked: b",)
    assert judged(after="P E -").reasons == (
        "1 of 3 cases could not be judged; the first: b: agent: broke",
        "1 of 3 cases were not asked: c",
    )


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
        (". P .", "F P P"),
    ],
)
def test_the_baseline_reproduces(judged, baseline, before):
    assert judged(baseline, before).verdict == "pass"


def test_a_case_that_was_not_asked_is_undecided_and_not_irreproducible(judged):
    check = judged(before="- P P", after="- P P")
    assert (check.verdict, check.reasons) == (
        "inconclusive",
        ("1 of 3 cases were not asked: a", "1 of 3 cases of the run before were not asked: a"),
    )
    assert judged(before="- P P", after="P F F").verdict == "blocked", "what has failed for good is no less so"
    birds = {"classes": {"bird": "canary"}, "gate": {"canary": Requirement()}}
    assert judged("P", "-", "P", **birds).reasons == ("1 of 1 cases of the run before were not asked: bird",)


NOTHING_HELD = "the baseline holds none of these questions, so there is nothing to compare with: accept a new one"


@pytest.mark.parametrize("after", ["P P P", "F F F", "E P P"])
def test_a_baseline_that_holds_none_of_the_questions_comes_first(judged, after):
    check = judged(". . .", after=after)
    assert (check.verdict, check.reasons[0]) == ("inconclusive", NOTHING_HELD)
    assert {case.change for case in check.cases} <= {"new", "error"}
    assert judged("P . .", "P P P", after).reasons[:1] != (NOTHING_HELD,)


def test_one_question_that_the_baseline_holds_is_enough(judged):
    assert judged(". . P").verdict == "pass"
    assert judged(". P P", "P . .").reasons == (NOTHING_HELD,), "what is held was not asked"
    assert NOTHING_HELD not in judged(". . .", ". . .", ". . .").reasons, "nothing was asked"


@pytest.mark.parametrize(
    ("count", "end"), [(4, ", q3 (pass when accepted, fail now)"), (5, "q4 (pass when accepted, fail now)"),
                       (6, "q4 (pass when accepted, fail now), 1 more"), (9, ", 4 more")],
)  # fmt: skip
def test_a_long_list_is_cut_after_five_names(judged, count, end):
    classes = {f"q{number}": "safety" for number in range(count)}
    passing, failing = " ".join("P" * count), " ".join("F" * count)
    (told,) = judged(passing, failing, passing, classes=classes, gate={"safety": Requirement()}).reasons
    assert told.endswith(end)
    assert told.count("when accepted") == min(count, 5)


def test_a_long_list_of_canaries_is_cut_too(judged):
    classes = {"a": "safety", **{f"bird-{number}": "canary" for number in range(7)}}
    gate = {"safety": Requirement(), "canary": Requirement()}
    failing = " ".join("P" + "F" * 7)
    (told,) = judged(failing, failing, " ".join("P" * 8), classes=classes, gate=gate).reasons
    assert told.endswith(": bird-0, bird-1, bird-2, bird-3, bird-4, 2 more")


@pytest.mark.parametrize(
    ("before", "told"),
    [
        ("P E P", "could not be judged; the first: b: agent: broke"),
        ("P PE P", "could not be judged; the first: b: agent: broke"),
        ("P - P", "were not asked: b"),
    ],
)
def test_an_error_of_the_run_before_is_no_pass(judged, before, told):
    check = judged(before=before)
    assert (check.verdict, check.reasons) == ("inconclusive", (f"1 of 3 cases of the run before {told}",))
    assert judged(before=before, after="P F F").verdict == "blocked"


UNTRUSTED = "a canary does not pass before the change, so the run is not to be trusted: bird"
BIRDS = {"classes": {"bird": "canary", "b": "semantic"}, "gate": {"canary": Requirement()}}


@pytest.mark.parametrize(("baseline", "before"), [("F P", "F P"), (". P", "F P"), ("PF P", "PF P")])
def test_a_canary_that_fails_before_makes_the_run_untrusted(judged, baseline, before):
    check = judged(baseline, before, "P P", **BIRDS)
    assert (check.verdict, check.reasons) == ("inconclusive", (UNTRUSTED,))
    good = judged(baseline, "P P", "P P", **BIRDS)
    assert good.verdict == ("inconclusive" if baseline == "F P" else "pass")


@pytest.mark.parametrize("before", ["F P", "PF P"])
def test_a_canary_that_does_not_reproduce_is_named_once(judged, before):
    (told,) = judged("P P", before, "P P", **BIRDS).reasons
    assert told.startswith("the baseline does not reproduce")
    assert told.count("bird") == 1
    two = {"classes": {"bird": "canary", "wren": "canary"}, "gate": {"canary": Requirement()}}
    reasons = judged("P F", "F F", "P P", **two).reasons
    assert [reason.rpartition(": ")[2] for reason in reasons] == ["bird (pass when accepted, fail now)", "wren"]


def test_a_canary_without_a_gate_must_reproduce_too(judged):
    classes = {"bird": "canary", "b": "semantic"}
    assert judged("P P", "F P", "P P", classes=classes, gate={"semantic": Requirement()}).verdict == "inconclusive"
    assert judged("P P", "P P", "P P", classes=classes, gate={"semantic": Requirement()}).verdict == "pass"


def test_no_pass_rests_on_what_is_in_doubt(judged):
    doubts = ("the cost limit is reached: 2.0000 of 2 US dollars", "the control could not be judged")
    check = judged(doubts=doubts)
    assert (check.verdict, check.reasons) == ("inconclusive", doubts)
    blocked = judged(after="F P P", doubts=("stopped",))
    assert blocked.verdict == "blocked"
    assert blocked.reasons == ("safety: 0 of 1 cases pass, 1 needed (against it: a)", "stopped")


def test_notes_are_told_and_decide_nothing(judged):
    gate = {"safety": Requirement(), "semantic": Requirement()}
    check = judged("P F P", "P F P", "P F P", gate=gate, waivers=(_waiver("b", 0),), notes=("one", "two"))
    assert (check.verdict, check.reasons) == ("pass", ())
    assert check.notes == ("one", "two", f"'b' is waived until {TODAY}: known, see #12")


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


@pytest.fixture
def run_judged(scores, replay_set):
    """Judge one run of three cases as `judged` does; a dot is a case that was not asked."""

    def judging(told, *, gate=ASKED, **options):
        pairs = zip(CLASSES.items(), told.split(), strict=True)
        cases = scores(**{i: (trials.strip("-"), name) for (i, name), trials in pairs if trials != "."})
        return judge_run(replay_set(CLASSES, gate), cases, **options)

    return judging


def test_a_run_that_passes_has_its_gate_and_no_reasons(run_judged):
    gate = (ClassGate("safety", 1, 1, 1, ok=True), ClassGate("semantic", 1, 2, 2, ok=True))
    assert run_judged("P P P") == RunVerdict("pass", (), gate)
    assert run_judged("P P PFF").gate[1].failed == ("c",)


@pytest.mark.parametrize(
    ("told", "whole", "part"),
    [
        ("P P P", "pass", "pass"),
        ("P P F", "pass", "blocked"),
        ("P P PPF", "pass", "blocked"),  # every trial of a chosen case
        ("P F F", "blocked", "blocked"),
        ("F P P", "blocked", "blocked"),
        ("P P E", "inconclusive", "inconclusive"),
        ("P P PE", "inconclusive", "inconclusive"),
        ("P P -", "inconclusive", "inconclusive"),
        ("F P E", "blocked", "blocked"),
        (". P P", "inconclusive", "pass"),
        ("P . .", "inconclusive", "pass"),
        ("P . P", "inconclusive", "pass"),
        (". F .", "inconclusive", "blocked"),
        (". . .", "inconclusive", "inconclusive"),
    ],
)
def test_a_run_is_held_against_the_whole_gate_and_a_part_against_itself(run_judged, told, whole, part):
    for is_part, verdict in ((False, whole), (True, part)):
        judged = run_judged(told, part=is_part)
        assert judged.verdict == verdict
        assert (judged.reasons == ()) == (verdict == "pass")
        assert run_judged(told, part=is_part, doubts=("x",)).verdict == verdict.replace("pass", "inconclusive")


def test_the_gate_of_a_part_counts_the_part(run_judged):
    assert run_judged(". P F", part=True).gate == (ClassGate("semantic", 2, 1, 2, ok=False, failed=("c",)),)
    assert run_judged(". P .", part=True).gate == (ClassGate("semantic", 1, 1, 1, ok=True),)
    assert run_judged("P . .", gate={"semantic": Requirement()}, part=True).verdict == "pass"
    assert run_judged("F . .", gate={"semantic": Requirement()}, part=True).verdict == "blocked"


def test_the_reasons_of_a_run_name_the_weightiest_first(run_judged):
    assert run_judged("F E .", doubts=("the time limit is reached: 3 s", "and so on")).reasons == (
        "safety: 0 of 1 cases pass, 1 needed (against it: a)",
        "the time limit is reached: 3 s",
        "and so on",
        "1 of 2 cases could not be judged; the first: b: agent: broke",
        "semantic: 1 of 2 cases were not asked",
    )
    assert run_judged("P - P").reasons == ("1 of 3 cases were not asked: b",)
    assert run_judged("P P P", gate={"other": Requirement()}).reasons == ("no case was held against a gate",)
    assert run_judged(". . .", part=True).reasons == ("no case was held against a gate",)


def test_an_error_outside_of_the_gate_is_no_pass_either(run_judged):
    gate = {"safety": Requirement()}
    assert run_judged("P F F", gate=gate).verdict == "pass"
    assert run_judged("P P E", gate=gate).reasons == ("1 of 3 cases could not be judged; the first: c: agent: broke",)


@pytest.mark.parametrize(
    ("control", "reasons"),
    [
        ({"a": "F", "b": "FF"}, ()),
        ({"a": "P", "b": "F"}, ("these pass with the memory cut off, so they test nothing: a",)),
        ({"a": "FP", "b": "PP"}, ("these pass with the memory cut off, so they test nothing: a, b",)),
        ({"a": "E", "b": "F"}, ("1 of 2 cases could not be judged; the first: a: agent: broke",)),
        (
            {"a": "FE", "b": ""},
            ("1 of 2 cases could not be judged; the first: a: agent: broke", "1 of 2 cases were not asked: b"),
        ),
        (
            dict.fromkeys("abcdefg", ""),
            ("7 of 7 cases were not asked: a, b, c, d, e, 2 more",),
        ),
        (
            {"a": "E", "b": "P"},
            (
                "these pass with the memory cut off, so they test nothing: b",
                "1 of 2 cases could not be judged; the first: a: agent: broke",
            ),
        ),
        ({}, ("no case was asked",)),
    ],
)
def test_the_control_passes_where_no_case_does(scores, control, reasons):
    judged = judge_control(scores(**control))
    assert judged == RunVerdict("inconclusive" if reasons else "pass", reasons)
    doubted = judge_control(scores(**control), doubts=("the run was stopped",))
    assert doubted.verdict == "inconclusive"
    assert sorted(doubted.reasons) == sorted((*reasons, "the run was stopped"))


@pytest.mark.parametrize(
    ("control", "told"),
    [
        ("oracle", "these fail with their facts in the prompt, so they are broken or beyond the agent: b"),
        ("full", "these fail with the whole history in the prompt: b"),
    ],
)
def test_a_control_that_is_told_the_facts_passes_where_every_case_does(scores, control, told):
    assert judge_control(scores(a="P", b="FP"), control=control) == RunVerdict("pass", ())
    assert judge_control(scores(a="P", b="F"), control=control) == RunVerdict("inconclusive", (told,))
    unjudged = judge_control(scores(a="P", b="E", c=("", "semantic")), control=control)
    assert unjudged.verdict == "inconclusive"
    assert unjudged.reasons[0].startswith("1 of 3 cases could not be judged; the first: b")
    assert unjudged.reasons[1] == "1 of 3 cases were not asked: c"
    assert judge_control({}, control=control).reasons == ("no case was asked",)


@pytest.mark.parametrize(
    ("draft", "other", "verdict"),
    [("F", "P", "pass"), ("E", "P", "pass"), ("-", "P", "pass"), ("P", "F", "blocked"), ("F", "E", "inconclusive")],
)
def test_a_draft_decides_nothing_whatever_comes_of_it(replay_set, scores, draft, other, verdict):
    made = replay_set({"a": "safety", "b": "safety"})
    first, second = made.cases
    held = replace(made, cases=(replace(first, tags=("draft",)), second))
    told = scores(a=(draft.strip("-"), "safety"), b=(other, "safety"))
    kept = scores(a=("P", "safety"), b=("P", "safety"))
    check = judge_check(held, Evidence(kept, kept, told), today=TODAY)
    assert check.verdict == judge_run(held, told).verdict == verdict
    assert check.notes == ("nobody has confirmed these drafts, so they decide nothing: a",)
    assert [case.id for case in check.cases] == ["a", "b"]
    confirmed = judge_run(made, told).verdict
    assert (confirmed == "pass") is (draft == other == "P")


def test_a_set_of_drafts_alone_gives_no_verdict(replay_set, scores):
    made = replay_set({"a": "safety"})
    held = replace(made, cases=tuple(replace(case, tags=("draft",)) for case in made.cases))
    assert judge_run(held, scores(a=("P", "safety"))).verdict == "inconclusive"
    assert judge_run(held, scores(a=("P", "safety")), part=True).verdict == "inconclusive"
