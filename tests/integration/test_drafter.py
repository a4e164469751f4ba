"""`foldproof mine --to … --drafter CONFIG`: a model proposes facts, and only what keeps to the span rule is drafted."""

from __future__ import annotations

import json
from contextlib import contextmanager

import pytest

from foldproof.cases import load_set
from foldproof.testing import ModelFailure, ScriptedModel

SAID = (
    ("ada", "s1", "The spare key hangs behind the red bookcase, and the port is 8443.", "Noted."),
    ("ada", "s1", "zebra " * 2_100, "Noted."),
    ("ada", "s2", "Where is the spare key?", "The spare key hangs behind the red bookcase in the hall."),
    ("ada", "s2", "Which port is it?", "It is 8443."),
    ("ben", "s3", "What is 2 plus 2?", "It is 4."),
)
PROPOSED = ("The spare key hangs behind the red bookcase, really", "in the hall", "spare key", "under the mat")
KEY = json.dumps({"facts": PROPOSED, "class": "preference"})
PORT = '```json\n{"facts": ["8443"], "class": "canary"}\n```'


@pytest.fixture
def logged(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL"):
        monkeypatch.delenv(name, raising=False)
    with (tmp_path / "log.jsonl").open("w") as file:
        for number, (user, session, asked, answer) in enumerate(SAID):
            request = {"messages": [{"role": "user", "content": asked}], "user": user}
            choices = [{"message": {"role": "assistant", "content": answer}}]
            response = {"created": 1767225600 + number, "choices": choices}
            record = {"request": {**request, "metadata": {"session_id": session}}, "response": response}
            file.write(json.dumps(record) + "\n")
    return tmp_path


@contextmanager
def drafter(folder, rule, *, price="", limits="{retries: 0}"):
    with ScriptedModel(rule) as model:
        settings = f"{{base_url: '{model.url}', name: small-1, temperature: 0{price}}}"
        configs = f"configs:\n  writer: {{agent: chat, model: {settings}}}\n"
        (folder / "foldproof.yaml").write_text(f"foldproof: 1\nbaseline: writer\nlimits: {limits}\n{configs}")
        yield model


def by_question(request):
    return KEY if "Question: Where is the spare" in request.prompt else PORT


def test_what_stands_in_both_is_kept_and_the_rest_is_counted(logged, cli):
    with drafter(logged, by_question) as model:
        done = cli("mine", "log.jsonl", "--to", "new.yaml", "--drafter", "writer", "--json")
    assert done.code == 0, done.err
    part = done.document["drafter"]
    assert (part["config"], part["model_name"], part["prompt"]) == ("writer", "small-1", "draft/1")
    assert (part["asked"], part["proposed"], part["held"], part["failed"], part["stopped"]) == (2, 5, 2, 0, "")
    assert part["shortened"] == 1
    assert part["refused"] == {
        "in nothing that was known before": 1, "in the question": 1, "not in the answer": 1,
    }  # fmt: skip
    assert part["host"] == model.url.split("/")[2]
    cases = {case.question: case for case in load_set("new.yaml").cases}
    key, port = cases["Where is the spare key?"], cases["Which port is it?"]
    assert [fact.text for fact in key.expected] == ["The spare key hangs behind the red bookcase"]
    assert (key.case_class, str(key.source[0]).partition("/")[2], key.tags) == ("preference", "s1.t1", ("draft",))
    assert ([fact.text for fact in port.expected], port.case_class) == (["8443"], "semantic")
    shown = next(request.prompt for request in model.requests if "Question: Where is the spare" in request.prompt)
    assert "- user: The spare key hangs behind the red bookcase" in shown
    assert shown.index("- user: The spare key") < shown.index("- agent: Noted."), "a talk is shown as it was said"
    assert "zebra" not in shown
    assert all("2 plus 2" not in request.prompt for request in model.requests)


def test_an_endpoint_that_fails_is_told_and_leaves_what_the_rules_drafted(logged, cli):
    def rule(request):
        return (
            ModelFailure(503, "overloaded") if "Question: Where is the spare" in request.prompt else "I would say 8443."
        )

    with drafter(logged, rule):
        done = cli("mine", "log.jsonl", "--to", "new.yaml", "--drafter", "writer")
    assert done.code == 0, done.err
    words = " ".join(done.out.split())
    assert "a model asked 2 small-1 of writer" in words
    assert "failed 2 answers of the model; the first:" in words
    assert "overloaded" in words or "it is not JSON" in words
    assert "8443" in (logged / "new.yaml").read_text()


def test_three_failures_in_a_row_end_the_asking(logged, cli):
    with (logged / "log.jsonl").open("a") as file:
        for number in range(5):
            request = {"messages": [{"role": "user", "content": f"Which port was {number}?"}], "user": "ada"}
            choices = [{"message": {"role": "assistant", "content": "8443"}}]
            file.write(json.dumps({"request": request, "response": {"created": 1767225700, "choices": choices}}) + "\n")
    limits = "{retries: 0, concurrency: 1}"
    with drafter(logged, lambda request: ModelFailure(400, "no such thing"), limits=limits) as model:
        done = cli("mine", "log.jsonl", "--to", "new.yaml", "--drafter", "writer")
    assert done.code == 0, done.err
    assert "the model was not asked about every answer: 3 answers in a row failed" in done.out
    assert len(model.requests) == 3


def test_a_cost_limit_ends_the_asking(logged, cli):
    limits, price = "{concurrency: 1, max_cost_usd: 0.000001}", ", price: {input: 1, output: 1}"
    with drafter(logged, by_question, limits=limits, price=price) as model:
        done = cli("mine", "log.jsonl", "--to", "new.yaml", "--drafter", "writer", "--json")
    assert done.document["drafter"]["stopped"].startswith("the cost limit is reached")
    assert (done.document["drafter"]["asked"], len(model.requests)) == (1, 1)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ('{"facts": "8443"}', "`facts` is no list of texts"),
        ("[1]", "`facts` is no list of texts"),
        ('{"facts": [1]}', "`facts` is no list of texts"),
        ("8443 " * 99, "it is not JSON"),
    ],
)
def test_an_answer_that_cannot_be_read_is_a_failure_and_no_proposal(logged, cli, text, why):
    with drafter(logged, lambda request: text):
        done = cli("mine", "log.jsonl", "--to", "new.yaml", "--drafter", "writer", "--json")
    part = done.document["drafter"]
    assert (part["failed"], part["proposed"]) == (2, 0)
    assert why in part["first_error"]


def test_a_key_that_an_unreadable_answer_repeats_is_not_shown(logged, cli, monkeypatch):
    key = "plain-key-of-no-known-form"
    monkeypatch.setenv("OPENAI_API_KEY", key)
    with drafter(logged, lambda request: f"Your key is {key}, and I refuse."):
        done = cli("mine", "log.jsonl", "--to", "new.yaml", "--drafter", "writer")
    assert "Your key is [redacted], and I refuse." in " ".join(done.out.split())
    assert key not in done.out + done.err


@pytest.mark.parametrize(
    ("args", "told"),
    [
        (["--to", "new.yaml", "--drafter", "writr"], "did you mean `writer`?"),
        (["--drafter", "writer"], "name a set with --to"),
        (["--to", "new.yaml", "--drafter", "plain"], "the model has no `name`"),
    ],
)
def test_a_drafter_that_cannot_be_asked_is_an_error_before_anything_is_written(logged, cli, args, told):
    with drafter(logged, by_question):
        with (logged / "foldproof.yaml").open("a") as file:
            file.write("  plain: {agent: recall}\n")
        done = cli("mine", "log.jsonl", *args)
    assert (done.code, told in done.err) == (4, True), done.err
    assert not (logged / "new.yaml").exists()


def test_a_cost_limit_needs_a_price(logged, cli):
    with drafter(logged, by_question, limits="{max_cost_usd: 1}"):
        done = cli("mine", "log.jsonl", "--to", "new.yaml", "--drafter", "writer")
    assert (done.code, "has no price" in done.err) == (4, True), done.err
