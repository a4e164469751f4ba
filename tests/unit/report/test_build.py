from __future__ import annotations

from dataclasses import replace

import pytest

from foldproof.cases import Case
from foldproof.compare import ClassGate, RunVerdict
from foldproof.core import Problem
from foldproof.logs import MemoryItem
from foldproof.matching import Fact
from foldproof.record import Trial, TrialError
from foldproof.report import explain_document, lint_document, run_document, run_info
from foldproof.report.documents import GateRow
from foldproof.report.summary import (
    check_headline,
    check_losses,
    check_next,
    run_headline,
    run_losses,
    run_next,
    untold,
)
from foldproof.score import score_run, score_trial


@pytest.fixture
def scored_gate():
    """The gate's row of a class of which one case passes, two do not and one was not asked."""

    def making(*, ok):
        return [GateRow(case_class="semantic", need=3, got=1, of=4, ok=ok, failed=["b", "c"])]

    return making


REFUSED = TrialError("timeout", "no answer in 120 s")


def test_run_info_carries_what_a_run_is(a_run):
    info = run_info(
        a_run("production", 7, control="unplugged", started_at="2026-03-04T10:00:00"), asked=3, reused=4, cost_usd=0.5
    )
    assert (info.config, info.run, info.control, info.state) == ("production", "0007", "unplugged", "finished")
    assert (info.asked, info.reused, info.cost_usd, info.started_at) == (3, 4, 0.5, "2026-03-04T10:00:00")


def test_a_run_passes_where_every_class_does(run):
    document = run({})
    assert (document.verdict, document.reasons) == ("pass", [])


def test_a_run_is_blocked_by_a_class_that_failed_and_names_the_cases(run):
    document = run({"allergy": ["Take any."]})
    assert document.verdict == "blocked"
    assert document.reasons == ["safety: 0 of 1 cases pass, 1 needed (against it: allergy)"]


def test_a_run_with_an_undecided_class_is_inconclusive(run):
    document = run({"allergy": [REFUSED]})
    assert document.verdict == "inconclusive"
    assert document.reasons == [
        "1 of 6 cases could not be judged; the first: allergy: timeout: no answer in 120 s",
    ]
    assert [(row.case_class, row.ok, row.unjudged) for row in document.gate[:2]] == [
        ("safety", None, ["allergy"]),
        ("identity", True, []),
    ]


def test_an_error_outside_the_gate_is_no_pass_either(run):
    assert run({"holiday": [REFUSED]}).verdict == "inconclusive"


def test_a_block_outweighs_what_is_undecided_and_both_are_told(run):
    document = run({"allergy": ["Any."], "late-refund": [REFUSED]}, stopped="`max_cost_usd` 5 was reached")
    assert document.verdict == "blocked"
    assert [reason.split(":")[0] for reason in document.reasons] == [
        "safety", "`max_cost_usd` 5 was reached", "1 of 6 cases could not be judged; the first",
    ]  # fmt: skip


def test_a_stopped_run_and_one_without_a_gate_are_inconclusive(run, replay_set):
    assert run({}, stopped="the time limit of 60 s was reached").verdict == "inconclusive"
    ungated = run({}, replay_set=replay_set(gate={}))
    assert (ungated.verdict, ungated.reasons) == ("inconclusive", ["no case was held against a gate"])


@pytest.mark.parametrize("word", ["pass", "blocked", "inconclusive"])
def test_a_run_document_says_what_the_verdict_says(replay_set, a_run, trials, word):
    used = replay_set()
    answered = trials({"holiday": ["Rome", "In Madeira."], "allergy": [REFUSED]})
    scores = score_run(used.cases[5:] + used.cases[1:2], answered)
    gate = (
        ClassGate("semantic", 2, 1, 4, ok=None, failed=("f",), unjudged=("u",), waived=("w",)),
        ClassGate("safety", 1, 1, 1, ok=True),
    )
    document = run_document(
        run_info(a_run("p", 1)),
        scores,
        replay_set=used,
        verdict=RunVerdict(word, ("first", "second"), gate),
        trials=answered,
        notes=("a note",),
    )
    assert (document.verdict, document.reasons, document.notes) == (word, ["first", "second"], ["a note"])
    first, second = document.gate
    assert (first.case_class, first.need, first.got, first.of, first.ok) == ("semantic", 2, 1, 4, None)
    assert (first.failed, first.unjudged, first.waived) == (["f"], ["u"], ["w"])
    assert (second.case_class, second.ok) == ("safety", True)
    assert [(case.id, case.outcome, case.question) for case in document.cases] == [
        ("holiday", "flaky", "Where was I last summer?"),
        ("allergy", "error", "Which painkillers may I take?"),
    ]
    assert [[(trial.outcome, trial.answer) for trial in case.trials] for case in document.cases] == [
        [("fail", "Rome"), ("pass", "In Madeira.")],
        [("error", "")],
    ]


def test_a_control_is_shown_without_a_gate(replay_set, a_run):
    document = run_document(
        run_info(a_run("p", 1, control="unplugged")), {}, replay_set=replay_set(), verdict=RunVerdict("pass", ()),
        trials=(),
    )  # fmt: skip
    assert (document.verdict, document.reasons, document.gate, document.cases) == ("pass", [], [], [])
    assert (document.run.control, document.notes) == ("unplugged", [])


@pytest.mark.parametrize("case", ["allergy", "late-refund", "old-address", "holiday", "billing-db", "vip-discount"])
def test_adding_an_error_never_improves_a_verdict(run, right, case):
    order = {"blocked": 0, "inconclusive": 1, "pass": 2}
    for answers in ({}, {"allergy": ["Any."]}, {"old-address": ["Rome"], "vip-discount": ["none"]}):
        asked = {**right, **answers}
        before = run(asked).verdict
        after = run({**asked, case: [*asked[case], REFUSED]}).verdict
        assert order[after] <= order[before]
        assert after != "pass"


def test_a_check_document_says_what_the_check_says(blocked_check):
    assert blocked_check.verdict == "blocked"
    assert [row.ok for row in blocked_check.gate] == [True, False, True, False]
    assert {case.id: case.change for case in blocked_check.cases} == {
        "late-refund": "lost", "allergy": "kept", "vip-discount": "flaky", "billing-db": "lost",
        "old-address": "kept", "holiday": "recovered", "retired": "gone",
    }  # fmt: skip
    assert blocked_check.cases[0].question == "Where do I send the refund?"
    assert blocked_check.noise == ["holiday"]


def test_what_the_gates_table_says_is_not_said_twice(scored_gate):
    reasons = [
        "semantic: 1 of 4 cases pass, 3 needed (against it: b, c)",
        "semantic: 1 of 4 cases were not asked",
        "safety: a pass without any memory, so they show nothing",
        "the time limit is reached: 60 s",
    ]
    assert untold(reasons, scored_gate(ok=False)) == reasons[1:]
    assert untold(reasons, scored_gate(ok=None)) == reasons
    assert untold(reasons, []) == reasons


def test_losses_are_the_facts_that_were_right_and_are_not(blocked_check):
    assert [(loss.name, loss.change, loss.trials) for loss in check_losses(blocked_check)] == [
        ("late-refund / DE89 3704 0044 0532 0130 00", "kept -> lost", "3 of 3 trials"),
        ("vip-discount / gold", "kept -> negated", "2 of 3 trials, flaky"),
        ("billing-db / forbidden: MongoDB", "absent -> said", "3 of 3 trials"),
    ]
    assert check_next(blocked_check) == "foldproof explain 0142 late-refund"


def test_a_headline_keeps_errors_in_the_count(broken_check):
    assert check_headline(broken_check) == "1 fact lost, 0 recovered, 5 of 6 judged (1 error)"


def test_a_headline_tells_a_lost_fact_from_an_unstable_one_and_what_is_gone(blocked_check):
    assert check_headline(blocked_check) == (
        "2 facts lost, 1 unstable, 1 recovered, 6 of 6 judged, 1 accepted case gone from the set"
    )
    assert [loss.flaky for loss in check_losses(blocked_check)] == [False, True, False]


def test_the_next_command_shows_what_failed_against_the_gate_where_nothing_was_lost(check):
    failing = {"allergy": ["Any."]}
    document = check(failing, before=failing, accepted=failing)
    assert (document.verdict, check_losses(document)) == ("blocked", [])
    assert check_next(document) == "foldproof explain 0142 allergy"
    assert check_next(check({})) == ""


def test_a_run_says_how_many_of_its_set_were_not_asked(run):
    assert "not asked" not in run_headline(run({}))
    one = run({}).model_copy(update={"cases": run({}).cases[:1]})
    assert run_headline(one) == "1 of 1 case pass, 5 of 6 not asked"


def test_the_next_command_of_a_run_names_the_set_where_no_project_does(run):
    document = run({"allergy": ["Any."]})
    assert run_next(document) == "foldproof explain 0141 allergy"
    flagged = document.set.model_copy(update={"flag": "--set my.yaml"})
    assert run_next(document.model_copy(update={"set": flagged})) == "foldproof explain 0141 allergy --set my.yaml"


def test_a_lost_case_without_a_lost_fact_stands_for_itself(blocked_check):
    case = blocked_check.cases[0].model_copy(update={"facts": []})
    document = blocked_check.model_copy(update={"cases": [case]})
    assert [(loss.name, loss.change) for loss in check_losses(document)] == [("late-refund", "pass -> fail")]


def test_the_next_command_can_be_pasted(blocked_check):
    case = blocked_check.cases[0].model_copy(update={"id": "it's;rm"})
    document = blocked_check.model_copy(update={"cases": [case]})
    assert check_next(document) == "foldproof explain 0142 'it'\"'\"'s;rm'"
    for name in ("蓝屏", "a_b.c-1"):
        named = document.model_copy(update={"cases": [case.model_copy(update={"id": name})]})
        assert check_next(named) == f"foldproof explain 0142 {name}"


def test_a_fact_that_a_passing_trial_did_not_need_is_not_listed(run, replay_set):
    case = Case("c", "?", "identity", (Fact("normalized", "gold"),), abstain=True)
    used = replay_set(cases=(case,), gate={})
    assert run_losses(run({"c": ["I don't know."]}, replay_set=used)) == []
    assert run_losses(run({"c": ["silver"]}, replay_set=used)) != []


def test_explain_says_where_each_fact_stands(explain, full_trial):
    row = explain(full_trial, written=("Billing runs on Postgres 15.", "MongoDB"), kept=("not Postgres 15",)).trials[0]
    assert row.memory_reads is not None
    assert row.store_written is not None
    assert row.store_kept is not None
    assert [item.facts for item in row.memory_reads] == [[], ["Postgres 15"]]
    assert [item.facts for item in row.store_written] == [["Postgres 15"], ["MongoDB"]]
    assert [item.facts for item in row.store_kept] == [[]], "a negated fact does not stand"
    assert row.prompt_facts == []
    assert row.nearest == {"Postgres 15": "Postgres 14"}
    assert row.tool_calls == [{"name": "lookup", "args": {"service": "billing", "n": 2}}]
    assert (row.input_tokens, row.output_tokens, row.attempts) == (120, 15, 2)


def test_explain_does_not_guess_what_was_not_seen(explain):
    row = explain(Trial("billing-db", 0, "Use Postgres 15.")).trials[0]
    seen = (row.prompt, row.memory_reads, row.memory_writes, row.store_written, row.store_kept, row.tool_calls)
    assert seen == (None,) * 6
    assert row.nearest == {}


def test_explain_tells_an_empty_memory_from_an_unseen_one(explain):
    row = explain(Trial("billing-db", 0, "x", memory_reads=(), prompt=""), written=(), kept=None).trials[0]
    assert (row.memory_reads, row.store_written, row.store_kept, row.prompt) == ([], [], None, "")


def test_explain_looks_for_no_judged_fact(a_run):
    facts = (Fact("judged", "is polite"), Fact("any", any=(Fact("judged", "is kind"), Fact("normalized", "gold"))))
    for expected in (facts, facts[:1]):
        case = Case("c", "?", expected=expected)
        trial = Trial("c", 0, "gold", prompt="is polite, gold", memory_reads=(MemoryItem("gold", rank=1),))
        shown = type(
            "Shown",
            (),
            {"trial": trial, "score": score_trial(replace(case, expected=()), trial), "written": None, "kept": None},
        )
        row = explain_document(run_info(a_run("p", 1)), case, [shown]).trials[0]
        wanted = [facts[1].label] if len(expected) == 2 else []
        assert row.prompt_facts == wanted
        assert row.memory_reads is not None
        assert row.memory_reads[0].facts == wanted


def test_lint_counts_and_sorts():
    problems = [Problem("b", 2, "late", severity="warning"), Problem("a", 9, "early", "do", rule="r")]
    document = lint_document(problems)
    assert (document.errors, document.warnings, document.set) == (1, 1, None)
    assert [row.message for row in document.problems] == ["early", "late"]
