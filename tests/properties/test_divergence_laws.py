"""Laws of the search for the first divergence, for every length and every judge, and of what sessions come to."""

from hypothesis import given
from hypothesis import strategies as st

from foldproof.logs import Called, ImportedSession, Said
from foldproof.score.divergence import halvings, most_questions, search_divergence
from foldproof.score.grades import Ruling, grade_session, tally_of, verdict_of
from foldproof.score.signs import KINDS, find_signs
from foldproof.score.steps import steps_of
from foldproof.score.transcripts import beginning


def searched(steps, answer):
    search = search_divergence(steps)
    asked = [next(search)]
    while True:
        try:
            asked.append(search.send(answer(asked[-1])))
        except StopIteration as found:
            return found.value, asked


@given(steps=st.integers(1, 5000), data=st.data())
def test_a_perfect_judge_finds_the_planted_step_within_the_logarithm_and_its_neighbours(steps, data):
    planted = data.draw(st.integers(1, steps))
    found, asked = searched(steps, lambda length: "open" if length < planted else "lost")
    assert (found.step, found.doubts) == (planted, ())
    assert len(asked) <= halvings(steps) + 2


@given(steps=st.integers(1, 300), data=st.data())
def test_no_judge_is_asked_more_than_is_said_and_none_twice(steps, data):
    words = st.sampled_from(["open", "lost", "cannot tell"])
    found, asked = searched(steps, lambda _: data.draw(words))
    assert len(asked) == len(set(asked)) == len(found.answers) <= most_questions(steps)
    assert all(0 <= length <= steps for length in asked)


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


@given(steps=st.integers(2, 300), data=st.data())
def test_a_found_step_stands_between_an_open_and_a_lost_beginning(steps, data):
    found, _ = searched(steps, lambda _: data.draw(st.sampled_from(["open", "lost", "cannot tell"])))
    opened, lost = found.between
    assert 0 <= opened < lost <= steps
    if found.step is not None:
        assert (opened, lost) == (found.step - 1, found.step)
        assert found.answers.get(opened, "open") != "lost" or opened == 0
        assert found.answers.get(lost, "lost") != "open" or lost == steps


VERDICTS = st.sampled_from(["met", "not met", "cannot tell", "error", "unknown"])
RANK = {"pass": 0, "inconclusive": 1, "blocked": 2}


@given(verdicts=st.lists(VERDICTS, min_size=1, max_size=12), place=st.integers(0), need=st.none() | st.integers(1, 12))
def test_a_failure_to_judge_in_place_of_a_verdict_never_improves_what_sessions_come_to(verdicts, place, need):
    def come_to(words):
        grades = [grade_session("s", (), ruling=Ruling(word)) for word in words]
        tally = tally_of(grades)
        assert tally.sessions == len(words)
        return verdict_of(tally, need)[0]

    place %= len(verdicts)
    if verdicts[place] != "not met":
        worse = [*verdicts[:place], "error", *verdicts[place + 1 :]]
        assert RANK[come_to(worse)] >= RANK[come_to(verdicts)]
    assert come_to([*verdicts, "error"]) != "pass" or come_to(verdicts) == "pass"


WORDS = st.text(max_size=30) | st.sampled_from(
    ["No, I meant order 4021.", "order 4022", "Done.", "What is your order?"]
)
ENTRIES = st.lists(
    st.builds(Said, st.sampled_from(["user", "agent", "system"]), WORDS, kind=st.sampled_from(["said", "thought"]))
    | st.builds(
        Called,
        st.sampled_from(["", "look"]),
        st.dictionaries(st.sampled_from(["order_id", "q"]), st.integers(0, 5000) | WORDS, max_size=2),
        st.none() | WORDS,
        st.booleans(),
        by=st.sampled_from(["agent", "user", "tool"]),
    ),
    max_size=14,
)


@given(entries=ENTRIES, length=st.integers(0, 16))
def test_signs_blame_steps_of_the_agent_and_show_at_or_after_them(entries, length):
    steps = steps_of(ImportedSession("s", tuple(entries)))
    own = {step.number for step in steps if step.by_agent}
    for sign in find_signs(steps):
        assert sign.step in own
        assert sign.shown_at >= sign.step
        assert sign.kind in KINDS
    assert bool(find_signs(steps)) == bool(own)
    begun = beginning(steps, length)
    assert tuple(begun) == tuple(steps[: len(begun)])
    assert sum(step.by_agent for step in begun) == min(length, len(own))


@given(entries=ENTRIES, more=ENTRIES)
def test_a_sign_shows_in_what_happened_up_to_it(entries, more):
    """What comes later takes no sign back: but for wishes of the user, and the first act, where nothing else is."""
    whole = [entry for entry in more if not (isinstance(entry, Said) and entry.role == "user")]
    first = find_signs(steps_of(ImportedSession("s", tuple(entries))))
    later = find_signs(steps_of(ImportedSession("s", (*entries, *whole))))
    kept = {(sign.kind, sign.step) for sign in first if sign.kind != "first act"}
    assert kept <= {(sign.kind, sign.step) for sign in later}
