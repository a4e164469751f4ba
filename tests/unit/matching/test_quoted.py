"""A quotation stands where its words do; case, white space and quotes play no part."""

import pytest

from foldproof.matching import Text, quoted_at

TEXT = "He said:\n“Use Postgres 15” — it's **not** MySQL."


@pytest.mark.parametrize(
    ("quotation", "words"),
    [
        ("use postgres 15", "Use Postgres 15"),
        ("Use\n Postgres   15", "Use Postgres 15"),
        ('"Use Postgres 15"', "Use Postgres 15"),
        ("not MySQL", "not** MySQL"),
        ("MySQL", "MySQL"),
    ],
)
def test_it_is_found(quotation, words):
    [span] = quoted_at(quotation, Text(TEXT))
    assert TEXT[span.start : span.end] == words


@pytest.mark.parametrize("quotation", ["Use Postgres 1", "ostgres 15", "Use … 15", "", "…", "said Use MySQL"])
def test_it_is_not_found(quotation):
    assert quoted_at(quotation, Text(TEXT)) == ()


def test_a_long_quotation_is_found_too():
    text = "word number nine " * 3000
    assert quoted_at(text, Text(f"so: {text}"))
