"""Admitted ignorance: a phrase that says so, and nothing made up beside it."""

import pytest

from foldproof.score.abstain import GUESSES, PHRASES, admits_ignorance

ACCOUNT = "What is my account number?"
CAT = "You did not mention this information. You mentioned your cat Luna but not your hamster."


@pytest.mark.parametrize("phrase", [phrase for phrases in PHRASES.values() for phrase in phrases])
def test_every_phrase_admits_ignorance(phrase):
    assert admits_ignorance(phrase, "?")
    assert admits_ignorance(f"{phrase.upper()}.", "?")


@pytest.mark.parametrize(
    "answer",
    [
        CAT,  # B46
        "you never told me",
        "You never told me your account number.",
        "I’m sorry, but I don’t have that information.",
        "**I do not know.**",
        "Das hast du mir nicht gesagt.",
        "对不起，我不知道。",
        "すみません、わかりません。",
    ],
)
def test_an_answer_admits_ignorance(answer):
    assert admits_ignorance(answer, ACCOUNT)


@pytest.mark.parametrize(
    "answer",
    [
        "",
        "6001",
        "You know it: 6001.",
        "The information is on page 3.",
        "I know that you mentioned 6001.",
        "I'm not sure, it is 4711.",
        "I'm not sure, it is Luna.",
        "I don't know offhand; your account number is 4711.",
        "Error: cannot find module 'foo'",
        "LLM backend: could not find model gpt-9",
        "Permission denied. unable to find credentials",
        "Your account is 4711. The bonus is not mentioned on the page.",
        "The bonus is not mentioned on the page.",
    ],
)
def test_an_answer_admits_nothing(answer):
    assert not admits_ignorance(answer, ACCOUNT)


@pytest.mark.parametrize("guess", GUESSES)
def test_no_guess_may_follow(guess):
    assert not admits_ignorance(f"I don't know, {guess} Luna.", "?")
    assert not admits_ignorance(f"I don't know. {guess.upper()} Luna.", "?")
    assert admits_ignorance("I don't know Luna.", "?")


@pytest.mark.parametrize(
    ("answer", "question"),
    [
        ("I don't know what happened on 3 May.", "What happened on May 3?"),
        ("I don't know who paid $1,234.50.", "Who paid 1234.50?"),
        ("I don't know about A-12.", "What is in room A-12?"),
        ("I don't know about ３.", "What is 3?"),
        ("I don't know about either.", "What are 3 and 4?"),
    ],
)
def test_a_number_of_the_question_may_be_named_again(answer, question):
    assert admits_ignorance(answer, question)


@pytest.mark.parametrize(
    "number",
    ["4", "33", "30", "-3", "3.5", "3,000", "3:00", "４", "٤", "¼", "x²", "B3", "3rd"],
)
def test_no_other_number_may_be_named(number):
    assert not admits_ignorance(f"I don't know, {number}.", "What happened on 3 May?")
    assert admits_ignorance("I don't know, 3.", "What happened on 3 May?")


def test_an_admission_is_short():
    words = "I don't know. " + "word " * 200
    assert admits_ignorance(words[:800], "?")
    assert not admits_ignorance(words[:801], "?")


@pytest.mark.parametrize(
    "answer",
    [
        "I don't know why you ask: your dog is Rex.",
        "I don't know. It's probably Rex.",
        "I don't know; I think it's Rex",
        "I do not know, although I think Rex",
        "I don't know exactly but it's Rex",
        "It is not true that I don't know; Rex.",
        "I don't remember, seven perhaps.",
        "I don't know - around twenty-five",
        "我不知道，十五",
    ],
)
def test_a_guess_beside_an_admission_is_none(answer):
    assert not admits_ignorance(answer, "What is my dog's name?")
