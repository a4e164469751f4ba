"""The page of `sessions cut`: what was added, or where a session can be cut."""

from foldproof.cases import Case, Cut, Point
from foldproof.logs import AnsweredCall, PastTurn, ToolCall
from foldproof.report import cut_document, points_document, render_cut

POINTS = (
    Point(1, "Hello\nthere.", "nothing stands before it"),
    Point(3, "And now?", "", (PastTurn("user", "x"), PastTurn("agent", "y"))),
)


def test_where_a_session_can_be_cut():
    text = render_cut(points_document(POINTS, session="s1", source="a.jsonl"), width=80, colour=False)
    assert text == (
        "session s1 (a.jsonl): the user speaks in 2 turns, and a case can be cut at 1 of\n  them\n"
        "\n"
        "  turn   can be cut   the user says\n"
        "  1      no           Hello there.\n"
        "    nothing stands before it\n"
        "  3      yes          And now?\n"
        "\n"
        "next\n"
        "  foldproof sessions cut … --turn 3\n"
    )


def test_a_session_that_cannot_be_cut_has_no_next_step():
    document = points_document(POINTS[:1], session="s1", source="a.jsonl")
    assert document.next == []


def test_what_was_added_and_what_to_know_of_it():
    case = Case("replay-s1-3", "And now?", frozen=(PastTurn("agent", "", (AnsweredCall(ToolCall("a"), "b"),)),))
    document = cut_document(Cut(case, ("left out: 1 thing",)), session="s1", source="a.jsonl", written="replay.yaml")
    assert render_cut(document, width=100, colour=False) == (
        "added case 'replay-s1-3' to replay.yaml\n"
        "cut from a.jsonl, session s1\n"
        "\n"
        "to know\n"
        "  left out: 1 thing\n"
        "\n"
        "next\n"
        "  look at each expectation: it says what the agent did; then take the tag `draft` out\n"
    )
    assert document.case["frozen"] == [{"calls": [{"call": "a", "result": "b"}]}]
