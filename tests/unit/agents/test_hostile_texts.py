"""Texts of agents, endpoints and users: none takes long to be read."""

import time
from types import SimpleNamespace

import pytest

from foldproof.agents.calls import as_agent_error
from foldproof.agents.errors import AgentError
from foldproof.agents.http_answers import completion_of, failure_of, retry_after
from foldproof.agents.memories.full_text import terms_of
from foldproof.agents.memories.text import line_head
from foldproof.agents.shapes import may_pass, status_may_pass
from foldproof.compaction import first_words as cut
from foldproof.compaction import sentences_of, type_of
from foldproof.compaction.rules import RULES
from foldproof.logs import Session, arguments_of

N = 100_000
TEXTS = [
    unit * (N // len(unit)) + end
    for unit in (
        "a",
        " ",
        "1",
        ".",
        "'",
        "no ",
        "if ",
        "stop a",
        ". ",
        "a-",
        "? ",
        "\t",
        "don't ",
        "co",
        "e.g. ",
        "過敏",
    )
    for end in ("", "x", "\n!")
] + [
    "no" + " " * N + "1",
    "stop " + "a" * N,
    "if" + "a" * N,
    "?" + " " * N + "x",
    "." + "'" * N,
    "1" * N + ")",
    "12.\n" * 9000,
]


@pytest.fixture(autouse=True)
def _quick():
    """A pattern that backtracks takes minutes here."""
    begun = time.process_time()
    yield
    assert time.process_time() - begun < 3


@pytest.mark.parametrize("text", TEXTS, ids=range(len(TEXTS)))
def test_no_rule_of_triage_takes_long(text):
    for rule in RULES:
        rule.pattern.search(text)
    assert type_of(text)
    assert len(sentences_of(text)) <= N


@pytest.mark.parametrize("text", TEXTS, ids=range(len(TEXTS)))
def test_no_memory_takes_long(text):
    assert cut(text, N - 9) is None or cut(text, N - 9).endswith(" …")
    cut(f"[s1 {text}] user: {text}", N + 50)
    assert line_head(Session("s1", (), text)).startswith("[s1 ")
    terms_of(text)


def test_a_line_of_blanks_is_not_cut_to_its_head():
    assert cut("[s1] user: " + " " * N + "word", N) is None
    assert cut("[s1] user:  ab cd ef", 18) == "[s1] user:  ab …"
    assert cut("[s1] user: ab", 13) is None


@pytest.mark.parametrize("text", TEXTS, ids=range(len(TEXTS)))
def test_no_answer_of_an_endpoint_takes_long(text):
    may_pass(text)
    arguments_of(text)
    failure_of(500, {}, text.encode())
    retry_after({"Retry-After": text})
    with pytest.raises(AgentError):
        completion_of(text.encode(), None)


@pytest.mark.parametrize("body", ["[" * N, '{"a":' * N])
def test_brackets_without_end_are_an_answer_that_is_no_json(body):
    assert arguments_of(body) == {"_raw": body}
    assert str(failure_of(400, {}, body.encode())).startswith("the endpoint answered 400: ")
    with pytest.raises(AgentError, match="what is not JSON"):
        completion_of(body.encode(), None)


@pytest.mark.parametrize("status", [200, 400, 401, 404, 408, 409, 425, 429, 499, 500, 529, 599, 600])
def test_one_rule_says_which_status_may_pass(status):
    error = RuntimeError("x")
    error.response = SimpleNamespace(status_code=status)
    passing = status in {408, 409, 425, 429, 500, 529, 599}
    assert status_may_pass(status) is passing
    assert (type(failure_of(status, {}, b"")).__name__ == "TransientError") is passing
    assert (type(as_agent_error(error)).__name__ == "TransientError") is passing
