"""Foreign JSON at the edge: numbers that no machine holds are unknown, and never end a run."""

import json

import pytest

from foldproof.agents.http_answers import completion_of
from foldproof.agents.shapes import items_of, number_of, usage_of
from foldproof.logs import Usage

HUGE = 10**400


@pytest.mark.parametrize("value", [HUGE, -HUGE, 1e999, float("nan"), True, "1", None, [], {}])
def test_what_is_no_finite_number_is_unknown(value):
    assert number_of(value) is None


@pytest.mark.parametrize(("value", "number"), [(0, 0.0), (7, 7.0), (-1.5, -1.5), (2**60, float(2**60))])
def test_numbers_are_taken_over(value, number):
    assert number_of(value) == number
    assert isinstance(number_of(value), float)


@pytest.mark.parametrize("count", [HUGE, 2**53 + 1, 1e308, -1, "7", True])
def test_a_count_that_is_none_is_unknown_and_the_others_stay(count):
    assert usage_of({"in": count, "out": 3, "cost_usd": 0.5}, "in", "out") == Usage(None, 3, 0.5)


def test_usage_by_the_names_of_its_source():
    assert usage_of({"in": 2, "out": 3.0, "cost_usd": HUGE}, "in", "out") == Usage(2, 3, None)


def test_an_item_whose_score_is_out_of_range_has_none():
    (one, two) = items_of([{"text": "tea", "score": HUGE}, {"text": "milk", "score": 2}], "`items`") or ()
    assert (one.score, two.score) == (None, 2.0)


def test_an_answer_whose_usage_is_out_of_range_is_an_answer():
    body = '{"choices": [{"message": {"content": "tea"}}], "usage": {"prompt_tokens": 1%s, "completion_tokens": 1}}'
    found = completion_of((body % ("0" * 400)).encode(), None)
    assert (found.text, found.usage) == ("tea", Usage(None, 1))
    assert json.loads(body % "")["usage"]["prompt_tokens"] == 1, "the same body with a count that can be read"
    assert completion_of((body % "").encode(), None).usage == Usage(1, 1)
