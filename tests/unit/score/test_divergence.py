"""The search for the first divergence: its answers, its doubts, and how much it asks."""

import pytest

from foldproof.score.divergence import halvings, most_questions, search_divergence


def searched(steps, answer):
    """What the search found and the lengths that it asked about; `answer` is the judge."""
    search = search_divergence(steps)
    asked = [next(search)]
    while True:
        try:
            asked.append(search.send(answer(asked[-1])))
        except StopIteration as found:
            return found.value, asked


def from_step(step):
    return lambda length: "open" if length < step else "lost"


def test_a_judge_that_is_right_leads_to_the_step():
    found, asked = searched(12, from_step(7))
    assert (found.step, found.between, found.doubts) == (7, (6, 7), ())
    assert asked == [6, 9, 7, 5, 8]
    assert found.answers == {5: "open", 6: "open", 7: "lost", 8: "lost", 9: "lost"}


def test_the_ends_are_asked_where_the_step_lies_beside_them():
    assert searched(8, from_step(1))[1] == [4, 2, 1, 0]
    assert searched(8, from_step(8))[1] == [4, 6, 7, 8]
    assert searched(1, from_step(1))[1] == [0, 1]


def test_a_judge_that_errs_at_one_place_is_not_believed():
    def noisy(length):
        return "lost" if length == 5 else from_step(7)(length)

    found, _ = searched(12, noisy)
    assert found.step == 7
    assert found.doubts == ("the judge holds the goal lost after step 5, and within reach after step 6",)


def test_a_judge_that_always_says_within_reach_finds_an_unfinished_session():
    found, _ = searched(5, lambda _: "open")
    assert found.step == 5
    assert found.doubts == (
        "the judge holds that the goal was still within reach at the end: the session was not finished",
    )


def test_a_judge_that_always_says_lost_finds_a_goal_that_was_never_in_reach():
    found, _ = searched(5, lambda _: "lost")
    assert found.step == 1
    assert found.doubts == ("the judge holds that the goal was out of reach before the agent's first step",)


def test_a_judge_that_cannot_tell_leaves_the_step_open():
    found, asked = searched(12, lambda _: "cannot tell")
    assert (found.step, found.between, asked) == (None, (0, 12), [6, 7])
    assert found.doubts == ("the judge cannot tell where between step 1 and step 12",)


def test_one_answer_that_does_not_tell_is_worked_around():
    found, asked = searched(12, lambda length: "cannot tell" if length == 6 else from_step(8)(length))
    assert (found.step, asked) == (8, [6, 7, 9, 8])
    assert found.doubts == ("the judge cannot tell after step 6",)


def test_a_last_pair_that_does_not_tell_has_no_neighbour_to_ask():
    found, asked = searched(2, lambda _: "cannot tell")
    assert (found.step, asked) == (None, [1])


def test_a_session_without_a_step_has_nothing_to_search():
    with pytest.raises(ValueError, match="without a step"):
        next(search_divergence(0))


@pytest.mark.parametrize(("steps", "times"), [(0, 0), (1, 0), (2, 1), (3, 2), (4, 2), (5, 3), (1024, 10)])
def test_halvings_are_the_logarithm(steps, times):
    assert (halvings(steps), most_questions(steps)) == (times, 2 * times + 2)
