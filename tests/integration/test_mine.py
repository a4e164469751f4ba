"""`foldproof mine` as a person calls it."""

from __future__ import annotations

import json
from datetime import date

import pytest

from foldproof.cases import Logged, load_set


def log(*said):
    for user, text in said:
        request = {"messages": [{"role": "user", "content": text}], "user": user}
        yield json.dumps({"request": request, "response": {"created": 1767225600, "choices": []}}) + "\n"


@pytest.fixture
def logged(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    said = [
        ("ada", "hi"),
        ("ada", "Which port is it?"),
        ("ben", "Who is Ines?"),
        ("ben", "who is ines"),
        ("eve", "Ok."),
    ]
    (tmp_path / "log.jsonl").write_text("".join(log(*said)) + "{cut\n")
    return tmp_path


def test_the_page_tells_each_step_and_the_questions(logged, cli):
    done = cli("mine", "log.jsonl")
    assert done.code == 0, done.err
    words = " ".join(done.out.split())
    for part in ("read 6", "dropped: greeting 1", "dropped: go-ahead 1", "questions 3", "the same words 1", "chosen 2",
                 "log.jsonl:6: the line is no JSON", "Which port is it?", "who is ines ben 2026-01-01 2"):  # fmt: skip
        assert part in words, part


def test_the_document_has_all_and_is_the_same_again(logged, cli):
    first, again = (cli("mine", "log.jsonl", "--json", "--sample", "1", "--seed", "7") for _ in range(2))
    assert first == again
    document = first.document
    assert document["schema"] == "foldproof/mine/1"
    assert (document["read"], document["said"], document["distinct"], len(document["chosen"])) == (6, 5, 2, 1)


@pytest.mark.parametrize(
    ("args", "told"),
    [
        (["nothing.jsonl"], "cannot be read"),
        (["log.jsonl", "--since", "later"], "write a number of days or weeks"),
        (["log.jsonl", "--format", "opena"], "openai"),
        ([], "LOGS"),
    ],
)
def test_what_cannot_be_mined_is_told(logged, cli, args, told):
    done = cli("mine", *args)
    assert (done.code, told in done.err) == (4, True), done.err


def test_a_missing_extra_is_told_with_its_remedy(logged, cli, monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "rensa", None)
    done = cli("mine", "log.jsonl")
    assert done.code == 4
    assert 'pip install "foldproof[mine]"' in done.err


TALK = (
    ("ada", "s1", "The staging port is 8443.", "Noted."),
    ("ben", "s2", "The staging port is 9000.", "Noted."),
    ("ada", "s3", "Which port is staging on?", "It is 8443."),
    ("ada", "s3", "What is 2 plus 2?", "It is 4."),
    ("ada", "s3", "Is that so?", "It is."),
    ("ada", "s4", "The staging port is 7777 now, and 8443 is gone.", "Noted."),
)


def test_drafts_are_a_set_that_loads_with_the_past_of_each_user_and_nothing_that_came_later(tmp_path, monkeypatch, cli):
    monkeypatch.chdir(tmp_path)
    records = []
    for number, (user, session, asked, answer) in enumerate(TALK):
        request = {"messages": [{"role": "user", "content": asked}], "user": user, "metadata": {"session_id": session}}
        choices = [{"message": {"role": "assistant", "content": answer}}]
        records.append({"request": request, "response": {"created": 1767225600 + number, "choices": choices}})
    (tmp_path / "log.jsonl").write_text("".join(json.dumps(record) + "\n" for record in records))
    done = cli("mine", "log.jsonl", "--to", "candidates.yaml", "--json")
    assert done.code == 0, done.err
    document = done.document
    assert (document["drafted"], document["from_answer"]) == (1, ["What is 2 plus 2?"])
    assert document["without"] == ["Is that so?"]
    assert document["written"][0] == "candidates.yaml"
    drafted = {case.question: case for case in load_set("candidates.yaml").cases}
    port, two, so = (drafted[text] for text in ("Which port is staging on?", "What is 2 plus 2?", "Is that so?"))
    assert port.logged == Logged("ada", "s3", date(2026, 1, 1))
    assert [fact.text for fact in two.expected] == ["4"]
    assert (len(port.source), two.source, so.expected) == (1, (), ())
    lint = cli("lint", "--set", "candidates.yaml", "--json")
    assert lint.code == 0, lint.out
    assert "draft" in {problem["rule"] for problem in lint.document["problems"]}
    history = tmp_path / "histories" / f"{port.history}.jsonl"
    sessions = [json.loads(line) for line in history.read_text().splitlines()]
    assert [[turn["text"] for turn in session["turns"]] for session in sessions] == [
        ["The staging port is 8443.", "Noted."]
    ]
    again = cli("mine", "log.jsonl", "--to", "candidates.yaml")
    assert (again.code, "is there already" in again.err) == (4, True)
    (tmp_path / "candidates.yaml").unlink()
    history.write_text('{"session": "other", "turns": []}\n')
    kept = cli("mine", "log.jsonl", "--to", "candidates.yaml")
    assert (kept.code, "another history of that name" in kept.err) == (4, True)
    assert not (tmp_path / "candidates.yaml").exists()
    (tmp_path / "few.jsonl").write_text(json.dumps(records[4]) + "\n")
    none = cli("mine", "few.jsonl", "--to", "other.yaml")
    assert (none.code, "no case could be drafted" in none.err) == (4, True)


def test_a_fact_that_only_the_memory_held_is_drafted_with_the_item_as_its_source(tmp_path, monkeypatch, cli):
    monkeypatch.chdir(tmp_path)
    call = {"id": "c1", "type": "function", "function": {"name": "search_memory", "arguments": '{"query": "port"}'}}
    found = json.dumps([{"memory": "The staging port is 8443."}, {"memory": "Likes tea."}])
    talk = [
        {"role": "user", "content": "Which port is staging on?"},
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "c1", "content": found},
    ]
    choices = [{"message": {"role": "assistant", "content": "8443."}}]
    record = {"request": {"messages": talk, "user": "ada"}, "response": {"created": 1, "choices": choices}}
    (tmp_path / "log.jsonl").write_text(json.dumps(record) + "\n")
    done = cli("mine", "log.jsonl", "--to", "candidates.yaml")
    assert done.code == 0, done.err
    assert "candidates-1/memory-1.t1" in (tmp_path / "candidates.yaml").read_text()
    (line,) = (tmp_path / "histories" / "candidates-1.jsonl").read_text().splitlines()
    assert json.loads(line)["turns"] == [{"role": "agent", "text": "The staging port is 8443."}]
    assert cli("lint", "--set", "candidates.yaml").code == 0
