import subprocess
import sys

import pytest

from foldproof import matching
from foldproof.matching import (
    Fact,
    Match,
    Nearest,
    Span,
    Text,
    check_fact,
    match_fact,
    match_facts,
    match_many,
    resembling,
)
from foldproof.matching import match as match_module


def test_the_door():
    assert all(hasattr(matching, name) for name in matching.__all__)
    assert matching.MATCHER_VERSION == "normalized/1"


def test_import_loads_no_library():
    code = "import sys, foldproof.matching; print({'re2', 'rapidfuzz', 'ahocorasick_rs'} & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "set()"


USABLE = [
    Fact("normalized", "Postgres 15"),
    Fact("exact", "no ORM"),
    Fact("pattern", "a+"),
    Fact("number", "$1,234.50"),
    Fact("number", "60 %"),
    Fact("date", "2024-02-29"),
    Fact("judged", "is polite"),
    Fact("any", any=(Fact("exact", "a"),)),
]
UNUSABLE = [
    (Fact("normalized", " …"), "has no letter or digit"),
    (Fact("exact", " \n"), "is empty"),
    (Fact("judged", ""), "is empty"),
    (Fact("pattern", "(a"), "does not compile: missing )"),
    (Fact("pattern", "(?=a)b"), "does not compile"),
    (Fact("pattern", "a*"), "matches the empty text"),
    (Fact("pattern", "a{1000}{1000}"), "does not compile"),
    (Fact("number", "fifteen"), "is not a number"),
    (Fact("number", "v15"), "is not a number"),
    (Fact("number", "1 2"), "is not a number"),
    (Fact("number", "15 kg"), "is not a number"),
    (Fact("date", "2026-02-30"), "is not a date"),
    (Fact("date", "03/04/2026"), "is not a date"),
    (Fact("any"), "has no alternatives"),
    (Fact("any", any=(Fact("any", any=(Fact("exact", "a"),)),)), "cannot hold"),
    (Fact("any", any=(Fact("judged", "a"),)), "cannot hold"),
    (Fact("any", any=(Fact("number", "x"),)), "is not a number"),
]


@pytest.mark.parametrize("fact", USABLE)
def test_usable(fact):
    assert check_fact(fact) == ""


@pytest.mark.parametrize(("fact", "words"), UNUSABLE)
def test_unusable(fact, words):
    message = check_fact(fact)
    assert words in message
    assert "\n  " in message
    if fact.kind != "judged":
        with pytest.raises(ValueError, match="\n  ") as caught:
            match_fact(fact, "text")
        assert str(caught.value) == message


def test_a_judged_fact_is_a_matter_for_a_judge():
    with pytest.raises(ValueError, match="score it with a judge"):
        match_fact(Fact("judged", "is polite"), "text")


def test_a_text_is_prepared_once():
    text = Text("Postgres *15*")
    assert match_fact("Postgres 15", text).held
    assert text.padded is text.padded
    assert [match.outcome for match in match_facts([Fact("normalized", "postgres"), "16"], text)] == ["held", "missed"]
    facts = [Fact("normalized", "15")]
    assert [match_facts(facts, "15")[0].held for _ in range(2)] == [True, True]


def test_repr_says_what_became_of_it():
    assert repr(match_fact("15", "150", "number")) == "<Match missed: number: 15>"
    assert isinstance(match_fact("15", "15"), Match)


def test_finders_are_forgotten_when_there_are_too_many(monkeypatch):
    monkeypatch.setattr(match_module, "_KEPT", 1)
    assert match_fact(Fact("normalized", "a1"), "a1").held
    assert match_fact(Fact("normalized", "b1"), "b1").held
    assert len(match_module._finders) == 1


@pytest.mark.parametrize(
    ("fact", "text", "near"),
    [
        ("15", "It costs 150 dollars", Nearest(Span(9, 12), "150", 1)),
        ("Postgres 15", "We use **Postgrs** 16 today", Nearest(Span(9, 21), "Postgrs** 16", 2)),
        ("vegetarian", "", None),
        ("vegetarian", "xyz 123", None),
        ("café au lait", "le cafe\u0301 ole", Nearest(Span(3, 12), "cafe\u0301 ole", 6)),
        ("abcd", "abxy zz", None),
    ],
)
def test_nearest(fact, text, near):
    assert match_fact(fact, text).nearest == near


def test_a_pattern_has_no_nearest():
    assert match_fact("a+b", "aac", "pattern").nearest is None


def test_match_many():
    facts = ["Postgres 15", Fact("number", "30"), Fact("any", any=(Fact("normalized", "eu"), Fact("normalized", "us")))]
    facts.append(Fact("any", any=(Fact("normalized", "x"), Fact("exact", "RTO"))))
    texts = ["Postgres 15, not EU", Text("RTO 30"), "nothing"]
    found = [(fact, text, match.outcome) for fact, text, match in match_many(facts, texts)]
    assert found == [(0, 0, "held"), (2, 0, "negated"), (1, 1, "held"), (3, 1, "held")]
    assert list(match_many([], ["x"])) == []
    with pytest.raises(ValueError, match="judge"):
        list(match_many([Fact("judged", "x")], []))


def test_a_quick_look_leaves_no_likeness_out():
    texts = [Text(text) for text in ("the quarterly reports", "tea", "a quarterly Report.", "")]
    assert resembling("quarterly report", texts, likeness=70.0) == [0, 2]
    assert resembling("quarterly report", [], likeness=70.0) == []
