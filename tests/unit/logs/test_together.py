"""Which calls of a log were made at once: those before whose making no result was known."""

from foldproof.logs import Called, MemoryOperation
from foldproof.logs.draft import Call, Draft, Message, Result
from foldproof.logs.tally import Tally


def call(name, id_=""):
    return Call(name, {}, id_)


def made(*steps):
    """The calls of a session, each with whether it goes with the one before."""
    draft = Draft("s", Tally())
    for step in steps:
        if isinstance(step, Call):
            draft.call(step)
        elif isinstance(step, Result):
            draft.answer(step)
        else:
            draft.take(step)
    return [(entry.name, entry.together) for entry in draft.done().of_kind(Called)]


def test_calls_of_one_message_go_together():
    both = Message("agent", "Let me look.", (call("a", "1"), call("b", "2")))
    assert made(both, Message("tool", results=(Result("1", "x"), Result("2", "y")))) == [("a", False), ("b", True)]


def test_a_call_that_knew_the_result_before_it_is_a_step_of_its_own():
    assert made(call("a", "1"), Result("1", "x"), call("b", "2"), Result("2", "y")) == [("a", False), ("b", False)]


def test_calls_in_records_of_their_own_go_together_while_none_is_answered():
    assert made(call("a", "1"), call("b", "2"), Result("2", "y"), Result("1", "x"), call("c")) == [
        ("a", False),
        ("b", True),
        ("c", False),
    ]


def test_what_is_said_between_two_calls_makes_two_steps():
    assert made(call("a", "1"), Message("agent", "And"), call("b", "2")) == [("a", False), ("b", False)]


def test_a_call_of_a_memory_between_them_is_no_gap():
    draft = Draft("s", Tally())
    draft.call(call("search_memory", "1"))
    draft.call(call("a", "2"))
    assert [type(entry) for entry in draft.entries] == [Called, MemoryOperation, Called]
    assert draft.entries[2].together


def test_a_call_of_another_speaker_does_not_go_with_it():
    draft = Draft("s", Tally())
    draft.call(call("a", "1"), by="user")
    draft.call(call("b", "2"))
    assert not draft.entries[1].together


def test_a_result_without_its_call_is_the_tools_until_the_call_turns_up():
    draft = Draft("s", Tally())
    draft.answer(Result("1", "late"))
    assert draft.entries[0].by == "tool"
    draft.call(call("a", "1"))
    assert (draft.entries[0].name, draft.entries[0].by, draft.entries[0].result) == ("a", "agent", "late")
