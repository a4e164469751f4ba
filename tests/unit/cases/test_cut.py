"""Cutting a case out of a session: what is frozen, what is expected, and what is refused with its reason."""

from dataclasses import replace

import pytest

from foldproof.cases import CutFrom, add_to_set, cases_text, cut, lint_set, load_set, points_of
from foldproof.core import REDACTED, UsageError
from foldproof.logs import (
    AnsweredCall,
    Called,
    Fold,
    ImportedSession,
    MemoryOperation,
    PastTurn,
    Said,
    ToolCall,
    Unknown,
)


def user(text, **more):
    return Said("user", text, **more)


def agent(text, **more):
    return Said("agent", text, **more)


TALK = (
    user("I want to return the blender from order 4021."),
    agent("Let me look."),
    Called("check_order", {"order_id": 4021}, "delivered", id="c1"),
    Called("check_stock", {"item": "blender"}, "3", id="c2", together=True),
    Called("log", {}, "", id="c3"),
    agent("Was it damaged?"),
    user("It arrived cracked. Email only."),
    agent("Understood, by email."),
    user("So what do I do now?"),
    Called("check_eligibility", {"order_id": 4021, "note": "x" * 200}, "yes", id="c4"),
    agent("Send it back; we wrote you an email."),
    user("Thanks."),
)


def session(*entries, **more):
    return ImportedSession("58f2", tuple(entries), **more)


def faults(*entries):
    return {point.turn: point.fault for point in points_of(session(*entries))}


def test_turns_are_counted_as_what_was_said():
    assert [(point.turn, point.text[:6], bool(point.fault)) for point in points_of(session(*TALK))] == [
        (1, "I want", True),
        (4, "It arr", False),
        (6, "So wha", False),
        (8, "Thanks", True),
    ]


def test_what_stands_before_is_frozen_and_what_was_done_is_expected():
    made = cut(session(*TALK), 6)
    case = made.case
    assert case.frozen == (
        PastTurn("user", "I want to return the blender from order 4021."),
        PastTurn(
            "agent",
            "Let me look.",
            (
                AnsweredCall(ToolCall("check_order", {"order_id": 4021}), "delivered"),
                AnsweredCall(ToolCall("check_stock", {"item": "blender"}), "3"),
            ),
        ),
        PastTurn("agent", "", (AnsweredCall(ToolCall("log"), ""),)),
        PastTurn("agent", "Was it damaged?"),
        PastTurn("user", "It arrived cracked. Email only."),
        PastTurn("agent", "Understood, by email."),
    )
    assert (case.id, case.question, case.asks_as, case.tags) == (
        "replay-58f2-6",
        "So what do I do now?",
        "user",
        ("draft",),
    )
    assert [item.label for item in case.expect] == ["tool_called: check_eligibility(order_id=4021)"]
    assert case.cut_from == CutFrom("58f2", 6)
    assert "note of check_eligibility" in made.notes[0]
    assert "the agent said: Send it back; we wrote you an email." in made.notes[1]


def test_where_no_call_was_made_none_is_expected():
    made = cut(session(*TALK), 4)
    assert [item.label for item in made.case.expect] == ["no_tool_called: *"]
    assert "the agent said: Understood, by email.; write" in made.notes[0]


def test_the_case_loads_as_it_is_printed_and_is_known_as_a_draft(tmp_path):
    path = tmp_path / "cut.yaml"
    path.write_text(cases_text([cut(session(*TALK), 6).case], "why\n\nso"), "utf-8")
    assert path.read_text("utf-8").startswith("# why\n#\n# so\ncases:\n- id: replay-58f2-6\n")
    assert load_set(path).cases[0] == cut(session(*TALK), 6).case
    assert "draft" in {found.rule for found in lint_set(load_set(path))}
    path.write_text(path.read_text("utf-8").replace("tags: [draft]", "tags: [old]"), "utf-8")
    assert "draft" not in {found.rule for found in lint_set(load_set(path))}


def test_it_is_added_to_a_set_under_an_id_that_is_free(tmp_path):
    path = tmp_path / "replay.yaml"
    for expected in ("replay-58f2-6", "replay-58f2-6-2", "replay-58f2-6-3"):
        taken = {case.id for case in load_set(path).cases} if path.exists() else set()
        made = cut(session(*TALK), 6, taken=taken).case
        add_to_set(path, replace(made, question=f"{made.question} ({len(taken)})"))
        assert load_set(path).cases[-1].id == expected
    assert path.read_text("utf-8").startswith("foldproof: 1\ncases:\n")


def test_the_same_turn_is_added_once_whatever_is_expected_of_it(tmp_path):
    path = tmp_path / "replay.yaml"
    made = cut(session(*TALK), 6).case
    add_to_set(path, made)
    old = path.read_text("utf-8")
    with pytest.raises(UsageError, match="case 'replay-58f2-6' is cut from this turn already"):
        add_to_set(path, replace(made, id="other", expect=()))
    assert path.read_text("utf-8") == old
    add_to_set(path, replace(made, id="uncut", cut_from=None))
    assert len(load_set(path).cases) == 2


def test_a_set_whose_gate_counts_its_cases_stays_as_it_was(tmp_path):
    path = tmp_path / "replay.yaml"
    old = "gate: {episodic: 1/1}\ncases:\n- id: a\n  class: episodic\n  question: q\n  expected_facts: [x]  # so\n"
    path.write_text(old, "utf-8")
    with pytest.raises(UsageError, match=r"with the case 'replay-58f2-6' the set would not load: gate"):
        add_to_set(path, replace(cut(session(*TALK), 6).case, tags=()))
    assert path.read_text("utf-8") == old


def test_no_gate_counts_a_draft(tmp_path):
    path = tmp_path / "replay.yaml"
    path.write_text(
        "gate: {episodic: 1/1}\ncases:\n- {id: a, class: episodic, question: q, expected_facts: [x]}\n", "utf-8"
    )
    add_to_set(path, cut(session(*TALK), 6).case)
    found = load_set(path)
    assert (found.drafts, found.gate["episodic"].of) == ({"replay-58f2-6"}, 1)
    alone = tmp_path / "alone.yaml"
    alone.write_text(cases_text([cut(session(*TALK), 6).case]), "utf-8")
    assert load_set(alone).gate == {}


@pytest.mark.parametrize(
    ("name", "id_"),
    [
        ("a b/c", "replay-a-b-c-6"),
        ("x" * 200, f"replay-{'x' * 51}-6"),
        ("", "replay--6"),
    ],
)
def test_the_id_is_one_that_a_set_takes(name, id_):
    made = cut(ImportedSession(name, TALK), 6).case
    assert made.id == id_
    assert made.cut_from == CutFrom(name or "session", 6)


@pytest.mark.parametrize(
    ("turn", "message"),
    [
        (1, r"session '58f2': no case can be cut at turn 1: nothing stands before it(.|\n)*turns 4, 6 can be cut"),
        (2, r"it is no message of the user(.|\n)*turns 4, 6 can be cut"),
        (8, r"no decision of the agent follows it"),
        (99, r"it is no message of the user"),
    ],
)
def test_a_turn_that_cannot_be_cut_is_refused_with_the_nearest_that_can(turn, message):
    with pytest.raises(UsageError, match=message):
        cut(session(*TALK), turn)


def test_a_session_without_any_such_turn_says_why():
    with pytest.raises(UsageError, match=r"no turn of the session can be: nothing stands before it"):
        cut(session(user("a"), agent("b")), 1)
    with pytest.raises(UsageError, match=r"the user says nothing in it"):
        cut(session(agent("b")), 1)


CALL = Called("look", {"q": "x"}, "found", id="c1")


@pytest.mark.parametrize(
    ("between", "fault"),
    [
        ((Called("look", {}, None),), "the log has no result of the call of look"),
        ((Called("", {}, "late", id="c9", by="tool"),), "the log has the result of a call that it does not have"),
        ((Called("look", {}, "late", by="tool"),), "of a call that it does not have (look)"),
        ((Called("look", {}, "x", by="user"),), "a call was made by the user (look)"),
        ((Called("", {"a": 1}, "x"),), "the log does not tell the name of a tool that was called"),
        ((Called("look", {"_raw": "{"}, "x"),), "the log does not tell the arguments of a call of look"),
        ((Called("look", {"key": REDACTED}, "x"),), "a part of the call of look, or of its result, was redacted"),
        ((Called("look", {}, f"the key {REDACTED}"),), "a part of the call of look, or of its result, was redacted"),
        ((agent(f"It is {REDACTED}."),), "a part of turn 2 was redacted, and what was said there is not known"),
        ((Fold("boundary"),), "the context was folded before it (boundary)"),
        ((Fold("trimmed"), Called("look", {}, None)), "the context was folded before it (trimmed)"),
        ((CALL,), ""),
    ],
)
def test_what_cannot_be_frozen_is_refused_with_the_reason(between, fault):
    entries = (user("a"), *between, agent("b"), user("c"), agent("d"), user("e"), agent("f"))
    found = list(faults(*entries).values())[1:]
    assert all(fault in one for one in found)
    assert all(bool(one) == bool(fault) for one in found)


def test_what_comes_after_the_turn_does_not_matter():
    after = (Fold("boundary"), Called("", {}, "late", by="tool"))
    assert faults(user("a"), agent("b"), user("c"), agent("d"), *after, user("e"), agent("f"))[3] == ""


def test_two_messages_of_the_user_in_a_row():
    found = faults(user("a"), agent("b"), user("c"), user("d"), agent("e"), user("f"), agent("g"))
    assert found[3] == "no decision of the agent follows it"
    assert found[4] == "the message before it is the user's too, and the agent did not answer that"
    assert found[6] == ""


def test_a_redacted_message_cannot_be_said_word_for_word():
    found = faults(user("a"), agent("b"), user(f"my key is {REDACTED}"), agent("c"), user("d"), agent("e"))
    assert found[3] == "a part of turn 3 was redacted, so it cannot be said word for word"
    assert found[5] == "a part of turn 3 was redacted, and what was said there is not known"


def test_an_agent_that_acts_before_anybody_speaks_cannot_be_frozen():
    assert "called look before anybody said anything" in faults(CALL, agent("hi"), user("a"), agent("b"))[2]
    assert faults(agent("hi"), user("a"), agent("b")) == {2: ""}


def test_what_a_log_holds_beside_the_talk_is_left_out_and_told():
    made = cut(
        session(
            Said("system", "Be kind."),
            Said("user", "cwd: /", kind="context"),
            user("a [image]"),
            agent("Hm.", kind="thought"),
            Said("user", "/clear", kind="command"),
            Said("tool", "a tool speaks"),
            agent("One moment.", kind="interim"),
            Called("search_memory", {"query": "x"}, "tea", id="m1"),
            MemoryOperation("read", "x", via="search_memory", id="m1"),
            MemoryOperation("read", "y", via="retriever"),
            Unknown("progress", {}),
            agent("b"),
            user("c"),
            Called("look", {"key": REDACTED}, "x"),
            sidechains=(ImportedSession("sub"),),
            abandoned=2,
        ),
        3,
    )
    assert [turn.text for turn in made.case.frozen] == ["a [image]", "One moment.", "b"]
    assert [item.label for item in made.case.expect] == ["tool_called: look"]
    told = "\n".join(made.notes)
    for part in (
        "key of look",
        "the agent said nothing",
        "left out: 1 × the system prompt",
        "left out: 1 × what a program put in",
        "left out: 1 × what the agent thought",
        "left out: 1 × commands of a program",
        "left out: 1 × what a tool said",
        "left out: 1 × memory reads that are no tool call",
        "left out: 1 × records of the unknown kind `progress`",
        "no text, and so not handed over, although the talk may turn on it: image",
        "the talk of 1 sub-agents",
        "2 messages of branches",
    ):
        assert part in told
