from __future__ import annotations

import re
from dataclasses import replace

import pytest

from foldproof.cases import Case
from foldproof.compare import Baseline, change_figures, diff_scores, run_figures
from foldproof.core import Problem
from foldproof.logs import MemoryItem
from foldproof.matching import Fact
from foldproof.record import Trial, TrialError
from foldproof.report import (
    DemoDocument,
    DoctorDocument,
    FilesDocument,
    Finding,
    MatchDocument,
    baseline_document,
    compare_document,
    compared_run,
    lint_document,
    render_baseline,
    render_check,
    render_compare,
    render_demo,
    render_doctor,
    render_explain,
    render_files,
    render_lint,
    render_match,
    render_run,
    run_info,
)
from foldproof.score import score_run

PLAIN = {"width": 100, "colour": False}


def test_check_pass(check, snapshot):
    assert render_check(check({}), **PLAIN) == snapshot


def test_check_blocked(blocked_check, snapshot):
    assert render_check(blocked_check, **PLAIN) == snapshot


def test_check_blocked_on_a_narrow_screen(blocked_check, snapshot):
    assert render_check(blocked_check, width=60, colour=False) == snapshot


def test_check_blocked_on_a_very_narrow_screen(blocked_check, snapshot):
    assert render_check(blocked_check, width=40, colour=False) == snapshot


def test_check_with_details(blocked_check, snapshot):
    assert render_check(blocked_check, width=160, colour=False, details=True) == snapshot


def test_check_inconclusive_with_errors(broken_check, snapshot):
    assert render_check(broken_check, **PLAIN) == snapshot


def test_check_that_does_not_reproduce_says_so_first(check, snapshot):
    text = render_check(check({"allergy": ["Take what you like."]}, before={"allergy": ["Any."]}), **PLAIN)
    assert text == snapshot
    assert text.index("the baseline does not reproduce") < text.index("gate")


def test_check_opens_with_what_differs_beside_the_memory(check, snapshot):
    text = render_check(check({}, beside=("model.name: small -> large",), vacuous=("holiday",)), **PLAIN)
    assert text.startswith("more than the memory differs:\n  model.name: small -> large\n\npass.")
    assert text == snapshot


def test_check_names_an_owner_where_one_is_known(blocked_check):
    case = blocked_check.cases[0]
    facts = [case.facts[0].model_copy(update={"owner": "retrieve", "why": "rank 14, k = 8"})]
    cases = [case.model_copy(update={"facts": facts}), *blocked_check.cases[1:]]
    document = blocked_check.model_copy(update={"cases": cases, "owners": {"retrieve": 1, "unknown": 2}})
    text = render_check(document, **PLAIN)
    assert "who lost them: retrieve 1, unknown 2" in text
    assert "kept -> lost at retrieve (rank 14, k = 8)   3 of 3 trials" in text
    assert "at unknown" not in text
    long = [facts[0].model_copy(update={"why": "a reason that is too long to stand beside the owner in one line " * 2})]
    told = [case.model_copy(update={"facts": long})]
    shown = render_check(document.model_copy(update={"cases": told}), width=200, colour=False, details=True)
    assert "lost at retrieve   3 of 3" in shown
    assert "a reason that is too long" in shown


def test_check_points_at_the_run_before_where_the_error_was_there(check):
    refused = TrialError("timeout", "no answer in 120 s")
    assert render_check(check({}, before={"holiday": [refused]}), **PLAIN).endswith(
        "see: foldproof explain 0141 holiday\n"
    )


def test_run(run, snapshot):
    refused = TrialError("timeout", "no answer in 120 s")
    document = run(
        {"allergy": ["Take any.", "NSAIDs are to be avoided."], "holiday": ["Rome"], "old-address": [refused]}
    )
    assert render_run(document, **PLAIN) == snapshot


def test_run_that_passes(run, snapshot):
    assert render_run(run({"holiday": ["Madeira"]}), **PLAIN) == snapshot


def test_run_with_details_shows_every_answer(run, snapshot):
    assert render_run(run({}), width=80, colour=False, details=True) == snapshot


def test_compare(snapshot, replay_set, a_run, trials):
    answers = [
        {},
        {"late-refund": ["none", "none"], "holiday": ["Madeira"]},
        {"allergy": [TrialError("agent", "broke")]},
    ]
    right = {"late-refund": ["DE89 3704 0044 0532 0130 00"] * 2, "allergy": ["NSAIDs"] * 2, "holiday": ["Rome"]}
    scored = [score_run(replay_set().cases[:2] + replay_set().cases[5:], trials({**right, **part})) for part in answers]
    columns = []
    for number, scores in enumerate(scored):
        changes = diff_scores(scored[0], scores)
        column = compared_run(
            run_info(a_run(f"config-{number}", 141 + number)),
            scores,
            figures=replace(run_figures(scores), pass_hat=(0.75, 0.5)) if number == 0 else run_figures(scores),
            changes=changes,
            against=change_figures(changes, dict.fromkeys(["late-refund", "allergy"], "acme")),
        )
        columns.append((column, scores))
    document = compare_document(replay_set(), columns)
    assert render_compare(document, **PLAIN) == snapshot
    assert render_compare(document, width=60, colour=False) == snapshot(name="narrow")


def test_explain(explain, full_trial, snapshot):
    document = explain(
        full_trial, written=("Billing runs on Postgres 15.", "Tea."), kept=("Billing runs on a database.",)
    )
    assert render_explain(document, **PLAIN) == snapshot
    assert render_explain(document, width=60, colour=False) == snapshot(name="narrow")


def test_explain_says_what_could_not_be_seen(explain, snapshot):
    text = render_explain(explain(Trial("billing-db", 0, "Use Postgres 15.")), **PLAIN)
    assert text.count("not seen") == 5
    assert "[[Postgres 15]]" in text
    assert text == snapshot


def test_explain_of_an_error_shows_the_end_of_its_traceback(explain, snapshot):
    traceback = "Traceback (most recent call last):\n" + "".join(f"  line {n}\n" for n in range(30)) + "KeyError: 'k'"
    trial = Trial("billing-db", 0, error=TrialError("agent", "KeyError: 'k'", "KeyError", traceback), log="a\n" * 40)
    text = render_explain(explain(trial), **PLAIN)
    assert "[... 24 lines left out ...]" in text
    assert text == snapshot
    assert "line 3\n" in render_explain(explain(trial), details=True, **PLAIN)


def test_explain_shortens_long_texts_and_says_by_how_much(explain):
    trial = Trial("billing-db", 0, "a " * 3000 + "Postgres 15" + " z" * 3000)
    text = render_explain(explain(trial), **PLAIN)
    assert "[[Postgres 15]]" in text
    assert text.count("characters left out") == 2
    assert len(text) < 3000
    whole = render_explain(explain(trial), details=True, **PLAIN)
    assert "left out" not in whole
    assert whole.count("z") >= 3000


def test_baseline(replay_set, trials, snapshot):
    cases = replay_set().cases[:3]
    baseline = Baseline(
        "support-agent", "ab" * 32, "production", "c", {}, "0141", (), {case.id: case.case_class for case in cases},
        {}, {},
    )  # fmt: skip
    old, new = (
        {"allergy": ["NSAIDs"], "late-refund": ["?"]},
        {"allergy": ["any"], "late-refund": ["?"], "vip-discount": ["gold"]},
    )
    changes = diff_scores(score_run(cases[:2], trials(old)), score_run(cases, trials(new)))
    document = baseline_document(
        baseline, replay_set(), file="baseline.json", accepted=False, changes=changes, noise=("allergy",),
        warnings=("temperature is 0.7: answers will differ from run to run; 0 is steadier",), replaces="0099",
    )  # fmt: skip
    assert render_baseline(document, **PLAIN) == snapshot
    accepted = document.model_copy(update={"accepted": True, "vacuous": ["late-refund"]})
    assert render_baseline(accepted, **PLAIN).startswith("accepted. baseline.json: production, run 0141\n")


def test_lint(replay_set, snapshot):
    problems = (
        Problem("replay.yaml", 31, "the gate counts 5 cases", "10 to 30 show most", "warning", "set-size"),
        Problem(
            "replay.yaml",
            14,
            "case 'x' has an unknown field `expect_facts`",
            "did you mean `expected_facts`?",
            rule="unknown-field",
        ),
        Problem("replay.yaml", 0, "the file is odd"),
    )
    assert render_lint(lint_document(problems, replay_set()), **PLAIN) == snapshot
    assert (
        render_lint(lint_document((), replay_set()), **PLAIN)
        == "ok. nothing is wrong in support-agent, 6 cases, 5b1f5b1f5b1f\n"
    )


def test_doctor(snapshot):
    findings = [
        Finding(name="project", ok=True, detail="foldproof.yaml"),
        Finding(name="model", ok=False, detail="http://localhost:11434 refuses", remedy="start it\nor set `base_url`"),
        Finding(name="git", ok=None, detail="not found"),
    ]
    assert render_doctor(DoctorDocument(ok=False, findings=findings), **PLAIN) == snapshot
    assert render_doctor(DoctorDocument(ok=True, findings=findings[:1]), **PLAIN).endswith(
        "everything that is needed is there\n"
    )


def test_match(snapshot):
    held = MatchDocument(fact="gold", text="You are gold.", outcome="held", spans=[(8, 12)], reason="it stands there")
    missed = MatchDocument(fact="gold", text="You are old.", outcome="missed", spans=[], nearest="old")
    assert render_match(held, **PLAIN) == snapshot
    assert render_match(missed, **PLAIN) == snapshot(name="missed")


def test_files(snapshot):
    document = FilesDocument(
        command="init", written=["foldproof.yaml", "replay.yaml"], notes=["kept .env"], next=["foldproof demo"]
    )
    assert render_files(document, **PLAIN) == snapshot
    assert render_files(FilesDocument(command="init", written=[]), **PLAIN) == "nothing was written\n"


def test_demo(check, blocked_check, snapshot):
    document = DemoDocument(
        folder="/tmp/demo", checks=[check({}), blocked_check], next=["cd /tmp/demo", "foldproof check window"]
    )
    assert render_demo(document, width=80, colour=False) == snapshot


HOSTILE = (
    "\x1b[31mred\x1b[0m \x1b]0;title\x07 \x1b]8;;http://x\x1b\\link\x1b]8;;\x1b\\ \x9b2J \x1b[2J\x1bc"
    " [bold]not bold[/bold] [/] :smile: \x00\x08\x7f \u202eover\u202c \u2066i\u2069 a\rb \x1b]unterminated"
)
STEERING = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")


def hostile_documents(check, run, explain, replay_set):
    case = Case(HOSTILE, HOSTILE, "identity", (Fact("normalized", f"iban {HOSTILE}"),))
    hostile_set = replay_set(name=HOSTILE, cases=(case,), sha256=HOSTILE)
    answers = {HOSTILE: [HOSTILE, HOSTILE]}
    item = MemoryItem(HOSTILE, HOSTILE, HOSTILE, 1, 0.5)
    trial = Trial(
        "billing-db", 0, f"Postgres 15 {HOSTILE}", memory_reads=(item,), prompt=HOSTILE, notes=(HOSTILE,), log=HOSTILE
    )
    error = Trial("billing-db", 1, error=TrialError("agent", HOSTILE, HOSTILE, HOSTILE))
    problem = Problem(HOSTILE, 1, HOSTILE, HOSTILE, "error", HOSTILE)
    yield render_check, check(answers, before=answers, accepted=answers, replay_set=hostile_set, beside=(HOSTILE,))
    yield render_check, check({HOSTILE: [TrialError("agent", HOSTILE)]}, replay_set=hostile_set)
    yield render_run, run(answers, replay_set=hostile_set)
    yield render_explain, explain(trial, error, written=(HOSTILE,), kept=(f"Postgres 15 {HOSTILE}",))
    yield render_lint, lint_document([problem], hostile_set)
    yield (
        render_match,
        MatchDocument(fact=HOSTILE, text=HOSTILE, outcome="held", spans=[(1, 4)], reason=HOSTILE, nearest=HOSTILE),
    )
    yield render_files, FilesDocument(command=HOSTILE, written=[HOSTILE], notes=[HOSTILE], next=[HOSTILE])
    yield (
        render_doctor,
        DoctorDocument(ok=False, findings=[Finding(name=HOSTILE, ok=False, detail=HOSTILE, remedy=HOSTILE)]),
    )


@pytest.mark.parametrize("details", [False, True])
def test_data_cannot_steer_the_terminal(check, run, explain, replay_set, details):
    for render, document in hostile_documents(check, run, explain, replay_set):
        for width in (40, 100):
            text = render(document, width=width, colour=False, details=details)
            assert not STEERING.search(text)
            assert "[bold]" in re.sub(r"\s", "", text)
            assert "title" not in text


def test_colour_adds_colours_and_nothing_else(blocked_check, explain, full_trial):
    for render, document in ((render_check, blocked_check), (render_explain, explain(full_trial))):
        coloured = render(document, width=100, colour=True)
        plain = re.sub(r"\x1b\[[0-9;]*m", "", coloured)
        assert "\x1b[" in coloured
        assert "\x1b" not in plain
        assert plain == render(document, width=100, colour=False).replace("[[", "").replace("]]", "")


@pytest.mark.parametrize("variable", ["NO_COLOR", "FORCE_COLOR", "TTY_COMPATIBLE", "COLUMNS"])
@pytest.mark.parametrize("colour", [False, True])
def test_the_environment_changes_nothing(blocked_check, monkeypatch, variable, colour):
    before = render_check(blocked_check, width=100, colour=colour)
    monkeypatch.setenv(variable, "1")
    monkeypatch.setenv("TERM", "dumb")
    assert render_check(blocked_check, width=100, colour=colour) == before


@pytest.mark.parametrize("width", [40, 60, 100, 160])
def test_no_line_is_wider_than_the_screen_and_no_fact_is_cut(check, replay_set, width):
    fact = "the flat in the Rua das Flores, " * 10 + "x" * 300
    case = Case("long", "Where?", "identity", (Fact("normalized", fact),))
    document = check(
        {"long": ["no"]}, before={"long": [fact]}, accepted={"long": [fact]}, replay_set=replay_set(cases=(case,))
    )
    text = render_check(document, width=width, colour=False)
    assert max(map(len, text.splitlines())) <= width
    squeezed = re.sub(r"\s", "", text)
    assert re.sub(r"\s", "", fact[:60]) in squeezed
    assert squeezed.count("x" * 10) >= 30 or squeezed.count("x") >= 300


def test_wide_letters_keep_the_columns_straight(check, replay_set):
    cases = tuple(
        Case(f"c{n}", "?", "identity", (Fact("normalized", fact),)) for n, fact in enumerate(("蓝屏咖啡", "cafe"))
    )
    answers = {case.id: [case.expected[0].text] for case in cases}
    lost = {case.id: ["no"] for case in cases}
    document = check(lost, before=answers, accepted=answers, replay_set=replay_set(cases=cases))
    rows = [line for line in render_check(document, **PLAIN).splitlines() if "kept -> lost" in line]
    assert rows[0].index("kept") + 4 == rows[1].index("kept")


def test_words_of_our_own_are_ascii(blocked_check, broken_check, run, explain, full_trial):
    for text in (
        render_check(blocked_check, width=80, colour=False),
        render_check(broken_check, width=80, colour=False, details=True),
        render_run(run({"holiday": ["a"]}), width=80, colour=False, details=True),
        render_explain(explain(full_trial), width=80, colour=False),
    ):
        assert text.isascii()
