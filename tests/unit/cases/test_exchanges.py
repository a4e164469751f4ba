"""An exchange: what stands before a question that was asked last, what was answered, and what a memory held then."""

from __future__ import annotations

import json

import pytest

from foldproof.cases.exchanges import exchange_of
from foldproof.logs import Called, Fold, ImportedSession, MemoryItem, MemoryOperation, Said, Session, Turn, moment_of

AT = "2026-03-04T09:00:00Z"


def user(text):
    return Said("user", text, moment_of(AT))


def agent(text, kind="said"):
    return Said("agent", text, kind=kind)


def read(*items, text="", via="search_memory"):
    return MemoryOperation("read", text, tuple(items), via, moment_of(AT))


def wrote(text, via="save_memory"):
    return MemoryOperation("write", text, via=via)


def held(*entries, before=(), **of):
    """The texts that a memory held when the port was asked for, with these entries between question and answer."""
    sessions = [
        ImportedSession("s1", before),
        ImportedSession("s2", (user("Which port?"), *entries, agent("8443."), user("Thanks."), wrote("later"))),
    ]
    return [session.turns[0].text for session in exchange_of("Which port?", sessions, **of).held]


def test_the_last_place_of_the_words_counts_with_what_was_said_before_and_the_answer_up_to_the_next_message():
    sessions = [
        ImportedSession("a", (user("which port"), agent("Old."))),
        ImportedSession("a", (agent("thinking", "thought"),)),
        ImportedSession(
            "", (agent("Hello."), user("Which  port?"), agent("hm", "interim"), agent("8443."), Called("f"),
                 agent("Yes."), user("Thanks."), agent("Bye."))
        ),
        ImportedSession("b", (user("Something else?"),)),
    ]  # fmt: skip
    exchange = exchange_of("Which port?", sessions)
    assert (exchange.question, exchange.answer) == ("Which port?", "8443.\nYes.")
    assert exchange.past == (
        Session("a", (Turn("user", "which port"), Turn("agent", "Old.")), AT),
        Session("session", (Turn("agent", "Hello."),), AT),
    )
    assert exchange.held == ()


def test_sessions_of_one_name_get_names_of_their_own():
    sessions = [ImportedSession(name, (user(f"It is {at}."),)) for at, name in enumerate(("a", "a", "a-2", "b"))]
    exchange = exchange_of("It is 3.", sessions)
    assert [session.id for session in exchange.past] == ["a", "a-2", "a-2-2"]


def test_a_question_that_is_not_there_has_no_answer():
    exchange = exchange_of("Why?", [ImportedSession("a", (user("Which port?"), agent("8443.")))])
    assert (exchange.answer, exchange.past, exchange.held) == ("", (), ())


def test_what_a_memory_held_is_what_was_read_or_written_before_the_answer():
    looked_up = read(MemoryItem("The port is 8443."), text="port")
    assert held(looked_up, before=(wrote("Likes tea."),)) == ["Likes tea.", "The port is 8443."]
    assert held(wrote("written after the question"), agent("x")) == []
    assert held(before=(Fold("summary", "They use port 8443."), Fold("boundary"))) == ["They use port 8443."]


def test_a_query_is_nothing_that_a_memory_held_and_what_was_deleted_is_held_no_more():
    assert held(read(text="port 8443")) == []
    assert held(before=(wrote("The port is 8443.", "delete_memory"), wrote("", "save"))) == []
    assert held(before=(wrote("The port is 8443.", "save_memory"),)) == ["The port is 8443."]


def test_an_item_of_another_user_and_one_that_was_not_given_are_left_out():
    items = [MemoryItem("mine", user="ada"), MemoryItem("all's"), MemoryItem("other's", user="ben"),
             MemoryItem("cut", dropped="beyond k")]  # fmt: skip
    assert held(read(*items), user="ada") == ["mine", "all's"]
    assert held(read(*items)) == ["all's"]


def test_a_result_that_lists_items_is_taken_apart_and_the_same_text_stands_once_in_its_last_place():
    listed = json.dumps({"results": [{"memory": "The port is 8443."}, {"memory": "Likes tea."}]})
    assert held(read(MemoryItem(listed)), before=(wrote("Likes tea."), wrote("Has a cat."))) == [
        "Has a cat.", "The port is 8443.", "Likes tea.",
    ]  # fmt: skip


def test_a_memory_item_is_a_session_of_its_own_with_its_time_and_a_free_name():
    sessions = [ImportedSession("memory-1", (wrote("Likes tea."), user("Hi."))),
                ImportedSession("s", (user("Which?"), read(MemoryItem("8443")), agent("8443")))]  # fmt: skip
    exchange = exchange_of("Which?", sessions)
    assert exchange.held == (
        Session("memory-1-2", (Turn("agent", "Likes tea."),), ""),
        Session("memory-2", (Turn("agent", "8443"),), AT),
    )


@pytest.mark.parametrize("question", ["which port", "WHICH PORT?!"])
def test_case_blanks_and_marks_play_no_part(question):
    assert exchange_of(question, [ImportedSession("a", (user("Which port?"), agent("8443.")))]).answer == "8443."
