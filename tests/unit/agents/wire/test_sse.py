"""Server-sent events, as servers really end their lines."""

import pytest

from foldproof.agents.wire.sse import Event, events_of, pieces_of


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_line_ends(end):
    text = end.join(["event: a", 'data: {"x": 1}', "", ": a comment", "data: two", "data:lines", "", ""])
    assert events_of(text) == [Event("a", {"x": 1}), Event("", "two\nlines")]
    assert pieces_of(text) == [end.join(["event: a", 'data: {"x": 1}', "", ""]), end.join(text.split(end)[3:])]


@pytest.mark.parametrize(
    ("text", "events"),
    [
        ("", []),
        ("\n\n\n", []),
        ("data: [DONE]\n\n", [Event("", "[DONE]")]),
        ("data: null\n\n", [Event("", "null")]),
        ("data:\n\n", [Event("", "")]),
        ("data\n\n", [Event("", "")]),
        ("event: lone\n\ndata: x\n\n", [Event("", "x")]),
        ('data: {"half', [Event("", '{"half')]),
        ("\ufeffdata: x\n\n", [Event("", "x")]),
        ("id: 7\nretry: 3\ndata:  x\n\n", [Event("", " x")]),
        ("data: a\u2028b\n\n", [Event("", "a\u2028b")]),
    ],
)
def test_events(text, events):
    assert events_of(text) == events


@pytest.mark.parametrize("text", ["", "a", "a\n\n", "a\n\nb", "a\r\nb\r\n\r\nc\n\n\n\nd"])
def test_pieces_are_the_whole(text):
    assert "".join(pieces_of(text)) == text
    assert "" not in pieces_of(text)
