"""The `chat` agent from the command line: a check of one memory against another, and what goes wrong on the way."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from foldproof.testing import (
    Answer,
    ModelFailure,
    ModelRequest,
    ScriptedModel,
    answer_from_context,
    summarize,
    write_project,
)

KEY = "sk-test-0123456789abcdef0123"
SAID = [
    "I take no NSAIDs, since I have a gastritis history.",
    "Our billing database is Postgres 15.",
    "My dog is called Unna.",
    "The weather was grey.",
    "I had soup for lunch.",
    "The bus was late.",
]
HISTORY = [
    {"session": f"s{n}", "at": f"2026-03-0{n}", "turns": [{"role": "user", "text": text}]}
    for n, text in enumerate(SAID, 1)
]
CASES = [
    {
        "id": "nsaids",
        "class": "safety",
        "history": "h",
        "question": "May I take NSAIDs with my gastritis history?",
        "expected_facts": ["no NSAIDs"],
    },
    {
        "id": "billing",
        "class": "semantic",
        "history": "h",
        "question": "Which billing database do we have?",
        "expected_facts": ["Postgres 15"],
    },
]


def forgetful(request: ModelRequest) -> Answer:
    """A model that answers from its prompt, and whose summaries lose what was said of NSAIDs."""
    if request.question.startswith("You keep the memory"):
        return summarize(request, drop="NSAIDs")
    return answer_from_context(request)


def chat_project(folder: Path, url: str, *, chat: Any = "", **model: Any) -> Path:
    settings = {"base_url": url, "name": "scripted", "temperature": 0, "seed": 7, **model}
    configs = {
        "production": {"agent": {"chat": chat}, "model": settings, "memory": {"kind": "verbatim", "k": 2}},
        "candidate": {"extends": "production", "memory": {"kind": "summary", "every": 2, "keep_last": 1}},
    }
    known = {name: value for name, value in settings.items() if value is not None}
    configs["production"]["model"] = known
    return write_project(
        folder, cases=CASES, configs=configs, histories={"h": HISTORY}, baseline="production", limits={"retries": 0}
    )


@pytest.fixture
def going(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_a_check_of_verbatim_against_summary_names_the_fold_and_its_prompt(cli: Callable[..., Any], going: Path):
    with ScriptedModel(forgetful) as server:
        chat_project(going, server.url, price={"input": 1, "output": 2})
        assert cli("run", "production").code == 0
        assert cli("baseline", "accept").code == 0
        checked = cli("check", "candidate", "--json")
        folds = [said for request in server.requests if (said := request.question).startswith("You keep the memory")]
        assert server.refused == []
    assert checked.code == 1
    cases = {case["id"]: case for case in checked.document["cases"]}
    assert cases["nsaids"]["change"] == "lost"
    assert cases["nsaids"]["facts"][0]["owner"] == "fold"
    assert cases["billing"]["change"] == "kept"
    assert len(folds) == 6, "two turns a call: once for the first trials together, once for their repeats"
    assert "Postgres 15" in folds[1].partition("Said since then")[0]
    shown = cli("explain", "latest", "nsaids", "--details").out
    assert "(summary) " in shown
    assert "[s6 2026-03-06] user: The bus was late." in shown
    assert "prompt compact/1" in shown
    assert "What you remember of them:" in shown


def test_the_calls_of_a_fold_can_be_read_on_the_wire(cli: Callable[..., Any], going: Path):
    with ScriptedModel(forgetful) as server:
        chat_project(going, server.url)
        assert cli("run", "candidate", "--cassette", "record").code == 1
        shown = cli("explain", "latest", "nsaids", "--details").out
    assert "You keep the memory of an assistant" in shown, "in the trial that built the memory"
    again = cli("run", "candidate", "--cassette", "replay")
    assert again.code == 1, "the server is gone, and nobody was asked"


@pytest.mark.parametrize(
    ("chat", "model", "words"),
    [
        ("", {"name": None}, "the model has no `name`"),
        ("", {"base_url": None}, "there is no `base_url`"),
        ({"prompt": "answer.md"}, {}, "has no place for `{memory}`"),
        ({"promt": "answer.md"}, {}, "did you mean `prompt`?"),
        ({"tools": ["serch_memory"]}, {}, "did you mean `search_memory`?"),
    ],
)
def test_a_configuration_that_cannot_work_is_refused(
    cli: Callable[..., Any], going: Path, chat: Any, model: dict[str, Any], words: str
):
    (going / "answer.md").write_text("Answer briefly.", "utf-8")
    chat_project(going, "http://127.0.0.1:9/v1", chat=chat, **model)
    ran = cli("run", "production")
    assert ran.code == 4
    assert words in ran.err
    assert "Traceback" not in ran.err


def test_a_wrong_key_is_no_answer_and_in_no_record(
    cli: Callable[..., Any], going: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    with ScriptedModel(forgetful, key="sk-another-0123456789abcdef") as server:
        chat_project(going, server.url)
        ran = cli("run", "production")
    assert ran.code == 7
    assert "the endpoint answered 401" in ran.out
    kept = b"".join(path.read_bytes() for path in (going / ".foldproof").rglob("*") if path.is_file())
    assert b"answered 401" in kept
    assert KEY.encode() not in kept


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (ModelFailure(503), "the endpoint answered 503"),
        ("No conversation to summarize.", "a placeholder in place of a summary"),
        ("Error code: 500 - {'error': 'overloaded'}", "an error message in place of a summary"),
    ],
)
def test_A48_a_fold_that_fails_is_an_error_of_the_memory(
    cli: Callable[..., Any], going: Path, answer: Answer, words: str
):
    def rule(request: ModelRequest) -> Answer:
        return answer if request.question.startswith("You keep the memory") else answer_from_context(request)

    with ScriptedModel(rule) as server:
        chat_project(going, server.url)
        ran = cli("run", "candidate")
    assert ran.code == 7
    assert words in " ".join(ran.out.split())
    assert "2 errors" in ran.out


def test_a_dead_endpoint_is_no_answer(cli: Callable[..., Any], going: Path):
    chat_project(going, "http://127.0.0.1:9/v1")
    ran = cli("run", "production")
    assert ran.code == 7
    assert "transport: no answer from http://127.0.0.1:9/v1/chat/completions" in " ".join(ran.out.split())
    found = cli("doctor").out
    assert "the endpoint cannot be reached" in found


def test_the_doctor_reaches_the_endpoint_of_a_chat(cli: Callable[..., Any], going: Path):
    with ScriptedModel(forgetful) as server:
        chat_project(going, server.url)
        assert "chat endpoint 127.0.0.1" in cli("doctor").out
        assert server.requests == []
