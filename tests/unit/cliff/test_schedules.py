"""What a round is given, and how much of it may stay."""

import pytest

from foldproof.cliff import Document
from foldproof.cliff.schedules import course_of
from foldproof.compaction import count_tokens
from foldproof.core import UsageError

TEXT = Document("one", "\n".join(f"line {number} of the document" for number in range(40)))
SIZE = count_tokens(TEXT.text)
TALK = [f"user: said {number}" for number in range(99)]


@pytest.mark.parametrize(
    ("schedule", "budgets"),
    [
        ("progressive", [SIZE // 2, SIZE // 4, SIZE // 8]),
        ("window", [SIZE // 2] * 3),
        ("budget", [SIZE // 2] * 3),
    ],
)
def test_budgets_are_fixed_by_the_document_alone(schedule, budgets):
    assert list(course_of(TEXT, schedule, 0.5, rounds=3, talk=TALK).budgets) == budgets


def test_a_budget_is_never_nothing():
    assert course_of(TEXT, "progressive", 0.1, rounds=10, talk=()).budgets[-1] == 1


def test_progressive_rounds_go_on_from_what_was_kept():
    course = course_of(TEXT, "progressive", 0.5, rounds=3, talk=())
    assert [course.given(1, ""), course.given(2, "kept"), course.said(3)] == [TEXT.text, "kept", TEXT.text]


def test_a_window_is_filled_up_again_with_new_talk():
    course = course_of(TEXT, "window", 0.5, rounds=3, talk=TALK)
    given = course.given(2, "kept")
    assert given.splitlines()[:2] == ["kept", "user: said 0"]
    room = SIZE - course.budgets[0]
    assert room - 4 < count_tokens(course.talk[1]) <= room
    assert course.talk[2].splitlines()[0] not in course.talk[1].splitlines()
    assert course.given(2, "") == course.talk[1]


def test_a_history_is_given_whole_each_time():
    window, budget = (course_of(TEXT, name, 0.5, rounds=3, talk=TALK) for name in ("window", "budget"))
    assert budget.talk == window.talk
    assert budget.given(3, "kept") == f"{TEXT.text}\n{budget.talk[1]}\n{budget.talk[2]}"


def test_talk_begins_anew_at_its_end_and_is_alike_for_more_rounds():
    few, more = (course_of(TEXT, "window", 0.1, rounds=rounds, talk=TALK[:3]) for rounds in (2, 4))
    assert more.talk[:2] == few.talk
    assert few.talk[1].splitlines()[:4] == [*TALK[:3], TALK[0]]


def test_a_line_longer_than_the_room_is_said_all_the_same():
    assert course_of(Document("one", "short text"), "window", 0.9, rounds=2, talk=["x" * 99]).talk[1] == "x" * 99


def test_what_the_document_says_itself_is_not_said_again():
    talk = ["LINE 3   of the document", " ", "user: said 1"]
    assert set(course_of(TEXT, "window", 0.5, rounds=2, talk=talk).talk[1].splitlines()) == {"user: said 1"}
    with pytest.raises(UsageError, match="name other talk with --talk"):
        course_of(TEXT, "budget", 0.5, rounds=2, talk=talk[:2])
    assert course_of(TEXT, "budget", 0.5, rounds=1, talk=()).talk == ("",)
