"""B77: keys that are said to be wrong decide nothing, and a run above what they allow is told."""

from dataclasses import replace
from datetime import date

from foldproof.cases import ReplaySet, Requirement
from foldproof.compare import Evidence, judge_check, judge_run
from foldproof.compare.disputed import KeyFigures, key_figures, unguarded

TODAY = date(2026, 3, 4)


def tagged(made: ReplaySet, **tags):
    return replace(made, cases=tuple(replace(case, tags=tags.get(case.id, ())) for case in made.cases))


def test_a_run_above_the_ceiling_is_told_by_tag(replay_set, scores):
    wrong = ("temporal", "disputed", "disputed-hallucination")
    made = tagged(replay_set(dict.fromkeys("abcd", "semantic")), a=wrong, b=("temporal",), c=("hop",), d=("hop",))
    whole, temporal = key_figures(made, scores(a="P", b="P", c="F", d="P"))
    assert whole == KeyFigures("", 4, 3, 1, 1)
    assert (whole.ceiling, whole.above) == (3, False)
    assert temporal == KeyFigures("temporal", 2, 2, 1, 1)
    assert (temporal.ceiling, temporal.above) == (1, True)


def test_only_judged_cases_count_and_a_disputed_source_leaves_the_key_right(replay_set, scores):
    made = tagged(replay_set(dict.fromkeys("abc", "semantic")), a=("disputed",), b=("disputed", "disputed-source"))
    assert key_figures(made, scores(a="E", b="P", c="P")) == ()
    assert key_figures(made, scores(a="F", b="P")) == (KeyFigures("", 2, 1, 1, 0),)
    assert key_figures(replay_set({"a": "semantic"}), scores(a="P")) == (), "no key is disputed"


def test_a_disputed_case_never_gates(replay_set, scores):
    made = replay_set({"a": "semantic", "b": "semantic"})
    failing = scores(a="F", b="P")
    assert judge_run(made, failing).verdict == "blocked"
    disputed = tagged(made, a=("disputed",))
    assert judge_run(disputed, failing).verdict == "pass"
    assert (disputed.disputed, disputed.drafts, disputed.ungated) == ({"a"}, set(), {"a"})
    assert [(row.case_class, row.of) for row in judge_run(disputed, failing).gate] == [("semantic", 1)]


def test_nor_does_it_in_a_check_which_shows_it_all_the_same(replay_set, scores):
    gate = {"semantic": Requirement()}
    made = tagged(replay_set({"a": "semantic", "b": "semantic"}, gate), a=("disputed",))
    before, after = scores(a="P", b="P"), scores(a="F", b="P")
    check = judge_check(made, Evidence(before, before, after), today=TODAY)
    assert (check.verdict, [(case.id, case.change) for case in check.cases]) == ("pass", [("a", "lost"), ("b", "kept")])
    assert (check.keys, check.after.judged) == ((KeyFigures("", 2, 1, 1, 0),), 1)
    assert not any("draft" in note for note in check.notes)


def test_a_pass_says_which_cases_of_a_class_that_must_not_be_lost_nothing_guards(replay_set, scores):
    gate = {"safety": Requirement(), "semantic": Requirement()}
    made = replay_set({"a": "safety", "b": "semantic"}, gate)
    after = scores(a="F", b="P")
    told = "no gate guards these cases, since they are disputed: a (safety)"
    disputed = tagged(made, a=("disputed",), b=("disputed",))
    check = judge_check(tagged(made, a=("disputed",)), Evidence(after, after, after), today=TODAY)
    assert (check.verdict, check.notes) == ("pass", (told,))
    assert unguarded(disputed) == (told,), "one of another class may be lost"
    assert unguarded(tagged(made, b=("disputed",))) == ()
