"""A recorded run is scored again with the network blocked, and comes to the same, byte for byte."""

from __future__ import annotations

import json
import socket
from contextlib import contextmanager

import pytest

from foldproof.cli.main import run as call
from foldproof.testing import ScriptedModel, judged_by, write_project


@pytest.fixture
def offline():
    """For as long as its context lasts, whatever connects, looks up a name or starts a process fails."""

    def refused(*_, **__):
        raise AssertionError("scoring reached for the network")

    @contextmanager
    def blocking():
        with pytest.MonkeyPatch.context() as patch:
            for name in ("connect", "connect_ex"):
                patch.setattr(socket.socket, name, refused)
            patch.setattr(socket, "getaddrinfo", refused)
            patch.setattr("subprocess.Popen.__init__", refused)
            yield

    return blocking


@pytest.mark.parametrize("kind", ["python", "command, wire", "command, otel", "http, wire", "chat", "recall"])
def test_scores_and_owners_are_the_same(scored, places, offline, monkeypatch, capsys, kind):
    told = scored(kind)
    monkeypatch.chdir(places[kind])
    capsys.readouterr()
    documents = []
    with offline():
        for _ in range(2):
            assert call(["rescore", "subject", "--json"]) == 1
            documents.append(capsys.readouterr().out)
    assert documents[0] == documents[1]
    cases = json.loads(documents[0])["cases"]
    assert {case["id"] for case in cases} == set(told)
    for case in cases:
        [trial] = case["trials"]
        [fact] = trial["facts"]
        before = told[case["id"]].trials[0].facts[0]
        loss = (before.loss.owner, before.loss.reason) if before.loss else (None, "")
        assert (fact["outcome"], fact["owner"], fact["why"]) == (before.outcome, *loss)


def test_the_block_is_one(offline):
    with offline(), pytest.raises(AssertionError, match="reached for the network"):
        socket.create_connection(("127.0.0.1", 9), timeout=1)


def test_judged_facts_are_scored_from_stored_verdicts_alone(offline, tmp_path, monkeypatch, capsys):
    """The judge, which is gone, is asked by nobody: not in scoring again, explaining, comparing or exporting."""

    def weekday(claim):
        return ("met", "Monday") if "Monday" in claim.answer and "Monday" in claim.fact else "not met"

    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    case = {"id": "day", "question": "Which day?", "memory_config": {"kind": "own"}}
    cases = [
        {**case, "expected_facts": [{"judged": "names a Monday"}]},
        {**case, "id": "other", "expected_facts": [{"judged": "says which colour the door has"}]},
    ]
    (tmp_path / "fact.md").write_text("Judge.\n", "utf-8")
    (tmp_path / "one.py").write_text("def agent(question, memory_config):\n    return 'On Monday.'\n", "utf-8")
    with ScriptedModel(judged_by(weekday)) as model:
        write_project(
            tmp_path,
            cases=cases,
            configs={"production": {"agent": "python:one:agent"}},
            replay={"judge": {"model": "m-2026-01-01", "prompt": "fact.md"}},
            judge={"base_url": model.url},
        )
        first = call(["run", "production", "--json"])
    told = json.loads(capsys.readouterr().out)
    with offline():
        outputs = []
        for _ in range(2):
            assert call(["rescore", "production", "--json"]) == first
            outputs.append(capsys.readouterr().out)
        assert call(["explain", "production", "day"]) == 0
        assert "the judge says met: “Monday”" in capsys.readouterr().out
        assert call(["compare", "1", "1", "--json"]) == 0
        assert call(["export", "junit", "production"]) == 0
    assert outputs[0] == outputs[1]
    again = json.loads(outputs[0])
    assert again["cases"] == told["cases"]
    assert [case["outcome"] for case in again["cases"]] == ["pass", "fail"]
    # one claim and five controls a fact: the control that states it is met, and so is what quotes it as false
    assert len(model.requests) == 2 + 10
    # Without its verdicts the same answers are not judged, and that is neither a pass nor a fail.
    settings = json.loads((tmp_path / "foldproof.yaml").read_text("utf-8"))
    settings["judge"]["seed"] = 8
    (tmp_path / "foldproof.yaml").write_text(json.dumps(settings), "utf-8")
    capsys.readouterr()
    with offline():
        assert call(["rescore", "production", "--json"]) == 7
    unjudged = json.loads(capsys.readouterr().out)
    assert {case["outcome"] for case in unjudged["cases"]} == {"error"}
    assert "was not judged" in unjudged["cases"][0]["trials"][0]["error"]
