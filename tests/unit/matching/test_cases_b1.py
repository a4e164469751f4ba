"""The rows of the case list B-1, by number."""

import pytest

from foldproof.matching import Fact, match_fact, match_facts, normalize


def held(fact, text, kind="normalized"):
    return match_fact(fact, text, kind).held


def test_B1_a_number_is_not_in_a_longer_one():
    match = match_fact("15", "It costs 150 dollars")
    assert (match.outcome, match.spans) == ("missed", ())
    assert match.reason == "'15' stands only inside the longer token '150'"
    assert not held("5", "25")
    assert not held("11", "711")


@pytest.mark.parametrize("kind", ["normalized", "number", "exact"])
def test_B3_a_decimal_is_not_in_a_longer_one(kind):
    assert not held("3.14", "33.14", kind)
    assert held("3.14", "it is 3.14.", kind)


@pytest.mark.parametrize("text", ["The answer is 42!", "(42).", "[42]:"])
@pytest.mark.parametrize("kind", ["normalized", "number", "exact"])
def test_B4_punctuation_around_a_number(text, kind):
    assert held("42", text, kind)


def test_B5_a_percent_sign_is_a_token():
    assert held("60", "60%")
    assert held("60%", "60 %")
    assert held("60 %", "60%")
    assert not held("60%", "60")


@pytest.mark.parametrize("kind", ["normalized", "number", "exact"])
def test_B7_a_lone_comma_is_no_number(kind):
    assert held("72", "The answer is 72, in total, so the farmer sold them", kind)


def test_B9_articles_are_words():
    assert held("Panama", "Panama")
    assert held("Panama", "Panama banana the answer")
    assert not held("banana", "bnn")


def test_B10_a_trailing_full_stop():
    assert held("yes", "yes.")


@pytest.mark.parametrize("kind", ["normalized", "exact", "pattern"])
def test_B11_composed_and_decomposed(kind):
    assert held("caf\u00e9", "cafe\u0301", kind)
    assert held("cafe\u0301", "caf\u00e9", kind)


@pytest.mark.parametrize("mark", "'’‘‛′`´ʼʹʻ＇")
def test_B12_every_apostrophe(mark):
    assert held("can't", f"I can{mark}t come")
    assert held(f"can{mark}t", "I can't come")


def test_B16_a_plain_negation():
    match = match_fact("vegetarian", "I am NOT vegetarian")
    assert (match.outcome, match.held) == ("negated", False)
    assert held("vegetarian", "I am vegetarian")


def test_B18_a_forbidden_fact_is_found_and_missed():
    assert held("MongoDB", "Use MongoDB.")
    assert not held("MongoDB", "Use Postgres.")
    assert not held("MongoDB", "Don't use MongoDB.")


def test_B19_whole_words_but_for_scripts_without_blanks():
    assert not held("at", "Your cat is fine")
    assert held("太郎", "私の名前は太郎です")
    assert not held("liguoyu", "liguosong")
    assert not held("22", "49222")


def test_B20_a_date_needs_its_type():
    assert held("2026-03-04", "It is on March 4, 2026", "date")
    assert not held("March 4, 2026", "2026-03-04")
    assert not held("2026-03-04", "03/04/2026", "date")
    assert "ambiguous" in match_fact("2026-03-04", "03/04/2026", "date").reason


@pytest.mark.parametrize(
    "text", ["**Paris**", "`Paris`", "- Paris", "```\nParis\n```", "“Paris”", "# Paris", "> Paris", "| Paris |"]
)
def test_B21_markdown(text):
    assert held("Paris", text)


def test_B22_old_and_new_value_are_both_found():
    matches = match_facts(["MySQL", "Postgres 15"], "You moved from MySQL to Postgres 15.")
    assert [match.held for match in matches] == [True, True]


def test_B23_a_correction_may_be_one_of_several():
    fact = Fact("any", any=(Fact("normalized", "no information available"), Fact("normalized", "doesn't paint")))
    assert match_fact(fact, "Jon doesn't paint; his dance style is contemporary").held


def test_normalize_joins_tokens():
    assert normalize("Ana's **foo_bar**") == "ana s foo bar"
    assert normalize("👍 …") == ""
