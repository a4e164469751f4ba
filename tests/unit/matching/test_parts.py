"""The parts of a statement, and what of them is left around an object in another text."""

import pytest

from foldproof.matching import normalize, parts_of
from foldproof.matching.parts import gone_at, has_denial, is_denied, is_reported, windows


@pytest.mark.parametrize(
    ("statement", "wanted", "special"),
    [
        ("Never push to main", ("push", "main"), [("negation", "never")]),
        ("Pushing is forbidden", ("pushing",), [("negation", "forbidden")]),
        ("avoid NSAIDs", ("nsaids",), [("negation", "avoid")]),
        ("Only use UTC, always", ("utc",), [("binding", "only"), ("binding", "always")]),
        (
            "always 3 reviewers, never 2",
            ("reviewers",),
            [("negation", "never"), ("binding", "always"), ("number", "3"), ("number", "2")],
        ),
        ("no plus size in Comic Sans", ("plus", "size", "comic", "sans"), [("negation", "no")]),
        ("je ne mange pas de noix", ("je", "ne", "noix"), [("negation", "pas")]),
        ("30 minutes", (), [("number", "30")]),
    ],
)
def test_each_token_by_what_it_does(statement, wanted, special):
    parts = parts_of(statement)
    assert parts.object == wanted
    assert sorted(parts.special) == sorted(special)


def test_what_denies_weighs_most():
    assert [part for part, _ in parts_of("must have 3 and no more").special] == ["negation", "number", "binding"]


@pytest.mark.parametrize(
    ("statement", "denying", "ruling"),
    [("Never push", True, True), ("always push", False, True), ("push 3 times", False, False)],
)
def test_a_statement_denies_binds_or_tells(statement, denying, ruling):
    assert (parts_of(statement).denying, parts_of(statement).ruling) == (denying, ruling)


@pytest.mark.parametrize(
    ("words", "denied"),
    [
        ("do not push", True),
        ("pushing is forbidden", True),
        ("it is fine to push", False),
        ("it is no problem to push", False),
        ("it is no longer forbidden to push", False),
        ("it is not forbidden to push", False),
        ("no longer than a day", False),
        ("not the main branch", True),
        ("and that is not", True),
        ("one plus one", False),
        ("mange sans noix", True),
        ("set in comic sans", False),
    ],
)
def test_a_word_that_denies_may_be_taken_back(words, denied):
    assert is_denied(normalize(words).split()) is denied


@pytest.mark.parametrize(
    ("words", "denied"),
    [("the lab is no longer there", True), ("no problem", True), ("the lab is there", False), ("in comic sans", False)],
)
def test_a_word_that_denies_is_seen_whatever_becomes_of_it(words, denied):
    assert has_denial(words.split()) is denied


@pytest.mark.parametrize(
    ("statement", "text", "gone"),
    [
        ("never push to main", "do not push to main", None),
        ("never push to main", "push to main", "negation"),
        ("3 reviewers a pull", "reviewers of a pull", "number"),
        ("3 reviewers a pull", "each pull: 3 reviewers", None),
        ("always answer by email", "you must answer by email", None),  # one kind of word binds as well as another
        ("always answer by email", "only answer by email", "binding"),
        ("only answer by email", "always answer by email", "binding"),
        ("only answer by email", "answer exclusively by email", None),
        ("always answer by email", "answer by email", None),  # a command
        ("always answer by email", "they answer by email", "binding"),
        ("must never deploy friday", "never deploy friday", None),
        ("must never deploy friday", "do not deploy friday", None),
        ("must never deploy friday", "don't deploy friday", None),
        ("must never deploy friday", "i would never deploy friday", "binding"),
        ("must be utc time", "is utc time", "binding"),  # `be` opens no command
    ],
)
def test_what_is_gone_around_an_object(statement, text, gone):
    parts, tokens = parts_of(statement), normalize(text).split()
    [window] = windows(parts.object, tokens)
    assert gone_at(parts, tokens, *window) == gone


def test_a_command_may_open_a_later_clause():
    parts, tokens = parts_of("always answer by email"), normalize("and please: answer by email").split()
    assert gone_at(parts, tokens, 2, 5) == "binding"
    assert gone_at(parts, tokens, 2, 5, opening={0, 2}) is None


def test_an_object_stands_together_or_not_at_all():
    assert windows(("push", "main"), ["push", *["x"] * 8, "main"]) == [(0, 10)]
    assert windows(("push", "main"), ["push", *["x"] * 9, "main"]) == []


def test_a_report_stands_shortly_before():
    assert is_reported(["he", "asked", "not", "to", "push"], 4)
    assert not is_reported(["push", "he", "asked"], 0)
    assert not is_reported(["asked", *["x"] * 5, "push"], 6)
