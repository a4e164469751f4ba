from __future__ import annotations

import json
import re
from importlib.resources import files
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

from foldproof.cases import Case, JudgePin, LogEntry
from foldproof.cases.coverage import cover_traffic
from foldproof.cliff import Document, Label, LabelledLine, Labels, Probe, Round, Sitting, agreements, line_hash
from foldproof.cliff.gate import demands_of
from foldproof.cliff.probing import planned_probes
from foldproof.cliff.result import result_of
from foldproof.cliff.scoring import score_rounds
from foldproof.compare import Baseline, Chosen, RunVerdict, Triaged, change_figures, run_figures
from foldproof.compare.calibration import measure_judge
from foldproof.compare.gate import ClassGate
from foldproof.compare.judge_controls import ControlVerdict, control_rates
from foldproof.compare.settled import Said
from foldproof.core import Problem
from foldproof.logs import FORMATS
from foldproof.logs.mining import Mined, Question
from foldproof.logs.traffic import AskedQuestion, Traffic
from foldproof.matching import Fact
from foldproof.record import Claim, JudgeIdentity, Trial
from foldproof.report import (
    DOCUMENTS,
    AskedBy,
    CoverageSet,
    CutDocument,
    DemoDocument,
    DoctorDocument,
    ErrorDocument,
    FilesDocument,
    Finding,
    ImportDocument,
    MatchDocument,
    PlanDocument,
    agreement_document,
    baseline_document,
    calibration_document,
    cliff_document,
    compare_document,
    compared_run,
    coverage_document,
    disagreement_row,
    document_schema,
    json_text,
    labelling_document,
    lint_document,
    mine_document,
    pin_document,
    reconciliation_document,
    run_info,
    triage_document,
    write_schemas,
)
from foldproof.report.cuts import PointEntry
from foldproof.report.explained import RunInfo
from foldproof.report.grades import grade_document
from foldproof.report.holdout import (
    HoldoutDocument,
    HoldoutLogDocument,
    holdout_classes,
    holdout_entries,
    holdout_reasons,
)
from foldproof.report.machine import schema_file
from foldproof.score import score_run
from foldproof.score.divergence import Divergence
from foldproof.score.grades import Failure, Ruling, SessionGrade
from foldproof.score.signs import Sign


def mined_document():
    asked = Question("Which port?", "ada", "s1", "2026-01-02", "port", 2, 1)
    counts = {"lines": 9, "said": 8, "found": 5, "exact": 1, "distinct": 4, "compared": 4, "near": 2}
    found = Mined(FORMATS.get("openai"), "named", quick=True, questions=(asked,), users=1, topics={"port": 1}, broken=1,
                  dropped={"greeting": 3}, problems=[("a", 1, "cut")], notes=["n"], **counts)  # fmt: skip
    return mine_document(found, notes=["k"], following=["x"])


LABELS = Labels((Label("é", "0" * 64, "safety", by=(("ana", "safety"), ("ben", "none"))),), file="l.yaml")


def agreed_document():
    lines = {label.at: (3, "Nëver.") for label in LABELS.labels}
    return agreement_document(LABELS, agreements(LABELS), lines=lines, following=["x"])


RULE = LabelledLine(
    "é", 1, line_hash("Nëver push."), "Nëver push.", "safety", ("push",), Probe("Now?", ("a", "b"), "b")
)


def drawn_document():
    text = Document("é", "Nëver push.\nThe limit is 5.")
    asked = {"schedule": "progressive", "ratio": 0.5, "budget": 4, "given_tokens": 7}
    rounds = [
        Round("head", "é", number=1, text="Nëver push.", kept_tokens=3, **asked),
        Round("copy", "é", number=1, text=text.text, kept_tokens=7, state="copy", unsafe="x", **asked),
        Round("down", "é", number=1, state="error", error="nö", **asked),
    ]
    planned = planned_probes([text], [RULE], rounds)
    answers = [
        one.answered(*(("undecided", "", "hm") if one.condition == "full" else ("chosen", "b"))) for one in planned
    ]
    scored = list(score_rounds(rounds, [text], [RULE]))
    demands = demands_of(["safety=all@1"], {"safety": 1}, rounds=1)
    result = result_of(scored, [text], [RULE], demands=demands, answers=answers, notes=["n"])
    told = {"stopped": "s", "cost_usd": 0.5, "written": ["w"], "following": ["x"]}
    return cliff_document(result, corpus="texts", rounds=1, **told)


def covered_document():
    asked = AskedQuestion("Which pört?", {"pört": "pört"}, 2, frozenset({1}))
    counts = {"lines": 9, "said": 8, "timeless": 1, "earlier_found": 1, "earlier_drawn": 1}
    traffic = Traffic(FORMATS.get("openai"), "named", found=3, drawn=2, questions=(asked,), earlier=(asked,), broken=1,
                      problems=[("a", 1, "cut")], notes=["n"], since="2026-01-02", **counts)  # fmt: skip
    cases = [Case("port", "Which pört?"), Case("tea", "Which tea?"), Case("why", "Why?")]
    held = CoverageSet(name="n", path="p", sha256="s", cases=3)
    return coverage_document(cover_traffic(traffic, cases), traffic, replay_set=held, notes=["k"], following=["x"])


@pytest.mark.parametrize("name", sorted(DOCUMENTS))
def test_the_shipped_schema_is_that_of_the_document(name):
    shipped = json.loads((files("foldproof") / "schemas" / f"{name}-1.schema.json").read_text("utf-8"))
    assert shipped == document_schema(name), "run foldproof.report.write_schemas on the folder `schemas`"
    Draft202012Validator.check_schema(shipped)


def test_schemas_are_written_under_their_names(tmp_path):
    written = write_schemas(tmp_path)
    assert [path.name for path in written] == [f"{name}-1.schema.json" for name in sorted(DOCUMENTS)]
    assert schema_file("check") == "check-1.schema.json"
    assert written[0].read_bytes() == (files("foldproof") / "schemas" / written[0].name).read_bytes()


IMPORTED = {
    "format": "codex", "title": "Codex rollouts", "told_by": "named", "written": ["a.jsonl"], "sessions": 1,
    "users": {"": 1}, "turns": {"user": 1}, "aside": {}, "tool_calls": 0, "unanswered": 0, "memory_reads": 0,
    "memory_writes": 0, "folds": {}, "sidechains": 0, "abandoned": 0, "repeats": 0, "naive_times": 0,
    "without_time": 0, "broken": 1, "unknown": {},
    "broken_lines": [{"file": "a", "line": 2, "message": "cut"}],
}  # fmt: skip


JUDGE = JudgeIdentity("m-1", "ab" * 32, "p/1", {"seed": 7})


def calibrations():
    controls = control_rates([ControlVerdict("stated", "a", "f", "met"), ControlVerdict("vague", "a", "f", "met")])
    whole = measure_judge([("met", "met"), ("not met", "met"), ("not met", "failed")], [True])
    return [
        calibration_document(JUDGE, whole, controls=controls, asked=3, first_error="503"),
        calibration_document(JUDGE, measure_judge([], []), controls=None),
    ]


def reconciliations():
    sides = {"old": Said("o", "met", "q", "r"), "new": Said("n", "cannot tell")}
    rows = [disagreement_row("a", Claim("q", "f", "é"), **sides, settled=settled) for settled in (None, "met")]
    known = {"agreed": 2, "undecided": [], "controls": control_rates([])}
    documents = [
        reconciliation_document("o", JUDGE, rows=rows, accepted=False, **known),
        reconciliation_document("o", JUDGE, rows=rows[1:], accepted=True, **known),
        reconciliation_document("o", JUDGE, rows=[], accepted=False, **known),
    ]
    assert [document.verdict for document in documents] == ["blocked", "accepted", "inconclusive"]
    return documents


@pytest.fixture
def samples(blocked_check, broken_check, run, explain, full_trial, replay_set, a_run, trials):
    scores = score_run(replay_set().cases, trials({"allergy": ["NSAIDs"]}))
    column = compared_run(
        run_info(a_run("p", 1)), scores, figures=run_figures(scores), changes=(), against=change_figures((), {})
    )
    held = {"classes": {"allergy": "safety"}, "asked": {"allergy": "q"}, "contents": {"allergy": "c"}}
    baseline = Baseline("s", "a", "p", "c", {}, "0001", (), **held)
    return {
        "baseline": [baseline_document(baseline, replay_set(), file="b.json", accepted=True)],
        "check": [blocked_check, broken_check],
        "cliff": [drawn_document()],
        "compare": [compare_document(replay_set(), [(column, scores)]), compare_document(replay_set(), [])],
        "coverage": [covered_document()],
        "cut": [CutDocument(session="s", source="a.jsonl", points=[PointEntry(turn=1, text="hi", fault="no")])],
        "demo": [DemoDocument(folder="d", checks=[blocked_check], next=["x"])],
        "doctor": [DoctorDocument(ok=True, findings=[Finding(name="n", ok=None, detail="d")])],
        "error": [ErrorDocument(exit_code=4, kind="UsageError", message="m")],
        "explain": [explain(full_trial, written=("a",), kept=None), explain(Trial("billing-db", 0, "é"))],
        "files": [FilesDocument(command="init", written=["a"])],
        "grade": [grade([]), grade(graded())],
        "holdout": [holdout(scores), holdout({}, opening=3, most_openings=2, notes=["n"], errors={"agent": 2})],
        "holdout-log": [holdout_log()],
        "import": [ImportDocument.model_validate(IMPORTED)],
        "judge-calibration": calibrations(),
        "judge-pin": [pin_document(JudgePin("m-1", "p.md"), JUDGE, set_file="r.yaml", written=["r.yaml"])],
        "judge-reconciliation": reconciliations(),
        "label-agreement": [agreed_document()],
        "labelling": [labelling_document(Sitting(LABELS, (), "ana"), file="l", written="w", following=["x"])],
        "lint": [lint_document([Problem("f", 1, "m")]), lint_document([], replay_set())],
        "match": [MatchDocument(fact=Fact("normalized", "é").label, outcome="missed", spans=[])],
        "mine": [mined_document()],
        "plan": [PlanDocument(config="production", cases=2, trials=4)],
        "run": [run({}), run({"allergy": ["?"]}, stopped="x")],
        "triage": [triaged(replay_set()), triaged(replay_set(), "undecided")],
    }


def triaged(replay_set, *buckets):
    buckets = buckets or ("needs no memory", "keep", "canary", "backlog", "broken", "undecided")
    sorted_ = [
        Triaged(case.id, case.case_class, bucket, "é", "error" if bucket == "undecided" else None,
                "fold" if bucket == "backlog" else None)
        for case, bucket in zip(replay_set.cases, buckets, strict=False)
    ]  # fmt: skip
    chosen = [Chosen(one.id, one.bucket == "canary", "é") for one in sorted_ if one.bucket in {"keep", "canary"}]
    asked_by = {one.id: AskedBy("ada", "port", 2) for one in sorted_}
    runs = [RunInfo(config="p", run="0001")]
    told = {"config": "p", "chosen": chosen, "asked_by": asked_by, "runs": runs, "notes": ["n"]}
    return triage_document(replay_set, sorted_, **told)


def holdout(scores, **said):
    verdict = RunVerdict("blocked", ("billing-db fails",), (ClassGate("safety", 2, 1, 2, ok=False),))
    classes = holdout_classes(scores, verdict)
    told = {"opening": 1, "reasons": holdout_reasons(verdict, classes), **said}
    return HoldoutDocument(verdict="blocked", config="p", set_sha256="s", classes=classes, log="l", **told)


def holdout_log():
    entries = holdout_entries([LogEntry(1, "0", "judged", "é", "t", "c", {"config": "p", "verdict": "pass"})])
    return HoldoutLogDocument(ok=False, log="l", problems=["line 2 is gone"], entries=entries, openings=1)


def test_the_reasons_of_a_holdout_name_no_case():
    verdict = RunVerdict("blocked", ("billing-db: two users were not kept apart",), ())
    assert holdout_reasons(verdict, holdout_classes({}, verdict)) == ["the reason names cases: see it with --show"]
    assert holdout_reasons(RunVerdict("pass", ("billing-db passes",)), []) == []


def grade(grades):
    return grade_document(grades, format_name="openai", cut=lambda session, at: f"cut {session} {at}", notes=["n"])


def graded():
    sign = Sign("tool error", 2, 3, "Error: é")
    failure = Failure(2, "judge", 1, 1, label="call of `refund`", last_good="reply", quote="q", place="m2")
    search = Divergence(2, (1, 2), {1: "open", 2: "lost"}, ("d",))
    ruling = Ruling("not met", "judge", "q", "r")
    lost = SessionGrade("s1", 3, 2, 1, ruling, "ann", (sign,), 1, sign, search, failure, agrees=True, questions=3)
    return [lost, SessionGrade("s2", 1, 1, 0)]


@pytest.mark.parametrize("name", sorted(DOCUMENTS))
def test_documents_keep_to_their_schema(samples, name):
    for document in samples[name]:
        value = json.loads(json_text(document))
        Draft202012Validator(document_schema(name)).validate(value)
        assert value["schema"] == f"foldproof/{name}/1"
        assert DOCUMENTS[name].model_validate(value) == document


def test_a_schema_refuses_what_is_no_such_document(samples):
    value = json.loads(json_text(samples["check"][0]))
    value["verdict"] = "maybe"
    assert not Draft202012Validator(document_schema("check")).is_valid(value)


def test_json_keeps_letters_and_names(samples, explain):
    text = json_text(explain(Trial("billing-db", 0, "名")))
    assert "名" in text
    assert '\n  "class": "semantic"' in text
    assert text.endswith("}\n")


def test_the_docs_name_every_document():
    page = (Path(__file__).parents[3] / "docs" / "reports.md").read_text("utf-8")
    named = [(kind, file) for kind, file in re.findall(r"\| `(foldproof/[\w-]+/\d)` \|.*\| `([\w.-]+)` \|", page)]
    assert named == [(f"foldproof/{name}/1", f"{name}-1.schema.json") for name in sorted(DOCUMENTS)]
