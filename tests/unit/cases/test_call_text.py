"""A call in one line: what it means, and what is said of one that cannot be read."""

import pytest

from foldproof.cases.call_text import json_text, read_call, short, value_text, written_call
from foldproof.cases.faults import Fault


@pytest.mark.parametrize(
    ("text", "name", "args"),
    [
        ("refund", "refund", {}),
        ("refund()", "refund", {}),
        ("  refund ( ) ", "refund", {}),
        ("*", "*", {}),
        ("mcp__shop.orders:refund-2()", "mcp__shop.orders:refund-2", {}),
        ("f(a=15)", "f", {"a": 15}),
        ('f(a="15")', "f", {"a": "15"}),
        ("f(a='15')", "f", {"a": "15"}),
        ("f(a=-1.5e3, b=12.0)", "f", {"a": -1500.0, "b": 12.0}),
        ("f(a=true, b=false, c=null)", "f", {"a": True, "b": False, "c": None}),
        ("f(order_id=5310, method=store_credit)", "f", {"order_id": 5310, "method": "store_credit"}),
        ("f(city= New York , at=15:30, day=2026-03-04)", "f", {"city": "New York", "at": "15:30", "day": "2026-03-04"}),
        ("f(a=no, b=0123, c=1_000)", "f", {"a": "no", "b": "0123", "c": "1_000"}),
        ("f(a=[1, two, 'three, four', []], b={})", "f", {"a": [1, "two", "three, four", []], "b": {}}),
        ('f(a={"x": 1, y: {z: [null]}, "a b": 15:30})', "f", {"a": {"x": 1, "y": {"z": [None]}, "a b": "15:30"}}),
        (r'f(a="say \"hi\"\n", b="\u00e9 \ud83d\ude00")', "f", {"a": 'say "hi"\n', "b": "é 😀"}),
        (r"""f(a='don\'t "quote" \\"')""", "f", {"a": 'don\'t "quote" \\"'}),
        ('f(a="", b="None")', "f", {"a": "", "b": "None"}),
        ("f(a=太郎, b=café)", "f", {"a": "太郎", "b": "café"}),
        ("f(a=\n  1,\n  b=2)", "f", {"a": 1, "b": 2}),
    ],
)
def test_a_call_in_one_line(text, name, args):
    found, values = read_call(text)
    assert found == name
    assert repr(values) == repr(args)  # 1, 1.0 and true are told apart


@pytest.mark.parametrize(
    ("text", "at", "what"),
    [
        ("", 1, "the name of a tool is expected, the text ends"),
        ("(a=1)", 1, "the name of a tool is expected, found '('"),
        ("git commit", 5, "'commit' follows the end of the call"),
        ("f(a=1) g()", 8, "'g()' follows the end of the call"),
        ("f(5310)", 7, "'=' is expected after the argument '5310', found ')'"),
        ("f(a)", 4, "'=' is expected after the argument 'a', found ')'"),
        ("f(=1)", 3, "the name of an argument is expected, found '='"),
        ("f(a=1,)", 7, "the name of an argument is expected, found ')'"),
        ("f(a=1, a=2)", 8, "the argument 'a' stands twice"),
        ("f(a=1", 6, "the bracket of the arguments is not closed"),
        ("f(a=1, b=[1, 2)", 15, "',' or ']' is expected, found ')'"),
        ("f(a=[1", 7, "the '[' is not closed"),
        ("f(a={x: 1", 10, "the '{' is not closed"),
        ("f(a=)", 5, "a value is expected, found ')'"),
        ("f(a=", 5, "a value is expected, the text ends"),
        ("f(a=b c=d)", 8, "',' or ')' is expected, found '='"),
        ("f(a=don't)", 8, "',' or ')' is expected, found '''"),
        ("f(a=None)", 5, "'None' may be null or a text"),
        ('f(a="x)', 5, "a text in quotes is not closed"),
        (r'f(a="\q")', 5, "a text has an escape that is none"),
        (r'f(a="\ud83d")', 5, "a text holds half a character (a lone surrogate)"),
        ("f(a={1})", 7, "':' is expected after the key '1', found '}'"),
        ("f(a={: 1})", 6, "a key is expected, found ':'"),
        ("f(a={x: 1, x: 2})", 12, "the key 'x' stands twice"),
        (f"f(a={'[' * 60})", 55, "lists and objects stand more than 50 deep in each other"),
    ],
)
def test_what_is_no_call_is_told_with_its_place(text, at, what):
    with pytest.raises(Fault, match="cannot read the call") as caught:
        read_call(text)
    assert f"at character {at}, {what}" in str(caught.value)
    assert caught.value.hint


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("store_credit", "store_credit"),
        ("New York", "New York"),
        ("15", '"15"'),
        ("true", '"true"'),
        ("None", '"None"'),
        ("", '""'),
        (" a", '" a"'),
        ("a, b", '"a, b"'),
        ("a\nb", '"a\\nb"'),
        (15, "15"),
        (True, "true"),
        (None, "null"),
        ({"a": ["x", 1.5]}, '{"a": ["x", 1.5]}'),
    ],
)
def test_a_value_is_written_so_that_it_reads_back(value, text):
    assert value_text(value) == text
    assert read_call(written_call("f", {"a": value})) == ("f", {"a": value})


def test_what_is_no_json_is_named_by_its_type():
    assert json_text(object()) == "<object>"
    assert json_text(10**5000) == "<int>"


def test_a_long_text_is_cut():
    assert short("x" * 200) == "x" * 200
    assert short("x" * 201) == "x" * 199 + "…"
