"""How a text falls into lines and sentences, and how a line is cut."""

import pytest

from foldproof.compaction import Passage, count_tokens, first_words, fit, head_of, passages_of, said_in
from foldproof.compaction.lines import first_sentences, last_sentences, newest_whole


def texts(passages):
    return [passage.text for passage in passages]


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("", []),
        (" \n\t\n", []),
        ("a\n\n  - b  \r\nc\rd", ["a", "  - b", "c", "d"]),
        ("One. Two.", ["One. Two."]),
        ("a\x0bb\u2028c", ["a\x0bb\u2028c"]),
        ("私は猫です。犬です。", ["私は猫です。犬です。"]),
        ("x" * 1000, ["x" * 1000]),
    ],
)
def test_lines(text, lines):
    passages = passages_of(text)
    assert texts(passages) == lines
    assert [passage.place for passage in passages] == list(range(len(lines)))


def test_a_long_line_falls_into_its_sentences_and_a_line_of_talk_keeps_its_speaker():
    long = " ".join(f"Sentence number {n} is here." for n in range(40))
    assert count_tokens(long) > 120
    assert texts(passages_of(long)) == [f"Sentence number {n} is here." for n in range(40)]
    assert texts(passages_of(f"[s1] user: {long}"))[1] == "[s1] user: Sentence number 1 is here."
    wide = "猫が好きです。" * 40
    assert texts(passages_of(wide)) == ["猫が好きです。"] * 40
    assert texts(passages_of(f"short\n{long}"))[:2] == ["short", "Sentence number 0 is here."]


def test_the_head_of_a_line_of_talk():
    assert head_of("[s12 2026-03-01] user: no") == "[s12 2026-03-01] user: "
    assert said_in("[s12 2026-03-01] user: no") == "no"
    assert said_in("[link] no") == "[link] no"


LINE = "One is here. Two is there. Three is gone."


@pytest.mark.parametrize(
    ("cut", "text", "room", "found"),
    [
        (first_sentences, LINE, 60, "One is here. Two is there. …"),
        (first_sentences, LINE, len("One is here. Two is there.") + 4, "One is here. …"),
        (first_sentences, LINE, 12, None),
        (first_sentences, "one sentence without an end", 20, None),
        (first_sentences, "[s. 1] user: One. Two.", 18, None),
        (first_sentences, "[s1] user: One. Two.", 20, "[s1] user: One. …"),
        (first_sentences, "猫。犬。鳥。", 10, "猫。 …"),
        (last_sentences, LINE, 60, "… Two is there. Three is gone."),
        (last_sentences, LINE, 18, "… Three is gone."),
        (last_sentences, LINE, 17, None),
        (last_sentences, "[s1] user: One. Two.", 19, "[s1] user: … Two."),
        (last_sentences, "[s. 1] user: Onetwo.", 19, None),
        (last_sentences, "猫。犬。鳥。", 10, "… 鳥。"),
        (last_sentences, "", 10, None),
        (first_words, LINE, 14, "One is …"),
        (first_words, "x", 0, None),
    ],
)
def test_a_cut_falls_between_sentences_and_is_marked(cut, text, room, found):
    assert cut(text, room) == found
    if found:
        assert len(found.encode()) <= room


def test_fit_ends_at_the_first_that_does_not():
    passages = [Passage("aaaa", 0), Passage("One is here. Two is there.", 1), Passage("b", 2)]
    assert fit(passages, 100, cut=first_sentences) == passages
    assert fit(passages, 25, cut=first_sentences) == [passages[0], Passage("One is here. …", 1)]
    assert fit(passages, 15, cut=first_sentences) == [passages[0]]
    assert fit([], 5, cut=first_sentences) == []


def test_newest_whole_goes_on_past_what_does_not_fit():
    passages = [Passage("aa", 0), Passage("bbbbbbbb", 1), Passage("cc", 2)]
    assert newest_whole(passages, 7) == ([passages[0], passages[2]], 1)
