"""What was redacted before the agent was told it, and what recording took out of its answer."""

import pytest

from foldproof.cases import Case
from foldproof.logs import History, PastTurn, Session, Turn
from foldproof.matching import Fact
from foldproof.record import Trial
from foldproof.score import score_run, score_trial
from foldproof.score.hidden import hides, redacted_lines

SAID = ("My port is 8443.", "For the server: [redacted]\nkeep it: token=[redacted], please", "[redacted]")
HISTORIES = {"talk": History("talk", (Session("s1", tuple(Turn("user", text) for text in SAID)),))}
CASE = Case("a", "Which port?", history="talk", expected=(Fact("normalized", "8443"),))


@pytest.mark.parametrize(
    ("answer", "outcome"),
    [
        ("My port is 8443. For the server: [redacted]", "pass"),
        ("[s1] user: For the server: [redacted]\nkeep it: token=[redacted], please", "fail"),
        ("For the server: [redacted]\nIt is [redacted]", "error"),
        ("Not meant For the server: [redacted]-8", "error"),
        ("[redacted]", "error"),
        ("For the server:", "fail"),
    ],
)
def test_a_fact_is_missed_where_the_answer_repeats_what_was_redacted_before(answer, outcome):
    trial = Trial("a", 0, answer)
    assert score_trial(CASE, trial, histories=HISTORIES).outcome == outcome
    assert score_run([CASE], [trial], histories=HISTORIES)["a"].outcome == outcome


def test_without_the_history_it_is_not_known_what_a_mark_stands_for():
    trial = Trial("a", 0, "For the server: [redacted]")
    assert score_trial(CASE, trial).outcome == "error"
    assert score_trial(CASE, trial, histories={"another": HISTORIES["talk"]}).outcome == "error"


def test_a_forbidden_fact_may_stand_in_any_part_that_was_redacted():
    case = Case("a", "Which?", history="talk", expected=CASE.expected, forbidden=(Fact("normalized", "hunter"),))
    trial = Trial("a", 0, "My port is 8443. For the server: [redacted]")
    assert score_trial(case, trial, histories=HISTORIES).outcome == "error"


def test_the_question_and_the_frozen_turns_are_told_too():
    case = Case("a", "What is [redacted] for?", frozen=(PastTurn("user", "Take key [redacted] now"),))
    assert redacted_lines(case, {}) == ("Take key [redacted] now", "What is [redacted] for?")
    assert not hides("Take key [redacted] now", redacted_lines(case, {}))
    assert hides("Take key [redacted] later", redacted_lines(case, {}))
