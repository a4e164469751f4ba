"""Judged facts from the command line: a judge is asked, measured, pinned, and changed with open eyes."""

from __future__ import annotations

import json
import shutil
import socket
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from foldproof.record import Claim
from foldproof.record.store import Store
from foldproof.testing import ModelFailure, ModelRequest, ScriptedModel, claim_asked, judged_by

from .judged_project import CASES, NAME, judge, judged_project, sound, write_labels

Cli = Callable[..., Any]


@pytest.fixture
def going(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "project"
    folder.mkdir()
    monkeypatch.chdir(folder)
    return folder


@pytest.fixture
def accepted(going: Path, cli: Cli) -> Iterator[tuple[Path, ScriptedModel]]:
    """A project whose baseline is accepted, with its judge still there."""
    with judge() as model:
        judged_project(going, model)
        assert cli("judge", "pin").code == 0
        assert cli("run", "production").code == 0
        assert cli("baseline", "accept").code == 0
        yield going, model


def trials_of(document: dict[str, Any], case: str) -> list[dict[str, Any]]:
    return next(item["trials"] for item in document["cases"] if item["id"] == case)


def test_a_run_asks_the_judge_once_the_answers_are_in(going: Path, cli: Cli):
    with judge() as model:
        judged_project(going, model)
        result = cli("run", "production")
        asked = len(model.requests)
        again = cli("run", "production", "--json")
    assert result.code == 0, result.out
    # three facts with a stated, a vague, a wrong, a negated and a pleading answer each, then three claims
    assert asked == 18
    assert len(model.requests) == asked, "what was judged once is not asked again"
    assert "it lets 0 of 12 wrong answers pass" in " ".join(result.out.split())
    assert "never measured against labelled answers" in result.out
    part = again.document["judge"]
    assert part["judge"]["name"] == NAME
    assert (part["controls"]["wrong_passed"], part["controls"]["wrong"], part["calibrated"]) == (0, 12, False)
    fact = trials_of(again.document, "db")[0]["facts"][1]
    assert (fact["outcome"], fact["spans"]) == ("held", [[19, 66]])
    assert "“I would not put an ORM in front, it is too slow.”" in fact["reason"]


def test_a_lost_judged_fact_blocks_and_is_repeated_as_borderline(accepted: tuple[Path, ScriptedModel], cli: Cli):
    result = cli("check", "candidate", "--json")
    assert result.code == 1
    cases = {case["id"]: case for case in result.document["cases"]}
    assert {case["change"] for case in cases.values()} == {"lost"}
    assert result.document["judge"]["controls"]["may_gate"] is True
    [fact] = cases["day"]["facts"]
    assert (fact["before"], fact["after"], fact["owner"], fact["trials"]) == ("held", "missed", "unknown", 3)
    assert "the judge says not met" in fact["reason"]
    same = cli("check", "production", "--json")
    assert same.code == 0
    assert {case["trials"] for case in same.document["cases"]} == {3}, "a judged case is borderline"


def test_a_case_without_a_judged_fact_is_not_borderline_for_it(going: Path, cli: Cli):
    plain = {"id": "plain", "question": "Which day?", "memory_config": {"kind": "own"}, "expected_facts": ["Monday"]}
    with judge() as model:
        judged_project(going, model, cases=[*CASES, plain])
        assert cli("run", "production").code == cli("baseline", "accept").code == 0
        document = cli("check", "production", "--json").document
    assert {case["id"]: case["trials"] for case in document["cases"]} == {"db": 3, "day": 3, "plain": 1}


def test_an_answer_with_an_error_and_an_empty_one_are_not_judged(going: Path, cli: Cli):
    case = {"id": "who", "question": "Who calls?", "memory_config": {"kind": "own"},
            "expected_facts": [{"judged": "names the first day of the week"}]}  # fmt: skip
    with judge() as model:
        judged_project(going, model, cases=[case])
        assert cli("run", "production").code == 7
        assert {claim_asked(request).answer == "" for request in model.requests} == {False}


def test_no_verdict_is_neither_a_pass_nor_a_fail(going: Path, cli: Cli):
    def unsure(claim: Claim) -> Any:
        return "cannot tell" if claim.answer.startswith("On Monday") else sound(claim)

    with judge(unsure) as model:
        judged_project(going, model)
        document = cli("run", "production", "--json").document
    assert document["verdict"] == "inconclusive"
    [first, _] = trials_of(document, "day")
    assert first["outcome"] == first["facts"][0]["outcome"] == "error"
    assert "the judge cannot tell: as its rule says" in first["error"]
    assert trials_of(document, "db")[0]["outcome"] == "pass"


def test_a_dead_judge_is_inconclusive_and_a_rerun_asks_only_what_is_missing(going: Path, cli: Cli):
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    judged_project(going, f"http://127.0.0.1:{port}/v1")
    result = cli("run", "production", "--json")
    assert result.code == 7
    assert "no answer from http://127.0.0.1" in result.document["reasons"][-1]
    assert "never measured" in result.document["reasons"][0]
    for trial in trials_of(result.document, "day"):
        assert trial["outcome"] == "error"
        assert "was not judged: the judge failed: no answer from" in trial["error"]

    asked: list[str] = []

    def half(request: ModelRequest) -> Any:
        claim = claim_asked(request)
        asked.append(claim.answer)
        return ModelFailure(500, "busy") if claim.answer.startswith("On Monday") else judged_by(sound)(request)

    with ScriptedModel(half) as model:
        judged_project(going, model)
        half_way = cli("run", "production", "--json")
        assert half_way.code == 7
        assert len(asked) == 18
        assert half_way.document["run"]["run"] == result.document["run"]["run"]
        assert half_way.document["run"]["asked"] == 0, "no agent is asked again"
    asked.clear()
    with judge() as model:
        judged_project(going, model)
        whole = cli("run", "production", "--json")
        assert whole.code == 0
        assert [claim_asked(request).answer for request in model.requests] == ["On Monday, in the morning."]
        assert whole.document["run"]["run"] == result.document["run"]["run"]


def test_a_check_whose_judge_failed_goes_on_with_its_runs(accepted: tuple[Path, ScriptedModel], cli: Cli):
    folder, _ = accepted

    def failing(request: ModelRequest) -> Any:
        told = claim_asked(request).answer.startswith("Some database")
        return ModelFailure(500, "busy") if told else judged_by(sound)(request)

    with ScriptedModel(failing) as model:
        judged_project(folder, model)
        broken = cli("check", "candidate", "--json")
    assert broken.code == 7
    with judge() as model:
        judged_project(folder, model)
        mended = cli("check", "candidate", "--json")
    assert mended.code == 1
    assert mended.document["after"]["run"] == broken.document["after"]["run"]
    assert {claim_asked(request).answer for request in model.requests} == {"Some database or other, on some day."}


def test_an_interrupted_judge_goes_on_where_it_stopped(going: Path, cli: Cli, monkeypatch: pytest.MonkeyPatch):
    add, kept = Store.add_verdicts, []

    def interrupting(store: Store, verdicts: Any) -> None:
        add(store, verdicts)
        kept.extend(verdicts)
        if len(kept) == 4:
            raise KeyboardInterrupt

    with judge() as model:
        judged_project(going, model, limits={"concurrency": 1})
        with monkeypatch.context() as patch:
            patch.setattr(Store, "add_verdicts", interrupting)
            assert cli("run", "production").code == 2
        document = cli("run", "production", "--json").document
    assert (document["verdict"], document["run"]["run"], document["run"]["asked"]) == ("pass", "0001", 0)
    assert len(model.requests) == 18


def test_B47_a_judge_that_disagrees_with_itself_gives_no_verdict(going: Path, cli: Cli):
    turns = iter(["met", "met", "not-met", "met", "met"])

    def wavering(claim: Claim) -> Any:
        if claim.answer.startswith("On Monday"):
            return ("met", "On Monday") if next(turns) == "met" else "not met"
        return sound(claim)

    with judge(wavering) as model:
        judged_project(going, model, judge={"repeats": 5}, limits={"concurrency": 1})
        result = cli("run", "production", "--json")
        bodies = [request.body for request in model.requests if claim_asked(request).answer.startswith("On Monday")]
    assert result.code == 7
    assert "the judge disagrees with itself: met 4, not met 1 of 5" in trials_of(result.document, "day")[0]["error"]
    assert [(body["temperature"], body["seed"]) for body in bodies] == [(0, 7)] * 5


def test_B47_a_judge_that_agrees_with_itself_gives_its_verdict(going: Path, cli: Cli):
    with judge() as model:
        judged_project(going, model, judge={"repeats": 5})
        assert cli("run", "production").code == 0
        assert len(model.requests) == 15 + 15, "controls are asked once, claims five times"


def test_B49_the_false_pass_rate_of_a_lenient_judge_is_shown(going: Path, cli: Cli):
    passed = iter(range(1000))

    def lenient(claim: Claim) -> Any:
        wrong = not claim.answer.startswith(("That is an easy one", "On Monday", "Postgres"))
        return "met" if wrong and next(passed) % 3 else sound(claim)

    with judge(lenient) as model:
        judged_project(going, model, limits={"concurrency": 1})
        result = cli("run", "production")
    text = " ".join(result.out.split())
    assert "it lets 6 of 12 wrong answers pass" in text
    assert "the judge let a wrong answer pass for: db: advises against an ORM because of latency" in text
    assert result.code == 0, "half of them is shown, and told: what it decides stays the reader's"


@pytest.mark.parametrize("word", ["met", "not met"])
def test_B49_a_judge_that_says_one_thing_only_may_not_gate(going: Path, cli: Cli, word: str):
    with judge(lambda _: word) as model:
        judged_project(going, model, cases=[CASES[1]])
        result = cli("run", "production", "--json")
    told = "may not gate: it does not tell answers that state the fact from wrong ones"
    assert told in result.document["reasons"][0]
    assert result.document["verdict"] == "inconclusive", "it neither passes nor blocks"
    assert told in trials_of(result.document, "day")[0]["error"]


def test_B49_what_is_matched_blocks_whatever_the_judge_is_worth(going: Path, cli: Cli):
    with judge(lambda _: "met") as model:
        judged_project(going, model)
        result = cli("run", "candidate", "--json")
    assert result.document["verdict"] == "inconclusive"
    plain = {**CASES[0], "id": "plain", "expected_facts": ["Postgres 15"], "forbidden_facts": []}
    with judge(lambda _: "met") as model:
        judged_project(going, model, cases=[*CASES, plain])
        result = cli("run", "candidate", "--json")
    assert result.document["verdict"] == "blocked"


def test_another_prompt_another_seed_and_another_fact_are_judged_anew(going: Path, cli: Cli):
    with judge() as model:
        judged_project(going, model)
        assert cli("run", "production").code == 0
        first = len(model.requests)
        judged_project(going, model, judge={"seed": 8})
        assert cli("run", "production").code == 0
        assert len(model.requests) == 2 * first
        judged_project(going, model)
        (going / "judges" / "fact.md").write_text("Judge with care.\n", "utf-8")
        assert cli("run", "production").code == 0
        assert len(model.requests) == 3 * first
        judged_project(going, model)
        assert cli("run", "production").code == 0
        assert len(model.requests) == 3 * first, "back to the first one: nothing is asked"


def test_without_a_judge_nothing_is_asked_of_anybody(going: Path, cli: Cli):
    judged_project(going, "http://127.0.0.1:9/v1")
    project = json.loads((going / "foldproof.yaml").read_text("utf-8"))
    del project["judge"]
    (going / "foldproof.yaml").write_text(json.dumps(project), "utf-8")
    result = cli("run", "production")
    assert result.code == 4
    assert "`judge` in foldproof.yaml: there is no `base_url`" in result.err
    assert cli("run", "production", "--only", "day").code == 4


def test_a_cost_limit_needs_a_price_of_the_judge_and_holds(accepted: tuple[Path, ScriptedModel], cli: Cli):
    folder, model = accepted
    write_labels(folder, 4)
    result = cli("judge", "calibrate", "labels.jsonl", "--max-cost", "1")
    assert result.code == 4
    assert "the judge has no price" in result.err
    assert cli("run", "production", "--max-cost", "1").code == 4
    judged_project(folder, model, judge={"price": {"input": 1000, "output": 1000}}, limits={"concurrency": 1})
    dear = cli("judge", "calibrate", "labels.jsonl", "--max-cost", "0.0001", "--json").document
    assert dear["asked"] == 1
    assert "cost limit is reached while judging" in dear["reasons"][0]


def test_the_baseline_keeps_the_verdicts_so_that_no_store_is_needed(accepted: tuple[Path, ScriptedModel], cli: Cli):
    folder, model = accepted
    kept = json.loads((folder / "baselines" / "production.json").read_text("utf-8"))
    assert kept["judge"].startswith(NAME)
    day = next(case for case in kept["cases"] if case["id"] == "day")
    wanted = {"fact": "names the first day of the week", "verdict": "met", "quotation": "On Monday"}
    assert day["trials"][0]["judged"] == [wanted]
    shutil.rmtree(folder / ".foldproof")
    before = len(model.requests)
    shown = cli("baseline", "show")
    assert shown.code == 0
    assert "error" not in shown.out
    assert len(model.requests) == before


def test_accepted_answers_are_judged_by_facts_that_came_later(accepted: tuple[Path, ScriptedModel], cli: Cli):
    folder, _ = accepted
    later = {**CASES[1], "expected_facts": [*CASES[1]["expected_facts"], {"judged": "speaks of the morning"}]}
    with judge(lambda claim: "met" if "morning" in claim.answer + claim.fact else sound(claim)) as model:
        judged_project(folder, model, cases=[CASES[0], later])
        document = cli("check", "production", "--json").document
    assert {case["id"]: case["change"] for case in document["cases"]} == {"db": "kept", "day": "kept"}


def test_a_judge_that_changed_since_the_baseline_decides_nothing(accepted: tuple[Path, ScriptedModel], cli: Cli):
    folder, model = accepted
    judged_project(folder, model, judge={"seed": 99})
    result = cli("check", "production", "--json")
    assert result.code == 7
    assert "the judge has changed since the baseline was accepted" in " ".join(result.document["reasons"])
    assert "foldproof judge reconcile" in " ".join(result.document["reasons"])


def test_a_judge_that_changed_since_the_baseline_blocks_nothing_either(accepted: tuple[Path, ScriptedModel], cli: Cli):
    folder, model = accepted
    assert cli("check", "candidate").code == 1
    judged_project(folder, model, judge={"seed": 99})
    result = cli("check", "candidate", "--json")
    assert (result.code, result.document["verdict"]) == (7, "inconclusive")
    assert result.document["reasons"][0].startswith("the judge has changed since the baseline was accepted")


def test_the_unplugged_control_is_judged_too(accepted: tuple[Path, ScriptedModel], cli: Cli):
    _, model = accepted
    assert "I do not know." in {claim_asked(request).answer for request in model.requests}
    assert cli("run", "production", "--unplugged").code == 0


def test_explain_and_reports_show_the_quotation_and_it_steers_nothing(going: Path, cli: Cli):
    hostile = "On Monday `| <b>\x1b[31m"

    def quoting(claim: Claim) -> Any:
        if claim.answer.startswith("On Monday"):
            return "met" if claim.fact.startswith("names") else "not met"
        return sound(claim)

    with judge(quoting) as model:
        judged_project(going, model, cases=[CASES[1]])
        agent = (going / "answering.py").read_text("utf-8")
        (going / "answering.py").write_text(agent.replace("On Monday", hostile.replace("\x1b", "\\x1b")), "utf-8")
        assert cli("run", "production").code == 0
        out = cli("explain", "production", "day", "--markdown", "day.md").out
        assert cli("run", "production", "--junit", "run.xml", "--markdown", "run.md", "--fresh").code == 0
    assert "the judge says met: “On Monday `| <b>, in the morning.”" in out
    assert "\x1b" not in out
    told = (going / "day.md").read_text("utf-8")
    assert "the judge says met" in told
    assert "\x1b" not in told
    lines = [line for line in told.splitlines() if "judge says met" in line]
    assert len(lines) == 2, "one a trial"
    assert not any("<b>" in line for line in lines)
    xml, page = ((going / name).read_text("utf-8") for name in ("run.xml", "run.md"))
    assert "\x1b" not in xml + page
    assert "names the first day of the week: the judge says met: “On Monday `| &lt;b&gt;" in xml
    [row] = [line for line in page.splitlines() if "judge says met" in line]
    assert "<b>" not in row
    assert row.count(" | ") == 2, "the bar in the quotation is no column"


def test_doctor_says_whether_the_judge_can_be_reached(going: Path, cli: Cli):
    with judge() as model:
        judged_project(going, model)
        found = {one["name"]: one for one in cli("doctor", "--json").document["findings"]}
        assert found["judge"]["ok"] is True
        assert f"{NAME} (not pinned)" in found["judge"]["detail"]
    gone = {one["name"]: one for one in cli("doctor", "--json").document["findings"]}
    assert gone["judge"]["ok"] is False
    judged_project(going, "http://127.0.0.1:9/v1", judge={"api_key": "${JUDGE_KEY_OF_NOBODY}"})
    keyless = {one["name"]: one for one in cli("doctor", "--json").document["findings"]}
    assert "JUDGE_KEY_OF_NOBODY" in keyless["judge"]["detail"]
