"""`foldproof coverage` as a person calls it."""

from __future__ import annotations

import json

import pytest

SET = """
foldproof: 1
cases:
- {id: staging-port, class: semantic, question: What is the staging port?, expected_facts: ["8443"]}
- {id: tea, class: preference, question: Which tea do I like?, expected_facts: [rooibos]}
- {id: badge, class: semantic, tags: [draft], question: How do I reset my badge?, expected_facts: [desk 4]}
"""
SAID = (
    (0, "ada", "Which tea do I like best?"), (1, "ben", "What colour is the staging port?"),
    (30, "ada", "Which port is staging on?"), (31, "ben", "which port is staging on"), (31, "ben", "thanks"),
    (32, "eve", "How do I reset my badge?"), (33, "eve", "Is my badge sk-proj-4f8a9b2c1d6e7f8091a2b3c4 still valid?"),
    (33, "kim", "When is the port of Lisbon open?"), (34, "kim", "And now?"),
)  # fmt: skip


@pytest.fixture
def logged(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with (tmp_path / "log.jsonl").open("w") as file:
        for day, user, text in SAID:
            request = {"messages": [{"role": "user", "content": text}], "user": user}
            response = {"created": 1767225600 + day * 86400, "choices": []}
            file.write(json.dumps({"request": request, "response": response}) + "\n")
        file.write("{cut\n")
    (tmp_path / "replay.yaml").write_text(SET)
    return tmp_path


def test_the_page_tells_what_is_covered_what_is_not_and_what_nobody_asks(logged, cli, snapshot):
    done = cli("coverage", "log.jsonl", "--since", "7d", "--set", "replay.yaml")
    assert (done.code, done.err) == (0, "")
    assert done.out == snapshot


def test_the_document_keeps_to_its_schema_and_is_the_same_again(logged, cli):
    first, again = (cli("coverage", "log.jsonl", "--set", "replay.yaml", "--json") for _ in range(2))
    assert first == again
    document = first.document
    assert document["schema"] == "foldproof/coverage/1"
    assert (document["questions"], document["asked"], document["covered"], document["wordless"]) == (8, 8, 4, 1)
    assert (document["set"]["cases"], list(document["left_out"])) == (3, ["badge"])
    assert {topic["earlier"] for topic in document["topics"]} == {None}
    assert "sk-proj" not in first.out


def test_the_set_of_the_project_is_meant_and_a_long_page_is_cut_to_its_beginning(logged, cli):
    (logged / "foldproof.yaml").write_text("foldproof: 1\nconfigs: {production: {agent: recall}}\n")
    cases = [{"id": f"c{n}", "question": f"What of zebra{n}?", "expected_facts": ["x y"]} for n in range(14)]
    (logged / "replay.yaml").write_text(json.dumps({"cases": cases}))
    with (logged / "log.jsonl").open("a") as file:
        file.writelines(json.dumps({"question": f"Where is thing{n}?"}) + "\n" for n in range(14))
    brief, whole = cli("coverage", "log.jsonl"), cli("coverage", "log.jsonl", "--details")
    assert (brief.code, whole.code) == (0, 0)
    assert "further topic" in brief.out
    assert "… and 2 further cases; --details shows them" in brief.out
    assert "further" not in whole.out
    assert "c13" in whole.out


@pytest.mark.parametrize(
    ("args", "code", "told"),
    [
        (["log.jsonl"], 4, "foldproof.yaml"),
        (["none.jsonl", "--set", "replay.yaml"], 4, "cannot be read"),
        (["log.jsonl", "--set", "none.yaml"], 4, "none.yaml"),
        (["log.jsonl", "--set", "replay.yaml", "--since", "2030-01-01"], 5, "nothing was asked in the log since"),
        (["log.jsonl", "--set", "replay.yaml", "--since", "later"], 4, "is no time to count from"),
        (["--set", "replay.yaml"], 4, "LOGS"),
    ],
)
def test_what_cannot_be_told_is_an_error(logged, cli, args, code, told):
    done = cli("coverage", *args)
    assert (done.code, told in done.err) == (code, True), done.err


@pytest.mark.parametrize("package", ["numpy", "snowballstemmer"])
def test_a_missing_extra_is_told_with_its_remedy(logged, cli, monkeypatch, package):
    monkeypatch.setitem(__import__("sys").modules, package, None)
    done = cli("coverage", "log.jsonl", "--set", "replay.yaml")
    assert (done.code, 'pip install "foldproof[mine]"' in done.err) == (4, True), done.err
