"""A reply is read as a verdict, or there is none; it is never guessed at."""

import json
import time

import pytest

from foldproof.judging import JudgeError, read_reply


def reply(verdict, **more):
    return json.dumps({"reason": "r", "quotation": "q", "verdict": verdict, **more})


@pytest.mark.parametrize("word", ["met", "not met", "cannot tell"])
def test_a_verdict_is_read(word):
    found = read_reply(reply(word))
    assert (found.verdict, found.quotation, found.reason) == (word, "q", "r")


@pytest.mark.parametrize(
    ("word", "verdict"),
    [("yes", "met"), ("no", "not met"), ("Not_Met", "not met"), ("not-met", "not met"), ("can’t tell", "cannot tell")],
)
def test_other_spellings_of_the_three_are_read(word, verdict):
    assert read_reply(reply(word)).verdict == verdict


@pytest.mark.parametrize("word", ["maybe", "", "metal", "not", True, 1, None, ["met"]])
def test_any_other_verdict_is_none(word):
    with pytest.raises(JudgeError, match="gave the verdict"):
        read_reply(reply(word))


@pytest.mark.parametrize(
    "said",
    [
        "No, although the response says yes to the first part, it never names the database.",
        "no",
        "**No.** The answer says yes elsewhere.",
        "Not met: yes, it names a database, and not this one.",
        "No — yes would need the name.",
    ],
)
def test_B41_a_no_that_holds_a_yes_is_a_no(said):
    assert read_reply(said).verdict == "not met"


@pytest.mark.parametrize(
    "said", ["Yesterday", "Notably, yes.", "The answer is yes", "No one can tell.", "met5", "nothing", "Yes-man"]
)
def test_B41_a_word_that_only_begins_like_a_verdict_is_none(said):
    with pytest.raises(JudgeError, match="gave no verdict"):
        read_reply(said)


def test_B41_a_yes_in_words_is_read_as_one():
    assert read_reply("Yes, it does.").verdict == "met"


def test_B42_json_is_parsed_before_anything_is_mended():
    text = "score is 1,} good ```{ <think> x"
    assert read_reply(reply("met", reason=text)).reason == text
    with pytest.raises(JudgeError, match="score is 1,} good"):
        read_reply('{"reason":"score is 1,} good"}')


@pytest.mark.parametrize(
    "said",
    [
        '<think>{"verdict": "met"} or so it seems. Yes.</think>{"verdict":"no"}',
        '<think>\nyes\n</think>\n\n```json\n{"verdict":"no"}\n```',
        'yes, yes {"verdict": "met"}</think>{"verdict":"no"}',
        '<THINKING>met</THINKING><think>yes</think> {"verdict":"no"}',
        "<think>Yes, met.</think>No.",
    ],
)
def test_B43_what_was_thought_is_no_verdict(said):
    assert read_reply(said).verdict == "not met"


@pytest.mark.parametrize(
    "said", ['<think>{"verdict": "met"}', "<think>yes", "<think>met</think>", "<think>\n</think>\n"]
)
def test_B43_a_thought_without_an_end_is_no_verdict(said):
    with pytest.raises(JudgeError, match="thought and gave no verdict"):
        read_reply(said)


@pytest.mark.parametrize(
    "said",
    [
        "",
        " \n",
        "null",
        '{"reason": "it says so", "quotation": "Postgres 15", "verd',
        '{"reason": "it says so", "verdict": "met',
        '{"example": {"verdict": "met", "quotation": "x"}, "verdict": "no',
        '{"example": {"verdict": "met"},',
        '[{"verdict": "met"}]',
        '"met"',
        "{}",
        "0",
        "1",
    ],
)
def test_B45_a_reply_that_is_cut_off_or_none_is_unscored(said):
    with pytest.raises(JudgeError):
        read_reply(said)


@pytest.mark.parametrize(
    "said",
    [
        'Here is my verdict:\n```json\n{"verdict": "not met", "reason": "a } in a text"}\n```\nDone, yes.',
        'Use {braces} as in {x: 1}. {"verdict": "not met"}',
        '{"a": 1} {"verdict": "not met"}',
        '{"verdict": "not met"} {"verdict": "no"}',
    ],
)
def test_json_is_found_in_prose(said):
    assert read_reply(said).verdict == "not met"


@pytest.mark.parametrize("said", ['{"verdict": "met"} or {"verdict": "no"}', '{"verdict": "met", "verdict": "no"}'])
def test_two_verdicts_are_none(said):
    with pytest.raises(JudgeError, match=r"two verdicts|twice"):
        read_reply(said)


def test_an_object_in_another_is_a_part_of_it():
    assert read_reply('So: {"verdict": "not met", "of": {"verdict": "met"}}').verdict == "not met"


@pytest.mark.parametrize("said", ['{"a":' * 100_000, '{"verdict": "met", "a":' + "[" * 100_000])
def test_a_reply_without_a_bottom_is_no_verdict(said):
    with pytest.raises(JudgeError):
        read_reply(said)


@pytest.mark.parametrize(
    "said",
    [
        '{"verdict": ' + "1" * 5000 + "}",
        "so: " + '{"reason": ' + "1" * 5000 + ', "verdict": "met"}',
        "so: " + "{" * 100_000,
        "so: " + '{"verdict" ' * 20_000,
        '{"verdict": "' + "m" * 100_000 + '"}',
        '{"verdict": "met", "verdict": "' + "m" * 100_000 + '"}',
    ],
)
def test_a_reply_that_goes_on_and_on_is_no_verdict_and_takes_no_time(said):
    begun = time.process_time()
    with pytest.raises(JudgeError) as caught:
        read_reply(said)
    assert len(str(caught.value)) < 500
    assert time.process_time() - begun < 2


def test_a_number_that_is_none_beside_the_verdict_says_nothing_against_it():
    assert read_reply('{"score": NaN, "quotation": "q", "verdict": "met"}').verdict == "met"
