"""What is left of a fact: its object stays, and its negation, number or binding form is gone."""

import pytest

from foldproof.matching import Fact, Text, match_fact, reworded, weakened


def _gone(wanted, text, kind="normalized"):
    found = weakened(Fact(kind, wanted), Text(text))
    return found and (found.gone, found.text)


@pytest.mark.parametrize(
    ("wanted", "text", "gone", "left"),
    [
        ("no NSAIDs", "NSAIDs are fine.", "negation", "NSAIDs"),
        ("no ORM, raw SQL", "She wants an ORM and raw SQL", "negation", "ORM and raw SQL"),
        ("don't call me", "You may call me any time", "negation", "call"),
        ("vegetarian", "I am not vegetarian", "negation", "vegetarian"),
        ("Postgres 15", "a Postgres database", "number", "Postgres"),
        ("Postgres 15", "Postgres 16", "number", "Postgres"),
        ("always reply by email", "the user got a reply by email", "binding", "reply by email"),
        ("do not push", "The user had asked not to push.", "binding", "push"),
        ("must never deploy on Friday", "deploys? I would never deploy on Friday", "binding", "deploy on Friday"),
        ("keine Nüsse", "Die Nüsse sind lecker", "negation", "Nüsse"),
    ],
)
def test_the_object_without_what_it_came_with(wanted, text, gone, left):
    assert not match_fact(wanted, text).held
    assert _gone(wanted, text) == (gone, left)


@pytest.mark.parametrize(
    ("wanted", "text"),
    [
        ("no NSAIDs", "aspirin is fine"),  # the object is gone too
        ("no ORM, raw SQL", "raw SQL, and no ORM please"),  # all of it is there in other words
        ("do not push", "please do not ever push"),
        ("read replica", "a replica to read from"),  # nothing in it can weaken
        ("30 minutes", "it takes 15 minutes"),  # a unit is no object
        ("150", "1500"),
        ("between the 28th and the 3rd", "and traffic between zones"),  # no object without its numbers
        ("up to 3", "It is up to you."),
        ("by the 1st", "Stand by the door."),
        ("Room 7", "There is no room for doubt."),
        ("flat 12", "My tyre is flat again."),
        ("always reply", "she wants a reply"),
        ("x 5", "the letter x"),  # one letter is no object
        ("no NSAIDs", "an NSAIDsfree diet"),
        ("store credit 5", "the store is far away, and after many more words than could belong together: credit"),
    ],
)
def test_nothing_is_weakened(wanted, text):
    assert _gone(wanted, text) is None


def test_of_alternatives_the_first_that_is_weakened_counts():
    fact = Fact("any", "", any=(Fact("normalized", "no aspirin"), Fact("exact", "no NSAIDs")))
    found = weakened(fact, Text("NSAIDs, yes"))
    assert (found.gone, found.span.start, found.span.end) == ("negation", 0, 6)


@pytest.mark.parametrize("kind", ["number", "date", "pattern"])
def test_values_and_patterns_are_whole_or_not_there(kind):
    assert (
        _gone("2026", "not 2026", kind) is None
        if kind != "date"
        else _gone("2026-03-04", "not 2026-03-04", kind) is None
    )


@pytest.mark.parametrize(
    ("wanted", "text", "found"),
    [
        ("no NSAIDs", "NSAIDs? No way.", "NSAIDs"),
        ("read replica", "a replica to read from", "replica to read"),
        ("no NSAIDs", "NSAIDs are fine", None),
        ("Postgres 15", "15 servers of Postgres", "Postgres"),
        ("read replica", "a replica", None),
        ("15", "15", None),  # a number has no words to stand in another order
    ],
)
def test_all_words_in_another_order(wanted, text, found):
    span = reworded(Fact("normalized", wanted), Text(text))
    assert (span and text[span.start : span.end]) == found
    assert reworded(Fact("pattern", "a+"), Text(text)) is None
