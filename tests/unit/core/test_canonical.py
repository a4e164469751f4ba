"""Canonical JSON: equal content has equal text and hash, other content has not."""

import json
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from foldproof.core import canonical_json, content_hash

TEXT = st.text(st.characters(codec=None, exclude_categories=[]))
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | TEXT,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXT, inner, max_size=4),
    max_leaves=12,
)


def _typed(value):
    """A value in which 1, 1.0 and true, equal in Python, are told apart; the order of keys plays no part."""
    if isinstance(value, dict):
        return frozenset((key, _typed(item)) for key, item in value.items())
    if isinstance(value, list):
        return tuple(_typed(item) for item in value)
    return (type(value).__name__, repr(value))


@given(JSON)
def test_it_reads_back_as_the_same_value(value):
    assert _typed(json.loads(canonical_json(value))) == _typed(value)


@given(st.dictionaries(TEXT, JSON, max_size=5))
def test_the_order_of_keys_plays_no_part(value):
    turned = dict(reversed(value.items()))
    assert canonical_json(turned) == canonical_json(value)
    assert content_hash(turned) == content_hash(value)


@given(JSON, JSON)
def test_hashes_agree_exactly_where_values_do(one, other):
    assert (content_hash(one) == content_hash(other)) == (_typed(one) == _typed(other))


@pytest.mark.parametrize(
    ("one", "other"),
    [(1, True), (1, "1"), (1, 1.0), (None, ""), ({}, []), ("\ud800", "\\ud800"), ("é", "e\u0301"), ([], [[]])],
)
def test_what_differs_hashes_differently(one, other):
    assert content_hash(one) != content_hash(other)


def test_the_form_is_fixed():
    assert canonical_json({"b": [1, "é"], "a": None}) == '{"a":null,"b":[1,"é"]}'
    assert content_hash({}) == "44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a"


@pytest.mark.parametrize("value", [math.nan, math.inf, [-math.inf]])
def test_numbers_that_json_lacks_are_refused(value):
    with pytest.raises(ValueError, match="not JSON compliant"):
        canonical_json(value)


def test_what_is_no_json_is_refused():
    with pytest.raises(TypeError):
        canonical_json({"at": object()})
