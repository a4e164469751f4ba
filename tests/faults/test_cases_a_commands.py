"""Reported failures as a person meets them: `check` blocks and names the owner, an error is inconclusive and named."""

import json

import pytest

from foldproof.cli.main import run

from .reported.play import said, set_up

CASES = [
    {
        "id": "dinner",
        "class": "preference",
        "question": "Suggest dinner.",
        "expected_facts": ["hate Chinese food"],
        "forbidden_facts": ["love Chinese food"],
    },
    {"id": "tea", "class": "episodic", "question": "What do I drink?", "expected_facts": ["green tea"]},
]
TASTES = said("I love Chinese food.", "I drink green tea.", "I hate Chinese food now.")


@pytest.fixture
def checked(tmp_path, monkeypatch, capsys):
    """Accepts a baseline of a sound agent, checks a faulty one by the command line, and gives code and document."""
    monkeypatch.delenv("CI", raising=False)

    def checking(candidate, *words):
        set_up(tmp_path, ["writing:Likes", candidate], CASES, TASTES, baseline="config0")
        monkeypatch.chdir(tmp_path)
        assert run(["run", "config0"]) == 0
        assert run(["baseline", "accept", "--yes"]) == 0
        capsys.readouterr()
        code = run(["check", "config1", *words])
        return int(code), capsys.readouterr().out

    return checking


def test_a1_the_check_blocks_and_says_who_lost_it(checked):
    code, out = checked("writing:ContradictionDeletesBoth", "--json")
    document = json.loads(out)
    assert (code, document["verdict"]) == (1, "blocked")
    changes = {case["id"]: case["change"] for case in document["cases"]}
    assert changes == {"dinner": "lost", "tea": "kept"}
    [dinner] = [case for case in document["cases"] if case["id"] == "dinner"]
    [lost] = [fact for fact in dinner["facts"] if fact["kind"] == "expected"]
    assert (lost["outcome"], lost["owner"], lost["why"]) == ("missed", "write", "never extracted")


def test_a1_explain_shows_where_it_went(checked, capsys):
    checked("writing:ContradictionDeletesBoth")
    assert run(["explain", "config1", "dinner"]) == 0
    told = " ".join(capsys.readouterr().out.split())
    assert "hate Chinese food: lost at write (never extracted)" in told
    assert "stated held s3.t1 I hate Chinese food now." in told
    assert "(DELETE) I love Chinese food." in told


def test_a18_the_check_is_inconclusive_where_the_writer_fails(checked):
    code, out = checked("writing:WriterAway", "--json")
    document = json.loads(out)
    assert (code, document["verdict"]) == (7, "inconclusive")
    assert "the agent raised RuntimeError: the extraction was rejected" in " ".join(document["reasons"])
    assert {case["change"] for case in document["cases"]} == {"error"}
    assert {fact["owner"] for case in document["cases"] for fact in case["facts"]} == {None}
