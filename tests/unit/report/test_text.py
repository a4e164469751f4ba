from __future__ import annotations

import time

import pytest

from foldproof.report.text import Piece, clean, counted, inline, marked, pieces, tail


@pytest.mark.parametrize(
    ("raw", "cleaned"),
    [
        ("\x1b[1;31mred\x1b[0m", "red"),
        ("\x1b]0;title\x07after", "after"),
        ("\x1b]8;;http://evil\x1b\\link\x1b]8;;\x1b\\", "link"),
        ("\x1b]0;never ended, and the answer goes on", "0;never ended, and the answer goes on"),
        ("\x9b31mred", "red"),
        ("\x1bcreset", "reset"),
        ("a\x00b\x08c\x7fd\x85e", "abcd\ne"),
        ("pay\u202egpj.exe", "paygpj.exe"),
        ("a\r\nb\rc\u2028d", "a\nb\nc\nd"),
        ("a\tb", "a    b"),
        ("\ud800lone", "?lone"),
        ("hid\U000e0041den\u200b", "hidden"),
        ("नमस्ते \u200d 👩\u200d💻 میخواهم", "नमस्ते \u200d 👩\u200d💻 میخواهم"),
    ],
)
def test_clean(raw, cleaned):
    assert clean(raw) == cleaned


def test_inline_is_one_line_and_says_what_it_leaves_out():
    assert inline(" a\n\n b\tc ") == "a b c"
    assert inline("x" * 1000, 300) == f"{'x' * 150} [... 700 characters left out ...] {'x' * 150}"
    assert inline("x" * 300, 300) == "x" * 300


def test_counted():
    assert [counted(n, "case") for n in (0, 1, 2)] == ["0 cases", "1 case", "2 cases"]


def test_pieces_mark_hits_that_overlap_once():
    assert marked(pieces("abcdef", [(1, 3), (2, 4)])) == "a[[bcd]]ef"
    assert marked(pieces("abc", [(0, 3)])) == "[[abc]]"
    assert marked(pieces("abc", [(2, 99), (1, 1)])) == "ab[[c]]"


def test_pieces_clean_each_part_by_itself():
    assert marked(pieces("a\x1b[31mgold\x1b[0m", [(6, 10)])) == "a[[gold]]"
    assert "\x1b" not in marked(pieces("a\x1b[31mgold", [(2, 4)]))


def test_pieces_keep_hits_when_they_shorten():
    raw = "a" * 500 + "GOLD" + "b" * 500
    found = pieces(raw, [(500, 504)], 100)
    assert [piece.kind for piece in found] == ["plain", "gap", "plain", "hit", "plain", "gap", "plain"]
    assert Piece("GOLD", "hit") in found
    left_out = sum(int(piece.text.split()[1]) for piece in found if piece.kind == "gap")
    assert left_out + sum(len(piece.text) for piece in found if piece.kind != "gap") == len(raw)


def test_tail():
    assert tail("a\nb\nc\n", 3) == "a\nb\nc"
    assert tail("a\nb\nc\n", 2) == "[... 1 line left out ...]\nb\nc"


@pytest.mark.parametrize("odd", ["\x9d", "\x1b]", "\x1b[", "\x1b", "\x90a", "\x1b[0;"])
def test_long_hostile_texts_take_no_long_time(odd):
    raw = odd * 200_000
    start = time.perf_counter()
    assert not set(clean(raw)) & set("\x1b\x9d\x90")
    assert time.perf_counter() - start < 2
