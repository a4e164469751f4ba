"""What was asked of late, and before: the window, the draw, who asked."""

from __future__ import annotations

import pytest

from foldproof.core import NothingSelectedError, Redactor
from foldproof.logs import traffic as module
from foldproof.logs.topics import by_root, most_shared, own_words, root, topics_of
from foldproof.logs.traffic import read_traffic

from .written import lines


def call(asked, user="ada", day=0):
    request = {"messages": [{"role": "user", "content": asked}], "user": user}
    return {"request": request, "response": {"created": 1767225600 + day * 86400, "choices": []}}


@pytest.fixture
def traffic(tmp_path):
    def read(*records, **options):
        path = tmp_path / "log.jsonl"
        path.write_text(lines(*records))
        return read_traffic([path], redactor=Redactor({}), **options)

    return read


def test_the_window_is_told_from_what_was_asked_before_and_small_talk_from_both(traffic):
    timeless = call("When?")
    del timeless["response"]["created"]
    found = traffic(
        call("Where is it?"), call("Which port?", day=9), call("which port", "ben", day=10), call("hi"), timeless,
        since="2d",
    )  # fmt: skip
    assert (found.lines, found.said, found.found, found.drawn, found.timeless) == (5, 5, 2, 2, 1)
    (question,) = found.questions
    assert (question.text, question.asked, len(question.users), question.words) == (
        "which port",
        2,
        2,
        {"port": "port"},
    )
    assert (found.since, found.earlier_found, [one.text for one in found.earlier]) == (
        "2026-01-10", 1, ["Where is it?"],
    )  # fmt: skip


def test_without_a_day_everything_counts_and_there_is_no_before(traffic):
    found = traffic(call("Where?"), call("Why?", day=90))
    assert (found.found, found.earlier_found, found.earlier, found.since) == (2, 0, (), "")


def test_who_is_not_told_is_nobody(traffic):
    (question,) = traffic(call("Where?", user="")).questions
    assert question.users == frozenset()


def test_nothing_asked_is_no_share(traffic):
    with pytest.raises(NothingSelectedError, match="nothing was asked in the log since 2027-01-01"):
        traffic(call("Where?"), since="2027-01-01")
    with pytest.raises(NothingSelectedError, match="nothing was asked in the log:"):
        traffic(call("thanks"))


def test_of_many_a_draw_is_looked_at_that_stays_the_same_and_is_fair(traffic, monkeypatch):
    monkeypatch.setattr(module, "DRAWN", 100)
    records = [call(f"Where is {'tea' if number % 4 else 'rye'}?", day=number // 300) for number in range(600)]
    first, again = traffic(*records, since="1d"), traffic(*records, since="1d")
    assert first == again
    assert (first.found, first.drawn, first.earlier_found, first.earlier_drawn) == (300, 100, 300, 100)
    asked = {question.text: question.asked for question in first.questions}
    assert sum(asked.values()) == 100
    assert 10 <= asked["Where is rye?"] <= 40
    assert sum(question.asked for question in first.earlier) == 100


def test_no_secret_is_a_question_or_one_of_its_words(traffic):
    key = "sk-proj-abcdefghijklmnopqrstuvwxyz1234"
    (question,) = traffic(call(f"Is {key} my key?")).questions
    assert (question.text, question.words) == ("Is [redacted] my key?", {"key": "key"})


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("Which port is 8443 on k8s in eu-west-1?", {"port", "k8s", "eu", "west"}),
        ("And why not?", set()),
        ("I don't know what's up with x", set()),
        ("staging 环境端口", {"staging", "环境", "境端", "端口"}),
        ("家?", {"家"}),
    ],
)
def test_the_words_of_a_text_say_what_it_is_about(text, words):
    assert own_words(text) == words


def test_forms_of_an_english_word_are_one_and_the_most_frequent_is_told():
    assert root("invoices") == root("invoice") != root("involved")
    assert by_root("Invoices of the invoice, due") == {root("invoice"): "invoice", "due": "due"}
    assert most_shared([by_root(text) for text in ("an invoice", "my invoices", "all invoices")]) == ["invoices"] * 3
    assert topics_of(["an invoice", "my invoices"]) == ["invoice", "invoices"]
