"""Laws of the search for the first divergence, for every length and every judge."""

from hypothesis import given, settings
from hypothesis import strategies as st

from foldproof.score.divergence import halvings, most_questions, search_divergence

STEADY = settings(deadline=None)


def searched(steps, answer):
    search = search_divergence(steps)
    asked = [next(search)]
    while True:
        try:
            asked.append(search.send(answer(asked[-1])))
        except StopIteration as found:
            return found.value, asked


@STEADY
@given(steps=st.integers(1, 5000), data=st.data())
def test_a_perfect_judge_finds_the_planted_step_within_the_logarithm_and_its_neighbours(steps, data):
    planted = data.draw(st.integers(1, steps))
    found, asked = searched(steps, lambda length: "open" if length < planted else "lost")
    assert (found.step, found.doubts) == (planted, ())
    assert len(asked) <= halvings(steps) + 2


@STEADY
@given(steps=st.integers(1, 300), data=st.data())
def test_no_judge_is_asked_more_than_is_said_and_none_twice(steps, data):
    words = st.sampled_from(["open", "lost", "cannot tell"])
    found, asked = searched(steps, lambda _: data.draw(words))
    assert len(asked) == len(set(asked)) == len(found.answers) <= most_questions(steps)
    assert all(0 <= length <= steps for length in asked)


@STEADY
@given(steps=st.integers(1, 300), data=st.data())
def test_answers_that_contradict_each_other_are_never_hidden(steps, data):
    found, _ = searched(steps, lambda _: data.draw(st.sampled_from(["open", "lost"])))
    answers = found.answers
    against = [
        (early, late)
        for early in answers for late in answers
        if early < late and (answers[early], answers[late]) == ("lost", "open")
    ]  # fmt: skip
    assert bool(found.doubts) == (bool(against) or answers.get(0) == "lost" or answers.get(steps) == "open")
    assert all(any(f"step {early}, " in doubt and f"step {late}" in doubt for doubt in found.doubts)
               for early, late in against)  # fmt: skip


@STEADY
@given(steps=st.integers(2, 300), data=st.data())
def test_a_found_step_stands_between_an_open_and_a_lost_beginning(steps, data):
    found, _ = searched(steps, lambda _: data.draw(st.sampled_from(["open", "lost", "cannot tell"])))
    opened, lost = found.between
    assert 0 <= opened < lost <= steps
    if found.step is not None:
        assert (opened, lost) == (found.step - 1, found.step)
        assert found.answers.get(opened, "open") != "lost" or opened == 0
        assert found.answers.get(lost, "lost") != "open" or lost == steps
