"""Drafted cases: what stands in the past and in the answer, and nothing else."""

from __future__ import annotations

from time import process_time

import pytest

from foldproof.cases import DRAFT
from foldproof.cases.drafting import (
    DraftedFact,
    Exchange,
    answer_words,
    draft_cases,
    draft_of_answer,
    joined_facts,
    proposed,
    shortened,
    sourced,
)
from foldproof.cases.drafting import draft_facts as facts_of
from foldproof.logs import Session, Turn


def past(*said, agent=()):
    return [Session("s1", (*(Turn("user", text) for text in said), *(Turn("agent", text) for text in agent)))]


def draft_facts(question, answer, said):
    return facts_of(Exchange(question, answer, tuple(said)))


def facts(question, answer, *said, agent=()):
    return [fact.text for fact in draft_facts(question, answer, past(*said, agent=agent))]


@pytest.mark.parametrize(
    ("question", "answer", "said", "wanted"),
    [
        ("Which port?", "It is 8443.", "The staging port is 8443.", ["8443"]),
        ("Which port?", "It is 8443.", "The staging port is 84430.", []),
        ("Is it 8443?", "Yes, it is 8443.", "The staging port is 8443.", []),
        ("Who is she?", "That is Ines Carvalho.", "My sister is Ines Carvalho.", ["Ines Carvalho"]),
        ("When is it?", "It was on 3 March 2026.", "We moved on 3 March 2026.", ["3 March 2026"]),
        ("Wann war es?", "Das war am 3. März 2026.", "Umzug am 3. März 2026.", ["3. März 2026"]),
        ("May I?", "No, never on a Friday.", "Never restart it on a Friday.", ["on a Friday"]),
        ("Which milk do I take?", "You take oat milk.", "I prefer oat milk.", ["oat milk"]),
        ("Which milk do I take?", "You take oat milk.", "I saw oat milk.", []),
        ("What is it?", "It is [redacted]9.", "It is [redacted]9.", []),
        ("What is it?", "I do not know.", "Never mind that.", []),
    ],
)
def test_a_fact_stands_in_both_and_not_in_the_question(question, answer, said, wanted):
    assert facts(question, answer, said) == wanted


def test_the_users_last_word_is_the_source_and_the_agents_counts_where_the_user_said_nothing():
    talk = [
        Session("a", (Turn("user", "Port 8443."), Turn("agent", "8443, yes."))),
        Session("b", (Turn("user", "So it is 8443 still. Good."), Turn("agent", "8443. And 77 too."))),
    ]
    port, other = draft_facts("Which?", "8443 and 77.", talk)
    assert (port.session, port.turn, port.sentence) == ("b", 1, "So it is 8443 still.")
    assert (other.text, other.session, other.turn) == ("77", "b", 2)


@pytest.mark.parametrize(
    ("question", "answer", "said", "wanted"),
    [
        ("Which port?", "8443", "The port is 8443.", "semantic"),
        ("May I eat it?", "No: allergic to hazelnuts.", "I am allergic to hazelnuts.", "safety"),
        ("Who is my boss?", "It is Ines.", "My boss is called Ines.", "identity"),
        ("What do I take?", "You take oat milk.", "I prefer oat milk.", "preference"),
        ("When did we move?", "On 3 March 2026.", "We moved on 3 March 2026.", "episodic"),
    ],
)
def test_the_class_goes_by_rules(question, answer, said, wanted):
    (case,) = draft_cases(question, draft_facts(question, answer, past(said)), history="h")
    assert (case.case_class, case.tags, [str(source) for source in case.source]) == (wanted, (DRAFT,), ["h/s1.t1"])


def test_a_dated_event_that_states_what_stands_proposes_its_twin():
    said = "On 3 March 2026 we moved the backup to Lisbon."
    own, twin = draft_cases("Where is it?", draft_facts("Where is it?", "In Lisbon.", past(said)), history="h")
    assert (own.case_class, [fact.text for fact in own.expected]) == ("semantic", ["Lisbon"])
    assert (twin.case_class, twin.question) == ("episodic", "Where is it? Since when?")
    assert ([fact.text for fact in twin.expected], twin.tags) == (["3 March 2026"], (DRAFT,))
    strict = draft_cases(
        "Where is it?", draft_facts("Where is it?", "In Lisbon.", past(f"{said} Never tell.")), history="h"
    )
    assert [case.case_class for case in strict] == ["semantic", "episodic"]
    rule = "Never forget: on 3 March 2026 we moved the backup to Lisbon."
    held = draft_cases("Where is it?", draft_facts("Where is it?", "In Lisbon.", past(rule)), history="h")
    assert [case.case_class for case in held] == ["safety", "episodic"]
    asked = "Where was it on 3 March 2026?"
    assert len(draft_cases(asked, draft_facts(asked, "In Lisbon.", past(said)), history="h")) == 1


def test_ids_are_free_and_several_sources_are_told_a_fact():
    drafted = draft_facts("Which are it?", "8443 and 77.", past("It is 8443.", "It is 77."))
    (case,) = draft_cases("Which are it?", drafted, history="h", taken={"mined"})
    assert case.id == "mined-2"
    assert [str(about.source[0]) for about in case.provenance.values()] == ["h/s1.t1", "h/s1.t2"]
    assert draft_cases("Which?", (), history="h") == ()


@pytest.mark.parametrize(
    "text", ["-" * 200_000, "." * 200_000, "A" * 200_000, "never " * 20_000, "1" * 200_000, "Ab " * 50_000]
)
def test_a_long_answer_takes_no_longer_than_its_length(text):
    started = process_time()
    draft_facts("What?", text, past("Never say that. It is Ines at 8443."))
    assert process_time() - started < 3


def test_a_log_of_three_users_is_drafted_as_it_was_planted():
    """Each user told the same kinds of things in other words; of each only what was told and answered is a fact."""
    planted = {
        "baker": (
            "The oven timer code is 4471.",
            "What is the oven timer code?",
            "It is 4471, and 12 loaves fit.",
            ["4471"],
        ),
        "engineer": (
            "Staging runs Postgres 15 now.",
            "What does staging run?",
            "It runs Postgres 15.",
            ["15", "Postgres"],
        ),
        "traveller": (
            "I am allergic to cashew nuts.",
            "May I eat this?",
            "No, cashew nuts are in it.",
            ["cashew nuts"],
        ),
    }
    pasts = {user: [Session(user, (Turn("user", told),))] for user, (told, *_) in planted.items()}
    for user, (_, question, answer, wanted) in planted.items():
        assert [fact.text for fact in draft_facts(question, answer, pasts[user])] == wanted
        for other in pasts.keys() - {user}:
            assert draft_facts(question, answer, pasts[other]) == ()


def test_a_memory_item_is_the_source_where_nobody_said_it_in_a_turn():
    item = Session("memory-1", (Turn("agent", "Staging port: 8443. Region: eu-west-1."),))
    told = Session("a", (Turn("user", "We run in eu-west-1."), Turn("system", "77")))
    port, region = facts_of(Exchange("Where?", "Port 8443 in eu-west-1, 77.", (told,), (item,)))
    assert (port.text, port.session, port.turn, port.sentence) == ("8443", "memory-1", 1, "Staging port: 8443.")
    assert (region.text, region.session) == ("eu-west-1", "a")


@pytest.mark.parametrize(
    ("span", "why"),
    [
        ("8443", ""),
        ("8444", "not in the answer"),
        ("staging", "in the question"),
        ("now", "says nothing by itself"),
        ("…", "says nothing by itself"),
        ("[redacted]", "says nothing by itself"),
        ("eu-west-1", "in nothing that was known before"),
    ],
)
def test_what_is_no_fact_says_why(span, why):
    exchange = Exchange("Which staging port?", "Staging: 8443 now in eu-west-1. [redacted]", tuple(past("It is 8443.")))
    found = sourced(exchange, span)
    assert found == (why or DraftedFact("8443", "s1", 1, "It is 8443."))


@pytest.mark.parametrize(
    ("said", "proposed", "wanted"),
    [
        ("The port is 8443.", "preference", "preference"),
        ("The port is 8443.", "canary", "semantic"),
        ("The port is 8443.", "", "semantic"),
        ("Never close port 8443.", "semantic", "safety"),
    ],
)
def test_a_proposed_class_holds_where_the_rules_do_not_say_safety(said, proposed, wanted):
    drafted = draft_facts("Which port?", "8443", past(said))
    (case,) = draft_cases("Which port?", drafted, history="h", proposed_class=proposed)
    assert case.case_class == wanted


def test_further_facts_that_say_something_else_are_joined_up_to_five():
    first, *others = [
        DraftedFact(text, "s", 1, "") for text in ("port 8443", "8443", "a b", "c d", "e f", "g h", "i j")
    ]
    joined = joined_facts([first], others)
    assert [fact.text for fact in joined] == ["port 8443", "a b", "c d", "e f", "g h"]


@pytest.mark.parametrize(
    ("question", "answer", "said", "wanted"),
    [
        ("What is the capital of Norway?", "The capital of Norway is Oslo. It has 700,000 people.", "", ("Oslo",)),
        ("What is 2 plus 2?", "It is 4.", "", ("4",)),
        ("Which weekday is it?", "Let me see. 2026-03-02 is a Monday.", "", ("2026-03-02", "Monday")),
        ("Is it 381?", "It is 381.", "", ()),
        ("Which is it?", "It is 381.", "I saw 381.", ()),
        ("Is a tomato a fruit?", "Yes, it is.", "", ()),
        ("Which element?", "Its symbol is He.", "", ()),
    ],
)
def test_words_of_an_answer_stand_neither_in_the_question_nor_in_the_past(question, answer, said, wanted):
    assert answer_words(Exchange(question, answer, tuple(past(said)))) == wanted


def test_a_draft_of_an_answer_has_no_source():
    case = draft_of_answer("What is 2 plus 2?", ("4",), history="h", taken={"2-plus-2"})
    assert (case.id, case.history, case.source, case.tags) == ("2-plus-2-2", "h", (), (DRAFT,))
    assert [fact.text for fact in case.expected] == ["4"]
    assert draft_of_answer("Why?", (), history="").expected == ()


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("the spare key hangs behind the red bookcase", "behind the red bookcase"),
        ("It is behind the red bookcase, said Ines.", "behind the red bookcase"),
        ("You told me once that it is behind the red bookcase.", None),
        ("a red bookcase", None),
        ("behind the blue sofa", None),
        ("the blue sofa is here", None),
        ("", None),
    ],
)
def test_of_a_proposal_the_longest_words_that_keep_to_the_rule_are_taken(text, wanted):
    told = past("The spare key hangs behind the red bookcase. Is the blue sofa here?")
    exchange = Exchange("Where is the spare key?", "Behind the red bookcase is the place.", tuple(told))
    found = shortened(exchange, text)
    assert (found and found.text) == wanted


@pytest.mark.parametrize(
    ("text", "fits"),
    [
        ("C", True),
        ("C++", False),
        ("42", True),
        ("-42", False),
        ("not vegetarian", True),
        ("vegetarian", False),
        ("_", False),
    ],
)
def test_what_the_logged_answer_itself_would_fail_is_not_proposed(text, fits):
    """The span rule goes by words: without the matcher a case could be drafted that no right answer passes."""
    said = "I use C in room 42, and I am not vegetarian, _ as you know."
    exchange = Exchange("What do you know?", "You use C in room 42, and you are not vegetarian _ .", tuple(past(said)))
    assert isinstance(sourced(exchange, text), DraftedFact)
    found = proposed(exchange, text)
    assert (found == "not in the answer") is not fits
    assert isinstance(found, DraftedFact) is fits
