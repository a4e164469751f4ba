"""Drafted cases: what stands in the past and in the answer, and nothing else."""

from __future__ import annotations

import pytest

from foldproof.cases import DRAFT
from foldproof.cases.drafting import draft_cases, draft_facts
from foldproof.logs import Session, Turn


def past(*said, agent=()):
    return [Session("s1", (*(Turn("user", text) for text in said), *(Turn("agent", text) for text in agent)))]


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
    asked = "Where was it on 3 March 2026?"
    assert len(draft_cases(asked, draft_facts(asked, "In Lisbon.", past(said)), history="h")) == 1


def test_ids_are_free_and_several_sources_are_told_a_fact():
    drafted = draft_facts("Which are it?", "8443 and 77.", past("It is 8443.", "It is 77."))
    (case,) = draft_cases("Which are it?", drafted, history="h", taken={"mined"})
    assert case.id == "mined-2"
    assert [str(about.source[0]) for about in case.provenance.values()] == ["h/s1.t1", "h/s1.t2"]
    assert draft_cases("Which?", (), history="h") == ()
