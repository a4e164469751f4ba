"""`foldproof judge`: pin, calibrate, reconcile."""

from __future__ import annotations

import hashlib
import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

from foldproof.cli.main import run
from foldproof.demo import write_showcase
from foldproof.record import Claim
from foldproof.testing import ModelRequest, ScriptedModel, claim_asked, judged_by

from .judged_project import NAME, judge, judged_project, sound, write_labels

Cli = Callable[..., Any]
NEW = "better-2026-02-02"
SEAT = "reserves a seat by the window"
FAITH = "says which day of the week invoices go out"
ROOM = "asks for a room away from the lift"


@pytest.fixture
def going(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "project"
    folder.mkdir()
    monkeypatch.chdir(folder)
    return folder


# --- pin


SET = """\
# a comment that stays
foldproof: 1
judge:
  model: {name}      # dated
  prompt: judges/own.md
cases:
- {{id: a, question: q, expected_facts: [{{judged: is kind}}]}}   # kept
"""


def test_pin_writes_the_hash_and_leaves_the_rest_as_it_was(going: Path, cli: Cli):
    (going / "replay.yaml").write_text(SET.format(name=NAME), "utf-8")
    (going / "judges").mkdir()
    (going / "judges" / "own.md").write_text("Judge.\n", "utf-8")
    digest = hashlib.sha256(b"Judge.\n").hexdigest()
    result = cli("judge", "pin", "--set", "replay.yaml", "--json")
    assert result.code == 0, result.err
    document = result.document
    assert (document["judge"]["prompt_sha256"], document["written"]) == (digest, ["replay.yaml"])
    assert document["judge"]["parameters"] == {"temperature": 0, "seed": 7}
    text = (going / "replay.yaml").read_text("utf-8")
    assert text == SET.format(name=NAME).replace("judges/own.md\n", f'judges/own.md\n  sha256: "{digest}"\n')
    again = cli("judge", "pin", "--set", "replay.yaml")
    assert "says so already; nothing was written" in again.out
    (going / "judges" / "own.md").write_text("Judge mildly.\n", "utf-8")
    broken = cli("lint", "--set", "replay.yaml")
    assert broken.code == 4
    assert "is not the pinned one" in broken.out
    assert cli("judge", "pin", "--set", "replay.yaml").code == 0, "no baseline holds verdicts of the other one"
    assert cli("lint", "--set", "replay.yaml").code == 0


def test_pin_names_a_judge_where_there_is_none_and_writes_the_prompt(going: Path, cli: Cli):
    cases = "cases:\n- {id: a, question: q, expected_facts: [{judged: is kind}]}\n"
    (going / "replay.yaml").write_text(cases, "utf-8")
    nobody = cli("judge", "pin", "--set", "replay.yaml")
    assert nobody.code == 4
    assert "names no judge" in nobody.err
    assert cli("lint", "--set", "replay.yaml").code == 4
    alias = cli("judge", "pin", "--set", "replay.yaml", "--model", "gpt-latest")
    assert alias.code == 4
    assert "is an alias" in alias.err
    assert not (going / "judges").exists()
    outside = cli("judge", "pin", "--set", "replay.yaml", "--model", NAME, "--prompt", "../fact.md")
    assert (outside.code, "stands outside the folder of the set" in outside.err) == (4, True)
    assert not (going.parent / "fact.md").exists()
    result = cli("judge", "pin", "--set", "replay.yaml", "--model", NAME)
    assert result.code == 0, result.err
    assert "wrote judges/fact.md" in result.out
    head = yaml.safe_load((going / "replay.yaml").read_text("utf-8"))["judge"]
    written = (going / "judges" / "fact.md").read_bytes()
    assert head == {"model": NAME, "prompt": "judges/fact.md", "sha256": hashlib.sha256(written).hexdigest()}
    assert cli("lint", "--set", "replay.yaml").code == 0


def test_pin_does_not_change_a_judge_whose_verdicts_were_accepted(going: Path, cli: Cli):
    with judge() as model:
        judged_project(going, model)
        assert cli("run", "production").code == cli("baseline", "accept").code == 0
        before = (going / "replay.json").read_text("utf-8")
        refused = cli("judge", "pin", "--model", NEW)
        assert refused.code == 4
        assert "holds the verdicts of another judge" in refused.err
        assert f"foldproof judge reconcile {NEW}" in refused.err
        assert (going / "replay.json").read_text("utf-8") == before
        assert cli("judge", "pin").code == 0, "the same judge is pinned"


@pytest.mark.parametrize("written", ["judge: [a]", "judge: {model: 5}", "judge: text"])
def test_pin_tells_a_judge_that_cannot_be_read(going: Path, cli: Cli, written: str):
    (going / "replay.yaml").write_text(f"{written}\ncases:\n- {{id: a, question: q, expected_facts: [x1]}}\n", "utf-8")
    result = cli("judge", "pin", "--set", "replay.yaml", "--model", NAME)
    assert result.code in {0, 4}
    assert "internal error" not in result.err
    if written != "judge: {model: 5}":
        assert "replay.yaml:1: `judge` cannot be read" in result.err


# --- calibrate


@pytest.fixture
def labelled(going: Path) -> Any:
    with judge(by_the_day) as model:
        judged_project(going, model)
        yield going, model


def by_the_day(claim: Claim) -> Any:
    """Right on labels as on all else, but that every Monday counts."""
    return ("met", "On Monday") if claim.answer.startswith("On Monday") else sound(claim)


def test_a_judge_is_measured_and_the_result_is_kept(labelled: Any, cli: Cli):
    folder, model = labelled
    write_labels(folder, 40, wrong=10)
    result = cli("judge", "calibrate", "labels.jsonl", "--json")
    assert result.code == 0
    document = result.document
    assert document["conclusive"] is True
    assert document["true_positives"]["hits"] == document["true_positives"]["of"] == 40
    assert (document["true_negatives"]["hits"], document["true_negatives"]["of"]) == (30, 40)
    assert round(document["youden"], 2) == 0.75
    assert round(document["kappa"]["value"], 2) == 0.75
    assert document["counts"] == {"met": {"met": 40}, "not met": {"met": 10, "not met": 30}}
    assert (document["controls"]["wrong_passed"], document["controls"]["wrong"]) == (0, 12)
    assert document["prevalence"]["reason"] == "there are no answers"
    asked = len(model.requests)
    text = cli("judge", "calibrate", "labels.jsonl").out
    assert len(model.requests) == asked, "what was judged once is not asked again"
    assert "0.75 (0.59 to 0.87)" in text
    assert "30 of 40" in text
    ran = cli("run", "production")
    assert "never measured" not in ran.out
    assert cli("baseline", "accept").code == 0
    corrected = cli("judge", "calibrate", "labels.jsonl", "--json").document["prevalence"]
    assert (corrected["passed"], corrected["of"], corrected["share"]) == (4, 4, 1.0)
    assert corrected["clamped"] is False
    assert 0 < corrected["low"] < 1


def test_too_few_labels_are_inconclusive_and_told_in_reports(labelled: Any, cli: Cli):
    folder, _ = labelled
    write_labels(folder, 29)
    result = cli("judge", "calibrate", "labels.jsonl", "--json")
    assert result.code == 7
    [reason] = result.document["reasons"]
    assert reason.startswith("there are too few labels: 29 labelled `met` and 29 labelled `not met` have a verdict,")
    ran = cli("run", "production")
    assert ran.code == 0
    assert "calibration is inconclusive: there are too few labels" in " ".join(ran.out.split())


def test_a_judge_that_cannot_tell_labels_apart_may_not_gate(labelled: Any, cli: Cli):
    folder, _ = labelled
    write_labels(folder, 40, wrong=38)
    result = cli("judge", "calibrate", "labels.jsonl", "--json")
    assert result.code == 7
    assert "Youden's J is 0.05, below 0.1" in result.document["reasons"][0]
    ran = cli("run", "production", "--json")
    assert ran.code == 7
    assert "may not gate: the judge hardly tells right from wrong" in " ".join(ran.document["reasons"])


def test_a_measurement_that_says_nothing_does_not_undo_one_that_does(labelled: Any, cli: Cli):
    folder, _ = labelled
    write_labels(folder, 40, wrong=38)
    assert cli("judge", "calibrate", "labels.jsonl").code == 7
    write_labels(folder, 2)
    assert cli("judge", "calibrate", "labels.jsonl").code == 7
    assert "may not gate: the judge hardly tells right from wrong" in cli("run", "production", "--json").out
    write_labels(folder, 40)
    assert cli("judge", "calibrate", "labels.jsonl").code == 0
    assert "may not gate" not in cli("run", "production", "--json").out


def test_what_the_judge_cannot_tell_and_where_it_fails_is_counted_beside(going: Path, cli: Cli):
    def unsure(request: ModelRequest) -> Any:
        claim = claim_asked(request)
        if claim.answer == "On Monday, at 0.":
            return "No idea."
        return judged_by(lambda _: "cannot tell" if claim.answer == "On Monday, at 1." else by_the_day(claim))(request)

    with ScriptedModel(unsure) as model:
        judged_project(going, model)
        write_labels(going, 32)
        document = cli("judge", "calibrate", "labels.jsonl", "--json").document
    assert document["counts"]["met"] == {"cannot tell": 1, "failed": 1, "met": 30}
    assert document["true_positives"]["of"] == 30
    assert document["conclusive"] is True
    assert "gave no verdict: 'No idea.'" in document["first_error"]


def test_labels_that_cannot_be_used_are_told_before_anything_is_asked(labelled: Any, cli: Cli):
    folder, model = labelled
    (folder / "l.jsonl").write_text('{"fact": "f", "answer": "a", "label": "mett"}\n{\n', "utf-8")
    result = cli("judge", "calibrate", "l.jsonl")
    assert result.code == 4
    assert "l.jsonl:1: the label is 'mett'" in result.err
    assert "l.jsonl:2: the line is no JSON" in result.err
    assert model.requests == []


def test_labels_of_a_csv_are_read_as_those_of_lines(labelled: Any, cli: Cli):
    folder, _ = labelled
    (folder / "l.csv").write_text('\ufeffquestion,fact,answer,label\n,f,"a, b\nc",Not_Met\nq,f,a,met\n', "utf-8")
    document = cli("judge", "calibrate", "l.csv", "--json").document
    assert document["labels"] == 2
    assert cli("judge", "calibrate", "nowhere.csv").code == 4


def test_a_set_without_a_judge_has_none_to_measure(going: Path, cli: Cli):
    (going / "replay.yaml").write_text("cases:\n- {id: a, question: q, expected_facts: [x1]}\n", "utf-8")
    write_labels(going, 1)
    result = cli("judge", "calibrate", "labels.jsonl", "--set", "replay.yaml")
    assert result.code == 4
    assert "names no judge" in result.err


# --- reconcile


def demo_with_a_judge(folder: Path, url: str) -> None:
    """Give three cases of the demo a judged fact, and the set a judge."""
    replay = folder / "replay.yaml"
    text = replay.read_text("utf-8")
    for fact, told in {"[PDF, first Monday]": FAITH, "[window seat, quiet coach]": SEAT}.items():
        assert fact in text
        text = text.replace(fact, f"{fact[:-1]}, {{judged: {told}}}]")
    text = text.replace("name: demo\n", f"name: demo\njudge: {{model: {NAME}, prompt: judges/fact.md}}\n")
    replay.write_text(text, "utf-8")
    project = folder / "foldproof.yaml"
    project.write_text(f"{project.read_text('utf-8')}judge: {{base_url: '{url}'}}\n", "utf-8")


def of_the_demo(*, seat: Any, invoices: Any) -> Callable[[Claim], Any]:
    """A judge that is sound on controls, and says of the demo's answers what it is told to."""

    def decide(claim: Claim) -> Any:
        if claim.answer.startswith("That is an easy one"):
            return "met" if claim.fact in claim.answer else "not met"
        if "window seat" in claim.answer and claim.fact == SEAT:
            return seat
        return invoices if "first Monday" in claim.answer and claim.fact == FAITH else "not met"

    return decide


MET = ("met", "window seat")
ON_MONDAY = ("met", "first Monday")


@pytest.fixture(scope="session")
def judged_demo(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The demo with judged facts whose verdicts were accepted; the judge that gave them is no longer there."""
    folder = tmp_path_factory.mktemp("judged") / "project"
    write_showcase(folder)
    with judge(of_the_demo(seat=MET, invoices=ON_MONDAY)) as model:
        demo_with_a_judge(folder, model.url)
        calls = (["judge", "pin"], ["run", "production"], ["baseline", "accept", "--yes"])
        with pytest.MonkeyPatch.context() as patch:
            patch.delenv("CI", raising=False)
            assert [run([*words, "--project", str(folder), "--json"]) for words in calls] == [0, 0, 0]
    return folder


@pytest.fixture
def reconciled(judged_demo: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "judged"
    shutil.copytree(judged_demo, folder)
    monkeypatch.chdir(folder)
    return folder


def test_only_the_planted_disagreements_are_listed_and_each_must_be_settled(reconciled: Path, cli: Cli):
    replay, baseline = reconciled / "replay.yaml", reconciled / "baselines" / "production.json"
    pinned, accepted = replay.read_text("utf-8"), baseline.read_text("utf-8")
    with judge(of_the_demo(seat="not met", invoices="not met")) as model:
        call = ("judge", "reconcile", NEW, "--base-url", model.url)
        first = cli(*call, "--json")
        assert first.code == 1
        document = first.document
        assert document["verdict"] == "blocked"
        found = {(row["case"], row["fact"]): row for row in document["disagreements"]}
        assert found.keys() == {("train-place", SEAT), ("invoice-rule", FAITH)}
        seat = found["train-place", SEAT]
        assert (seat["old"]["verdict"], seat["old"]["quotation"], seat["new"]["verdict"]) == (
            "met",
            "window seat",
            "not met",
        )
        assert "window seat" in seat["answer"]
        assert seat["question"].startswith("Where in the train")
        asked = len(model.requests)
        text = cli(*call).out
        for row in document["disagreements"]:
            assert f"{row['id']}   {row['case']}   not settled" in text
        assert len(model.requests) == asked

        half = cli(*call, "--settle", f"{seat['id']}=old", "--json")
        assert half.code == 1
        assert half.document["reasons"] == ["1 of 2 disagreements are not settled"]
        assert replay.read_text("utf-8") == pinned
        assert baseline.read_text("utf-8") == accepted
        settled = json.loads((reconciled / "judges" / "settled.json").read_text("utf-8"))
        assert [(one["case"], one["verdict"]) for one in settled["claims"]] == [("train-place", "met")]

        invoices = found["invoice-rule", FAITH]["id"]
        whole = cli(*call, "--settle", f"{invoices}=new", "--json")
        assert whole.code == 0
        assert whole.document["verdict"] == "accepted"
        assert {Path(path).name for path in whole.document["written"]} == {
            "settled.json", "replay.yaml", "production.json"
        }  # fmt: skip
        assert len(model.requests) == asked

        head = yaml.safe_load(replay.read_text("utf-8"))["judge"]
        assert (head["model"], head["prompt"]) == (NEW, "judges/fact.md")
        now = json.loads(baseline.read_text("utf-8"))
        cases = {case["id"]: case["trials"][0] for case in now["cases"]}
        assert now["judge"].startswith(NEW)
        assert cases["train-place"]["judged"] == [{"fact": SEAT, "verdict": "met", "quotation": "window seat"}]
        assert cases["invoice-rule"]["judged"] == [{"fact": FAITH, "verdict": "not met"}]
        assert (cases["train-place"]["verdict"], cases["invoice-rule"]["verdict"]) == ("pass", "fail")

        again = cli(*call)
        assert again.code == 4
        assert "the verdicts of this very judge" in again.err
        project = reconciled / "foldproof.yaml"
        kept = project.read_text("utf-8").rpartition("judge:")[0]
        project.write_text(f"{kept}judge: {{base_url: '{model.url}'}}\n", "utf-8")
        check = cli("check", "production", "--json").document
        changes = {case["id"]: case["change"] for case in check["cases"]}
        assert (changes["train-place"], changes["invoice-rule"]) == ("kept", "failing"), "what is settled counts"
        [fact] = [fact for case in check["cases"] if case["id"] == "train-place" for fact in case["facts"]
                  if "judged" in fact["fact"]]  # fmt: skip
        assert fact["after"] == "held"


def test_a_judge_that_says_the_same_is_accepted_at_once(reconciled: Path, cli: Cli):
    with judge(of_the_demo(seat=("met", "window seat"), invoices=ON_MONDAY)) as model:
        result = cli("judge", "reconcile", NEW, "--base-url", model.url, "--json")
    assert result.code == 0
    assert (result.document["disagreements"], result.document["agreed"]) == ([], 2)
    assert yaml.safe_load((reconciled / "replay.yaml").read_text("utf-8"))["judge"]["model"] == NEW


def test_a_judge_without_a_verdict_is_not_accepted(reconciled: Path, cli: Cli):
    def silent(request: ModelRequest) -> Any:
        claim = claim_asked(request)
        broken = "window seat" in claim.answer and claim.fact == SEAT
        return "…" if broken else judged_by(of_the_demo(seat=MET, invoices=ON_MONDAY))(request)

    before = (reconciled / "replay.yaml").read_text("utf-8")
    with ScriptedModel(silent) as model:
        result = cli("judge", "reconcile", NEW, "--base-url", model.url, "--json")
    assert result.code == 7
    assert result.document["verdict"] == "inconclusive"
    assert "no verdict on 1 accepted answers; the first: train-place" in result.document["reasons"][0]
    assert (reconciled / "replay.yaml").read_text("utf-8") == before


def test_a_judge_that_cannot_tell_is_settled_by_a_person_alone(reconciled: Path, cli: Cli):
    with judge(of_the_demo(seat="cannot tell", invoices=ON_MONDAY)) as model:
        call = ("judge", "reconcile", NEW, "--base-url", model.url)
        [row] = cli(*call, "--json").document["disagreements"]
        assert row["new"]["verdict"] == "cannot tell"
        refused = cli(*call, "--settle", f"{row['id']}=new")
        assert refused.code == 4
        assert "cannot tell, which decides nothing" in refused.err
        assert cli(*call, "--settle", f"{row['id']}=not-met").code == 0
    trial = json.loads((reconciled / "baselines" / "production.json").read_text("utf-8"))
    case = next(case for case in trial["cases"] if case["id"] == "train-place")
    assert case["trials"][0]["judged"] == [{"fact": SEAT, "verdict": "not met"}]


def test_a_judge_that_passes_everything_is_not_accepted(reconciled: Path, cli: Cli):
    with judge(lambda _: "met") as model:
        result = cli("judge", "reconcile", NEW, "--base-url", model.url, "--json")
    assert result.code == 7
    assert "may not gate" in result.document["reasons"][0]


@pytest.mark.parametrize(
    ("settle", "told"),
    [
        ("nope=old", "no disagreement 'nope'"),
        ("nope", "write the id of a disagreement"),
        ("{id}=odl", "did you mean `old`?"),
    ],
)
def test_a_decision_that_is_none_is_told(reconciled: Path, cli: Cli, settle: str, told: str):
    with judge(of_the_demo(seat="not met", invoices=ON_MONDAY)) as model:
        call = ("judge", "reconcile", NEW, "--base-url", model.url)
        [row] = cli(*call, "--json").document["disagreements"]
        result = cli(*call, "--settle", settle.format(id=row["id"]))
    assert result.code == 4
    assert told in result.err
    assert not (reconciled / "judges" / "settled.json").exists()


def test_nothing_is_settled_or_accepted_in_ci(reconciled: Path, cli: Cli, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("CI", "true")
    before = (reconciled / "replay.yaml").read_text("utf-8")
    with judge(of_the_demo(seat="not met", invoices=ON_MONDAY)) as model:
        call = ("judge", "reconcile", NEW, "--base-url", model.url)
        [row] = cli(*call, "--json").document["disagreements"]
        refused = cli(*call, "--settle", f"{row['id']}=old")
        assert refused.code == 4
        assert "a judge is not accepted in CI" in refused.err
    with judge(of_the_demo(seat=MET, invoices=ON_MONDAY)) as model:
        assert cli("judge", "reconcile", "same-2026-03-03", "--base-url", model.url).code == 4
    assert (reconciled / "replay.yaml").read_text("utf-8") == before
    assert not (reconciled / "judges" / "settled.json").exists()


def test_settled_claims_that_were_torn_are_told(reconciled: Path, cli: Cli):
    place = reconciled / "judges" / "settled.json"
    for text, told in {
        "{": "are not JSON",
        '{"foldproof": 2}': "written by a newer foldproof",
        '{"foldproof": 1, "claims": [{}]}': "are damaged at `claims.0.id`",
    }.items():
        place.write_text(text, "utf-8")
        result = cli("rescore", "production")
        assert result.code == 4
        assert told in result.err
    side = {"judge": "j", "verdict": "met"}
    claim = {"id": "00000000", "case": "c", "question": "q", "fact": "f", "answer": ["a"], "verdict": "met"}
    place.write_text(json.dumps({"foldproof": 1, "claims": [{**claim, "old": side, "new": side}]}), "utf-8")
    result = cli("rescore", "production")
    assert "claim '00000000' was changed" in result.err


def test_what_cannot_be_reconciled_is_told(going: Path, cli: Cli):
    with judge() as model:
        judged_project(going, model)
        assert "no baseline was accepted yet" in cli("judge", "reconcile", NEW).err
        assert cli("run", "production").code == cli("baseline", "accept").code == 0
        alias = cli("judge", "reconcile", "gpt-latest")
        assert alias.code == 4
        assert "is an alias" in alias.err
        assert (
            "'judges/none.md': the file does not exist"
            in cli("judge", "reconcile", NEW, "--prompt", "judges/none.md").err
        )
        replay = json.loads((going / "replay.json").read_text("utf-8"))
        replay["cases"][0]["question"] = "Which day?"
        (going / "replay.json").write_text(json.dumps(replay), "utf-8")
        changed = cli("judge", "reconcile", NEW)
        assert changed.code == 4
        assert "1 accepted cases have changed or are gone since: db" in changed.err


def test_a_baseline_without_judged_facts_has_nothing_to_reconcile(demo_project: Path, cli: Cli):
    result = cli("judge", "reconcile", NEW)
    assert result.code == 4
    assert "holds no verdict of a judge" in result.err
