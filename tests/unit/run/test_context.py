"""What a control puts in front of a question: one fixed wording, and a reason where it cannot."""

import pytest

from foldproof.cases import Case, Expectation, ExpectedCall
from foldproof.logs import History, Session, Turn
from foldproof.matching import Fact
from foldproof.run import context
from foldproof.run.context import context_gap, context_of, written_fact

HISTORY = History(
    "acme",
    (
        Session("s1", (Turn("user", "I take no NSAIDs."), Turn("agent", "Noted.\nAnything else?")), "2026-03-01"),
        Session("s2", (Turn("user", "I moved to Ghent."),)),
    ),
)
PATTERN = Fact("pattern", r"\d+ min")


def a_case(*facts, **fields):
    return Case("c", "Which?", expected=facts, **fields)


def test_the_wording_is_fixed_and_a_change_of_it_is_a_new_version():
    facts = (Fact("normalized", "Postgres 15"), Fact("exact", "raw SQL"))
    assert context.CONTEXT_VERSION == "context/1"
    assert context_of(a_case(*facts), "oracle", None).before("Which?") == (
        "What is known:\n- Postgres 15\n- raw SQL\n\nQuestion: Which?"
    )
    assert context_of(a_case(), "full", HISTORY).before("Which?") == (
        "What was said before:\n[s1, 2026-03-01]\nuser: I take no NSAIDs.\nagent: Noted.\nAnything else?\n"
        "[s2]\nuser: I moved to Ghent.\n\nQuestion: Which?"
    )


@pytest.mark.parametrize(
    ("fact", "written"),
    [
        (Fact("normalized", "Postgres 15"), "Postgres 15"),
        (Fact("exact", "raw SQL"), "raw SQL"),
        (Fact("number", "1234.50"), "1234.50"),
        (Fact("date", "2026-03-04"), "2026-03-04"),
        (Fact("judged", "advises against an ORM"), "advises against an ORM"),
        (Fact("any", any=(Fact("normalized", "Ghent"), Fact("normalized", "Gent"))), "Ghent"),
        (Fact("any", any=(PATTERN, Fact("normalized", "12 min"))), "12 min"),
        (Fact("any", any=(PATTERN,)), None),
        (PATTERN, None),
    ],
)
def test_a_fact_is_written_down_as_far_as_it_has_words(fact, written):
    assert written_fact(fact) == written
    assert bool(context_gap(a_case(fact), "oracle", None)) is (written is None)


def test_one_fact_without_words_is_enough_for_no_oracle():
    """An oracle that is told half would fail, and the case would be called broken."""
    told = context_gap(a_case(Fact("normalized", "eu-west-1"), PATTERN), "oracle", HISTORY)
    assert told == r"a pattern cannot be written down: 'pattern: \d+ min'"


def test_without_a_history_there_is_no_full_context():
    assert context_gap(a_case(), "full", None) == "no history is named that could be put into the prompt"
    assert context_of(a_case(), "full", None) is None
    assert context_gap(a_case(PATTERN), "full", HISTORY) == ""


def test_a_history_that_no_prompt_holds_is_told_with_its_size(monkeypatch):
    size = len(context_of(a_case(), "full", HISTORY).before("")) - len("\n\nQuestion: ")
    monkeypatch.setattr(context, "LONGEST", size)
    assert context_gap(a_case(), "full", HISTORY) == ""
    monkeypatch.setattr(context, "LONGEST", size - 1)
    assert context_gap(a_case(), "full", HISTORY) == (
        f"the history has {size} characters, more than the {size - 1} of one prompt"
    )


def test_who_is_to_admit_ignorance_or_expects_nothing_is_told_nothing():
    assert context_of(a_case(Fact("normalized", "x"), abstain=True), "oracle", HISTORY) is None
    assert context_of(a_case(), "oracle", HISTORY) is None
    assert context_gap(a_case(PATTERN, abstain=True), "oracle", HISTORY) == ""


def test_what_the_reply_is_to_mention_is_told_too():
    mentions = Expectation("reply_mentions", fact=Fact("normalized", "store credit"))
    omits = Expectation("reply_omits", fact=Fact("normalized", "card"))
    case = a_case(Fact("normalized", "kettle"), expect=(omits, mentions))
    assert context_of(case, "oracle", None).before("?") == "What is known:\n- kettle\n- store credit\n\nQuestion: ?"
    assert context_gap(case, "oracle", None) == ""
    pattern = Expectation("reply_mentions", fact=PATTERN)
    assert "a pattern cannot be written down" in context_gap(a_case(expect=(pattern,)), "oracle", None)


def test_a_case_that_expects_only_calls_has_no_oracle():
    """It would be asked with nothing told, fail, and be called broken."""
    case = a_case(expect=(Expectation("tool_called", (ExpectedCall("refund"),)),))
    assert context_gap(case, "oracle", None) == "it expects no fact that could be told, only calls"
    assert context_gap(case, "full", HISTORY) == ""
